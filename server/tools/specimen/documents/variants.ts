/**
 * Variants of a specimen document, each with one trait of real documents that our plain drawing lacks. A variant changes
 * how a side is printed or framed or how its picture is coded; values and truth stay the same.
 */
import type { PageFieldName } from '../../../proofing/visual-zone/page-facts.ts'

export interface PrintStyle {
  /** Relative width of the letters of values; 1 is the typeface's own. */
  readonly letterWidth: number
  /** Strength of the line work under the text. 1 is the strength of the plain drawing. */
  readonly lineWork: number
  /** Opacity of values and labels. */
  readonly inkOpacity: number
  /** A laser burns grey dots into plastic; a printer lays ink. */
  readonly ink: 'printed' | 'engraved'
  /** A shimmering film over portrait and values. */
  readonly hologram: boolean
  /** Labels are in Cyrillic letters and in English. */
  readonly localLabels: boolean
}

export const PLAIN_STYLE: PrintStyle = {
  letterWidth: 1,
  lineWork: 1,
  inkOpacity: 1,
  ink: 'printed',
  hologram: false,
  localLabels: false,
}

/** `photograph`: a camera over a table. `scan`: cut along the edges. `both-sides`: a sheet with front above back. */
export type Framing = 'photograph' | 'scan' | 'both-sides'

interface Variant {
  readonly style?: Partial<PrintStyle>
  readonly framing?: Framing
  readonly jpegQuality?: number
}

const TABLE = {
  plain: {},
  'full-bleed': { framing: 'scan' },
  'both-sides': { framing: 'both-sides' },
  guilloche: { style: { lineWork: 2.4 } },
  hologram: { style: { hologram: true } },
  condensed: { style: { letterWidth: 0.74 } },
  bilingual: { style: { localLabels: true } },
  engraved: { style: { ink: 'engraved' } },
  'low-contrast': { style: { inkOpacity: 0.5 } },
  'jpeg-40': { jpegQuality: 40 },
} as const satisfies Readonly<Record<string, Variant>>

export type VariantName = keyof typeof TABLE
export const VARIANT_NAMES = Object.keys(TABLE) as readonly VariantName[]

export const findVariant = (name: VariantName): Variant => TABLE[name]

export const buildStyle = (name: VariantName): PrintStyle => ({ ...PLAIN_STYLE, ...findVariant(name).style })

/** Bulgarian, as cards of that country label their fields beside English. */
export const LOCAL_LABELS: Readonly<Partial<Record<PageFieldName, string>>> = {
  surname: 'Фамилия',
  givenNames: 'Име',
  birthDate: 'Дата на раждане',
  birthPlace: 'Място на раждане',
  sex: 'Пол',
  nationality: 'Гражданство',
  documentNumber: 'Номер',
  personalNumber: 'Личен номер',
  issueDate: 'Дата на издаване',
  expiryDate: 'Валидност',
  authority: 'Издаден от',
  address: 'Адрес',
}
