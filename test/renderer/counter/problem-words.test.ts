/** A refusal that has a reason is told with the sentence of that reason, which says what to do instead. */
import { expect, test } from 'vitest'
import { problemSentence } from '../../../renderer/counter/problem-words.ts'
import english from '../../../renderer/locales/en.json' with { type: 'json' }

const words = english.counter as Readonly<Record<string, string>>
const known = (key: string, otherwise: string): string => words[key] ?? otherwise

test.each([
  ['transition_refused', 'not_captured_here'],
  ['transition_refused', 'with_adjudicators'],
  ['transition_refused', 'nothing_captured'],
  ['transition_refused', 'camera'],
  ['transition_refused', 'draft_gone'],
  ['transition_refused', 'nothing_to_undo'],
  ['decision_refused', 'own_answers'],
])('%s for %s has words of its own', (code, reason) => {
  const said = problemSentence(
    { code, status: 403, details: {}, errors: [{ code: reason, message: '' }] },
    known,
  )
  expect(said).toBe(words[`problem.${code}.${reason}`])
  expect(said).not.toBe(words[`problem.${code}`])
})

test('a refusal without a reason, or with one that has no words, is told by its code', () => {
  const said = (errors: readonly { code: string; message: string }[]) =>
    problemSentence({ code: 'transition_refused', status: 403, details: {}, errors }, known)
  expect(said([])).toBe(words['problem.transition_refused'])
  expect(said([{ code: 'transition_refused', message: '' }])).toBe(words['problem.transition_refused'])
})
