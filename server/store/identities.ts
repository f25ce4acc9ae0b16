import type { AssessmentSummary, Identity, UpgradePaths } from '../proofing/identity.ts'
import type { IdentityStatus, KeyValue, TenantMode } from '../proofing/types.ts'
import { AppError, fieldProblem } from '../errors.ts'
import type { Db } from './db.ts'
import { isWithin, scopeParameters, withinScope, type Scope } from './scope.ts'
import type { Usage } from './usage.ts'
import type { Vault } from './vault.ts'

export interface Identities {
  /** Also creates the data key. Throws `validation_failed` if the application has used the correlation id before. */
  add(identity: Identity, context: readonly KeyValue[], correlationId?: string): void
  /** Throws `not_found` for an identity that is unknown, erased, being erased or outside the scope. */
  get(scope: Scope, id: string): Identity
  /** Like `get`, but returns null instead of throwing. */
  find(scope: Scope, id: string): Identity | null
  /** Correlation ids are unique per application, so a scope of several applications may match several identities. */
  findByCorrelation(scope: Scope, correlationId: string): readonly Identity[]
  /** Identities of one application without a final proof, oldest first. */
  listOpen(applicationId: string): readonly Identity[]
  /** Identities of a tenant created in this mode without a final proof, oldest first. */
  listOpenOfMode(tenantId: string, mode: TenantMode): readonly Identity[]
  context(id: string): readonly KeyValue[]
  /** As given by the caller; null if there was none or a version before 0.3 stored only its hash. */
  correlationId(id: string): string | null
  /** Open identities without any event since then, oldest first. */
  listIdle(since: Date, limit: number): readonly Identity[]
  /** All ids, including those being erased. */
  listIds(): readonly string[]
  /** Throws `revision_conflict` if another writer came first. Does not change mode and test mark. */
  save(identity: Identity): void
  /** Marks the identity as a test permanently. Returns false if it was one. Objects loaded before are outdated. */
  markTest(id: string): boolean
  /** Deletes everything that references the identity; `vault` destroys its data key separately. */
  erase(id: string): void
  /** All tenants, for the health report. */
  count(): number
}

interface Row {
  id: string
  tenant_id: string
  application_id: string
  status: IdentityStatus
  mode: TenantMode
  is_test: number
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

/** An identity being erased is invisible to all queries, regardless of what a crash left behind. */
const STANDING = 'id NOT IN (SELECT identity_id FROM erasures)'
const COLUMNS = `id, tenant_id, application_id, status, mode, is_test, level_of_assurance, upgrade_paths,
  assessment, name_reference_id, portrait_reference_id, created_at, evaluated_at, previous_proof_id, revision`

export function createIdentities(
  db: Db,
  vault: Vault,
  lookupHash: (value: string) => Buffer,
  usage: Usage,
): Identities {
  const insert = db.prepare(
    `INSERT INTO identities (${COLUMNS}, correlation_hash, correlation_ct)
     VALUES (@id, @tenantId, @applicationId, @status, @mode, @isTest, @levelOfAssurance, @upgradePaths,
             @assessment, @nameReferenceId, @portraitReferenceId, @createdAt, @evaluatedAt, @previousProofId, @revision,
             @correlationHash, @correlationCt)`,
  )
  const insertContext = db.prepare('INSERT INTO identity_contexts (identity_id, context_ct) VALUES (?, ?)')
  const byId = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM identities WHERE id = ? AND ${STANDING}`)
  const byCorrelation = db.prepare<[Record<string, string | Buffer | null>], Row>(
    `SELECT ${COLUMNS} FROM identities
     WHERE correlation_hash = @hash AND ${STANDING} AND ${withinScope('id', 'tenant_id', 'application_id')}
     ORDER BY created_at, id`,
  )
  const isUsed = db.prepare<[string, Buffer], { id: string }>(
    'SELECT id FROM identities WHERE application_id = ? AND correlation_hash = ?',
  )
  const openOf = db.prepare<[string], Row>(
    `SELECT ${COLUMNS} FROM identities WHERE application_id = ? AND status <> 'CLOSED' AND ${STANDING}
     ORDER BY created_at, id`,
  )
  const openOfMode = db.prepare<[string, TenantMode], Row>(
    `SELECT ${COLUMNS} FROM identities WHERE tenant_id = ? AND mode = ? AND status <> 'CLOSED' AND ${STANDING}
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
  const markTest = db.prepare(
    'UPDATE identities SET is_test = 1, revision = revision + 1 WHERE id = ? AND is_test = 0',
  )
  const remove = db.prepare('DELETE FROM identities WHERE id = ?')
  const total = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM identities')
  const correlationHash = (tenantId: string, value: string): Buffer => lookupHash(`${tenantId}\n${value}`)
  const find = (scope: Scope, id: string): Identity | null => {
    const row = byId.get(id)
    const identity = row ? fromRow(row) : null
    return identity && isWithin(scope, identity) ? identity : null
  }

  return {
    add: (identity, context, correlationId) => {
      const hash = correlationId ? correlationHash(identity.tenantId, correlationId) : null
      if (hash && isUsed.get(identity.applicationId, hash)) {
        throw fieldProblem('not_unique', 'correlation-id', 'an identity with this correlation id exists')
      }
      vault.create(identity.id)
      const correlationCt = correlationId
        ? vault.sealJson(identity.id, correlationContext(identity.id), correlationId)
        : null
      insert.run({ ...toRow(identity), correlationHash: hash, correlationCt })
      const contextCt = vault.sealJson(identity.id, `identity_contexts:${identity.id}`, context)
      insertContext.run(identity.id, contextCt)
      usage.add(identity.id, { bytes: contextCt.byteLength })
    },
    get: (scope, id) => {
      const found = find(scope, id)
      if (!found) throw new AppError('not_found', { resource: 'identity' })
      return found
    },
    find,
    findByCorrelation: (scope, correlationId) => {
      if (scope.tenantId === null) throw new TypeError('correlation ids are looked up within one tenant')
      const hash = correlationHash(scope.tenantId, correlationId)
      return byCorrelation.all({ hash, ...scopeParameters(scope) }).map(fromRow)
    },
    listOpen: (applicationId) => openOf.all(applicationId).map(fromRow),
    listOpenOfMode: (tenantId, mode) => openOfMode.all(tenantId, mode).map(fromRow),
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
    markTest: (id) => markTest.run(id).changes > 0,
    erase: (id) => {
      remove.run(id)
    },
    count: () => total.get()?.n ?? 0,
  }
}

function toRow(identity: Identity) {
  return {
    ...identity,
    isTest: identity.isTest ? 1 : 0,
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
    mode: row.mode,
    isTest: row.is_test !== 0,
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
