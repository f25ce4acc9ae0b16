import { describe, expect, test } from 'vitest'
import {
  listUnacceptableChecks,
  faultsOfCatalogue,
  reasonsFor,
  requireAcceptable,
  requireReason,
  type AdjudicationReason,
} from '../../../server/proofing/adjudication-rules.ts'
import { NOT_YET_EVALUATED } from '../../../server/proofing/evidence.ts'

const reason = (code: string, over: Partial<AdjudicationReason> = {}): AdjudicationReason => ({
  code,
  decisions: ['ACCEPTED', 'REJECTED', 'UNSURE'],
  families: ['IDDOCUMENT', 'PORTRAIT'],
  text: 'a text',
  ...over,
})
const WORN = reason('WORN_DOCUMENT', { decisions: ['ACCEPTED'], families: ['IDDOCUMENT'] })
const ANY = reason('ANY_REASON')
const rules = { reasons: [WORN, ANY], beyondPeople: ['BIOMETRIC_LIVENESS', 'DOCUMENT_EXPIRY'] }
const evidence = (family: 'IDDOCUMENT' | 'PORTRAIT', ...blockingIndicators: string[]) => ({
  family,
  evaluation: { ...NOT_YET_EVALUATED, blockingIndicators },
})

describe('a reason', () => {
  test('fits a decision and a kind of evidence', () => {
    expect(reasonsFor(rules, 'IDDOCUMENT', 'ACCEPTED')).toEqual([WORN, ANY])
    expect(reasonsFor(rules, 'IDDOCUMENT', 'REJECTED')).toEqual([ANY])
    expect(reasonsFor(rules, 'PORTRAIT', 'ACCEPTED')).toEqual([ANY])
    expect(reasonsFor(rules, 'ADDRESS', 'ACCEPTED')).toEqual([])
  })

  test('is refused by the name of its field where it does not fit, or is in no catalogue', () => {
    expect(() => requireReason(rules, 'IDDOCUMENT', 'ACCEPTED', 'WORN_DOCUMENT')).not.toThrow()
    for (const [family, decision, code] of [
      ['PORTRAIT', 'ACCEPTED', 'WORN_DOCUMENT'],
      ['IDDOCUMENT', 'REJECTED', 'WORN_DOCUMENT'],
      ['IDDOCUMENT', 'ACCEPTED', 'he seemed nice'],
    ] as const) {
      expect(() => requireReason(rules, family, decision, code)).toThrow(
        expect.objectContaining({
          code: 'validation_failed',
          problems: [
            {
              code: 'not_allowed',
              field: 'reason',
              message: 'must be a reason of the catalogue for this decision',
            },
          ],
        }),
      )
    }
  })
})

describe('what no person can accept', () => {
  test('is evidence that failed a check beyond a person’s judgement; a warning or no answer is not', () => {
    expect(
      listUnacceptableChecks(rules, evidence('IDDOCUMENT', 'MRZ_READING_FAILED', 'DOCUMENT_EXPIRY_FAILED')),
    ).toEqual(['DOCUMENT_EXPIRY'])
    const warned = {
      evaluation: {
        ...NOT_YET_EVALUATED,
        warningIndicators: ['DOCUMENT_EXPIRY_WARNING'],
        unverifiedIndicators: ['BIOMETRIC_LIVENESS_UNVERIFIED'],
      },
    }
    expect(listUnacceptableChecks(rules, warned)).toEqual([])
  })

  test('is refused with the names of the checks', () => {
    const dead = evidence('PORTRAIT', 'BIOMETRIC_LIVENESS_FAILED')
    expect(() => requireAcceptable(rules, dead, true)).toThrow(
      expect.objectContaining({ code: 'decision_refused', details: { checks: ['BIOMETRIC_LIVENESS'] } }),
    )
    expect(() =>
      requireAcceptable(rules, evidence('PORTRAIT', 'BIOMETRIC_QUALITY_CHECK_FAILED'), true),
    ).not.toThrow()
  })

  test('is a portrait without a document to compare it with; a document needs none', () => {
    expect(() => requireAcceptable(rules, evidence('PORTRAIT'), false)).toThrow(
      expect.objectContaining({ code: 'decision_refused', details: {} }),
    )
    expect(() => requireAcceptable(rules, evidence('IDDOCUMENT'), false)).not.toThrow()
  })
})

describe('a catalogue', () => {
  test('has one entry for a code, and a reason for every decision about every kind', () => {
    expect(faultsOfCatalogue({ reasons: [ANY] })).toEqual([])
    expect(faultsOfCatalogue({ reasons: [ANY, WORN, WORN] })).toEqual(['WORN_DOCUMENT is listed twice'])
    expect(faultsOfCatalogue({ reasons: [reason('ANY_REASON', { decisions: ['ACCEPTED'] })] })).toEqual([
      'no reason for REJECTED of IDDOCUMENT',
      'no reason for UNSURE of IDDOCUMENT',
      'no reason for REJECTED of PORTRAIT',
      'no reason for UNSURE of PORTRAIT',
    ])
  })
})
