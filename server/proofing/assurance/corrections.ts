/**
 * Judges submitted attributes as corrections of a document reading (spec: "used to correct extraction (OCR) errors in
 * names"): which differences printing and reading explain, and which contradict.
 */
import { compareAttributes, type Reference } from '../consistency.ts'
import type { NamedValue, PersonalAttributes } from '../evidence.ts'
import { isSameWhole, type StatedName } from '../name-agreement.ts'
import { spellName, doesSpell, standardSpelling, type Spelling } from '../name-spelling.ts'
import { isMisreading } from '../visual-zone/same-reading.ts'

/**
 * Why a name may be read differently. SPELLING: the document uses A–Z without marks; COMPLETION: the MRZ truncates it;
 * READING: similar shapes were confused; ORDER: surname and given names are swapped.
 */
export type CorrectionBasis = 'SPELLING' | 'COMPLETION' | 'READING' | 'ORDER'

/**
 * `shown`: the document states the same; `refused`: it states something else; `unclear`: cannot be compared; `not-shown`:
 * it does not state the attribute.
 */
export type CorrectionResult =
  | { readonly standing: 'shown' | 'refused' | 'unclear' | 'not-shown' }
  | { readonly standing: 'corrected'; readonly basis: CorrectionBasis }

export type AttributeName = keyof PersonalAttributes

/** Judges every stated attribute against the document's reading. */
export function judgeCorrections(
  stated: PersonalAttributes,
  read: Reference,
): ReadonlyMap<AttributeName, CorrectionResult> {
  const names = Object.keys(stated) as readonly AttributeName[]
  const compared: ReadonlyMap<string, 'same' | 'different' | 'unclear'> = compareAttributes(stated, read)
  const alone = new Map(
    names.map((name): [AttributeName, CorrectionResult] => {
      const [written, known] = [joinValues(stated[name]), joinValues(read.attributes[name])]
      if (written === '') return [name, { standing: 'not-shown' }]
      if (isName(name) && known !== '') return [name, judgeName(written, known, name, read)]
      if (isDescription(name)) return [name, { standing: written === known ? 'shown' : 'not-shown' }]
      const comparison = compared.get(name)
      return [name, comparison === undefined ? { standing: 'not-shown' } : STANDINGS[comparison]]
    }),
  )
  return isReordered(stated, read.attributes, alone) ? withOrder(alone) : alone
}

/** True if the document shows all stated attributes or each is an explained correction. */
export function isPlausible(judged: ReadonlyMap<AttributeName, CorrectionResult>): boolean {
  const standings = [...judged.values()].map(({ standing }) => standing)
  return (
    standings.length > 0 && standings.every((standing) => standing === 'corrected' || standing === 'shown')
  )
}

const STANDINGS = {
  same: { standing: 'shown' },
  different: { standing: 'refused' },
  unclear: { standing: 'unclear' },
} as const satisfies Readonly<Record<string, CorrectionResult>>

type NameAttribute = 'surname' | 'givenNames' | 'fullname'

const isName = (name: AttributeName): name is NameAttribute =>
  name === 'surname' || name === 'givenNames' || name === 'fullname'

/** Not evidence of a match, because it may be measured or named differently at any time. */
const isDescription = (name: AttributeName): boolean => name === 'eyeColor' || name === 'height'

function joinValues(value: NamedValue | readonly NamedValue[] | undefined): string {
  if (value === undefined) return ''
  return isList(value) ? value.map((one) => one.value).join(' ') : value.value
}

const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value)

function judgeName(
  stated: string,
  read: string,
  name: NameAttribute,
  reference: Reference,
): CorrectionResult {
  if (plain(stated) === plain(read)) return { standing: 'shown' }
  const [written, known] = [spellName(stated), spellName(read)]
  if (!written || !known) return { standing: 'unclear' }
  const corrected = (basis: CorrectionBasis): CorrectionResult => ({ standing: 'corrected', basis })
  const texts = known.map(standardSpelling)
  if (hasNoMarks(read) && isSpelled(written, texts)) return corrected('SPELLING')
  const mayBeCut = reference.namesMayBeCut && name !== 'fullname'
  if (
    mayBeCut &&
    texts.length <= written.length &&
    texts.every((text, i) => doesSpell(written[i], text, true))
  )
    return corrected('COMPLETION')
  // The document has marks that are missing here, or more given names.
  const alone = { [name]: name === 'givenNames' ? [{ value: stated }] : { value: stated } }
  const comparison = isSpelled(known, written.map(standardSpelling))
    ? 'same'
    : compareAttributes(alone, reference).get(name)
  if (comparison === 'same') return STANDINGS.same
  if (isMisreading(letters(read), written.map(standardSpelling).join(''))) return corrected('READING')
  return comparison === 'unclear' ? STANDINGS.unclear : STANDINGS.different
}

/** True for text as in an MRZ, which contains no marks. */
const hasNoMarks = (read: string): boolean => /^[\p{ASCII}]*$/u.test(read)

const plain = (text: string): string => text.normalize('NFC').toUpperCase()

/** Text as a recogniser may read it: digits may stand for letters. */
function letters(read: string): string {
  return read
    .toUpperCase()
    .normalize('NFD')
    .replace(/[^A-Z0-9]/g, '')
}

/** Component by component, or joined. */
function isSpelled(written: readonly Spelling[], texts: readonly string[]): boolean {
  const oneByOne =
    written.length === texts.length && written.every((component, i) => doesSpell(component, texts[i]))
  return oneByOne || doesSpell(written.flat(), texts.join(''))
}

/** Both parts together equal the document's, only divided differently. */
function isReordered(
  stated: PersonalAttributes,
  read: PersonalAttributes,
  alone: ReadonlyMap<AttributeName, CorrectionResult>,
): boolean {
  const parts = (of: PersonalAttributes): StatedName => ({
    surname: joinValues(of.surname),
    givenNames: joinValues(of.givenNames),
    mayBeCut: false,
  })
  const isOff = ['surname', 'givenNames'].some(
    (name) => alone.get(name as AttributeName)?.standing === 'refused',
  )
  const areStated = [stated.surname, stated.givenNames].every((part) => joinValues(part) !== '')
  return isOff && areStated && isSameWhole(parts(stated), parts(read))
}

function withOrder(
  alone: ReadonlyMap<AttributeName, CorrectionResult>,
): ReadonlyMap<AttributeName, CorrectionResult> {
  const reordered = { standing: 'corrected', basis: 'ORDER' } as const
  return new Map([...alone, ['surname', reordered], ['givenNames', reordered]])
}
