/** The kiosks of a tenant with their states and alarms; enrolling or revoking a kiosk, resolving an alarm. */
import type { z } from 'zod'
import { AppError } from '../../errors.ts'
import { KioskStatusSchema, KioskUpdatesSchema, type KioskStatus } from '../../protocol/wire.ts'
import type { Parameter, Queries } from '../db/db.ts'
import { contains, Filters, readPage } from '../db/list-page.ts'
import { noteAccess } from './access-log.ts'
import { newestVersion } from './bundles.ts'
import {
  KIOSK_STATES,
  MAX_PAGE,
  type Alarm,
  type AlarmState,
  type AlarmExportQuery,
  type Kiosk,
  type KioskExportQuery,
  type KioskReason,
  type KioskState,
} from './contract.ts'
import type { HeadOfficeDeps } from './deps.ts'
import { nameActor } from './guard.ts'
import type { Handlers } from './http.ts'
import { SELECT_KIOSKS, stateValues } from './kiosk-state.ts'
import { listLines } from './lines.ts'
import { exportList, type Columns } from './export-list.ts'

type FleetHandlers = Pick<
  Handlers,
  | 'me'
  | 'listKiosks'
  | 'exportKiosks'
  | 'getKiosk'
  | 'listLines'
  | 'revokeKiosk'
  | 'createEnrolmentCode'
  | 'listAlarms'
  | 'exportAlarms'
  | 'getAlarm'
  | 'resolveAlarm'
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
  readonly updates: unknown
  readonly alarms_open: number
  readonly alarm_kinds: readonly string[]
  readonly state: KioskState
  readonly reasons: readonly KioskReason[]
}
interface AlarmRow {
  readonly id: string
  readonly kiosk_id: string
  readonly kiosk: string
  readonly kind: string
  readonly subject: string
  readonly details: Record<string, unknown>
  readonly raised_at: Date
  readonly seen_at: Date
  readonly times: number
  readonly resolved_at: Date | null
  readonly resolved_by: string | null
  readonly resolution: string | null
  readonly acknowledged_at: Date | null
}

const SELECT_ALARMS = `
  SELECT a.id, a.kiosk_id, k.name AS kiosk, a.kind, a.subject, a.details, a.raised_at, a.seen_at, a.times, a.resolved_at,
    a.resolved_by, a.resolution, a.acknowledged_at
  FROM alarms a JOIN kiosks k ON k.id = a.kiosk_id`
const ALARM_STATE: Readonly<Record<AlarmState, readonly string[]>> = {
  open: ['resolved_at IS NULL', 'acknowledged_at IS NULL'],
  acknowledged: ['resolved_at IS NULL', 'acknowledged_at IS NOT NULL'],
  resolved: ['resolved_at IS NOT NULL'],
  all: [],
}
const ALARM_COLUMNS = {
  raised: 'raised_at',
  seen: 'seen_at',
  kiosk: 'kiosk',
  kind: 'kind',
  times: 'times',
} as const

interface Place {
  readonly after?: string | undefined
  readonly limit: number
}

