/**
 * Converts a provider's claims to the spec's members ("trustedIdClaimData"). Standard claims (OpenID Connect Core 1.0,
 * section 5.1) come from the account; only `verified_claims` (OpenID Connect for Identity Assurance 1.0) are marked as
 * verified, with the documents used.
 */
import { z } from 'zod'
import type {
  AddressData,
  NamedValue,
  PersonalAttributes,
  TrustedClaimData,
} from '../../proofing/evidence.ts'
import type { DocumentType } from '../../proofing/types.ts'

export type SharedAttributes = NonNullable<TrustedClaimData['shared']>

/** An invalid claim is omitted without affecting the others. */
const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined)

/** Longer than any name or address line; longer texts are omitted. */
const Text = optional(z.string().trim().min(1).max(300))
/** Year 0000 stands for an omitted year (OpenID Connect Core 1.0, `birthdate`). */
const FullDate = optional(z.iso.date().refine((date) => !date.startsWith('0000')))
/** The spec's format of a country; two-letter codes and country names are omitted. */
const Alpha3 = z.string().regex(/^[A-Z]{3}$/)

const Claims = z.object({
  given_name: Text,
  middle_name: Text,
  family_name: Text,
  name: Text,
  birthdate: FullDate,
  gender: Text,
  nationalities: optional(z.array(z.unknown())),
  address: optional(
    z.object({
      street_address: Text,
      locality: Text,
      region: Text,
      postal_code: Text,
      country: optional(Alpha3),
      country_code: optional(Alpha3),
      formatted: Text,
    }),
  ),
})

const DocumentEvidence = z.object({
  type: z.literal('document'),
  document_details: z.object({
    type: z.string(),
    document_number: Text,
    date_of_issuance: FullDate,
    date_of_expiry: FullDate,
  }),
})

/** Both parts are required and must not be empty: the trust framework makes the claims verified ones. */
const VerifiedClaims = z.object({
  verification: z.object({
    trust_framework: z.string().min(1),
    evidence: optional(z.array(z.unknown())),
  }),
  claims: Claims,
})

/** Predefined document types of OpenID Connect for Identity Assurance with an equivalent in the spec. */
const DOCUMENT_TYPES: Readonly<Record<string, DocumentType>> = {
  passport: 'PASSPORT',
  idcard: 'IDENTITY_CARD',
  driving_permit: 'DRIVING_LICENSE',
  residence_permit: 'RESIDENT_CARD',
}

const GENDERS: Readonly<Record<string, string>> = { female: 'F', male: 'M', f: 'F', m: 'M', x: 'X' }

/** Returns null without a name: an account without a name is no claim to an identity. */
export function parseSharedAttributes(claims: Readonly<Record<string, unknown>>): SharedAttributes | null {
  const verified = [claims.verified_claims].flat().flatMap((entry) => {
    const parsed = VerifiedClaims.safeParse(entry)
    return parsed.success ? [parsed.data] : []
  })
  // The first of several verified entries counts, and verified values have precedence over the account's.
  const said = [
    { claims: Claims.parse(claims), verified: false },
    ...verified.map((entry) => ({ claims: entry.claims, verified: true })).reverse(),
  ]
  const personalAttributes = said.reduce<PersonalAttributes>(
    (known, entry) => ({ ...known, ...toPersonalAttributes(entry.claims, entry.verified) }),
    {},
  )
  if (!personalAttributes.surname && !personalAttributes.fullname) return null
  const address = said.map((entry) => toAddress(entry.claims, entry.verified)).findLast(Boolean)
  return {
    ...verified.map(({ verification }) => findDocument(verification.evidence ?? [])).find(Boolean),
    personalAttributes,
    ...(address ? { address } : {}),
  }
}

function toPersonalAttributes(claims: z.infer<typeof Claims>, verified: boolean): PersonalAttributes {
  const named = (value: string): NamedValue => ({ value, verified })
  // Several given names are separated by spaces (OpenID Connect Core 1.0, `given_name`).
  const givenNames = [claims.given_name, claims.middle_name].flatMap((names) => names?.split(/\s+/) ?? [])
  const gender = GENDERS[claims.gender?.toLowerCase() ?? '']
  const nationality = claims.nationalities?.find((code) => Alpha3.safeParse(code).success) as
    | string
    | undefined
  return {
    ...(givenNames.length > 0 ? { givenNames: givenNames.map(named) } : {}),
    ...(claims.family_name ? { surname: named(claims.family_name) } : {}),
    ...(claims.name ? { fullname: named(claims.name) } : {}),
    ...(claims.birthdate ? { dateOfBirth: named(claims.birthdate) } : {}),
    ...(gender ? { gender: named(gender) } : {}),
    ...(nationality ? { nationality: named(nationality) } : {}),
  }
}

function toAddress({ address }: z.infer<typeof Claims>, verified: boolean): AddressData | null {
  if (!address) return null
  const { street_address: street, locality, region, postal_code: postcode, formatted } = address
  const country = address.country_code ?? address.country
  const data = {
    ...(street ? { streetDetails: { streetLines: street.split(/\r?\n/), verified } } : {}),
    ...(postcode ? { postcode } : {}),
    ...(locality ? { city: locality } : {}),
    ...(region ? { state: region } : {}),
    ...(country ? { country } : {}),
    ...(formatted ? { fullAddress: formatted } : {}),
  }
  return Object.keys(data).length > 0 ? { ...data, verified } : null
}

function findDocument(
  evidence: readonly unknown[],
): Pick<SharedAttributes, 'idDocumentType' | 'idDocumentNumber' | 'issuingDate' | 'expiryDate'> | null {
  for (const entry of evidence) {
    const parsed = DocumentEvidence.safeParse(entry)
    if (!parsed.success) continue
    const details = parsed.data.document_details
    const idDocumentType = DOCUMENT_TYPES[details.type]
    if (!idDocumentType) continue
    return {
      idDocumentType,
      ...(details.document_number ? { idDocumentNumber: details.document_number } : {}),
      ...(details.date_of_issuance ? { issuingDate: details.date_of_issuance } : {}),
      ...(details.date_of_expiry ? { expiryDate: details.date_of_expiry } : {}),
    }
  }
  return null
}
