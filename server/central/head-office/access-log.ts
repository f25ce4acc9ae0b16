/**
 * Logs the acts of head-office systems, of staff, and of operators at the command line: an append-only row in the transaction of the
 * act. Lists them for auditors and for a log collector.
 */
import { v7 as uuidv7 } from 'uuid'
import { SYSTEM, type Db, type Queries } from '../db/db.ts'
import { MAX_PAGE, type AccessList } from './contract.ts'
import type { Holder, PersonHolder } from './guard.ts'
import type { HeadOfficeDeps } from './deps.ts'
import type { Handlers } from './http.ts'
import type { Operation } from './routes.ts'
import { exportList, type Columns } from './export-list.ts'
import type { z } from 'zod'

type StaffAct = 'signIn' | 'signOut'

interface About {
  readonly subject?: string | undefined
  readonly reason?: string
}

/** An act of a person at the command line. */
export interface OperatorAct {
  /** Name of the person. */
  readonly by: string
  /** Name of the action of the command line (../admin). */
  readonly operation: string
  /** Null: the act is of no tenant. */
  readonly tenantId: string | null
  readonly at: Date
  readonly subject: string | null
  readonly reason: string | null
  /** OK, or the code of the refusal. */
  readonly result: string
}

export const DONE = 'OK'

export async function noteAccess(
  queries: Queries,
  holder: Holder,
  operation: Operation | 'verify' | 'previewErasure',
  at: Date,
  about: About = {},
): Promise<void> {
  await insertAccess(queries, holder, operation, at, DONE, about)
}

/** A refused call of a person. @param code of the refusal */
export async function noteRefusal(
  db: Db,
  holder: PersonHolder,
  operation: Operation,
  at: Date,
  code: string,
  subject: string | undefined,
): Promise<void> {
  await db.transaction({ tenant: holder.tenantId }, (queries) =>
    insertAccess(queries, holder, operation, at, code, { subject }),
  )
}

/** A page repeats its reads every few seconds, so a read is logged once per session. @param isExport each one is logged */
export async function noteReading(
  db: Db,
  holder: PersonHolder,
  operation: Operation,
  at: Date,
  subject: string | undefined,
  isExport: boolean,
): Promise<void> {
  await db.transaction({ tenant: holder.tenantId }, async (queries) => {
    if (isExport) return insertAccess(queries, holder, operation, at, DONE, { subject })
    const known = await queries.query(
      `SELECT 1 FROM access_log WHERE session_id = $1 AND operation = $2 AND tenant_id = $3
         AND subject IS NOT DISTINCT FROM $4::text AND result = $5 LIMIT 1`,
      [holder.sessionId, operation, holder.tenantId, subject ?? null, DONE],
    )
    if (known.length === 0) await insertAccess(queries, holder, operation, at, DONE, { subject })
  })
}

/** A sign-in belongs to no tenant. @param result OK, or the code of the refusal */
export async function noteStaffAct(
  queries: Queries,
  person: { readonly subject: string; readonly name: string; readonly sessionId: string | null },
  operation: StaffAct,
  at: Date,
  result: string = DONE,
): Promise<void> {
  await queries.query(
    `INSERT INTO access_log (id, at, person, person_name, session_id, operation, result) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [uuidv7(), at, person.subject, person.name, person.sessionId, operation, result],
  )
}

async function insertAccess(
  queries: Queries,
  holder: Holder,
  operation: string,
  at: Date,
  result: string,
  { subject, reason }: About,
): Promise<void> {
  const caller =
    holder.kind === 'person'
      ? [null, null, holder.subject, holder.name, holder.sessionId]
      : [holder.consumerId, holder.keyId, null, null, null]
  await queries.query(
    `INSERT INTO access_log (id, tenant_id, at, consumer_id, key_id, person, person_name, session_id, operation, subject,
       reason, result)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [uuidv7(), holder.tenantId, at, ...caller, operation, subject ?? null, reason ?? null, result],
  )
}

