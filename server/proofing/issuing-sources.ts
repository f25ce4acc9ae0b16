/**
 * Documents that a government source could confirm: the Australian document verification system and US motor vehicle
 * administrations (resources/issuer-participation.json).
 */
import type { IdDocumentData } from './evidence.ts'
import { isUnitedStatesState } from './issuing-states.ts'
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
