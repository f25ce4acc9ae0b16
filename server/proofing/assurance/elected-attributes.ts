/**
 * Who the identity is, value by value, and who says so: the attributes of the name reference first, as corrected, and what
 * it does not state from the other evidence that counts. Decides nothing: it tells what the assessment rests on.
 */
import type { Evidence, NamedValue, PersonalAttributes } from '../evidence.ts'
import { LEVELS } from '../types.ts'
import { namesMayBeCut } from './agreement.ts'
import { judgeCorrections, type AttributeName, type CorrectionBasis } from './corrections.ts'

export interface ElectedAttribute {
  readonly attribute: AttributeName
  /** Several given names; otherwise one. */
  readonly values: readonly string[]
  /** The evidence that states it so. */
  readonly evidenceId: string
  /** Read of a document; corrected, by evidence that only corrects; or said by an identity provider or in a claim. */
  readonly how: 'DOCUMENT' | 'CORRECTED' | 'CLAIMED'
  /** Of a correction: why the document reads otherwise. */
  readonly basis?: CorrectionBasis
}

/** What of an assessment is looked at. */
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

/** In the order above; one that nobody vouches for is not there. */
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

/** The reference first, then the higher score, then the later one. */
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
  // The latest comes first: who corrects twice means the second one.
  for (const { id, content } of corrections) {
    const standing = judgeCorrections(content.attributes ?? {}, read).get(attribute)
    if (standing?.standing === 'corrected') {
      const values = valuesOf(content.attributes?.[attribute])
      return { attribute, values, evidenceId: id, how: 'CORRECTED', basis: standing.basis }
    }
  }
  return undefined
}

function statedIn(counted: readonly Stating[], attribute: AttributeName): ElectedAttribute | undefined {
  const stating = counted.flatMap((evidence): readonly ElectedAttribute[] => {
    const values = valuesOf(vouchedFor(evidence)?.[attribute])
    if (values.length === 0) return []
    const how = evidence.family === 'IDDOCUMENT' ? 'DOCUMENT' : 'CLAIMED'
    return [{ attribute, values, evidenceId: evidence.id, how }]
  })
  // Unspecified, where another one is not.
  return stating.find(({ values }) => !UNSPECIFIED.includes(values[0])) ?? stating.at(0)
}

/** Sex and nationality on a document that leaves them open. */
const UNSPECIFIED: readonly string[] = ['X', 'XXX']

function vouchedFor({ family, content }: Stating): PersonalAttributes | undefined {
  if (family === 'IDDOCUMENT') return content.document?.personalAttributes
  if (family === 'TRUSTED_ID_CLAIM') return content.trustedClaim?.shared?.personalAttributes
  return family === 'ID_CLAIM' ? content.claim?.attributesData : undefined
}

function valuesOf(value: NamedValue | readonly NamedValue[] | undefined): readonly string[] {
  if (value === undefined) return []
  return [value].flat().map((one: NamedValue) => one.value)
}
