/** Releases for tests: bytes as a package, signed by a release key of the test. */
import { createHash, generateKeyPairSync, randomBytes, type KeyPairKeyObjectResult } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signRelease, type ReleaseManifest } from '../../server/updates/manifest.ts'

export const vendor = generateKeyPairSync('ed25519')
export const stranger = generateKeyPairSync('ed25519')

export interface TestRelease {
  readonly manifest: ReleaseManifest
  readonly content: Buffer
  readonly packageFile: string
  readonly releaseFile: string
}

export function makeRelease(
  more: Partial<ReleaseManifest> = {},
  { key = vendor, bytes = 300_000 }: { key?: KeyPairKeyObjectResult; bytes?: number } = {},
): TestRelease {
  const content = randomBytes(bytes)
  const manifest: ReleaseManifest = {
    format: 'counterproof-release',
    version: '1.2.0',
    minimumFrom: '1.0.0',
    architecture: 'amd64',
    sha256: createHash('sha256').update(content).digest('hex'),
    bytes,
    createdAt: '2026-11-30T10:00:00Z',
    ...more,
  }
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-release-'))
  const packageFile = join(folder, 'package.deb')
  const releaseFile = join(folder, 'package.release.json')
  writeFileSync(packageFile, content)
  writeFileSync(releaseFile, signRelease(manifest, key.privateKey, key.publicKey))
  return { manifest, content, packageFile, releaseFile }
}
