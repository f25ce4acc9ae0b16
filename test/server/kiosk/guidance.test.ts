/** The guidance table: what a check found, and what the person is told to do. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { GUIDANCE_CODES } from '../../../server/kiosk/contract.ts'
import { guidanceFor } from '../../../server/kiosk/guidance.ts'
import { loadJourney } from '../../../server/kiosk/load-journey.ts'
import type { EvidenceView } from '../../../server/kiosk/port.ts'
import { outcomeOf, progressOf } from '../../../server/kiosk/progress.ts'
import { referenceOf } from '../../../server/kiosk/reference.ts'
import { CAPTURE_ADVICE } from '../../../server/proofing/error-codes.ts'
import { PORTRAIT_QUALITY_FIELDS } from '../../../server/proofing/portrait-quality.ts'
import { JOURNEYS_DIR } from './support.ts'

const { guidance } = loadJourney(JOURNEYS_DIR)
const NONE = { evidenceId: null, submissions: 0 }
const MOST = { document: 3, portrait: 3 }

const evidence = (status: Partial<EvidenceView['evidenceStatus']>): EvidenceView => ({
  evidenceId: 'e1',
  evidenceStatus: { status: 'NOT_VERIFIED', ...status },
})

test.each([
  ['document', '1531', 'DOCUMENT_DARK'],
  ['document', '1541', 'DOCUMENT_FAR'],
  ['document', '1535', 'DOCUMENT_CUT'],
  ['document', '1543', 'DOCUMENT_LINES'],
  ['portrait', '1601', 'PORTRAIT_UNCLEAR'],
] as const)('%s error %s is told as %s', (step, code, told) => {
  expect(guidanceFor(step, evidence({ errors: [{ code }] }), guidance)).toEqual([told])
})

test('every reason that a portrait is asked for again has advice of its own; to turn the head is one', () => {
  // Nobody is refused for his background.
  const fields = PORTRAIT_QUALITY_FIELDS.filter((field) => field !== 'BACKGROUND_UNIFORMITY')
  const told = fields.map((field) =>
    guidanceFor('portrait', evidence({ errors: [{ code: '1601', field }] }), guidance).at(0),
  )
  expect(told).not.toContain('PORTRAIT_UNCLEAR')
  expect(told.filter((advice) => advice === 'PORTRAIT_TURNED')).toHaveLength(2)
  expect(new Set(told).size).toBe(fields.length - 1)
})

test('every code that asks for another picture has advice, but the one for a missing side: the kiosk takes one', () => {
  for (const code of CAPTURE_ADVICE.filter((advice) => advice !== '1508')) {
    const told = guidanceFor(
      code === '1601' ? 'portrait' : 'document',
      evidence({ errors: [{ code }] }),
      guidance,
    )
    expect([code, told]).not.toEqual([code, []])
  }
})

test('a mismatch of the faces has no advice in the table', () => {
  const mismatch = evidence({
    errors: [{ code: '1600' }],
    blockingIndicators: ['BIOMETRIC_MATCHING_CHECK_FAILED'],
  })
  expect(guidanceFor('portrait', mismatch, guidance)).toEqual([])
})

test('an expired document is a plain fact: the person may show another', () => {
  const expired = evidence({ status: 'INVALID', blockingIndicators: ['DOCUMENT_EXPIRY_FAILED'] })
  expect(documentProgress(expired)).toEqual({ state: 'AGAIN', guidance: ['DOCUMENT_ENDED'], left: 2 })
})

test('expired and forged is no plain fact: nothing is told', () => {
  const both = evidence({
    status: 'INVALID',
    blockingIndicators: ['DOCUMENT_EXPIRY_FAILED', 'DOCUMENT_AUTHENTICITY_FAILED'],
  })
  expect(documentProgress(both)).toEqual({ state: 'DONE', guidance: [], left: 0 })
})

test('a document nobody has a rule for is still answered with advice', () => {
  expect(documentProgress(evidence({}))).toEqual({ state: 'AGAIN', guidance: ['DOCUMENT_UNCLEAR'], left: 2 })
})

test('a good portrait without a readable document is not asked for again', () => {
  const identity = {
    globalStatus: { levelOfAssurance: 'LOA0' },
    idDocuments: [{ ...evidence({}), evidenceId: 'd1' }],
    portrait: { ...evidence({}), evidenceId: 'p1' },
  }
  const counts = {
    document: { evidenceId: 'd1', submissions: 3 },
    portrait: { evidenceId: 'p1', submissions: 1 },
  }
  expect(progressOf(identity, counts, MOST, guidance).ready).toBe(true)
})

test.each([
  ['VERIFIED', 'VERIFIED', 'LOA1', 'CONFIRMED'],
  ['VERIFIED', 'VERIFIED', 'LOA2', 'CONFIRMED'],
  ['VERIFIED', 'VERIFIED', 'LOA0', 'PERSON'],
  ['VERIFIED', 'VERIFIED', 'unknown', 'PERSON'],
  ['VERIFIED', 'INVALID', 'LOA1', 'PERSON'],
  ['VERIFIED', 'ADJUDICATION', 'LOA1', 'PERSON'],
  ['NOT_VERIFIED', 'VERIFIED', 'LOA1', 'PERSON'],
] as const)('document %s, portrait %s, %s: %s', (document, portrait, levelOfAssurance, outcome) => {
  const identity = {
    globalStatus: { levelOfAssurance },
    idDocuments: [{ ...evidence({ status: document }), evidenceId: 'd1' }],
    portrait: { ...evidence({ status: portrait }), evidenceId: 'p1' },
  }
  const counts = {
    document: { evidenceId: 'd1', submissions: 1 },
    portrait: { evidenceId: 'p1', submissions: 1 },
  }
  expect(outcomeOf(identity, counts, 'LOA1')).toBe(outcome)
})

test('nothing submitted is never confirmed', () => {
  const identity = { globalStatus: { levelOfAssurance: 'LOA3' }, idDocuments: [], portrait: null }
  expect(outcomeOf(identity, { document: NONE, portrait: NONE }, 'LOA1')).toBe('PERSON')
})

test('the reference is the last 40 bits of the id, in letters that do not look alike', () => {
  expect(referenceOf('01890000-0000-7000-8000-000000000000')).toBe('0000-0000')
  expect(referenceOf('01890000-0000-7000-8000-00ffffffffff')).toBe('ZZZZ-ZZZZ')
  expect(referenceOf('01890000-0000-7000-8000-000000000021')).toBe('0000-0011')
  expect(() => referenceOf('Anna')).toThrow(TypeError)
})

test('every advice has words in every language, none of them a verdict', () => {
  const texts = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../renderer/locales/en.json'), 'utf8'),
  ) as Record<string, string>
  for (const code of GUIDANCE_CODES) expect(texts[`guidance.${code}`]).toBeTruthy()
  // ux "Words": not used.
  const forbidden = /\b(error|invalid|failed|fraud|biometric|liveness|ocr|please|oops|fake|match)/i
  for (const [key, text] of Object.entries(texts))
    expect([key, text.match(forbidden)?.[0]]).toEqual([key, undefined])
})

function documentProgress(document: EvidenceView) {
  const identity = { globalStatus: { levelOfAssurance: 'LOA0' }, idDocuments: [document], portrait: null }
  const counts = { document: { evidenceId: 'e1', submissions: 1 }, portrait: NONE }
  return progressOf(identity, counts, MOST, guidance).document
}
