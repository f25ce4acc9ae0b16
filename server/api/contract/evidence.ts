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
    message: z.string().optional().describe('What the code means, in English'),
    field: z.string().optional().describe('What it is about: a field, a picture or a check'),
  })
  .describe('Why a result is not what it could be')

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
    evaluationDateTime: DateTime.optional().describe('When it was decided last'),
    status: Status,
    strength: Level.exclude(['LEVEL0'])
      .optional()
      .describe('The highest level that this kind of evidence can reach'),
    score: Level.optional().describe('The level that it has reached'),
    isAdjudicable: z.boolean().optional().describe('Whether it can be sent to adjudication now'),
    errors: z
      .array(ResultError)
      .describe(
        'What went wrong. A user-agent key sees every code that a person can act on; which field, picture or check it is about ' +
          'only where that helps to take a better picture. Of a live portrait session that failed it sees 1611, whatever failed',
      ),
    positiveIndicators: Indicators.describe(
      'Checks that support it, …_OK. In all four lists a user-agent key sees the checks of how the picture was taken alone',
    ),
    warningIndicators: Indicators.describe('Checks that failed without blocking, …_WARNING'),
    blockingIndicators: Indicators.describe('Checks that failed and keep it from being VERIFIED, …_FAILED'),
    unverifiedIndicators: Indicators.describe('Checks that were not performed, …_UNVERIFIED'),
  })
  .describe('What is known about one piece of evidence')

/** Numbers and names of thresholds, models and operating points: never a value that was read. */
const Measurement = z
  .object({
    check: z.string().describe('Name of the check'),
    outcome: z.enum(['passed', 'failed', 'inconclusive']).describe('What the check ended with'),
    measured: z
      .record(z.string(), z.union([z.number(), z.string()]))
      .describe('Measured scores with their thresholds and error rates; never a value that was read'),
  })
  .describe('One measurement')

const ServiceCall = z
  .object({
    serviceName: z.string().describe('The part that was asked'),
    isTechnicalError: z.boolean().describe('Whether it could not do its work'),
    responseTimeMS: z.number().min(0).describe('How long it took, in milliseconds'),
  })
  .describe('One part that took part')

const Model = z
  .object({
    id: z.string().describe('Name of the model'),
    version: z.string().describe('Its version'),
    sha256: z.string().describe('Hash of its file, lower-case hexadecimal'),
  })
  .describe('A model that measured')

/** What was asked in a verification, and what came of it. */
export const PARTICIPANT = {
  participantType: z
    .string()
    .describe('Kind of verification')
    .meta({ examples: ['BIOMETRIC_MATCHING'] }),
  participantState: z
    .string()
    .optional()
    .describe('ACCEPTED, REJECTED or ADJUDICATION; absent where a check warned or gave no answer'),
}

/**
 * One verification that was run (spec "VerificationDetails"), with what was measured against which threshold and by
 * which model. Only in answers with detailed=true, only for the relying service.
 */
export const VerificationDetails = z
  .object({
    ...PARTICIPANT,
    isBlockingParticipant: z.boolean().optional().describe('Whether its rejection ends the verification'),
    startDateTime: DateTime.describe('When it began'),
    endDateTime: DateTime.describe('When it ended'),
    sessionCreationTime: DateTime.describe('When the session of this verification was opened'),
    raisedIndicators: Indicators.optional().describe('Indicators that it raised, as <check>_<outcome>'),
    errors: z.array(ResultError).optional().describe('What went wrong'),
    verificationServices: z.array(ServiceCall).optional().describe('Parts of the appliance that took part'),
    measurements: z.array(Measurement).optional().describe('What was measured'),
    models: z.array(Model).optional().describe('Which models measured it'),
  })
  .describe('One verification that was run, for detailed=true with a back-end key')

const common = {
  evidenceId: Id.describe('Id of the evidence'),
  submitDateTime: DateTime.describe('When it was submitted'),
  type: z
    .string()
    .describe(
      'Kind of evidence: ATTRIBUTES, ADDRESS, PORTRAIT, TRUSTED_ID_CLAIM, ID_CLAIM, MEDICARE, MOBILE_OTP, or the type of the ' +
        'document (ID_DOCUMENT until it is known)',
    ),
  evidenceStatus: EvidenceStatus,
  verificationDetails: z
    .array(VerificationDetails)
    .optional()
    .describe('Every verification that was run, with detailed=true and a back-end key'),
}

