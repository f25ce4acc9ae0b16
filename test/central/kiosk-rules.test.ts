/**
 * The central service's rules for a kiosk's messages, one by one: one database in memory, and a separate
 * kiosk for each.
 */
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CentralContext } from '../../server/central/context.ts'
import { createDb, SYSTEM, type Db } from '../../server/central/db/db.ts'
import { openNewEmbedded } from '../support/embedded-database.ts'
import { migrate } from '../../server/central/db/migrate.ts'
import {
  authenticate,
  createKey,
  isScope,
  listKeys,
  revokeKey,
} from '../../server/central/head-office/consumers.ts'
import { openKeys, openMasterKey } from '../../server/central/keys.ts'
import { announce, type AnnouncedAt } from '../../server/central/kiosks/announce.ts'
import { createEnrolmentCode } from '../../server/central/kiosks/enrolment-codes.ts'
import { addRevocations } from '../../server/central/kiosks/proof-keys.ts'
import { revokeKiosk } from '../../server/central/kiosks/revoke.ts'
import { takeStatus } from '../../server/central/kiosks/take-status.ts'
import { openStorage } from '../../server/central/storage/open.ts'
import { startUpkeep } from '../../server/central/upkeep.ts'
import { silentLog } from '../../server/log.ts'
import type { Announcement, KioskStatus } from '../../server/protocol/wire.ts'

const START = '0'.repeat(64)
const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let db: Db
let ctx: CentralContext
let now: Date
let removed: string[]
/** A kiosk of the tenant `acme`, new for each test. */
let kioskId: string
let keyFolder: string
beforeAll(async () => {
  db = createDb(await openNewEmbedded())
  await migrate(db)
  keyFolder = mkdtempSync(join(tmpdir(), 'counterproof-key-'))
  const masterKey = await openMasterKey(db, join(keyFolder, 'centre.key'), new Date(), false)
  const keys = await openKeys(db, masterKey)
  ctx = {
    db,
    keys,
    config: {
      gapGraceSeconds: 600,
      offlineAfterHours: 24,
      clockToleranceSeconds: 300,
      abandonedUploadDays: 14,
      retention: { deliveryDays: 30 },
      maxPacketBytes: 1_000,
      unfinishedUploads: 3,
      unfinishedBytes: 2_000,
      headOffice: { notSeenAfterMinutes: 30 },
    },
    clock: { now: () => now },
    log: silentLog,
    storage: {
      ...openStorage({ kind: 'database' }, db),
      remove: async (location: string) => void removed.push(location),
    },
  } as unknown as CentralContext
  for (const tenant of ['acme', 'other']) {
    const sql = 'INSERT INTO tenants (tenant_id, name, created_at) VALUES ($1, $1, now())'
    await db.query(SYSTEM, sql, [tenant])
  }
})
afterAll(async () => {
  await db.close()
  rmSync(keyFolder, { recursive: true, force: true })
})
beforeEach(async () => {
  now = new Date('2026-11-21T12:00:00Z')
  removed = []
  kioskId = await addKiosk('acme')
})

async function addKiosk(tenant: string): Promise<string> {
  const id = randomUUID()
  await db.query(
    SYSTEM,
    `INSERT INTO kiosks (id, tenant_id, name, public_jwk, certificate, proof_keys, proof_keys_at, enrolled_at)
     VALUES ($1, $2, $2, '{}', '', '[]', $3, $3)`,
    [id, tenant, now],
  )
  return id
}
const pass = (ms: number) => {
  now = new Date(now.getTime() + ms)
}
const upkeep = async () => {
  const started = startUpkeep(ctx)
  await started.run()
  await started.stop()
}
interface Alarm {
  readonly kind: string
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
}
const alarms = (isOpen = true): Promise<Alarm[]> =>
  db.query<Alarm & Record<string, unknown>>(
    SYSTEM,
    `SELECT kind, subject, details FROM alarms
     WHERE kiosk_id = $1 AND (resolved_at IS NULL) = $2 ORDER BY raised_at, kind, subject`,
    [kioskId, isOpen],
  )
