/** Schemas of texts with a form. Each says in words what to write, because an operator need not read a regular expression. */
import { z } from 'zod'
import { issuerKind } from '../proofing/mrz/issuers.ts'

/** @param words completes "The value …", such as "must be four digits" */
export const textLike = (pattern: RegExp, words: string) => z.string().regex(pattern, words)

/** ISO 3166-1 alpha-3, or a code of ICAO Doc 9303: Kosovo and the country of the specimens have no other. */
export const COUNTRY = z
  .string()
  .refine(
    (code) => /^[A-Z]{3}$/.test(code) && issuerKind(code) !== 'unknown',
    'must be a country in three capital letters (ISO 3166-1 alpha-3), such as DEU',
  )

export const NAME = textLike(/^[a-z0-9-]{1,64}$/, 'must be 1 to 64 small letters, digits and hyphens')

export const CHECK = textLike(
  /^[A-Z0-9_]{1,80}$/,
  'must be the name of a check in capital letters, such as DOCUMENT_EXPIRY',
)

export const USB_ID = textLike(/^[0-9a-fA-F]{4}$/, 'must be four hexadecimal digits, as lsusb prints them')
