/**
 * The colour challenge and the empty scene on drawn sessions, judged with the product's limits: how often each species of
 * attack is refused, and how often a live person is. Such figures order methods; they are no rates of a kiosk.
 */
import type { CheckOutcome } from '../../../proofing/judge.ts'
import { judgeReflection } from '../../../proofing/liveness/reflection.ts'
import { judgeScene } from '../../../proofing/liveness/scene.ts'
import type { ColourSet } from '../../../proofing/liveness/types.ts'
import { loadLivenessLimits } from '../../../verification/liveness-limits.ts'
import { createDetector } from '../../../vision/faces/detect.ts'
import { measureMesh } from '../../../vision/faces/mesh.ts'
import { measureSceneChange } from '../../../vision/liveness/measure-scene.ts'
import { listSessions, type Sessions } from '../../../vision/sessions.ts'
import type { Person } from '../liveness/people.ts'
import { computeRate, type CountedRate } from './attack-rates.ts'
import { COLOUR_PAI_SPECIES, createColourChallenge, type ColourSession } from './colours.ts'
import { photographScene, SCENE_EVENTS } from './scenes.ts'

interface Simulation {
  readonly sessions: Sessions
  readonly people: readonly Person[]
  readonly per: number
  readonly seed: number
  readonly colourSet: ColourSet
  /** Called after each session. */
  readonly progress: () => void
}

/** Results of the sessions of one kind. */
export interface Outcomes {
  readonly passed: CountedRate
  readonly failed: CountedRate
  readonly inconclusive: CountedRate
}

function countOutcomes(outcomes: readonly CheckOutcome[]): Outcomes {
  const of = (wanted: CheckOutcome) => computeRate(outcomes, (outcome) => outcome === wanted)
  return { passed: of('passed'), failed: of('failed'), inconclusive: of('inconclusive') }
}

const seedFor = (seed: number, kind: number, turn: number): number =>
  seed * 1_000_003 + kind * 10_007 + turn * 97

export async function simulateScenes({ sessions, people, per, seed, progress }: Simulation) {
  const limits = loadLivenessLimits().scene
  const [mesher] = listSessions(sessions, 'face-mesh')
  const detect = createDetector(listSessions(sessions, 'face-detector')[0], mesher)
  const entries: [string, Outcomes & { readonly changes: readonly number[] }][] = []
  for (const [kind, event] of SCENE_EVENTS.entries()) {
    const changes: (number | null)[] = []
    for (let turn = 0; turn < per; turn++) {
      const { empty, now } = await photographScene(event, people, turn, seedFor(seed, kind, turn))
      const [face] = await detect(now, { atFirstLook: true })
      const mesh = face && (await measureMesh(mesher, now, face))
      changes.push(mesh ? measureSceneChange(now, mesh.points, empty) : null)
      progress()
    }
    const outcomes = countOutcomes(changes.map((change) => judgeScene(change, limits).outcome))
    entries.push([event, { ...outcomes, changes: computeQuantiles(changes.filter((one) => one !== null)) }])
  }
  return Object.fromEntries(entries)
}

/** Minimum, 5 %, median, 95 %, maximum. */
function computeQuantiles(values: readonly number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
  return sorted.length === 0 ? [] : [0, 0.05, 0.5, 0.95, 1].map((share) => Math.round(at(share) * 100) / 100)
}

/**
 * The screen's light on a face at 45 cm as a share of the room's: a hall in daylight, an office, a room in the evening.
 */
const LIGHT_STEPS = [0.08, 0.18]

export async function simulateColours({ sessions, people, per, seed, colourSet, progress }: Simulation) {
  const limits = loadLivenessLimits().reflection
  const challenge = createColourChallenge(sessions, colourSet)
  const all: (ColourSession & { readonly outcome: CheckOutcome })[] = []
  for (const [kind, species] of COLOUR_PAI_SPECIES.entries())
    for (let turn = 0; turn < per; turn++) {
      const session = await challenge(species, people, turn, seedFor(seed, 100 + kind, turn))
      all.push({ ...session, outcome: judgeReflection(session.traces, limits, colourSet).outcome })
      progress()
    }
  const group = (getKey: (session: ColourSession) => string, among = all) =>
    Object.fromEntries(
      [...Map.groupBy(among, getKey)].map(([key, some]) => [
        key,
        countOutcomes(some.map(({ outcome }) => outcome)),
      ]),
    )
  const live = all.filter(({ species }) => species === 'live')
  return {
    species: group(({ species }) => species),
    liveByTone: group(({ tone }) => tone, live),
    liveByLight: group(({ shareOfRoom }) => lightName(shareOfRoom), live),
  }
}

function lightName(shareOfRoom: number): string {
  const [weak, middling] = LIGHT_STEPS
  if (shareOfRoom < weak) return `below ${weak}`
  return shareOfRoom < middling ? `${weak} to ${middling}` : `from ${middling}`
}
