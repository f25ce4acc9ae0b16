/**
 * Documents that an issuer could confirm: the Australian document verification system and US motor vehicle
 * administrations (spec "What the service does", "Issuer verification restrictions, US").
 */
import type { IdDocumentData } from './evidence.ts'
import { isUnitedStatesState } from './issuing-states.ts'
import type { CheckOutcome } from './judge.ts'

const TAKEN_IN_AUSTRALIA: ReadonlySet<IdDocumentData['idDocumentType']> = new Set([
  'PASSPORT',
  'DRIVING_LICENSE',
  'RESIDENT_CARD',
  'VISA',
  'MEDICARE',
])

const ANSWERING_STATES: ReadonlySet<string> = new Set(
  (
    'AL AR AZ CO CT DC DE FL GA HI IA ID IL IN KS KY MA MD ME MI MO MS MT NC ND NE NJ NM NV OH OK OR RI SC SD TN TX VA ' +
    'VT WA WI WV WY'
  ).split(' '),
)
const WITHOUT_IDENTITY_CARDS: ReadonlySet<string> = new Set(['NV', 'WI'])
const SOME_IDENTITY_CARDS: ReadonlySet<string> = new Set(['DE'])
/** Answers only government users; whether the tenant is one is unknown here. */
const RESTRICTED: ReadonlySet<string> = new Set(['OK'])

/** `inconclusive`: depends on facts that are unknown here. */
export function issuerEligibility(
  document: Pick<IdDocumentData, 'idDocumentType' | 'issuingCountry' | 'issuingState'>,
): CheckOutcome {
  const { idDocumentType: type, issuingCountry, issuingState: state } = document
  if (issuingCountry === 'AUS') return TAKEN_IN_AUSTRALIA.has(type) ? 'passed' : 'failed'
  if (issuingCountry !== 'USA') return 'failed'
  if (type !== 'DRIVING_LICENSE' && type !== 'IDENTITY_CARD') return 'failed'
  if (state === undefined || !isUnitedStatesState(state)) return 'inconclusive'
  const isCard = type === 'IDENTITY_CARD'
  if (!ANSWERING_STATES.has(state) || (isCard && WITHOUT_IDENTITY_CARDS.has(state))) return 'failed'
  return RESTRICTED.has(state) || (isCard && SOME_IDENTITY_CARDS.has(state)) ? 'inconclusive' : 'passed'
}
