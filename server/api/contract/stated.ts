/** Values that an applicant states for a source outside, at the kiosk or typed by an officer. Not part of the public API. */
import { z } from 'zod'
import { ADDRESS_FIELDS } from '../../proofing/typed-address.ts'
import { PlainText } from './primitives.ts'

/** Values of a document that an issuing source may need and that the applicant can find on it. */
export const DETAIL_NAMES = ['cardNumber'] as const
export type DetailName = (typeof DETAIL_NAMES)[number]

/** Letters, digits, spaces and hyphens as on the document. */
export const StatedValues = z.partialRecord(z.enum(DETAIL_NAMES), z.string().regex(/^[A-Za-z0-9 -]{1,20}$/))

export const StatedAddress = {
  country: z.string().regex(/^[A-Z]{3}$/),
  values: z.partialRecord(z.enum(ADDRESS_FIELDS), PlainText.max(100)),
}