const alarmed = async () => (await alarms()).map(({ kind, subject }) => `${kind} ${subject}`.trim())

const hashOf = (sequence: number) => createHash('sha256').update(`${kioskId} ${sequence}`).digest('hex')
/** The entry of this number, in its place in the chain. */
const entry = (sequence: number, over: Partial<Announcement> = {}): Announcement => ({
  proofId: randomUUID(),
  identityId: randomUUID(),
  sequence,
  previousHash: sequence === 1 ? START : hashOf(sequence - 1),
  hash: hashOf(sequence),
  sha256: 'a'.repeat(64),
  sealedAt: now.getTime(),
  packet: { sha256: 'b'.repeat(64), bytes: 500 },
  ...over,
})
const AT = (kioskMs: number, nonceAt: Date | null = null): AnnouncedAt => ({ kioskMs, nonceAt })
const say = (announcement: Announcement, at = AT(now.getTime()), by = kioskId) =>
  announce(ctx, by, announcement, at)
/** Accounts for a number without a packet. */
const withdraw = (sequence: number, over: Partial<Announcement> = {}) =>
  say(entry(sequence, { packet: null, ...over }))

describe('the numbers of a kiosk', () => {
  test('in their order raise no alarm, and any that is missing does when its grace is over', async () => {
    for (const sequence of [1, 2, 4]) await withdraw(sequence)
    pass(599 * SECOND_MS)
    await upkeep()
    expect(await alarmed()).toEqual([])
    pass(SECOND_MS)
    await upkeep()
    expect(await alarms()).toEqual([{ kind: 'GAP', subject: '', details: { ranges: ['3'], from: 3, to: 4 } }])
    await withdraw(3)
    expect(await alarmed()).toEqual([])
    expect((await alarms(false)).map(({ kind }) => kind)).toEqual(['GAP'])
  })

  test('that are missing are named in ranges, and those that are here are not', async () => {
    for (const sequence of [1, 4, 6, 10]) {
      await withdraw(sequence, sequence === 1 ? {} : { previousHash: hashOf(sequence - 1) })
    }
    pass(600 * SECOND_MS)
    await upkeep()
    const gap = (await alarms()).find(({ kind }) => kind === 'GAP')
    expect(gap?.details).toEqual({ ranges: ['2-3', '5', '7-9'], from: 2, to: 10 })
    await withdraw(2)
    await withdraw(3)
    pass(600 * SECOND_MS)
    await upkeep()
    const rest = (await alarms()).find(({ kind }) => kind === 'GAP')
    expect(rest?.details).toMatchObject({ ranges: ['5', '7-9'], from: 5 })
  })
})

