/** Words that policies, proofs and upgrade paths are written in: a renamed word breaks stored policies and proofs. */
import { expect, test } from 'vitest'
import { ABILITIES, PIECE_KINDS } from '../../../../server/proofing/assurance/facts.ts'
import { FAULTS, TOUCHED } from '../../../../server/proofing/assurance/faults.ts'
import { DERIVED_CHECKS } from '../../../../server/proofing/assurance/policy.ts'

test('kinds of evidence are called as in policies and upgrade paths', () => {
  const kinds = 'ID_DOCUMENT PORTRAIT ATTRIBUTES ADDRESS TRUSTED_ID_CLAIM ID_CLAIM CONTACT'
  expect(PIECE_KINDS.join(' ')).toBe(kinds)
  expect(TOUCHED.join(' ')).toBe(`${kinds.replace('ID_DOCUMENT', 'IDDOCUMENT')} EMAIL LANDLINE ANTIFRAUD`)
})

test('abilities of an installation are called as policies name what a submission needs', () => {
  expect(ABILITIES.join(' ')).toBe(
    'DOCUMENTS FACES LIVENESS GIV GIV_PORTRAIT NFC ATTENDED TRUSTED_ID_CLAIM MOBILE_OTP MOBILE_OWNERSHIP ANTIFRAUD ' +
      'DUPLICATE_FACE WATCHLIST DOCUMENT_STATUS DOCUMENT_STATUS_ISSUER DEATH_RECORDS KNOWN_FRAUD DEVICE_INTEGRITY ADJUDICATION',
  )
})

test('faults are called as the table of degraded modes calls them', () => {
  expect(FAULTS.join(' ')).toBe(
    'FACE_MODELS_MISSING LIVENESS_MODELS_MISSING PAD_MODEL_MISSING READING_MODELS_MISSING CAMERA_NOT_PINNED ' +
      'CAMERA_MISSING CLOCK_UNSURE CONNECTOR_DOWN OFFLINE_TOO_LONG INSPECTION_OVERDUE TAMPERED WATCHLIST_OUTDATED',
  )
})

test('a portrait gives a document what it was itself found to be', () => {
  expect(DERIVED_CHECKS).toEqual({
    HOLDER_MATCH: [],
    HOLDER_LIVE: ['BIOMETRIC_LIVENESS'],
    HOLDER_LIVE_AGAINST_REPLAYS: ['BIOMETRIC_LIVENESS', 'LIVENESS_STOPS_REPLAYS'],
    HOLDER_LIVE_AGAINST_OPERATORS: ['BIOMETRIC_LIVENESS', 'LIVENESS_STOPS_OPERATORS'],
    HOLDER_ATTENDED: ['ATTENDED_CAPTURE'],
    HOLDER_CHIP_MATCH: ['BIOMETRIC_LIVENESS', 'NFC_PORTRAIT_MATCH'],
    HOLDER_REGISTER_MATCH: ['BIOMETRIC_LIVENESS', 'GIV_PORTRAIT_MATCH'],
  })
})
