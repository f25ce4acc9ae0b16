/**
 * A small gate on liveness: a few sessions of specimen persons and attacks in this process, all of which must come out
 * right. The figures themselves: npm run bench:liveness.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BenchPaiSpecies } from '../../server/tools/bench/liveness/actors.ts'
import { openPlayer, type Player } from '../../server/tools/bench/liveness/player.ts'
import type { LivenessType } from '../../server/proofing/types.ts'
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

const played = (type: LivenessType, species: BenchPaiSpecies, index = 0) =>
  player.play({ type, species, index, seed: 1 })

describe('a liveness session', () => {
  test.each([
    ['LIVENESS_PASSIVE_VIDEO', 0],
    ['LIVENESS_ACTIVE', 1],
  ] as const)(
    'of %s passes a live person',
    async (type, index) => {
      const { verdict } = await played(type, 'live', index)
      expect(verdict).toMatchObject({ isLive: true })
    },
    GATE_MS,
  )

  test.each([
    ['LIVENESS_PASSIVE_VIDEO', 'flat', /^DEPTH_|^COURSE_/],
    ['LIVENESS_PASSIVE_VIDEO', 'bent', /^DEPTH_|^COURSE_/],
    ['LIVENESS_ACTIVE', 'flat', /^DEPTH_|^COURSE_/],
  ] as const)(
    'of %s refuses what is %s, for want of depth or of movement',
    async (type, species, why) => {
      const { verdict } = await played(type, species)
      expect(verdict.isLive).toBe(false)
      expect(verdict.reasons).toContainEqual(expect.stringMatching(why))
    },
    GATE_MS,
  )

  test(
    'tells the same of the same plan',
    async () => {
      const [one, other] = [
        await played('LIVENESS_PASSIVE_VIDEO', 'live', 2),
        await played('LIVENESS_PASSIVE_VIDEO', 'live', 2),
      ]
      expect(other.verdict.measured).toEqual(one.verdict.measured)
      expect(other.prompts).toEqual(one.prompts)
    },
    GATE_MS,
  )
})
