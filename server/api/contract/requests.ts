/** What callers send. Fields that are not listed are ignored and never stored. */
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
import { isAustralianState, isUnitedStatesState } from '../../proofing/issuing-states.ts'
import { CalendarDate, CountryCode, PhoneNumber, given } from './primitives.ts'
import type { Frozen } from './primitives.ts'

/** Our own bounds, the spec names none: a context describes a call, it is no document store. */
const MAX_CONTEXT_ENTRIES = 50
const MAX_CONTEXT_KEY = 100
const MAX_CONTEXT_VALUE = 1000
/** One request may hold every consent type several times over, no more. */
const MAX_CONSENTS = 50
/** Long enough for any client's own identifiers. */
export const MAX_CORRELATION_ID = 200

export const CreationContext = z
  .array(
    z.object({
      key: z.string().min(1).max(MAX_CONTEXT_KEY),
      value: z.string().max(MAX_CONTEXT_VALUE),
    }),
  )
  .max(MAX_CONTEXT_ENTRIES)

export const ConsentRequest = z.object({
  type: z.enum(CONSENT_TYPES),
  approved: z.boolean(),
  validityPeriod: given(
    z
      .object({ from: given(CalendarDate), to: given(CalendarDate) })
      .refine(({ from, to }) => !from || !to || from <= to, {
        path: ['to'],
        message: 'must not be before from',
      }),
  ),
})
export const ConsentsRequest = z.array(ConsentRequest).min(1).max(MAX_CONSENTS)

export const DocumentCaptureDetails = z.object({
  jurisdiction: given(CountryCode),
  documentType: given(z.enum(DOCUMENT_TYPES)),
  source: given(z.enum(['LIVE_CAPTURE_IMAGE', 'LIVE_CAPTURE_VIDEO', 'SCAN', 'OTHER', 'DOCUMENT_CROP'])),
})

/** The parts that carry a document's sides, in and out. */
export const SIDE_PARTS = { FRONT: 'DocumentFront', BACK: 'DocumentBack' } as const

/** What a person wrote about himself: long enough for the longest names known, short enough for a form. */
const MAX_TEXT = 200
const Text = z.string().trim().min(1).max(MAX_TEXT)
/** The spec's name-like attribute as it is submitted: only `value`. */
const Submitted = z.object({ value: Text })
const SubmittedDate = z.object({ value: CalendarDate })
const SubmittedGender = z.object({ value: z.enum(['M', 'F', 'X']) })
const SubmittedCountry = z.object({ value: CountryCode })

const names = {
  givenNames: given(z.array(Submitted).min(1).max(10)),
  surname: given(Submitted),
  dateOfBirth: given(SubmittedDate),
  gender: given(SubmittedGender),
  nationality: given(SubmittedCountry),
}

/** Spec "IdentityAttribute": at least one attribute. */
export const AttributesRequest = z
  .object({ ...names, fullname: given(Submitted), eyeColor: given(Submitted), height: given(Submitted) })
  .refine((attributes) => Object.values(attributes).some((value) => value !== undefined), {
    message: 'must have at least one attribute',
  })

const addressFields = {
  streetDetails: given(z.object({ streetLines: z.array(Text).min(1).max(10) })),
  postcode: given(Text),
  city: given(Text),
  state: given(Text),
  country: given(CountryCode),
}

function hasUspsState({ country, state }: { country?: string | undefined; state?: string | undefined }) {
  return country !== 'USA' || state === undefined || isUnitedStatesState(state)
}
const USPS_STATE = {
  path: ['state'],
  message: 'must be a two-letter abbreviation of a state of the USA (USPS)',
}

/** Spec "IdentityAddress" (design.md): the address, optionally with the evidence it derives from. */
export const AddressRequest = z
  .object({
    ...addressFields,
    fullAddress: given(Text),
    referenceIds: given(z.array(z.string().min(1).max(100)).max(20)),
  })
  .refine(hasUspsState, USPS_STATE)
  .refine(
    ({ streetDetails, postcode, city, country, fullAddress }) =>
      [streetDetails, postcode, city, country, fullAddress].some((value) => value !== undefined),
    { message: 'must have at least one part of an address' },
  )

/** Spec "Text submission of an identity document". */
export const TextDocumentRequest = z
  .object({
    idDocumentType: z.enum(DOCUMENT_TYPES),
    idDocumentNumber: z.string().trim().min(1).max(50),
    issuingCountry: CountryCode,
    issuingState: given(z.string().trim().min(1).max(10)),
    issuingDate: given(CalendarDate),
    expiryDate: given(CalendarDate),
    /** Ours: the number of the card, apart from the licence's (Australian document verification demands it). */
    cardNumber: given(z.string().trim().min(1).max(20)),
    personalAttributes: z.object({
      dateOfBirth: SubmittedDate,
      givenNames: z.array(Submitted).min(1).max(10),
      surname: Submitted,
      fullname: given(Submitted),
      height: given(Submitted),
      eyeColor: given(Submitted),
      gender: given(SubmittedGender),
    }),
    address: given(
      z.object({
        // "Only the first two lines are used."
        streetDetails: given(z.object({ streetLines: given(z.array(Text).max(20)) })),
        city: given(Text),
        state: given(Text),
        postcode: given(Text),
      }),
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
        document.issuingCountry === 'USA'
          ? 'must be a two-letter abbreviation of a state of the USA'
          : 'must be ACT, NSW, NT, QLD, SA, TAS, VIC or WA',
    })
  })
  .refine(({ issuingDate, expiryDate }) => !issuingDate || !expiryDate || issuingDate <= expiryDate, {
    path: ['expiryDate'],
    message: 'must not be before issuingDate',
  })

