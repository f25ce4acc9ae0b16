/** Schemas of requests. Fields that are not listed are ignored and never stored. */
import { MAX_CHIP_FILE_CHARS, USED_GROUPS } from '../../proofing/chip-files.ts'
import { CAPTURE_SOURCES } from '../../proofing/evidence.ts'
import { z } from 'zod'
import {
  ADJUDICATION_STATUSES,
  CAPTURE_MODES,
  CONSENT_TYPES,
  DOCUMENT_SIDES,
  DOCUMENT_TYPES,
  FRAUD_CHECK_TYPES,
  LIVENESS_TYPES,
  SECURITY_LEVELS,
} from '../../proofing/types.ts'
import {
  isAustralianState,
  isUnitedStatesPostal,
  isUnitedStatesState,
} from '../../proofing/issuing-states.ts'
import {
  CalendarDate,
  CountryCode,
  DayOfMoment,
  Moment,
  PhoneNumber,
  PlainLines,
  EmailAddress,
  PlainText,
  toOptionalField,
  buildLinesSchema,
} from './primitives.ts'
import type { Frozen } from './primitives.ts'

/** Our own limits, because the spec defines none: a context describes a call and does not store documents. */
const MAX_CONTEXT_ENTRIES = 50
const MAX_CONTEXT_KEY = 100
const MAX_CONTEXT_VALUE = 1000
/** Enough for a request that holds each consent type several times. */
const MAX_CONSENTS = 50
/** Long enough for any client's own identifiers. */
const MAX_CORRELATION_ID = 200

const Entries = z
  .array(
    z.object({
      key: PlainText.min(1).max(MAX_CONTEXT_KEY).describe('Name of the entry'),
      value: PlainLines.max(MAX_CONTEXT_VALUE).describe('Text of the entry'),
    }),
  )
  .max(MAX_CONTEXT_ENTRIES)

export const CreationContext = Entries.describe(
  'The calling business context, copied into the identity and its proof, not verified. Recommended keys: APPLICATION, ' +
    'CHANNEL, PID (a stable account identifier)',
)

export const ConsentRequest = z
  .object({
    type: z.enum(CONSENT_TYPES).describe('Type of the consent; GIV: verification with the issuer'),
    approved: z.boolean().describe('Whether the applicant agrees; false withdraws an earlier consent'),
    validityPeriod: toOptionalField(
      z
        .object({
          from: toOptionalField(
            DayOfMoment.describe('First day, yyyy-MM-dd; a date-time stands for its day'),
          ),
          to: toOptionalField(DayOfMoment.describe('Last day, yyyy-MM-dd; a date-time stands for its day')),
        })
        .refine(({ from, to }) => !from || !to || from <= to, {
          path: ['to'],
          message: 'must not be before from',
        })
        .describe('Validity of the consent (default: immediately and without end)'),
    ),
  })
  .describe('A consent that the applicant gives or refuses')
export const ConsentsRequest = z
  .array(ConsentRequest)
  .min(1)
  .max(MAX_CONSENTS)
  .describe('Consents; the last one of a type counts')

/**
 * The spec names these words only in the proof ("captureImages", "sdkInfo"). Here a capture client may also send
 * them.
 */
const DeviceText = PlainText.min(1).max(100)
const usbId = z.string().regex(/^[0-9a-fA-F]{4}$/)
/** Our own member: compared with a pinned camera (`environment.camera`). */
export const CameraIdentity = z
  .object({
    vendor: usbId.describe('USB vendor id, four hexadecimal digits'),
    product: usbId.describe('USB product id, four hexadecimal digits'),
    serial: toOptionalField(DeviceText.describe('Serial number')),
  })
  .describe('The camera that took the pictures')