export const PersonalAttributes = z
  .object({
    givenNames: z.array(NamedValue).optional().describe('Given names, the first one first'),
    surname: NamedValue.optional().describe('Family name'),
    fullname: NamedValue.optional().describe('The whole name in one piece'),
    dateOfBirth: NamedValue.optional().describe('Date of birth, yyyy-MM-dd'),
    gender: NamedValue.optional().describe('M, F or X'),
    nationality: NamedValue.optional().describe('ISO 3166-1 alpha-3 code'),
    eyeColor: NamedValue.optional().describe('Colour of the eyes, as the document or the person puts it'),
    height: NamedValue.optional().describe('Body height, as the document or the person puts it'),
  })
  .describe('What is known about the person, value by value')

export const Address = z
  .object({
    streetDetails: z
      .object({
        streetLines: z.array(z.string()).describe('Street, house number and the like, line by line'),
        verified: z.boolean().optional().describe('Whether these lines were confirmed'),
      })
      .optional()
      .describe('The lines of the street'),
    postcode: z.string().optional().describe('Postal code'),
    city: z.string().optional().describe('Town'),
    state: z.string().optional().describe('State or region; for the USA the two-letter abbreviation (USPS)'),
    country: z.string().optional().describe('ISO 3166-1 alpha-3 code'),
    verified: z.boolean().optional().describe('Whether the address as a whole was confirmed'),
    houseNumber: z.string().optional().describe('House number, in claims'),
    flatNumber: z.string().optional().describe('Number of the flat, in claims'),
    houseName: z.string().optional().describe('Name of the house, in claims'),
    district: z.string().optional().describe('District, in claims'),
    locality: z.string().optional().describe('Locality, in claims'),
    county: z.string().optional().describe('County, in claims'),
    fullAddress: z.string().optional().describe('The whole address in one piece'),
  })
  .describe('A postal address')

const MedicareCard = z
  .object({
    cardType: z.enum(['B', 'G', 'Y']).describe('Colour of the card: blue, green or yellow'),
    individualReferenceNumber: z.int().min(1).max(9).optional().describe("The person's number on the card"),
    furtherNames: z.array(z.string()).describe('Second to fourth line of the name'),
  })
  .describe('What only a Medicare card carries')

const DocumentData = z
  .object({
    idDocumentType: z
      .string()
      .describe('Type of the document')
      .meta({ examples: ['PASSPORT'] }),
    idDocumentNumber: z.string().optional().describe('Number of the document'),
    issuingCountry: z.string().optional().describe('ISO 3166-1 alpha-3 code; UTO for specimens'),
    issuingState: z.string().optional().describe('State that issued it, for driving licences of AUS and USA'),
    issuingDate: z.string().optional().describe('Date of issue, yyyy-MM-dd'),
    expiryDate: z.string().optional().describe('Date of expiry, yyyy-MM-dd'),
    personalAttributes: PersonalAttributes.optional().describe('The holder, as the document has it'),
    address: Address.optional().describe('The address on the document'),
    mrz: z.array(z.string()).optional().describe('Machine-readable zone, one entry per line'),
  })
  .describe('What was read from the document or submitted for it')

/** Ours. */
const DocumentReason = z
  .object({
    code: z
      .enum(DOCUMENT_FAULTS)
      .describe('The one cause that decides; the first of them in the order of this list')
      .meta({ examples: ['DOCUMENT_CUT'] }),
    message: z.string().describe('The sentence, in English'),
    field: z.enum(PAGE_FIELDS).optional().describe('The field that it names; never its value'),
  })
  .describe(
    'What is wrong with a document that is NOT_VERIFIED or INVALID, in one sentence. A user-agent key is told what the ' +
      'person may know: nothing about a document that was refused for more than a plain fact',
  )

/** Ours. */
export const DocumentExtras = z
  .object({
    reason: DocumentReason.optional(),
    cardNumber: z.string().optional().describe('Number of the card itself, for Australian licences'),
    medicare: MedicareCard.optional(),
    readByPerson: z
      .array(z.string())
      .optional()
      .describe('Names of the values that an adjudicator read off the picture, where the machine could not'),
  })
  .describe('What the specification has no member for')

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
      .describe('Why liveness could not be decided, for liveness type LIVENESS_MLC'),
    portraitData: z
      .object({
        source: z
          .enum(CAPTURE_SOURCES)
          .describe('LIVE_CAPTURE_VIDEO of a capture session; OTHER for a file whose origin is unknown'),
        channel: z.enum(['nativeSDK', 'webSDK']).optional().describe('Kind of capture component'),
        metadata: z.array(KeyAndValue).optional().describe('What the capture component said about itself'),
      })
      .optional()
      .describe('How the portrait was taken'),
  })
  .describe('The portrait of the person')

