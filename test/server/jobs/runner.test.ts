import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { waitOutside } from '../../../server/connectors/service/outside-wait.ts'
import type { Context } from '../../../server/context.ts'
import { startJobs } from '../../../server/jobs/runner.ts'
import type { JobHandler } from '../../../server/jobs/handlers.ts'
import { silentLog } from '../../../server/log.ts'
import type { JobKind } from '../../../server/store/jobs.ts'
import { openTestStore, type TestStore } from '../../support/store.ts'

let t: TestStore
/** A clock that a test moves on: pauses between attempts cost no real time. */
let now: number
beforeEach(() => {
  t = openTestStore()
  now = Date.parse('2026-03-01T10:00:00Z')
})
afterEach(() => {
  t.close()
})

const context = (): Context =>
  ({ store: t.store, clock: { now: () => new Date(now) }, log: silentLog }) as unknown as Context
const addKind = (kind: JobKind): void => {
  t.store.jobs.add(kind, t.addIdentity().id, { evidenceId: 'e' }, new Date(now))
}
const add = (): void => addKind('verify-evidence')
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('the job runner', () => {
  test('tries a job whose machine failed again with growing pauses, then parks it and gives up once', async () => {
    const attempts: number[] = []
    let gaveUp = 0
    const handler: JobHandler = {
      run: async () => {
        attempts.push(now)
        throw new Error('the machine broke')
      },
      giveUp: () => {
        gaveUp++
      },
    }
    add()
    const runner = startJobs(context(), { 'verify-evidence': handler })
    for (let round = 0; round < 8; round++) {
      await settle()
      now += 60_000
      runner.wake()
    }
    await runner.drain()
    expect(attempts).toHaveLength(5)
    expect({ gaveUp, failed: t.store.jobs.failed(), open: t.store.jobs.open() }).toEqual({
      gaveUp: 1,
      failed: 1,
      open: 0,
    })
  })

  test('leaves the lanes of jobs that wait for a service outside to other jobs, up to 32 at once', async () => {
    const waits: (() => void)[] = []
    let measuring = 0
    const waiting: JobHandler = {
      run: async () => {
        await waitOutside(() => new Promise<void>((resolve) => waits.push(resolve)))
        return 'done'
      },
      giveUp: () => undefined,
    }
    const held: (() => void)[] = []
    const working: JobHandler = {
      run: async () => {
        measuring++
        await new Promise<void>((resolve) => held.push(resolve))
        return 'done'
      },
      giveUp: () => undefined,
    }
    for (let at = 0; at < 40; at++) addKind('ask-issuer')
    const runner = startJobs(context(), { 'ask-issuer': waiting, 'verify-evidence': working })
    for (let turn = 0; turn < 10; turn++) await settle()
    expect(waits).toHaveLength(32)
    for (let at = 0; at < 4; at++) add()
    for (const end of waits.splice(0)) end()
    for (let turn = 0; turn < 10; turn++) await settle()
    // The eight that are left wait; of the four that measure, two at a time.
    expect(waits).toHaveLength(8)
    expect(measuring).toBe(2)
    for (const end of [...waits, ...held]) end()
    for (let turn = 0; turn < 10; turn++) await settle()
    for (const end of held) end()
    await runner.drain()
    expect(measuring).toBe(4)
  })

  test('drains: running jobs end, no new one starts', async () => {
    let finish: (() => void) | undefined
    let runs = 0
    const handler: JobHandler = {
      run: async () => {
        runs++
        await new Promise<void>((resolve) => {
          finish = resolve
        })
        return 'done'
      },
      giveUp: () => undefined,
    }
    add()
    const runner = startJobs(context(), { 'verify-evidence': handler })
    await settle()
    const drained = runner.drain()
    add()
    runner.wake()
    finish?.()
    await drained
    expect(runs).toBe(1)
    expect(t.store.jobs.open()).toBe(1)
  })

  test('parks a job of a kind without a handler instead of losing it', async () => {
    add()
    const runner = startJobs(context(), {})
    await settle()
    await runner.drain()
    expect(t.store.jobs.failed()).toBe(1)
  })
})
