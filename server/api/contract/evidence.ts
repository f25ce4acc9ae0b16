/** Evidence as the relying service sees it (spec "Evidence common fields" and below). */
import { z } from 'zod'
import { DOCUMENT_FAULTS } from '../../proofing/document-fault.ts'
import { CAPTURE_SOURCES } from '../../proofing/evidence.ts'
import { DOCUMENT_SIDES, EVIDENCE_STATUSES, LEVELS, OTP_STATUSES } from '../../proofing/types.ts'
import { PAGE_FIELDS } from '../../proofing/visual-zone/page-facts.ts'
import { DateTime, Id, KeyAndValue, NamedValue } from './primitives.ts'
import type { Frozen } from './primitives.ts'

export const ResultError = z
  .object({
    code: z
      .string()
      .describe('A code of the error catalogue')
      .meta({ examples: ['1600'] }),
    message: z.string().optional().describe('Meaning of the code, in English'),
    field: z.string().optional().describe('The field, picture or check that the error concerns'),
  })
  .describe('An error that limits a result')

const Status = z
  .enum(EVIDENCE_STATUSES)
  .describe(
    'PROCESSING until it is decided, ADJUDICATION while a person decides; VERIFIED: all checks passed; INVALID: a ' +
      'blocking check failed; NOT_VERIFIED: too few checks to decide',
  )
const Level = z.enum(LEVELS)
const Indicators = z.array(z.string())

export const EvidenceStatus = z
  .object({
    evaluationDateTime: DateTime.optional().describe('Time of the last decision'),
    status: Status,
    strength: Level.exclude(['LEVEL0'])
      .optional()
      .describe('Highest level that this kind of evidence can reach'),
    score: Level.optional().describe('Level that the evidence has reached'),
    isAdjudicable: z.boolean().optional().describe('Whether it can be sent to adjudication now'),
    errors: z
      .array(ResultError)
      .describe(
        'Errors of the result. A user-agent key sees the codes that the applicant can act on, and the field, picture ' +
          'or check only if that helps to take a better picture. For a failed live portrait session it sees only 1611',
      ),
    positiveIndicators: Indicators.describe(
      'Passed checks, …_OK, and GIV_VERIFICATION_VERIFIED. In all four lists a user-agent key sees only the checks of picture quality',
    ),
    warningIndicators: Indicators.describe('Failed checks that do not block, …_WARNING'),
    blockingIndicators: Indicators.describe('Failed checks that prevent VERIFIED, …_FAILED'),
    unverifiedIndicators: Indicators.describe('Checks that were not performed, …_UNVERIFIED'),
  })
  .describe('Status and result of a piece of evidence')

/** Holds numbers and names of thresholds, models and operating points, but no value that was read. */
const Measurement = z
  .object({
    check: z.string().describe('Name of the check'),
    outcome: z.enum(['passed', 'failed', 'inconclusive']).describe('Outcome of the check'),
    measured: z
      .record(z.string(), z.union([z.number(), z.string()]))
      .describe('Measured scores with their thresholds and error rates; never a value of a document'),
  })
  .describe('One measurement')

const ServiceCall = z
  .object({
    serviceName: z.string().describe('Name of the part'),
    isTechnicalError: z.boolean().describe('Whether the part failed technically'),
    responseTimeMS: z.number().min(0).describe('Duration in milliseconds'),
    serviceRequestId: z.string().optional().describe('Id of the question to a service outside'),
  })
  .describe('A part of the appliance, or a service outside, that took part')

const Model = z
  .object({
    id: z.string().describe('Name of the model'),
    version: z.string().describe('Version of the model'),
    sha256: z.string().describe("SHA-256 of the model's file, lower-case hexadecimal"),
  })
  .describe('A model that was used')

/** The input of a verification and its result. */
export const PARTICIPANT = {
  participantType: z
    .string()
    .describe('Kind of verification')
    .meta({ examples: ['BIOMETRIC_MATCHING'] }),
  participantState: z
    .string()
    .optional()
    .describe('ACCEPTED, REJECTED or ADJUDICATION; absent if a check warned or gave no answer'),
}

/**
 * A verification that was run (spec "VerificationDetails"), with its measured values, thresholds and models. Only
 * answers with detailed=true to the relying service contain it.
 */
export const VerificationDetails = z
  .object({
    ...PARTICIPANT,
    isBlockingParticipant: z.boolean().optional().describe('Whether its rejection ends the verification'),
    startDateTime: DateTime.describe('Start of the verification'),
    endDateTime: DateTime.describe('End of the verification'),
    sessionCreationTime: DateTime.describe('Time at which the session of this verification was opened'),
    raisedIndicators: Indicators.optional().describe('Raised indicators, as <check>_<outcome>'),
    errors: z.array(ResultError).optional().describe('Errors of the result'),
    verificationServices: z.array(ServiceCall).optional().describe('Parts of the appliance that took part'),
    measurements: z.array(Measurement).optional().describe('Measurements'),
    models: z.array(Model).optional().describe('Models that were used'),
  })
  .describe('A verification that was run; only with detailed=true and a back-end key')

