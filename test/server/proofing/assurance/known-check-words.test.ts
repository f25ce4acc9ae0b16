/** Auditors and staff read checks in these words: every name has its own, and a slip in a table shows. */
import { describe, expect, test } from 'vitest'
import {
  FRAUD_CHECKS,
  OTHER_CHECKS,
  describeCheck,
} from '../../../../server/proofing/assurance/known-checks.ts'
import { DERIVED_CHECKS } from '../../../../server/proofing/assurance/policy.ts'

/** A word or two by which a reader tells each from the others. */
const MEANINGS: Readonly<Record<string, readonly string[]>> = {
  ADJUDICATION: ['person', 'accepted'],
  OIDC_AUTHENTICATION: ['identity provider', 'authenticated'],
  OIDC_ATTRIBUTE_SHARING: ['identity provider', 'who the person is'],
  MOBILE_OTP: ['messages', 'phone'],
  MOBILE_OWNERSHIP: ['operator', 'owner'],
  MOBILE_SIM_SWAP: ['phone', 'SIM'],
  ATTENDED_CAPTURE: ['officer', 'captured'],
  TACTILE_INSPECTION: ['officer', 'in hand'],
  CHIP_SYMBOL: ['officer', 'chip symbol'],
  NFC_PASSIVE_AUTHENTICATION: ['chip', 'signature', 'issuer'],
  NFC_PORTRAIT_MATCH: ['face', 'chip'],
  GIV_PORTRAIT_MATCH: ['face', 'issuer keeps'],
  DUPLICATE_DOCUMENT: ['document', 'another identity'],
  DUPLICATE_FACE: ['face', 'another identity'],
  VELOCITY: ['no more often than usual'],
  WATCHLIST: ['no watchlist'],
  DOCUMENT_STATUS: ['lost, stolen or revoked'],
  DOCUMENT_STATUS_ISSUER: ['issuer’s own register'],
  DEATH_RECORD: ['deceased'],
  KNOWN_FRAUD: ['known fraud', 'neither document nor person'],
  DEVICE_INTEGRITY: ['clock', 'camera', 'seals'],
  HOLDER_MATCH: ['portrait', 'holder'],
  HOLDER_LIVE: ['proven live', 'holder'],
  HOLDER_LIVE_AGAINST_REPLAYS: ['holder', 'replayed recordings'],
  HOLDER_LIVE_AGAINST_OPERATORS: ['holder', 'operator'],
  HOLDER_ATTENDED: ['before an officer', 'holder'],
  HOLDER_CHIP_MATCH: ['proven live', 'chip'],
  HOLDER_REGISTER_MATCH: ['proven live', 'issuer keeps'],
  DOCUMENT_READING: ['independent readers'],
  MRZ_READING: ['machine-readable zone was read'],
  MRZ_CHECK_DIGITS: ['check digits'],
  MRZ_WITNESS_AGREEMENT: ['two independent readers', 'zone'],
  BARCODE_READING: ['barcode was read'],
  VISUAL_ZONE_MATCH: ['print'],
  DOCUMENT_AUTHENTICITY: ['optical'],
  DOCUMENT_EXPIRY: ['in date'],
  GIV_VERIFICATION: ['issuer confirmed'],
  BIOMETRIC_MATCHING_CHECK: ['face', 'document'],
  BIOMETRIC_LIVENESS: ['live person', 'camera'],
  LIVENESS_STOPS_PRINTS: ['photographs'],
  LIVENESS_STOPS_REPLAYS: ['replayed recordings'],
  LIVENESS_STOPS_OPERATORS: ['operator'],
  ATTRIBUTES_SOURCE: ['authoritative source'],
}

describe('the words of a check', () => {
  test.each(Object.entries(MEANINGS))('%s speak of %j', (check, spoken) => {
    const words = describeCheck(check)
    expect(spoken.filter((word) => !words.includes(word))).toEqual([])
    // They follow "it is not shown that".
    expect(words).toMatch(/^[a-z].*[^.]$/)
  })

  test('are there for every check of a table, each with its own', () => {
    const checks = [OTHER_CHECKS, FRAUD_CHECKS, DERIVED_CHECKS].flatMap((table) => Object.keys(table))
    expect(checks.filter((check) => !(check in MEANINGS))).toEqual([])
    const words = Object.keys(MEANINGS).map(describeCheck)
    expect(new Set(words).size).toBe(words.length)
  })

  test('are the name where there are no others', () => {
    expect(describeCheck('DOCUMENT_COLOR')).toBe('DOCUMENT_COLOR passed')
  })
})
