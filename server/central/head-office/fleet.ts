/** The kiosks of a tenant with their states and alarms, and enrolling or revoking one. */
import { AppError } from '../../errors.ts'
import { KioskStatusSchema, type KioskStatus } from '../../protocol/wire.ts'
import type { Queries } from '../db/db.ts'
import { noteAccess } from './access-log.ts'
import { newestVersion } from './bundles.ts'
import type { Kiosk } from './contract.ts'
import type { HeadOfficeDeps } from './deps.ts'
import { nameActor } from './guard.ts'
import type { Handlers } from './http.ts'
import { judgeKiosk } from './kiosk-state.ts'
import { listLines } from './lines.ts'

type FleetHandlers = Pick<
  Handlers,
  | 'me'
  | 'listKiosks'
  | 'getKiosk'
  | 'listLines'
  | 'revokeKiosk'
  | 'createEnrolmentCode'
  | 'listAlarms'
  | 'acknowledgeAlarm'
>

const HOUR_MS = 3_600_000

interface KioskRow {
  readonly id: string
  readonly name: string
  readonly enrolled_at: Date
  readonly revoked_at: Date | null
  readonly status: unknown
  readonly status_at: Date | null
  readonly last_sequence: number
  readonly lines: number
  readonly alarms_open: number
  readonly alarm_kinds: readonly string[]
  readonly newest_is_test: boolean | null
}
interface AlarmRow {
  readonly id: string
  readonly kiosk_id: string
  readonly kind: string
  readonly subject: string
  readonly details: Record<string, unknown>
  readonly raised_at: Date
  readonly seen_at: Date
  readonly times: number
  readonly resolved_at: Date | null
  readonly acknowledged_at: Date | null
}

const SELECT_KIOSKS = `
  SELECT k.id, k.name, k.enrolled_at, k.revoked_at, k.status, k.status_at, k.last_sequence, k.lines,
    (SELECT count(*)::int FROM alarms a WHERE a.kiosk_id = k.id AND a.resolved_at IS NULL AND a.acknowledged_at IS NULL)
      AS alarms_open,
    ARRAY(SELECT DISTINCT a.kind FROM alarms a WHERE a.kiosk_id = k.id AND a.resolved_at IS NULL ORDER BY a.kind)
      AS alarm_kinds,
    (SELECT p.test FROM proofs p WHERE p.kiosk_id = k.id AND p.line = 0 ORDER BY p.sequence DESC LIMIT 1)
      AS newest_is_test
  FROM kiosks k`