export const AttributeEvidence = z
  .object({ ...common, attributesData: PersonalAttributes.optional().describe('What was submitted') })
  .describe('Attributes that were submitted')
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
    oidcGrantType: z.string().describe('CODE_FLOW'),
    portraitReferenceId: z
      .string()
      .optional()
      .describe('Id of the portrait that the provider shared, if it did'),
    trustedIdClaimData: z
      .object({
        idDocumentType: z.string().optional().describe('Type of the document behind the claim'),
        idDocumentNumber: z.string().optional().describe('Its number'),
        issuingDate: z.string().optional().describe('Its date of issue, yyyy-MM-dd'),
        expiryDate: z.string().optional().describe('Its date of expiry, yyyy-MM-dd'),
        personalAttributes: PersonalAttributes.optional().describe('The person, as the provider knows him'),
        address: Address.optional().describe('The address that the provider knows'),
      })
      .optional()
      .describe('What the identity provider shared'),
  })
  .describe('Attributes shared by an identity provider after the person logged in there')

export const Otp = z
  .object({
    status: z
      .enum(OTP_STATUSES)
      .describe(
        'PROCESSING while it is sent, PENDING until the right code is submitted, DONE, TIMEOUT, ERROR; INITIATE and ' +
          'NOT_INITIATED before anything is sent',
      ),
    creationTime: DateTime.optional().describe('When the passcode was made'),
    timeout: z
      .int()
      .min(0)
      .optional()
      .describe('Milliseconds until the passcode expires, counted from its creation'),
  })
  .describe('A one-time passcode, without the passcode')

/** Spec "Contact details (mobile)". */
export const MobileContact = z
  .object({
    value: z.string().describe('Phone number in E.164 form'),
    verified: z
      .boolean()
      .describe("Whether the number was verified as this person's against the operator's records"),
    otp: Otp,
    errors: z.array(ResultError).optional().describe('What went wrong with the number or its passcode'),
  })
  .describe('A mobile phone number and the state of its verification')
export const ContactDetails = z
  .object({ mobile: MobileContact.optional() })
  .describe('How the person can be reached')

const PersonalNumber = NamedValue.extend({
  issuingCountry: z.string().describe('ISO 3166-1 alpha-3 code of the country that issued the number'),
})
const ClaimedMobile = NamedValue.extend({
  otp: Otp.optional(),
  errors: z.array(ResultError).optional().describe('What went wrong with the number or its passcode'),
})

/** What of a claim is shown: of a payment card, only whether it was verified. */
export const ClaimData = z
  .object({
    attributesData: PersonalAttributes.extend({
      personalNumber: PersonalNumber.optional().describe('National identification number'),
    })
      .optional()
      .describe('The person, as claimed'),
    addressesData: Address.optional().describe('The address, as claimed'),
    contactDetails: z
      .object({ mobile: ClaimedMobile.describe('The mobile phone number, as claimed') })
      .optional()
      .describe('How the person can be reached, as claimed'),
    creditCardDetails: z
      .object({ verified: z.boolean().describe('Whether the card was confirmed') })
      .optional()
      .describe('Nothing else of a payment card is ever shown'),
  })
  .describe('What the person claims about himself')

/** Spec "Identity claim evidence"; status and data are absent where the tenant hides claim data. */
export const ClaimEvidence = z
  .object({
    ...common,
    evidenceStatus: EvidenceStatus.optional(),
    claimData: ClaimData.optional(),
  })
  .describe('An identity claim; where claim data is hidden it has evidenceId, submitDateTime and type only')

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
  sidesToCapture: z.array(z.enum(DOCUMENT_SIDES)).min(1).max(2).describe('Sides that will be photographed'),
}).describe('A session in which a capture component photographs a document')
export const PortraitSessionAnswer = SingleStatus.extend({ sessionId: SessionId }).describe(
  'A session in which a capture component films the person',
)
export const TrustedClaimAnswer = SingleStatus.extend({
  idpAuthorizeEndpoint: z
    .url()
    .describe("The identity provider's page, with all parameters: send the person's browser there"),
}).describe('A trusted claim that waits for the person to log in')
/** Spec: {status, type}; the id is ours, for the polling of the status. */
export const MobileSubmitAnswer = SingleStatus.partial({ id: true }).describe(
  'A phone number to which a passcode is being sent',
)

export type TrustedIdClaimEvidence = Frozen<z.infer<typeof TrustedIdClaimEvidence>>
export type ContactDetails = Frozen<z.infer<typeof ContactDetails>>
export type MobileContact = Frozen<z.infer<typeof MobileContact>>
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