describe('the chain of a kiosk', () => {
  const STRANGE = 'f'.repeat(64)

  test('is contradicted by an entry that does not continue the one before it, as by a copy of the kiosk', async () => {
    await withdraw(1)
    await withdraw(2, { previousHash: STRANGE })
    expect(await alarms()).toMatchObject([{ kind: 'CLONE', subject: '', details: { sequence: 2 } }])
  })

  test('is broken by a first entry that continues something', async () => {
    await withdraw(1, { previousHash: STRANGE })
    expect(await alarmed()).toEqual(['CHAIN_BROKEN 1'])
  })

  test('is contradicted by an entry that comes late and is not what the next one continues', async () => {
    await withdraw(1)
    await withdraw(3)
    await withdraw(2, { hash: STRANGE })
    expect(await alarms()).toMatchObject([{ kind: 'CLONE', subject: '', details: { sequence: 2 } }])
  })

  test('of a restored kiosk is broken by an entry from before the restore that comes late', async () => {
    await withdraw(1)
    await db.query(SYSTEM, 'UPDATE kiosks SET restored_at = $2 WHERE id = $1', [kioskId, now])
    await withdraw(3, { previousHash: hashOf(1) })
    await withdraw(2)
    expect(await alarms()).toEqual([{ kind: 'CHAIN_BROKEN', subject: '3', details: { sequence: 3 } }])
  })

  test('holds when its entries come in any order', async () => {
    for (const sequence of [3, 1, 4, 2]) await withdraw(sequence)
    expect(await alarmed()).toEqual([])
  })

  test('of a kiosk that was restored continues from an earlier entry, and from no later or unknown one', async () => {
    for (const sequence of [1, 2, 3]) await withdraw(sequence)
    const restored = 'UPDATE kiosks SET restored_at = $2 WHERE id = $1'
    await db.query(SYSTEM, restored, [kioskId, now])
    await withdraw(4, { previousHash: hashOf(1) })
    expect(await alarmed()).toEqual([])
    await withdraw(5, { previousHash: START })
    expect(await alarmed()).toEqual([])
    await withdraw(6, { previousHash: STRANGE })
    expect(await alarmed()).toEqual(['CLONE'])
  })
})

describe('an announcement', () => {
  test('begins an upload, and the same one again says where it stands', async () => {
    const first = entry(1)
    expect(await say(first)).toEqual({ state: 'RECEIVING', offset: 0 })
    await db.query(SYSTEM, 'UPDATE uploads SET received = 7 WHERE proof_id = $1', [first.proofId])
    expect(await say(first)).toEqual({ state: 'RECEIVING', offset: 7 })
  })

  test.each<[string, Partial<Announcement>]>([
    ['of another identity', { identityId: '01890a5d-ac96-774b-bcce-b302099a8058' }],
    ['with another number', { sequence: 2 }],
    ['of another archive', { sha256: 'c'.repeat(64) }],
    ['with another place in the chain', { previousHash: 'c'.repeat(64) }],
    ['with another hash', { hash: 'c'.repeat(64) }],
    ['sealed at another time', { sealedAt: 1 }],
  ])('of a known proof %s is refused, and raises an alarm', async (_, over) => {
    const first = entry(1)
    await say(first)
    await expect(say({ ...first, ...over })).rejects.toMatchObject({
      code: 'revision_conflict',
      details: { conflict: 'conflict' },
    })
    expect(await alarmed()).toEqual([`CONFLICT ${first.proofId}`])
  })

  test('of another proof under a known number begins another line and freezes the kiosk, as by a copy of it', async () => {
    await say(entry(1))
    expect(await say(entry(1))).toMatchObject({ state: 'RECEIVING' })
    expect(await alarmed()).toEqual(['CLONE'])
    const [kiosk] = await db.query(SYSTEM, 'SELECT lines, frozen_at FROM kiosks WHERE id = $1', [kioskId])
    expect(kiosk).toEqual({ lines: 1, frozen_at: now })
  })

  test('of a proof of another kiosk is refused', async () => {
    const first = entry(1)
    await say(first)
    const second = await addKiosk('acme')
    await expect(say(first, AT(0), second)).rejects.toMatchObject({ details: { conflict: 'conflict' } })
  })

  test('by a kiosk that was revoked is refused', async () => {
    await revokeKiosk(ctx, 'acme', kioskId, 'operator:Ada', async () => undefined)
    await expect(say(entry(1))).rejects.toMatchObject({ code: 'unauthorized' })
  })

  test('is taken up to the year 9999 and up to the largest packet', async () => {
    const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
    expect(await say(entry(1, { sealedAt: last }))).toMatchObject({ state: 'RECEIVING' })
    await expect(say(entry(2, { sealedAt: last + 1 }))).rejects.toMatchObject({
      problems: [{ field: 'sealedAt', code: 'too_large' }],
    })
    const packet = (bytes: number) => ({ sha256: 'b'.repeat(64), bytes })
    expect(await say(entry(2, { packet: packet(1_000) }))).toMatchObject({ state: 'RECEIVING' })
    await expect(say(entry(3, { packet: packet(1_001) }))).rejects.toMatchObject({
      problems: [{ field: 'packet.bytes', code: 'too_large' }],
    })
  })
})

