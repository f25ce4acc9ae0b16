/** Tests what staff note who had the document in hand, and which checks follow from it. */
import { describe, expect, test } from 'vitest'
import { loadAttendedRules } from '../../../server/config/attended.ts'
import {
  attendanceFindings,
  checklistFor,
  tactileOutcome,
  type Attendance,
  type FeatureAnswer,
} from '../../../server/proofing/attendance.ts'
import { EVENT_BODIES } from '../../../server/store/event-bodies.ts'

const rules = loadAttendedRules()

function attended(type: string, answerOf: (id: string, weight: string) => FeatureAnswer): Attendance {
  const features = checklistFor(rules, type).map((feature) => ({
    ...feature,
    answer: answerOf(feature.id, feature.weight),
  }))
  return { staffId: 'staff-1', at: '2026-11-21T10:00:00.000', version: '1', features, exceptions: [] }
}
const outcomes = (attendance: Attendance) =>
  attendanceFindings(attendance).map(({ check, outcome }) => [check, outcome])

describe('a document in hand', () => {
  test('passes when all that is essential is as it should be', () => {
    const attendance = attended('PASSPORT', (_id, weight) =>
      weight === 'ESSENTIAL' ? 'AS_IT_SHOULD' : 'NOT_LOOKED',
    )
    expect(outcomes(attendance)).toEqual([
      ['ATTENDED_CAPTURE', 'passed'],
      ['TACTILE_INSPECTION', 'passed'],
    ])
  })

  // @clause NIST-63A-4/3.13-agents
  test('fails when one feature is wrong, an unimportant one as well', () => {
    const attendance = attended('PASSPORT', (id) => (id === 'FINE_PRINT' ? 'DIFFERENT' : 'AS_IT_SHOULD'))
    expect(tactileOutcome(attendance)).toBe('FAILED')
    expect(outcomes(attendance)).toContainEqual(['TACTILE_INSPECTION', 'failed'])
  })

  // @clause NIST-63A-4/3.13-agents
  test('was not inspected while anything essential was not looked at', () => {
    const attendance = attended('IDENTITY_CARD', (id) => (id === 'EDGES' ? 'NOT_LOOKED' : 'AS_IT_SHOULD'))
    expect(tactileOutcome(attendance)).toBe('NOT_MADE')
    expect(outcomes(attendance)).toEqual([
      ['ATTENDED_CAPTURE', 'passed'],
      ['CHIP_SYMBOL', 'passed'],
    ])
  })

  test('has no chip symbol, and that speaks against nothing', () => {
    const attendance = attended('PASSPORT', (id) => (id === 'CHIP_SYMBOL' ? 'DIFFERENT' : 'AS_IT_SHOULD'))
    expect(outcomes(attendance)).toEqual([
      ['ATTENDED_CAPTURE', 'passed'],
      ['TACTILE_INSPECTION', 'passed'],
    ])
  })
})

test('a portrait is attended, and nothing is inspected', () => {
  const attendance = { ...attended('PASSPORT', () => 'AS_IT_SHOULD'), features: [] }
  expect(outcomes(attendance)).toEqual([['ATTENDED_CAPTURE', 'passed']])
})

test('every type of document has a checklist, and every exception fits the audit log', () => {
  expect(checklistFor(rules, 'VOTER_CARD')).toEqual(checklistFor(rules, '*'))
  const body = (exceptions: readonly string[]) =>
    EVENT_BODIES['evidence.attended'].safeParse({
      evidenceId: '0199c8a0-0000-7000-8000-000000000001',
      tactile: 'PASSED',
      exceptions,
    })
  expect(body(rules.exceptions).success).toBe(true)
  expect(body(['a note in words']).success).toBe(false)
})
