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
/** The first that applies counts. */
const Validity = z.strictObject({
  /** Absent: of any kind, issuer, age, day. */
  types: z.array(z.string()).min(1).optional(),
  /** Alpha-3, or a state's own as in USA-AZ. */
  issuers: z
    .array(z.string().regex(/^[A-Z]{3}(-[A-Z]{2,3})?$/))
    .min(1)
    .optional(),
  /** The holder was younger on the day of issue. */
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
  /** Wilson. */
  ci95: z.tuple([z.number(), z.number()]),
})
const Measured = z.strictObject({
  /** Genuine documents on which the signal fired. */
  falseAlarms: rate,
  /** The same of rendered scenes alone: tilted, held by hand, unevenly lit. */
  falseAlarmsOnScenes: rate.optional(),
  /** Forgeries of the worst species on which it did not. */
  misses: rate.extend({ species: z.string() }),
  /** Of all pictures: those in which nothing could be measured. */
  nullShare: z.number().min(0).max(1),
  source: z.string().min(1),
})
export type MeasuredRates = z.infer<typeof Measured>

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
  /** From this confidence on a character counts as surely read. */
  readonly sureCharacter: number
  readonly surePrint: number
  /** `issuers`: alpha-3, and a state's own as in USA-AZ. */
  readonly dates: (
    type: string | null,
    issuers: readonly string[],
    known: Pick<DocumentDates, 'birth' | 'issue'>,
    now: Date,
  ) => DateLimits
}

export const AUTHENTICITY_FILE = join(import.meta.dirname, '..', '..', 'resources', 'authenticity.json')

/** Throws `configuration_invalid` with every problem. */
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
      // Where nobody knows the day of issue, it was before today.
      const issued = issue?.year === undefined ? null : issue
      const year = issued?.year ?? now.getUTCFullYear()
      const isBelow = (age: number) => birth?.year !== undefined && year - birth.year < age
      const isFrom = (day: string) => issued !== null && dayOf(issued) >= day
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
        // The last row is for all others.
        validYears: applying?.value ?? Infinity,
      }
    },
  }
}

/** The first day that it may be. */
const dayOf = ({ year, month = 1, day = 1 }: PartialDate): string =>
  [year, month, day].map((part) => String(part).padStart(2, '0')).join('-')
