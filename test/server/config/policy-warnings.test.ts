import { describe, expect, test } from 'vitest'
import { loadPolicies } from '../../../server/config/policies.ts'
import { policyWarnings } from '../../../server/config/policy-warnings.ts'
import { checksNotPerformed } from '../../../server/config/resources.ts'
import type { Policy, Profile } from '../../../server/proofing/assurance/policy.ts'
import { somePolicy } from '../../support/assurance.ts'

const shipped = loadPolicies()
const about = (policy: Policy, code: string): readonly string[] =>
  policyWarnings(policy, checksNotPerformed()).find((warning) => warning.code === code)?.about ?? []
const codesOf = (policy: Policy): readonly string[] => policyWarnings(policy, []).map(({ code }) => code)

describe('the shipped policies', () => {
  test.each([...shipped.keys()])('%s: every level is harder than the one below', (id) => {
    const policy = shipped.get(id) as Policy
    expect(about(policy, 'EASIER')).toEqual([])
    expect(about(policy, 'NO_HARDER')).toEqual([])
  })

  test.each(['default', 'eidas', 'nist-800-63a'])('%s: every profile is offered as a way up', (id) => {
    expect(about(shipped.get(id) as Policy, 'OUT_OF_REACH')).toEqual([])
    expect(about(shipped.get(id) as Policy, 'NOT_OFFERED')).toEqual([])
  })

  // @clause GPG-45/reach
  test('of GPG 45, the profiles that need what no check of ours earns are named', () => {
    const gpg45 = shipped.get('gpg45') as Policy
    const out = about(gpg45, 'OUT_OF_REACH')
    expect(out).toEqual(
      gpg45.profiles
        .filter(({ scales = {} }) => scales.activity > 1 || scales.fraud > 2 || scales.verification > 3)
        .map(({ name }) => name),
    )
    const reachable = gpg45.profiles.map(({ name }) => name).filter((name) => !out.includes(name))
    expect(reachable).toEqual([
      'L1A',
      'L1B',
      'M1A',
      'M1B',
      'M1C',
      'M2B',
      'M2C',
      'H1A',
      'H2B',
      'H2C',
      'H2D',
      'H2E',
      'V1B',
      'V2B',
      'V2D',
    ])
  })

  test('what they ask for and nothing performs yet is named', () => {
    expect(about(shipped.get('eidas') as Policy, 'NOT_PERFORMED')).toEqual(['GIV_PORTRAIT_MATCH'])
  })
})

describe('a warning is given', () => {
  const document = (over: object = {}) => ({ evidence: 'ID_DOCUMENT' as const, ...over })
  const at = (
    name: string,
    rank: number,
    pieces: Profile['pieces'],
    scales?: Profile['scales'],
  ): Profile => ({
    name,
    levelOfAssurance: `LOA${rank}`,
    pieces,
    ...(scales ? { scales } : {}),
  })
  const submissions: Policy['submissions'] = [
    { name: 'document', evidence: 'ID_DOCUMENT', checks: ['MRZ_READING'], needs: [] },
    { name: 'live', evidence: 'PORTRAIT', checks: ['BIOMETRIC_LIVENESS'], needs: [] },
  ]
  const withProfiles = (...profiles: readonly Profile[]): Policy =>
    somePolicy({ profiles, submissions, documentScore: [] })

  test('of a higher level that is met by who meets no profile of the level below', () => {
    const low = at('low', 1, [document({ requires: ['MRZ_READING'] })])
    const high = at('high', 2, [document({ minimumScore: 'LEVEL4' })])
    expect(about(withProfiles(low, high), 'EASIER')).toEqual(['high'])
    expect(
      about(withProfiles(low, at('high', 2, [document({ requires: ['MRZ_READING'] })])), 'EASIER'),
    ).toEqual([])
  })

  test('of a higher level that all evidence for a lower level meets', () => {
    const low = at('low', 1, [document({ requires: ['HOLDER_LIVE'] })])
    const high = at('high', 2, [document({ requires: ['HOLDER_MATCH'] })])
    expect(about(withProfiles(low, high), 'NO_HARDER')).toEqual(['high'])
    expect(about(withProfiles(high, low), 'NO_HARDER')).toEqual(['high'])
    expect(
      codesOf(withProfiles(at('low', 1, [document()]), at('high', 2, [document(), document()]))),
    ).toEqual([])
  })

  test('of a profile that asks for more than any rule gives', () => {
    const marks: Policy['marks'] = [{ mark: 'strength', value: 3, evidence: 'ID_DOCUMENT' }]
    const reach = (strength: number) =>
      codesOf({ ...withProfiles(at('one', 1, [document({ marks: { strength } })])), marks })
    expect(reach(3)).toEqual([])
    expect(reach(4)).toEqual(['OUT_OF_REACH'])
  })

  test('of a profile that no submission leads to', () => {
    expect(codesOf(withProfiles(at('one', 1, [document({ requires: ['MRZ_READING'] })])))).toEqual([])
    expect(codesOf(withProfiles(at('one', 1, [document({ requires: ['HOLDER_LIVE'] })])))).toEqual([])
    expect(codesOf(withProfiles(at('one', 1, [document({ requires: ['BARCODE_READING'] })])))).toEqual([
      'NOT_OFFERED',
    ])
    expect(codesOf(withProfiles(at('one', 1, [{ evidence: 'CONTACT' }])))).toEqual(['NOT_OFFERED'])
  })
})
