/** Assigns the remaining lines of a page by position: place of birth and authority. */
import type { PageWords } from './knowledge.ts'
import { namesPeople } from './nationality.ts'
import type { PageFacts, PageField, PageFieldName, PrintedText } from './page-facts.ts'

/**
 * Kinds whose page prints nothing else in value size (Doc 9303 parts 4 to 6); others have classes, remarks, addresses.
 */
const KINDS: readonly PageFacts['kind'][] = ['PASSPORT', 'IDENTITY_CARD', null]
/** Height of a line relative to that of the date of birth. */
const SIZE = { least: 0.7, most: 2 }
/** Confidence of two agreeing recognisers, or of one certain one. */
const SURE = 0.84
const IN_CAPITALS = /^(?=.*\p{Lu}{3})\p{Lu}[\p{Lu} .,'’()/-]+$/u
/** Unit: line heights: the authority is level with the date of issue, or below. */
const LEVEL = 0.6

/**
 * Without labels: below the names, a line before the date of issue that belongs to no other field is the place of birth;
 * one level with it or after it is the authority (order of Doc 9303 part 4, section 4.1.1).
 */
export function listPlacesLeft(
  { kind, print = [], dates = [] }: PageFacts,
  fields: readonly PageField[],
  words: Pick<PageWords, 'countries'>,
): PageField[] {
  const findValue = (name: PageFieldName) => fields.find(({ field }) => field === name)?.value
  const names = [findValue('surname'), findValue('givenNames')]
  const birth = dates.find(({ value }) => value === findValue('birthDate'))?.line
  const issue = dates.find(({ value }) => value === findValue('issueDate'))?.line
  if (!KINDS.includes(kind) || names.includes(undefined) || !birth?.place) return []
  const { height: size } = birth.place
  const ends = print.flatMap(({ text, place }) =>
    place && names.includes(withoutCommas(text)) ? [place.y + place.height] : [],
  )
  const values = fields.map(({ value }) => value)
  const left = print.filter(
    ({ text, confidence, captureIndex, isLabel, place }) =>
      !isLabel &&
      captureIndex === birth.captureIndex &&
      ends.length > 0 &&
      place !== undefined &&
      place.y > Math.max(...ends) &&
      place.height >= SIZE.least * size &&
      place.height <= SIZE.most * size &&
      IN_CAPITALS.test(text) &&
      confidence >= SURE &&
      !namesPeople(text, words) &&
      !values.some((value) => withoutCommas(value).includes(withoutCommas(text))),
  )
  const isLate = ({ place }: PrintedText) =>
    issue?.place !== undefined && (place?.y ?? 0) >= issue.place.y - LEVEL * issue.place.height
  const told = [
    ['birthPlace', left.filter((line) => !isLate(line))],
    ['authority', left.filter(isLate)],
  ] as const
  return told.flatMap(([field, lines]) => {
    if (lines.length !== 1 || findValue(field) !== undefined) return []
    const [{ text, confidence, captureIndex }] = lines
    return [{ field, value: text, confidence, captureIndex, foundBy: 'form' as const }]
  })
}

/** Names and places are stored without commas. */
const withoutCommas = (text: string): string => text.replaceAll(',', ' ').replace(/\s+/g, ' ').trim()