export function fleetHandlers(deps: HeadOfficeDeps): FleetHandlers {
  const { db, clock, options } = deps
  const prepare = async (queries: Queries, tenantId: string) => {
    const newest = await newestVersion(queries, tenantId)
    return { newest, values: stateValues(options, newest, clock.now()) }
  }
  const readKiosks = (
    tenantId: string,
    { search, state, sort, order, after, limit }: z.output<typeof KioskExportQuery> & Place,
  ) =>
    db.transaction({ tenant: tenantId }, async (queries) => {
      const { newest, values } = await prepare(queries, tenantId)
      const filters = new Filters(values)
        .add(search, (value) => contains(value, ['name', 'id::text']))
        .add(state, (value) => `state = ${value}`)
      const list = { rows: SELECT_KIOSKS, key: 'id', ...filters }
      const page = await readPage<KioskRow>(queries, list, {
        columns: sort === 'name' ? ['name'] : [sort, 'name'],
        order,
        after: after ?? null,
        limit,
      })
      const counts = after === undefined ? await countStates(queries, values) : null
      return { kiosks: page.rows.map((row) => kioskView(row, newest)), isMore: page.isMore, counts }
    })
  const readAlarms = (
    tenantId: string,
    { state, kind, kioskId, search, sort, order, after, limit }: z.output<typeof AlarmExportQuery> & Place,
  ) =>
    db.transaction({ tenant: tenantId }, async (queries) => {
      const filters = new Filters()
        .add(kind, (value) => `kind = ${value}`)
        .add(kioskId, (value) => `kiosk_id = ${value}`)
        .add(search, (value) => contains(value, ['kiosk', 'subject']))
      filters.conditions.push(...ALARM_STATE[state])
      const list = { rows: SELECT_ALARMS, key: 'id', ...filters }
      const page = { columns: [ALARM_COLUMNS[sort]], order, after: after ?? null, limit }
      const { rows, isMore } = await readPage<AlarmRow>(queries, list, page)
      return { alarms: rows.map(alarmView), isMore }
    })

  return {
    me: async ({ holder }) => ({
      consumerId: holder.consumerId,
      name: holder.name,
      tenantId: holder.tenantId,
      scopes: [...holder.scopes],
      keyExpiresAt: holder.keyExpiresAt?.toISOString() ?? null,
    }),

    listKiosks: async ({ holder, query }) => {
      const { kiosks, isMore, counts } = await readKiosks(holder.tenantId, query)
      return { kiosks, next: isMore ? (kiosks.at(-1)?.kioskId ?? null) : null, counts }
    },

    exportKiosks: async ({ holder, query }) =>
      exportList('kiosks', KIOSK_EXPORT, async (after) => {
        const { kiosks, isMore } = await readKiosks(holder.tenantId, { ...query, after, limit: MAX_PAGE })
        return { rows: kiosks, last: isMore ? kiosks.at(-1)?.kioskId : undefined }
      }),

    getKiosk: async ({ holder, params }) =>
      db.transaction({ tenant: holder.tenantId }, async (queries) => {
        const { newest, values } = await prepare(queries, holder.tenantId)
        const [row] = await queries.query<KioskRow>(
          `SELECT * FROM (${SELECT_KIOSKS}) AS listed WHERE id = $${values.length + 1}`,
          [...values, params.kioskId ?? ''],
        )
        if (!row) throw new AppError('not_found')
        return kioskView(row, newest)
      }),

    listLines: async ({ holder, params }) => {
      const found = await db.transaction({ tenant: holder.tenantId }, (queries) =>
        listLines(queries, params.kioskId ?? ''),
      )
      if (found === null) throw new AppError('not_found')
      return found
    },

    revokeKiosk: async ({ holder, params, body }) => {
      const kioskId = params.kioskId ?? ''
      const about = { subject: kioskId, reason: body.reason }
      const revoked = await deps.revokeKiosk(holder.tenantId, kioskId, nameActor(holder), (queries) =>
        noteAccess(queries, holder, 'revokeKiosk', clock.now(), about),
      )
      if (revoked === null) throw new AppError('not_found')
      return { kioskId, revokedAt: revoked.revokedAt.toISOString() }
    },

    createEnrolmentCode: async ({ holder, body }) => {
      const expiresAt = new Date(clock.now().getTime() + body.validHours * HOUR_MS)
      const order = { tenantId: holder.tenantId, name: body.name, expiresAt }
      const code = await deps.createEnrolmentCode(order, (queries) =>
        noteAccess(queries, holder, 'createEnrolmentCode', clock.now()),
      )
      return { code, name: body.name, expiresAt: expiresAt.toISOString() }
    },

    listAlarms: async ({ holder, query }) => {
      const { alarms, isMore } = await readAlarms(holder.tenantId, query)
      return { alarms, next: isMore ? (alarms.at(-1)?.alarmId ?? null) : null }
    },

    exportAlarms: async ({ holder, query }) =>
      exportList('alarms', ALARM_EXPORT, async (after) => {
        const { alarms, isMore } = await readAlarms(holder.tenantId, { ...query, after, limit: MAX_PAGE })
        return { rows: alarms, last: isMore ? alarms.at(-1)?.alarmId : undefined }
      }),

    getAlarm: async ({ holder, params }) => {
      const [row] = await db.query<AlarmRow>(
        { tenant: holder.tenantId },
        `${SELECT_ALARMS} WHERE a.id = $1`,
        [params.alarmId ?? ''],
      )
      if (!row) throw new AppError('not_found')
      return alarmView(row)
    },

    resolveAlarm: async ({ holder, params, body }) =>
      db.transaction({ tenant: holder.tenantId }, async (queries) => {
        const alarmId = params.alarmId ?? ''
        const act = { actor: nameActor(holder), reason: body.reason, at: clock.now() }
        const { resolvedAt, isNew } = await deps.resolveAlarm(queries, holder.tenantId, alarmId, act)
        const about = { subject: alarmId, reason: body.reason }
        if (isNew) await noteAccess(queries, holder, 'resolveAlarm', act.at, about)
        return { alarmId, resolvedAt: resolvedAt.toISOString() }
      }),

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

async function countStates(
  queries: Queries,
  values: readonly Parameter[],
): Promise<Record<KioskState, number>> {
  const rows = await queries.query<{ state: KioskState; kiosks: number }>(
    `SELECT state, count(*)::int AS kiosks FROM (${SELECT_KIOSKS}) AS listed GROUP BY state`,
    values,
  )
  const found = new Map(rows.map(({ state, kiosks }) => [state, kiosks]))
  return Object.fromEntries(KIOSK_STATES.map((state) => [state, found.get(state) ?? 0])) as Record<
    KioskState,
    number
  >
}

function kioskView(row: KioskRow, newestBundle: number): Kiosk {
  const status = parseStatus(row.status)
  return {
    kioskId: row.id,
    name: row.name,
    state: row.state,
    reasons: [...row.reasons],
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
    updates: updatesView(row.updates),
  }
}

/** Parses the stored updates again; null: the kiosk reports none. */
function updatesView(stored: unknown): Kiosk['updates'] {
  const { data } = KioskUpdatesSchema.safeParse(stored)
  if (!data) return null
  const { result, ...rest } = data
  if (result === null) return { ...rest, result }
  const { state, reason, to, at } = result
  return { ...rest, result: { state, reason, to, at } }
}

/** Parses a stored status again; null before the first. */
function parseStatus(stored: unknown): Partial<KioskStatus> | null {
  const parsed = KioskStatusSchema.partial().safeParse(stored)
  return parsed.success && stored !== null ? parsed.data : null
}

function alarmView(row: AlarmRow): Alarm {
  return {
    alarmId: row.id,
    kioskId: row.kiosk_id,
    kioskName: row.kiosk,
    kind: row.kind,
    subject: row.subject,
    details: row.details,
    raisedAt: row.raised_at.toISOString(),
    seenAt: row.seen_at.toISOString(),
    times: row.times,
    resolvedAt: row.resolved_at?.toISOString() ?? null,
    resolvedBy: row.resolved_by,
    resolution: row.resolution,
    acknowledgedAt: row.acknowledged_at?.toISOString() ?? null,
  }
}

const KIOSK_EXPORT: Columns<Kiosk> = {
  kiosk: ({ kioskId }) => kioskId,
  name: ({ name }) => name,
  state: ({ state }) => state,
  reasons: ({ reasons }) => reasons.join(' '),
  enrolled: ({ enrolledAt }) => enrolledAt,
  revoked: ({ revokedAt }) => revokedAt,
  'last seen': ({ lastSeenAt }) => lastSeenAt,
  version: ({ productVersion }) => productVersion,
  waiting: ({ backlog }) => backlog,
  'oldest waiting': ({ oldestPendingAt }) => oldestPendingAt,
  'last number': ({ lastSequence }) => lastSequence,
  'open alarms': ({ alarmsOpen }) => alarmsOpen,
}

const ALARM_EXPORT: Columns<Alarm> = {
  alarm: ({ alarmId }) => alarmId,
  kiosk: ({ kioskId }) => kioskId,
  'kiosk name': ({ kioskName }) => kioskName,
  kind: ({ kind }) => kind,
  subject: ({ subject }) => subject,
  raised: ({ raisedAt }) => raisedAt,
  'last seen': ({ seenAt }) => seenAt,
  times: ({ times }) => times,
  acknowledged: ({ acknowledgedAt }) => acknowledgedAt,
  resolved: ({ resolvedAt }) => resolvedAt,
  'resolved by': ({ resolvedBy }) => resolvedBy,
  reason: ({ resolution }) => resolution,
}