const captureDevice = {
  channel: toOptionalField(z.enum(CAPTURE_MODES).describe('Type of the capture component')),
  deviceModel: toOptionalField(DeviceText.describe('Model of the device')),
  osType: toOptionalField(DeviceText.describe('Operating system of the device')),
  osVersion: toOptionalField(DeviceText.describe('Version of the operating system')),
  sdkInfo: toOptionalField(
    z
      .object({ sdkVersion: DeviceText.describe('Version of the capture component') })
      .describe('The capture component'),
  ),
  camera: toOptionalField(CameraIdentity),
  pretendedCamera: toOptionalField(
    z.boolean().describe('True if something replaced the camera; the identity becomes a test'),
  ),
}
/** Details that a capture component states about itself. */
export const CaptureDetails = z.object(captureDevice).describe('The device and the capture component')

export const DocumentCaptureDetails = z
  .object({
    ...captureDevice,
    jurisdiction: toOptionalField(
      CountryCode.describe('Country that issued the document, ISO 3166-1 alpha-3'),
    ),
    documentType: toOptionalField(z.enum(DOCUMENT_TYPES).describe('Type of the document')),
    source: toOptionalField(z.enum(CAPTURE_SOURCES).describe('Device and component that took the pictures')),
  })
  .describe('Optional statements about the photographs of a document')

/** The parts that carry a document's sides, in and out. */
export const SIDE_PARTS = { FRONT: 'DocumentFront', BACK: 'DocumentBack' } as const

export const UserAgentTokenRequest = z
  .object({
    lifetimeSeconds: toOptionalField(
      z
        .int()
        .min(1)
        .describe(
          'Lifetime of the token in seconds, up to the configured maximum (default: 900, unless configured)',
        ),
    ),
  })
  .describe('Request for a user-agent token')

/** Long enough for the number of a case and the name of its owner. */
const MAX_REFERENCE = 200

export const LegalHoldRequest = z
  .object({
    reference: PlainText.min(1).max(MAX_REFERENCE).describe('Reference of the case at the office'),
    until: toOptionalField(
      Moment.describe('End of the hold, in UTC unless it has a zone (default: until it is lifted)'),
    ),
  })
  .describe('Reason and end of a legal hold')

/** A typed value: long enough for the longest known names, short enough for a form. */
const MAX_TEXT = 200
const Text = PlainText.min(1).max(MAX_TEXT)
/** The spec's name-like attribute as it is submitted: only `value`. */
const Submitted = z.object({ value: Text.describe('The value as text') })
const SubmittedDate = z.object({ value: CalendarDate })
const SubmittedGender = z.object({ value: z.enum(['M', 'F', 'X']).describe('M, F or X') })
const SubmittedCountry = z.object({ value: CountryCode })
const SubmittedPhone = z.object({ value: PhoneNumber })

/** The person, in the order of the spec's tables. */
const GivenNames = z
  .array(Submitted)
  .min(1)
  .max(10)
  .describe('Given names: the first entry is the given name, the second the middle name')
const Surname = Submitted.describe('Family name')
const Fullname = Submitted.describe('Full name in one text')
const DateOfBirth = SubmittedDate.describe('Date of birth')
const Gender = SubmittedGender.describe('M, F or X')
const EyeColor = Submitted.describe('Colour of the eyes')
const Height = Submitted.describe('Body height with its unit')

const names = {
  givenNames: toOptionalField(GivenNames),
  surname: toOptionalField(Surname),
  dateOfBirth: toOptionalField(DateOfBirth),
  gender: toOptionalField(Gender),
  nationality: toOptionalField(SubmittedCountry.describe('Nationality')),
}

/** Spec "IdentityAttribute": at least one attribute. */
export const AttributesRequest = z
  .object({
    ...names,
    fullname: toOptionalField(Fullname),
    eyeColor: toOptionalField(EyeColor),
    height: toOptionalField(Height),
  })
  .refine((attributes) => Object.values(attributes).some((value) => value !== undefined), {
    message: 'must have at least one attribute',
  })
  .describe('Attributes of the person, at least one; they correct the reading of a document')

