import { describe, expect, test } from 'vitest'
import {
  areConsentsGiven,
  getConsentState,
  documentsWithPortrait,
  electPortraitReference,
  requireConsent,
  requireConsents,
  requireOpen,
  chooseStatus,
  type Consent,
} from '../../../server/proofing/identity.ts'
import type { Today } from '../../../server/proofing/time.ts'
import type { ConsentType, EvidenceStatus, IdentityStatus } from '../../../server/proofing/types.ts'
import { anEvidence, anIdentity, AT } from '../../support/store.ts'

const TODAY: Today = ['2026-03-01', '2026-03-01']
const [FIRST, SECOND] = ['PORTRAIT', 'ID_DOCUMENT'] as const
const consent = (type: ConsentType, approved = true): Consent => ({
  id: 'c',
  type,
  approved,
  validFrom: null,
  validTo: null,
  recordedAt: AT,
})

describe('the status of an identity', () => {
  const status = (
    before: IdentityStatus,
    evidences: readonly EvidenceStatus[],
    checks?: readonly EvidenceStatus[],
  ) =>
    chooseStatus(
      anIdentity('app', { status: before }),
      evidences.map((one) => anEvidence('i', { status: one })),
      checks?.map((one) => ({ status: one })),
    )

  test.each<
    [IdentityStatus, readonly EvidenceStatus[], readonly EvidenceStatus[] | undefined, IdentityStatus]
  >([
    ['EXPECTING_INPUT', [], undefined, 'EXPECTING_INPUT'],
    ['PROCESSING', [], [], 'EXPECTING_INPUT'],
    ['PROCESSING', ['VERIFIED'], ['VERIFIED'], 'EXPECTING_INPUT'],
    ['EXPECTING_INPUT', ['VERIFIED', 'PROCESSING'], undefined, 'PROCESSING'],
    ['EXPECTING_INPUT', [], ['VERIFIED', 'PROCESSING'], 'PROCESSING'],
    ['EXPECTING_INPUT', ['VERIFIED'], ['PROCESSING'], 'PROCESSING'],
    // A paused or closed identity keeps its state while checks continue.
    ['PAUSED', ['PROCESSING'], ['PROCESSING'], 'PAUSED'],
    ['CLOSED', ['PROCESSING'], ['PROCESSING'], 'CLOSED'],
    ['PAUSED', [], undefined, 'PAUSED'],
    ['CLOSED', [], undefined, 'CLOSED'],
  ])('%s with evidence %j and fraud checks %j is %s', (before, evidences, checks, expected) => {
    expect(status(before, evidences, checks)).toBe(expected)
  })

  test('takes no notice of evidence that was deleted, beside some that was not', () => {
    const deleted = anEvidence('i', { status: 'PROCESSING', deletedAt: AT })
    expect(chooseStatus(anIdentity(), [deleted, anEvidence('i', { status: 'VERIFIED' })])).toBe(
      'EXPECTING_INPUT',
    )
    expect(chooseStatus(anIdentity(), [deleted, anEvidence('i', { status: 'PROCESSING' })])).toBe(
      'PROCESSING',
    )
  })

  test.each<[IdentityStatus, string | null]>([
    ['EXPECTING_INPUT', null],
    ['PROCESSING', null],
    ['PAUSED', 'identity_paused'],
    ['CLOSED', 'identity_closed'],
  ])('%s: what is added is refused with %s', (before, code) => {
    const act = () => requireOpen(anIdentity('app', { status: before }))
    if (code === null) expect(act).not.toThrow()
    else expect(act).toThrow(expect.objectContaining({ code }))
  })
})

describe('a consent', () => {
  test('speaks for its own type alone', () => {
    expect(getConsentState([consent(FIRST)], SECOND, TODAY)).toBe('none')
    expect(getConsentState([consent(FIRST), consent(SECOND, false)], FIRST, TODAY)).toBe('given')
    expect(getConsentState([consent(FIRST), consent(SECOND, false)], SECOND, TODAY)).toBe('refused')
  })

  test('that was given lets pass, and nothing else does', () => {
    expect(() => requireConsent([consent(FIRST)], FIRST, TODAY)).not.toThrow()
    expect(() => requireConsent([consent(FIRST, false)], FIRST, TODAY)).toThrow('consent_missing')
  })

  test('that is demanded has to be given, one that is respected not to be refused: each of them', () => {
    const needs = { demanded: [FIRST], respected: [SECOND] }
    const both = { demanded: [], respected: [FIRST, SECOND] }
    const all = { demanded: [FIRST, SECOND], respected: [] }
    for (const [given, wanted, holds] of [
      [[consent(FIRST)], needs, true],
      [[consent(FIRST), consent(SECOND)], needs, true],
      [[consent(FIRST), consent(SECOND, false)], needs, false],
      [[consent(SECOND)], needs, false],
      [[], both, true],
      [[consent(FIRST, false)], both, false],
      [[consent(SECOND, false)], both, false],
      [[consent(FIRST)], all, false],
      [[consent(SECOND)], all, false],
      [[consent(FIRST), consent(SECOND)], all, true],
    ] as const) {
      expect(areConsentsGiven(given, wanted, TODAY), JSON.stringify([given, wanted])).toBe(holds)
      const required = () => requireConsents(given, wanted, TODAY)
      if (holds) expect(required).not.toThrow()
      else expect(required).toThrow('consent_missing')
    }
  })
})

describe('the reference portrait', () => {
  const verified = { status: 'VERIFIED', score: 'LEVEL2', submittedAt: AT } as const

  test('of documents that are alike in all comes from the one that was made last, whatever their order', () => {
    const [early, late] = ['0190-a', '0190-b'].map((id) => anEvidence('i', { ...verified, id }))
    expect(electPortraitReference([early, late])?.id).toBe('0190-b')
    expect(electPortraitReference([late, early])?.id).toBe('0190-b')
  })

  test('comes from a verified document that shows one and was not deleted', () => {
    const good = anEvidence('i', verified)
    const others = [
      anEvidence('i', { ...verified, deletedAt: AT }),
      anEvidence('i', { ...verified, family: 'PORTRAIT', type: 'PORTRAIT' }),
      anEvidence('i', { ...verified, status: 'INVALID' }),
      anEvidence('i', { ...verified, id: 'without' }),
    ]
    expect(documentsWithPortrait([...others, good], ({ id }) => id !== 'without')).toEqual([good])
  })
})
