/** The connection on which each table of the store is made. */
import type Database from 'better-sqlite3'

/** The functions of a statement that the store uses. */
export type Statement<Bound extends unknown[] = unknown[], Result = unknown> = Pick<
  Database.Statement<Bound, Result>,
  'run' | 'get' | 'all' | 'iterate'
>

export interface Db extends Omit<Database.Database, 'prepare'> {
  prepare<Bound extends unknown[] | object = unknown[], Result = unknown>(
    sql: string,
  ): Statement<Bound extends unknown[] ? Bound : [Bound], Result>
}

/**
 * Makes the connection compile each statement at its first use: the tables have some hundreds, and a command or a start uses a
 * few. Changes the connection and returns it.
 */
export function compileLate(db: Database.Database): Db {
  const prepare = db.prepare.bind(db)
  const late = (sql: string): Statement => {
    let compiled: Statement | undefined
    const statement = (): Statement => (compiled ??= prepare<unknown[]>(sql))
    return {
      run: (...values) => statement().run(...values),
      get: (...values) => statement().get(...values),
      all: (...values) => statement().all(...values),
      iterate: (...values) => statement().iterate(...values),
    }
  }
  return Object.assign(db, { prepare: late as Db['prepare'] })
}
