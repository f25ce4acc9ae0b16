/** The guidance table: what a check found, and what the person is told to do. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { captureState, withAttempt, type CaptureQuestion } from '../../../server/kiosk/capture-state.ts'
import { GUIDANCE_CODES } from '../../../server/kiosk/contract/index.ts'
import { loadDocumentFaults } from '../../../server/config/document-faults.ts'
import { documentGuidance, portraitGuidance } from '../../../server/kiosk/guidance.ts'
import { loadGuidance } from '../../../server/kiosk/journeys.ts'
import type { EvidenceView } from '../../../server/kiosk/port.ts'
import { CAPTURE_ADVICE } from '../../../server/proofing/error-codes.ts'
import { PORTRAIT_QUALITY_FIELDS } from '../../../server/proofing/portrait-quality.ts'
import {
  createReceiptCode,
  readReceiptText,
  receiptText,
  toReference,
} from '../../../server/screens/receipt.ts'

const guidance = {
  portrait: loadGuidance(join(import.meta.dirname, '../../../resources/journeys')),
  document: loadDocumentFaults().rules,
}
const guidanceFor = (step: 'document' | 'portrait', of: EvidenceView): readonly string[] => {
  if (step === 'portrait') return portraitGuidance(of, guidance)
  const fault = documentGuidance(of, guidance)
  return fault ? [fault.code] : []
}

const evidence = (status: Partial<EvidenceView['evidenceStatus']>): EvidenceView => ({
  evidenceId: 'e1',
  evidenceStatus: { status: 'NOT_VERIFIED', ...status },
})

const question = (over: Partial<CaptureQuestion> = {}): CaptureQuestion => ({
  step: 'document',
  facts: { current: { evidenceId: 'e1', sessionId: 's1' }, spent: 0, misses: 0, opened: 1 },
  evidence: evidence({}),
  isOpen: false,
  maxSubmissions: 3,
  documentUsable: true,
  isStill: false,
  table: guidance,
  ...over,
})
const stateOf = (over: Partial<CaptureQuestion> = {}) => {
  const { state, guidance: told, left } = captureState(question(over))
  return [state, told, left]
}

test.each([
  ['document', '1531', 'DOCUMENT_DARK'],
  ['document', '1541', 'DOCUMENT_FAR'],
  ['document', '1535', 'DOCUMENT_CUT'],
  ['document', '1543', 'DOCUMENT_LINES'],
  ['document', '1542', 'DOCUMENT_BARS'],
  ['document', '1508', 'DOCUMENT_SIDE'],
  ['portrait', '1601', 'PORTRAIT_UNCLEAR'],
  ['portrait', '1611', 'PORTRAIT_NOT_DONE'],
] as const)('%s error %s is told as %s', (step, code, told) => {
  expect(guidanceFor(step, evidence({ errors: [{ code }] }))).toEqual([told])
})

test('a fault of ours that ended a film is said as that, and a film without movement has a sentence of its own', () => {
  const of = (code: string, over: Partial<CaptureQuestion> = {}, field?: string) =>
    captureState(
      question({
        step: 'portrait',
        evidence: evidence({
          errors: [{ code, ...(field ? { field } : {}) }],
          unverifiedIndicators: ['BIOMETRIC_LIVENESS_CHALLENGE_UNVERIFIED'],
        }),
        ...over,
      }),
    ).guidance[0]
  expect(of('1610', {}, 'SESSION')).toBe('PORTRAIT_OURS')
  expect(of('1610', { isStill: true }, 'SESSION')).toBe('PORTRAIT_OURS')
  expect(of('1611', { isStill: true })).toBe('PORTRAIT_STILL')
  expect(of('1611')).toBe('PORTRAIT_NOT_DONE')
})

test('whatever a live session failed by, the person is told the same', () => {
  const told = ['1609', '1610', '1611'].map((code) =>
    guidanceFor('portrait', evidence({ errors: [{ code }] })),
  )
  expect(new Set(told.map(String)).size).toBe(1)
})

test('another kind of document than the chosen one is a thing to put right', () => {
  const other = evidence({ warningIndicators: ['DOCUMENT_TYPE_MATCH_WARNING'] })
  expect(guidanceFor('document', other)).toEqual(['DOCUMENT_OTHER'])
})

test('every reason that a portrait is asked for again has advice of its own; to turn the head is one', () => {
  // The background never causes a refusal.
  const fields = PORTRAIT_QUALITY_FIELDS.filter((field) => field !== 'BACKGROUND_UNIFORMITY')
  const told = fields.map((field) =>
    guidanceFor('portrait', evidence({ errors: [{ code: '1601', field }] })).at(0),
  )
  expect(told).not.toContain('PORTRAIT_UNCLEAR')
  expect(told.filter((advice) => advice === 'PORTRAIT_TURNED')).toHaveLength(2)
  expect(new Set(told).size).toBe(fields.length - 1)
})

test('every code that asks for another picture has advice', () => {
  for (const code of CAPTURE_ADVICE) {
    const step = code === '1601' ? 'portrait' : 'document'
    const told = guidanceFor(step, evidence({ errors: [{ code }] }))
    expect([[], ['DOCUMENT_UNCLEAR']]).not.toContainEqual(told)
  }
})

test('a mismatch of the faces has no advice in the table', () => {
  const mismatch = evidence({
    errors: [{ code: '1600' }],
    blockingIndicators: ['BIOMETRIC_MATCHING_CHECK_FAILED'],
  })
  expect(guidanceFor('portrait', mismatch)).toEqual([])
})

test.each<[string, Partial<CaptureQuestion>, readonly [string, readonly string[], number]]>([
  ['nothing was handed in', { facts: { current: null, spent: 0, misses: 0, opened: 0 } }, ['NONE', [], 3]],
  [
    'the session waits for pictures',
    { evidence: evidence({ status: 'PROCESSING' }), isOpen: true },
    ['OPEN', [], 3],
  ],
  ['the pictures are looked at', { evidence: evidence({ status: 'PROCESSING' }) }, ['CHECKING', [], 2]],
  ['it is good', { evidence: evidence({ status: 'VERIFIED' }) }, ['DONE', [], 0]],
  ['a person is asked', { evidence: evidence({ status: 'ADJUDICATION' }) }, ['DONE', [], 0]],
  ['no rule covers it', {}, ['AGAIN', ['DOCUMENT_UNCLEAR'], 2]],
  ['it is dark', { evidence: evidence({ errors: [{ code: '1531' }] }) }, ['AGAIN', ['DOCUMENT_DARK'], 2]],
  [
    'it has ended, which is a plain fact',
    { evidence: evidence({ status: 'INVALID', blockingIndicators: ['DOCUMENT_EXPIRY_FAILED'] }) },
    ['AGAIN', ['DOCUMENT_ENDED'], 2],
  ],
  [
    'it has ended and is forged: nothing is told',
    {
      evidence: evidence({
        status: 'INVALID',
        blockingIndicators: ['DOCUMENT_EXPIRY_FAILED'],
        warningIndicators: ['DOCUMENT_AUTHENTICITY_WARNING'],
      }),
    },
    ['DONE', [], 0],
  ],
  [
    'the last try was dark, too',
    {
      evidence: evidence({ errors: [{ code: '1531' }] }),
      facts: { current: { evidenceId: 'e1', sessionId: 's1' }, spent: 2, misses: 2, opened: 3 },
    },
    ['DONE', [], 0],
  ],
  [
    'the session ran out of time: no try is lost',
    { evidence: evidence({ errors: [{ code: '2401' }] }) },
    ['AGAIN', ['DOCUMENT_NOT_TAKEN'], 3],
  ],
  [
    'the person gave it up: nothing is said, and no try is lost',
    { evidence: evidence({ errors: [{ code: '2402' }] }) },
    ['NONE', [], 3],
  ],
  [
    'the twelfth session, too, brought nothing: a person has to look',
    {
      evidence: evidence({ errors: [{ code: '2401' }] }),
      facts: { current: { evidenceId: 'e1', sessionId: 's1' }, spent: 0, misses: 11, opened: 12 },
    },
    ['DONE', [], 0],
  ],
  [
    'a portrait session ended before it was begun: no try is lost',
    {
      step: 'portrait',
      evidence: evidence({
        errors: [{ code: '1609' }],
        unverifiedIndicators: ['BIOMETRIC_LIVENESS_UNVERIFIED'],
      }),
    },
    ['AGAIN', ['PORTRAIT_NOT_DONE'], 3],
  ],
  [
    'a portrait session was judged not live: a try is lost',
    {
      step: 'portrait',
      evidence: evidence({
        errors: [{ code: '1611' }],
        warningIndicators: ['BIOMETRIC_LIVENESS_CHALLENGE_WARNING'],
        unverifiedIndicators: ['BIOMETRIC_LIVENESS_UNVERIFIED'],
      }),
    },
    ['AGAIN', ['PORTRAIT_NOT_DONE'], 2],
  ],
  [
    'a good portrait without a readable document is not asked for again',
    { step: 'portrait', documentUsable: false },
    ['DONE', [], 0],
  ],
  [
    'another face continues like any other',
    { step: 'portrait', evidence: evidence({ status: 'INVALID', errors: [{ code: '1600' }] }) },
    ['DONE', [], 0],
  ],
])('of a capture: %s', (_what, over, expected) => {
  expect(stateOf(over)).toEqual(expected)
})

test('only the last unclear picture is told to be kept for a person, never one that was refused', () => {
  const last = { current: { evidenceId: 'e1', sessionId: 's1' }, spent: 2, misses: 2, opened: 3 }
  const kept = (over: Partial<CaptureQuestion>) => captureState(question(over)).keptForPerson
  expect(kept({ facts: last })).toBe(true)
  expect(kept({ facts: last, evidence: evidence({ status: 'VERIFIED' }) })).toBe(false)
  expect(kept({ facts: last, evidence: evidence({ status: 'INVALID' }) })).toBe(false)
})

test('what came before is counted when the next session opens', () => {
  const facts = { current: { evidenceId: 'e1', sessionId: 's1' }, spent: 1, misses: 1, opened: 2 }
  const next = { evidenceId: 'e2', sessionId: 's2' }
  const missed = captureState(question({ facts }))
  expect(withAttempt(facts, missed, next)).toEqual({ current: next, spent: 2, misses: 2, opened: 3 })
  const givenUp = captureState(question({ facts, evidence: evidence({ errors: [{ code: '2402' }] }) }))
  expect(withAttempt(facts, givenUp, next)).toEqual({ current: next, spent: 1, misses: 1, opened: 3 })
})

test('the reference is the last 40 bits of the id, in letters that do not look alike', () => {
  expect(toReference('01890000-0000-7000-8000-000000000000')).toBe('0000-0000')
  expect(toReference('01890000-0000-7000-8000-00ffffffffff')).toBe('ZZZZ-ZZZZ')
  expect(toReference('01890000-0000-7000-8000-000000000021')).toBe('0000-0011')
  expect(() => toReference('Anna')).toThrow(TypeError)
})

test('what a scanner reads off a receipt is taken apart again; anything else is none', () => {
  const receipt = { reference: '7K4P-2M9X', code: createReceiptCode() }
  expect(readReceiptText(receiptText(receipt))).toEqual(receipt)
  expect(receipt.code.replaceAll('-', '').length * Math.log2(32)).toBeGreaterThanOrEqual(64)
  expect(readReceiptText('https://example.org')).toBeNull()
  expect(new Set(Array.from({ length: 200 }, createReceiptCode)).size).toBe(200)
})

test('every advice has words, none of them a verdict', () => {
  const { kiosk: texts } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../renderer/locales/en.json'), 'utf8'),
  ) as { kiosk: Record<string, string> }
  for (const code of GUIDANCE_CODES) expect(texts[`guidance.${code}`]).toBeTruthy()
  // ux "Words": not used.
  const forbidden = /\b(error|invalid|failed|fraud|biometric|liveness|ocr|please|oops|fake|match)/i
  for (const [key, text] of Object.entries(texts).filter(([name]) => name.startsWith('guidance.'))) {
    expect([key, text.match(forbidden)?.[0]]).toEqual([key, undefined])
  }
})
