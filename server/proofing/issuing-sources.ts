/**
 * Documents that a government source could confirm: the Australian document verification system and US motor vehicle
 * administrations (resources/issuer-participation.json).
 */
import type { IdDocumentData } from './evidence.ts'
import type { IssuerField } from './issuer-answer.ts'
import { isAustralianState, isUnitedStatesState } from './issuing-states.ts'
import type { CheckOutcome } from './judge.ts'

export type SourceDocument = Pick<IdDocumentData, 'idDocumentType' | 'issuingCountry' | 'issuingState'>

/** Which issuers take part, and what they demand. */
export interface IssuerParticipation {
  readonly australia: {
    readonly documentTypes: readonly IdDocumentData['idDocumentType'][]
    /** Types whose number may be another one than the source keeps: a document without a record is not contradicted. */
    readonly uncertainTypes: readonly IdDocumentData['idDocumentType'][]
    /** States whose licences are compared only with the number of the card. */
    readonly licenceCardNumber: readonly string[]
  }
  readonly unitedStates: {
    /** Jurisdictions that answer about driving licences (USPS abbreviations). */
    readonly answering: readonly string[]
    /** Jurisdictions among them that answer only government users. */
    readonly governmentOnly: readonly string[]
    /** Jurisdictions among them that answer about no identity card, or about some. */
    readonly noIdentityCards: readonly string[]
    readonly someIdentityCards: readonly string[]
  }
}

/** How a US jurisdiction takes part. */
export interface StateParticipation {
  readonly isComplete: boolean
  readonly isGovernmentOnly: boolean
}

/** Null: it does not answer about such documents. */
export function findStateParticipation(
  { idDocumentType: type, issuingState: state = '' }: SourceDocument,
  { unitedStates }: IssuerParticipation,
): StateParticipation | null {
  const isCard = type === 'IDENTITY_CARD'
  if (!isCard && type !== 'DRIVING_LICENSE') return null
  if (!unitedStates.answering.includes(state)) return null
  if (isCard && unitedStates.noIdentityCards.includes(state)) return null
  return {
    isComplete: !(isCard && unitedStates.someIdentityCards.includes(state)),
    isGovernmentOnly: unitedStates.governmentOnly.includes(state),
  }
}

/** `inconclusive`: depends on facts that are unknown here. */
export function judgeEligibility(document: SourceDocument, participation: IssuerParticipation): CheckOutcome {
  const { idDocumentType: type, issuingCountry, issuingState: state } = document
  if (issuingCountry === 'AUS')
    return participation.australia.documentTypes.includes(type) ? 'passed' : 'failed'
  if (issuingCountry !== 'USA') return 'failed'
  if (type !== 'DRIVING_LICENSE' && type !== 'IDENTITY_CARD') return 'failed'
  if (state === undefined || !isUnitedStatesState(state)) return 'inconclusive'
  const found = findStateParticipation(document, participation)
  if (!found) return 'failed'
  // Whether the tenant is a government user is unknown without a connected source.
  return found.isComplete && !found.isGovernmentOnly ? 'passed' : 'inconclusive'
}

/** Documents that the Australian document verification system compares. */
export const AUSTRALIAN_TYPES = ['PASSPORT', 'DRIVING_LICENSE', 'RESIDENT_CARD', 'VISA', 'MEDICARE'] as const
export type AustralianType = (typeof AUSTRALIAN_TYPES)[number]

interface AskedFields {
  readonly needs: readonly IssuerField[]
  readonly takes: readonly IssuerField[]
}

const PERSON = ['documentNumber', 'surname', 'dateOfBirth'] as const

/**
 * Match data for each document (developers.ridx.io, "Australian Document Verification Service"; read 2026-11-29). The system
 * needs no birth date of a Medicare card; we do, because a name alone identifies no person.
 */
const AUSTRALIAN_FIELDS: Readonly<Record<AustralianType, AskedFields>> = {
  PASSPORT: { needs: PERSON, takes: ['givenName', 'middleNames', 'sex'] },
  DRIVING_LICENSE: { needs: PERSON, takes: ['cardNumber', 'givenName', 'middleNames'] },
  RESIDENT_CARD: { needs: PERSON, takes: ['givenName', 'middleNames'] },
  VISA: { needs: PERSON, takes: ['givenName'] },
  MEDICARE: {
    needs: ['documentNumber', 'fullName', 'dateOfBirth', 'expiryDate', 'medicareColour', 'medicareReference'],
    takes: [],
  },
}

/** Null: the system does not compare such documents, or a licence of this state. */
export function findAustralianFields(
  { idDocumentType: type, issuingCountry, issuingState = '' }: SourceDocument,
  { licenceCardNumber }: IssuerParticipation['australia'],
): AskedFields | null {
  const known = AUSTRALIAN_TYPES.find((one) => one === type)
  if (issuingCountry !== 'AUS' || known === undefined) return null
  const fields = AUSTRALIAN_FIELDS[known]
  if (known !== 'DRIVING_LICENSE') return fields
  if (!isAustralianState(issuingState)) return null
  return licenceCardNumber.includes(issuingState) ? { ...fields, needs: [...PERSON, 'cardNumber'] } : fields
}

/** Every value that may be sent of documents of these types. */
export function listAustralianFields(types: readonly AustralianType[]): readonly IssuerField[] {
  const asked = types.map((type) => AUSTRALIAN_FIELDS[type])
  return [...new Set(asked.flatMap(({ needs, takes }) => [...needs, ...takes]))]
}

/** Values that US motor vehicle administrations compare. Weight and name suffix are compared, too, but no document states them here. */
export const UNITED_STATES_FIELDS = [
  'documentNumber',
  'surname',
  'givenName',
  'middleNames',
  'dateOfBirth',
  'issueDate',
  'expiryDate',
  'sex',
  'height',
  'eyeColour',
  'streetLine1',
  'streetLine2',
  'city',
  'addressState',
  'postcode',
] as const satisfies readonly IssuerField[]
