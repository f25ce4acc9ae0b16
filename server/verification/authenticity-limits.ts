/** Thresholds, measured error rates and rules of the authenticity signals, from resources/authenticity.json. */
import { join } from 'node:path'
import { z } from 'zod'
import { AUTHENTICITY_CHECKS, SIGNAL_GROUPS, type CombinationRule } from '../proofing/authenticity.ts'
import type { DateLimits, DocumentDates } from '../proofing/date-plausibility.ts'
import type { PartialDate } from '../proofing/mrz/dates.ts'
import { AUTHENTICITY_SIGNALS, type AuthenticitySignalName } from '../vision/protocol.ts'
import { readLimits } from './limits-file.ts'

const limit = z.strictObject({ value: z.number(), unit: z.string().min(1), origin: z.string().min(1) })
const limits = z.record(z.string(), limit)
/** The first matching row applies. */
const Validity = z.strictObject({
  /** An absent condition matches every type, issuer, age or date. */
  types: z.array(z.string()).min(1).optional(),
  /** Alpha-3, or the code of a US or Canadian jurisdiction such as USA-AZ. */
  issuers: z
    .array(z.string().regex(/^[A-Z]{3}(-[A-Z]{2,3})?$/))
    .min(1)
    .optional(),
  /** Matches holders younger than this on the day of issue. */
  issuedBelowAge: z.number().positive().optional(),
  issuedFrom: z.iso.date().optional(),
  value: z.number().positive(),
  unit: z.literal('years'),
  origin: z.string().min(1),
})
const rate = z.strictObject({
  rate: z.number().min(0).max(1),
  errors: z.int().nonnegative(),
  trials: z.int().nonnegative(),
  /** Wilson score interval. */
  ci95: z.tuple([z.number(), z.number()]),
})
const Measured = z.strictObject({
  /** Share of genuine documents on which the signal fired. */
  falseAlarms: rate,
  /** The same share on rendered scenes only: tilted, hand-held, unevenly lit. */
  falseAlarmsOnScenes: rate.optional(),
  /** Share of forgeries of the hardest PAI species that the signal missed. */
  misses: rate.extend({ species: z.string() }),
  /** Share of all pictures in which the signal could not be measured. */
  nullShare: z.number().min(0).max(1),
  source: z.string().min(1),
})
type MeasuredRates = z.infer<typeof Measured>

const File = z.strictObject({
  origin: z.string().min(1),
  combination: z.strictObject({
    groupOf: z.record(z.enum(AUTHENTICITY_CHECKS), z.enum(SIGNAL_GROUPS)),
    weakGroups: z.strictObject({ value: z.array(z.enum(SIGNAL_GROUPS)), origin: z.string().min(1) }),
    leastMeasured: limit,
    leastFailed: limit,
  }),
  thresholds: z.record(z.enum(AUTHENTICITY_SIGNALS), limit),
  sureCharacter: limit,
  surePrint: limit,
  dates: z.strictObject({
    mostAge: limit,
    validity: z
      .array(Validity)
      .refine((rows) => rows.at(-1)?.types === undefined, 'ends with a rule for all others'),
    leastAge: limits.refine((ages) => 'other' in ages, 'needs a rule for all others'),
  }),
  measured: z.partialRecord(z.enum(AUTHENTICITY_SIGNALS), Measured),
})

export interface AuthenticityLimits {
  readonly combination: CombinationRule
  readonly thresholds: Readonly<Record<AuthenticitySignalName, number>>
  readonly measured: Readonly<Partial<Record<AuthenticitySignalName, MeasuredRates>>>
  /** A character with at least this confidence counts as read for certain. */
  readonly sureCharacter: number
  readonly surePrint: number
  /** `issuers` are alpha-3 codes or jurisdictions such as USA-AZ. */
  readonly dates: (
    type: string | null,
    issuers: readonly string[],
    known: Pick<DocumentDates, 'birth' | 'issue'>,
    now: Date,
  ) => DateLimits
}

export const AUTHENTICITY_FILE = join(import.meta.dirname, '..', '..', 'resources', 'authenticity.json')

/** Loads the limits. Throws `configuration_invalid` and lists every problem. */
export function loadAuthenticityLimits(path = AUTHENTICITY_FILE): AuthenticityLimits {
  const { combination, thresholds, measured, sureCharacter, surePrint, dates } = readLimits(path, File)
  return {
    combination: {
      groupOf: combination.groupOf,
      weakGroups: combination.weakGroups.value,
      leastMeasured: combination.leastMeasured.value,
      leastFailed: combination.leastFailed.value,
    },
    thresholds: Object.fromEntries(
      AUTHENTICITY_SIGNALS.map((name) => [name, thresholds[name].value]),
    ) as Record<AuthenticitySignalName, number>,
    measured,
    sureCharacter: sureCharacter.value,
    surePrint: surePrint.value,
    dates: (type, issuers, { birth, issue }, now) => {
      // An unknown day of issue is before today.
      const issued = issue?.year === undefined ? null : issue
      const year = issued?.year ?? now.getUTCFullYear()
      const isBelow = (age: number) => birth?.year !== undefined && year - birth.year < age
      const isFrom = (day: string) => issued !== null && toFirstDay(issued) >= day
      const applying = dates.validity.find(
        (row) =>
          (row.types === undefined || (type !== null && row.types.includes(type))) &&
          (row.issuers === undefined || issuers.some((issuer) => row.issuers?.includes(issuer))) &&
          (row.issuedBelowAge === undefined || isBelow(row.issuedBelowAge)) &&
          (row.issuedFrom === undefined || isFrom(row.issuedFrom)),
      )
      return {
        mostAge: dates.mostAge.value,
        leastAge: (dates.leastAge[type ?? 'other'] ?? dates.leastAge.other).value,
        // The last row matches all documents.
        validYears: applying?.value ?? Infinity,
      }
    },
  }
}

/** First possible day of an incomplete date, as YYYY-MM-DD. */
const toFirstDay = ({ year, month = 1, day = 1 }: PartialDate): string =>
  [year, month, day].map((part) => String(part).padStart(2, '0')).join('-')
