/** One example per message, of synthetic persons (the specimens of ICAO 9303). Each keeps to its schema: a test sees to it. */
import type { z } from 'zod'
import type { CONTRACT, ContractName } from './index.ts'

const IDENTITY_ID = '01890a5d-ac96-774b-bcce-b302099a8057'
const EVIDENCE_ID = '01890a5d-ac96-774b-bcce-b302099a8058'
const SESSION_ID = '01890a5d-ac96-774b-bcce-b302099a805a'
const AT = '2026-01-31T09:30:00.000'

const verified = (value: string) => ({ value, verified: true })
const unverified = (value: string) => ({ value, verified: false })
const NONE_FOUND = {
  errors: [],
  positiveIndicators: [],
  warningIndicators: [],
  blockingIndicators: [],
  unverifiedIndicators: [],
}

const globalStatus = {
  id: IDENTITY_ID,
  status: 'EXPECTING_INPUT' as const,
  levelOfAssurance: 'LOA1',
  creationDateTime: AT,
  evaluationDateTime: AT,
  upgradePaths: {
    LOA2: [[{ evidence: 'PORTRAIT', checks: ['BIOMETRIC_MATCHING_CHECK', 'BIOMETRIC_LIVENESS'] }]],
  },
}
const processing = { status: 'PROCESSING' as const, id: EVIDENCE_ID }
const evidence = { evidenceId: EVIDENCE_ID, submitDateTime: AT }
const notVerified = {
  status: 'NOT_VERIFIED' as const,
  strength: 'LEVEL1' as const,
  score: 'LEVEL0' as const,
  ...NONE_FOUND,
}
const consent = {
  consentId: '01890a5d-ac96-774b-bcce-b302099a805b',
  approved: true,
  type: 'PORTRAIT' as const,
  validityPeriod: { to: '2026-12-31' },
}
const address = {
  streetDetails: { streetLines: ['12 Specimen Street'], verified: false },
  postcode: '69001',
  city: 'Lyon',
  country: 'FRA',
  verified: false,
}
const addressEvidence = {
  ...evidence,
  type: 'ADDRESS',
  evidenceStatus: notVerified,
  addressData: address,
}
const portrait = {
  ...evidence,
  type: 'PORTRAIT',
  evidenceStatus: {
    status: 'VERIFIED' as const,
    strength: 'LEVEL4' as const,
    score: 'LEVEL2' as const,
    ...NONE_FOUND,
  },
  portraitQuality: true,
  portraitData: { source: 'OTHER' as const, metadata: [] },
}
const passport = {
  ...evidence,
  type: 'PASSPORT',
  evidenceStatus: {
    evaluationDateTime: AT,
    status: 'VERIFIED' as const,
    strength: 'LEVEL4' as const,
    score: 'LEVEL2' as const,
    isAdjudicable: false,
    errors: [],
    positiveIndicators: ['MRZ_CHECK_DIGITS_OK'],
    warningIndicators: [],
    blockingIndicators: [],
    unverifiedIndicators: ['GIV_VERIFICATION_UNVERIFIED'],
  },
  idDocumentData: {
    idDocumentType: 'PASSPORT',
    idDocumentNumber: 'L898902C3',
    issuingCountry: 'UTO',
    expiryDate: '2032-04-15',
    personalAttributes: {
      givenNames: [verified('ANNA'), verified('MARIA')],
      surname: verified('ERIKSSON'),
      dateOfBirth: verified('1974-08-12'),
      gender: verified('F'),
      nationality: verified('UTO'),
    },
    mrz: ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F3204153ZE184226B<<<<<18'],
  },
}
const mobile = {
  value: '+33639980001',
  verified: false,
  otp: { status: 'PENDING' as const, creationTime: AT, timeout: 600_000 },
  errors: [],
}
const deskEntry = {
  adjudicationId: '01890a5d-ac96-774b-bcce-b302099a805c',
  identityId: IDENTITY_ID,
  evidenceId: EVIDENCE_ID,
  type: 'PORTRAIT',
  status: 'TO_PROCESS' as const,
  requestDateTime: AT,
  dueDateTime: '2026-02-02T09:30:00.000',
  fourEyes: false,
  decisionsMade: 0,
}
const adjudication = {
  evidenceId: EVIDENCE_ID,
  type: 'PASSPORT',
  status: 'TO_PROCESS' as const,
  requestDateTime: AT,
}
const additionalFile = { id: EVIDENCE_ID, metadata: [{ key: 'title', value: 'signed form' }] }
const france = {
  iso3CountryCode: 'FRA',
  documents: [{ documentType: 'PASSPORT', format: 'TD3' as const, liveVideoCaptureSupported: true }],
}
const webhook = {
  webhookId: '01890a5d-ac96-774b-bcce-b302099a8060',
  url: 'https://hooks.bank.example/counterproof',
  events: ['evidence.decided' as const, 'identity.evaluated' as const, 'proof.sealed' as const],
  creationDateTime: AT,
  pending: 1,
  parked: 0,
}
const delivery = {
  deliveryId: '01890a5d-ac96-774b-bcce-b302099a8061',
  eventId: '01890a5d-ac96-774b-bcce-b302099a8062',
  type: 'evidence.decided' as const,
  identityId: IDENTITY_ID,
  state: 'PENDING' as const,
  attempts: 2,
  creationDateTime: AT,
  lastTryDateTime: AT,
  lastStatus: 503,
  lastError: 'status' as const,
  nextTryDateTime: AT,
}

