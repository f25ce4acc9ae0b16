import type { AssessmentSummary, Identity, UpgradePaths } from '../proofing/identity.ts'
import type { IdentityStatus, KeyValue } from '../proofing/types.ts'
import { AppError, fieldProblem } from '../errors.ts'
import type { Db } from './open.ts'
import type { Vault } from './vault.ts'

export interface Identities {
  /** Makes the data key, too. Throws `validation_failed` when the tenant has used the correlation id before. */
  add(identity: Identity, context: readonly KeyValue[], correlationId?: string): void
  /** Throws `not_found`, also for another tenant's identity. */
  get(tenantId: string, id: string): Identity
  /** For jobs, which know no caller. Null for an identity that is erased, or being erased. */
  find(id: string): Identity | null
  findByCorrelation(tenantId: string, correlationId: string): Identity | null
  /** Those of one application that no proof has closed, oldest first. */
  listOpen(applicationId: string): readonly Identity[]
  context(id: string): readonly KeyValue[]
  /** As the caller gave it; null when there was none, or a version before 0.3 kept its hash alone. */
  correlationId(id: string): string | null
  /** Open ones that nothing has happened to since this moment, oldest first. */
  listIdle(since: Date, limit: number): readonly Identity[]
  /** Ids of all, those too whose erasure has begun. */
  listIds(): readonly string[]
  /** Throws `revision_conflict` when another writer came first. */
  save(identity: Identity): void
  /** Everything that hangs on the identity; its data key is destroyed apart (`vault`). */
  erase(id: string): void
  /** Of all tenants, for the health report. */
  count(): number
}

interface Row {
  id: string
  tenant_id: string
  application_id: string
  status: IdentityStatus
  level_of_assurance: string
  upgrade_paths: string
  assessment: string
  name_reference_id: string | null
  portrait_reference_id: string | null
  created_at: number
  evaluated_at: number
  previous_proof_id: string | null
  revision: number
}

/** One whose erasure has begun is gone for everybody, whatever of it a crash left behind. */
const STANDING = 'id NOT IN (SELECT identity_id FROM erasures)'
const COLUMNS = `id, tenant_id, application_id, status, level_of_assurance, upgrade_paths, assessment,
  name_reference_id, portrait_reference_id, created_at, evaluated_at, previous_proof_id, revision`

