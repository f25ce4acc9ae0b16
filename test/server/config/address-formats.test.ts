/** The table of address forms: complete for the states of the USA, and refused where it contradicts itself. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readAddressFormats } from '../../../server/config/address-formats.ts'
import { RESOURCES_DIR } from '../../../server/config/resources.ts'
import { AppError } from '../../../server/errors.ts'

const folder = mkdtempSync(join(tmpdir(), 'formats-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Shipped {
  readonly streetWords: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly countries: Readonly<Record<string, object>>
}
const shipped = JSON.parse(readFileSync(join(RESOURCES_DIR, 'address-formats.json'), 'utf8')) as Shipped

function listRefused(change: Partial<Shipped>): readonly (string | undefined)[] {
  const file = join(folder, 'changed.json')
  writeFileSync(file, JSON.stringify({ ...shipped, ...change }))
  try {
    readAddressFormats(file)
  } catch (error) {
    if (error instanceof AppError) return error.problems.map(({ field, message }) => `${field} ${message}`)
    throw error
  }
  return []
}

test('the shipped table is read', () => {
  const formats = readAddressFormats()
  const { countries } = formats
  const shorten = (word: string, country?: string) => formats.shorten(word, country)
  expect(Object.keys(countries.USA.regions ?? {})).toHaveLength(59)
  expect([shorten('STREET', 'GBR'), shorten('STREET', 'DEU'), shorten('STREET')]).toEqual([
    'ST',
    undefined,
    'ST',
  ])
})

test('a table that contradicts itself is refused with every place', () => {
  const { USA, FRA } = shipped.countries
  expect(listRefused({ streetWords: { ...shipped.streetWords, xx: { STR: ['STREET'] } } })).toEqual([
    'address-formats.json:streetWords.xx STREET is also an abbreviation of ST',
  ])
  expect(
    listRefused({
      countries: {
        USA: { ...USA, regions: {} },
        FRA: { ...FRA, languages: ['zz'] },
      },
    }),
  ).toEqual(
    expect.arrayContaining([
      'address-formats.json:countries.USA.regions must not be empty',
      'address-formats.json:countries.USA.regions must have AA',
      'address-formats.json:countries.FRA.languages zz has no street words',
    ]),
  )
})
