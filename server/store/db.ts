/** The connection on which each table of the store is made. */
import type Database from 'better-sqlite3'

export type Db = Database.Database
