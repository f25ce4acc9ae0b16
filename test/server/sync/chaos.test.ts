/** Whatever the line does: nothing is lost, nothing arrives twice, each proof is acknowledged exactly once. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startChaosProxy, type ChaosProxy } from '../../../server/tools/bench/crash/chaos-proxy.ts'
import {
  startScriptedCentralService,
  type ScriptedCentralService,
} from '../../support/scripted-central-service.ts'
import { openRig, type Rig } from './rig.ts'

let central: ScriptedCentralService
let proxy: ChaosProxy
let rig: Rig
beforeEach(async () => {
  central = await startScriptedCentralService()
  proxy = await startChaosProxy(central)
  rig = openRig()
  await rig.join(central, proxy.url)
})
afterEach(async () => {
  rig.close()
  await proxy.close()
  await central.close()
})

/** Each sealed proof stored once there and acknowledged once here. */
function expectAllThereOnce(proofIds: readonly string[]): void {
  expect([...central.taken].sort()).toEqual([...proofIds].sort())
  const acknowledged = rig.store.events
    .after(0, 10_000)
    .filter(({ type }) => type === 'outbox.acknowledged')
    .map(({ body }) => body.proofId)
  expect([...acknowledged].sort()).toEqual([...proofIds].sort())
  expect(rig.store.outbox.summary()).toEqual({ backlog: 0, oldestSealedAt: null, parked: 0 })
  expect(rig.store.outbox.audit()).toEqual([])
  expect(rig.packetFiles()).toEqual([])
}

test('a connection that is cut again and again, a little later each time', async () => {
  const { proofId } = await rig.seal(60_000)
  let failures = 0
  for (let bytes = 500; rig.store.outbox.summary().backlog > 0; bytes += 1_000) {
    proxy.weather.cutAfterBytes = bytes
    await rig.pass().catch(() => failures++)
    rig.reopen()
  }
  expect(failures).toBeGreaterThan(5)
  expectAllThereOnce([proofId])
})

test('answers that never arrive: what was done is not done twice', async () => {
  const { proofId } = await rig.seal(20_000)
  let lost = 0
  for (let pass = 0; rig.store.outbox.summary().backlog > 0 && pass < 40; pass++) {
    // Every second answer of all is lost, so that each step is at some time done and not known to be done.
    proxy.weather.cutAnswers = pass % 2 === 0
    await rig.pass().catch(() => lost++)
  }
  expect(lost).toBeGreaterThan(0)
  expectAllThereOnce([proofId])
})

test('a receipt that is lost: the same proof announced again is a success', async () => {
  const { proofId } = await rig.seal(10_000)
  let completions = 0
  central.instead = ({ route }) => {
    if (!route.endsWith('/completion')) return null
    completions++
    if (completions === 1) queueMicrotask(() => (proxy.weather.cutAnswers = true))
    return null
  }
  await expect(rig.pass()).rejects.toThrow()
  expect(central.taken).toEqual([proofId])
  expect(rig.store.outbox.findByProof(proofId)?.state).toBe('PACKED')
  proxy.weather.cutAnswers = false
  rig.reopen()
  expect(await rig.pass()).toEqual({ settled: 1, parked: 0 })
  expectAllThereOnce([proofId])
})

test('a line that is open and silent ends by the time limit, and continues where the central service has got to', async () => {
  const { proofId } = await rig.seal(60_000)
  let chunks = 0
  central.instead = ({ method }) => {
    if (method === 'PATCH' && ++chunks === 2) proxy.weather.silent = true
    return null
  }
  const began = performance.now()
  await expect(rig.pass()).rejects.toThrow('no_answer_in_time')
  // The rig's limit applies, not the thirty seconds of an appliance.
  expect(performance.now() - began).toBeLessThan(20_000)
  proxy.weather.silent = false
  proxy.cut()
  central.instead = null
  await rig.pass()
  expectAllThereOnce([proofId])
  const upload = central.requests.filter(({ method }) => method === 'PATCH')
  const sent = upload.reduce((sum, { body }) => sum + body.length, 0)
  // Nothing of what was safe there was sent again.
  expect(sent).toBeLessThan(60_000 * 1.3)
})

