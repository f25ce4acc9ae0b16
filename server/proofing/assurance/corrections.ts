/**
 * Attributes are submitted to correct what was read of a document (spec: "used to correct extraction (OCR) errors in
 * names"). Which corrections can be explained by the way in which names are printed and read, and which say something else.
 */
import { compareAttributes, type Reference } from '../consistency.ts'
import type { NamedValue, PersonalAttributes } from '../evidence.ts'
import { isSameWhole, type StatedName } from '../name-agreement.ts'
import { spellName, spells, standardSpelling, type Spelling } from '../name-spelling.ts'
import { isMisreading } from '../visual-zone/same-reading.ts'

/**
 * Why a name may read otherwise than it is. SPELLING: the document has it in the letters A–Z, without marks and signs;
 * COMPLETION: the zone had no room for all of it; READING: shapes were taken for each other; ORDER: surname and given
 * names stand in each other's place.
 */
export type CorrectionBasis = 'SPELLING' | 'COMPLETION' | 'READING' | 'ORDER'

/**
 * `shown`: the document says so; `refused`: it says something else; `unclear`: nobody can compare the two; `not-shown`: it
 * says nothing of it.
 */
export type Standing =
  | { readonly standing: 'shown' | 'refused' | 'unclear' | 'not-shown' }
  | { readonly standing: 'corrected'; readonly basis: CorrectionBasis }

export type AttributeName = keyof PersonalAttributes

/** Every attribute that is stated, against what was read of the document. */
export function judgeCorrections(
  stated: PersonalAttributes,
  read: Reference,
): ReadonlyMap<AttributeName, Standing> {
  const names = Object.keys(stated) as readonly AttributeName[]
  const compared: ReadonlyMap<string, 'same' | 'different' | 'unclear'> = compareAttributes(stated, read)
  const alone = new Map(
    names.map((name): [AttributeName, Standing] => {
      const [written, known] = [textOf(stated[name]), textOf(read.attributes[name])]
      if (written === '') return [name, { standing: 'not-shown' }]
      if (isName(name) && known !== '') return [name, judgeName(written, known, name, read)]
      if (isDescription(name)) return [name, { standing: written === known ? 'shown' : 'not-shown' }]
      const comparison = compared.get(name)
      return [name, comparison === undefined ? { standing: 'not-shown' } : STANDINGS[comparison]]
    }),
  )
  return isReordered(stated, read.attributes, alone) ? withOrder(alone) : alone
}

/** All that is stated is shown by the document, or corrects how it was read. */
export function isPlausible(judged: ReadonlyMap<AttributeName, Standing>): boolean {
  const standings = [...judged.values()].map(({ standing }) => standing)
  return (
    standings.length > 0 && standings.every((standing) => standing === 'corrected' || standing === 'shown')
  )
}

const STANDINGS = {
  same: { standing: 'shown' },
  different: { standing: 'refused' },
  unclear: { standing: 'unclear' },
} as const satisfies Readonly<Record<string, Standing>>

type NameAttribute = 'surname' | 'givenNames' | 'fullname'

const isName = (name: AttributeName): name is NameAttribute =>
  name === 'surname' || name === 'givenNames' || name === 'fullname'

/** No evidence of a match: one may be measured or called otherwise at any time. */
const isDescription = (name: AttributeName): boolean => name === 'eyeColor' || name === 'height'

function textOf(value: NamedValue | readonly NamedValue[] | undefined): string {
  if (value === undefined) return ''
  return isList(value) ? value.map((one) => one.value).join(' ') : value.value
}

const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value)

function judgeName(stated: string, read: string, name: NameAttribute, reference: Reference): Standing {
  if (plain(stated) === plain(read)) return { standing: 'shown' }
  const [written, known] = [spellName(stated), spellName(read)]
  if (!written || !known) return { standing: 'unclear' }
  const corrected = (basis: CorrectionBasis): Standing => ({ standing: 'corrected', basis })
  const texts = known.map(standardSpelling)
  if (hasNoMarks(read) && isSpelled(written, texts)) return corrected('SPELLING')
  const mayBeCut = reference.namesMayBeCut && name !== 'fullname'
  if (mayBeCut && texts.length <= written.length && texts.every((text, i) => spells(written[i], text, true)))
    return corrected('COMPLETION')
  // The document has the marks that are missing here, or further given names.
  const alone = { [name]: name === 'givenNames' ? [{ value: stated }] : { value: stated } }
  const comparison = isSpelled(known, written.map(standardSpelling))
    ? 'same'
    : compareAttributes(alone, reference).get(name)
  if (comparison === 'same') return STANDINGS.same
  if (isMisreading(letters(read), written.map(standardSpelling).join(''))) return corrected('READING')
  return comparison === 'unclear' ? STANDINGS.unclear : STANDINGS.different
}

/** As a zone has it: nothing can be read off it that it does not say. */
const hasNoMarks = (read: string): boolean => /^[\p{ASCII}]*$/u.test(read)

const plain = (text: string): string => text.normalize('NFC').toUpperCase()

/** As a reader has it: digits that stand for letters too. */
function letters(read: string): string {
  return read
    .toUpperCase()
    .normalize('NFD')
    .replace(/[^A-Z0-9]/g, '')
}

/** One by one, or written together. */
function isSpelled(written: readonly Spelling[], texts: readonly string[]): boolean {
  const oneByOne =
    written.length === texts.length && written.every((component, i) => spells(component, texts[i]))
  return oneByOne || spells(written.flat(), texts.join(''))
}

/** Both parts together are what the document has, only otherwise parted. */
function isReordered(
  stated: PersonalAttributes,
  read: PersonalAttributes,
  alone: ReadonlyMap<AttributeName, Standing>,
): boolean {
  const parts = (of: PersonalAttributes): StatedName => ({
    surname: textOf(of.surname),
    givenNames: textOf(of.givenNames),
    mayBeCut: false,
  })
  const isOff = ['surname', 'givenNames'].some(
    (name) => alone.get(name as AttributeName)?.standing === 'refused',
  )
  const areStated = [stated.surname, stated.givenNames].every((part) => textOf(part) !== '')
  return isOff && areStated && isSameWhole(parts(stated), parts(read))
}

function withOrder(alone: ReadonlyMap<AttributeName, Standing>): ReadonlyMap<AttributeName, Standing> {
  const reordered = { standing: 'corrected', basis: 'ORDER' } as const
  return new Map([...alone, ['surname', reordered], ['givenNames', reordered]])
}
