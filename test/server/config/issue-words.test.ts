/** Problems of a configuration file say in words what to write. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeIssue } from '../../../server/config/issue-words.ts'
import { COUNTRY } from '../../../server/config/text-forms.ts'

const describeAll = (schema: z.ZodType, value: unknown): readonly string[] =>
  schema.safeParse(value, { error: describeIssue }).error?.issues.map(({ message }) => message) ?? []
const describe = (schema: z.ZodType, value: unknown): string => describeAll(schema, value).join()

test.each<[string, z.ZodType, unknown]>([
  ['must not be empty', z.string().min(1), ''],
  ['must not be empty', z.array(z.string()).min(1), []],
  ['must have at least 2 characters', z.string().min(2), ''],
  ['must have at most 1 character', z.string().max(1), 'ab'],
  ['must have at most 1 member', z.array(z.string()).max(1), ['a', 'b']],
  ['must be at least 1', z.int().min(1), 0],
  ['must be more than 0', z.number().positive(), 0],
  ['must be a country in three capital letters (ISO 3166-1 alpha-3), such as DEU', COUNTRY, 'de'],
  ['must be a date such as 2026-11-29', z.iso.date(), 'yesterday'],
  ['must be an address with http:// or https://', z.url(), 'here'],
  ['must be one of a, b', z.enum(['a', 'b']), 'c'],
  [
    'has a wrong name: it must be a country in three capital letters (ISO 3166-1 alpha-3), such as DEU',
    z.record(COUNTRY, z.int()),
    { de: 1 },
  ],
  ['must be 0, or must be 90', z.union([z.literal(0), z.literal(90)]), 45],
  ['is missing: it must be a text in quotation marks', z.string(), undefined],
])('%s', (words, schema, value) => expect(describe(schema, value)).toBe(words))

test('no regular expression is shown to an operator: each form has words of its own', () => {
  const folder = join(import.meta.dirname, '../../../server/config')
  const bare = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => /\.regex\([^,]*\)/.test(readFileSync(join(folder, name), 'utf8')))
  expect(bare).toEqual([])
})
