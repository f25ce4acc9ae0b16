import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadDocumentTemplates } from '../../../server/config/document-templates.ts'
import { RESOURCES_DIR } from '../../../server/config/resources.ts'
import { AppError } from '../../../server/errors.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-templates-'))
  cpSync(join(RESOURCES_DIR, 'document-templates'), folder, { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function problemsOf(files: Readonly<Record<string, unknown>>): readonly string[] {
  for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(value))
  try {
    loadDocumentTemplates(folder)
  } catch (error) {
    if (error instanceof AppError) return error.problems.map(({ code, field }) => `${code} ${field ?? ''}`)
    throw error
  }
  return []
}

const TEMPLATE = {
  id: 'mine',
  description: 'a card',
  source: 'a register',
  kinds: ['IDENTITY_CARD'],
  countries: [],
  aspect: { least: 1.2, most: 1.7 },
  anchors: ['surname'],
  leastAnchors: 1,
  dateOrder: 'dmy',
  numbered: {},
  places: {},
}

test('the layouts that come along are loaded', () => {
  const { words, templates, scripts, languages } = loadDocumentTemplates()
  expect(templates.map(({ id }) => id)).toEqual([
    'icao-card',
    'icao-page',
    'licence-australia',
    'licence-europe',
    'licence-north-america',
    'medicare',
  ])
  expect(Object.keys(words.months)).toHaveLength(12)
  expect(scripts).toMatchObject({ BGR: ['Cyrl'], GRC: ['Grek'], JPN: ['Jpan'] })
  expect(scripts).not.toHaveProperty('FRA')
  expect(languages).toMatchObject({ AZE: { code: 'aze' }, DNK: { code: 'nor', letters: ['Æ', 'Ø', 'Å'] } })
  expect(languages).not.toHaveProperty('GBR')
})

test('a language that is no code, or a state with two, is refused', () => {
  const of = (languages: object) => ({
    'languages.json': { version: '1', description: 'd', source: 's', languages },
  })
  const language = { letters: 'Ə', states: ['AZE'] }
  expect(problemsOf(of({ aze: language }))).toEqual([])
  expect(problemsOf(of({ '../aze': language }))).toEqual([
    'invalid_key document-templates/languages.json:languages.../aze',
  ])
  expect(problemsOf(of({ aze: language, tur: language }))).toEqual([
    'custom document-templates/languages.json:languages',
  ])
})

test('a layout of a tenant is loaded beside them', () => {
  expect(problemsOf({ 'mine.json': TEMPLATE })).toEqual([])
  expect(loadDocumentTemplates(folder).templates.map(({ id }) => id)).toContain('mine')
})

test('everything that is wrong is named at once', () => {
  const problems = problemsOf({
    'mine.json': { ...TEMPLATE, anchors: ['surname', '77'], dateOrder: 'ydm' },
    'other.json': { ...TEMPLATE, anchors: ['nobody'] },
    'words.json': { version: '1' },
  })
  expect(problems).toContain('invalid_value document-templates/mine.json:dateOrder')
  expect(problems).toContain('wrong_id document-templates/other.json:id')
  expect(problems).toContain('unknown_anchor document-templates/other.json:anchors')
  expect(problems).toContain('invalid_type document-templates/words.json:months')
})

test('a label in capitals or with marks would never be met, and is refused', () => {
  const { words } = loadDocumentTemplates()
  const text = { version: '1', description: 'x', source: 'x', ...words, labels: { surname: ['Nom'] } }
  expect(problemsOf({ 'words.json': text })).toEqual([
    'invalid_format document-templates/words.json:labels.surname.0',
  ])
})
