/** PostgreSQL through `pg`: a pool, shared by all requests of this instance. */
import pg from 'pg'
import { AppError } from '../../errors.ts'
import { describeError, type Log } from '../../log.ts'
import { openCalls } from './calls.ts'
import type { Driver, DriverQueries } from './db.ts'
import { CommitUnknown, isRefusal } from './faults.ts'

interface PostgresOptions {
  readonly url: string
  /** The address of PostgreSQL itself, if a pooler answers at `url`. */
  readonly listenUrl?: string | undefined
  /** Connections of this instance. */
  readonly connections: number
}

const CONNECT_TIMEOUT_MS = 5_000
const IDLE_MS = 30_000
const INT8 = 20 // OID of bigint: all numbers are below 2^53

export function openPostgres({ url, listenUrl = url, connections }: PostgresOptions, log: Log): Driver {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    application_name: 'counterproof-centre',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? Number : (pg.types.getTypeParser(oid, format) as (value: string) => unknown),
    },
  })
  // The pool drops a connection that breaks while idle. Without a listener the process would end.
  pool.on('error', (error) => log.warn(describeError(error), 'an idle connection to the database broke'))
  const calls = openCalls(pool, listenUrl, log)
  return {
    kind: 'postgres',
    calls,
    attempt: async (opening, work) => {
      const client = await pool.connect()
      let broken: Error | undefined
      const onError = (error: Error): void => {
        broken = error
      }
      client.on('error', onError)
      try {
        await client.query(opening)
        const result = await work(buildQueries(client))
        await commit(client)
        return result
      } catch (error) {
        if (!(error instanceof CommitUnknown)) {
          // A failed rollback means that the connection is lost, and with it the transaction.
          await client.query('ROLLBACK').catch((failed: Error) => {
            broken = failed
          })
        } else broken = error
        throw error
      } finally {
        client.off('error', onError)
        client.release(broken)
      }
    },
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      await calls.close()
      await pool.end()
    },
  }
}

function buildQueries(client: pg.PoolClient): DriverQueries {
  return {
    query: async <R extends object>(sql: string, parameters: readonly unknown[] = []) =>
      (await client.query<R & pg.QueryResultRow>(sql, parameters.map(toDriver))).rows,
    script: async (sql) => {
      await client.query(sql)
    },
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  let answer: pg.QueryResult
  try {
    answer = await client.query('COMMIT')
  } catch (cause) {
    if (isRefusal(cause)) throw cause
    throw new CommitUnknown('the connection broke during the commit', { cause })
  }
  // PostgreSQL answers the commit of a failed transaction with a rollback, not with an error.
  if (answer.command === 'ROLLBACK') throw new AppError('internal', { reason: 'rolled back at commit' })
}

/** `pg` would send a Uint8Array that is no Buffer as text. */
function toDriver(parameter: unknown): unknown {
  return parameter instanceof Uint8Array
    ? Buffer.from(parameter.buffer, parameter.byteOffset, parameter.byteLength)
    : parameter
}