describe('another packet for the same proof', () => {
  const OTHER = { packet: { sha256: 'd'.repeat(64), bytes: 400 } }
  const MINUTES = (count: number) => new Date(Date.UTC(2026, 10, 21, 12) + count * 60_000)

  test('starts over when it is newer by the nonce, and is stale otherwise, whatever the kiosk’s clock says', async () => {
    const first = entry(1)
    await say(first, AT(1_000, MINUTES(0)))
    await expect(say({ ...first, ...OTHER }, AT(9_000, MINUTES(0)))).rejects.toMatchObject({
      code: 'announcement_stale',
    })
    await expect(say({ ...first, ...OTHER }, AT(9_000, MINUTES(-1)))).rejects.toThrow('announcement_stale')
    expect(await say({ ...first, ...OTHER }, AT(1, MINUTES(1)))).toEqual({ state: 'RECEIVING', offset: 0 })
    await expect(say(first, AT(9_000, MINUTES(1)))).rejects.toThrow('announcement_stale')
  })

  test('is ordered by the kiosk’s clock where it has no nonce', async () => {
    const first = entry(1)
    await say(first, AT(1_000))
    for (const kioskMs of [999, 1_000]) {
      await expect(say({ ...first, ...OTHER }, AT(kioskMs))).rejects.toThrow('announcement_stale')
    }
    expect(await say({ ...first, ...OTHER }, AT(1_001))).toMatchObject({ offset: 0 })
    await expect(say(first, AT(1_000))).rejects.toThrow('announcement_stale')
  })

  test('that comes whole, on a stick, takes the place of the one before, however old it is', async () => {
    const first = entry(1)
    await say(first, AT(1_000, MINUTES(0)))
    const whole = { kioskMs: 1, nonceAt: null, isWhole: true }
    expect(await say({ ...first, ...OTHER }, whole)).toMatchObject({ state: 'RECEIVING', offset: 0 })
  })

  test('of the same hash and another size is another one', async () => {
    const first = entry(1)
    await say(first, AT(1_000))
    const longer = { ...first, packet: { sha256: 'b'.repeat(64), bytes: 501 } }
    await expect(say(longer, AT(1_000))).rejects.toThrow('announcement_stale')
  })

  test('goes with what was stored of the one before', async () => {
    const first = entry(1)
    await say(first, AT(1_000))
    const located = `UPDATE uploads SET location = 's3:one', received = 7 WHERE proof_id = $1`
    await db.query(SYSTEM, located, [first.proofId])
    await say({ ...first, ...OTHER }, AT(2_000))
    expect(removed).toEqual(['s3:one'])
    const [row] = await db.query(SYSTEM, 'SELECT received, location FROM uploads WHERE proof_id = $1', [
      first.proofId,
    ])
    expect(row).toEqual({ received: 0, location: null })
  })
})

