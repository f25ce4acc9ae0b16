/**
 * Decisions of adjudicators with their signatures, encrypted because they name a person. Also ids of processed answers of
 * an adjudication service, so that a repeated answer has no effect.
 */
import type { PersonRead } from '../proofing/read-by-person.ts'
import type { RecordedDecision } from '../proofing/verification-record.ts'
import type { Db } from './db.ts'
import type { Vault } from './vault.ts'

interface StoredDecision {
  readonly id: string
  readonly adjudicationId: string
  readonly identityId: string
  readonly decision: RecordedDecision
  readonly decidedAt: Date
  /** The adjudicator's note to colleagues. Encrypted with the decision, not part of its record and of no proof. */
  readonly note?: string
  /** Values that the adjudicator read from the picture. Encrypted too; the signed record contains only their hash. */
  readonly reading?: StoredReading
}

/** Salt of the signed hash, and the values. */
interface StoredReading {
  readonly salt: string
  readonly values: PersonRead
}

interface NotedDecision {
  readonly decision: RecordedDecision
  readonly note: string
}

export interface AdjudicationDecisions {
  add(decision: StoredDecision): void
  /** Decisions of one request, oldest first. */
  list(adjudicationId: string): readonly RecordedDecision[]
  /** Decisions of one request that have a note, oldest first. */
  notes(adjudicationId: string): readonly NotedDecision[]
  /** Values read by the adjudicators who accepted, oldest first. */
  readings(adjudicationId: string): readonly PersonRead[]
  /** Signed readings of a request, keyed by the signature over their hash. */
  signedReadings(adjudicationId: string): ReadonlyMap<string, StoredReading>
  /** Deletes the decisions about evidence that was withdrawn. */
  dropByEvidence(evidenceId: string): void
  /** Returns false for an answer that was processed before. Call inside the transaction that processes it. */
  takeCallback(id: string, at: Date): boolean
  wasTaken(id: string): boolean
}

/** `salt`: absent in records of an earlier version, whose statement does not cover the values. */
type Sealed = RecordedDecision & {
  readonly note?: string
  readonly values?: PersonRead
  readonly salt?: string
}

interface Row {
  id: string
  identity_id: string
  decision_ct: Buffer
}

export function createAdjudicationDecisions(
  db: Db,
  vault: Vault,
  lookupHash: (value: string) => Buffer,
): AdjudicationDecisions {
  const insert = db.prepare(
    `INSERT INTO adjudication_decisions (id, adjudication_id, identity_id, decision_ct, decided_at)
     VALUES (?, ?, ?, ?, ?)`,
  )
  // Ids are ordered by time, which orders decisions of the same millisecond.
  const select = db.prepare<[string], Row>(
    'SELECT id, identity_id, decision_ct FROM adjudication_decisions WHERE adjudication_id = ? ORDER BY decided_at, id',
  )
  const remove = db.prepare(
    `DELETE FROM adjudication_decisions
     WHERE adjudication_id IN (SELECT id FROM adjudications WHERE evidence_id = ?)`,
  )
  const take = db.prepare('INSERT INTO callbacks (id_hash, received_at) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const taken = db.prepare<[Buffer], { received_at: number }>(
    'SELECT received_at FROM callbacks WHERE id_hash = ?',
  )
  const hashCallback = (id: string): Buffer => lookupHash(`adjudication-callback\n${id}`)
  const buildSealContext = (id: string): string => `adjudication_decisions:${id}`
  const unsealed = (adjudicationId: string): readonly Sealed[] =>
    select
      .all(adjudicationId)
      .map((row) => vault.unsealJson(row.identity_id, buildSealContext(row.id), row.decision_ct) as Sealed)
  return {
    add: ({ id, adjudicationId, identityId, decision, decidedAt, note, reading }) => {
      const all: Sealed = { ...decision, ...(note === undefined ? {} : { note }), ...reading }
      const sealed = vault.sealJson(identityId, buildSealContext(id), all)
      insert.run(id, adjudicationId, identityId, sealed, decidedAt.getTime())
    },
    list: (adjudicationId) =>
      unsealed(adjudicationId).map(({ note: _, values: __, salt: ___, ...decision }) => decision),
    readings: (adjudicationId) =>
      unsealed(adjudicationId).flatMap(({ values, decision }) =>
        values && decision === 'ACCEPTED' ? [values] : [],
      ),
    signedReadings: (adjudicationId) =>
      new Map(
        unsealed(adjudicationId).flatMap(({ signature, salt, values }) =>
          salt !== undefined && values ? [[signature, { salt, values }] as const] : [],
        ),
      ),
    notes: (adjudicationId) =>
      unsealed(adjudicationId).flatMap(({ note, values: _, salt: __, ...decision }) =>
        note === undefined ? [] : [{ decision, note }],
      ),
    dropByEvidence: (evidenceId) => void remove.run(evidenceId),
    takeCallback: (id, at) => take.run(hashCallback(id), at.getTime()).changes > 0,
    wasTaken: (id) => taken.get(hashCallback(id)) !== undefined,
  }
}
