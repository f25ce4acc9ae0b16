/** Requests for adjudication. The latest request of an evidence counts. */
import type { Adjudicator, Claim } from '../proofing/adjudication-decision.ts'
import type { AdjudicationStatus, EvidenceType, ResultError } from '../proofing/types.ts'
import type { Db } from './db.ts'
import { scopeParameters, withinScope, type Scope } from './scope.ts'
import type { Vault } from './vault.ts'

export interface Adjudication {
  readonly id: string
  readonly identityId: string
  readonly evidenceId: string
  readonly status: AdjudicationStatus
  /** A code of the reason catalogue, never free text. */
  readonly reason: string | null
  readonly errors: readonly ResultError[]
  readonly requestedAt: Date
  readonly respondedAt: Date | null
  /** Two people must accept, according to the policy at the time of the request. */
  readonly fourEyes: boolean
  /** Current claim. Encrypted, because it names a person. */
  readonly claim: Claim | null
}

/** A page of the queue. */
export interface QueueQuery {
  readonly scope: Scope
  readonly statuses: readonly AdjudicationStatus[]
  readonly type?: EvidenceType
  /** The last request of the previous page. */
  readonly after?: Pick<Adjudication, 'id' | 'requestedAt'>
  readonly limit: number
}

export interface Adjudications {
  add(adjudication: Adjudication): void
  find(id: string): Adjudication | null
  /** The latest request for this evidence. */
  latest(evidenceId: string): Adjudication | null
  /** The latest request per evidence of the identity, oldest first. */
  list(identityId: string): readonly Adjudication[]
  /** All requests for this evidence, oldest first. */
  ofEvidence(evidenceId: string): readonly Adjudication[]
  /** Requests of all existing identities within the scope, oldest first, without those for withdrawn evidence. */
  queue(query: QueueQuery): readonly Adjudication[]
  save(adjudication: Adjudication): void
}

interface Row {
  id: string
  identity_id: string
  evidence_id: string
  status: AdjudicationStatus
  reason: string | null
  errors: string
  requested_at: number
  responded_at: number | null
  four_eyes: number
  claim_ct: Buffer | null
  claim_expires_at: number | null
}

export function createAdjudications(db: Db, vault: Vault): Adjudications {
  const insert = db.prepare(
    `INSERT INTO adjudications (id, identity_id, evidence_id, status, reason, errors, requested_at, responded_at,
       four_eyes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = db.prepare(
    `UPDATE adjudications SET status = ?, reason = ?, errors = ?, responded_at = ?, claim_ct = ?, claim_expires_at = ?
     WHERE id = ?`,
  )
  const byId = db.prepare<[string], Row>('SELECT * FROM adjudications WHERE id = ?')
  const last = db.prepare<[string], Row>(
    'SELECT * FROM adjudications WHERE evidence_id = ? ORDER BY requested_at DESC, id DESC LIMIT 1',
  )
  const all = db.prepare<[string], Row>(
    'SELECT * FROM adjudications WHERE identity_id = ? ORDER BY requested_at, id',
  )
  const allOfEvidence = db.prepare<[string], Row>(
    'SELECT * FROM adjudications WHERE evidence_id = ? ORDER BY requested_at, id',
  )
  const page = db.prepare<[Record<string, string | number | null>], Row>(
    `SELECT a.* FROM adjudications a JOIN identities i ON i.id = a.identity_id JOIN evidences e ON e.id = a.evidence_id
     WHERE a.status IN (SELECT value FROM json_each(@statuses)) AND i.status <> 'CLOSED'
       AND ${withinScope('i.id', 'i.tenant_id', 'i.application_id')}
       AND i.id NOT IN (SELECT identity_id FROM erasures) AND e.deleted_at IS NULL AND e.type = coalesce(@type, e.type)
       AND (a.requested_at, a.id) > (@requestedAt, @id)
     ORDER BY a.requested_at, a.id LIMIT @limit`,
  )
  const buildSealContext = (id: string): string => `adjudications:${id}`
  const sealClaim = ({ id, identityId, claim }: Adjudication): Buffer | null =>
    claim && vault.sealJson(identityId, buildSealContext(id), claim.adjudicator)
  const openClaim = (row: Row): Claim | null =>
    row.claim_ct === null || row.claim_expires_at === null
      ? null
      : {
          adjudicator: vault.unsealJson(
            row.identity_id,
            buildSealContext(row.id),
            row.claim_ct,
          ) as Adjudicator,
          expiresAt: new Date(row.claim_expires_at),
        }
  const fromRow = (row: Row): Adjudication => ({
    id: row.id,
    identityId: row.identity_id,
    evidenceId: row.evidence_id,
    status: row.status,
    reason: row.reason,
    errors: JSON.parse(row.errors) as readonly ResultError[],
    requestedAt: new Date(row.requested_at),
    respondedAt: row.responded_at === null ? null : new Date(row.responded_at),
    fourEyes: row.four_eyes === 1,
    claim: openClaim(row),
  })
  return {
    add: (item) =>
      void insert.run(
        item.id,
        item.identityId,
        item.evidenceId,
        item.status,
        item.reason,
        JSON.stringify(item.errors),
        item.requestedAt.getTime(),
        item.respondedAt?.getTime() ?? null,
        item.fourEyes ? 1 : 0,
      ),
    find: (id) => {
      const row = byId.get(id)
      return row ? fromRow(row) : null
    },
    latest: (evidenceId) => {
      const row = last.get(evidenceId)
      return row ? fromRow(row) : null
    },
    list: (identityId) => {
      const rows = all.all(identityId)
      return rows
        .filter((row, index) => !rows.slice(index + 1).some((later) => later.evidence_id === row.evidence_id))
        .map(fromRow)
    },
    ofEvidence: (evidenceId) => allOfEvidence.all(evidenceId).map(fromRow),
    queue: ({ scope, statuses, type, after, limit }) =>
      page
        .all({
          ...scopeParameters(scope),
          statuses: JSON.stringify(statuses),
          type: type ?? null,
          requestedAt: after?.requestedAt.getTime() ?? 0,
          id: after?.id ?? '',
          limit,
        })
        .map(fromRow),
    save: (item) =>
      void update.run(
        item.status,
        item.reason,
        JSON.stringify(item.errors),
        item.respondedAt?.getTime() ?? null,
        sealClaim(item),
        item.claim?.expiresAt.getTime() ?? null,
        item.id,
      ),
  }
}
