import { expect, test } from 'vitest'
import { portraitMatches } from '../../../../server/proofing/assurance/portrait-matches.ts'
import type { MeasuredCheck } from '../../../../server/proofing/verification-record.ts'

type Outcome = MeasuredCheck['outcome']
const check = (name: string, outcome: Outcome, measured: MeasuredCheck['measured'] = {}): MeasuredCheck => ({
  check: name,
  outcome,
  measured,
})
const byMachine = (outcome: Outcome) => check('BIOMETRIC_MATCHING_CHECK', outcome)
const byPerson = (outcome: Outcome) => check('ADJUDICATION', outcome)
const further = (matching: string | number) => check('BIOMETRIC_MATCHING_FURTHER', 'passed', { matching })

test.each<[string, readonly MeasuredCheck[], readonly string[]]>([
  ['nothing measured', [], []],
  ['found by the machine', [byMachine('passed')], ['reference']],
  ['refused by the machine', [byMachine('failed')], []],
  ['left open by the machine', [byMachine('inconclusive')], []],
  ['left open, then accepted by a person', [byMachine('inconclusive'), byPerson('passed')], ['reference']],
  ['never measured, accepted by a person', [byPerson('passed')], ['reference']],
  ['left open, then refused by a person', [byMachine('inconclusive'), byPerson('failed')], []],
  ['refused by the machine, accepted by a person', [byMachine('failed'), byPerson('passed')], []],
  ['another check passed', [check('BIOMETRIC_LIVENESS', 'passed')], []],
  ['found, and on other documents too', [byMachine('passed'), further('a b')], ['reference', 'a', 'b']],
  ['found, and on no other', [byMachine('passed'), further('')], ['reference']],
  ['found, and told by a number', [byMachine('passed'), further(2)], ['reference']],
  ['found by spaces only', [byMachine('passed'), further(' a  ')], ['reference', 'a']],
  ['refused, whatever other documents show', [byMachine('failed'), further('a')], []],
])('a portrait %s shows the holder of %2$j', (_, measurements, expected) => {
  expect(portraitMatches([{ measurements }], 'reference')).toEqual(expected)
})

test('a portrait that was compared with no document shows the holder of none', () => {
  expect(portraitMatches([{ measurements: [byMachine('passed'), further('a')] }], null)).toEqual([])
})

test('all steps of a verification are looked at together', () => {
  const records = [
    { measurements: [further('a')] },
    { measurements: [] },
    { measurements: [byMachine('passed')] },
  ]
  expect(portraitMatches(records, 'reference')).toEqual(['reference', 'a'])
})
