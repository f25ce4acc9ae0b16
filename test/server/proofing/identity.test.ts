import { describe, expect, test } from 'vitest'
import { moveEvidence } from '../../../server/proofing/evidence.ts'
import {
  documentsWithPortrait,
  electPortraitReference,
  getConsentState,
  areConsentsGiven,
  requireConsent,
  requireConsents,
  requireOpen,
  chooseStatus,
  type Consent,
} from '../../../server/proofing/identity.ts'
import { portraitCoding } from '../../../server/proofing/portrait-coding.ts'
import type { VerificationRecord } from '../../../server/proofing/verification-record.ts'
import type { Today } from '../../../server/proofing/time.ts'
import { EVIDENCE_STATUSES } from '../../../server/proofing/types.ts'
import { anEvidence, anIdentity, AT } from '../../support/store.ts'

const consent = (over: Partial<Consent>): Consent => ({
  id: 'c',
  type: 'PORTRAIT',
  approved: true,
  validFrom: null,
  validTo: null,
  recordedAt: AT,
  ...over,
})

const on = (day: string): Today => [day, day]

const holds = (...[given, type, today]: Parameters<typeof getConsentState>): boolean =>
  getConsentState(given, type, today) === 'given'

describe('consent', () => {
  test('the last word of a type counts', () => {
    expect(holds([consent({}), consent({ approved: false })], 'PORTRAIT', on('2026-03-01'))).toBe(false)
    expect(holds([consent({ approved: false }), consent({})], 'PORTRAIT', on('2026-03-01'))).toBe(true)
  })

  test('counts on its first and last day and not beyond', () => {
    const given = [consent({ validFrom: '2026-03-01', validTo: '2026-03-02' })]
    const days = ['2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03']
    expect(days.map((day) => holds(given, 'PORTRAIT', on(day)))).toEqual([false, true, true, false])
  })

  test('counts in doubt of the time only where it does on every day that may be today', () => {
    const given = [consent({ validFrom: '2026-03-01', validTo: '2026-03-31' })]
    expect(holds(given, 'PORTRAIT', ['2026-03-10', '2026-03-20'])).toBe(true)
    expect(holds(given, 'PORTRAIT', ['2016-03-10', '2026-03-10'])).toBe(false)
    expect(holds(given, 'PORTRAIT', ['2026-03-10', '2036-03-10'])).toBe(false)
  })

  test('taken back is told from one that was never given', () => {
    const standing = (given: readonly Consent[]) => getConsentState(given, 'PORTRAIT', on('2026-03-01'))
    expect(standing([])).toBe('none')
    expect(standing([consent({ validTo: '2026-02-01' })])).toBe('none')
    expect(standing([consent({}), consent({ approved: false })])).toBe('refused')
  })

  test('that is not required need not be given, but its refusal counts', () => {
    const needs = { demanded: [], respected: ['PORTRAIT' as const] }
    const today = on('2026-03-01')
    expect(() => requireConsents([], needs, today)).not.toThrow()
    expect(() => requireConsents([consent({ approved: false })], needs, today)).toThrow()
    expect(areConsentsGiven([], needs, today)).toBe(true)
    expect(areConsentsGiven([consent({ approved: false })], needs, today)).toBe(false)
    expect(areConsentsGiven([], { demanded: ['PORTRAIT'], respected: [] }, today)).toBe(false)
  })

  test('that is missing is named', () => {
    expect(() => requireConsent([], 'PORTRAIT', on('2026-03-01'))).toThrow(
      expect.objectContaining({
        code: 'consent_missing',
        details: { consent: 'PORTRAIT' },
        problems: [
          { code: 'consent_missing', message: 'this consent has to be given first', field: 'PORTRAIT' },
        ],
      }),
    )
  })
})

describe('an identity', () => {
  test('is PROCESSING exactly while one of its pieces is', () => {
    const identity = anIdentity()
    for (const status of EVIDENCE_STATUSES) {
      const expected = status === 'PROCESSING' ? 'PROCESSING' : 'EXPECTING_INPUT'
      expect(chooseStatus(identity, [anEvidence(identity.id, { status })])).toBe(expected)
    }
    expect(chooseStatus(identity, [anEvidence(identity.id, { status: 'PROCESSING', deletedAt: AT })])).toBe(
      'EXPECTING_INPUT',
    )
  })

  test('takes nothing more once its proof was retrieved', () => {
    expect(() => requireOpen(anIdentity('app', { status: 'CLOSED' }))).toThrow('identity_closed')
  })
})

describe('evidence', () => {
  test('that was decided goes back to PROCESSING only to be verified again', () => {
    expect(moveEvidence(anEvidence('i', { status: 'VERIFIED' }), 'PROCESSING').status).toBe('PROCESSING')
    expect(() => moveEvidence(anEvidence('i', { status: 'INVALID' }), 'VERIFIED')).toThrow(
      'transition_refused',
    )
  })

  test('that was deleted never moves again', () => {
    expect(() => moveEvidence(anEvidence('i', { deletedAt: AT }), 'VERIFIED')).toThrow('transition_refused')
  })
})

describe('the reference portrait', () => {
  const verified = { status: 'VERIFIED', score: 'LEVEL2' } as const

  test('comes from the document with the highest score, then from the latest', () => {
    const low = anEvidence('i', { ...verified, submittedAt: new Date(3) })
    const high = anEvidence('i', { ...verified, score: 'LEVEL3', submittedAt: new Date(1) })
    const latest = anEvidence('i', { ...verified, score: 'LEVEL3', submittedAt: new Date(2) })
    expect(electPortraitReference([low, high, latest])?.id).toBe(latest.id)
  })

  test('of documents with one score comes from the one whose portrait is coded best, though another is later', () => {
    const early = anEvidence('i', { ...verified, submittedAt: new Date(1) })
    const late = anEvidence('i', { ...verified, submittedAt: new Date(2) })
    const higher = anEvidence('i', { ...verified, score: 'LEVEL3', submittedAt: new Date(0) })
    const coding = ({ id }: { id: string }) => (id === early.id ? 4 : 3)
    expect(electPortraitReference([early, late], coding)?.id).toBe(early.id)
    expect(electPortraitReference([early, late], () => 3)?.id).toBe(late.id)
    expect(electPortraitReference([early, late, higher], coding)?.id).toBe(higher.id)
  })

  test('is coded the better the wider it was cut out, up to where the networks take no more', () => {
    const record = (measured: Record<string, number>, outcome = 'passed') =>
      [
        { measurements: [{ check: 'DOCUMENT_PORTRAIT', outcome, measured }] },
      ] as unknown as VerificationRecord[]
    const widths = [40, 50, 51, 249, 250, 2000]
    expect(widths.map((widthPx) => portraitCoding(record({ widthPx })))).toEqual([1, 1, 2, 5, 5, 5])
    expect(portraitCoding([])).toBe(0)
    expect(portraitCoding(record({}))).toBe(0)
    expect(portraitCoding(record({ widthPx: 300 }, 'failed'))).toBe(0)
  })

  test('never comes from a document that is not verified or shows no portrait', () => {
    const documents = [anEvidence('i', { status: 'NOT_VERIFIED' }), anEvidence('i', verified)]
    expect(documentsWithPortrait(documents, () => false)).toEqual([])
    expect(documentsWithPortrait(documents, () => true)).toEqual([documents[1]])
    expect(electPortraitReference([])).toBeNull()
  })
})
