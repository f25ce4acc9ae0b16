import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { compareDebianVersions } from '../../../server/updates/debian-version.ts'

/** Each version is older than the next one. */
const ORDER = [
  '0.1.0~rc1',
  '0.1.0',
  '0.1.0-1',
  '0.1.0+git99.ffffffff',
  '0.1.0+git1538.c594fe1c',
  '0.1.0+git1539.00000000',
  '0.1.1',
  '0.2.0~beta',
  '0.2.0',
  '0.10.0',
  '1.0-1~deb12u1',
  '1.0-1',
  '1.0-1a',
  '1.0-1+b1',
  '18446744073709551616.0', // more than a number of 64 bits
]

test('a later version of the product is newer by the rules of Debian', () => {
  for (const [a, left] of ORDER.entries())
    for (const [b, right] of ORDER.entries())
      expect([left, right, Math.sign(compareDebianVersions(left, right))]).toEqual([
        left,
        right,
        Math.sign(a - b),
      ])
  expect(compareDebianVersions('1.01', '1.1')).toBe(0)
  expect(compareDebianVersions('1.0', '1.0-0')).toBe(0)
})

test('dpkg orders these versions in the same way', ({ skip }) => {
  if (spawnSync('dpkg', ['--version']).status !== 0) return skip('dpkg is not installed')
  for (const [at, version] of ORDER.slice(1).entries())
    expect([
      version,
      spawnSync('dpkg', ['--compare-versions', ORDER[at] ?? '', 'lt', version]).status,
    ]).toEqual([version, 0])
})
