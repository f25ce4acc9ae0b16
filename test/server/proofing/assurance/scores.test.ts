import { describe, expect, test } from 'vitest'
import {
  isAtLeast,
  documentScore,
  pickHigher,
  pickLower,
  listPassedChecks,
  ruleStrength,
} from '../../../../server/proofing/assurance/scores.ts'
import { somePolicy } from '../../../support/assurance.ts'

const policy = somePolicy({
  strength: { PASSPORT: 'LEVEL3', DRIVING_LICENSE: 'LEVEL2' },
  strengthRules: [
    { name: 'chip', level: 'LEVEL5', types: ['PASSPORT'], requires: ['CHIP', 'PRINT'] },
    { name: 'weak', level: 'LEVEL1', types: ['PASSPORT'], requires: ['CHIP'] },
    { name: 'again', level: 'LEVEL5', types: ['PASSPORT'], requires: ['CHIP'] },
  ],
  documentScore: [
    { name: 'print', score: 'LEVEL2', requires: ['PRINT'] },
    { name: 'print-again', score: 'LEVEL2', requires: ['PRINT'] },
    { name: 'chip', score: 'LEVEL4', requires: ['PRINT', 'CHIP'] },
    { name: 'licence', score: 'LEVEL1', types: ['DRIVING_LICENSE'], requires: ['BARCODE'] },
  ],
})

describe('strength', () => {
  test.each([
    ['PASSPORT', [], 'LEVEL3', 'strength.PASSPORT'],
    ['PASSPORT', ['PRINT'], 'LEVEL3', 'strength.PASSPORT'],
    ['PASSPORT', ['CHIP'], 'LEVEL5', 'strength.again'],
    ['PASSPORT', ['CHIP', 'PRINT'], 'LEVEL5', 'strength.chip'],
    ['DRIVING_LICENSE', ['CHIP', 'PRINT'], 'LEVEL2', 'strength.DRIVING_LICENSE'],
    ['VISA', ['CHIP'], 'LEVEL0', 'strength.VISA'],
  ] as const)('of %s by %j is %s', (type, passed, level, rule) => {
    expect(ruleStrength(policy, type, passed)).toEqual({ level, rule: `some/1:${rule}` })
  })

  test('without any check is that of the type', () => {
    expect(ruleStrength(policy, 'PASSPORT')).toEqual({ level: 'LEVEL3', rule: 'some/1:strength.PASSPORT' })
  })
})

describe('the score of a document', () => {
  test.each([
    ['PASSPORT', [], 'LEVEL0', 'none'],
    ['PASSPORT', ['CHIP'], 'LEVEL0', 'none'],
    ['PASSPORT', ['PRINT'], 'LEVEL2', 'score.print'],
    ['PASSPORT', ['PRINT', 'CHIP'], 'LEVEL4', 'score.chip'],
    ['PASSPORT', ['BARCODE'], 'LEVEL0', 'none'],
    ['DRIVING_LICENSE', ['BARCODE'], 'LEVEL1', 'score.licence'],
    // Never above its strength; and then the first rule that reaches it.
    ['DRIVING_LICENSE', ['PRINT', 'CHIP'], 'LEVEL2', 'score.print'],
    ['VISA', ['PRINT', 'CHIP'], 'LEVEL0', 'none'],
  ] as const)('of %s by %j is %s', (type, passed, level, rule) => {
    expect(documentScore(policy, type, passed)).toEqual({ level, rule: `some/1:${rule}` })
  })
})

test('levels are compared by their number', () => {
  expect([
    isAtLeast('LEVEL2', 'LEVEL2'),
    isAtLeast('LEVEL1', 'LEVEL2'),
    isAtLeast('LEVEL3', 'LEVEL2'),
  ]).toEqual([true, false, true])
  expect([pickLower('LEVEL1', 'LEVEL2'), pickLower('LEVEL2', 'LEVEL1')]).toEqual(['LEVEL1', 'LEVEL1'])
  expect([pickHigher('LEVEL1', 'LEVEL2'), pickHigher('LEVEL2', 'LEVEL1')]).toEqual(['LEVEL2', 'LEVEL2'])
})

test('only what ends in _OK is a check that passed', () => {
  expect(listPassedChecks(['MRZ_READING_OK', 'MRZ_OK_WARNING', 'CLOCK_UNVERIFIED', '_OK'])).toEqual([
    'MRZ_READING',
    '',
  ])
})
