/**
 * Interface between the API and the workflows: one method per operation. The API has no other access to data. Every method
 * rejects with AppError (or ImageFaultError for a faulty upload). An identity beyond the caller's reach is `not_found`, like an
 * unknown one.
 */
import type { ChipFiles } from '../proofing/chip-files.ts'
import type { ContactKind } from '../proofing/contact-kinds.ts'
import type { PersonRead } from '../proofing/read-by-person.ts'
import type {
  AdditionalFile,
  AdditionalFileStatus,
  AddressAnswer,
  AddressRequest,
  AddressesAnswer,
  AdjudicationAnswer,
  AttributesAnswer,
  AttributesRequest,
  ClaimAnswer,
  ClaimRequest,
  ConsentList,
  ConsentRequest,
  DecisionAnswer,
  DeletionReceipt,
  DeskCase,
  DeskList,
  DocumentCaptureDetails,
  DocumentSessionAnswer,
  DocumentSessionRequest,
  FraudCheckAnswer,
  FraudChecksRequest,
  GlobalStatus,
  HealthcheckReport,
  Identity,
  IdentityStatusAnswer,
  LegalHold,
  LegalHoldRequest,
  LivenessRequest,
  MedicareRequest,
  Contact,
  PortraitAnswer,
  PortraitSessionAnswer,
  PublicKeySet,
  SingleStatus,
  SupportedCountry,
  TextDocumentRequest,
  TrustedClaimAnswer,
  TrustedClaimRequest,
  TrustedIdClaimsAnswer,
  UserAgentToken,
  UserAgentTokenRequest,
  DeliveryPageQuery,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookRequest,
} from './contract/index.ts'
import type { AdjudicationDecision, Adjudicator } from '../proofing/adjudication-decision.ts'
import type {
  AdjudicationStatus,
  Caller,
  CaptureMode,
  DocumentSide,
  EvidenceType,
  KeyValue,
  Upload,
} from '../proofing/types.ts'

/** Detail of an answer. Never detailed for a user agent, because an attacker must not learn which check failed. */
export interface Detail {
  readonly detailed: boolean
}

interface DeskRequest {
  readonly status?: AdjudicationStatus | undefined
  readonly type?: EvidenceType | undefined
  readonly after?: string | undefined
  readonly limit: number
}

export interface StoredImage {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** A sealed archive, read from the disk piece by piece. */
export interface ReadyProof {
  readonly fileName: string
  /** SHA-256 of the archive, lower-case hex. */
  readonly sha256: string
  readonly size: number
  /** Returns the bytes from the start. A read error rejects at the first piece or ends the stream early. */
  open(): AsyncIterable<Uint8Array>
}

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
  /** Destroys the identity's key and removes all its data. Throws `legal_hold` if a hold is in force. */
  eraseIdentity(caller: Caller, identityId: string): Promise<void>

  /** Only this answer contains the token. */
  issueUserAgentToken(
    caller: Caller,
    identityId: string,
    request: UserAgentTokenRequest,
  ): Promise<UserAgentToken>

  recordConsents(
    caller: Caller,
    identityId: string,
    consents: readonly ConsentRequest[],
  ): Promise<ConsentList>

  /** Asynchronous: answers PROCESSING, the result is read by polling. */
  /** Throws `transition_refused` for evidence that is no photographed document or that a person decided about. */
  submitChip(caller: Caller, identityId: string, evidenceId: string, files: ChipFiles): Promise<SingleStatus>
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

  /**
   * Throws `feature_disabled` if the tenant has no pause and resume. Reopens an identity that a proof has closed while that
   * proof may be repeated, later throws `identity_closed`. Returns an open identity unchanged.
   */
  resumeIdentity(caller: Caller, identityId: string, detail: Detail): Promise<Identity>

  addAdditionalFile(
    caller: Caller,
    identityId: string,
    file: Upload,
    metadata: readonly KeyValue[],
  ): Promise<AdditionalFileStatus>
  listAdditionalFiles(caller: Caller, identityId: string): Promise<readonly AdditionalFile[]>
  getAdditionalFile(
    caller: Caller,
    identityId: string,
    fileId: string,
  ): Promise<StoredImage & { readonly metadata: readonly KeyValue[] }>
  deleteAdditionalFile(caller: Caller, identityId: string, fileId: string): Promise<void>

  submitAddress(caller: Caller, identityId: string, address: AddressRequest): Promise<AddressesAnswer>
  listAddresses(caller: Caller, identityId: string, detail: Detail): Promise<AddressesAnswer>
  getAddress(caller: Caller, identityId: string, evidenceId: string, detail: Detail): Promise<AddressAnswer>
  submitAttributes(
    caller: Caller,
    identityId: string,
    attributes: AttributesRequest,
  ): Promise<AttributesAnswer>
  listAttributes(caller: Caller, identityId: string, detail: Detail): Promise<AttributesAnswer>
  submitTextDocument(caller: Caller, identityId: string, document: TextDocumentRequest): Promise<SingleStatus>
  submitMedicare(caller: Caller, identityId: string, card: MedicareRequest): Promise<SingleStatus>

