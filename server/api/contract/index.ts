/**
 * The contract of /v1: one zod schema per message. The types, the validation and the OpenAPI text derive from the
 * schemas. It decides nothing. From the server it imports only the domain's words and the messages of external
 * services.
 */
import * as adjudicationService from '../../connectors/adjudication/protocol.ts'
import * as voiceGateway from '../../connectors/voice/protocol.ts'
import * as biometricServer from '../../connectors/biometrics/protocol.ts'
import * as desk from './adjudication-desk.ts'
import * as capture from './capture.ts'
import * as evidence from './evidence.ts'
import * as identity from './identity.ts'
import * as requests from './requests.ts'
import * as service from './service.ts'
import * as webhooks from './webhooks.ts'

export * from './adjudication-desk.ts'
export * from './evidence.ts'
export * from './identity.ts'
export * from './requests.ts'
export * from './service.ts'
export * from './webhooks.ts'
export type { Frozen } from './primitives.ts'

/** Name → schema: the components of the OpenAPI description. */
export const CONTRACT = {
  GlobalStatus: identity.GlobalStatus,
  Identity: identity.Identity,
  IdentityStatusAnswer: identity.IdentityStatusAnswer,
  PortraitAnswer: identity.PortraitAnswer,
  Consent: identity.Consent,
  ConsentList: identity.ConsentList,
  AddressesAnswer: identity.AddressesAnswer,
  AddressAnswer: identity.AddressAnswer,
  AttributesAnswer: identity.AttributesAnswer,
  TrustedIdClaimsAnswer: identity.TrustedIdClaimsAnswer,
  ClaimAnswer: identity.ClaimAnswer,
  MobileAnswer: identity.MobileAnswer,
  EmailAnswer: identity.EmailAnswer,
  LandlineAnswer: identity.LandlineAnswer,
  AdditionalFile: identity.AdditionalFile,
  AdditionalFileList: identity.AdditionalFileList,
  AdditionalFileStatus: identity.AdditionalFileStatus,
  AdjudicationAnswer: identity.AdjudicationAnswer,
  AdjudicationList: identity.AdjudicationList,
  DeskList: desk.DeskList,
  DeskCase: desk.DeskCase,
  ClaimRequestByAdjudicator: desk.ClaimRequestByAdjudicator,
  DecisionRequest: desk.DecisionRequest,
  DecisionAnswer: desk.DecisionAnswer,
  FraudCheckResult: identity.FraudCheckResult,
  FraudCheckAnswer: identity.FraudCheckAnswer,
  EvidenceStatus: evidence.EvidenceStatus,
  VerificationDetails: evidence.VerificationDetails,
  PersonalAttributes: evidence.PersonalAttributes,
  IdDocumentEvidence: evidence.IdDocumentEvidence,
  PortraitEvidence: evidence.PortraitEvidence,
  AttributeEvidence: evidence.AttributeEvidence,
  AddressEvidence: evidence.AddressEvidence,
  SingleStatus: evidence.SingleStatus,
  Address: evidence.Address,
  TrustedIdClaimEvidence: evidence.TrustedIdClaimEvidence,
  Otp: evidence.Otp,
  MobileContact: evidence.MobileContact,
  EmailContact: evidence.EmailContact,
  LandlineContact: evidence.LandlineContact,
  ContactDetails: evidence.ContactDetails,
  ClaimData: evidence.ClaimData,
  ClaimEvidence: evidence.ClaimEvidence,
  DocumentSessionAnswer: evidence.DocumentSessionAnswer,
  PortraitSessionAnswer: evidence.PortraitSessionAnswer,
  TrustedClaimAnswer: evidence.TrustedClaimAnswer,
  MobileSubmitAnswer: evidence.MobileSubmitAnswer,
  ResultError: evidence.ResultError,
  CreationContext: requests.CreationContext,
  ConsentRequest: requests.ConsentRequest,
  ConsentsRequest: requests.ConsentsRequest,
  DocumentCaptureDetails: requests.DocumentCaptureDetails,
  AttributesRequest: requests.AttributesRequest,
  AddressRequest: requests.AddressRequest,
  TextDocumentRequest: requests.TextDocumentRequest,
  ChipFilesRequest: requests.ChipFilesRequest,
  MedicareRequest: requests.MedicareRequest,
  DocumentSessionRequest: requests.DocumentSessionRequest,
  LivenessRequest: requests.LivenessRequest,
  FraudChecksRequest: requests.FraudChecksRequest,
  TrustedClaimRequest: requests.TrustedClaimRequest,
  ClaimRequest: requests.ClaimRequest,
  MobileRequest: requests.MobileRequest,
  EmailRequest: requests.EmailRequest,
  LandlineRequest: requests.LandlineRequest,
  OtpRequest: requests.OtpRequest,
  FileMetadata: requests.FileMetadata,
  LegalHoldRequest: requests.LegalHoldRequest,
  LegalHold: service.LegalHold,
  DeletionReceipt: service.DeletionReceipt,
  UserAgentTokenRequest: requests.UserAgentTokenRequest,
  UserAgentToken: service.UserAgentToken,
  SupportedCountry: service.SupportedCountry,
  SupportedCountryList: service.SupportedCountryList,
  WebhookRequest: webhooks.WebhookRequest,
  WebhookRotation: webhooks.WebhookRotation,
  Webhook: webhooks.Webhook,
  WebhookList: webhooks.WebhookList,
  WebhookDelivery: webhooks.WebhookDelivery,
  WebhookDeliveryList: webhooks.WebhookDeliveryList,
  HealthcheckReport: service.HealthcheckReport,
  PublicKeySet: service.PublicKeySet,
  ProblemDocument: service.ProblemDocument,
  CaptureSessionView: capture.CaptureSessionView,
  CaptureGuidance: capture.CaptureGuidance,
  RecognisedSide: capture.RecognisedSide,
  CaptureDetails: requests.CaptureDetails,
  BeginPortrait: capture.BeginPortrait,
  FrameSignature: capture.FrameSignature,
  PortraitGuidance: capture.PortraitGuidance,
  BiometricSessionOrder: biometricServer.SessionOrder,
  BiometricSessionOpened: biometricServer.SessionOpened,
  BiometricSessionResult: biometricServer.SessionResult,
  BiometricSessionCompleted: biometricServer.SessionCompleted,
  AdjudicationAnswered: adjudicationService.AdjudicationAnswered,
  CallEnded: voiceGateway.CallEnded,
} as const

export type ContractName = keyof typeof CONTRACT
