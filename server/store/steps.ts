/**
 * Judgements at each step of a proofing, as in the proof: one row per recorded call (`operations`). Encrypted with the
 * identity's key, because they describe a person. Deleting evidence keeps the row: the proof shows what was deleted.
 */
import type { JudgedStep } from '../proofing/judged-step.ts'
import type { Db } from './db.ts'
import type { Vault } from './vault.ts'

export interface Steps {
  /**
   * Replaces the judgement of the same step. `basis`: ids, counters and times; another value means that it was judged
   * again.
   */
  put(identityId: string, operationId: string, basis: string, judged: JudgedStep): void
  /** Keyed by operation id. Decrypts nothing. */
  bases(identityId: string): ReadonlyMap<string, string>
  /** Also null for a step of a version that did not record it. */
  find(identityId: string, operationId: string): JudgedStep | null
}

export function createSteps(db: Db, vault: Vault): Steps {
  const upsert = db.prepare(
    `INSERT INTO steps (operation_id, identity_id, basis, judged_ct) VALUES (?, ?, ?, ?)
     ON CONFLICT (operation_id) DO UPDATE SET basis = excluded.basis, judged_ct = excluded.judged_ct`,
  )
  const bases = db.prepare<[string], { operation_id: string; basis: string }>(
    'SELECT operation_id, basis FROM steps WHERE identity_id = ?',
  )
  const one = db.prepare<[string], { judged_ct: Buffer | null }>(
    'SELECT judged_ct FROM steps WHERE operation_id = ?',
  )
  const buildSealContext = (operationId: string): string => `steps:${operationId}`
  return {
    put: (identityId, operationId, basis, judged) => {
      const sealed = vault.sealJson(identityId, buildSealContext(operationId), judged)
      upsert.run(operationId, identityId, basis, sealed)
    },
    bases: (identityId) =>
      new Map(bases.all(identityId).map(({ operation_id: id, basis }) => [id, basis] as const)),
    find: (identityId, operationId) => {
      const sealed = one.get(operationId)?.judged_ct
      return sealed
        ? (vault.unsealJson(identityId, buildSealContext(operationId), sealed) as JudgedStep)
        : null
    },
  }
}
