/** The best evidence that there is, but for the liveness of the face: each policy gives what the grade allows. */
import { describe, expect, test } from 'vitest'
import { aDocument, CHIP, ISSUER, levelOf } from './shipped.ts'

const MATCH = ['BIOMETRIC_MATCHING_CHECK', 'NFC_PORTRAIT_MATCH']
const PRINTS = [...MATCH, 'BIOMETRIC_LIVENESS', 'LIVENESS_STOPS_PRINTS']
const REPLAYS = [...PRINTS, 'LIVENESS_STOPS_REPLAYS']
const OPERATORS = [...REPLAYS, 'LIVENESS_STOPS_OPERATORS']
const FRAUD = [
  'DUPLICATE_DOCUMENT',
  'DOCUMENT_STATUS',
  'DOCUMENT_STATUS_ISSUER',
  'DEVICE_INTEGRITY',
  'DEATH_RECORD',
]

const levelWith = (policy: string, portrait: readonly string[], document: readonly string[] = []) =>
  levelOf(policy, {
    documents: [aDocument('PASSPORT', [...CHIP, ISSUER, ...document])],
    portrait,
    fraud: FRAUD,
  })

// GPG 45 needs verification 1 for its lowest level: this appliance asks no knowledge.
describe.each([
  [
    'a picture without liveness',
    MATCH,
    { default: 'LOA1', eidas: 'LOA1', gpg45: 'LOA0', 'nist-800-63a': 'LOA0' },
  ],
  [
    'a check that stops photographs',
    PRINTS,
    { default: 'LOA1', eidas: 'LOA1', gpg45: 'LOA0', 'nist-800-63a': 'LOA0' },
  ],
  [
    'a check that stops recordings',
    REPLAYS,
    { default: 'LOA2', eidas: 'LOA2', gpg45: 'LOA2', 'nist-800-63a': 'LOA1' },
  ],
  [
    'a check that stops an operator with recordings',
    OPERATORS,
    { default: 'LOA4', eidas: 'LOA3', gpg45: 'LOA4', 'nist-800-63a': 'LOA2' },
  ],
] as const)('%s', (_what, portrait, levels) => {
  test.each(Object.entries(levels))('%s gives %s', (policy, level) => {
    expect(levelWith(policy, portrait)).toBe(level)
  })
})

describe('a face that an officer saw, without any liveness', () => {
  const face = [...MATCH, 'ATTENDED_CAPTURE']
  const inHand = ['ATTENDED_CAPTURE', 'TACTILE_INSPECTION']

  test.each([
    ['default', 'LOA3'],
    ['eidas', 'LOA2'],
    ['gpg45', 'LOA4'],
    ['nist-800-63a', 'LOA2'],
  ])('%s gives %s', (policy, level) => {
    expect(levelWith(policy, face, inHand)).toBe(level)
  })
})