  openDocumentSession(
    caller: Caller,
    identityId: string,
    request: DocumentSessionRequest,
  ): Promise<DocumentSessionAnswer>
  openPortraitSession(
    caller: Caller,
    identityId: string,
    request: LivenessRequest & { readonly mode: CaptureMode },
  ): Promise<PortraitSessionAnswer>
  cancelPortraitSession(caller: Caller, identityId: string, sessionId: string): Promise<void>

  requestAdjudication(caller: Caller, identityId: string, evidenceId: string): Promise<AdjudicationAnswer>
  listAdjudications(
    caller: Caller,
    identityId: string,
    status?: AdjudicationStatus,
  ): Promise<readonly AdjudicationAnswer[]>
  getAdjudication(caller: Caller, identityId: string, evidenceId: string): Promise<AdjudicationAnswer>

  /** Lists the queue of the identities within the caller's reach; the adjudication service sees the tenant's queue. */
  listDesk(caller: Caller, query: DeskRequest): Promise<DeskList>
  getDesk(caller: Caller, adjudicationId: string): Promise<DeskCase>
  /** `adjudicator.kind` is STAFF for a named person; a key of the adjudication service overrides it. */
  claimAdjudication(caller: Caller, adjudicationId: string, adjudicator: Adjudicator): Promise<DeskCase>
  releaseAdjudication(caller: Caller, adjudicationId: string, adjudicator: Adjudicator): Promise<DeskCase>
  decideAdjudication(
    caller: Caller,
    adjudicationId: string,
    answer: {
      readonly adjudicator: Adjudicator
      readonly decision: AdjudicationDecision
      readonly reason: string
      readonly values?: PersonRead | undefined
    },
  ): Promise<DecisionAnswer>

  requestFraudChecks(
    caller: Caller,
    identityId: string,
    checks: FraudChecksRequest,
  ): Promise<FraudCheckAnswer>
  getFraudChecks(caller: Caller, identityId: string): Promise<FraudCheckAnswer>

  /** `callbackUrl`: address to which the provider returns the applicant. */
  requestTrustedClaim(
    caller: Caller,
    identityId: string,
    request: TrustedClaimRequest,
    callbackUrl: string,
  ): Promise<TrustedClaimAnswer>
  getTrustedClaim(caller: Caller, identityId: string): Promise<TrustedIdClaimsAnswer>
  /** Public: `state` identifies the claim. Null: no address was named for the redirect. */
  finishTrustedClaim(callback: {
    readonly state: string
    /** The whole unchanged query, for the checks of the protocol. */
    readonly query: Readonly<Record<string, string>>
  }): Promise<{ readonly redirectTo: string | null }>

  submitClaim(caller: Caller, identityId: string, claim: ClaimRequest): Promise<SingleStatus>
  getClaim(caller: Caller, identityId: string): Promise<ClaimAnswer>
  submitContact(caller: Caller, identityId: string, kind: ContactKind, value: string): Promise<SingleStatus>
  getContact(
    caller: Caller,
    identityId: string,
    kind: ContactKind,
  ): Promise<{ readonly globalStatus: GlobalStatus; readonly contact: Contact }>
  /** No effect if no verification is in progress. */
  abandonContact(caller: Caller, identityId: string, kind: ContactKind): Promise<void>
  /** Also resolves for a wrong code; `getContact` returns the state of the passcode. */
  submitPasscode(caller: Caller, identityId: string, kind: ContactKind, code: string): Promise<void>

  placeLegalHold(caller: Caller, identityId: string, hold: LegalHoldRequest): Promise<void>
  /** Throws `not_found` if no legal hold is in force. */
  getLegalHold(caller: Caller, identityId: string): Promise<LegalHold>
  liftLegalHold(caller: Caller, identityId: string): Promise<void>
  /** Throws `not_found` unless the erasure is complete. */
  getDeletionReceipt(caller: Caller, identityId: string): Promise<DeletionReceipt>

  /** Only this answer and that of `rotateWebhookSecret` contain the secret. Throws `validation_failed` for a refused address. */
  registerWebhook(caller: Caller, request: WebhookRequest): Promise<Webhook>
  listWebhooks(caller: Caller): Promise<WebhookList>
  getWebhook(caller: Caller, webhookId: string): Promise<Webhook>
  removeWebhook(caller: Caller, webhookId: string): Promise<void>
  rotateWebhookSecret(caller: Caller, webhookId: string, overlapHours: number): Promise<Webhook>
  enableWebhook(caller: Caller, webhookId: string): Promise<Webhook>
  testWebhook(caller: Caller, webhookId: string): Promise<WebhookDelivery>
  listWebhookDeliveries(
    caller: Caller,
    webhookId: string,
    query: DeliveryPageQuery,
  ): Promise<WebhookDeliveryList>
  resendWebhookDelivery(caller: Caller, webhookId: string, deliveryId: string): Promise<WebhookDelivery>

  listSupportedCountries(): Promise<readonly SupportedCountry[]>
  /** Throws `not_found` for an unknown country code. */
  getSupportedCountry(iso3: string): Promise<SupportedCountry>

  /** Closes the transaction. Returns the same bytes again within the retention window, later throws `proof_not_found`. */
  sealProof(caller: Caller, identityId: string): Promise<ReadyProof>

  health(): Promise<HealthcheckReport>
  jwks(): Promise<PublicKeySet>
}
