/** Several pictures of one document: which one a proofing at the counter continues with, and what is said of the others. */
import { expect, test } from 'vitest'
import {
  findDocument,
  isConfirmed,
  isStatementOpen,
  levelBasis,
  mayAttest,
  nextStep,
  otherTries,
  stepStates,
} from '../../../renderer/counter/pages/assist/steps.ts'
import type { AssistEvidence, AssistView } from '../../../server/counter/contract/assist.ts'

const picture = { imageId: 'i', kind: 'FRONT', href: '' } as const
const one = (evidenceId: string, status: AssistEvidence['status'], images = [picture]): AssistEvidence => ({
  evidenceId,
  type: 'PASSPORT',
  status,
  guidance: [],
  guidanceField: null,
  images,
  values: [],
  compared: [],
  chip: null,
  awaitsPicture: false,
  capturedHere: false,
  exceptions: [],
  fromFile: false,
  needsStatement: false,
  attendance: null,
  checklist: null,
})
const summary = (...documents: AssistEvidence[]) => {
  const { later, earlier } = otherTries({ documents })
  return [findDocument({ documents })?.evidenceId ?? null, later?.evidenceId ?? null, earlier]
}

test.each([
  ['nothing was shown', [], [null, null, 0]],
  ['one failed', [one('a', 'NOT_VERIFIED')], ['a', null, 0]],
  ['a later one is verified, too', [one('a', 'VERIFIED'), one('b', 'VERIFIED')], ['b', null, 1]],
  ['a later one failed', [one('a', 'VERIFIED'), one('b', 'NOT_VERIFIED')], ['a', 'b', 0]],
  ['a later one is looked at', [one('a', 'VERIFIED'), one('b', 'PROCESSING', [])], ['a', 'b', 0]],
  ['two failed', [one('a', 'INVALID'), one('b', 'NOT_VERIFIED')], ['b', null, 1]],
  ['a session took no picture', [one('a', 'NOT_VERIFIED'), one('b', 'NOT_VERIFIED', [])], ['a', null, 0]],
  ['only such a session', [one('a', 'NOT_VERIFIED', [])], ['a', null, 0]],
] as const)('%s', (_, documents, expected) => {
  expect(summary(...documents)).toEqual(expected)
})

test('a portrait that a kiosk took asks nothing more of who took the visit over', () => {
  const view = {
    consent: { state: 'GIVEN' },
    documents: [{ ...one('a', 'VERIFIED'), attendance: {} }],
    portrait: { ...one('p', 'VERIFIED'), type: 'PORTRAIT' },
    typed: [],
    mayFinish: true,
    ended: false,
    result: null,
  } as unknown as AssistView
  expect(nextStep(view)).toBe('finish')
})

test.each([
  ['DIFFERENT', 'LIVIA JOSEFAx', 'ATTENTION'],
  ['SAME', 'LIVIA JOSEFA', 'DONE'],
  ['DIFFERENT', null, 'DONE'],
] as const)('typed data that compares as %s (%s) leaves its step %s', (comparison, typed, state) => {
  const row = { field: 'givenNames', zone: 'LIVIA JOSEFA', printed: 'LIVIA JOSEFA', typed, comparison }
  const view = {
    consent: { state: 'GIVEN' },
    documents: [{ ...one('a', 'VERIFIED'), compared: [row] }],
    portrait: null,
    typed: [{ ...one('t', 'NOT_VERIFIED'), type: 'ATTRIBUTES' }],
    mayFinish: true,
    ended: false,
    result: null,
  } as unknown as AssistView
  expect(stepStates(view).typed).toBe(state)
})

test.each([
  [null, 'TO_DO'],
  [{ seen: 'CAPTURE' }, 'DONE'],
] as const)('a face that counts by the statement %j is %s', (attendance, state) => {
  const view = {
    consent: { state: 'GIVEN' },
    documents: [one('a', 'VERIFIED')],
    portrait: { ...one('p', 'VERIFIED'), type: 'PORTRAIT', needsStatement: true, attendance },
    typed: [],
    mayFinish: true,
    ended: false,
    result: null,
  } as unknown as AssistView
  expect(stepStates(view).portrait).toBe(state)
})

test.each([
  ['a face that a camera took here', {}, true],
  ['a face that is being checked', { status: 'PROCESSING' }, true],
  ['a file', { fromFile: true }, false],
  ['a refused face', { status: 'INVALID' }, false],
  ['a face that could not be verified', { status: 'NOT_VERIFIED' }, false],
  ['a face that the kiosk took', { capturedHere: false }, false],
] as const)('the officer’s statement is offered for %s: %j → %s', (_, over, expected) => {
  const portrait = { ...one('p', 'VERIFIED'), capturedHere: true, ...over }
  expect([mayAttest(portrait), isStatementOpen(portrait)]).toEqual([expected, expected])
})

test.each([
  ['LOA1', true, true],
  ['LOA2', true, true],
  ['LOA0', true, false],
  ['LOA2', false, false],
] as const)(
  'sealed at %s with presence %s, a visit that LOA1 confirms is confirmed: %s',
  (reached, presenceShown, is) => {
    expect(isConfirmed({ level: { reached, confirmedFrom: 'LOA1', presenceShown, needs: [] } })).toBe(is)
  },
)

test('an explanation of the level holds until the level or a piece changes', () => {
  const view = {
    documents: [one('a', 'VERIFIED')],
    portrait: one('p', 'INVALID'),
    typed: [],
    level: { reached: 'LOA0', confirmedFrom: 'LOA1', presenceShown: false, needs: [] },
  } as unknown as AssistView
  const before = levelBasis(view)
  expect(levelBasis({ ...view })).toBe(before)
  expect(levelBasis({ ...view, portrait: one('q', 'VERIFIED') })).not.toBe(before)
  expect(levelBasis({ ...view, level: { ...view.level, reached: 'LOA2' } })).not.toBe(before)
})
