/** Compares the print of a labelled document with the API's answer. Pure. */
import type { DocumentView } from '../../demo/client.ts'

/** Columns of `documents.tsv` for which the API has a member. */
export const LABELS = [
  'number',
  'surname',
  'given',
  'birth',
  'sex',
  'nationality',
  'issue',
  'expiry',
] as const
export type Label = (typeof LABELS)[number]

export type Outcome = 'exact' | 'wrong' | 'confirmed wrong' | 'missing'

/** Ignores case and white space but not diacritics. */
export function compareField(label: Label, printed: string, document: DocumentView | null): Outcome {
  const { value, verified } = returnedValue(label, document)
  if (value === '') return 'missing'
  if (normalise(value) === normalise(printed)) return 'exact'
  return verified ? 'confirmed wrong' : 'wrong'
}

function returnedValue(
  label: Label,
  document: DocumentView | null,
): { readonly value: string; readonly verified: boolean } {
  const { surname, givenNames = [], dateOfBirth, gender, nationality } = document?.personalAttributes ?? {}
  const plain = (value: string | undefined) => ({ value: value ?? '', verified: false })
  const none = plain(undefined)
  switch (label) {
    case 'number':
      return plain(document?.idDocumentNumber)
    case 'issue':
      return plain(document?.issuingDate)
    case 'expiry':
      return plain(document?.expiryDate)
    case 'given':
      return {
        value: givenNames.map(({ value }) => value).join(' '),
        verified: givenNames.some(({ verified }) => verified),
      }
    case 'surname':
      return surname ?? none
    case 'birth':
      return dateOfBirth ?? none
    case 'sex':
      return gender ?? none
    case 'nationality':
      return nationality ?? none
  }
}

const normalise = (text: string): string => text.normalize('NFC').toUpperCase().replace(/\s+/g, ' ').trim()

/** Positions of the fields in an MRZ, by the length of its lines (ICAO Doc 9303 parts 4 to 6). */
const ZONES: Readonly<
  Record<number, { readonly number: Part; readonly birth: Part; readonly expiry: Part; readonly names: Part }>
> = {
  44: { number: [1, 0, 9], birth: [1, 13, 19], expiry: [1, 21, 27], names: [0, 5, 44] },
  36: { number: [1, 0, 9], birth: [1, 13, 19], expiry: [1, 21, 27], names: [0, 5, 36] },
  30: { number: [0, 5, 14], birth: [1, 0, 6], expiry: [1, 8, 14], names: [2, 0, 30] },
}
/** Line, first character, character after the last. */
type Part = readonly [line: number, from: number, to: number]

/**
 * Whether the labels of the print agree with the label of the MRZ on number, surname and both dates. An MRZ line that
 * cannot be read on the picture is `-` and counts as neither. False for an MRZ of another length.
 */
export function agreesWithMrz(
  row: Readonly<Record<'mrz' | 'number' | 'surname' | 'birth' | 'expiry', string>>,
): boolean {
  const lines = row.mrz.split('|')
  const width = Math.max(...lines.map(({ length }) => length))
  const zone = ZONES[width]
  if (!zone || lines.some((line) => line !== '-' && line.length !== width)) return false
  const isSame = (printed: string, [line, from, to]: Part, spellings: readonly string[]): boolean => {
    if (printed === '-' || lines[line] === '-') return true
    const [inMrz = ''] = (lines[line] ?? '').slice(from, to).split('<<')
    return spellings.includes(inMrz.replace(/<+$/, ''))
  }
  return (
    isSame(row.number, zone.number, [row.number]) &&
    isSame(row.birth, zone.birth, [shortDate(row.birth)]) &&
    isSame(row.expiry, zone.expiry, [shortDate(row.expiry)]) &&
    isSame(row.surname, zone.names, listSpellings(row.surname))
  )
}

/**
 * Tells whether the pictured sides print the fields that decide a match. A card with an MRZ on its back prints them
 * only on its front (Doc 9303 part 5, sections 4.1 and 4.2), so its back alone has nothing to compare with the MRZ.
 */
export const hasDecidingPrint = (kind: string): boolean => !kind.endsWith('-back')

const shortDate = (date: string): string => date.slice(2).replaceAll('-', '')

/** Spellings of a name in an MRZ: without diacritics, or with two letters for one (Doc 9303 part 3, section 6). */
function listSpellings(name: string): string[] {
  const upper = name.toUpperCase().replace(/[^\p{L}]+/gu, '<')
  const plain = upper.normalize('NFD').replace(/\p{M}/gu, '')
  const long = upper.replaceAll('Ä', 'AE').replaceAll('Ö', 'OE').replaceAll('Ü', 'UE').replaceAll('ß', 'SS')
  return [plain, long]
}
