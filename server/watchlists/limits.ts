/** Reads the weights and thresholds of the watchlist comparison from resources/watchlist.json. */
import { join } from 'node:path'
import { z } from 'zod'
import { BIRTH_AGREEMENTS } from '../proofing/watchlist/births.ts'
import { COUNTRY_AGREEMENTS, type MatchLimits } from '../proofing/watchlist/limits.ts'
import { readLimits } from '../verification/limits-file.ts'

const limit = z.strictObject({
  value: z.number().min(0).max(1),
  unit: z.string().min(1),
  origin: z.string().min(1),
})
const WEIGHTS = [
  'sameSound',
  'sameConsonants',
  'initial',
  'floor',
  'missingWord',
  'loneWord',
  'weakName',
  'document',
] as const

const rate = z.strictObject({
  rate: z.number().min(0).max(1),
  errors: z.int().nonnegative(),
  trials: z.int().nonnegative(),
  /** Wilson interval. */
  ci95: z.tuple([z.number(), z.number()]),
})
const File = z
  .strictObject({
    origin: z.string().min(1),
    weights: z.record(z.enum(WEIGHTS), limit),
    birth: z.record(z.enum(BIRTH_AGREEMENTS), limit),
    forgives: z.record(z.enum(BIRTH_AGREEMENTS), limit),
    country: z.record(z.enum(COUNTRY_AGREEMENTS), limit),
    thresholds: z.record(z.enum(['possible', 'hit']), limit),
    measured: z
      .strictObject({
        /** Listed persons with distorted data who were not found. */
        misses: rate,
        /** Persons on no list who were compared with the whole list. */
        falseAlarms: rate,
        source: z.string().min(1),
      })
      .optional(),
  })
  .refine(({ thresholds }) => thresholds.possible.value <= thresholds.hit.value, {
    path: ['thresholds'],
    message: 'a hit is possible, too',
  })
  .refine(({ birth }) => isFalling(BIRTH_AGREEMENTS.map((agreement) => birth[agreement].value)), {
    path: ['birth'],
    message: 'less agreement never weighs more',
  })
  .refine(({ forgives }) => isFalling(BIRTH_AGREEMENTS.map((agreement) => forgives[agreement].value)), {
    path: ['forgives'],
    message: 'less agreement never forgives more',
  })
  .refine(({ country }) => isFalling(COUNTRY_AGREEMENTS.map((agreement) => country[agreement].value)), {
    path: ['country'],
    message: 'less agreement never weighs more',
  })

const WATCHLIST_FILE = join(import.meta.dirname, '..', '..', 'resources', 'watchlist.json')

/** Throws `configuration_invalid` with all problems. */
export function loadMatchLimits(path = WATCHLIST_FILE): MatchLimits {
  const { weights, birth, forgives, country, thresholds } = readLimits(path, File)
  return {
    ...readValues(weights),
    birth: readValues(birth),
    forgives: readValues(forgives),
    country: readValues(country),
    ...readValues(thresholds),
  }
}

function readValues<Name extends string>(
  limits: Readonly<Record<Name, { readonly value: number }>>,
): Record<Name, number> {
  const pairs = Object.entries<{ readonly value: number }>(limits).map(([name, { value }]) => [name, value])
  return Object.fromEntries(pairs) as Record<Name, number>
}

function isFalling(values: readonly number[]): boolean {
  return values.every((value, i) => i === 0 || value <= values[i - 1])
}
