/**
 * Elects the identity's attributes with their sources: first those of the name reference, as corrected, then further ones
 * from other counted evidence. Decides nothing about the LOA.
 */
import type { Evidence, NamedValue, PersonalAttributes } from '../evidence.ts'
import { LEVELS } from '../types.ts'
import { namesMayBeCut } from './agreement.ts'
import { judgeCorrections, type AttributeName, type CorrectionBasis } from './corrections.ts'

export interface ElectedAttribute {
  readonly attribute: AttributeName
  /** Several values only for given names. */
  readonly values: readonly string[]
  /** Evidence that states the value. */
  readonly evidenceId: string
  /** Read from a document, corrected by submitted attributes, or claimed by an identity provider or a claim. */
  readonly how: 'DOCUMENT' | 'CORRECTED' | 'CLAIMED'
  /** For a correction: why the document reads differently. */
  readonly basis?: CorrectionBasis
}

/** The used part of an assessment. */
export interface Counted {
  readonly nameReferenceId: string | null
  readonly countedIds: readonly string[]
}

type Stating = Pick<
  Evidence,
  'id' | 'family' | 'status' | 'score' | 'submittedAt' | 'deletedAt' | 'matchedReferenceId' | 'content'
>

const ATTRIBUTES: readonly AttributeName[] = [
  'givenNames',
  'surname',
  'fullname',
  'dateOfBirth',
  'gender',
  'nationality',
  'eyeColor',
  'height',
]

/** Sorted in the order above, without attributes for which no evidence vouches. */
export function electAttributes(
  evidences: readonly Stating[],
  { nameReferenceId, countedIds }: Counted,
): readonly ElectedAttribute[] {
  const counted = evidences
    .filter(
      ({ id, status, deletedAt }) => status === 'VERIFIED' && deletedAt === null && countedIds.includes(id),
    )
    .sort(byWorth(nameReferenceId))
  const corrections = counted.filter(
    ({ family, matchedReferenceId }) => family === 'ATTRIBUTES' && matchedReferenceId === nameReferenceId,
  )
  const reference = counted.find(({ id }) => id === nameReferenceId)
  return ATTRIBUTES.flatMap((attribute) => {
    const stated = reference && correctedIn(corrections, reference, attribute)
    const elected = stated ?? statedIn(counted, attribute)
    return elected ? [elected] : []
  })
}

/** Sorted by: the reference, higher score, later submission. */
function byWorth(nameReferenceId: string | null): (a: Stating, b: Stating) => number {
  const order = (one: Stating) => [
    Number(one.id === nameReferenceId),
    LEVELS.indexOf(one.score),
    one.submittedAt.getTime(),
  ]
  return (a, b) => {
    const [first, second] = [order(a), order(b)]
    const at = first.findIndex((value, i) => value !== second[i])
    return at < 0 ? b.id.localeCompare(a.id) : second[at] - first[at]
  }
}

function correctedIn(
  corrections: readonly Stating[],
  { content: { document } }: Stating,
  attribute: AttributeName,
): ElectedAttribute | undefined {
  if (!document) return undefined
  const read = { attributes: document.personalAttributes, namesMayBeCut: namesMayBeCut(document) }
  // The latest correction has precedence.
  for (const { id, content } of corrections) {
    const standing = judgeCorrections(content.attributes ?? {}, read).get(attribute)
    if (standing?.standing === 'corrected') {
      const values = listValues(content.attributes?.[attribute])
      return { attribute, values, evidenceId: id, how: 'CORRECTED', basis: standing.basis }
    }
  }
  return undefined
}

function statedIn(counted: readonly Stating[], attribute: AttributeName): ElectedAttribute | undefined {
  const stating = counted.flatMap((evidence): readonly ElectedAttribute[] => {
    const values = listValues(vouchedFor(evidence)?.[attribute])
    if (values.length === 0) return []
    const how = evidence.family === 'IDDOCUMENT' ? 'DOCUMENT' : 'CLAIMED'
    return [{ attribute, values, evidenceId: evidence.id, how }]
  })
  // Prefers a specified value.
  return stating.find(({ values }) => !UNSPECIFIED.includes(values[0])) ?? stating.at(0)
}

/** Sex and nationality codes for unspecified. */
const UNSPECIFIED: readonly string[] = ['X', 'XXX']

function vouchedFor({ family, content }: Stating): PersonalAttributes | undefined {
  if (family === 'IDDOCUMENT') return content.document?.personalAttributes
  if (family === 'TRUSTED_ID_CLAIM') return content.trustedClaim?.shared?.personalAttributes
  return family === 'ID_CLAIM' ? content.claim?.attributesData : undefined
}

function listValues(value: NamedValue | readonly NamedValue[] | undefined): readonly string[] {
  if (value === undefined) return []
  return [value].flat().map((one: NamedValue) => one.value)
}