const StreetLines = z.array(Text)
const STREET_LINES = 'Street, house number and the like, line by line'
const Postcode = Text.describe('Postal code')
const City = Text.describe('Town')
const State = Text.describe('State or region; for the USA the two-letter abbreviation (USPS)')

const addressFields = {
  streetDetails: toOptionalField(
    z
      .object({ streetLines: buildLinesSchema(StreetLines.min(1).max(10)).describe(STREET_LINES) })
      .describe('Lines of the street'),
  ),
  postcode: toOptionalField(Postcode),
  city: toOptionalField(City),
  state: toOptionalField(State),
  country: toOptionalField(CountryCode.describe('ISO 3166-1 alpha-3 code')),
  fullAddress: toOptionalField(
    PlainLines.min(1).max(MAX_TEXT).describe('Full address in one text, with line breaks or without'),
  ),
}

function hasUspsState({ country, state }: { country?: string | undefined; state?: string | undefined }) {
  return country !== 'USA' || state === undefined || isUnitedStatesPostal(state)
}
const NO_USPS_STATE = 'must be a two-letter abbreviation of a state of the USA (USPS)'
const USPS_STATE = { path: ['state'], message: NO_USPS_STATE }

/** Spec "IdentityAddress". We add the address and, optionally, the evidence that it derives from. */
export const AddressRequest = z
  .object({
    ...addressFields,
    referenceIds: toOptionalField(
      z
        .array(z.string().min(1).max(100))
        .max(20)
        .describe('Ids of the evidence that the address derives from'),
    ),
  })
  .refine(hasUspsState, USPS_STATE)
  .refine(
    ({ streetDetails, postcode, city, country, fullAddress }) =>
      [streetDetails, postcode, city, country, fullAddress].some((value) => value !== undefined),
    { message: 'must have at least one part of an address' },
  )
  .describe('An address with at least one part')

/** Ours: the values that an adjudicator reads from the picture of a document. */
export const PersonReadValues = z
  .object({
    idDocumentType: toOptionalField(z.enum(DOCUMENT_TYPES).describe('Type of the document')),
    idDocumentNumber: toOptionalField(PlainText.min(1).max(50).describe('Number of the document')),
    issuingCountry: toOptionalField(CountryCode.describe('Country that issued it, ISO 3166-1 alpha-3')),
    issuingState: toOptionalField(PlainText.min(1).max(10).describe('State that issued it')),
    issuingDate: toOptionalField(CalendarDate.describe('Date of issue, yyyy-MM-dd')),
    expiryDate: toOptionalField(CalendarDate.describe('Date of expiry, yyyy-MM-dd')),
    personalAttributes: toOptionalField(
      z
        .object({
          givenNames: toOptionalField(GivenNames),
          surname: toOptionalField(Surname),
          fullname: toOptionalField(Fullname),
          dateOfBirth: toOptionalField(DateOfBirth),
          gender: toOptionalField(Gender),
          nationality: toOptionalField(SubmittedCountry.describe('Nationality')),
        })
        .describe('Attributes of the holder'),
    ),
  })
  .describe(
    'Values that the adjudicator reads from the picture and the machine could not. They are marked as read by a ' +
      'person, and an acceptance confirms them. If two adjudicators must accept, both must read the same values',
  )

