/** The requirements of a level, as one sentence from the rules of the policy. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFormats } from '../../../renderer/counter/formats.ts'
import { levelName, needsSentence, pieceWord, type Ways } from '../../../renderer/counter/level-words.ts'
import type { Texts } from '../../../renderer/counter/text.tsx'
import { loadPolicies } from '../../../server/config/policies.ts'
import { levelNeeds } from '../../../server/workflows/health/level-needs.ts'

const LOCALES = ['en', 'fr', 'es', 'de', 'ar']
const policies = loadPolicies()

function wordsOf(tag: string) {
  const file = join(import.meta.dirname, '../../../renderer/locales', `${tag}.json`)
  const { counter } = JSON.parse(readFileSync(file, 'utf8')) as { counter: Record<string, string> }
  const filled = (text: string, slots: Record<string, string | number> = {}) =>
    Object.entries(slots).reduce((said, [name, value]) => said.replace(`{${name}}`, String(value)), text)
  const t = ((key: string, slots) => filled(counter[key] ?? `∅${key}`, slots)) as Texts['t']
  const known: Texts['known'] = (key, otherwise, slots) => filled(counter[key] ?? otherwise, slots)
  return { t, known, formats: createFormats(tag, t) }
}

const english = wordsOf('en')
const say = (ways: Ways | undefined) => needsSentence(ways ?? [], english)
const needsOf = (id: string) => levelNeeds(policies.get(id) ?? [...policies.values()][0])

test('our own policy says a document, a photo, a live face, and who may confirm the document', () => {
  const needs = needsOf('default')
  expect(say(needs.LOA1)).toBe('Needs: a document and a photo of the face.')
  expect(say(needs.LOA2)).toBe(
    'Needs: a document. And one of these: a face check that stops replayed videos or a live face before an officer.',
  )
  const third = say(needs.LOA3)
  expect(third).toContain('a face check with coloured light')
  expect(third).toContain('an officer who inspects the document')
  expect(third).toContain('a document that its issuer confirms')
  expect(third).toContain('register of lost documents')
})

test('what every way asks for is said once, and the choice after it', () => {
  const live = { evidence: 'PORTRAIT', checks: ['BIOMETRIC_MATCHING_CHECK', 'BIOMETRIC_LIVENESS'] }
  const document = (check: string) => ({ evidence: 'ID_DOCUMENT', checks: ['MRZ_READING', check] })
  expect(say([[live], [document('TACTILE_INSPECTION')]])).toBe(
    'Needs: a live face or an officer who inspects the document.',
  )
  expect(
    say([
      [document('TACTILE_INSPECTION'), live],
      [document('GIV_VERIFICATION'), live],
    ]),
  ).toBe(
    'Needs: a live face. And one of these: an officer who inspects the document or a document that its issuer confirms.',
  )
  // A way that asks for more than another one, and the same way for another type, are not said.
  const plain = { evidence: 'ID_DOCUMENT', checks: ['MRZ_READING'] }
  expect(
    say([
      [plain, live],
      [document('GIV_VERIFICATION'), live],
      [plain, live],
    ]),
  ).toBe('Needs: a document and a live face.')
  expect(say([])).toBe('')
})

test('a level is told by its word and the name behind it, and by its name where the policy does not know it', () => {
  const levels = [
    { name: 'LOA2', label: 'substantial', needs: [] },
    { name: 'LOA3', label: 'IAL3', needs: [] },
  ]
  expect(levelName('LOA2', { levels }, english)).toBe('substantial (LOA2)')
  expect(levelName('LOA2', { levels }, wordsOf('de'))).toBe('substanziell (LOA2)')
  expect(levelName('LOA3', { levels }, english)).toBe('IAL3 (LOA3)')
  expect(levelName('LOA7', { levels }, english)).toBe('LOA7')
})

describe.each(LOCALES)('in %s', (tag) => {
  const words = wordsOf(tag)

  test.each([...policies.values()])('every level of the policy $id is told without a code', (policy) => {
    const said = Object.values(levelNeeds(policy)).map((ways) => needsSentence(ways, words))
    expect(said).not.toEqual([])
    for (const sentence of said) expect(sentence).not.toMatch(/[A-Z]{3,}_|∅|[{}]|^$/)
  })

  test('every submission and every label of the policies has words', () => {
    for (const { submissions, levels } of policies.values()) {
      for (const rule of submissions) expect(pieceWord(rule, words), rule.name).not.toMatch(/[A-Z]{3,}_|∅/)
      const labels = levels.map(({ label }) => label.replaceAll(' ', '-'))
      const unknown = labels.filter((label) => words.known(`level-label.${label}`, '') === '')
      // Names of a standard stay as they are.
      expect(unknown.filter((label) => !/^IAL\d$/.test(label))).toEqual([])
    }
  })
})