/** Spec "Medicare card". */
export const MedicareRequest = z.object({
  cardNumber: z
    .string()
    .trim()
    .regex(/^[\d ]{10,14}$/, 'must have 10 or 11 digits')
    .refine((text) => [10, 11].includes(text.replaceAll(' ', '').length), 'must have 10 or 11 digits'),
  cardType: z.enum(['B', 'G', 'Y']),
  issuingCountry: given(CountryCode),
  expiryDate: CalendarDate,
  fullname2: given(Text),
  fullname3: given(Text),
  fullname4: given(Text),
  individualReferenceNumber: given(z.int().min(1).max(9)),
  personalAttributes: z.object({ fullname: Submitted, dateOfBirth: SubmittedDate }),
})

/** Spec "live-capture-session": all optional. */
export const DocumentSessionRequest = z.object({
  issuingCountry: given(CountryCode),
  idDocumentType: given(z.enum(DOCUMENT_TYPES)),
  sidesToCapture: given(
    z
      .array(z.enum(DOCUMENT_SIDES))
      .min(1)
      .max(2)
      .refine((sides) => new Set(sides).size === sides.length, 'must not name a side twice'),
  ),
})

/** Spec "Liveness parameters". LIVENESS_HIGH is an alias of LIVENESS_ACTIVE (design.md). */
export const LivenessRequest = z.object({
  type: given(z.enum([...LIVENESS_TYPES, 'LIVENESS_HIGH'])),
  nbChallenge: given(z.int().min(1).max(3)),
  securityLevel: given(z.enum(SECURITY_LEVELS)),
})
export const SessionModeQuery = z.object({ mode: z.enum(CAPTURE_MODES).optional() })

export const FraudChecksRequest = z
  .array(z.object({ type: z.enum(FRAUD_CHECK_TYPES) }))
  .min(1)
  .max(6)

export const AdjudicationQuery = z.object({ status: z.enum(ADJUDICATION_STATUSES).optional() })

/** Spec "Trusted identity claim", request fields. */
export const TrustedClaimRequest = z.object({
  idpIdentifier: z.string().trim().min(1).max(64),
  oidcGrantType: given(z.literal('CODE_FLOW')),
  responseType: given(z.enum(['HTTP_REDIRECT', 'JSON'])),
  postAuthRedirectUri: given(z.url({ protocol: /^https?$/ }).max(2000)),
  userIdentifier: given(Text),
})

/** Spec "Claim body". */
export const ClaimRequest = z
  .object({
    attributesData: given(
      z.object({
        ...names,
        personalNumber: given(Submitted.extend({ issuingCountry: CountryCode })),
      }),
    ),
    addressesData: given(
      z
        .object({
          ...addressFields,
          houseNumber: given(Text),
          flatNumber: given(Text),
          houseName: given(Text),
          district: given(Text),
          locality: given(Text),
          county: given(Text),
          fullAddress: given(Text),
        })
        .refine(hasUspsState, USPS_STATE),
    ),
    contactDetails: given(z.object({ mobile: given(z.object({ value: PhoneNumber })) })),
    creditCardDetails: given(
      z.object({
        cardNumber: z
          .string()
          .trim()
          .regex(/^[\d -]{12,30}$/, 'must have 12 to 19 digits'),
        cardType: given(Text),
        expiryDate: given(z.string().trim().min(4).max(10)),
      }),
    ),
  })
  .refine((claim) => Object.values(claim).some((value) => value !== undefined), {
    message: 'must claim something',
  })

export const MobileRequest = z.object({ value: PhoneNumber })
export const OtpRequest = z.object({ value: z.string().min(4).max(12) })

/** What an identity provider sends the person back with; the protocol's own checks come later. */
export const OidcCallbackQuery = z.object({ state: z.string().min(1).max(200) })

/** Metadata of an additional file. */
export const FileMetadata = z
  .array(
    z.object({
      key: z.string().min(1).max(MAX_CONTEXT_KEY),
      value: z.string().max(MAX_CONTEXT_VALUE),
    }),
  )
  .max(MAX_CONTEXT_ENTRIES)

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

export type CreationContext = Frozen<z.infer<typeof CreationContext>>
export type ConsentRequest = Frozen<z.infer<typeof ConsentRequest>>
export type DocumentCaptureDetails = Frozen<z.infer<typeof DocumentCaptureDetails>>
export type AttributesRequest = Frozen<z.infer<typeof AttributesRequest>>
export type AddressRequest = Frozen<z.infer<typeof AddressRequest>>
export type TextDocumentRequest = Frozen<z.infer<typeof TextDocumentRequest>>
export type MedicareRequest = Frozen<z.infer<typeof MedicareRequest>>
export type DocumentSessionRequest = Frozen<z.infer<typeof DocumentSessionRequest>>
export type LivenessRequest = Frozen<z.infer<typeof LivenessRequest>>
export type FraudChecksRequest = Frozen<z.infer<typeof FraudChecksRequest>>
export type TrustedClaimRequest = Frozen<z.infer<typeof TrustedClaimRequest>>
export type ClaimRequest = Frozen<z.infer<typeof ClaimRequest>>
