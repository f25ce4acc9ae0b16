/**
 * Counts the stored amount of each identity: evidence, and bytes of files, texts and videos. The counts are columns of
 * the identity's row, so that they are erased with it and an application's sum needs one index.
 */
import type { Db } from './db.ts'

interface KeptOfIdentity {
  /** Number of evidence including deleted ones, whose records stay for the proof. */
  readonly pieces: number
  readonly bytes: number
}

interface KeptOfApplication extends KeptOfIdentity {
  readonly identities: number
}

export interface Usage {
  /** Call inside the transaction that adds or removes rows; negative for removals. */
  add(identityId: string, change: Partial<KeptOfIdentity>): void
  ofIdentity(identityId: string): KeptOfIdentity
  ofApplication(applicationId: string): KeptOfApplication
}

/** One look-up in `identities_by_usage`. */
export const KEPT_OF_APPLICATION = `SELECT count(*) AS identities, coalesce(sum(pieces), 0) AS pieces,
  coalesce(sum(kept_bytes), 0) AS bytes FROM identities WHERE application_id = ?`

export function createUsage(db: Db): Usage {
  const change = db.prepare(
    'UPDATE identities SET pieces = pieces + ?, kept_bytes = kept_bytes + ? WHERE id = ?',
  )
  const ofIdentity = db.prepare<[string], KeptOfIdentity>(
    'SELECT pieces, kept_bytes AS bytes FROM identities WHERE id = ?',
  )
  const ofApplication = db.prepare<[string], KeptOfApplication>(KEPT_OF_APPLICATION)
  return {
    add: (identityId, { pieces = 0, bytes = 0 }) => void change.run(pieces, bytes, identityId),
    ofIdentity: (identityId) => ofIdentity.get(identityId) ?? { pieces: 0, bytes: 0 },
    ofApplication: (applicationId) =>
      ofApplication.get(applicationId) ?? { identities: 0, pieces: 0, bytes: 0 },
  }
}
