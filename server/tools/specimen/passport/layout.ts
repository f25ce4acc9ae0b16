/** The layout of a TD3 passport's data page as a table, in millimetres from the top left. */
import { printedDate } from './holder.ts'
import type { PassportFacts } from './holder.ts'

/** ICAO Doc 9303 part 4: 125 × 88 mm. */
export const PAGE = { width: 125, height: 88 } as const

/** The holder's portrait: at most 35 × 45 mm; ours leaves the page's left margin free. */
export const PORTRAIT = { x: 6, y: 16, width: 33, height: 42.5 } as const

export const MRZ = {
  /** OCR-B size 1: ten characters to the inch (Doc 9303 part 3, 4.1). */
  pitch: 2.54,
  /** Left edge of the first character, which centres 44 characters on the page. */
  x: (125 - 44 * 2.54) / 2,
  /** Baselines, 6.35 mm apart (Doc 9303 part 4, MRZ of 23.2 mm). */
  baselines: [73.2, 79.55],
  /** Upper edge of the MRZ; no security print below it. */
  top: 64.8,
} as const

interface PrintedField {
  readonly label: string
  readonly x: number
  /** Baseline of the value; the label is above it. */
  readonly y: number
  readonly value: (facts: PassportFacts) => string
}

const COLUMN = { first: 44, second: 66, third: 88 }

/** English and French labels, because Doc 9303 part 4 requires a second language. */
export const FIELDS: readonly PrintedField[] = [
  { label: 'Type / Type', x: COLUMN.first, y: 19.6, value: (f) => f.documentCode },
  { label: 'Code / Code', x: COLUMN.second, y: 19.6, value: (f) => f.issuingState },
  { label: 'Passport No. / No de passeport', x: COLUMN.third, y: 19.6, value: (f) => f.documentNumber },
  { label: 'Surname / Nom', x: COLUMN.first, y: 26.4, value: (f) => f.surname },
  { label: 'Given names / Prénoms', x: COLUMN.first, y: 33.2, value: (f) => f.givenNames.join(' ') },
  { label: 'Nationality / Nationalité', x: COLUMN.first, y: 40, value: () => 'UTOPIAN' },
  {
    label: 'Date of birth / Date de naissance',
    x: COLUMN.first,
    y: 46.8,
    value: (f) => printedDate(f.birthDate),
  },
  { label: 'Sex / Sexe', x: COLUMN.third, y: 46.8, value: (f) => f.sex },
  { label: 'Place of birth / Lieu de naissance', x: COLUMN.third, y: 40, value: (f) => f.birthPlace },
  {
    label: 'Date of issue / Date de délivrance',
    x: COLUMN.first,
    y: 53.6,
    value: (f) => printedDate(f.issueDate),
  },
  { label: 'Authority / Autorité', x: COLUMN.third, y: 53.6, value: (f) => f.authority },
  {
    label: "Date of expiry / Date d'expiration",
    x: COLUMN.first,
    y: 60.4,
    value: (f) => printedDate(f.expiryDate),
  },
]

export const LABEL = { size: 1.75, lift: 3.1 } as const
export const VALUE = { size: 2.95 } as const
