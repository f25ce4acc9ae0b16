/** The states of a kiosk, as a table; the database applies the rules. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDb, SYSTEM, type Db } from '../../../server/central/db/db.ts'
import { migrate } from '../../../server/central/db/migrate.ts'
import { SELECT_KIOSKS, stateValues } from '../../../server/central/head-office/kiosk-state.ts'
import { openNewEmbedded } from '../../support/embedded-database.ts'

interface KioskFacts {
  readonly revokedAt: Date | null
  readonly seenAt: Date
  readonly status: object | null
  readonly newestBundle: number
  readonly alarms: readonly string[]
  readonly areAcknowledged: boolean
  readonly newestIsTest: boolean
}

const NOW = new Date('2026-11-21T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000)
const GOOD: KioskFacts = {
  revokedAt: null,
  seenAt: minutesAgo(1),
  status: {
    frozen: [],
    health: { camera: 'UP' },
    bundleProblems: [],
    bundleVersion: 0,
    oldestPendingAt: null,
  },
  newestBundle: 0,
  alarms: [],
  areAcknowledged: false,
  newestIsTest: false,
}
const LIMITS = { notSeenAfterMinutes: 30, backlogLateAfterHours: 24 }

let db: Db
beforeAll(async () => {
  db = createDb(await openNewEmbedded())
  await migrate(db)
  await db.query(SYSTEM, `INSERT INTO tenants (tenant_id, name, created_at) VALUES ('acme', 'x', now())`)
})
afterAll(() => db.close())

test.each<[string, Partial<KioskFacts>, string, readonly string[]]>([
  ['has said all is well', {}, 'OK', []],
  ['has just joined', { status: null }, 'OK', []],
  ['has joined and was never heard of', { status: null, seenAt: minutesAgo(31) }, 'LATE', ['not_seen']],
  ['is silent just so long', { seenAt: minutesAgo(30) }, 'OK', []],
  [
    'has an old backlog',
    { status: { oldestPendingAt: minutesAgo(1441).getTime() } },
    'LATE',
    ['backlog_old'],
  ],
  ['has a young backlog', { status: { backlog: 5, oldestPendingAt: minutesAgo(10).getTime() } }, 'OK', []],
  ['takes nothing new', { status: { frozen: ['DISK'] } }, 'FROZEN', ['frozen']],
  [
    'is frozen and silent',
    { seenAt: minutesAgo(99), status: { frozen: ['DISK'] } },
    'FROZEN',
    ['frozen', 'not_seen'],
  ],
  ['has a broken part', { status: { health: { camera: 'DOWN', disk: 'UP' } } }, 'ATTENTION', ['health_down']],
  ['has an older bundle', { status: { bundleVersion: 1 }, newestBundle: 2 }, 'OK', ['bundle_behind']],
  ['has an open alarm', { alarms: ['GAP'] }, 'ATTENTION', ['alarm_open']],
  ['has an alarm that was acknowledged', { alarms: ['GAP'], areAcknowledged: true }, 'OK', []],
  ...['CLONE', 'CONFLICT', 'CHAIN_BROKEN', 'AUDIT_ROLLBACK'].map(
    (kind): [string, Partial<KioskFacts>, string, readonly string[]] => [
      `may not be what it says it is (${kind})`,
      { alarms: [kind, 'GAP'], status: { frozen: ['DISK'] } },
      'ALARM',
      ['frozen', 'alarm_integrity', 'alarm_open'],
    ],
  ),
  [
    'is in doubt although the alarm was acknowledged',
    { alarms: ['CLONE'], areAcknowledged: true },
    'ALARM',
    ['alarm_integrity'],
  ],
  ['sealed a test last', { newestIsTest: true }, 'OK', ['newest_is_test']],
  [
    'was revoked, whatever else',
    { revokedAt: NOW, seenAt: minutesAgo(99), alarms: ['CLONE'] },
    'REVOKED',
    ['revoked'],
  ],
])('a kiosk that %s', async (_, changes, state, reasons) => {
  const facts = { ...GOOD, ...changes }
  const kioskId = randomUUID()
  await db.query(
    SYSTEM,
    `INSERT INTO kiosks (id, tenant_id, name, public_jwk, certificate, proof_keys, proof_keys_at, enrolled_at, revoked_at, status,
       status_at) VALUES ($1, 'acme', 'k', '{}', '', '[]', now(), $2, $3, $4::jsonb, CASE WHEN $4::jsonb IS NOT NULL THEN $2::timestamptz END)`,
    [kioskId, facts.seenAt, facts.revokedAt, facts.status && JSON.stringify(facts.status)],
  )
  for (const kind of facts.alarms)
    await db.query(
      SYSTEM,
      `INSERT INTO alarms (id, tenant_id, kiosk_id, kind, subject, details, raised_at, seen_at, acknowledged_at)
       VALUES ($1, 'acme', $2, $3, '', '{}', now(), now(), CASE WHEN $4 THEN now() END)`,
      [randomUUID(), kioskId, kind, facts.areAcknowledged],
    )
  await db.query(
    SYSTEM,
    `INSERT INTO proofs (proof_id, tenant_id, kiosk_id, sequence, identity_id, sha256, previous_hash, hash, level_of_assurance,
       test, signed_by, archive_bytes, sealed_at, stored_at, packet_sha256, packet_bytes, location, receipt)
     VALUES ($1, 'acme', $2, 1, $1, '', '', '', 'LOA2', $3, 'k', 1, now(), now(), '', 1, 'x', 'r')`,
    [randomUUID(), kioskId, facts.newestIsTest],
  )
  const [row] = await db.query<{ state: string; reasons: string[] }>(
    { tenant: 'acme' },
    `SELECT state, reasons FROM (${SELECT_KIOSKS}) AS listed WHERE id = $4`,
    [...stateValues(LIMITS, facts.newestBundle, NOW), kioskId],
  )
  expect(row).toEqual({ state, reasons })
})
