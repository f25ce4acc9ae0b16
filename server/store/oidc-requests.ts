/** Pending authorization requests, found by their opaque state. Each can be taken once. */
import type { Db } from './db.ts'
import type { Vault } from './vault.ts'

export interface OidcRequest {
  readonly identityId: string
  readonly evidenceId: string
  readonly idpIdentifier: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly redirectUri: string
  readonly postAuthRedirectUri?: string
}

export interface OidcRequests {
  add(state: string, request: OidcRequest, at: Date): void
  /** Removes the request. Null if the state is unknown or used, or its identity erased. */
  take(state: string): OidcRequest | null
  dropByEvidence(evidenceId: string): void
}

interface Row {
  state_hash: Buffer
  identity_id: string
  evidence_id: string
  request_ct: Buffer
}

export function createOidcRequests(
  db: Db,
  vault: Vault,
  lookupHash: (value: string) => Buffer,
): OidcRequests {
  const insert = db.prepare(
    `INSERT INTO oidc_requests (state_hash, identity_id, evidence_id, request_ct, created_at) VALUES (?, ?, ?, ?, ?)`,
  )
  const remove = db.prepare<[Buffer], Row>('DELETE FROM oidc_requests WHERE state_hash = ? RETURNING *')
  const removeOf = db.prepare('DELETE FROM oidc_requests WHERE evidence_id = ?')
  const hashState = (state: string): Buffer => lookupHash(`oidc-state\n${state}`)
  const buildSealContext = (evidenceId: string): string => `oidc_requests:${evidenceId}`
  return {
    add: (state, request, at) =>
      void insert.run(
        hashState(state),
        request.identityId,
        request.evidenceId,
        vault.sealJson(request.identityId, buildSealContext(request.evidenceId), request),
        at.getTime(),
      ),
    take: (state) => {
      const row = remove.get(hashState(state))
      if (!row) return null
      return vault.unsealJson(
        row.identity_id,
        buildSealContext(row.evidence_id),
        row.request_ct,
      ) as OidcRequest
    },
    dropByEvidence: (evidenceId) => void removeOf.run(evidenceId),
  }
}