/** Spec "Text submission of an identity document". */
export const TextDocumentRequest = z
  .object({
    idDocumentType: z.enum(DOCUMENT_TYPES).describe('Type of the document'),
    idDocumentNumber: PlainText.min(1).max(50).describe('Number of the document'),
    issuingCountry: CountryCode.describe('Country that issued it, ISO 3166-1 alpha-3'),
    issuingState: toOptionalField(
      PlainText.min(1)
        .max(10)
        .describe('State that issued it, by its abbreviation; required for driving licences of AUS and USA'),
    ),
    issuingDate: toOptionalField(CalendarDate.describe('Date of issue, yyyy-MM-dd')),
    expiryDate: toOptionalField(
      CalendarDate.describe('Date of expiry, yyyy-MM-dd; not before the date of issue'),
    ),
    /**
     * We add the number of the card, which is not the number of the licence. Australian document verification
     * requires it.
     */
    cardNumber: toOptionalField(PlainText.min(1).max(20).describe('Card number, for Australian licences')),
    personalAttributes: z
      .object({
        dateOfBirth: DateOfBirth,
        givenNames: GivenNames,
        surname: Surname,
        fullname: toOptionalField(Fullname),
        height: toOptionalField(Height),
        eyeColor: toOptionalField(EyeColor),
        gender: toOptionalField(Gender),
      })
      .describe('Attributes of the holder'),
    address: toOptionalField(
      z
        .object({
          // "Only the first two lines are used."
          streetDetails: toOptionalField(
            z
              .object({
                streetLines: toOptionalField(
                  buildLinesSchema(StreetLines.max(20)).describe(`${STREET_LINES}; the first two are used`),
                ),
              })
              .describe('Lines of the street'),
          ),
          city: toOptionalField(City),
          state: toOptionalField(State),
          postcode: toOptionalField(Postcode),
        })
        .describe('The address on the document'),
    ),
  })
  .superRefine((document, context) => {
    if (document.idDocumentType !== 'DRIVING_LICENSE') return
    const known = { AUS: isAustralianState, USA: isUnitedStatesState }[document.issuingCountry]
    if (!known || (document.issuingState !== undefined && known(document.issuingState))) return
    context.addIssue({
      code: 'custom',
      path: ['issuingState'],
      message:
        document.issuingCountry === 'USA' ? NO_USPS_STATE : 'must be ACT, NSW, NT, QLD, SA, TAS, VIC or WA',
    })
  })
  .refine(({ issuingDate, expiryDate }) => !issuingDate || !expiryDate || issuingDate <= expiryDate, {
    path: ['expiryDate'],
    message: 'must not be before issuingDate',
  })
  .describe('An identity document as text')

/** Spec "Medicare card". */
const MedicareLine = Text.describe('Further name line of the card')
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const ChipFile = z
  .string()
  .min(1)
  .max(MAX_CHIP_FILE_CHARS)
  .regex(BASE64, 'must be base64 with padding')
  .meta({ contentEncoding: 'base64' })

export const ChipFilesRequest = z
  .object({
    sod: ChipFile.describe('EF.SOD as it was read, in base64'),
    com: toOptionalField(ChipFile.describe('EF.COM, in base64')),
    cardSecurity: toOptionalField(ChipFile.describe('EF.CardSecurity, in base64')),
    dataGroups: z
      .array(
        z.object({
          number: z.literal(USED_GROUPS).describe('Number of the data group'),
          content: ChipFile.describe('The file as it was read, in base64'),
        }),
      )
      .min(1)
      .max(USED_GROUPS.length)
      .refine((groups) => new Set(groups.map(({ number }) => number)).size === groups.length, {
        message: 'must have each data group once',
      })
      .describe('The data groups that were read; DG1 and DG2 are needed to confirm a document'),
  })
  .describe(
    'Our extension: files that a reader of the caller read from the chip of the document. They are verified by passive ' +
      'authentication and compared with the pictures. They do not show that the chip is no copy.',
  )

export const MedicareRequest = z
  .object({
    cardNumber: z
      .string()
      .trim()
      .regex(/^[\d ]{10,14}$/, 'must have 10 or 11 digits')
      .refine((text) => [10, 11].includes(text.replaceAll(' ', '').length), 'must have 10 or 11 digits')
      .describe('Number of the card: 10 or 11 digits, spaces allowed'),
    cardType: z.enum(['B', 'G', 'Y']).describe('Colour of the card: blue, green or yellow'),
    issuingCountry: toOptionalField(CountryCode.describe('ISO 3166-1 alpha-3 code (default: AUS)')),
    expiryDate: CalendarDate.describe('Date of expiry, yyyy-MM-dd'),
    fullname2: toOptionalField(MedicareLine),
    fullname3: toOptionalField(MedicareLine),
    fullname4: toOptionalField(MedicareLine),
    individualReferenceNumber: toOptionalField(
      z.int().min(1).max(9).describe("The person's number on the card"),
    ),
    personalAttributes: z
      .object({ fullname: Fullname, dateOfBirth: DateOfBirth })
      .describe('Attributes of the holder'),
  })
  .describe('An Australian Medicare card as text')