export async function noteOperatorAct(
  queries: Queries,
  { by, operation, tenantId, at, subject, reason, result }: OperatorAct,
): Promise<void> {
  await queries.query(
    `INSERT INTO access_log (id, tenant_id, at, operator, operation, subject, reason, result)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [uuidv7(), tenantId, at, by, operation, subject, reason, result],
  )
}

/** Rows of one page. */
export const ACCESS_AT_ONCE = 1000

export interface AccessRow {
  readonly id: string
  readonly at: Date
  /** Null: a sign-in, which is of no tenant. */
  readonly tenantId: string | null
  /** Name of the head-office system. */
  readonly consumer: string | null
  readonly keyId: string | null
  /** Subject and name of a person of the staff. */
  readonly person: string | null
  readonly personName: string | null
  /** Name of the person at the command line. */
  readonly operator: string | null
  readonly operation: string
  readonly subject: string | null
  readonly result: string
  /** The text of the caller. It may name a person, so log collectors get only its presence. */
  readonly reason: string | null
}

const SELECT_ACCESS = `
  SELECT a.id, a.at, a.tenant_id AS "tenantId", c.name AS consumer, a.key_id AS "keyId", a.person,
    a.person_name AS "personName", a.operator, a.operation, a.subject, coalesce(a.result, '${DONE}') AS result, a.reason
  FROM access_log a LEFT JOIN consumers c ON c.tenant_id = a.tenant_id AND c.id = a.consumer_id`

/** A row gets its id at or after the time that it states, so months before are not read. The day is for a clock that was set back. */
const isSince = (placeholder: string): string =>
  `(${placeholder}::timestamptz IS NULL OR a.at >= ${placeholder} AND a.id >= first_id(${placeholder} - interval '1 day'))`

interface AccessPage {
  readonly tenantId: string | null
  /** Id of the last row of the page before. */
  readonly after: string | null
  readonly from: Date | null
  /** Exclusive. A transaction that is still open may add an earlier row, so the newest rows have to wait. */
  readonly before: Date
  readonly limit: number
}

/** Oldest first. */
export function listAccess(
  db: Db,
  { tenantId, after, from, before, limit }: AccessPage,
): Promise<AccessRow[]> {
  return db.query<AccessRow>(
    SYSTEM,
    `${SELECT_ACCESS}
     WHERE ($1::text IS NULL OR a.tenant_id = $1) AND ($2::uuid IS NULL OR a.id > $2::uuid)
       AND ${isSince('$3')} AND a.at < $4
     ORDER BY a.id LIMIT $5`,
    [tenantId, after, from, before, limit],
  )
}

export function accessHandlers({
  db,
}: Pick<HeadOfficeDeps, 'db'>): Pick<Handlers, 'listAccess' | 'exportAccess'> {
  const read = async (
    { tenantId }: Holder,
    {
      from,
      to,
      after,
      limit,
    }: { from?: string | undefined; to?: string | undefined; after?: string | undefined; limit: number },
  ) => {
    const rows = await db.query<AccessRow>(
      { tenant: tenantId },
      `${SELECT_ACCESS}
       WHERE ($1::uuid IS NULL OR a.id < $1::uuid) AND ${isSince('$2')} AND ($3::timestamptz IS NULL OR a.at < $3)
       ORDER BY a.id DESC LIMIT $4`,
      [after ?? null, from ?? null, to ?? null, limit + 1],
    )
    const shown = rows.slice(0, limit)
    return {
      accesses: shown.map(({ id, at, tenantId: _tenantId, ...row }) => ({
        accessId: id,
        at: at.toISOString(),
        ...row,
      })),
      next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
    }
  }
  return {
    listAccess: ({ holder, query }): Promise<z.input<typeof AccessList>> => read(holder, query),

    exportAccess: async ({ holder, query }) =>
      exportList('access-log', ACCESS_EXPORT, async (after) => {
        const { accesses, next } = await read(holder, { ...query, after, limit: MAX_PAGE })
        return { rows: accesses, last: next }
      }),
  }
}

const ACCESS_EXPORT: Columns<z.input<typeof AccessList>['accesses'][number]> = {
  at: ({ at }) => at,
  person: ({ person }) => person,
  personName: ({ personName }) => personName,
  consumer: ({ consumer }) => consumer,
  keyId: ({ keyId }) => keyId,
  operator: ({ operator }) => operator,
  operation: ({ operation }) => operation,
  subject: ({ subject }) => subject,
  result: ({ result }) => result,
  reason: ({ reason }) => reason,
  accessId: ({ accessId }) => accessId,
}
