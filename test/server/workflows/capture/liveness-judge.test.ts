/** A way that this machine cannot judge is no way: still pictures alone need the networks against presentation attacks. */
import { expect, test } from 'vitest'
import { loadLivenessLimits } from '../../../../server/verification/liveness-limits.ts'
import { livenessJudge } from '../../../../server/workflows/capture/liveness-judge.ts'

const judgeWith = (capabilities: readonly object[]) =>
  livenessJudge({
    vision: { health: async () => ({ packs: [], models: [], capabilities, residentBytes: 1 }) } as never,
    livenessLimits: loadLivenessLimits(),
  })
const networks = (state: string) => [{ name: 'presentation-attack-detection', state }]

test.each([
  ['without the networks', [], false],
  ['whose networks were never installed', networks('NOT_INSTALLED'), false],
  ['whose networks are refused', networks('DOWN'), false],
  ['with the networks', networks('UP'), true],
])('a machine %s', async (_, capabilities, isJudged) => {
  const judges = await judgeWith(capabilities)
  expect(judges('LIVENESS_PASSIVE')).toBe(isJudged)
  expect(judges('LIVENESS_PASSIVE_VIDEO')).toBe(true)
  expect(judges('LIVENESS_ACTIVE')).toBe(true)
})
