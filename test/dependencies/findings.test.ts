import { describe, expect, test } from 'vitest'
import { findPackageProblems, isSevere, parseAudit, parseLockfile } from './findings.ts'

const sound = { version: '1.2.3', license: 'MIT', integrity: 'sha512-AAAA' }
const check = (entry: object) =>
  findPackageProblems(
    parseLockfile({ lockfileVersion: 3, packages: { '': {}, 'node_modules/a/node_modules/@s/b': entry } }),
    new Map(),
  )

describe('packages of a lockfile', () => {
  test('a package with an accepted licence, a SHA-512 hash and no address of its own has no problem', () => {
    expect(check(sound)).toEqual([])
    expect(check({ ...sound, license: '(GPL-3.0-only OR MIT)' })).toEqual([])
    expect(check({ ...sound, resolved: 'https://registry.npmjs.org/@s/b/-/b-1.2.3.tgz' })).toEqual([])
  })

  test.each([
    ['a copyleft licence', { license: 'GPL-3.0-only' }, /GPL-3\.0-only.*not in the list/],
    ['a second licence that is not accepted', { license: 'MIT AND AGPL-3.0-only' }, /not in the list/],
    ['a licence that is no SPDX expression', { license: 'SEE LICENSE IN FILE' }, /no SPDX expression/],
    ['no licence', { license: undefined }, /states no licence/],
    ['no hash', { integrity: undefined }, /no SHA-512/],
    ['a weak hash', { integrity: 'sha1-AAAA' }, /no SHA-512/],
    ['a download from elsewhere', { resolved: 'git+ssh://git@example.org/b.git' }, /not downloaded/],
    ['a registry with a similar name', { resolved: 'https://registry.npmjs.org.evil/b' }, /not downloaded/],
    ['a deprecation', { deprecated: 'use c' }, /deprecated by its author: use c/],
  ])('a package with %s is named with its version', (_case, change, problem) => {
    expect(check({ ...sound, ...change })).toEqual([
      { package: '@s/b@1.2.3', problem: expect.stringMatching(problem) as string },
    ])
  })

  test('an unknown version of the lockfile is refused, not passed', () => {
    expect(() => parseLockfile({ lockfileVersion: 4, packages: {} })).toThrow()
  })
})

describe('advisories of the registry', () => {
  test('a vulnerability is reported with its range, and only high and critical ones are severe', () => {
    const answer = { vulnerabilities: { b: { severity: 'high', range: '<2' } } }
    expect(parseAudit(JSON.stringify(answer))).toEqual({
      asked: true,
      findings: [{ package: 'b <2', problem: 'has a known advisory of severity high', severity: 'high' }],
    })
    expect((['info', 'low', 'moderate', 'high', 'critical'] as const).filter(isSevere)).toEqual([
      'high',
      'critical',
    ])
  })

  test.each([
    ['a refusal', '{"message": "405 Method Not Allowed"}', '405 Method Not Allowed'],
    ['no JSON', 'npm error network', 'npm audit printed no JSON'],
    ['another form', '{"advisories": {}}', 'npm audit printed an unknown form of answer'],
  ])('%s counts as not asked, never as free of advisories', (_case, output, reason) => {
    expect(parseAudit(output)).toEqual({ asked: false, reason })
  })
})
