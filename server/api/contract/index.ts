/**
 * The contract of /v1: one zod schema per message, from which come the types, the validation and the OpenAPI text.
 * It never decides anything and imports nothing of the server but the domain's words.
 */
import * as evidence from './evidence.ts'
import * as identity from './identity.ts'
import * as requests from './requests.ts'
import * as service from './service.ts'

export * from './evidence.ts'
export * from './identity.ts'
export * from './requests.ts'
export * from './service.ts'
export type { Frozen } from './primitives.ts'

/** Name → schema: the components of the OpenAPI description. */
export const CONTRACT = {
  GlobalStatus: identity.GlobalStatus,
  Identity: identity.Identity,
  IdentityStatusAnswer: identity.IdentityStatusAnswer,
  PortraitAnswer: identity.PortraitAnswer,
  Consent: identity.Consent,
  ConsentList: identity.ConsentList,
  EvidenceStatus: evidence.EvidenceStatus,
  VerificationDetails: evidence.VerificationDetails,
  PersonalAttributes: evidence.PersonalAttributes,
  IdDocumentEvidence: evidence.IdDocumentEvidence,
  PortraitEvidence: evidence.PortraitEvidence,
  AttributeEvidence: evidence.AttributeEvidence,
  AddressEvidence: evidence.AddressEvidence,
  SingleStatus: evidence.SingleStatus,
  CreationContext: requests.CreationContext,
  ConsentRequest: requests.ConsentRequest,
  ConsentsRequest: requests.ConsentsRequest,
  DocumentCaptureDetails: requests.DocumentCaptureDetails,
  HealthcheckReport: service.HealthcheckReport,
  PublicKeySet: service.PublicKeySet,
  ProblemDocument: service.ProblemDocument,
} as const

export type ContractName = keyof typeof CONTRACT
