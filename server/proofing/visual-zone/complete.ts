/**
 * Completes the page with information from MRZ and barcode: unlabelled lines, lost marks, other scripts of the issuer.
 * Values stay as printed.
 */
import type { AamvaFacts } from '../aamva/facts.ts'
import type { PartialDate } from '../mrz/dates.ts'
import type { MrzFacts } from '../mrz/parse.ts'
import { agreesWith } from './compare-date.ts'
import { splitAllComponents, continuesAfterName, isSame, listVersions } from './compare-name.ts'
import { bareNumber, isSameNumber } from './compare-number.ts'
import { inIssuersLetters } from './issuer-letters.ts'
import { listPlacesLeft } from './left-over.ts'
import type { PageKnowledge } from './knowledge.ts'
import { nationalityLine } from './nationality.ts'
import { PAGE_FIELDS, type PageFacts, type PageField, type PageFieldName } from './page-facts.ts'
import { restoreMarks } from './restore-marks.ts'
import { listSources, type Source } from './sources.ts'

export function completePage(
  page: PageFacts,
  mrz: MrzFacts | null,
  licence: AamvaFacts | null,
  { scripts, words }: Pick<PageKnowledge, 'scripts' | 'words'>,
): PageFacts {
  const sources = listSources(mrz, licence)
  const fields = sources.reduce(
    (list, source) => located(page, list, source).map((field) => marked(field, source)),
    page.fields,
  )
  const nationality = mrz && nationalityLine(page, mrz.nationality, words)
  const isNamed = fields.some(({ field }) => field === 'nationality')
  const issuer = mrz?.issuingState ?? licence?.country ?? page.country
  const told = issueLeft(page, fields)
  const named = nationality && !isNamed ? [...told, nationality] : told
  const all = [...named, ...listPlacesLeft(page, named, words)].map((field) =>
    inIssuersLetters(field, issuer),
  )
  const scriptsNotRead = issuer === null ? [] : (scripts[issuer] ?? [])
  return { ...page, fields: scriptsNotRead.length > 0 ? all.map(inLatin) : all, scriptsNotRead }
}

/**
 * If the MRZ identified birth and expiry among three dates that were assigned by order, the remaining one is the issue.
 */
function issueLeft({ dates = [] }: PageFacts, fields: readonly PageField[]): readonly PageField[] {
  const value = (name: PageFieldName) => fields.find(({ field }) => field === name)
  const [birth, issue, expiry] = [value('birthDate'), value('issueDate'), value('expiryDate')]
  const isTaken = (date: string) => date === birth?.value || date === expiry?.value
  if (issue?.foundBy !== 'form' || !isTaken(issue.value)) return fields
  const left = dates.filter((date) => !isTaken(date.value))
  const others = fields.filter((field) => field !== issue)
  return new Set(left.map((date) => date.value)).size === 1 ? [...others, { ...issue, ...left[0] }] : others
}

/** `TKAYEHKO/TKACHENKO`: a misreading of the name in the state's script, and the name in Latin letters. */
function inLatin(field: PageField): PageField {
  const latin = field.field in NAMES ? /^[^/]*\/\s?(\p{L}[^/]*)$/u.exec(field.value) : null
  return latin ? { ...field, value: latin[1] } : field
}

/** Fields without a label, and fields for which a wrong line was used. */
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
/** Returns null if nothing needs correction, or no line matches. */
type Finder = (page: PageFacts, source: Source, read: string | null, isByForm: boolean) => Line | null

const FINDERS: readonly (readonly [PageFieldName, Finder])[] = [
  [
    'documentNumber',
    (page, { documentNumber }, read) => {
      const number = bareNumber(documentNumber)
      const says = (text: string) => number !== '' && bareNumber(text) === number
      // O and 0 look alike in print: such a line is accepted if none matches exactly.
      const looks = (text: string) => number !== '' && isSameNumber(text, number)
      const isRead = read !== null && (says(read) || looks(read))
      const line =
        (read !== null && says(read) ? null : lineThat(page, says)) ?? (isRead ? null : lineThat(page, looks))
      // A background stroke is read as a sign between the characters.
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
      const components = source.givenNames.flatMap(splitAllComponents)
      // A text longer than the MRZ's name is kept if another line equals the MRZ.
      if (read !== null && continuesAfterName(read, components)) return null
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
  [
    'sex',
    (page, { sex, against }, read) => (read === null && against === 'zone' ? sexLine(page, sex) : null),
  ],
]

function lineThat({ print = [] }: PageFacts, says: (text: string) => boolean): Line | null {
  const lines = print.filter(({ text }) => says(text)).sort((a, b) => b.confidence - a.confidence)
  return lines[0] ? { ...lines[0], value: lines[0].text } : null
}

/** A truncated name cannot prove that a line is complete. */
function nameLine(
  page: PageFacts,
  names: readonly string[],
  isCut: boolean,
  read: string | null,
): Line | null {
  const components = names.flatMap(splitAllComponents)
  if (components.length === 0 || isCut) return null
  const says = (text: string) => isSame(text, components, false)
  if (read !== null && listVersions(read).some(says)) return null
  return lineThat(page, says)
}

/** The national spelling of a name is directly above the MRZ spelling, possibly with specks between. */
const LINES_ABOVE = 3

/** The single line above the given names that contains them and continues: with a father's name, not a surname. */
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
    .filter(({ text }) => isName(text) && continuesAfterName(text, components))
    .filter(
      ({ text }) => !splitAllComponents(surname).some((part) => splitAllComponents(text).includes(part)),
    )
  return longer.length === 1 ? { ...longer[0], value: longer[0].text } : null
}

/**
 * The single matching date of the page; two are ambiguous. If the date was assigned by order without a label, the order
 * was wrong: a two-digit year may belong to two centuries.
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

/** A single letter below this is background. */
const MIN_LETTER = 0.5

/** The sex that stands alone and equals the MRZ's; a lone letter of the other sex makes it ambiguous. */
function sexLine({ print = [] }: PageFacts, sex: Source['sex']): Line | null {
  const letters = print.filter(({ text, confidence }) => /^[MF]$/.test(text) && confidence >= MIN_LETTER)
  const [first] = letters
  return first && letters.every(({ text }) => text === sex) ? { ...first, value: first.text } : null
}

/** MRZ spelling of the field's value. */
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
