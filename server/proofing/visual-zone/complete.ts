/**
 * What the zone and the barcode tell about the page: which line is which where no label was read, which marks a name
 * lost, which scripts its issuer prints beside Latin. The values stay those that are printed.
 */
import type { AamvaFacts } from '../aamva/facts.ts'
import type { PartialDate } from '../mrz/dates.ts'
import type { MrzFacts } from '../mrz/parse.ts'
import { agreesWith } from './compare-date.ts'
import { componentsOf, goesOn, isSame, versionsOf } from './compare-name.ts'
import { bareNumber, isSameNumber } from './compare-number.ts'
import { inIssuersLetters } from './issuer-letters.ts'
import { placesLeft } from './left-over.ts'
import type { PageKnowledge } from './knowledge.ts'
import { nationalityLine } from './nationality.ts'
import { PAGE_FIELDS, type PageFacts, type PageField, type PageFieldName } from './page-facts.ts'
import { restoreMarks } from './restore-marks.ts'
import { sourcesOf, type Source } from './sources.ts'

export function completePage(
  page: PageFacts,
  zone: MrzFacts | null,
  licence: AamvaFacts | null,
  { scripts, words }: Pick<PageKnowledge, 'scripts' | 'words'>,
): PageFacts {
  const sources = sourcesOf(zone, licence)
  const fields = sources.reduce(
    (list, source) => located(page, list, source).map((field) => marked(field, source)),
    page.fields,
  )
  const nationality = zone && nationalityLine(page, zone.nationality, words)
  const isNamed = fields.some(({ field }) => field === 'nationality')
  const issuer = zone?.issuingState ?? licence?.country ?? page.country
  const told = issueLeft(page, fields)
  const named = nationality && !isNamed ? [...told, nationality] : told
  const all = [...named, ...placesLeft(page, named, words)].map((field) => inIssuersLetters(field, issuer))
  const scriptsNotRead = issuer === null ? [] : (scripts[issuer] ?? [])
  return { ...page, fields: scriptsNotRead.length > 0 ? all.map(inLatin) : all, scriptsNotRead }
}

/** Where the zone told birth and expiry among three dates that were told by their order, the issue is the one that is left. */
function issueLeft({ dates = [] }: PageFacts, fields: readonly PageField[]): readonly PageField[] {
  const value = (name: PageFieldName) => fields.find(({ field }) => field === name)
  const [birth, issue, expiry] = [value('birthDate'), value('issueDate'), value('expiryDate')]
  const isTaken = (date: string) => date === birth?.value || date === expiry?.value
  if (issue?.foundBy !== 'form' || !isTaken(issue.value)) return fields
  const left = dates.filter((date) => !isTaken(date.value))
  const others = fields.filter((field) => field !== issue)
  return new Set(left.map((date) => date.value)).size === 1 ? [...others, { ...issue, ...left[0] }] : others
}

/** `TKAYEHKO/TKACHENKO`: what a reader of Latin makes of the name in the state's own script, and the name in Latin letters. */
function inLatin(field: PageField): PageField {
  const latin = field.field in NAMES ? /^[^/]*\/\s?(\p{L}[^/]*)$/u.exec(field.value) : null
  return latin ? { ...field, value: latin[1] } : field
}

/** Fields that no label told, and those that the wrong line was taken for. */
function located(page: PageFacts, fields: readonly PageField[], source: Source): readonly PageField[] {
  const found = FINDERS.flatMap(([name, find]) => {
    const read = fields.find(({ field }) => field === name)
    const line = find(page, source, read?.value ?? null, read?.foundBy === 'form')
    return line ? [{ ...line, field: name, foundBy: source.against }] : []
  })
  return PAGE_FIELDS.flatMap(
    (name) => found.find(({ field }) => field === name) ?? fields.find(({ field }) => field === name) ?? [],
  )
}

type Line = Pick<PageField, 'value' | 'confidence' | 'captureIndex'>
/** Null where nothing is to be put right, or no line says it. */
type Finder = (page: PageFacts, source: Source, read: string | null, isByForm: boolean) => Line | null

