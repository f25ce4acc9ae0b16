import type { Consent } from '../proofing/identity.ts'
import type { ConsentType } from '../proofing/types.ts'
import type { Db } from './db.ts'

export interface Consents {
  add(identityId: string, consent: Consent): void
  /** Oldest first: the last of a type counts. */
  list(identityId: string): readonly Consent[]
}

interface Row {
  id: string
  type: ConsentType
  approved: 0 | 1
  valid_from: string | null
  valid_to: string | null
  recorded_at: number
}

export function createConsents(db: Db): Consents {
  const insert = db.prepare(
    `INSERT INTO consents (id, identity_id, type, approved, valid_from, valid_to, recorded_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const select = db.prepare<[string], Row>(
    'SELECT * FROM consents WHERE identity_id = ? ORDER BY recorded_at, id',
  )
  return {
    add: (identityId, consent) =>
      void insert.run(
        consent.id,
        identityId,
        consent.type,
        consent.approved ? 1 : 0,
        consent.validFrom,
        consent.validTo,
        consent.recordedAt.getTime(),
      ),
    list: (identityId) =>
      select.all(identityId).map((row) => ({
        id: row.id,
        type: row.type,
        approved: row.approved === 1,
        validFrom: row.valid_from,
        validTo: row.valid_to,
        recordedAt: new Date(row.recorded_at),
      })),
  }
}
