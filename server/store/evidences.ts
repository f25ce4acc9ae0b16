import type { Evaluation, Evidence, EvidenceContent, EvidenceFamily } from '../proofing/evidence.ts'
import type { EvidenceStatus, EvidenceType, Level } from '../proofing/types.ts'
import type { VerificationRecord } from '../proofing/verification-record.ts'
import { AppError } from '../errors.ts'
import type { Db } from './db.ts'
import type { Usage } from './usage.ts'
import type { Vault } from './vault.ts'

export interface Evidences {
  /** Also counts the evidence towards the identity's stored amount. */
  add(evidence: Evidence): void
  find(id: string): Evidence | null
  /** Throws `not_found`, also for another identity's or a deleted evidence. */
  get(identityId: string, id: string): Evidence
  /** All evidence including deleted, oldest first. */
  list(identityId: string): readonly Evidence[]
  /** Throws `revision_conflict` if another writer came first. */
  save(evidence: Evidence): void
  /** Stores the results of one run, encrypted because they describe a person. */
  addVerification(evidence: Evidence, id: string, at: Date, details: readonly VerificationRecord[]): void
  /** Details of the latest run. */
  verification(evidence: Evidence): readonly VerificationRecord[]
  /** Id of the latest run; null if it was never verified. */
  latestRun(evidenceId: string): string | null
  dropVerifications(evidenceId: string): void
}

interface Row {
  id: string
  identity_id: string
  family: EvidenceFamily
  type: EvidenceType
  status: EvidenceStatus
  strength: Level
  score: Level
  evaluation: string
  submitted_at: number
  evaluated_at: number | null
  deleted_at: number | null
  matched_reference_id: string | null
  data_ct: Buffer | null
  revision: number
}

export function createEvidences(db: Db, vault: Vault, usage: Usage): Evidences {
  const insert = db.prepare(
    `INSERT INTO evidences (id, identity_id, family, type, status, strength, score, evaluation, submitted_at,
       evaluated_at, deleted_at, matched_reference_id, data_ct, revision)
     VALUES (@id, @identityId, @family, @type, @status, @strength, @score, @evaluation, @submittedAt,
       @evaluatedAt, @deletedAt, @matchedReferenceId, @dataCt, @revision)`,
  )
  const update = db.prepare(
    `UPDATE evidences SET type = @type, status = @status, strength = @strength, score = @score,
       evaluation = @evaluation, evaluated_at = @evaluatedAt, deleted_at = @deletedAt,
       matched_reference_id = @matchedReferenceId, data_ct = @dataCt, revision = revision + 1
     WHERE id = @id AND revision = @revision`,
  )
  const byId = db.prepare<[string], Row>('SELECT * FROM evidences WHERE id = ?')
  const byIdentity = db.prepare<[string], Row>(
    'SELECT * FROM evidences WHERE identity_id = ? ORDER BY submitted_at, id',
  )
  const insertVerification = db.prepare(
    'INSERT INTO verifications (id, identity_id, evidence_id, created_at, details_ct) VALUES (?, ?, ?, ?, ?)',
  )
  const lastVerification = db.prepare<[string], { id: string; details_ct: Buffer }>(
    'SELECT id, details_ct FROM verifications WHERE evidence_id = ? ORDER BY created_at DESC, id DESC LIMIT 1',
  )
  const latestRunId = db.prepare<[string], { id: string }>(
    'SELECT id FROM verifications WHERE evidence_id = ? ORDER BY created_at DESC, id DESC LIMIT 1',
  )
  const deleteVerifications = db.prepare('DELETE FROM verifications WHERE evidence_id = ?')

  const toRow = (evidence: Evidence) => ({
    id: evidence.id,
    identityId: evidence.identityId,
    family: evidence.family,
    type: evidence.type,
    status: evidence.status,
    strength: evidence.strength,
    score: evidence.score,
    evaluation: JSON.stringify(evidence.evaluation),
    submittedAt: evidence.submittedAt.getTime(),
    evaluatedAt: evidence.evaluatedAt?.getTime() ?? null,
    deletedAt: evidence.deletedAt?.getTime() ?? null,
    matchedReferenceId: evidence.matchedReferenceId,
    dataCt: vault.sealJson(evidence.identityId, `evidences:${evidence.id}`, evidence.content),
    revision: evidence.revision,
  })
  const fromRow = (row: Row): Evidence => ({
    id: row.id,
    identityId: row.identity_id,
    family: row.family,
    type: row.type,
    status: row.status,
    strength: row.strength,
    score: row.score,
    evaluation: JSON.parse(row.evaluation) as Evaluation,
    submittedAt: new Date(row.submitted_at),
    evaluatedAt: row.evaluated_at === null ? null : new Date(row.evaluated_at),
    deletedAt: row.deleted_at === null ? null : new Date(row.deleted_at),
    matchedReferenceId: row.matched_reference_id,
    content: row.data_ct
      ? (vault.unsealJson(row.identity_id, `evidences:${row.id}`, row.data_ct) as EvidenceContent)
      : {},
    revision: row.revision,
  })

  return {
    add: (evidence) => {
      const row = toRow(evidence)
      insert.run(row)
      usage.add(evidence.identityId, { pieces: 1, bytes: row.dataCt.byteLength })
    },
    find: (id) => {
      const row = byId.get(id)
      return row ? fromRow(row) : null
    },
    get: (identityId, id) => {
      const row = byId.get(id)
      if (row?.identity_id !== identityId || row.deleted_at !== null) {
        throw new AppError('not_found', { resource: 'evidence' })
      }
      return fromRow(row)
    },
    list: (identityId) => byIdentity.all(identityId).map(fromRow),
    save: (evidence) => {
      if (update.run(toRow(evidence)).changes === 0)
        throw new AppError('revision_conflict', { id: evidence.id })
    },
    addVerification: (evidence, id, at, details) => {
      const sealed = vault.sealJson(evidence.identityId, `verifications:${id}`, details)
      insertVerification.run(id, evidence.identityId, evidence.id, at.getTime(), sealed)
    },
    verification: (evidence) => {
      const row = lastVerification.get(evidence.id)
      if (!row) return []
      return vault.unsealJson(
        evidence.identityId,
        `verifications:${row.id}`,
        row.details_ct,
      ) as VerificationRecord[]
    },
    latestRun: (evidenceId) => latestRunId.get(evidenceId)?.id ?? null,
    dropVerifications: (evidenceId) => void deleteVerifications.run(evidenceId),
  }
}