export function fleetHandlers(deps: HeadOfficeDeps): FleetHandlers {
  const { db, clock, options } = deps
  const view = (row: KioskRow, newestBundle: number): Kiosk =>
    kioskView(row, newestBundle, clock.now(), options)

  return {
    me: async ({ holder }) => ({
      consumerId: holder.consumerId,
      name: holder.name,
      tenantId: holder.tenantId,
      scopes: [...holder.scopes],
      keyExpiresAt: holder.keyExpiresAt?.toISOString() ?? null,
    }),

    listKiosks: async ({ holder, query }) =>
      db.transaction({ tenant: holder.tenantId }, async (queries) => {
        const newest = await newestVersion(queries, holder.tenantId)
        const rows = await queries.query<KioskRow>(
          `${SELECT_KIOSKS}
           WHERE $1::uuid IS NULL OR (k.name, k.id) > (SELECT name, id FROM kiosks WHERE id = $1)
           ORDER BY k.name, k.id LIMIT $2`,
          [query.after ?? null, query.limit + 1],
        )
        const shown = rows.slice(0, query.limit)
        return {
          kiosks: shown.map((row) => view(row, newest)),
          next: rows.length > query.limit ? (shown.at(-1)?.id ?? null) : null,
        }
      }),

    getKiosk: async ({ holder, params }) =>
      db.transaction({ tenant: holder.tenantId }, async (queries) =>
        view(await findKiosk(queries, params.kioskId ?? ''), await newestVersion(queries, holder.tenantId)),
      ),

    listLines: async ({ holder, params }) => {
      const found = await db.transaction({ tenant: holder.tenantId }, (queries) =>
        listLines(queries, params.kioskId ?? ''),
      )
      if (found === null) throw new AppError('not_found')
      return found
    },

    revokeKiosk: async ({ holder, params, body }) => {
      const kioskId = params.kioskId ?? ''
      await db.transaction({ tenant: holder.tenantId }, async (queries) => {
        await findKiosk(queries, kioskId)
        await noteAccess(queries, holder, 'revokeKiosk', clock.now(), {
          subject: kioskId,
          reason: body.reason,
        })
      })
      if (!(await deps.revokeKiosk(holder.tenantId, kioskId))) throw new AppError('not_found')
      const { revoked_at: at } = await db.transaction({ tenant: holder.tenantId }, (queries) =>
        findKiosk(queries, kioskId),
      )
      return { kioskId, revokedAt: (at ?? clock.now()).toISOString() }
    },

    createEnrolmentCode: async ({ holder, body }) => {
      const expiresAt = new Date(clock.now().getTime() + body.validHours * HOUR_MS)
      await db.transaction({ tenant: holder.tenantId }, (queries) =>
        noteAccess(queries, holder, 'createEnrolmentCode', clock.now()),
      )
      const code = await deps.createEnrolmentCode({ tenantId: holder.tenantId, name: body.name, expiresAt })
      return { code, name: body.name, expiresAt: expiresAt.toISOString() }
    },

    listAlarms: async ({ holder, query }) => {
      const rows = await db.query<AlarmRow>(
        { tenant: holder.tenantId },
        `SELECT id, kiosk_id, kind, subject, details, raised_at, seen_at, times, resolved_at, acknowledged_at
         FROM alarms
         WHERE ($1 = 'all' OR (resolved_at IS NULL AND acknowledged_at IS NULL))
           AND ($2::uuid IS NULL OR (raised_at, id) < (SELECT raised_at, id FROM alarms WHERE id = $2))
         ORDER BY raised_at DESC, id DESC LIMIT $3`,
        [query.state, query.after ?? null, query.limit + 1],
      )
      const shown = rows.slice(0, query.limit)
      return {
        alarms: shown.map(alarmView),
        next: rows.length > query.limit ? (shown.at(-1)?.id ?? null) : null,
      }
    },

    acknowledgeAlarm: async ({ holder, params }) =>
      db.transaction({ tenant: holder.tenantId }, async (queries) => {
        const alarmId = params.alarmId ?? ''
        const [row] = await queries.query<{ acknowledged_at: Date }>(
          `UPDATE alarms SET acknowledged_at = coalesce(acknowledged_at, $2),
             acknowledged_by = coalesce(acknowledged_by, $3)
           WHERE id = $1 RETURNING acknowledged_at`,
          [alarmId, clock.now(), nameActor(holder)],
        )
        if (!row) throw new AppError('not_found')
        await noteAccess(queries, holder, 'acknowledgeAlarm', clock.now(), { subject: alarmId })
        return { alarmId, acknowledgedAt: row.acknowledged_at.toISOString() }
      }),
  }
}

async function findKiosk(queries: Queries, kioskId: string): Promise<KioskRow> {
  const [row] = await queries.query<KioskRow>(`${SELECT_KIOSKS} WHERE k.id = $1`, [kioskId])
  if (!row) throw new AppError('not_found')
  return row
}

function kioskView(
  row: KioskRow,
  newestBundle: number,
  now: Date,
  options: HeadOfficeDeps['options'],
): Kiosk {
  const status = parseStatus(row.status)
  return {
    kioskId: row.id,
    name: row.name,
    ...judgeKiosk(
      {
        revokedAt: row.revoked_at,
        seenAt: row.status_at ?? row.enrolled_at,
        status,
        newestBundle,
        alarmsOpen: row.alarms_open,
        alarmKinds: row.alarm_kinds,
        newestIsTest: row.newest_is_test === true,
      },
      now,
      options,
    ),
    enrolledAt: row.enrolled_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
    lastSeenAt: row.status_at?.toISOString() ?? null,
    productVersion: status?.productVersion ?? null,
    backlog: status?.backlog ?? null,
    oldestPendingAt: status?.oldestPendingAt ? new Date(status.oldestPendingAt).toISOString() : null,
    lastSequence: row.last_sequence,
    frozen: status?.frozen ?? [],
    health: status?.health ?? {},
    freeDiskBytes: status?.freeDiskBytes ?? null,
    bundleVersion: status?.bundleVersion ?? null,
    newestBundleVersion: newestBundle,
    bundleProblems: status?.bundleProblems ?? [],
    alarmsOpen: row.alarms_open,
    alarmKinds: [...row.alarm_kinds],
    otherLines: row.lines,
  }
}

/** Parses a stored status again; null before the first. */
function parseStatus(stored: unknown): Partial<KioskStatus> | null {
  const parsed = KioskStatusSchema.partial().safeParse(stored)
  return parsed.success && stored !== null ? parsed.data : null
}

function alarmView(row: AlarmRow) {
  return {
    alarmId: row.id,
    kioskId: row.kiosk_id,
    kind: row.kind,
    subject: row.subject,
    details: row.details,
    raisedAt: row.raised_at.toISOString(),
    seenAt: row.seen_at.toISOString(),
    times: row.times,
    resolvedAt: row.resolved_at?.toISOString() ?? null,
    acknowledgedAt: row.acknowledged_at?.toISOString() ?? null,
  }
}
