/** Runs a player in its own process: receives plans, sends played sessions. Ends with its parent. */
import { openPlayer, type PlayerSettings } from './player.ts'
import type { Plan } from './play.ts'

const player = await openPlayer(JSON.parse(process.argv[2]) as PlayerSettings)
process.on('message', (plan: Plan | null) => {
  if (plan === null) {
    void player.close().then(() => process.disconnect())
    return
  }
  player.play(plan).then(
    (played) => process.send?.({ played }),
    (error: unknown) => process.send?.({ failure: error instanceof Error ? error.message : String(error) }),
  )
})
process.send?.({ ready: { models: player.models, people: player.people } })