const common = {
  evidenceId: Id.describe('Id of the evidence'),
  submitDateTime: DateTime.describe('Time of the submission'),
  type: z
    .string()
    .describe(
      'Kind of evidence: ATTRIBUTES, ADDRESS, PORTRAIT, TRUSTED_ID_CLAIM, ID_CLAIM, MEDICARE, MOBILE_OTP, EMAIL_OTP, LANDLINE_OTP, or the type of the ' +
        'document (ID_DOCUMENT until it is known)',
    ),
  evidenceStatus: EvidenceStatus,
  verificationDetails: z
    .array(VerificationDetails)
    .optional()
    .describe('Every verification that was run; only with detailed=true and a back-end key'),
}

export const PersonalAttributes = z
  .object({
    givenNames: z.array(NamedValue).optional().describe('Given names, the first one first'),
    surname: NamedValue.optional().describe('Family name'),
    fullname: NamedValue.optional().describe('Full name in one text'),
    dateOfBirth: NamedValue.optional().describe('Date of birth, yyyy-MM-dd'),
    gender: NamedValue.optional().describe('M, F or X'),
    nationality: NamedValue.optional().describe('ISO 3166-1 alpha-3 code'),
    eyeColor: NamedValue.optional().describe('Colour of the eyes, as printed or submitted'),
    height: NamedValue.optional().describe('Body height, as printed or submitted'),
  })
  .describe('Attributes of the person')

export const Address = z
  .object({
    streetDetails: z
      .object({
        streetLines: z.array(z.string()).describe('Street lines (street, house number …)'),
        verified: z.boolean().optional().describe('Whether the street lines were confirmed'),
      })
      .optional()
      .describe('The lines of the street'),
    postcode: z.string().optional().describe('Postal code'),
    city: z.string().optional().describe('Town'),
    state: z.string().optional().describe('State or region; for the USA the two-letter abbreviation (USPS)'),
    country: z.string().optional().describe('ISO 3166-1 alpha-3 code'),
    verified: z.boolean().optional().describe('Whether the whole address was confirmed'),
    houseNumber: z.string().optional().describe('House number, in claims'),
    flatNumber: z.string().optional().describe('Number of the flat, in claims'),
    houseName: z.string().optional().describe('House name, in claims'),
    district: z.string().optional().describe('District, in claims'),
    locality: z.string().optional().describe('Locality, in claims'),
    county: z.string().optional().describe('County, in claims'),
    fullAddress: z.string().optional().describe('Full address in one text'),
  })
  .describe('A postal address')

const MedicareCard = z
  .object({
    cardType: z.enum(['B', 'G', 'Y']).describe('Colour of the card: blue, green or yellow'),
    individualReferenceNumber: z.int().min(1).max(9).optional().describe("The person's number on the card"),
    furtherNames: z.array(z.string()).describe('Second to fourth name line'),
  })
  .describe('Members of a Medicare card')

const DocumentData = z
  .object({
    idDocumentType: z
      .string()
      .describe('Type of the document')
      .meta({ examples: ['PASSPORT'] }),
    idDocumentNumber: z.string().optional().describe('Number of the document'),
    issuingCountry: z.string().optional().describe('ISO 3166-1 alpha-3 code; UTO for specimens'),
    issuingState: z.string().optional().describe('Issuing state, for driving licences of AUS and USA'),
    issuingDate: z.string().optional().describe('Date of issue, yyyy-MM-dd'),
    expiryDate: z.string().optional().describe('Date of expiry, yyyy-MM-dd'),
    personalAttributes: PersonalAttributes.optional().describe(
      'Attributes of the holder, as on the document',
    ),
    address: Address.optional().describe('The address on the document'),
    mrz: z.array(z.string()).optional().describe('MRZ, one entry per line'),
  })
  .describe('Document data, read or submitted')

/** Ours. */
const DocumentReason = z
  .object({
    code: z
      .enum(DOCUMENT_FAULTS)
      .describe('The decisive cause: the first that applies, in the order of this list')
      .meta({ examples: ['DOCUMENT_CUT'] }),
    message: z.string().describe('The reason as a sentence in English'),
    field: z.enum(PAGE_FIELDS).optional().describe('The field that the sentence names; never its value'),
  })
  .describe(
    'Reason why a document is NOT_VERIFIED or INVALID, in one sentence. A user-agent key gets only reasons that ' +
      'the applicant may know, none about a document that was refused as a possible forgery',
  )

