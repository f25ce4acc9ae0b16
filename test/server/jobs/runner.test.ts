import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../../server/context.ts'
import { startJobs } from '../../../server/jobs/runner.ts'
import type { JobHandler } from '../../../server/jobs/handlers.ts'
import { silentLog } from '../../../server/log.ts'
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
const add = (): void => {
  t.store.jobs.add('verify-evidence', t.addIdentity().id, { evidenceId: 'e' }, new Date(now))
}
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
