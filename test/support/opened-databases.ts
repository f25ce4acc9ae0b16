/**
 * The appliance's own connections, real ones: a limit or a full disk of a database applies to one connection
 * only.
 */
import type Database from 'better-sqlite3'

interface Sqlite {
  readonly default: typeof Database
}

const opened: Database.Database[] = []

/** For `vi.mock('better-sqlite3')`. */
export function withOpenedDatabases({ default: Real }: Sqlite): Sqlite {
  class Seen extends Real {
    constructor(...options: ConstructorParameters<typeof Real>) {
      super(...options)
      opened.push(this)
    }
  }
  return { default: Seen as unknown as typeof Database }
}

/** Returns the connection of the present appliance. */
export function applianceDatabase(): Database.Database {
  const db = opened.findLast(({ name, open }) => open && name.endsWith('appliance.sqlite'))
  if (!db) throw new TypeError('no database is open')
  return db
}
