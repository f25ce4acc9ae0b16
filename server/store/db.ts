/** The connection on which each table of the store is made. */
import type Database from 'better-sqlite3'

export type Db = Database.Database
type Statement = Database.Statement<unknown[]>

/**
 * Makes the connection compile each statement at its first use: the tables have some hundreds, and a command or a start uses a
 * few. Changes the connection and returns it.
 */
export function compileLate(db: Db): Db {
  const prepare = db.prepare.bind(db)
  const late = (sql: string): Pick<Statement, 'run' | 'get' | 'all' | 'iterate'> => {
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
