/**
 * Requests that test/support/example-walk.ts sends to a real appliance, with data of synthetic persons only. They are
 * the examples of requests. A test checks that each one matches its schema and that the appliance accepts it.
 */
import type { z } from 'zod'
import type { CONTRACT, ContractName } from './index.ts'

type Input<Name extends ContractName> = z.input<(typeof CONTRACT)[Name]>

export const REQUESTS = {
  CreationContext: [
    { key: 'APPLICATION', value: 'account-opening' },
    { key: 'CHANNEL', value: 'KIOSK' },
    { key: 'PID', value: '4711' },
  ],
  ConsentsRequest: [
    { type: 'ID_DOCUMENT', approved: true },
    { type: 'PORTRAIT', approved: true, validityPeriod: { to: '2026-12-31' } },
    { type: 'MOBILE_OTP', approved: true },
    { type: 'EMAIL_OTP', approved: true },
    { type: 'LANDLINE', approved: true },
    { type: 'ID_CLAIM', approved: true },
  ],
  DocumentCaptureDetails: {
    jurisdiction: 'UTO',
    documentType: 'PASSPORT',
    source: 'LIVE_CAPTURE_IMAGE',
    channel: 'webSDK',
    deviceModel: 'Counter camera 2',
    osType: 'Linux',
    osVersion: '6.1',
    sdkInfo: { sdkVersion: '3.0.1' },
  },
  AttributesRequest: { givenNames: [{ value: 'Anna' }], surname: { value: 'Eriksson' } },
  AddressRequest: {
    streetDetails: { streetLines: ['12 Specimen Street'] },
    postcode: '69001',
    city: 'Lyon',
    country: 'FRA',
  },
  TextDocumentRequest: {
    idDocumentType: 'DRIVING_LICENSE',
    idDocumentNumber: 'D08954796',
    issuingCountry: 'USA',
    issuingState: 'VA',
    expiryDate: '2030-12-31',
    personalAttributes: {
      dateOfBirth: { value: '1974-08-12' },
      givenNames: [{ value: 'Anna' }, { value: 'Maria' }],
      surname: { value: 'Eriksson' },
    },
  },
  ChipFilesRequest: {
    sod: 'd4IIPTCCCDkGCSqGSIb3DQEHAqCCCCow',
    dataGroups: [
      { number: 1, content: 'YVtfH1hQPFVUT0VSSUtTU09OPDxBTk5B' },
      { number: 2, content: 'dYIzUn9hgjNNAgEBf2CCM0WhDoECAAKH' },
    ],
  },
  MedicareRequest: {
    cardNumber: '2123 45670 1',
    cardType: 'G',
    expiryDate: '2030-12-31',
    individualReferenceNumber: 1,
    personalAttributes: { fullname: { value: 'Anna Eriksson' }, dateOfBirth: { value: '1974-08-12' } },
  },
  DocumentSessionRequest: {
    issuingCountry: 'FRA',
    idDocumentType: 'IDENTITY_CARD',
    sidesToCapture: ['FRONT', 'BACK'],
  },
  LivenessRequest: { type: 'LIVENESS_ACTIVE', nbChallenge: 2 },
  FraudChecksRequest: [{ type: 'DUPLICATE_DOCUMENT' }, { type: 'VELOCITY' }],
  TrustedClaimRequest: {
    idpIdentifier: 'bank',
    responseType: 'JSON',
    postAuthRedirectUri: 'https://service.example/done',
  },
  ClaimRequest: {
    attributesData: {
      givenNames: [{ value: 'Anna' }],
      surname: { value: 'Eriksson' },
      dateOfBirth: { value: '1974-08-12' },
    },
    contactDetails: { mobile: { value: '+33639980001' } },
  },
  MobileRequest: { value: '+33639980001' },
  LandlineRequest: { value: '+33139980001' },
  EmailRequest: { value: 'anna@mail.example' },
  OtpRequest: { value: '493817' },
  FileMetadata: [{ key: 'title', value: 'signed form' }],
  LegalHoldRequest: { reference: 'Case 4711/26', until: '2099-12-31T00:00:00.000' },
  WebhookRequest: {
    url: 'https://hooks.bank.example/counterproof',
    events: ['evidence.decided', 'identity.evaluated', 'proof.sealed'],
  },
  WebhookRotation: { overlapHours: 24 },
  UserAgentTokenRequest: { lifetimeSeconds: 600 },
  ClaimRequestByAdjudicator: { adjudicator: 'a.smith' },
  DecisionRequest: { adjudicator: 'a.smith', decision: 'ACCEPTED', reason: 'SAME_PERSON' },
  // RFC 7517, appendix A.1
  BeginPortrait: {
    publicKey: {
      kty: 'EC',
      crv: 'P-256',
      x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
      y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
    },
  },
} as const satisfies { readonly [Name in ContractName]?: Input<Name> }
