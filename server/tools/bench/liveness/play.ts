/** Plays one session from its first picture to its verdict, in simulated time. */
import type { ColourSet } from '../../../proofing/liveness/types.ts'
import type { LivenessType } from '../../../proofing/types.ts'
import { createRandom } from '../../specimen/head/noise.ts'
import type { NoiseLevel } from '../../specimen/liveness/camera.ts'
import { within } from '../../specimen/liveness/head-model.ts'
import type { Raster } from '../../../vision/raster.ts'
import { cast, type BenchPaiSpecies } from './actors.ts'
import type { Channels, Verdict } from './channel.ts'
import type { Person } from './people.ts'

/** All inputs of a session: the same plan gives the same session. */
export interface Plan {
  readonly type: LivenessType
  readonly species: BenchPaiSpecies
  /** Index within its species, from 0. */
  readonly index: number
  readonly seed: number
}

export interface Played extends Plan {
  readonly person: number
  readonly variant: string
  readonly frames: number
  readonly durationMs: number
  /** The prompts, in order. */
  readonly prompts: readonly string[]
  /** Pictures by the hint that followed them. */
  readonly hints: Readonly<Record<string, number>>
  readonly verdict: Verdict
}

interface Cast {
  readonly people: readonly Person[]
  readonly rooms: { readonly plain: readonly Raster[]; readonly tempting: readonly Raster[] }
  readonly noise: NoiseLevel
  readonly picturesPerSecond: number
  readonly colourSet: ColourSet
}

/** A camera's pictures never arrive evenly. */
const UNEVEN = [0.8, 1.2] as const
/** No session of the product lasts longer. */
const MAX_MS = 120_000

export async function play(
  plan: Plan,
  { people, rooms, noise, picturesPerSecond, colourSet }: Cast,
  channels: Channels,
): Promise<Played> {
  const random = createRandom(mixSeed(plan))
  const first = (plan.index + Math.floor(plan.seed * 7)) % people.length
  const person = people[first]
  const other = people[(first + 1 + Math.floor(random() * (people.length - 1))) % people.length]
  // Every second session is in a room that looks like a display in some way.
  const tempts = plan.index % 2 === 1
  const kind = tempts ? rooms.tempting : rooms.plain
  const room = kind[Math.floor(random() * kind.length)]
  // The even variant of `reordered` tests the protocol, so it needs one.
  const turn = channels.hasProtocol || plan.species !== 'reordered' ? plan.index : 1
  const casting = { type: plan.type, person, other, room, tempts, noise, turn, colourSet }
  const actor = await cast(plan.species, casting, random)
  const drawn = createRandom(mixSeed(plan) + 1)
  const channel = await channels.open({
    type: plan.type,
    tampering: actor.tampering,
    random: drawn,
    colourSet,
  })
  let [frames, atMs] = [0, 0]
  const prompts: string[] = []
  const hints: Record<string, number> = {}
  let screen = await channel.begin()
  while (screen !== null && atMs < MAX_MS) {
    const { kind, index, attempt } = screen.prompt
    const asked = `${index} ${kind} ${attempt}`
    if (prompts.at(-1) !== asked) prompts.push(asked)
    hints[screen.hint] = (hints[screen.hint] ?? 0) + 1
    actor.see(screen, atMs)
    atMs += (1000 / picturesPerSecond) * within(UNEVEN, random)
    frames++
    screen = await channel.frame(await actor.picture(atMs), atMs)
  }
  const verdict = await channel.verdict()
  const { variant } = actor
  return {
    ...plan,
    person: person.id,
    variant,
    frames,
    durationMs: Math.round(atMs),
    prompts,
    hints,
    verdict,
  }
}

/** Differs for every session of a run, independently of the other sessions. */
function mixSeed({ type, species, index, seed }: Plan): number {
  let mixed = seed
  for (const letter of `${type} ${species} ${index}`)
    mixed = (Math.imul(mixed, 31) + letter.charCodeAt(0)) >>> 0
  return mixed
}
