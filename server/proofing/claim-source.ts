/**
 * Judges what attribute sources answer about a claim (ID_CLAIM_SOURCE). Two independent records must name the person, or one of
 * an authoritative register: a single commercial record can be made with a single forged application.
 */
import type { CallTrouble } from './disclosure.ts'
import type { ClaimData } from './evidence.ts'
import type { FieldMatch } from './issuer-answer.ts'
import type { Finding } from './judge.ts'
import type { AskedSource } from './source-reply.ts'
import type { VerifiableValue } from './verified-values.ts'

/** Values that a source may be asked to compare. */
export const CLAIM_FIELDS = ['givenNames', 'surname', 'dateOfBirth', 'address', 'personalNumber'] as const
export type ClaimField = (typeof CLAIM_FIELDS)[number]

/** No record can be compared without them. */
export const CLAIM_ALWAYS_SENT: readonly ClaimField[] = ['givenNames', 'surname']

export interface ClaimRecord {
  /**
   * The maker of the record, such as a lender or an electoral roll. Two records of one origin count once, also if two sources
   * report them: bureaus resell the files of others.
   */
  readonly origin: string
  readonly record: 'FOUND' | 'NOT_FOUND'
  readonly matches: Readonly<Partial<Record<ClaimField, FieldMatch>>>
}

export interface ClaimAnswer {
  /** The id of the source in the configuration. */
  readonly source: string
  /** A register that the law makes the reference, such as a population register. */
  readonly authoritative: boolean
  readonly records: readonly ClaimRecord[]
}

/** The questions about one claim, by the id of the source. */
export type AskedBureaus = Readonly<Record<string, AskedSource<ClaimAnswer>>>

/** Earlier questions about a claim. */
export interface KnownBureaus {
  readonly replies?: AskedBureaus
  /** True: no question is put. */
  readonly asksNone?: boolean
}

/** Independent records that must confirm a person. */
const ORIGINS_NEEDED = 2

interface ClaimFinding {
  readonly finding: Finding
  /** Claimed values that the confirming records have. */
  readonly confirmed: readonly VerifiableValue[]
}

/** @param troubles of the sources that did not answer */
export function judgeClaim(
  answers: readonly ClaimAnswer[],
  troubles: readonly CallTrouble[] = [],
): ClaimFinding {
  const records = answers.flatMap(({ authoritative, records }) =>
    records.map((record) => ({ ...record, authoritative })),
  )
  const confirming = records.filter(isConfirming)
  const origins = new Set(confirming.map(({ origin }) => origin.toLowerCase()))
  const hasBirth = confirming.some(({ matches }) => matches.dateOfBirth === 'MATCH')
  const isEnough = origins.size >= ORIGINS_NEEDED || confirming.some(({ authoritative }) => authoritative)
  const isContradicted = records.some(isContradicting)
  const outcome = isContradicted ? 'failed' : isEnough && hasBirth ? 'passed' : 'inconclusive'
  const reason = troubles.length > 0 ? 'ANSWER' : 'RECORD'
  return {
    finding: {
      check: 'ID_CLAIM_SOURCE',
      outcome,
      ...(outcome === 'inconclusive' ? { reason } : {}),
      measured: {
        compared: records.length,
        same: origins.size,
        ...(troubles.length > 0 ? { sourceTrouble: [...new Set(troubles)].join(' ') } : {}),
      },
    },
    confirmed: outcome === 'passed' ? listConfirmed(confirming) : [],
  }
}

type Counted = ClaimRecord & { readonly authoritative: boolean }

/** A record of the same name confirms a person only with a second value: many people share a name. */
function isConfirming({ record, matches }: Counted): boolean {
  if (record !== 'FOUND' || matches.dateOfBirth === 'NO_MATCH') return false
  const isNamed = isSame(matches.surname) && isSame(matches.givenNames)
  return isNamed && (matches.dateOfBirth === 'MATCH' || matches.address === 'MATCH')
}

/**
 * An authoritative record, or one that a personal number found, belongs to one person. Other records with another date of
 * birth may be those of a namesake.
 */
function isContradicting({ record, matches, authoritative }: Counted): boolean {
  if (record !== 'FOUND' || !(authoritative || matches.personalNumber === 'MATCH')) return false
  return matches.surname === 'NO_MATCH' || matches.dateOfBirth === 'NO_MATCH'
}

const isSame = (match: FieldMatch | undefined): boolean => match === 'MATCH' || match === 'SIMILAR'

function listConfirmed(records: readonly Counted[]): VerifiableValue[] {
  return (['surname', 'givenNames', 'dateOfBirth'] as const).filter((value) =>
    records.some(({ matches }) => matches[value] === 'MATCH'),
  )
}

export interface ClaimQuestionContent {
  /** ISO 3166-1 alpha-3: of the claimed address, or of the nationality. */
  readonly country: string
  readonly values: Readonly<Partial<Record<ClaimField, string>>>
}

/** The country of the claimed address, or the nationality. */
export const findClaimCountry = ({ attributesData, addressesData }: ClaimData): string | undefined =>
  addressesData?.country ?? attributesData?.nationality?.value

/** Null if the claim has no country or no full name. */
export function buildClaimQuestion(
  claim: ClaimData,
  sends: readonly ClaimField[],
): ClaimQuestionContent | null {
  const { attributesData: attributes, addressesData: address } = claim
  const country = findClaimCountry(claim)
  const { streetDetails, fullAddress, houseNumber, postcode, city } = address ?? {}
  const street = [houseNumber, ...(streetDetails?.streetLines ?? [])]
  const known: Readonly<Record<ClaimField, string | undefined>> = {
    givenNames: attributes?.givenNames?.map(({ value }) => value).join(' '),
    surname: attributes?.surname?.value,
    dateOfBirth: attributes?.dateOfBirth?.value,
    address: fullAddress ?? [...street, postcode, city].filter(Boolean).join(', '),
    personalNumber: attributes?.personalNumber?.value,
  }
  const values = Object.fromEntries(
    Object.entries(known).filter(([field, value]) => value && sends.includes(field as ClaimField)),
  )
  if (country === undefined || !CLAIM_ALWAYS_SENT.every((field) => field in values)) return null
  return { country, values }
}
