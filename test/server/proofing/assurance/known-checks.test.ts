import { expect, test } from 'vitest'
import {
  FRAUD_CHECKS,
  isDerived,
  isKnownCheck,
  isOfFraud,
  OTHER_CHECKS,
  describeCheck,
} from '../../../../server/proofing/assurance/known-checks.ts'
import { DERIVED_CHECKS } from '../../../../server/proofing/assurance/policy.ts'
import { FRAUD_CHECK_TYPES } from '../../../../server/proofing/types.ts'
import { POLICIES } from './shipped.ts'

const PIPELINES = new Set(['MRZ_READING', 'NFC_PASSIVE_AUTHENTICATION'])

test('a check is known that a pipeline, a fraud check, a portrait or something else can pass', () => {
  const known = ['MRZ_READING', 'WATCHLIST', 'HOLDER_LIVE', 'ADJUDICATION', 'NFC_PASSIVE_AUTHENTICATION']
  expect(known.filter((check) => !isKnownCheck(check, PIPELINES))).toEqual([])
  expect(
    ['MRZ_READIN', 'CONSTRUCTOR', 'toString', ''].filter((check) => isKnownCheck(check, PIPELINES)),
  ).toEqual([])
  expect(isKnownCheck('MRZ_READING', new Set())).toBe(false)
})

test('checks of fraud checks, of portraits and others are distinguished', () => {
  expect(FRAUD_CHECK_TYPES.filter((type) => !isOfFraud(type))).toEqual([])
  expect(['DEATH_RECORD', 'DOCUMENT_STATUS_ISSUER'].every(isOfFraud)).toBe(true)
  expect(Object.keys(DERIVED_CHECKS).filter((check) => !isDerived(check))).toEqual([])
  expect([isOfFraud('HOLDER_LIVE'), isDerived('WATCHLIST'), isDerived('ADJUDICATION')]).toEqual([
    false,
    false,
    false,
  ])
})

test('what waits for a chip or an issuer is not said to be performed', () => {
  const performed = Object.keys(OTHER_CHECKS).filter((check) => OTHER_CHECKS[check].performed)
  expect(performed).toEqual([
    'ADJUDICATION',
    'OIDC_AUTHENTICATION',
    'OIDC_ATTRIBUTE_SHARING',
    'MOBILE_OTP',
    'MOBILE_OWNERSHIP',
    'MOBILE_SIM_SWAP',
    'ATTENDED_CAPTURE',
    'TACTILE_INSPECTION',
    'CHIP_SYMBOL',
  ])
  expect(Object.values(FRAUD_CHECKS).every((check) => check.performed)).toBe(true)
})

test('every check that a profile or a score of a shipped policy asks for has words of its own', () => {
  const asked = [...POLICIES.values()].flatMap(({ profiles, marks, scales }) =>
    [...profiles.flatMap(({ pieces }) => pieces), ...marks, ...scales].flatMap(
      ({ requires = [] }) => requires,
    ),
  )
  const words = [...new Set(asked)].map((check) => ({ check, words: describeCheck(check) }))
  expect(words.length).toBeGreaterThan(20)
  expect(words.filter((item) => item.words === `${item.check} passed` || item.words.length < 10)).toEqual([])
  expect(new Set(words.map((item) => item.words)).size).toBe(words.length)
  expect(describeCheck('MRZ_FORMAT')).toBe('MRZ_FORMAT passed')
})
