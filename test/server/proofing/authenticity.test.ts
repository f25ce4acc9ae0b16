import { describe, expect, test } from 'vitest'
import {
  AUTHENTICITY_CHECKS,
  combineSignals,
  signalOutcome,
  unrepairedOutcome,
  type AuthenticityCheck,
  type CombinationRule,
} from '../../../server/proofing/authenticity.ts'
import type { CheckOutcome } from '../../../server/proofing/judge.ts'

const RULE: CombinationRule = {
  groupOf: {
    ZONE_GLYPHS: 'print',
    PORTRAIT_SUBSTITUTION: 'portrait',
    SCREEN_RECAPTURE: 'capture',
    PHOTOCOPY: 'capture',
    DATE_PLAUSIBILITY: 'data',
    MRZ_UNREPAIRED_CHECK_DIGITS: 'data',
    VISUAL_ZONE_MATCH: 'data',
  },
  weakGroups: ['portrait'],
  leastMeasured: 3,
  leastFailed: 2,
}

/** All measured and passed, but for what is named. */
function combined(over: Partial<Record<AuthenticityCheck, CheckOutcome | 'absent'>>) {
  const signals = AUTHENTICITY_CHECKS.flatMap((check) => {
    const outcome = over[check] ?? 'passed'
    return outcome === 'absent' ? [] : [{ check, outcome }]
  })
  return combineSignals(signals, RULE)
}

describe('signals of authenticity together', () => {
  test('pass when all were measured and none speaks against the document', () => {
    expect(combined({})).toEqual({
      check: 'DOCUMENT_AUTHENTICITY',
      outcome: 'passed',
      measured: { measuredGroups: 3, failedGroups: 0, leastMeasured: 3, leastFailed: 2 },
    })
  })

  test.each(AUTHENTICITY_CHECKS)('neither pass nor fail when %s alone speaks against it', (check) => {
    expect(combined({ [check]: 'failed' }).outcome).toBe('inconclusive')
  })

  test('fail when two of independent groups speak against it', () => {
    expect(combined({ ZONE_GLYPHS: 'failed', PHOTOCOPY: 'failed' }).outcome).toBe('failed')
    expect(combined({ PORTRAIT_SUBSTITUTION: 'failed', DATE_PLAUSIBILITY: 'failed' }).outcome).toBe('failed')
  })

  test('do not fail for two that one harmless cause explains', () => {
    const misread = { DATE_PLAUSIBILITY: 'failed', MRZ_UNREPAIRED_CHECK_DIGITS: 'failed' } as const
    expect(combined(misread).outcome).toBe('inconclusive')
  })

  test('do not pass on too few groups, however well those passed', () => {
    const few = { PORTRAIT_SUBSTITUTION: 'inconclusive', ZONE_GLYPHS: 'absent' } as const
    expect(combined(few).outcome).toBe('inconclusive')
    expect(combined({ ...few, ZONE_GLYPHS: 'passed' }).outcome).toBe('passed')
  })

  test('do not pass on a weak group in place of a strong one', () => {
    expect(combined({ ZONE_GLYPHS: 'absent' }).outcome).toBe('inconclusive')
    const noCapture = { SCREEN_RECAPTURE: 'inconclusive', PHOTOCOPY: 'inconclusive' } as const
    expect(combined(noCapture).outcome).toBe('inconclusive')
  })

  test('count a weak group that speaks against the document like any other', () => {
    expect(combined({ PORTRAIT_SUBSTITUTION: 'failed' }).outcome).toBe('inconclusive')
    expect(combined({ PORTRAIT_SUBSTITUTION: 'failed', PHOTOCOPY: 'failed' }).outcome).toBe('failed')
  })

  test('fail on two groups even where nothing else could be measured', () => {
    const all = Object.fromEntries(AUTHENTICITY_CHECKS.map((check) => [check, 'inconclusive' as const]))
    expect(combined(all).outcome).toBe('inconclusive')
    expect(combined({ ...all, ZONE_GLYPHS: 'failed', SCREEN_RECAPTURE: 'failed' }).outcome).toBe('failed')
  })
})

test('a score that could not be measured is no pass', () => {
  expect(signalOutcome(null, 0.5)).toBe('inconclusive')
  expect(signalOutcome(undefined, 0.5)).toBe('inconclusive')
  expect(signalOutcome(0.49, 0.5)).toBe('passed')
  expect(signalOutcome(0.5, 0.5)).toBe('failed')
})

describe('check digits of the unrepaired reading', () => {
  const reading = { checks: 5, rawFailures: 0, failures: 0, surestRepaired: null }

  test('pass where the first reading already satisfied all of them', () => {
    expect(unrepairedOutcome(reading, 0.9)).toBe('passed')
  })

  test('fail where the document itself prints wrong ones', () => {
    expect(unrepairedOutcome({ ...reading, rawFailures: 2, failures: 2 }, 0.9)).toBe('failed')
  })

  test('fail where a character that was read with certainty had to be repaired: it may have been altered', () => {
    expect(unrepairedOutcome({ ...reading, rawFailures: 2, surestRepaired: 0.97 }, 0.9)).toBe('failed')
  })

  test('say nothing where a doubtful character was corrected', () => {
    expect(unrepairedOutcome({ ...reading, rawFailures: 1, surestRepaired: 0.4 }, 0.9)).toBe('inconclusive')
  })

  test('say nothing for a layout without check digits', () => {
    expect(unrepairedOutcome({ ...reading, checks: 0 }, 0.9)).toBe('inconclusive')
  })
})
