import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  computeReleaseKeyId,
  getReleaseFileName,
  type ReleaseManifest,
  signRelease,
  verifyRelease,
} from '../../../server/updates/manifest.ts'

const vendor = generateKeyPairSync('ed25519')
const stranger = generateKeyPairSync('ed25519')

const MANIFEST: ReleaseManifest = {
  format: 'counterproof-release',
  version: '0.1.0+git1540.0a1b2c3d4e5f',
  minimumFrom: '0.1.0',
  architecture: 'amd64',
  sha256: 'ab'.repeat(32),
  bytes: 119_000_000,
  createdAt: '2026-11-30T10:00:00Z',
}
const TEXT = signRelease(MANIFEST, vendor.privateKey, vendor.publicKey)

const read = (text: string) => verifyRelease(Buffer.from(text), [vendor.publicKey])

/** A release file as an attacker with the vendor's key would write it: any bytes as the manifest, with a correct signature. */
function signBytes(manifest: string, { privateKey, publicKey } = vendor): string {
  const file = {
    keyId: computeReleaseKeyId(publicKey),
    manifest: Buffer.from(manifest).toString('base64url'),
    signature: sign(null, Buffer.from(manifest), privateKey).toString('base64url'),
  }
  return `${JSON.stringify(file)}\n`
}
const inner = Buffer.from((JSON.parse(TEXT) as { manifest: string }).manifest, 'base64url').toString()

describe('a release manifest', () => {
  test('that the vendor signed is read as it was written, also among several trusted keys', () => {
    expect(verifyRelease(Buffer.from(TEXT), [stranger.publicKey, vendor.publicKey])).toEqual({
      manifest: MANIFEST,
      keyId: computeReleaseKeyId(vendor.publicKey),
    })
    expect(getReleaseFileName(MANIFEST)).toBe('0.1.0+git1540.0a1b2c3d4e5f_amd64.release.json')
  })

  test('is refused if its key is not trusted, or if the file names a trusted key but another one signed it', () => {
    const foreign = signRelease(MANIFEST, stranger.privateKey, stranger.publicKey)
    expect(read(foreign)).toEqual({ refused: 'KEY_UNKNOWN' })
    expect(verifyRelease(Buffer.from(TEXT), [])).toEqual({ refused: 'KEY_UNKNOWN' })
    const claimed = foreign.replace(
      computeReleaseKeyId(stranger.publicKey),
      computeReleaseKeyId(vendor.publicKey),
    )
    expect(read(claimed)).toEqual({ refused: 'SIGNATURE_INVALID' })
  })

  test('is refused after any change of its content or its signature', () => {
    const changed = Buffer.from(inner.replace('119000000', '119000001')).toString('base64url')
    expect(read(TEXT.replace(/"manifest":"[^"]+"/, `"manifest":"${changed}"`))).toEqual({
      refused: 'SIGNATURE_INVALID',
    })
    const signature = /"signature":"(.)/.exec(TEXT)?.[1] === 'A' ? 'B' : 'A'
    expect(read(TEXT.replace(/"signature":"./, `"signature":"${signature}`))).toEqual({
      refused: 'SIGNATURE_INVALID',
    })
  })

  test.each<[string, string]>([
    ['an unknown member', inner.replace('}', ',"extra":1}')],
    ['a doubled member', inner.replace('{', '{"architecture":"arm64",')],
    ['white space', inner.replace(',', ', ')],
    ['a missing member', inner.replace('"bytes":119000000,', '')],
    ['a version that leaves its folder', inner.replace('0.1.0+git1540.0a1b2c3d4e5f', '0/../../etc/passwd')],
    ['a version that begins with a point', inner.replace('0.1.0+git1540.0a1b2c3d4e5f', '..')],
    ['a version with an epoch', inner.replace('0.1.0+git1540.0a1b2c3d4e5f', '1:0.1.0')],
    ['a version with a line break', inner.replace('0.1.0+git1540.0a1b2c3d4e5f', String.raw`0.1.0\n`)],
    ['another format', inner.replace('counterproof-release', 'counterproof-bundle')],
    ['another architecture', inner.replace('amd64', 'riscv64')],
    ['a size beyond every package', inner.replace('119000000', '9007199254740991')],
    ['a negative size', inner.replace('119000000', '-1')],
    ['an array', '[]'],
    ['no JSON', 'release'],
  ])('with %s is refused although its signature is correct', (_, manifest) => {
    expect(manifest).not.toBe(inner)
    expect(read(signBytes(manifest))).toEqual({ refused: 'MANIFEST_MALFORMED' })
  })

  test.each<[string, string]>([
    ['nothing', ''],
    ['a file without its end', TEXT.slice(0, -20)],
    ['an unknown member', TEXT.replace('}', ',"z":1}')],
    ['a doubled member', TEXT.replace('{', `{"keyId":"${'0'.repeat(64)}",`)],
    ['white space', TEXT.replace(':', ': ')],
    ['a member of the prototype', '{"__proto__":{"manifest":"e30"}}\n'],
    ['deep nesting', '['.repeat(4000)],
    ['more bytes than a release file has', TEXT + ' '.repeat(5_000_000)],
    ['a short signature', TEXT.replace(/"signature":"..../, '"signature":"')],
  ])('a release file of %s is refused', (_, text) => {
    expect(read(text)).toEqual({ refused: 'MANIFEST_MALFORMED' })
  })

  test('a release file that is not UTF-8 is refused', () => {
    expect(verifyRelease(Buffer.from([0x7b, 0xff, 0x7d]), [vendor.publicKey])).toEqual({
      refused: 'MANIFEST_MALFORMED',
    })
  })

  test('is signed only with a pair of Ed25519 keys', () => {
    expect(() => signRelease(MANIFEST, vendor.privateKey, stranger.publicKey)).toThrow(TypeError)
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    expect(() => signRelease(MANIFEST, ec.privateKey, ec.publicKey)).toThrow(TypeError)
    expect(() => computeReleaseKeyId(vendor.privateKey)).toThrow(TypeError)
    expect(() => signRelease({ ...MANIFEST, version: '../1' }, vendor.privateKey, vendor.publicKey)).toThrow()
  })
})