describe('uploads that a kiosk does not finish', () => {
  test('are three at most, and an idle one of an hour gives way', async () => {
    const first = entry(1)
    for (const each of [first, entry(2), entry(3)]) {
      await say(each)
      pass(SECOND_MS)
    }
    await expect(say(entry(4))).rejects.toMatchObject({ code: 'too_many_uploads' })
    pass(HOUR_MS - 3 * SECOND_MS - 1)
    await expect(say(entry(4))).rejects.toMatchObject({ code: 'too_many_uploads' })
    pass(1)
    await db.query(SYSTEM, `UPDATE uploads SET location = 's3:idle' WHERE proof_id = $1`, [first.proofId])
    expect(await say(entry(4))).toMatchObject({ state: 'RECEIVING' })
    expect(removed).toEqual(['s3:idle'])
    const left = await db.query<{ sequence: number }>(
      SYSTEM,
      'SELECT sequence FROM uploads WHERE kiosk_id = $1 ORDER BY sequence',
      [kioskId],
    )
    expect(left.map(({ sequence }) => sequence)).toEqual([2, 3, 4])
  })

  test('are so many bytes at most, and those of another kiosk do not count', async () => {
    const large = { packet: { sha256: 'b'.repeat(64), bytes: 1_000 } }
    await say(entry(1, large))
    await say(entry(2, large))
    await expect(say(entry(3, { packet: { sha256: 'b'.repeat(64), bytes: 1 } }))).rejects.toMatchObject({
      code: 'too_many_uploads',
      details: { unfinished: 2, bytes: 2_001 },
    })
    const second = await addKiosk('acme')
    expect(await say(entry(1, large), AT(0), second)).toMatchObject({ state: 'RECEIVING' })
  })

  test('are dropped with their packets after two weeks without a byte', async () => {
    const first = entry(1)
    await say(first)
    await db.query(SYSTEM, `UPDATE uploads SET location = 's3:old' WHERE proof_id = $1`, [first.proofId])
    const count = () => db.query(SYSTEM, 'SELECT 1 FROM uploads WHERE kiosk_id = $1', [kioskId])
    pass(14 * DAY_MS)
    await upkeep()
    expect(await count()).toHaveLength(1)
    pass(1)
    await upkeep()
    expect(await count()).toHaveLength(0)
    expect(removed).toContain('s3:old')
  })
})

describe('a proof that a kiosk gives up', () => {
  test('is withdrawn without an alarm, and its packet goes', async () => {
    const first = entry(1)
    await say(first)
    await db.query(SYSTEM, `UPDATE uploads SET location = 's3:one' WHERE proof_id = $1`, [first.proofId])
    const state = await say({ ...first, packet: null })
    expect(state).toMatchObject({ state: 'WITHDRAWN', offset: 0 })
    expect(removed).toEqual(['s3:one'])
    expect(await alarmed()).toEqual([])
    // A settled proof stays settled, whatever is announced.
    expect(await say(first)).toEqual(state)
  })

  test('because it has lost the key raises an alarm', async () => {
    const { proofId, identityId, ...rest } = entry(1, { packet: null, lost: true })
    expect(await say({ proofId, identityId, ...rest })).toMatchObject({ state: 'LOST' })
    expect(await alarms()).toEqual([
      { kind: 'LOST', subject: proofId, details: { proofId, identityId, sequence: 1, stored: false } },
    ])
  })
})

