import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadSupportedEvidence } from '../../../server/config/supported-evidence.ts'
import { AppError } from '../../../server/errors.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-support-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CARD = { documentType: 'IDENTITY_CARD', format: 'TD1', source: 'a register', countries: 'FRA' }
const TABLE = { version: '1', description: 'a table', liveCapture: ['TD3'], everyCountry: [], groups: [CARD] }

function load(table: unknown) {
  const file = join(folder, 'table.json')
  writeFileSync(file, typeof table === 'string' ? table : JSON.stringify(table))
  return loadSupportedEvidence(file)
}

function problemsOf(table: unknown): readonly (readonly [string, string | undefined])[] {
  try {
    load(table)
  } catch (error) {
    if (error instanceof AppError) return error.problems.map(({ code, field }) => [code, field])
    throw error
  }
  return []
}

test('countries stand in one line, and are read one by one', () => {
  const { groups } = load({ ...TABLE, groups: [{ ...CARD, countries: 'FRA DEU\n ITA ' }] })
  expect(groups[0]?.countries).toEqual(['FRA', 'DEU', 'ITA'])
})

test('what is no country, and a document listed twice for one, are named, all of them', () => {
  const groups = [
    { ...CARD, countries: 'FRA UTO DEU' },
    { ...CARD, format: 'TD2', countries: 'FRA' },
    { ...CARD, countries: 'ITA DEU XXX' },
  ]
  expect(problemsOf({ ...TABLE, groups })).toEqual([
    ['unknown_country', 'supported-evidence.json:groups.0.countries'],
    ['listed_twice', 'supported-evidence.json:groups.2.countries'],
    ['unknown_country', 'supported-evidence.json:groups.2.countries'],
  ])
})

test.each([
  ['a format that nothing here reads', { format: 'ID3' }, 'groups.0.format'],
  ['a kind of document that is none', { documentType: 'VISA' }, 'groups.0.documentType'],
  ['an entry without a source', { source: '' }, 'groups.0.source'],
])('%s is refused', (_name, change, field) => {
  expect(problemsOf({ ...TABLE, groups: [{ ...CARD, ...change }] }).map(([, at]) => at)).toEqual([
    `supported-evidence.json:${field}`,
  ])
})

test('a file that is no JSON is refused', () => {
  expect(problemsOf('{')).toEqual([['not_json', 'supported-evidence.json']])
})
