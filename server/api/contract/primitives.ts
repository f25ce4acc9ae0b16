/** The spec's simple values: dates, date-times, ids, country codes, the name-like attribute. */
import { z } from 'zod'
import { EMAIL_RULE, MAX_EMAIL_BYTES, parseEmailAddress } from '../../proofing/email-address.ts'
import { issuerKind } from '../../proofing/mrz/issuers.ts'

/** Makes the type of a schema's output deeply readonly: an answer is built once and never changed. */
export type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T

const DATE_TIME = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{0,7})?$/
const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/

/** UTC without a zone suffix, 0 to 7 fraction digits (spec "Limits"). We write three digits. */
export const DateTime = z
  .string()
  .regex(DATE_TIME)
  .meta({
    description:
      'ISO 8601 date-time in UTC without zone suffix, yyyy-MM-ddTHH:mm:ss.SSS, 0 to 7 fraction digits',
    examples: ['2026-01-31T09:30:00.000'],
  })

/** A day that exists: 2026-02-30 is refused. */
export const CalendarDate = z
  .string()
  .regex(DATE, 'must be a date of the form yyyy-MM-dd')
  .refine(isCalendarDay, 'must be a day that exists')
  .meta({ description: 'Date, yyyy-MM-dd', format: 'date', examples: ['2030-12-31'] })

/**
 * A date, or a date-time that stands for its date as written, because many clients cannot send a date without time
 * and zone.
 */
export const DayOfMoment = z
  .string()
  .regex(
    new RegExp(`${DATE.source}|${DATE_TIME.source.slice(0, -1)}(Z|[+-]\\d{2}:\\d{2})?$`),
    'must be a date of the form yyyy-MM-dd, or a date-time',
  )
  .transform((text) => text.slice(0, 10))
  .refine(isCalendarDay, 'must be a day that exists')

export const CountryCode = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be three capital letters (ISO 3166-1 alpha-3)')
  .refine((code) => issuerKind(code) !== 'unknown', 'must be a code of ISO 3166-1 alpha-3')
  .meta({ description: 'ISO 3166-1 alpha-3 code, capital letters', examples: ['FRA'] })

/** A date and time as the API writes it, or with its zone; the result is in UTC with `Z`. */
export const Moment = z
  .string()
  .regex(
    new RegExp(`${DATE_TIME.source.slice(0, -1)}(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)?$`),
    'must be a date-time',
  )
  .refine((text) => isCalendarDay(text.slice(0, 10)), 'must be a day that exists')
  .transform((text) => toMoment(text).toISOString())
  // The zone may shift it beyond the years with four digits.
  .refine((text) => /^\d{4}-/.test(text), 'must be a moment of the years 0000 to 9999')

/** ITU-T E.164: a plus sign and 2 to 15 digits, the first not zero. */
export const PhoneNumber = z
  .string()
  .regex(/^\+[1-9]\d{1,14}$/, 'must be a phone number in E.164 form: + and 2 to 15 digits')
  .meta({ description: 'Phone number in E.164 form', examples: ['+33639980001'] })

/** The result has its domain in small letters of ASCII, as it is sent to. */
export const EmailAddress = z
  .string()
  .max(MAX_EMAIL_BYTES, `must have at most ${MAX_EMAIL_BYTES} octets`)
  .refine((text) => parseEmailAddress(text) !== null, EMAIL_RULE)
  .transform((text) => parseEmailAddress(text) ?? text)
  .meta({ description: 'E-mail address', examples: ['anna@mail.example'] })

/**
 * Text as people write it: no control character, no lone surrogate, and no character that turns the direction of a text around.
 * A control character could change a log, a screen or an export that shows the value.
 */
export const PlainText = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]*$/u, 'must not have control characters')
/** The same with line breaks. */
export const PlainLines = z
  .string()
  .trim()
  .regex(/^(?:[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]|[\r\n\t])*$/u, 'must not have control characters')

export const Id = z
  .string()
  .min(1)
  .meta({
    description: 'Identifier given by the service (UUIDv7)',
    examples: ['01890a5d-ac96-774b-bcce-b302099a8057'],
  })

/** Spec "Name-like attribute". */
export const NamedValue = z
  .object({
    value: z.string().describe('The value as it was read or submitted'),
    verified: z
      .boolean()
      .describe(
        'Whether this value was confirmed (resources/verified-values.json). For a VERIFIED document: by its MRZ if two ' +
          'recognisers agree and its check digits pass, names only if the print agrees; by barcode and print that agree; ' +
          'by the issuer. For a trusted claim: under verified_claims. For attributes and claims: if it equals a verified ' +
          'value of a VERIFIED document. False for a value that only one recogniser read, and always false for a ' +
          'user-agent key',
      ),
  })
  .describe('A value with whether it was verified')

export const KeyAndValue = z
  .object({ key: z.string().describe('Name of the entry'), value: z.string().describe('Text of the entry') })
  .describe('One entry of a list of key/value pairs')

/**
 * Makes a field of a request optional. Null, an empty text and an absent field all mean "not given": many clients
 * send null, and forms send an empty text.
 */
export function toOptionalField<Schema extends z.ZodType>(schema: Schema) {
  const optional = z
    .preprocess(blankToAbsent, schema.nullish())
    .optional()
    .transform((value) => value ?? undefined)
  // An optional field keeps its description.
  return schema.description === undefined ? optional : optional.describe(schema.description)
}

function blankToAbsent(value: unknown): unknown {
  return typeof value === 'string' && value.trim() === '' ? undefined : value
}

/** A list of lines. Empty lines come from empty fields of an address form and are removed. */
export function buildLinesSchema<Schema extends z.ZodArray>(lines: Schema) {
  return z.preprocess(
    (value) => (Array.isArray(value) ? value.filter((line) => blankToAbsent(line) !== undefined) : value),
    lines,
  )
}

/** A date-time with any number of fraction digits; without a time zone it is UTC. */
function toMoment(text: string): Date {
  const inMs = text.replace(/\.(\d*)/, (_, digits: string) => `.${digits.padEnd(3, '0').slice(0, 3)}`)
  return new Date(/(Z|[+-]\d{2}:\d{2})$/.test(inMs) ? inMs : `${inMs}Z`)
}

function isCalendarDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
