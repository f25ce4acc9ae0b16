/** One status at a time: what the kiosk tells of itself, and what it takes from the answer. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TimeStatement, TrustedTime } from '../../../server/clock.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { silentLog } from '../../../server/log.ts'
import type { CentralTrust, KioskStatus, StatusAnswer } from '../../../server/protocol/wire.ts'
import type { CentralClient } from '../../../server/sync/central-client.ts'
import { sendStatus } from '../../../server/sync/status.ts'
import { PRODUCT_VERSION } from '../../../server/version.ts'
import {
  startScriptedCentralService,
  type ScriptedCentralService,
} from '../../support/scripted-central-service.ts'
import { openRig, type Rig } from './rig.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const LATE_MS = 60_000
const KEY = { kty: 'RSA', kid: 'k1', n: 'AQAB', e: 'AQAB' }
const STATEMENT: TimeStatement = {
  source: 'SYSTEM',
  earliest: NOW,
  latest: NOW,
  uncertaintyMs: 25,
  steps: 3,
}

let central: ScriptedCentralService
let rig: Rig
let now: Date
let told: KioskStatus[]
let confirmed: [Date, number][]
/** Overrides members of the central service's answer. */
let over: (status: KioskStatus) => Promise<Partial<StatusAnswer>>
/** Duration of the answer. */
let tookMs: number
beforeEach(async () => {
  central = await startScriptedCentralService()
  rig = openRig()
  await rig.join(central)
  vi.spyOn(rig.store.signingKeys, 'publicKeys').mockReturnValue([KEY])
  now = NOW
  told = []
  confirmed = []
  over = async () => ({})
  tookMs = 40
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(async () => {
  vi.useRealTimers()
  rig.close()
  await central.close()
})

const client = {
  status: async (status: KioskStatus): Promise<StatusAnswer> => {
    told.push(status)
    vi.advanceTimersByTime(tookMs)
    return {
      serverTime: await central.serverTime(rig.store.applianceId, status.nonce),
      bundleVersion: 0,
      lastSequence: 0,
      trust: central.trust,
      ...(await over(status)),
    }
  },
} as CentralClient

const tell = (health: KioskStatus['health'] = { database: 'UP' }) => {
  const time = {
    statement: () => STATEMENT,
    confirm: (at: Date, roundTripMs: number) => void confirmed.push([at, roundTripMs]),
  } as TrustedTime
  const config = loadConfig({ dataDir: rig.dataDir })
  const ctx = { store: rig.store, config, clock: { now: () => now }, time, log: silentLog }
  return sendStatus(ctx, { client, trust: central.trust }, { health })
}
const eventsOf = (type: string) =>
  rig.store.events
    .after(0, 1000)
    .filter((event) => event.type === type)
    .map(({ body, actor, identityId }) => ({ body, actor, identityId }))

describe('what a status tells', () => {
  test('is what waits, the head of the log, the time and the keys', async () => {
    const { sequence } = await rig.seal(10)
    await rig.seal(10)
    const oldest = rig.store.outbox.find(sequence)?.sealedAt.getTime()
    const { seq, hash } = rig.store.events.head()
    await tell({ database: 'UP', sync: 'DEGRADED' })
    expect(told[0]).toMatchObject({
      productVersion: PRODUCT_VERSION,
      at: NOW.getTime(),
      backlog: 2,
      oldestPendingAt: oldest,
      lastSequence: 2,
      audit: { seq, hash },
      bundleVersion: 0,
      bundleProblems: [],
      frozen: [],
      health: { database: 'UP', sync: 'DEGRADED' },
      clock: { source: 'SYSTEM', uncertaintyMs: 25, steps: 3 },
      proofKeys: { keys: [KEY] },
      revokedKeys: [],
      restoredAt: null,
    })
    expect(told[0].freeDiskBytes).toBeGreaterThan(0)
  })

  test('says that nothing waits where nothing does', async () => {
    await tell()
    expect(told[0]).toMatchObject({ backlog: 0, oldestPendingAt: null, lastSequence: 0 })
  })

  test('names the bundle in force, and the problems of a newer one that was refused', async () => {
    rig.store.bundles.add(3, 'a.b.c', NOW)
    rig.store.bundles.apply(3, NOW)
    await tell()
    expect(told[0]).toMatchObject({ bundleVersion: 3, bundleProblems: [] })
    rig.store.bundles.add(4, 'a.b.c', NOW)
    rig.store.bundles.refuse(4, ['settings.otp: Unrecognized key'])
    await tell()
    expect(told[1]).toMatchObject({
      bundleVersion: 3,
      bundleProblems: ['version 4', 'settings.otp: Unrecognized key'],
    })
    const problems = Array.from({ length: 80 }, (_, index) => `problem ${index}`)
    rig.store.bundles.refuse(4, problems)
    await tell()
    expect(told[2].bundleProblems).toEqual(['version 4', ...problems.slice(0, 49)])
  })

  test('has a number that only counts up, also while the clock stands still or goes back', async () => {
    await tell()
    await tell()
    now = new Date(NOW.getTime() - 3_600_000)
    await tell()
    now = new Date(NOW.getTime() + 3_600_000)
    await tell()
    const first = NOW.getTime()
    expect(told.map(({ counter }) => counter)).toEqual([first, first + 1, first + 2, first + 3_600_000])
  })

  test('has a nonce of its own, of 128 bits', async () => {
    await tell()
    await tell()
    expect(told[0].nonce).toMatch(/^[A-Za-z0-9_-]{22}$/)
    expect(told[1].nonce).not.toBe(told[0].nonce)
  })
})

describe('the time of the central service', () => {
  test('is taken with what the question and its answer took', async () => {
    central.aheadMs = 5_000
    const before = Date.now()
    await tell()
    expect(confirmed).toHaveLength(1)
    const [at, roundTripMs] = confirmed[0]
    expect(roundTripMs).toBe(40)
    expect(at.getTime()).toBeGreaterThanOrEqual(before + 5_000)
  })

  test('is taken from an answer of one minute, and from no later one; the rest of the answer counts', async () => {
    tookMs = LATE_MS
    await tell()
    expect(confirmed).toHaveLength(1)
    tookMs = LATE_MS + 1
    over = async () => ({ lastSequence: 9 })
    await tell()
    expect(confirmed).toHaveLength(1)
    expect(rig.store.outbox.lastSequence()).toBe(9)
  })

  test.each<[string, () => Promise<string>]>([
    ['to another question', () => central.serverTime(rig.store.applianceId, 'another-nonce-of-22-ch')],
    [
      'to another kiosk',
      () => central.serverTime('01890a5d-ac96-774b-bcce-b302099a8058', told.at(-1)?.nonce ?? ''),
    ],
  ])('that answers %s is refused, and nothing else of the answer counts', async (_, serverTime) => {
    over = async () => ({ serverTime: await serverTime(), lastSequence: 9 })
    await expect(tell()).rejects.toMatchObject({
      code: 'statement_refused',
      details: { kind: 'server-time' },
    })
    expect(confirmed).toEqual([])
    expect(rig.store.outbox.lastSequence()).toBe(0)
  })
})

describe('the numbers of the central service', () => {
  test('that are higher than those of the kiosk are skipped, and the log says so', async () => {
    over = async () => ({ lastSequence: 41 })
    await tell()
    expect(rig.store.outbox.lastSequence()).toBe(41)
    expect(eventsOf('outbox.skipped')).toEqual([
      { body: { after: 0, to: 41 }, actor: 'centre', identityId: null },
    ])
  })

  test('that are the same or lower change nothing', async () => {
    await rig.seal(10)
    over = async () => ({ lastSequence: 1 })
    await tell()
    over = async () => ({ lastSequence: 0 })
    await tell()
    expect(rig.store.outbox.lastSequence()).toBe(1)
    expect(eventsOf('outbox.skipped')).toEqual([])
  })
})

describe('the answer', () => {
  test.each([
    [3, 4, true],
    [3, 3, false],
    [3, 2, false],
  ])(
    'of a kiosk with bundle %i and a central service with %i: a new one is %s',
    async (ours, theirs, isNew) => {
      rig.store.bundles.add(ours, 'a.b.c', NOW)
      over = async () => ({ bundleVersion: theirs })
      expect((await tell()).hasNewBundle).toBe(isNew)
    },
  )

  test('says for a kiosk without a bundle that any is new, and that none is none', async () => {
    expect((await tell()).hasNewBundle).toBe(false)
    over = async () => ({ bundleVersion: 1 })
    expect((await tell()).hasNewBundle).toBe(true)
  })

  test('with the same keys leaves those that are kept, without an entry in the log', async () => {
    const trust: CentralTrust = structuredClone(central.trust)
    over = async () => ({ trust })
    expect((await tell()).trust).toEqual(central.trust)
    expect(eventsOf('sync.trusted')).toEqual([])
  })
})

test('a restore that the central service has not heard of is told, and is heard of once it has answered', async () => {
  rig.store.meta.setJson('restored', { at: NOW.getTime() - 5, madeAt: 0 })
  await tell()
  await tell()
  expect(told.map(({ restoredAt }) => restoredAt)).toEqual([NOW.getTime() - 5, null])
})
