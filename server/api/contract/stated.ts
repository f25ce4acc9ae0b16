/** Values that an applicant states for a source outside, at the kiosk or typed by an officer. Not part of the public API. */
import { z } from 'zod'
import { ADDRESS_FIELDS, type AddressFieldName } from '../../proofing/typed-address.ts'
import { PlainText } from './primitives.ts'

/** Values of a document that an issuing source may need and that the applicant can find on it. */
export const DETAIL_NAMES = ['cardNumber'] as const
export type DetailName = (typeof DETAIL_NAMES)[number]

/** Whether the applicant can find each of these values on the document. */
export const areDetailNames = (fields: readonly string[]): fields is readonly DetailName[] =>
  fields.every((field) => DETAIL_NAMES.some((name) => name === field))

/** Answer to one question of a source. A document needs every field: letters, digits, spaces and hyphens as on it. */
export const StatedAnswer = z.discriminatedUnion('question', [
  z.strictObject({
    question: z.literal('DOCUMENT'),
    values: z.partialRecord(z.enum(DETAIL_NAMES), z.string().regex(/^[A-Za-z0-9 -]{1,20}$/)),
  }),
  z.strictObject({
    question: z.literal('ADDRESS'),
    country: z.string().regex(/^[A-Z]{3}$/),
    values: z.partialRecord(z.enum(ADDRESS_FIELDS), PlainText.max(100)),
  }),
])
export type StatedAnswer = z.input<typeof StatedAnswer>

/** Problems that should be noticed before the answer is sent. MISSING and UNKNOWN are refused. */
export interface StatedCheck {
  readonly problems: readonly {
    readonly field: DetailName | AddressFieldName
    readonly problem: 'MISSING' | 'UNKNOWN' | 'UNUSUAL' | 'OTHER_FORM' | 'DOCUMENT_NUMBER'
  }[]
}

/** Six digits on the front of a card, which open its chip (BSI TR-03110-2, 3.3). Null: the chip opens with the MRZ. */
export const CardAccessNumber = z
  .string()
  .regex(/^[0-9]{6}$/)
  .nullable()
  .default(null)
