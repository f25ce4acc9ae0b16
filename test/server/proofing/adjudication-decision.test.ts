import { describe, expect, test } from 'vitest'
import {
  ADJUDICATION_DECISIONS,
  findDeskRefusal,
  isInForce,
  isSameAdjudicator,
  requireClaim,
  requireFree,
  requireIndependent,
  requireOverruler,
  requireSupervisor,
  STAFF_ID,
  statusAfter,
  statusWhenReleased,
  type Adjudicator,
  type Claim,
} from '../../../server/proofing/adjudication-decision.ts'

const NOW = new Date('2026-03-01T10:00:00.000Z')
const LATER = new Date(NOW.getTime() + 1)
const anna: Adjudicator = { id: 'anna', kind: 'STAFF' }
const ben: Adjudicator = { id: 'ben', kind: 'STAFF' }
const service = (id: string): Adjudicator => ({ id, kind: 'SERVICE' })
const by = (adjudicator: Adjudicator, expiresAt = LATER): Claim => ({ adjudicator, expiresAt })
const codeOf = (work: () => void): string | null => {
  try {
    work()
    return null
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('two adjudicators', () => {
  test.each<readonly [string, Adjudicator, Adjudicator, boolean]>([
    ['of one id are one person', anna, { ...anna }, true],
    ['of other ids are two', anna, ben, false],
    ['of one id in other capitals are one person', anna, { id: 'Anna', kind: 'STAFF' }, true],
    ['of one id, a person and a service, are one', anna, service('ANNA'), true],
    ['of a service are one, however many work there', service('x'), service('y'), true],
    ['of other ids, a person and a service, are two', anna, service('x'), false],
  ])('%s', (_, a, b, same) => {
    expect([isSameAdjudicator(a, b), isSameAdjudicator(b, a)]).toEqual([same, same])
  })

  test.each([
    ['anna.k-2_B', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['', false],
    ['anna k', false],
    ['anna\n', false],
    ['ännä', false],
    ['/etc', false],
  ])('an id %j: %s', (id, fits) => {
    expect(STAFF_ID.test(id)).toBe(fits)
  })
})

describe('who may not decide', () => {
  // @clause NIST-63A-4/3.2.1-insiders
  test('is the officer who captured evidence of the applicant, in any capitals and also as a service', () => {
    for (const adjudicator of [anna, { id: 'ANNA', kind: 'STAFF' } as const, service('anna')]) {
      const refused = codeOf(() => requireIndependent(adjudicator, { decisions: [] }, ['ben', 'anna']))
      expect(refused).toBe('adjudicator_captured')
    }
    expect(codeOf(() => requireIndependent(anna, { decisions: [] }, ['ben']))).toBeNull()
  })

  test('is the adjudicator who decided before, after any decision', () => {
    for (const decision of ADJUDICATION_DECISIONS) {
      const decisions = [
        { adjudicator: ben, decision },
        { adjudicator: anna, decision },
      ]
      expect(codeOf(() => requireIndependent(anna, { decisions }, []))).toBe('adjudicator_decided')
      expect(codeOf(() => requireIndependent(service('x'), { decisions }, []))).toBeNull()
    }
  })
})

describe('a dispute', () => {
  const disputed = {
    decisions: [
      { adjudicator: ben, decision: 'ACCEPTED' },
      { adjudicator: service('x'), decision: 'REJECTED' },
    ],
  } as const
  const authority = (mayOverrule: boolean, isFresh: boolean) => ({ mayOverrule, isFresh })

  // @clause NIST-63A-4/3.2.1-insiders
  test('is taken and decided by a supervisor alone, and decided with a second factor of the last minutes', () => {
    expect(codeOf(() => requireSupervisor(disputed, authority(false, true)))).toBe('forbidden')
    expect(codeOf(() => requireSupervisor(disputed, authority(true, false)))).toBeNull()
    expect(codeOf(() => requireOverruler(disputed, authority(false, true)))).toBe('forbidden')
    expect(codeOf(() => requireOverruler(disputed, authority(true, false)))).toBe('fresh_factor_needed')
    expect(codeOf(() => requireOverruler(disputed, authority(true, true)))).toBeNull()
  })

  test('needs two decisions that differ', () => {
    const agreed = { decisions: disputed.decisions.slice(0, 1) }
    expect(codeOf(() => requireOverruler(agreed, authority(false, false)))).toBeNull()
  })

  test.each([
    ['an officer who captured', { officers: ['ANNA'] }, false, 'CAPTURED'],
    [
      'one who decided before',
      { deliberation: { decisions: [{ adjudicator: anna, decision: 'UNSURE' }] } },
      true,
      'DECIDED',
    ],
    ['every officer, while a decision waits to be carried out', { isUnderWay: true }, true, 'UNDER_WAY'],
    ['another one, while it is claimed', { claim: by(ben) }, true, 'TAKEN'],
    ['no officer, when the time of the claim is over', { claim: by(ben, NOW) }, false, null],
    ['an officer, where two disagree', { deliberation: disputed }, false, 'SUPERVISOR'],
    ['no supervisor, where two disagree', { deliberation: disputed }, true, null],
    ['not the one who has it', { claim: by(anna) }, false, null],
  ] as const)('the desk refuses a case to %s', (_, given, mayOverrule, refusal) => {
    const request = {
      claim: null,
      deliberation: { decisions: [] },
      officers: [],
      isUnderWay: false,
      ...given,
    }
    expect(findDeskRefusal(anna, mayOverrule, request, NOW)).toBe(refusal)
  })
})

describe('a claim', () => {
  test('is in force until its time is over, to the millisecond', () => {
    expect(isInForce(by(anna, LATER), NOW)).toBe(true)
    expect(isInForce(by(anna, NOW), NOW)).toBe(false)
    expect(isInForce(null, NOW)).toBe(false)
  })

  test.each<readonly [string, Claim | null, string | null, string | null]>([
    ['of oneself lets one claim it again and decide', by(anna), null, null],
    [
      'of another officer lets no other claim or decide',
      by(ben),
      'adjudication_claimed',
      'adjudication_claimed',
    ],
    ['that is missing must be made first', null, null, 'adjudication_not_claimed'],
    ['of oneself that is over is to be made again', by(anna, NOW), null, 'adjudication_not_claimed'],
    ['of another one that is over leaves it free', by(ben, NOW), null, 'adjudication_not_claimed'],
  ])('%s', (_, claim, whenClaiming, whenDeciding) => {
    expect(codeOf(() => requireFree(claim, anna, NOW))).toBe(whenClaiming)
    expect(codeOf(() => requireClaim(claim, anna, NOW))).toBe(whenDeciding)
  })
})

describe('what follows from a decision', () => {
  const earlier = (...decisions: ('ACCEPTED' | 'UNSURE')[]) =>
    decisions.map((decision) => ({ adjudicator: ben, decision }))

  test.each([
    ['one person accepts', 'ACCEPTED', false, earlier(), 'ACCEPTED'],
    ['a second one accepts what the first was unsure of', 'ACCEPTED', false, earlier('UNSURE'), 'ACCEPTED'],
    ['the first of two accepts: another one is awaited', 'ACCEPTED', true, earlier(), 'UNSURE'],
    ['the first of two was unsure: two are still needed', 'ACCEPTED', true, earlier('UNSURE'), 'UNSURE'],
    ['the second of two accepts', 'ACCEPTED', true, earlier('ACCEPTED'), 'ACCEPTED'],
    ['a third one accepts after doubt', 'ACCEPTED', true, earlier('ACCEPTED', 'UNSURE'), 'ACCEPTED'],
    ['one of two rejects', 'REJECTED', true, earlier(), 'REJECTED'],
    ['the second of two rejects', 'REJECTED', true, earlier('ACCEPTED'), 'REJECTED'],
    ['one person rejects', 'REJECTED', false, earlier(), 'REJECTED'],
    ['one person is unsure', 'UNSURE', false, earlier(), 'UNSURE'],
    ['the second of two is unsure', 'UNSURE', true, earlier('ACCEPTED'), 'UNSURE'],
  ] as const)('%s', (_, decision, fourEyes, decisions, status) => {
    expect(statusAfter(decision, { fourEyes, decisions })).toBe(status)
  })

  test('what is given back goes to where it was claimed from', () => {
    expect(statusWhenReleased({ decisions: [] })).toBe('TO_PROCESS')
    expect(statusWhenReleased({ decisions: earlier('UNSURE') })).toBe('UNSURE')
  })
})