/** Ours. */
export const DocumentExtras = z
  .object({
    reason: DocumentReason.optional(),
    cardNumber: z.string().optional().describe('Card number, for Australian licences'),
    medicare: MedicareCard.optional(),
    readByPerson: z
      .array(z.string())
      .optional()
      .describe('Names of the values that an adjudicator read from the picture and the machine could not'),
  })
  .describe('Members of Counterproof beyond the specification')

export const IdDocumentEvidence = z
  .object({ ...common, idDocumentData: DocumentData.optional() })
  .describe('An identity document')

export const PortraitEvidence = z
  .object({
    ...common,
    portraitQuality: z.boolean().optional().describe('Whether the picture is good enough for biometric use'),
    livenessDiagnostic: z
      .string()
      .optional()
      .describe('Reason why liveness is undecided, for liveness type LIVENESS_MLC'),
    portraitData: z
      .object({
        source: z
          .enum(CAPTURE_SOURCES)
          .describe('LIVE_CAPTURE_VIDEO of a capture session; OTHER for a file whose origin is unknown'),
        channel: z.enum(['nativeSDK', 'webSDK']).optional().describe('Kind of capture component'),
        metadata: z
          .array(KeyAndValue)
          .optional()
          .describe('Statements of the capture component about itself'),
      })
      .optional()
      .describe('Source and metadata of the portrait'),
  })
  .describe('A portrait')

export const AttributeEvidence = z
  .object({ ...common, attributesData: PersonalAttributes.optional().describe('Submitted attributes') })
  .describe('Submitted attributes')
export const AddressEvidence = z
  .object({
    ...common,
    referenceIds: z.array(Id).optional().describe('Ids of the evidence that the address derives from'),
    addressData: Address.optional(),
  })
  .describe('An address')

/** Spec "Trusted identity claim evidence". */
export const TrustedIdClaimEvidence = z
  .object({
    ...common,
    idpIdentifier: z.string().describe('The identity provider, by its name in the configuration'),
    oidcGrantType: z.string().describe('Always CODE_FLOW'),
    portraitReferenceId: z
      .string()
      .optional()
      .describe('Id of the portrait that the provider shared, if it did'),
    trustedIdClaimData: z
      .object({
        idDocumentType: z.string().optional().describe('Type of the document behind the claim'),
        idDocumentNumber: z.string().optional().describe('Number of the document'),
        issuingDate: z.string().optional().describe('Date of issue, yyyy-MM-dd'),
        expiryDate: z.string().optional().describe('Date of expiry, yyyy-MM-dd'),
        personalAttributes: PersonalAttributes.optional().describe(
          'Attributes of the person at the provider',
        ),
        address: Address.optional().describe('Address at the provider'),
      })
      .optional()
      .describe('Data that the identity provider shared'),
  })
  .describe('Attributes that an identity provider shared after a login')

export const Otp = z
  .object({
    status: z
      .enum(OTP_STATUSES)
      .describe(
        'PROCESSING while it is sent, PENDING until the right code is submitted, DONE, TIMEOUT, ERROR; INITIATE and ' +
          'NOT_INITIATED before anything is sent',
      ),
    creationTime: DateTime.optional().describe('Creation time of the passcode'),
    timeout: z.int().min(0).optional().describe('Milliseconds from the creation of the passcode to its end'),
  })
  .describe('A one-time passcode, without the passcode')

/** Ours: one object, so that a strict reader of the specification finds only one unknown member. */
const ContactExtras = z
  .object({
    status: z.enum(EVIDENCE_STATUSES).describe('Status of the evidence'),
    warningIndicators: z.array(z.string()).describe('Such as MOBILE_SIM_SWAP_WARNING'),
    unverifiedIndicators: z.array(z.string()).describe('Such as MOBILE_OWNERSHIP_UNVERIFIED'),
  })
  .describe('Why the number or address is not verified; only for a back-end key')

const contactState = {
  otp: Otp,
  errors: z.array(ResultError).optional().describe('Errors with the number or address, or its passcode'),
  counterproof: ContactExtras.optional(),
}
const NEVER_VERIFIED = z
  .boolean()
  .describe('Always false: a passcode does not tell whose it is, and no source is asked')

/** Spec "Contact details (mobile)". */
export const MobileContact = z
  .object({
    value: z.string().describe('Phone number in E.164 form'),
    verified: z
      .boolean()
      .describe("Whether the number was verified as this person's against the operator's records"),
    ...contactState,
  })
  .describe('A mobile phone number and the state of its verification')
/** Spec: "ContactDetails may also hold landline … email (value, verified, otp, errors)"; its routes are ours. */
export const EmailContact = z
  .object({ value: z.string().describe('E-mail address'), verified: NEVER_VERIFIED, ...contactState })
  .describe('An e-mail address and the state of its verification')