/** Spec "live-capture-session": all optional. */
export const DocumentSessionRequest = z
  .object({
    issuingCountry: toOptionalField(
      CountryCode.describe('Country that issued the document, ISO 3166-1 alpha-3'),
    ),
    idDocumentType: toOptionalField(z.enum(DOCUMENT_TYPES).describe('Type of the document')),
    sidesToCapture: toOptionalField(
      z
        .array(z.enum(DOCUMENT_SIDES))
        .min(1)
        .max(2)
        .refine((sides) => new Set(sides).size === sides.length, 'must not name a side twice')
        .describe('Sides to capture (default: the sides of the type)'),
    ),
  })
  .describe('Document of the session')

/** Spec "Liveness parameters". Ours: LIVENESS_HIGH is an alias of LIVENESS_ACTIVE. */
export const LivenessRequest = z
  .object({
    type: toOptionalField(
      z
        .enum([...LIVENESS_TYPES, 'LIVENESS_HIGH'])
        .describe('Liveness type; LIVENESS_HIGH is another name of LIVENESS_ACTIVE'),
    ),
    nbChallenge: toOptionalField(
      z.int().min(1).max(3).describe('Number of challenges, for LIVENESS_ACTIVE (default: 2)'),
    ),
    securityLevel: toOptionalField(z.enum(SECURITY_LEVELS).describe('Security level of the check')),
  })
  .describe("Liveness settings; absent ones come from the tenant's configuration")
export const SessionModeQuery = z.object({ mode: z.enum(CAPTURE_MODES).optional() })

export const FraudChecksRequest = z
  .array(z.object({ type: z.enum(FRAUD_CHECK_TYPES).describe('Type of the check') }))
  .min(1)
  .max(6)
  .describe('Checks to perform')

export const AdjudicationQuery = z.object({ status: z.enum(ADJUDICATION_STATUSES).optional() })

/** Spec "Trusted identity claim", request fields. */
export const TrustedClaimRequest = z
  .object({
    idpIdentifier: PlainText.min(1)
      .max(64)
      .describe('The identity provider, by its name in the configuration'),
    oidcGrantType: toOptionalField(z.literal('CODE_FLOW').describe('Only CODE_FLOW; it is the default')),
    responseType: toOptionalField(
      z
        .enum(['HTTP_REDIRECT', 'JSON'])
        .describe('Form of the answer: JSON, or HTTP_REDIRECT for a 302 to the provider (default: JSON)'),
    ),
    postAuthRedirectUri: toOptionalField(
      z
        .url({ protocol: /^https?$/ })
        .max(2000)
        .describe(
          'Address to which the applicant is redirected after the login; must be allowed in the configuration',
        ),
    ),
    userIdentifier: toOptionalField(Text.describe('Login name of the person at the provider')),
  })
  .describe('Request for a login at an identity provider')

