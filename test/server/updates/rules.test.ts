import { describe, expect, test } from 'vitest'
import type { ReleaseManifest } from '../../../server/updates/manifest.ts'
import {
  isHealthy,
  isWrittenByRootAlone,
  judgeRelease,
  REASONS,
  RequestSchema,
  ResultSchema,
} from '../../../server/updates/rules.ts'

const MANIFEST: ReleaseManifest = {
  format: 'counterproof-release',
  version: '0.2.0',
  minimumFrom: '0.1.0',
  architecture: 'amd64',
  sha256: 'ab'.repeat(32),
  bytes: 120_000_000,
  createdAt: '2026-11-30T10:00:00Z',
}
const FOUND = { name: 'counterproof', version: '0.2.0', architecture: 'amd64', installedKilobytes: 300_000 }
const MACHINE = {
  installedVersion: '0.1.0+git5.abc',
  architecture: 'amd64',
  freeBytes: 10e9,
  databaseBytes: 50e6,
}

describe('a verified release', () => {
  test('is installed if its package is the one it names, newer, for this processor, and fits on the disk', () => {
    expect(judgeRelease(MANIFEST, FOUND, MACHINE)).toBeNull()
  })

  test.each([
    ['PACKAGE_FOREIGN', {}, { name: 'other' }, {}],
    ['PACKAGE_FOREIGN', {}, { version: '0.3.0' }, {}],
    ['PACKAGE_FOREIGN', {}, { architecture: 'arm64' }, {}],
    ['OTHER_ARCHITECTURE', {}, {}, { architecture: 'arm64' }],
    ['NOT_NEWER', {}, {}, { installedVersion: '0.2.0' }],
    ['NOT_NEWER', {}, {}, { installedVersion: '0.2.0+git1.abc' }],
    ['FROM_TOO_OLD', { minimumFrom: '0.1.1' }, {}, {}],
    ['NO_SPACE', {}, {}, { freeBytes: 700e6 }],
  ] as const)('is refused as %s', (reason, manifest, found, machine) => {
    expect(
      judgeRelease({ ...MANIFEST, ...manifest }, { ...FOUND, ...found }, { ...MACHINE, ...machine }),
    ).toBe(reason)
  })
})

describe('a started version', () => {
  const part = { status: 'UP' }
  const components = { database: part, vision: part, jobs: part, audit: part, cameras: { status: 'DOWN' } }

  test('is healthy if the new code answers and the parts that depend on code alone are up, also without a camera', () => {
    expect(isHealthy({ status: 'DOWN', version: '0.2.0', components }, '0.2.0')).toBe(true)
  })

  test.each([
    ['the old version', { version: '0.1.0', components }],
    [
      'a database that is down',
      { version: '0.2.0', components: { ...components, database: { status: 'DOWN' } } },
    ],
    [
      'a report without the vision worker',
      { version: '0.2.0', components: { ...components, vision: undefined } },
    ],
    ['no report', 'hello'],
    ['nothing', null],
  ])('is not healthy with %s', (_, report) => {
    expect(isHealthy(report, '0.2.0')).toBe(false)
  })
})

test('keys that others than root may write are no keys', () => {
  expect(isWrittenByRootAlone({ uid: 0, mode: 0o100644 })).toBe(true)
  expect(isWrittenByRootAlone({ uid: 1000, mode: 0o100644 })).toBe(false)
  expect(isWrittenByRootAlone({ uid: 0, mode: 0o100664 })).toBe(false)
  expect(isWrittenByRootAlone({ uid: 0, mode: 0o100646 })).toBe(false)
})

test('a request names a hash and nothing that could be a path', () => {
  const request = { id: '0190-a', sha256: 'ab'.repeat(32), action: 'install' }
  expect(RequestSchema.safeParse(request).success).toBe(true)
  for (const hostile of [
    { ...request, sha256: '../../etc/shadow' },
    { ...request, id: '../x' },
    { ...request, id: 'x'.repeat(65) },
    { ...request, action: 'run' },
    { ...request, path: '/tmp/x.deb' },
  ])
    expect(RequestSchema.safeParse(hostile).success).toBe(false)
})

test('every reason says what to do, and fits into a result', () => {
  for (const [reason, text] of Object.entries(REASONS)) {
    expect(text).toMatch(/\.$/)
    const result = { id: 'a', state: 'FAILED', reason, from: '1', to: null, at: '2026-11-30T10:00:00Z' }
    expect(ResultSchema.safeParse(result).success).toBe(true)
  }
})