export const EXAMPLES: { readonly [Name in ContractName]?: z.input<(typeof CONTRACT)[Name]> } = {
  CreationContext: [
    { key: 'APPLICATION', value: 'account-opening' },
    { key: 'CHANNEL', value: 'KIOSK' },
    { key: 'PID', value: '4711' },
  ],
  ConsentsRequest: [
    { type: 'ID_DOCUMENT', approved: true },
    { type: 'PORTRAIT', approved: true, validityPeriod: { to: '2026-12-31' } },
  ],
  DocumentCaptureDetails: {
    jurisdiction: 'FRA',
    documentType: 'IDENTITY_CARD',
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
  OtpRequest: { value: '493817' },
  FileMetadata: additionalFile.metadata,
  LegalHoldRequest: { reference: 'Case 4711/26', until: '2099-12-31T00:00:00.000' },
  LegalHold: { reference: 'Case 4711/26', placedDateTime: AT, until: '2099-12-31T00:00:00.000' },
  WebhookRequest: {
    url: 'https://hooks.bank.example/counterproof',
    events: ['evidence.decided', 'identity.evaluated', 'proof.sealed'],
  },
  WebhookRotation: { overlapHours: 24 },
  Webhook: webhook,
  WebhookList: { webhooks: [webhook] },
  WebhookDelivery: delivery,
  WebhookDeliveryList: { deliveries: [delivery] },
  UserAgentTokenRequest: { lifetimeSeconds: 600 },
  UserAgentToken: { token: 'cpt_r3Qm0f0r1nTheExampleAlone', expiresAt: AT },
  DeletionReceipt: {
    identityId: IDENTITY_ID,
    erasedAt: AT,
    reason: 'RETENTION',
    receipt: 'eyJhbGciOiJSUzI1NiJ9.eyJ0eXBlIjoiY291bnRlcnByb29mLWRlbGV0aW9uLXJlY2VpcHQifQ.c2lnbmF0dXJl',
  },
  GlobalStatus: globalStatus,
  Identity: {
    globalStatus: {
      ...globalStatus,
      nameReferenceEvidenceId: EVIDENCE_ID,
      portraitReferenceEvidenceId: EVIDENCE_ID,
    },
    consents: [consent],
    attributes: [],
    addresses: [],
    idDocuments: [passport],
    portrait,
    context: [{ key: 'CHANNEL', value: 'KIOSK' }],
  },
  IdentityStatusAnswer: { globalStatus },
  PortraitAnswer: { globalStatus, portrait },
  ConsentList: [{ ...consent, used: true }],
  AddressesAnswer: { globalStatus, addresses: [addressEvidence] },
  AddressAnswer: { globalStatus, address: addressEvidence },
  AttributesAnswer: {
    globalStatus,
    attributes: [
      {
        ...evidence,
        type: 'ATTRIBUTES',
        evidenceStatus: notVerified,
        attributesData: { givenNames: [unverified('Anna')], surname: unverified('Eriksson') },
      },
    ],
  },
  TrustedIdClaimsAnswer: {
    globalStatus,
    trustedIdClaim: {
      ...evidence,
      type: 'TRUSTED_ID_CLAIM',
      evidenceStatus: { status: 'PROCESSING', ...NONE_FOUND },
      idpIdentifier: 'bank',
      oidcGrantType: 'CODE_FLOW',
    },
  },
  ClaimAnswer: {
    globalStatus: {
      ...globalStatus,
      Claim: {
        ...evidence,
        type: 'ID_CLAIM',
        evidenceStatus: notVerified,
        claimData: { attributesData: { surname: unverified('Eriksson') } },
      },
    },
  },
  MobileAnswer: { globalStatus, contactDetails: { mobile } },
  AdditionalFileList: [additionalFile],
  AdditionalFileStatus: { id: EVIDENCE_ID, status: 'STORED' },
  AdjudicationAnswer: adjudication,
  AdjudicationList: [adjudication],
  DeskList: { adjudications: [deskEntry], next: '1769851800000_01890a5d-ac96-774b-bcce-b302099a805c' },
  DeskCase: {
    ...deskEntry,
    status: 'PROCESSING',
    claimedUntil: '2026-01-31T09:50:00.000',
    claimedBy: { id: 'a.smith', kind: 'STAFF' },
    evidenceStatus: 'ADJUDICATION',
    positiveIndicators: ['BIOMETRIC_QUALITY_CHECK_OK'],
    warningIndicators: [],
    blockingIndicators: [],
    unverifiedIndicators: ['BIOMETRIC_MATCHING_CHECK_UNVERIFIED'],
    errors: [],
    images: [
      {
        evidenceId: EVIDENCE_ID,
        href: `/v1/identities/${IDENTITY_ID}/attributes/portrait/capture`,
      },
    ],
    choices: [
      {
        decision: 'ACCEPTED',
        reasons: [{ code: 'SAME_PERSON', text: 'The portrait shows the holder of the document.' }],
      },
    ],
    acceptancesNeeded: 1,
  },
  ClaimRequestByAdjudicator: { adjudicator: 'a.smith' },
  DecisionRequest: { adjudicator: 'a.smith', decision: 'ACCEPTED', reason: 'SAME_PERSON' },
  DecisionAnswer: {
    adjudicationId: '01890a5d-ac96-774b-bcce-b302099a805c',
    identityId: IDENTITY_ID,
    evidenceId: EVIDENCE_ID,
    status: 'ACCEPTED',
  },
  FraudCheckAnswer: {
    globalStatus,
    checks: [
      { type: 'VELOCITY', status: 'VERIFIED', indicators: ['VELOCITY_OK'], evaluationDateTime: AT },
      { type: 'WATCHLIST', status: 'NOT_VERIFIED', indicators: ['WATCHLIST_UNVERIFIED'] },
    ],
  },
  SingleStatus: { ...processing, type: 'PASSPORT' },
  DocumentSessionAnswer: {
    ...processing,
    type: 'IDENTITY_CARD',
    sessionId: SESSION_ID,
    sidesToCapture: ['FRONT', 'BACK'],
  },
  PortraitSessionAnswer: { ...processing, type: 'PORTRAIT', sessionId: SESSION_ID },
  TrustedClaimAnswer: {
    ...processing,
    type: 'TRUSTED_ID_CLAIM',
    idpAuthorizeEndpoint:
      'https://idp.example/authorize?response_type=code&client_id=counterproof&state=opaque',
  },
  MobileSubmitAnswer: { ...processing, type: 'MOBILE_OTP' },
  SupportedCountry: france,
  SupportedCountryList: [france],
  HealthcheckReport: { status: 'UP', version: '0.1.0', components: { database: { status: 'UP' } } },
  PublicKeySet: {
    keys: [{ kty: 'RSA', kid: 'w7v1', use: 'sig', alg: 'RS256', n: 'u1SU1LfVLPHC', e: 'AQAB' }],
  },
  ProblemDocument: {
    type: 'urn:counterproof:problem:consent_missing',
    title: 'Consent missing',
    status: 403,
    detail: "Record the applicant's consent of type PORTRAIT first, approved and in its validity period.",
    instance: `/v1/identities/${IDENTITY_ID}/attributes/portrait/capture`,
    errors: [{ code: 'consent_missing', message: 'this consent has to be given first', field: 'PORTRAIT' }],
    correlationId: SESSION_ID,
  },
}
