/** Identities that must be kept, regardless of the deletion policy or a caller's request. */
import type { Db } from './db.ts'
import type { Vault } from './vault.ts'

export interface LegalHold {
  readonly identityId: string
  readonly actor: string
  /** The authority's name for the case: encrypted, because it may name a person. */
  readonly reference: string
  readonly placedAt: Date
  /** Null: until it is lifted. */
  readonly until: Date | null
}

export interface LegalHolds {
  /** Replaces an existing hold. */
  place(hold: LegalHold): void
  /** Returns false if there was none. */
  lift(identityId: string): boolean
  find(identityId: string): LegalHold | null
  /** True if a hold is in force at this time. */
  holds(identityId: string, at: Date): boolean
  list(): readonly LegalHold[]
}

interface Row {
  identity_id: string
  actor: string
  reference_ct: Buffer
  placed_at: number
  until_at: number | null
}

export function createLegalHolds(db: Db, vault: Vault): LegalHolds {
  const upsert = db.prepare(
    `INSERT INTO legal_holds (identity_id, actor, reference_ct, placed_at, until_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (identity_id) DO UPDATE SET actor = excluded.actor, reference_ct = excluded.reference_ct,
       placed_at = excluded.placed_at, until_at = excluded.until_at`,
  )
  const remove = db.prepare('DELETE FROM legal_holds WHERE identity_id = ?')
  const one = db.prepare<[string], Row>('SELECT * FROM legal_holds WHERE identity_id = ?')
  const all = db.prepare<[], Row>('SELECT * FROM legal_holds ORDER BY placed_at')
  const inForce = db.prepare<[string, number], { one: number }>(
    'SELECT 1 AS one FROM legal_holds WHERE identity_id = ? AND (until_at IS NULL OR until_at > ?)',
  )
  const buildSealContext = (identityId: string): string => `legal_holds:${identityId}`
  const fromRow = (row: Row): LegalHold => ({
    identityId: row.identity_id,
    actor: row.actor,
    reference: vault.unsealJson(
      row.identity_id,
      buildSealContext(row.identity_id),
      row.reference_ct,
    ) as string,
    placedAt: new Date(row.placed_at),
    until: row.until_at === null ? null : new Date(row.until_at),
  })
  return {
    place: ({ identityId, actor, reference, placedAt, until }) =>
      void upsert.run(
        identityId,
        actor,
        vault.sealJson(identityId, buildSealContext(identityId), reference),
        placedAt.getTime(),
        until?.getTime() ?? null,
      ),
    lift: (identityId) => remove.run(identityId).changes > 0,
    find: (identityId) => {
      const row = one.get(identityId)
      return row ? fromRow(row) : null
    },
    holds: (identityId, at) => inForce.get(identityId, at.getTime()) !== undefined,
    list: () => all.all().map(fromRow),
  }
}
