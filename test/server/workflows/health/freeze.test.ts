/** Whether anything new may begin, what is noted when that changes, and what the health report says of the sync. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Context } from '../../../../server/context.ts'
import type { CentralTrust } from '../../../../server/protocol/wire.ts'
import {
  readFreeBytes,
  freezeFacts,
  updateFreeze,
  refuseToSeal,
  refuseWhenFrozen,
} from '../../../../server/workflows/health/freeze.ts'
import { syncHealth } from '../../../../server/workflows/health/sync-health.ts'
import {
  noteSyncState,
  findUnreportedRestore,
  findUnsettledRestore,
  settleRestore,
  syncState,
} from '../../../../server/workflows/health/sync-state.ts'
import { getUpdatePaths } from '../../../../server/updates/paths.ts'
import { AT, openTestStore, type TestStore } from '../../../support/store.ts'

const MINUTE_MS = 60_000
const LIMITS = { backlog: 3, ageHours: 24, parked: 2, freeMegabytes: 0, clockUncertaintyMinutes: 10 }

let t: TestStore
let now: Date
let unsureMs: number
let dataDir: string
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
beforeEach(() => {
  t = openTestStore()
  now = AT
  unsureMs = 0
  dataDir = t.dataDir
  vi.clearAllMocks()
})
afterEach(() => t.close())

const ctx = () =>
  ({
    store: t.store,
    config: { dataDir, sync: { freeze: LIMITS } },
    clock: { now: () => now },
    time: {
      statement: () => ({
        earliest: new Date(now.getTime() - unsureMs),
        latest: new Date(now.getTime() + unsureMs),
      }),
    },
    log,
  }) as unknown as Context
const pass = (ms: number) => {
  now = new Date(now.getTime() + ms)
}
function join(centralUrl = 'https://centre.example'): void {
  t.store.enrolments.begin({ centralUrl, publicJwk: {}, privateJwk: {} }, AT)
  const trust = { centreId: 'centre' } as CentralTrust
  t.store.enrolments.complete({ certificate: 'PEM', tenantId: 'branch', trust, enrolledAt: AT })
}
let proofs = 0
const queue = (sealedAt = now) =>
  t.store.outbox.add({
    proofId: `proof ${proofs++}`,
    identityId: 'identity',
    tenantId: 'tenant',
    sha256: 'a'.repeat(64),
    sealedAt,
  })
const entries = () =>
  t.store.events.after(0, 100).map(({ type, body, at, actor }) => ({ type, body, at, actor }))

describe('a freeze', () => {
  test('begins when the root updater begins an update, and ends with it', () => {
    const { folder, underWay } = getUpdatePaths(dataDir)
    mkdirSync(folder)
    writeFileSync(underWay, '{}')
    expect(() => refuseWhenFrozen(ctx())).toThrow(
      expect.objectContaining({ code: 'proofings_frozen', details: { reasons: ['being_updated'] } }),
    )
    rmSync(folder, { recursive: true })
    expect(() => refuseWhenFrozen(ctx())).not.toThrow()
  })

  test('begins and ends with an entry in the log each, and only when something changes', () => {
    expect(updateFreeze(ctx())).toEqual([])
    expect(entries()).toEqual([])
    unsureMs = 10 * MINUTE_MS + 1
    expect(updateFreeze(ctx())).toEqual(['clock_unsure'])
    expect(updateFreeze(ctx())).toEqual(['clock_unsure'])
    expect(() => refuseWhenFrozen(ctx())).toThrow(
      expect.objectContaining({ code: 'proofings_frozen', details: { reasons: ['clock_unsure'] } }),
    )
    pass(MINUTE_MS)
    unsureMs = 0
    expect(() => refuseWhenFrozen(ctx())).not.toThrow()
    expect(entries()).toEqual([
      { type: 'appliance.frozen', body: { reasons: ['clock_unsure'] }, at: AT, actor: 'appliance' },
      { type: 'appliance.thawed', body: { reasons: ['clock_unsure'] }, at: now, actor: 'appliance' },
    ])
    expect(log.warn.mock.calls.map(([, words]: unknown[]) => words)).toEqual([
      'new proofings may not begin',
      'new proofings may begin again',
    ])
  })

  test('holds also where a full disk takes no note of it', () => {
    unsureMs = 11 * MINUTE_MS
    const full = vi.spyOn(t.store, 'transaction').mockImplementation(() => {
      throw new Error('disk full')
    })
    expect(() => refuseWhenFrozen(ctx())).toThrow('proofings_frozen')
    expect(log.error).toHaveBeenCalledTimes(1)
    full.mockRestore()
    // The next look notes it.
    updateFreeze(ctx())
    expect(entries().map(({ type }) => type)).toEqual(['appliance.frozen'])
  })

  test('goes by what waits only where a central service was joined', () => {
    for (let count = 0; count < 3; count++) queue()
    expect(freezeFacts(ctx()).waiting).toBeNull()
    expect(updateFreeze(ctx())).toEqual([])
    join()
    expect(freezeFacts(ctx()).waiting).toEqual({
      backlog: 3,
      oldestAgeMs: 0,
      parked: 0,
      restoredUnheardOf: false,
    })
    expect(updateFreeze(ctx())).toEqual(['backlog_full'])
  })

  test('knows the age of the oldest and the number of the parked ones', () => {
    join()
    expect(freezeFacts(ctx()).waiting).toMatchObject({ backlog: 0, oldestAgeMs: null })
    const first = queue()
    pass(MINUTE_MS)
    queue()
    t.store.outbox.refuse(first, 'signature_unknown')
    pass(MINUTE_MS)
    expect(freezeFacts(ctx()).waiting).toMatchObject({ backlog: 2, oldestAgeMs: 2 * MINUTE_MS, parked: 1 })
  })

  test('is half of what lies between the earliest and the latest time, and the room on the disk', () => {
    unsureMs = 5 * MINUTE_MS
    const { clockUncertaintyMs, freeBytes } = freezeFacts(ctx())
    expect(clockUncertaintyMs).toBe(5 * MINUTE_MS)
    expect(freeBytes).toBeGreaterThan(0)
    expect(readFreeBytes(`${dataDir}/nowhere`)).toBeNull()
    dataDir = `${dataDir}/nowhere`
    expect(updateFreeze(ctx())).toEqual(['disk_low'])
  })
})

describe('after a backup was restored', () => {
  const restored = (at: number) => t.store.meta.setJson('restored', { at, madeAt: 0 })

  test('a kiosk of a central service takes no number until the central service has heard of it', () => {
    restored(AT.getTime())
    expect(() => refuseToSeal(ctx())).not.toThrow()
    join()
    expect(() => refuseToSeal(ctx())).toThrow(
      expect.objectContaining({ details: { reasons: ['restore_not_settled'] } }),
    )
    expect(updateFreeze(ctx())).toEqual(['restore_not_settled'])
    noteSyncState(ctx(), { lastContactAt: AT.getTime() - 1 })
    expect(findUnreportedRestore(ctx())).toBe(AT.getTime())
    noteSyncState(ctx(), { lastContactAt: AT.getTime() })
    expect(findUnreportedRestore(ctx())).toBeNull()
    expect(() => refuseToSeal(ctx())).not.toThrow()
    expect(updateFreeze(ctx())).toEqual([])
  })

  test('an operator may say which numbers are taken, once, and only higher ones are skipped', () => {
    restored(AT.getTime())
    queue()
    settleRestore(ctx(), 1, now)
    expect(findUnsettledRestore(ctx())).toBeNull()
    // The central service still has to know that the chain of the outbox continues from an earlier entry.
    expect(findUnreportedRestore(ctx())).toBe(AT.getTime())
    expect(t.store.outbox.lastSequence()).toBe(1)
    expect(entries()).toEqual([])
    // Settled: saying more changes nothing.
    settleRestore(ctx(), 9, now)
    expect(t.store.outbox.lastSequence()).toBe(1)
    restored(AT.getTime() + 1)
    expect(findUnsettledRestore(ctx())).toBe(AT.getTime() + 1)
    settleRestore(ctx(), 5, now)
    expect(t.store.outbox.lastSequence()).toBe(5)
    expect(entries()).toEqual([
      { type: 'outbox.skipped', body: { after: 1, to: 5 }, at: now, actor: 'operator' },
    ])
  })

  test('nothing is to be settled where no backup was restored', () => {
    settleRestore(ctx(), 9, now)
    expect(t.store.outbox.lastSequence()).toBe(0)
  })
})

describe('what is remembered of the talks with the central service', () => {
  test('is nothing at first, and each note changes what it names', () => {
    const nothing = { lastContactAt: null, failingSince: null, lastError: null, wantedAt: null }
    expect(syncState(ctx())).toEqual(nothing)
    noteSyncState(ctx(), { failingSince: 5, lastError: 'not_reachable' })
    noteSyncState(ctx(), { wantedAt: 7 })
    expect(syncState(ctx())).toEqual({ ...nothing, failingSince: 5, lastError: 'not_reachable', wantedAt: 7 })
  })
})

describe('the health of the sync', () => {
  const health = () => syncHealth(ctx())

  test('is well without a central service, unless nothing new may begin', () => {
    expect(health()).toEqual({
      status: 'UP',
      detail: 'not configured: proofs are fetched by the relying service',
    })
    unsureMs = 11 * MINUTE_MS
    updateFreeze(ctx())
    expect(health()).toEqual({
      status: 'DEGRADED',
      detail:
        'not configured: proofs are fetched by the relying service; nothing new may begin: clock_unsure',
    })
  })

  test('is well for a quarter of an hour without a word of the central service, since joining or since the last one', () => {
    join()
    pass(15 * MINUTE_MS)
    expect(health()).toEqual({ status: 'UP', detail: '0 waiting; 0 parked; last contact never' })
    pass(1)
    expect(health().status).toBe('DEGRADED')
    noteSyncState(ctx(), { lastContactAt: AT.getTime() + 1 })
    expect(health()).toEqual({
      status: 'UP',
      detail: '0 waiting; 0 parked; last contact 2026-03-01T10:00:00.001',
    })
    pass(1)
    expect(health().status).toBe('DEGRADED')
  })

  test('is UP for a branch without a connection, regardless of the last contact', () => {
    join('')
    pass(1_000 * MINUTE_MS)
    expect(health()).toEqual({
      status: 'UP',
      detail: '0 waiting; 0 parked; no line: packets travel by hand',
    })
  })

  test('says since when proofs wait, and is not well with one that is parked', () => {
    join()
    const sequence = queue(AT)
    expect(health()).toMatchObject({
      status: 'UP',
      detail: expect.stringContaining(
        '1 waiting; the oldest since 2026-03-01T10:00:00.000; 0 parked',
      ) as string,
    })
    t.store.outbox.refuse(sequence, 'signature_unknown')
    expect(health()).toMatchObject({
      status: 'DEGRADED',
      detail: expect.stringContaining('1 parked') as string,
    })
  })

  test.each([
    ['not_reachable', 'UP'],
    ['centre_busy', 'UP'],
    ['unauthorized', 'DEGRADED'],
    ['forbidden', 'DEGRADED'],
    ['statement_refused', 'DEGRADED'],
    ['tls_refused', 'DEGRADED'],
  ])('after the failure %s is %s: some do not pass by themselves', (lastError, status) => {
    join()
    noteSyncState(ctx(), { failingSince: AT.getTime(), lastError })
    expect(health()).toMatchObject({
      status,
      detail: expect.stringContaining(`last failure ${lastError}`) as string,
    })
  })
})