export function createIdentities(db: Db, vault: Vault, lookupHash: (value: string) => Buffer): Identities {
  const insert = db.prepare(
    `INSERT INTO identities (${COLUMNS}, correlation_hash, correlation_ct)
     VALUES (@id, @tenantId, @applicationId, @status, @levelOfAssurance, @upgradePaths, @assessment,
             @nameReferenceId, @portraitReferenceId, @createdAt, @evaluatedAt, @previousProofId, @revision, @correlationHash, @correlationCt)`,
  )
  const insertContext = db.prepare('INSERT INTO identity_contexts (identity_id, context_ct) VALUES (?, ?)')
  const byId = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM identities WHERE id = ? AND ${STANDING}`)
  const byCorrelation = db.prepare<[string, Buffer], Row>(
    `SELECT ${COLUMNS} FROM identities WHERE tenant_id = ? AND correlation_hash = ? AND ${STANDING}`,
  )
  const isUsed = db.prepare<[string, Buffer], { id: string }>(
    'SELECT id FROM identities WHERE tenant_id = ? AND correlation_hash = ?',
  )
  const openOf = db.prepare<[string], Row>(
    `SELECT ${COLUMNS} FROM identities WHERE application_id = ? AND status <> 'CLOSED' AND ${STANDING}
     ORDER BY created_at, id`,
  )
  const contextOf = db.prepare<[string], { context_ct: Buffer }>(
    'SELECT context_ct FROM identity_contexts WHERE identity_id = ?',
  )
  const correlationOf = db.prepare<[string], { correlation_ct: Buffer | null }>(
    'SELECT correlation_ct FROM identities WHERE id = ?',
  )
  const idle = db.prepare<[number, number, number], Row>(
    `SELECT ${COLUMNS} FROM identities WHERE status <> 'CLOSED' AND created_at < ? AND evaluated_at < ?
     ORDER BY created_at, id LIMIT ?`,
  )
  const ids = db.prepare<[], { id: string }>('SELECT id FROM identities')
  const correlationContext = (id: string): string => `identities.correlation:${id}`
  const update = db.prepare(
    `UPDATE identities SET status = @status, level_of_assurance = @levelOfAssurance, upgrade_paths = @upgradePaths,
       assessment = @assessment, name_reference_id = @nameReferenceId, portrait_reference_id = @portraitReferenceId,
       evaluated_at = @evaluatedAt, previous_proof_id = @previousProofId, revision = revision + 1
     WHERE id = @id AND revision = @revision AND ${STANDING}`,
  )
  const remove = db.prepare('DELETE FROM identities WHERE id = ?')
  const total = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM identities')
  const correlationHash = (tenantId: string, value: string): Buffer => lookupHash(`${tenantId}\n${value}`)

  return {
    add: (identity, context, correlationId) => {
      const hash = correlationId ? correlationHash(identity.tenantId, correlationId) : null
      if (hash && isUsed.get(identity.tenantId, hash)) {
        throw fieldProblem('not_unique', 'correlation-id', 'an identity with this correlation id exists')
      }
      vault.create(identity.id)
      const correlationCt = correlationId
        ? vault.sealJson(identity.id, correlationContext(identity.id), correlationId)
        : null
      insert.run({ ...toRow(identity), correlationHash: hash, correlationCt })
      insertContext.run(identity.id, vault.sealJson(identity.id, `identity_contexts:${identity.id}`, context))
    },
    get: (tenantId, id) => {
      const row = byId.get(id)
      if (row?.tenant_id !== tenantId) throw new AppError('not_found', { resource: 'identity' })
      return fromRow(row)
    },
    find: (id) => {
      const row = byId.get(id)
      return row ? fromRow(row) : null
    },
    findByCorrelation: (tenantId, correlationId) => {
      const row = byCorrelation.get(tenantId, correlationHash(tenantId, correlationId))
      return row ? fromRow(row) : null
    },
    listOpen: (applicationId) => openOf.all(applicationId).map(fromRow),
    context: (id) => {
      const row = contextOf.get(id)
      return row ? (vault.unsealJson(id, `identity_contexts:${id}`, row.context_ct) as KeyValue[]) : []
    },
    correlationId: (id) => {
      const sealed = correlationOf.get(id)?.correlation_ct
      return sealed ? (vault.unsealJson(id, correlationContext(id), sealed) as string) : null
    },
    listIdle: (since, limit) => idle.all(since.getTime(), since.getTime(), limit).map(fromRow),
    listIds: () => ids.all().map(({ id }) => id),
    save: (identity) => {
      if (update.run(toRow(identity)).changes === 0)
        throw new AppError('revision_conflict', { id: identity.id })
    },
    erase: (id) => {
      remove.run(id)
    },
    count: () => total.get()?.n ?? 0,
  }
}

function toRow(identity: Identity) {
  return {
    ...identity,
    upgradePaths: JSON.stringify(identity.upgradePaths),
    assessment: JSON.stringify(identity.assessment ?? {}),
    createdAt: identity.createdAt.getTime(),
    evaluatedAt: identity.evaluatedAt.getTime(),
  }
}

function fromRow(row: Row): Identity {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    applicationId: row.application_id,
    status: row.status,
    levelOfAssurance: row.level_of_assurance,
    upgradePaths: JSON.parse(row.upgrade_paths) as UpgradePaths,
    assessment: row.assessment === '{}' ? null : (JSON.parse(row.assessment) as AssessmentSummary),
    nameReferenceId: row.name_reference_id,
    portraitReferenceId: row.portrait_reference_id,
    createdAt: new Date(row.created_at),
    evaluatedAt: new Date(row.evaluated_at),
    previousProofId: row.previous_proof_id,
    revision: row.revision,
  }
}
