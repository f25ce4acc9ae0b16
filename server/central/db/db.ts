/**
 * The interface of the database: transactions under a role. PostgreSQL itself separates tenants (row
 * security, row-security.ts), so that a forgotten WHERE reveals nothing. Two drivers implement it, with one
 * set of SQL: postgres.ts (`pg`) and embedded.ts (PGlite).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import { classifyFault } from './faults.ts'

/**
 * The role of a transaction: one tenant, or the central service itself (a kiosk's request before its tenant
 * is known, upkeep, operators).
 */
export type Scope = { readonly tenant: string } | { readonly system: true }
export const SYSTEM: Scope = { system: true }

export const APP_ROLE = 'counterproof_app'
export const SYSTEM_ROLE = 'counterproof_system'

/**
 * Texts, numbers, booleans, dates and bytes; JSON as its text with `::jsonb` behind the placeholder. Results:
 * numbers for bigint, Date for timestamptz, Uint8Array for bytea, parsed values for jsonb.
 */
export type Parameter = string | number | boolean | Date | Uint8Array | null | readonly string[]
export type Row = Record<string, unknown>

/** Work that a transaction has stored, and that a worker waits for. */
export const WORK = ['deliveries', 'feed'] as const
export type Work = (typeof WORK)[number]

export interface Queries {
  query<R extends object = Row>(sql: string, parameters?: readonly Parameter[]): Promise<R[]>
  /**
   * Calls the worker after the commit: the one of this instance, or those of the others if this one is busy. Not by NOTIFY
   * in the transaction: commits with a NOTIFY wait for each other.
   */
  announce(work: Work): void
}

export interface Db {
  readonly kind: 'postgres' | 'embedded'
  /**
   * All or nothing. `work` may run again after a serialization failure, a deadlock or a connection that broke
   * before the commit, so it must touch only the database. Throws `centre_unavailable` if the database cannot
   * be reached, or if the result of the commit is unknown: the caller repeats the request, which every route
   * allows.
   */
  transaction<T>(scope: Scope, work: (queries: Queries) => Promise<T>): Promise<T>
  /** One statement in its own transaction. */
  query<R extends object = Row>(scope: Scope, sql: string, parameters?: readonly Parameter[]): Promise<R[]>
  /** Runs as the database's owner, without a role: for migrations and partitions only. */
  asOwner<T>(work: (queries: OwnerQueries) => Promise<T>): Promise<T>
  /**
   * Registers the worker of this instance. It is called when there may be work, and returns whether it begins now. A call
   * can be lost, so the worker also looks from time to time.
   */
  onWork(work: Work, begin: () => boolean): void
  /** The use of the connections; null if the driver has none. */
  connections(): Connections | null
  close(): Promise<void>
}

export interface Connections {
  readonly total: number
  readonly idle: number
  /** Requests that wait for a connection. */
  readonly waiting: number
}

export interface OwnerQueries extends Queries {
  /** Several statements, without parameters. */
  script(sql: string): Promise<void>
}

export type DriverQueries = Omit<OwnerQueries, 'announce'>

export interface Calls {
  send(work: Work): void
  /** @param heard gets null if calls may have been missed */
  listen(heard: (work: Work | null) => void): void
}

/** The interface of a driver: one attempt at a transaction. */
export interface Driver {
  readonly kind: Db['kind']
  /** @param opening statements that begin the transaction and choose its role */
  attempt<T>(opening: string, work: (queries: DriverQueries) => Promise<T>): Promise<T>
  connections?(): Connections
  /** Calls the workers of the other instances; absent: there are none. */
  readonly calls?: Calls
  close(): Promise<void>
}

const TENANT_ID = /^[a-z0-9-]{1,40}$/
/** Less than a second in total: a kiosk waits for the answer and retries by itself. */
const PAUSES_MS = [25, 75, 200, 500]
/** No transaction of ours takes long; a hanging one is ended and reported as unavailable. */
const LIMITS = `SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '60s'; SET LOCAL idle_in_transaction_session_timeout = '60s';`

export function createDb(driver: Driver): Db {
  const workers = new Map<Work, () => boolean>()
  const callWorker = (work: Work): boolean => workers.get(work)?.() ?? false
  const attempt = <T>(opening: string, work: (queries: OwnerQueries) => Promise<T>): Promise<T> =>
    withRetries(async () => {
      const announced = new Set<Work>()
      const announce = (each: Work): void => void announced.add(each)
      const result = await driver.attempt(opening, (queries) => work({ ...queries, announce }))
      for (const each of announced) if (!callWorker(each)) driver.calls?.send(each)
      return result
    })
  const transaction: Db['transaction'] = async (scope, work) =>
    attempt(`BEGIN; ${LIMITS} ${buildOpening(scope)}`, work)
  return {
    kind: driver.kind,
    transaction,
    query: (scope, sql, parameters = []) => transaction(scope, (queries) => queries.query(sql, parameters)),
    asOwner: (work) => attempt('BEGIN', work),
    onWork: (work, begin) => {
      if (workers.size === 0)
        driver.calls?.listen((heard) => (heard === null ? WORK : [heard]).forEach(callWorker))
      workers.set(work, begin)
    },
    connections: () => driver.connections?.() ?? null,
    close: () => driver.close(),
  }
}

/** The pattern also prevents SQL injection: the id is part of the statement's text. */
function buildOpening(scope: Scope): string {
  if ('system' in scope) return `SET LOCAL ROLE ${SYSTEM_ROLE}`
  if (!TENANT_ID.test(scope.tenant)) throw new TypeError('no id of a tenant')
  // Since version 8 of the database: the readers of the feed respect its horizon themselves.
  const feed = `set_config('app.feed', 'horizon', true)`
  return `SET LOCAL ROLE ${APP_ROLE}; SELECT set_config('app.tenant', '${scope.tenant}', true), ${feed}`
}

async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tried = 0; ; tried++) {
    try {
      return await attempt()
    } catch (error) {
      const fault = classifyFault(error)
      if (fault === null) throw error
      const pauseMs = PAUSES_MS[tried]
      if (fault === 'unknown-outcome' || pauseMs === undefined) {
        throw new AppError('centre_unavailable', { part: 'database' }, { cause: error })
      }
      await sleep(pauseMs * (0.5 + Math.random()))
    }
  }
}
