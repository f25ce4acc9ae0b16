/**
 * A small gate on liveness: a few sessions of specimen persons and attacks in this process, all of which must come out
 * right. The figures themselves: npm run bench:liveness.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BenchPaiSpecies } from '../../server/tools/bench/liveness/actors.ts'
import { openPlayer, type Player } from '../../server/tools/bench/liveness/player.ts'
import { defaultModelsDir } from '../../server/vision/packs.ts'

const GATE_MS = 120_000

let player: Player
beforeAll(async () => {
  player = await openPlayer({
    isInProcess: true,
    packs: 'core',
    modelsDir: defaultModelsDir(),
    facesDir: null,
    people: 'all',
    noise: 'nominal',
    picturesPerSecond: 8,
    colourSet: 'FULL',
  })
}, GATE_MS)
afterAll(() => player.close())

const played = (species: BenchPaiSpecies) =>
  player.play({ type: 'LIVENESS_PASSIVE_VIDEO', species, index: 0, seed: 1 })

// Active sessions and flat prints: server/app/live-specimen.test.ts.
describe('a liveness session of LIVENESS_PASSIVE_VIDEO', () => {
  test(
    'passes a live person, and tells the same of the same plan',
    async () => {
      const [one, other] = [await played('live'), await played('live')]
      expect(one.verdict).toMatchObject({ isLive: true })
      // Names alone, so that the report of a failure says what differs.
      const measured = Object.entries({ ...one.verdict.measured, ...other.verdict.measured })
      const differing = measured.filter(
        ([name]) => one.verdict.measured[name] !== other.verdict.measured[name],
      )
      expect(differing.map(([name]) => name)).toEqual([])
      expect(other.prompts).toEqual(one.prompts)
    },
    GATE_MS,
  )

  test(
    'refuses a bent print, for want of depth or of movement',
    async () => {
      const { verdict } = await played('bent')
      expect(verdict.isLive).toBe(false)
      expect(verdict.reasons).toContainEqual(expect.stringMatching(/^DEPTH_|^COURSE_/))
    },
    GATE_MS,
  )
})