const FINDERS: readonly (readonly [PageFieldName, Finder])[] = [
  [
    'documentNumber',
    (page, { documentNumber }, read) => {
      const number = bareNumber(documentNumber)
      const says = (text: string) => number !== '' && bareNumber(text) === number
      // In print O and 0 are one shape: such a line is the number too, where none says it letter for letter.
      const looks = (text: string) => number !== '' && isSameNumber(text, number)
      const isRead = read !== null && (says(read) || looks(read))
      const line =
        (read !== null && says(read) ? null : lineThat(page, says)) ?? (isRead ? null : lineThat(page, looks))
      // A stroke of the background is read as a sign between the characters.
      return line && { ...line, value: line.value.replace(/[^\p{L}\p{N} ./-]/gu, '') }
    },
  ],
  [
    'surname',
    (page, { surname, nameMayBeTruncated }, read) => nameLine(page, [surname], nameMayBeTruncated, read),
  ],
  [
    'givenNames',
    (page, source, read) => {
      const components = source.givenNames.flatMap(componentsOf)
      // What says more than the zone is the value, where another line says as much as the zone.
      if (read !== null && goesOn(read, components)) return null
      const line = nameLine(page, source.givenNames, source.nameMayBeTruncated, read)
      return line && (lineGoingOn(page, line, components, source) ?? line)
    },
  ],
  ['birthDate', (page, { birthDate }, read, isByForm) => dateLine(page, birthDate, read, isByForm)],
  [
    'expiryDate',
    (page, { expiryDate, expiryIsOneOfSeveral }, read, isByForm) =>
      expiryIsOneOfSeveral ? null : dateLine(page, expiryDate, read, isByForm),
  ],
]

function lineThat({ print = [] }: PageFacts, says: (text: string) => boolean): Line | null {
  const lines = print.filter(({ text }) => says(text)).sort((a, b) => b.confidence - a.confidence)
  return lines[0] ? { ...lines[0], value: lines[0].text } : null
}

/** A cut name proves no line to be the whole of it. */
function nameLine(
  page: PageFacts,
  names: readonly string[],
  isCut: boolean,
  read: string | null,
): Line | null {
  const components = names.flatMap(componentsOf)
  if (components.length === 0 || isCut) return null
  const says = (text: string) => isSame(text, components, false)
  if (read !== null && versionsOf(read).some(says)) return null
  return lineThat(page, says)
}

/** A name in its own spelling stands right above the zone's, with a speck or two of the background between. */
const LINES_ABOVE = 3

/** The one line above the given names, as the zone has them, that says them and continues: with a father's name, no surname. */
function lineGoingOn(
  { print = [] }: PageFacts,
  { value, captureIndex }: Line,
  components: readonly string[],
  { surname }: Source,
): Line | null {
  const own = print.filter((line) => line.captureIndex === captureIndex)
  const at = own.findIndex(({ text }) => text === value)
  const isName = (text: string) => text === text.toUpperCase() && !/[^\p{L}\p{M} '’-]/u.test(text)
  const longer = own
    .slice(Math.max(0, at - LINES_ABOVE), Math.max(0, at))
    .filter(({ text }) => isName(text) && goesOn(text, components))
    .filter(({ text }) => !componentsOf(surname).some((part) => componentsOf(text).includes(part)))
  return longer.length === 1 ? { ...longer[0], value: longer[0].text } : null
}

/**
 * The one date of the page that agrees; two that do say nothing. Where no label told the date, and the order of a life another one,
 * the order was wrong: two figures of a year may be of two centuries.
 */
function dateLine(
  { dates = [] }: PageFacts,
  expected: PartialDate | null,
  read: string | null,
  isByForm: boolean,
): Line | null {
  if (expected === null || (read !== null && (!isByForm || agreesWith(read, expected)))) return null
  if ([expected.year, expected.month, expected.day].includes(undefined)) return null
  const agreeing = dates.filter(({ value }) => agreesWith(value, expected))
  return new Set(agreeing.map(({ value }) => value)).size === 1 ? { captureIndex: 0, ...agreeing[0] } : null
}

/** How the zone writes what stands in the field. */
const NAMES: Readonly<Partial<Record<PageFieldName, (surname: string, given: string) => readonly string[]>>> =
  {
    surname: (surname) => [surname],
    givenNames: (_, given) => [given],
    fullName: (surname, given) => [`${surname} ${given}`, `${given} ${surname}`],
  }

function marked(field: PageField, { surname, givenNames }: Source): PageField {
  const names = NAMES[field.field]?.(surname, givenNames.join(' ')) ?? []
  return { ...field, value: names.reduce(restoreMarks, field.value) }
}
