import { describe, expect, test } from 'vitest'
import { NOT_YET_EVALUATED, type Evidence } from '../../../server/proofing/evidence.ts'
import { deservesTemplate, indexedUntil } from '../../../server/proofing/face-template.ts'
import { anEvidence } from '../../support/store.ts'

const portrait = (positiveIndicators: readonly string[], over: Partial<Evidence> = {}) =>
  anEvidence('i', { family: 'PORTRAIT', evaluation: { ...NOT_YET_EVALUATED, positiveIndicators }, ...over })
const GOOD = 'BIOMETRIC_QUALITY_CHECK_OK'
const LIVE = 'BIOMETRIC_LIVENESS_OK'
const ofSession = { content: { sessionId: 's' } }

describe('a template is kept', () => {
  test('of a portrait that is good enough to be compared, whether or not it matches', () => {
    expect(deservesTemplate(portrait([GOOD]))).toBe(true)
    expect(deservesTemplate(portrait([]))).toBe(false)
    expect(deservesTemplate(portrait([LIVE]))).toBe(false)
  })

  test('of a session only when a live person stood for it', () => {
    expect(deservesTemplate(portrait([GOOD, LIVE], ofSession))).toBe(true)
    expect(deservesTemplate(portrait([GOOD], ofSession))).toBe(false)
  })

  test('neither of a document nor of what was deleted', () => {
    expect(deservesTemplate(portrait([GOOD], { family: 'IDDOCUMENT' }))).toBe(false)
    expect(deservesTemplate(portrait([GOOD], { deletedAt: new Date(0) }))).toBe(false)
  })
})

test('the index holds a face for the days of the tenant', () => {
  expect(indexedUntil(new Date('2026-03-01T10:00:00Z'), 30)).toEqual(new Date('2026-03-31T10:00:00Z'))
})
