/** Tests what the shipped policies offer as ways up: something for every level where all is there, and only what is possible else. */
import { expect, test } from 'vitest'
import { assess } from '../../../../server/proofing/assurance/assess.ts'
import { ABILITIES, type Ability } from '../../../../server/proofing/assurance/facts.ts'
import { NO_FACTS } from '../../../support/assurance.ts'
import { POLICIES, policyOf } from './shipped.ts'

/** Levels with at least one way up, from nothing. */
function waysUp(id: string, abilities: readonly Ability[]): readonly string[] {
  const { upgradePaths } = assess(policyOf(id), NO_FACTS, abilities)
  return Object.keys(upgradePaths).filter((level) => upgradePaths[level].length > 0)
}

test.each([...POLICIES.keys()])('%s: where everything is there, every level has a way up', (id) => {
  const [, ...higher] = policyOf(id).levels.map(({ levelOfAssurance }) => levelOfAssurance)
  expect(waysUp(id, [...ABILITIES])).toEqual(higher)
})

/** A kiosk without chip reader, issuer and officer, with a register that is the issuer's own. */
const KIOSK: readonly Ability[] = [
  'DOCUMENTS',
  'FACES',
  'LIVENESS',
  'ANTIFRAUD',
  'DUPLICATE_FACE',
  'WATCHLIST',
  'DOCUMENT_STATUS',
  'DOCUMENT_STATUS_ISSUER',
  'DEATH_RECORDS',
  'DEVICE_INTEGRITY',
  'ADJUDICATION',
]

test.each([
  ['default', ['LOA1', 'LOA2']],
  ['eidas', ['LOA1']],
  ['gpg45', []],
  ['nist-800-63a', []],
])('%s: without chip, issuer and officer, nothing is promised that cannot be', (id, levels) => {
  expect(waysUp(id, KIOSK)).toEqual(levels)
})

test('with a chip reader, NIST offers IAL1 and IAL2 to an unattended kiosk, and never IAL3', () => {
  expect(waysUp('nist-800-63a', [...KIOSK, 'NFC'])).toEqual(['LOA1', 'LOA2'])
  expect(waysUp('nist-800-63a', [...KIOSK, 'NFC', 'GIV', 'TRUSTED_ID_CLAIM'])).toEqual(['LOA1', 'LOA2'])
  expect(waysUp('nist-800-63a', [...KIOSK, 'NFC', 'ATTENDED'])).toEqual(['LOA1', 'LOA2', 'LOA3'])
})

test('eIDAS offers high only where the face can be compared with chip or register', () => {
  expect(waysUp('eidas', [...KIOSK, 'ATTENDED'])).toEqual(['LOA1', 'LOA2'])
  expect(waysUp('eidas', [...KIOSK, 'NFC'])).toEqual(['LOA1', 'LOA2', 'LOA3'])
})