export const LandlineContact = z
  .object({
    value: z.string().describe('Phone number in E.164 form'),
    verified: NEVER_VERIFIED,
    ...contactState,
  })
  .describe('The number of a landline and the state of its verification')
export const ContactDetails = z
  .object({
    mobile: MobileContact.optional(),
    email: EmailContact.optional(),
    landline: LandlineContact.optional(),
  })
  .describe('Contact details')

const PersonalNumber = NamedValue.extend({
  issuingCountry: z.string().describe('ISO 3166-1 alpha-3 code of the country that issued the number'),
})
const ClaimedMobile = NamedValue.extend({
  otp: Otp.optional(),
  errors: z.array(ResultError).optional().describe('Errors with the number or its passcode'),
})

/** The visible part of a claim: for a payment card only whether it was verified. */
export const ClaimData = z
  .object({
    attributesData: PersonalAttributes.extend({
      personalNumber: PersonalNumber.optional().describe('National identification number'),
    })
      .optional()
      .describe('Attributes of the person, as claimed'),
    addressesData: Address.optional().describe('The address, as claimed'),
    contactDetails: z
      .object({ mobile: ClaimedMobile.describe('The mobile phone number, as claimed') })
      .optional()
      .describe('Contact details, as claimed'),
    creditCardDetails: z
      .object({ verified: z.boolean().describe('Whether the card was confirmed') })
      .optional()
      .describe('The payment card; no other member is returned'),
  })
  .describe('Claimed data')

/** Spec "Identity claim evidence". Status and data are absent if the tenant hides claim data. */
export const ClaimEvidence = z
  .object({
    ...common,
    evidenceStatus: EvidenceStatus.optional(),
    claimData: ClaimData.optional(),
  })
  .describe('An identity claim; if claim data is hidden, only evidenceId, submitDateTime and type')

/** Spec "Session and status responses": the answer to a submission and to a poll. */
export const SingleStatus = z
  .object({
    status: Status,
    type: z
      .string()
      .describe('Kind of evidence')
      .meta({ examples: ['PASSPORT'] }),
    id: Id.describe('Id of the evidence, for polling its status'),
  })
  .describe('The status of one piece of evidence')

const SessionId = Id.describe('Id of the capture session, for the capture component')
export const DocumentSessionAnswer = SingleStatus.extend({
  sessionId: SessionId,
  sidesToCapture: z.array(z.enum(DOCUMENT_SIDES)).min(1).max(2).describe('Sides to capture'),
}).describe('A capture session for a document')
export const PortraitSessionAnswer = SingleStatus.extend({ sessionId: SessionId }).describe(
  'A capture session for a portrait',
)
export const TrustedClaimAnswer = SingleStatus.extend({
  idpAuthorizeEndpoint: z
    .url()
    .describe(
      "Address of the identity provider's page with all parameters; redirect the applicant's browser to it",
    ),
}).describe("A trusted claim that waits for the applicant's login")
/** Spec: {status, type}. We add the id, so that the client can poll the status. */
export const MobileSubmitAnswer = SingleStatus.partial({ id: true }).describe(
  'A phone number to which a passcode is being sent',
)

export type TrustedIdClaimEvidence = Frozen<z.infer<typeof TrustedIdClaimEvidence>>
export type ContactDetails = Frozen<z.infer<typeof ContactDetails>>
/** The three kinds have the same members. */
export type Contact = Frozen<z.infer<typeof MobileContact>>
export type ClaimEvidence = Frozen<z.infer<typeof ClaimEvidence>>
export type DocumentSessionAnswer = Frozen<z.infer<typeof DocumentSessionAnswer>>
export type PortraitSessionAnswer = Frozen<z.infer<typeof PortraitSessionAnswer>>
export type TrustedClaimAnswer = Frozen<z.infer<typeof TrustedClaimAnswer>>
export type MobileSubmitAnswer = Frozen<z.infer<typeof MobileSubmitAnswer>>
export type EvidenceStatus = Frozen<z.infer<typeof EvidenceStatus>>
export type VerificationDetails = Frozen<z.infer<typeof VerificationDetails>>
export type PersonalAttributes = Frozen<z.infer<typeof PersonalAttributes>>
export type IdDocumentEvidence = Frozen<z.infer<typeof IdDocumentEvidence>>
export type PortraitEvidence = Frozen<z.infer<typeof PortraitEvidence>>
export type AttributeEvidence = Frozen<z.infer<typeof AttributeEvidence>>
export type AddressEvidence = Frozen<z.infer<typeof AddressEvidence>>
export type SingleStatus = Frozen<z.infer<typeof SingleStatus>>
