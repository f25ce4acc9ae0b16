/** Several players in parallel. Each session depends only on its plan, so the number of players changes no figure. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openPlayer, type Player, type PlayerSettings } from './player.ts'
import type { Plan, Played } from './play.ts'

const PROCESS = fileURLToPath(new URL('./player-process.ts', import.meta.url))

export interface Pool extends Pick<Player, 'models' | 'people'> {
  /** The order is arbitrary. */
  playAll(plans: readonly Plan[], played: (one: Played) => void): Promise<void>
  close(): Promise<void>
}

export async function openPool(settings: PlayerSettings, processes: number): Promise<Pool> {
  const players: Player[] = []
  for (let i = 0; i < processes; i++)
    players.push(processes === 1 ? await openPlayer(settings) : await forkPlayer(settings))
  const [{ models, people }] = players
  return {
    models,
    people,
    async playAll(plans, played) {
      const waiting = [...plans]
      const work = async (player: Player): Promise<void> => {
        for (let plan = waiting.shift(); plan; plan = waiting.shift()) played(await player.play(plan))
      }
      await Promise.all(players.map(work))
    },
    close: async () => void (await Promise.all(players.map((player) => player.close()))),
  }
}

interface Reply {
  readonly ready?: { readonly models: readonly string[]; readonly people: number }
  readonly played?: Played
  readonly failure?: string
}

async function forkPlayer(settings: PlayerSettings): Promise<Player> {
  const child = fork(PROCESS, [JSON.stringify(settings)], { serialization: 'advanced' })
  const { ready } = await awaitReply(child)
  if (!ready) throw new Error('a player did not start')
  return {
    ...ready,
    async play(plan) {
      child.send(plan)
      const { played, failure } = await awaitReply(child)
      if (!played) throw new Error(failure ?? 'a player told nothing')
      return played
    },
    async close() {
      child.send(null as unknown as Plan)
      await once(child, 'exit')
    },
  }
}

function awaitReply(child: ChildProcess): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(new Error('a player died'))
    child.once('exit', gone)
    child.once('message', (reply: Reply) => {
      child.off('exit', gone)
      resolve(reply)
    })
  })
}
