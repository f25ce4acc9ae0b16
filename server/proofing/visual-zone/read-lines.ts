/** Details of a document's values for a reviewer: position, legibility, printed form. Not used for any judgement. */
import type { AamvaFacts } from '../aamva/facts.ts'
import type { LinePlace, ReadLine } from '../evidence.ts'
import { MRZ_LAYOUTS } from '../mrz/fields.ts'
import { MRZ_SHAPES } from '../mrz/format.ts'
import type { MrzFacts } from '../mrz/parse.ts'
import { compareVisualZone } from './compare.ts'
import type { PageFacts, PageField, PageFieldName } from './page-facts.ts'
import { bareText } from './spelling.ts'
import type { TextLine } from './text.ts'

/** A side with the text read on it. */
interface ReadPage {
  readonly lines: readonly TextLine[]
  /** Corners of the page in the picture; null if unknown. */
  readonly frame: LinePlace['frame'] | null
}

export interface ReadPages {
  readonly page: PageFacts
  /** Sorted in the order front, back. */
  readonly pages: readonly ReadPage[]
  readonly mrz: {
    readonly facts: MrzFacts
    readonly isSure: boolean
    readonly captureIndex: number
    /** Null if it was read on a picture that is not stored. */
    readonly band: LinePlace['frame'] | null
  } | null
  readonly licence: AamvaFacts | null
}

const SHOWN = [
  'surname',
  'givenNames',
  'fullName',
  'birthDate',
  'documentNumber',
  'expiryDate',
  'nationality',
  'sex',
  'address',
] as const satisfies readonly PageFieldName[]
const NAMES: readonly PageFieldName[] = ['surname', 'givenNames', 'fullName']
const OF_MRZ: readonly PageFieldName[] = [
  'surname',
  'givenNames',
  'birthDate',
  'documentNumber',
  'expiryDate',
  'nationality',
  'sex',
]

/** Words with less confidence were wrong about as often as right (specimens, starting value). */
const SURE_PRINT = 0.8

export function listReadLines(read: ReadPages): readonly ReadLine[] {
  const { page, mrz, licence } = read
  const compared = compareVisualZone(page, mrz?.facts ?? null, licence)
  return SHOWN.flatMap((name): ReadLine[] => {
    const field = page.fields.find((found) => found.field === name)
    const isInMrz = mrz !== null && OF_MRZ.includes(name)
    if (!field && !isInMrz) return []
    const own = compared.filter((result) => result.field === name)
    const agrees = own.some(({ comparison }) => comparison === 'same')
    const differs = own.some(({ comparison }) => comparison === 'different')
    const second = mrz ? agrees : true
    return [
      {
        field: name,
        printed: field && second && NAMES.includes(name) ? field.value : null,
        hardToRead: differs || (!agrees && !isSure(name, field, read)),
        place: (field && findPlace(field, read)) ?? (isInMrz ? findMrzPlace(name, mrz) : null),
      },
    ]
  })
}

/** The barcode has error correction; the MRZ has two recognisers and check digits; the VIZ only its letters. */
function isSure(name: PageFieldName, field: PageField | undefined, { mrz, licence }: ReadPages): boolean {
  if (mrz && OF_MRZ.includes(name)) return mrz.isSure
  if (licence && name !== 'nationality') return true
  return (field?.confidence ?? 0) >= SURE_PRINT
}

/** Only the field's own characters: whole lines would show everything that a hand may cover. */
function findMrzPlace(name: PageFieldName, mrz: NonNullable<ReadPages['mrz']>): LinePlace | null {
  const { facts, captureIndex, band } = mrz
  const shape: readonly number[] = MRZ_SHAPES[facts.format]
  const names = NAMES.includes(name) ? [name, 'names'] : [name]
  const field = MRZ_LAYOUTS[facts.format].fields.find((found) => names.includes(found.field))
  const columns = field && shape[field.line]
  // The position of lines of unequal length in their band is not measured.
  if (!band || !field || !columns || new Set(shape).size > 1) return null
  const pitch = 1 / shape.length
  return {
    side: nameSide(captureIndex),
    frame: band,
    box: {
      x: field.from / columns,
      y: (field.line + LINE_GAP) * pitch,
      width: (field.to - field.from) / columns,
      height: (1 - 2 * LINE_GAP) * pitch,
    },
  }
}

/** Share of the line distance above and below the letters (OCR-B at the pitch of Doc 9303 part 3). */
const LINE_GAP = 0.2

const nameSide = (captureIndex: number): LinePlace['side'] => (captureIndex === 0 ? 'FRONT' : 'BACK')

/** The printed line with exactly this value; null if there is none. */
function findPlace(field: PageField, { pages }: ReadPages): LinePlace | null {
  const page = pages[field.captureIndex]
  if (!page?.frame) return null
  const says = isDate(field) ? dateIn(field.value) : textIn(field.value)
  const line = page.lines.find((candidate) => says(joinWords(candidate)))
  return line ? { side: nameSide(field.captureIndex), frame: page.frame, box: line.box } : null
}

const joinWords = ({ words }: TextLine): string => words.map(({ text }) => text).join(' ')

const isDate = ({ field }: PageField): boolean => field === 'birthDate' || field === 'expiryDate'

/** A single letter occurs in many words. */
function textIn(value: string): (text: string) => boolean {
  const bare = bareText(value)
  return bare.length > 1 ? (text) => bareText(text).includes(bare) : (text) => bareText(text) === bare
}

/** Compares day and year as digits, ignoring the month's name; an unknown day is ignored. */
function dateIn(value: string): (text: string) => boolean {
  const [year = '', , day] = value.split('-')
  return (text) => {
    const numbers = text.match(/\d+/g) ?? []
    const hasYear = numbers.some((digits) => digits === year || digits === year.slice(2))
    const hasDay = day === undefined || numbers.some((digits) => Number(digits) === Number(day))
    return (
      (hasYear && hasDay) || text.replace(/\D/g, '').includes(`${day ?? ''}${value.split('-')[1]}${year}`)
    )
  }
}