describe('a status', () => {
  const status = (over: Partial<KioskStatus> = {}): KioskStatus => ({
    counter: 1,
    productVersion: '1',
    at: now.getTime(),
    nonce: 'n'.repeat(22),
    backlog: 1,
    oldestPendingAt: null,
    lastSequence: 0,
    audit: { seq: 10, hash: 'a'.repeat(64) },
    bundleVersion: 0,
    bundleProblems: [],
    frozen: [],
    health: {},
    freeDiskBytes: null,
    clock: { source: 'SYSTEM', uncertaintyMs: null, steps: 2 },
    proofKeys: { keys: [] },
    restoredAt: null,
    ...over,
  })
  const tell = (over: Partial<KioskStatus> = {}) => takeStatus(ctx, kioskId, status(over))
  const kept = async () => {
    const sql = 'SELECT status_counter, claimed_sequence, audit_sequence FROM kiosks WHERE id = $1'
    return (await db.query(SYSTEM, sql, [kioskId]))[0]
  }

  test('that is older than the last one, or comes again, changes nothing', async () => {
    await tell({ counter: 5, lastSequence: 3 })
    const before = await kept()
    expect(before).toEqual({ status_counter: 5, claimed_sequence: 3, audit_sequence: 10 })
    for (const counter of [4, 5]) await tell({ counter, lastSequence: 9, audit: { seq: 20, hash: START } })
    expect(await kept()).toEqual(before)
    expect(await alarmed()).toEqual([])
  })

  test('hears the highest number that the kiosk was known by before, claimed, announced or stored', async () => {
    expect(await tell({ counter: 1, lastSequence: 7 })).toHaveProperty('lastSequence', 0)
    expect(await tell({ counter: 2, lastSequence: 0 })).toHaveProperty('lastSequence', 7)
    await say(entry(8))
    expect(await tell({ counter: 3, lastSequence: 0 })).toHaveProperty('lastSequence', 8)
    await withdraw(9)
    expect(await tell({ counter: 4, lastSequence: 0 })).toHaveProperty('lastSequence', 9)
  })

  test.each([
    [300_000, 'SYSTEM', []],
    [-300_000, 'SYSTEM', []],
    [300_001, 'SYSTEM', ['CLOCK']],
    [-300_001, 'SYSTEM', ['CLOCK']],
    [0, 'UNSURE', ['CLOCK']],
  ])('with a clock %i ms off, from %s, raises %j', async (offMs, source, raised) => {
    const clock = { source, uncertaintyMs: null, steps: 2 }
    await tell({ at: now.getTime() + offMs, clock })
    expect(await alarmed()).toEqual(raised)
    await tell({ counter: 2 })
    expect(await alarmed()).toEqual([])
  })

  test.each<[string, Partial<KioskStatus>, string[]]>([
    ['continues', { audit: { seq: 11, hash: 'b'.repeat(64) } }, []],
    ['stands still', {}, []],
    ['is another one of the same length', { audit: { seq: 10, hash: 'b'.repeat(64) } }, ['AUDIT_ROLLBACK']],
    ['is shorter', { audit: { seq: 9, hash: 'a'.repeat(64) } }, ['AUDIT_ROLLBACK']],
  ])('with an audit log that %s raises %j', async (_, over, raised) => {
    await tell()
    await tell({ counter: 2, ...over })
    expect(await alarmed()).toEqual(raised)
  })

  test('of a kiosk that was restored counts whatever its number, once for each restore', async () => {
    await tell({ counter: 5 })
    const restoredAt = now.getTime() - 1
    await tell({ counter: 2, restoredAt })
    expect(await alarmed()).toEqual([`AUDIT_ROLLBACK ${restoredAt}`])
    expect(await kept()).toMatchObject({ status_counter: 2 })
    await tell({ counter: 1, restoredAt })
    expect(await kept()).toMatchObject({ status_counter: 2 })
  })

  test('with nothing waiting owes every number it names, and one with a backlog does not', async () => {
    await withdraw(1)
    await tell({ counter: 1, lastSequence: 3, backlog: 2 })
    pass(600 * SECOND_MS)
    await upkeep()
    expect(await alarmed()).toEqual([])
    await tell({ counter: 2, lastSequence: 3, backlog: 0 })
    pass(600 * SECOND_MS)
    await upkeep()
    expect(await alarms()).toMatchObject([{ kind: 'GAP', details: { ranges: ['2-3'], from: 2, to: 3 } }])
  })

  test('adds keys that sign proofs, never takes one away, and has at most a hundred', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { kty, n, e } = publicKey.export({ format: 'jwk' })
    const count = async () => {
      const sql = 'SELECT jsonb_array_length(proof_keys) AS n FROM kiosks WHERE id = $1'
      return (await db.query<{ n: number }>(SYSTEM, sql, [kioskId]))[0].n
    }
    const keys = [{ kty: kty ?? '', n, e }]
    await tell({ counter: 1, proofKeys: { keys } })
    await tell({ counter: 2, proofKeys: { keys } })
    await tell({ counter: 3 })
    expect(await count()).toBe(1)
    const hundred = JSON.stringify(Array.from({ length: 100 }, (_, index) => ({ kid: `k${index}` })))
    await db.query(SYSTEM, 'UPDATE kiosks SET proof_keys = $2::jsonb WHERE id = $1', [kioskId, hundred])
    await expect(tell({ counter: 4, proofKeys: { keys } })).rejects.toMatchObject({
      code: 'validation_failed',
      problems: [{ code: 'too_many', field: 'proofKeys' }],
    })
  })

  test.each(['at', 'oldestPendingAt', 'restoredAt'] as const)(
    'with %s beyond the year 9999 is refused',
    async (field) => {
      const beyond = Date.UTC(9999, 11, 31, 23, 59, 59, 999) + 1
      await expect(tell({ [field]: beyond })).rejects.toMatchObject({ problems: [{ field }] })
    },
  )
})

