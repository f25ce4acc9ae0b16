/** Loads the grounds on which a document value counts as verified, from resources/verified-values.json. */
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { VALUE_SOURCES, VERIFIABLE_VALUES, type VerifiedGround } from '../proofing/verified-values.ts'
import { readLimits } from './limits-file.ts'

const File = z.strictObject({
  version: z.string().min(1),
  description: z.string().min(1),
  grounds: z.array(
    z.strictObject({
      ground: z.string().regex(/^[A-Z_]+$/),
      source: z.enum([...VALUE_SOURCES, 'any']),
      checks: z.array(z.string()).min(1),
      print: z.enum(['agrees', 'not-different', 'any']),
      values: z.array(z.enum(VERIFIABLE_VALUES)).min(1),
    }),
  ),
})

const VERIFIED_VALUES_FILE = join(import.meta.dirname, '..', '..', 'resources', 'verified-values.json')

/**
 * Throws `configuration_invalid` and lists every problem, including a check that is not in `known` (if
 * given).
 */
export function loadVerifiedGrounds(
  known: ReadonlySet<string> | null = null,
  path = VERIFIED_VALUES_FILE,
): readonly VerifiedGround[] {
  const { grounds } = readLimits(path, File)
  if (known === null) return grounds
  const problems = grounds.flatMap(({ ground, checks }) =>
    checks
      .filter((check) => !known.has(check))
      .map((check) => ({ code: 'unknown_check', field: ground, message: `no pipeline has '${check}'` })),
  )
  if (problems.length > 0)
    throw new AppError('configuration_invalid', { file: 'verified-values.json' }, { problems })
  return grounds
}
