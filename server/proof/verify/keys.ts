/**
 * Reads the keys and authorities for verifying a proof: RSA keys from PEM (keys, certificates) or JWKS, and CA
 * certificates.
 */
import { createHash, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto'
import { readCertificate, type Certificate } from './certificate.ts'

/** Everything that the caller trusts: keys, a CA, or both. Nothing from an archive is ever added. */
export interface KeySource {
  /** One or more public keys or certificates. */
  readonly pem?: string
  /** `{ keys: [...] }` or a single JWK, parsed. Its shape is not trusted. */
  readonly jwks?: unknown
  /** CA certificates. A key is also accepted if the archive has a chain that ends at one of them. */
  readonly caPem?: string
  /** CA certificates of time-stamping authorities. */
  readonly tsaCaPem?: string
  /** Key id (RFC 7638 thumbprint) → revocation time. A signature counts only if a time stamp proves it older. */
  readonly revoked?: Readonly<Record<string, Date>>
}

/** A KeySource after reading. */
export interface Trust {
  readonly keys: readonly VerificationKey[]
  readonly authorities: readonly Certificate[]
  readonly timeAuthorities: readonly Certificate[]
  readonly revoked: ReadonlyMap<string, Date>
}

export interface VerificationKey {
  /** RFC 7638 thumbprint (SHA-256, base64url): the `kid` of our JWKS. */
  readonly id: string
  readonly key: KeyObject
}

/** The message is one sentence for the person who supplied the key. */
export class KeyError extends Error {
  override readonly name = 'KeyError'
}

const SMALLEST_MODULUS_BITS = 2048 // RFC 7518, section 3.3
const PEM_BEGIN = /-----BEGIN ([A-Z0-9 ]{1,64})-----/g

/** Returns at least one key. Throws KeyError if there is none or if the source contains a private key. */
export function readKeys(source: KeySource): readonly VerificationKey[] {
  const keys = [
    ...(source.pem === undefined ? [] : keysFromPem(source.pem)),
    ...(source.jwks === undefined ? [] : keysFromJwks(source.jwks)),
  ]
  if (keys.length === 0) throw new KeyError('There is no RSA public key among the keys given.')
  return keys
}

/** Throws KeyError if the source cannot verify any signature or contains an unusable key or certificate. */
export function readTrust(source: KeySource): Trust {
  const { caPem, tsaCaPem, revoked = {} } = source
  const keysGiven = source.pem !== undefined || source.jwks !== undefined
  return {
    keys: keysGiven || caPem === undefined ? readKeys(source) : [],
    authorities: caPem === undefined ? [] : readAuthorities(caPem),
    timeAuthorities: tsaCaPem === undefined ? [] : readAuthorities(tsaCaPem),
    revoked: new Map(Object.entries(revoked)),
  }
}

/** Returns at least one CA certificate. Throws KeyError otherwise. */
export function readAuthorities(pem: string): readonly Certificate[] {
  const blocks = pemBlocks(pem)
  if (blocks.length === 0) throw new KeyError('The CA file holds no PEM block.')
  return blocks.map(({ block, label }) => {
    const certificate = label === 'CERTIFICATE' ? readPem(block) : null
    if (certificate === null) throw new KeyError('The CA file holds something that is no certificate.')
    if (!certificate.isAuthority) {
      throw new KeyError('A certificate in the CA file is not one of a CA; it belongs to the keys.')
    }
    return certificate
  })
}

/**
 * Finds the PEM blocks of a possibly hostile text in linear time. A block ends at the next run of dashes (RFC 7468 allows
 * none inside), so no text is searched twice. A block must end with its own label.
 */
function pemBlocks(text: string): readonly { readonly block: string; readonly label: string }[] {
  return [...text.matchAll(PEM_BEGIN)].flatMap(({ 0: begin, 1: label = '', index }) => {
    const dashes = text.indexOf('-----', index + begin.length)
    const end = `-----END ${label}-----`
    if (dashes < 0 || !text.startsWith(end, dashes)) return []
    return [{ block: text.slice(index, dashes + end.length), label }]
  })
}

function readPem(block: string): Certificate | null {
  try {
    return readCertificate(new X509Certificate(block).raw)
  } catch {
    return null
  }
}

/** RFC 7638: SHA-256 over the required members, in order, base64url. */
export function keyThumbprint(key: KeyObject): string {
  const { e, kty, n } = key.export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url')
}

function keysFromPem(pem: string): VerificationKey[] {
  const blocks = pemBlocks(pem)
  if (blocks.length === 0) throw new KeyError('The key file holds no PEM block.')
  return blocks.map(({ block, label }) => {
    if (label.includes('PRIVATE'))
      throw new KeyError('That is a private key. Verification needs the public one only.')
    return accept(() => createPublicKey(block))
  })
}

function keysFromJwks(jwks: unknown): VerificationKey[] {
  const listed = isRecord(jwks) && Array.isArray(jwks.keys) ? (jwks.keys as unknown[]) : [jwks]
  return listed.filter(isSigningKey).map((jwk) => {
    if ('d' in jwk) throw new KeyError('That is a private key. Verification needs the public one only.')
    return accept(() => createPublicKey({ key: { kty: 'RSA', n: jwk.n, e: jwk.e }, format: 'jwk' }))
  })
}

/** Shared secrets (`oct`), other curves and encryption keys are skipped, never used. */
function isSigningKey(jwk: unknown): jwk is { n: string; e: string } {
  return (
    isRecord(jwk) &&
    jwk.kty === 'RSA' &&
    typeof jwk.n === 'string' &&
    typeof jwk.e === 'string' &&
    (jwk.use === undefined || jwk.use === 'sig') &&
    (jwk.alg === undefined || jwk.alg === 'RS256')
  )
}

function accept(read: () => KeyObject): VerificationKey {
  let key: KeyObject
  try {
    key = read()
  } catch (cause) {
    throw new KeyError('The key cannot be read.', { cause })
  }
  if (key.asymmetricKeyType !== 'rsa')
    throw new KeyError('The key is not an RSA key, and proofs are signed with RS256.')
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < SMALLEST_MODULUS_BITS) throw new KeyError(`The key has ${bits} bits; RS256 needs 2048 or more.`)
  return { id: keyThumbprint(key), key }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