describe('revocations of keys that sign proofs', () => {
  test('add up, and count from the earliest moment that was told', () => {
    expect(addRevocations({ a: 5 }, [{ kid: 'b', since: 7 }])).toEqual({ a: 5, b: 7 })
    expect(addRevocations({ a: 5 }, [{ kid: 'a', since: 4 }])).toEqual({ a: 4 })
  })

  test('that say nothing new change nothing', () => {
    expect(addRevocations({ a: 5 }, [])).toBeNull()
    expect(addRevocations({ a: 5 }, [{ kid: 'a', since: 5 }])).toBeNull()
    expect(addRevocations({ a: 5 }, [{ kid: 'a', since: 6 }])).toBeNull()
  })

  test('are a hundred at most', () => {
    const known = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`k${index}`, 1]))
    expect(Object.keys(addRevocations(known, [{ kid: 'x', since: 1 }]) ?? {})).toHaveLength(100)
    const more = [
      { kid: 'x', since: 1 },
      { kid: 'y', since: 1 },
    ]
    expect(() => addRevocations(known, more)).toThrow(
      expect.objectContaining({
        problems: [expect.objectContaining({ code: 'too_many', field: 'revokedKeys' })],
      }),
    )
  })
})

describe('a kiosk that falls silent', () => {
  test('raises one alarm after a day, and none once it was revoked', async () => {
    const [mine, revoked] = [kioskId, await addKiosk('acme')]
    await revokeKiosk(ctx, null, revoked, 'operator:Ada', async () => undefined)
    pass(DAY_MS)
    await upkeep()
    expect(await alarmed()).toEqual([])
    pass(1)
    await upkeep()
    await upkeep()
    expect(await alarms()).toMatchObject([
      { kind: 'OFFLINE', details: { since: '2026-11-21T12:00:00.001Z' } },
    ])
    kioskId = revoked
    expect(await alarmed()).toEqual([])
    kioskId = mine
  })
})

describe('a revocation of a kiosk', () => {
  const revokedAt = async () => {
    const sql = 'SELECT revoked_at FROM kiosks WHERE id = $1'
    return (await db.query<{ revoked_at: Date | null }>(SYSTEM, sql, [kioskId]))[0].revoked_at
  }

  test('is for the tenant of the kiosk alone, or for the operator', async () => {
    expect(await revokeKiosk(ctx, 'other', kioskId, 'operator:Ada', async () => undefined)).toBeNull()
    expect(await revokedAt()).toBeNull()
    expect(await revokeKiosk(ctx, 'acme', kioskId, 'operator:Ada', async () => undefined)).toMatchObject({
      isNew: true,
    })
    expect(await revokedAt()).toEqual(now)
    expect(await revokeKiosk(ctx, null, randomUUID(), 'operator:Ada', async () => undefined)).toBeNull()
  })

  test('that the same person repeats is a success and keeps its first moment; another person learns who made it, and when', async () => {
    const first = now
    await revokeKiosk(ctx, null, kioskId, 'operator:Ada', async () => undefined)
    pass(HOUR_MS)
    const repeated = await revokeKiosk(ctx, null, kioskId, 'operator:Ada', async () => undefined)
    expect(repeated).toEqual({ revokedAt: first, isNew: false })
    await expect(
      revokeKiosk(ctx, null, kioskId, 'operator:Ben', async () => undefined),
    ).rejects.toMatchObject({
      code: 'transition_refused',
      details: { reason: 'it was revoked before', by: 'operator:Ada', at: first.toISOString() },
    })
    expect(await revokedAt()).toEqual(first)
  })
})

