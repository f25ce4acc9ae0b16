/** Damaged and odd pictures never end the worker, and a worker that was ended is counted where the operator looks. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CONTRACT } from '../../../server/api/contract/index.ts'
import { fuzz } from '../../../server/tools/bench/fuzz/pictures.ts'
import { startVision } from '../../../server/vision/client.ts'
import { defaultModelsDir } from '../../../server/vision/packs.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import { startTestApp } from '../../support/app.ts'

let vision: Vision
const pids: number[] = []
beforeAll(async () => {
  vision = await startVision({
    modelsDir: defaultModelsDir(),
    packs: ['core'],
    log: (event, { workerPid }) => {
      if (event === 'the vision worker is ready') pids.push(Number(workerPid))
    },
  })
})
afterAll(() => vision.close())

test('mutated pictures of every kind are answered with a value or a fault, by one and the same worker', async () => {
  const result = await fuzz(vision, { images: 57, seed: 20_261_121, deep: 3 })
  expect(result).toMatchObject({
    images: 57,
    failures: {},
    workerRestarts: { crashed: 0, hung: 0, grown: 0 },
    workerDown: false,
  })
  expect(result.values).toBeGreaterThan(50)
  expect(result.faults.damaged).toBeGreaterThan(20)
  expect(pids).toHaveLength(1)
}, 300_000)

test('the healthcheck tells how often the worker was started again, and why', async () => {
  const app = await startTestApp({ vision })
  try {
    const detail = async () => {
      const { body } = await app.json('GET', '/healthcheck', { key: null })
      return CONTRACT.HealthcheckReport.parse(body).components.vision?.detail
    }
    expect(await detail()).toContain('worker never restarted')
    const count = pids.length
    process.kill(pids[count - 1] ?? 0, 'SIGKILL')
    while (pids.length === count) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await detail()).toContain('worker restarted 1x (1 crashed, 0 hung, 0 too large)')
  } finally {
    await app.close()
  }
})