/** Spec "Claim body". */
export const ClaimRequest = z
  .object({
    attributesData: toOptionalField(
      z
        .object({
          ...names,
          personalNumber: toOptionalField(
            Submitted.extend({
              issuingCountry: CountryCode.describe('Country that issued the number, ISO 3166-1 alpha-3'),
            }).describe('National identification number'),
          ),
        })
        .describe('Attributes of the person'),
    ),
    addressesData: toOptionalField(
      z
        .object({
          ...addressFields,
          houseNumber: toOptionalField(Text.describe('House number')),
          flatNumber: toOptionalField(Text.describe('Flat number')),
          houseName: toOptionalField(Text.describe('House name')),
          district: toOptionalField(Text.describe('District')),
          locality: toOptionalField(Text.describe('Locality')),
          county: toOptionalField(Text.describe('County')),
        })
        .refine(hasUspsState, USPS_STATE)
        .describe('The address'),
    ),
    contactDetails: toOptionalField(
      z
        .object({
          mobile: toOptionalField(SubmittedPhone.describe('Mobile phone; a passcode is sent to it')),
        })
        .describe('Contact details'),
    ),
    creditCardDetails: toOptionalField(
      z
        .object({
          cardNumber: z
            .string()
            .trim()
            .regex(/^(?:[ -]*\d){12,19}[ -]*$/, 'must have 12 to 19 digits')
            .max(40)
            .describe(
              'Number of the payment card, 12 to 19 digits with optional spaces and hyphens; it is neither stored nor returned. A wrong ' +
                'check digit is a warning of the evidence, as in a document',
            ),
          cardType: toOptionalField(Text.describe('Brand of the card; it is neither compared nor stored')),
          expiryDate: toOptionalField(
            PlainText.min(4)
              .max(10)
              .describe('Date as printed on the card; it is neither compared nor stored'),
          ),
        })
        .describe('A payment card'),
    ),
  })
  .refine((claim) => Object.values(claim).some((value) => value !== undefined), {
    message: 'must have at least one of attributesData, addressesData, contactDetails and creditCardDetails',
  })
  .describe('Claimed data, at least one part')

export const MobileRequest = SubmittedPhone.describe('The number to verify')
export const LandlineRequest = SubmittedPhone.describe('The number of the landline to verify')
export const EmailRequest = z.object({ value: EmailAddress }).describe('The e-mail address to verify')
export const OtpRequest = z
  .object({ value: z.string().min(4).max(12).describe('The passcode, as the person received it') })
  .describe('A one-time passcode')

/** Query of the redirect from an identity provider; the checks of the protocol follow later. */
export const OidcCallbackQuery = z.object({ state: z.string().min(1).max(200) })

export const FileMetadata = Entries.describe('Description of the file')

/** `?detailed=`: a boolean in words. */
export const DetailedQuery = z.object({
  detailed: z.stringbool({ truthy: ['true'], falsy: ['false'] }).optional(),
})
export const CorrelationQuery = z.object({
  correlationID: z.string().min(1).max(MAX_CORRELATION_ID),
})
export const CorrelationHeader = z.object({
  'correlation-id': z.string().max(MAX_CORRELATION_ID).optional(),
})

export type LegalHoldRequest = Frozen<z.output<typeof LegalHoldRequest>>
export type CreationContext = Frozen<z.infer<typeof CreationContext>>
export type ConsentRequest = Frozen<z.infer<typeof ConsentRequest>>
export type DocumentCaptureDetails = Frozen<z.infer<typeof DocumentCaptureDetails>>
export type AttributesRequest = Frozen<z.infer<typeof AttributesRequest>>
export type AddressRequest = Frozen<z.infer<typeof AddressRequest>>
export type TextDocumentRequest = Frozen<z.infer<typeof TextDocumentRequest>>
export type ChipFilesRequest = Frozen<z.infer<typeof ChipFilesRequest>>
export type MedicareRequest = Frozen<z.infer<typeof MedicareRequest>>
export type DocumentSessionRequest = Frozen<z.infer<typeof DocumentSessionRequest>>
export type LivenessRequest = Frozen<z.infer<typeof LivenessRequest>>
export type UserAgentTokenRequest = Frozen<z.infer<typeof UserAgentTokenRequest>>
export type FraudChecksRequest = Frozen<z.infer<typeof FraudChecksRequest>>
export type TrustedClaimRequest = Frozen<z.infer<typeof TrustedClaimRequest>>
export type ClaimRequest = Frozen<z.infer<typeof ClaimRequest>>
