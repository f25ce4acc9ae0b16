/**
 * What the API asks of the appliance: one method per thing that can be done. The workflows implement it; the API holds
 * no other way to reach data. Every method rejects with AppError (or ImageFaultError for an upload at fault), and an
 * identity of another tenant is `not_found`, like one that never was.
 */
import type {
  Consent,
  ConsentRequest,
  DocumentCaptureDetails,
  GlobalStatus,
  HealthcheckReport,
  Identity,
  IdentityStatusAnswer,
  PortraitAnswer,
  PublicKeySet,
  SingleStatus,
} from './contract/index.ts'
import type { Caller, KeyValue, Upload } from '../proofing/types.ts'

/** How much of an evidence to show. Never detailed for a user agent: an attacker must not learn which check failed. */
export interface Detail {
  readonly detailed: boolean
}

export interface StoredImage {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

export type DocumentSide = 'FRONT' | 'BACK'

export interface ApiWorkflows {
  createIdentity(
    caller: Caller,
    request: {
      readonly correlationId?: string
      readonly context: readonly KeyValue[]
      readonly file?: Upload
    },
  ): Promise<GlobalStatus>
  getIdentity(caller: Caller, identityId: string, detail: Detail): Promise<Identity>
  findIdentity(caller: Caller, correlationId: string, detail: Detail): Promise<Identity>
  getIdentityStatus(caller: Caller, identityId: string): Promise<IdentityStatusAnswer>
  /** Destroys the identity's key and removes all its data. */
  eraseIdentity(caller: Caller, identityId: string): Promise<void>

  recordConsents(
    caller: Caller,
    identityId: string,
    consents: readonly ConsentRequest[],
  ): Promise<readonly Consent[]>

  /** Asynchronous: answers PROCESSING, the result is read by polling. */
  submitDocument(
    caller: Caller,
    identityId: string,
    document: { readonly front: Upload; readonly back?: Upload; readonly details?: DocumentCaptureDetails },
  ): Promise<SingleStatus>
  getDocumentImage(
    caller: Caller,
    identityId: string,
    evidenceId: string,
  ): Promise<readonly (StoredImage & { readonly side: DocumentSide })[]>
  getEvidenceStatus(caller: Caller, identityId: string, evidenceId: string): Promise<SingleStatus>

  /** Asynchronous, like a document. */
  submitPortrait(caller: Caller, identityId: string, image: Upload): Promise<SingleStatus>
  getPortrait(caller: Caller, identityId: string, detail: Detail): Promise<PortraitAnswer>
  getPortraitImage(caller: Caller, identityId: string): Promise<StoredImage>
  deletePortrait(caller: Caller, identityId: string): Promise<void>

  /** Closes the transaction; the same bytes again within the retention window, then `proof_not_found`. */
  sealProof(
    caller: Caller,
    identityId: string,
  ): Promise<{ readonly fileName: string; readonly bytes: Uint8Array }>

  health(): Promise<HealthcheckReport>
  jwks(): Promise<PublicKeySet>
}
