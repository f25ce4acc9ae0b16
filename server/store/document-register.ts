/**
 * The latest imported list of lost, stolen and revoked documents, as keyed hashes: neither the list nor a query can be
 * recovered.
 */
import { v7 as uuidv7 } from 'uuid'
import type { RegisterReason } from '../proofing/antifraud/document-status.ts'
import type { Db } from './db.ts'

interface ImportedRegister {
  readonly name: string
  /** Hash of the file. */
  readonly sha256: string
  /** yyyy-MM-dd */
  readonly date: string
  readonly coversDeaths: boolean
  readonly entries: number
  readonly importedAt: Date
}

export interface RegisterEntry {
  /** Canonical name of the document (`documentName`): only its hash is stored. */
  readonly name: string
  readonly reason: RegisterReason
}

export interface DocumentRegisters {
  /** Replaces the previous list. Call inside a transaction. */
  replace(register: Omit<ImportedRegister, 'entries'>, entries: readonly RegisterEntry[]): void
  current(): ImportedRegister | null
  find(documentName: string): readonly RegisterReason[]
}

interface Row {
  name: string
  sha256: string
  list_date: string
  covers_deaths: number
  entries: number
  imported_at: number
}

export function createDocumentRegisters(db: Db, lookupHash: (value: string) => Buffer): DocumentRegisters {
  const insert = db.prepare(
    `INSERT INTO document_registers (id, name, sha256, list_date, covers_deaths, entries, imported_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertEntry = db.prepare(
    'INSERT INTO document_register_entries (mark, reason) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  const removeAll = [
    db.prepare('DELETE FROM document_registers'),
    db.prepare('DELETE FROM document_register_entries'),
  ]
  const one = db.prepare<[], Row>('SELECT * FROM document_registers LIMIT 1')
  const reasons = db.prepare<[Buffer], { reason: RegisterReason }>(
    'SELECT reason FROM document_register_entries WHERE mark = ? ORDER BY reason',
  )
  const hashDocumentName = (documentName: string): Buffer => lookupHash(`document-register\n${documentName}`)
  return {
    replace: ({ name, sha256, date, coversDeaths, importedAt }, entries) => {
      for (const statement of removeAll) statement.run()
      insert.run(uuidv7(), name, sha256, date, coversDeaths ? 1 : 0, entries.length, importedAt.getTime())
      for (const entry of entries) insertEntry.run(hashDocumentName(entry.name), entry.reason)
    },
    current: () => {
      const row = one.get()
      return row
        ? {
            name: row.name,
            sha256: row.sha256,
            date: row.list_date,
            coversDeaths: row.covers_deaths === 1,
            entries: row.entries,
            importedAt: new Date(row.imported_at),
          }
        : null
    },
    find: (documentName) => reasons.all(hashDocumentName(documentName)).map(({ reason }) => reason),
  }
}
