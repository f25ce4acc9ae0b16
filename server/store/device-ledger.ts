/** Inspections and tampering of the device, each with a signed statement. Append-only. */
import { describeEntry, type LedgerEntry, type TamperKind } from '../proofing/antifraud/ledger.ts'
import type { Db } from './db.ts'

export interface DeviceLedger {
  /** `statement`: compact JWS over the same facts. */
  add(entry: LedgerEntry, statement: string): void
  /** Oldest first. */
  list(): readonly LedgerEntry[]
  statement(id: string): string | null
}

interface Row {
  id: string
  entry: LedgerEntry['entry']
  detail: string
  at: number
  statement: string
}

export function createDeviceLedger(db: Db): DeviceLedger {
  const insert = db.prepare(
    'INSERT INTO device_ledger (id, entry, detail, at, statement) VALUES (?, ?, ?, ?, ?)',
  )
  const all = db.prepare<[], Row>('SELECT * FROM device_ledger ORDER BY at, id')
  const one = db.prepare<[string], Row>('SELECT * FROM device_ledger WHERE id = ?')
  return {
    add: (entry, statement) =>
      void insert.run(entry.id, entry.entry, describeEntry(entry), entry.at.getTime(), statement),
    list: () => all.all().map(fromRow),
    statement: (id) => one.get(id)?.statement ?? null,
  }
}

function fromRow({ id, entry, detail, at }: Row): LedgerEntry {
  const common = { id, at: new Date(at) }
  switch (entry) {
    case 'INSPECTED':
      return { ...common, entry, outcome: detail as 'PASSED' | 'FAILED' }
    case 'TAMPERED':
      return { ...common, entry, kind: detail as TamperKind }
    case 'CLEARED':
      return { ...common, entry, inspectionId: detail }
  }
}
