/**
 * The release manifest: describes one Debian package of the product, signed with the release key of the vendor or of the
 * tenant's IT. The file `VERSION_ARCH.release.json` holds it. Central service and kiosk verify it with this file; it reads no
 * disk and decides about no installation.
 */
import { createHash, sign, verify, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { canonicalBytes, canonicalJson, type JsonValue } from '../proof/verify/canonical-json.ts'

/** A release file has about 700 bytes. */
export const MAX_RELEASE_FILE_BYTES = 4096
/** A package has about 120 MB. */
export const MAX_PACKAGE_BYTES = 1024 ** 3
export const ARCHITECTURES = ['amd64', 'arm64'] as const

/** A version of Debian without an epoch. It becomes a part of file names, so it holds no slash and begins with a digit. */
const version = z
  .string()
  .max(40)
  .regex(/^[0-9][0-9A-Za-z.+~-]*$/)

export const ReleaseManifestSchema = z.strictObject({
  format: z.literal('counterproof-release'),
  version,
  /** The lowest installed version that this package upgrades. */
  minimumFrom: version,
  architecture: z.enum(ARCHITECTURES),
  /** Hash of the package, in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(1).max(MAX_PACKAGE_BYTES),
  createdAt: z.iso.datetime().max(30),
})
export type ReleaseManifest = z.infer<typeof ReleaseManifestSchema>

const ReleaseFileSchema = z.strictObject({
  /** Canonical JSON of the manifest, in base64url. The signature covers these bytes. */
  manifest: z.base64url().max(2000),
  keyId: z.string().regex(/^[0-9a-f]{64}$/),
  signature: z.base64url().length(86),
})

export const RELEASE_REFUSALS = ['MANIFEST_MALFORMED', 'KEY_UNKNOWN', 'SIGNATURE_INVALID'] as const
export type ReleaseRefusal = (typeof RELEASE_REFUSALS)[number]

/** Only a release that was verified has a manifest. */
export type VerifiedRelease =
  | { readonly manifest: ReleaseManifest; readonly keyId: string }
  | { readonly refused: ReleaseRefusal }

/** The text of the release file. Throws for a manifest outside the schema, and TypeError for a key other than Ed25519. */
export function signRelease(manifest: ReleaseManifest, privateKey: KeyObject, publicKey: KeyObject): string {
  requireEd25519(privateKey, 'private')
  const bytes = canonicalBytes(ReleaseManifestSchema.parse(manifest))
  const text = writeCanonical({
    manifest: Buffer.from(bytes).toString('base64url'),
    keyId: computeReleaseKeyId(publicKey),
    signature: sign(null, bytes, privateKey).toString('base64url'),
  })
  if ('refused' in verifyRelease(Buffer.from(text), [publicKey]))
    throw new TypeError('the two release keys are no pair')
  return text
}

/**
 * Verifies a release file with the release keys that the caller trusts. Takes only the bytes that `signRelease` writes: other
 * spellings of the same JSON, doubled members and unknown members are refused.
 */
export function verifyRelease(file: Uint8Array, trustedKeys: readonly KeyObject[]): VerifiedRelease {
  const outer = parseCanonical(ReleaseFileSchema, file, MAX_RELEASE_FILE_BYTES, '\n')
  if (!outer) return { refused: 'MANIFEST_MALFORMED' }
  const bytes = Buffer.from(outer.manifest, 'base64url')
  const key = trustedKeys.find((trusted) => computeReleaseKeyId(trusted) === outer.keyId)
  if (!key) return { refused: 'KEY_UNKNOWN' }
  if (!verify(null, bytes, key, Buffer.from(outer.signature, 'base64url')))
    return { refused: 'SIGNATURE_INVALID' }
  const manifest = parseCanonical(ReleaseManifestSchema, bytes, MAX_RELEASE_FILE_BYTES, '')
  return manifest ? { manifest, keyId: outer.keyId } : { refused: 'MANIFEST_MALFORMED' }
}

/** SHA-256 of the public key (SubjectPublicKeyInfo, DER) in hexadecimal. Throws TypeError for a key other than Ed25519. */
export function computeReleaseKeyId(publicKey: KeyObject): string {
  requireEd25519(publicKey, 'public')
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
}

export function getReleaseFileName({ version, architecture }: ReleaseManifest): string {
  return `${version}_${architecture}.release.json`
}

function requireEd25519(key: KeyObject, type: 'private' | 'public'): void {
  if (key.type !== type || key.asymmetricKeyType !== 'ed25519')
    throw new TypeError(`a release key is a ${type} key of Ed25519`)
}

function writeCanonical(value: JsonValue): string {
  return `${canonicalJson(value)}\n`
}

/** Undefined unless the bytes are the one canonical form of a value of the schema. */
function parseCanonical<T extends z.ZodType<JsonValue>>(
  schema: T,
  bytes: Uint8Array,
  maxBytes: number,
  end: string,
): z.infer<T> | undefined {
  if (bytes.length > maxBytes) return undefined
  try {
    const parsed = schema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
    const canonical = canonicalJson(parsed) + end
    return Buffer.from(canonical).equals(bytes) ? parsed : undefined
  } catch {
    return undefined
  }
}