test('1 kB/s with a time limit that no full chunk keeps: smaller chunks get through', async () => {
  rig.close()
  rig = openRig({ timeoutMs: 4_000, chunkBytes: 8192 })
  await rig.join(central, proxy.url)
  const { proofId } = await rig.seal(6_000)
  proxy.weather.bytesPerSecond = 1_000
  const failures = await rig.passUntilEmpty(10)
  expect(failures).toBeLessThan(4)
  expectAllThereOnce([proofId])
})

test('every request played again, at once and in reverse order, changes nothing', async () => {
  const first = await rig.seal(30_000)
  const second = await rig.seal(30_000)
  await rig.pass()
  const before = structuredClone(
    [...central.uploads].map(([id, { state }]) => [id, state.state, state.offset]),
  )
  for (const request of [...proxy.heard].reverse()) expect(await proxy.replay(request)).toBe(200)
  for (const request of proxy.heard) expect(await proxy.replay(request)).toBe(200)
  expect([...central.uploads].map(([id, { state }]) => [id, state.state, state.offset])).toEqual(before)
  expectAllThereOnce([first.proofId, second.proofId])
})

test('requests of before that come late, into the middle of an upload, do not spoil it', async () => {
  const { proofId } = await rig.seal(60_000)
  proxy.weather.cutAfterBytes = 40_000
  await expect(rig.pass()).rejects.toThrow()
  proxy.weather.cutAfterBytes = null
  const late = [...proxy.heard]
  expect(late.length).toBeGreaterThan(2)
  let chunks = 0
  central.instead = ({ method }) => {
    if (method === 'PATCH' && ++chunks === 1) for (const request of late) void proxy.replay(request)
    return null
  }
  await rig.passUntilEmpty(5)
  expectAllThereOnce([proofId])
})

describe('a kiosk killed between two steps', () => {
  /** The steps of one proof as the central service sees them, and after each: the answer is lost and the kiosk is gone. */
  const STEPS = ['PUT', 'PATCH', 'completion'] as const
  const BEFORE = STEPS.map((step) => [step, 'before'] as const)
  const AFTER = STEPS.map((step) => [step, 'after'] as const)

  test.each([...BEFORE, ...AFTER])('at its %s, %s the central service has done it', async (step, when) => {
    const { proofId } = await rig.seal(20_000)
    const kill = new AbortController()
    central.instead = ({ method, route }) => {
      const isStep =
        step === 'completion' ? route.endsWith(step) : method === step && !route.endsWith('completion')
      if (!isStep || kill.signal.aborted) return null
      if (when === 'after') {
        proxy.weather.cutAnswers = true
        kill.abort(new Error('killed'))
        return null
      }
      kill.abort(new Error('killed'))
      proxy.cut()
      return { status: 503, body: '' }
    }
    await expect(rig.pass(kill.signal)).rejects.toThrow()
    proxy.weather.cutAnswers = false
    central.instead = null
    // Everything in memory is gone; the row says how far it was.
    rig.reopen()
    expect(rig.store.outbox.findByProof(proofId)).toMatchObject({ state: 'PACKED', receipt: null })
    await rig.pass()
    expectAllThereOnce([proofId])
  })

  test('after the packet was written and before the row knows of it: the file is swept and made again', async () => {
    const { proofId, sequence } = await rig.seal(20_000)
    central.instead = () => ({ status: 503, body: '' })
    await expect(rig.pass()).rejects.toThrow('centre_busy')
    central.instead = null
    rig.store.outbox.requeue(sequence, new Date())
    expect(rig.packetFiles()).toHaveLength(1)
    rig.reopen()
    expect(rig.packetFiles()).toEqual([])
    await rig.pass()
    expectAllThereOnce([proofId])
  })

  test('after the receipt was kept and before the packet was removed: the file is swept', async () => {
    const { sequence } = await rig.seal(20_000)
    central.instead = () => ({ status: 503, body: '' })
    await expect(rig.pass()).rejects.toThrow('centre_busy')
    expect(rig.packetFiles()).toHaveLength(1)
    rig.store.outbox.acknowledge(sequence, 'receipt', new Date())
    rig.reopen()
    expect(rig.packetFiles()).toEqual([])
  })
})