describe('an enrolment code', () => {
  const order = (over: object) =>
    createEnrolmentCode(
      ctx,
      { tenantId: 'acme', name: 'Harbour', expiresAt: now, ...over },
      async () => undefined,
    )

  test('is made for a tenant that there is, and for a kiosk of that tenant', async () => {
    expect(await order({})).toMatch(/^([0-9A-Z]{4}-){7}[0-9A-Z]{4}$/)
    expect(await order({ forKiosk: kioskId })).toMatch(/^[0-9A-Z-]{39}$/)
    await expect(order({ tenantId: 'nobody' })).rejects.toMatchObject({
      code: 'not_found',
      details: { kind: 'tenant' },
    })
    await expect(order({ tenantId: 'other', forKiosk: kioskId })).rejects.toMatchObject({
      code: 'not_found',
      details: { kind: 'kiosk' },
    })
  })
})

describe('a key of a head-office system', () => {
  const create = (over: Partial<Parameters<typeof createKey>[1]> = {}) =>
    createKey(
      db,
      { tenantId: 'acme', name: 'archive', scopes: ['proofs:read'], expiresAt: null, ...over },
      now,
      async () => undefined,
    )

  test('opens the door of its own tenant, with its own scopes', async () => {
    const { key, keyId, consumerId } = await create()
    expect(key).toMatch(/^cph_[A-Za-z0-9_-]{43}$/)
    expect(await authenticate(db, key, now)).toEqual({
      kind: 'system',
      keyId,
      consumerId,
      tenantId: 'acme',
      name: 'archive',
      scopes: ['proofs:read'],
      keyExpiresAt: null,
    })
    expect(await authenticate(db, `${key}x`, now)).toBeNull()
    // Another key of the same system, which there is once for each tenant.
    expect((await create()).consumerId).toBe(consumerId)
    expect((await create({ tenantId: 'other' })).consumerId).not.toBe(consumerId)
    await expect(create({ tenantId: 'nobody' })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('ends at its moment', async () => {
    const { key } = await create({ expiresAt: new Date(now.getTime() + 1) })
    expect(await authenticate(db, key, now)).not.toBeNull()
    expect(await authenticate(db, key, new Date(now.getTime() + 1))).toBeNull()
  })

  test('that is revoked opens nothing, and is revoked once', async () => {
    const { key, keyId } = await create()
    expect(await revokeKey(db, keyId, now, async () => undefined)).toBe(true)
    expect(await authenticate(db, key, now)).toBeNull()
    await expect(revokeKey(db, keyId, now, async () => undefined)).rejects.toThrow('transition_refused')
    expect(await revokeKey(db, randomUUID(), now, async () => undefined)).toBe(false)
  })

  test('is listed for its tenant, or with those of all', async () => {
    const [mine, others] = [await create(), await create({ tenantId: 'other' })]
    const idsOf = async (tenant: string | null) => (await listKeys(db, tenant)).map(({ keyId }) => keyId)
    expect(await idsOf('acme')).toContain(mine.keyId)
    expect(await idsOf('acme')).not.toContain(others.keyId)
    expect(await idsOf(null)).toEqual(expect.arrayContaining([mine.keyId, others.keyId]))
  })

  test.each([
    ['proofs:read', true],
    ['proofs', false],
    ['', false],
  ])('may have the scope %j: %s', (text, isOne) => {
    expect(isScope(text)).toBe(isOne)
  })
})
