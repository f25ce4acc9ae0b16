/**
 * Keeps a signature provable after its key and its appliance are gone: adds the key's certificate chain and a time-stamp
 * token over the signature. The signature cannot cover either, so a separate file holds them.
 */
import { AppError } from '../errors.ts'
import { canonicalBytes } from './verify/canonical-json.ts'

/** A time-stamping authority (RFC 3161), limited to the function that sealing uses. */
export interface ProofTimestamper {
  /** Returns the token (DER) over the SHA-256 of these bytes. Throws `timestamp_unavailable`. */
  stamp(bytes: Uint8Array): Promise<Uint8Array>
  /** If true, no proof is sealed without a token. */
  readonly required: boolean
}

export interface LongTermMaterial {
  /** Base64 DER, starting with the signing key's own certificate. Empty if the key has none. */
  readonly certificateChain: readonly string[]
  readonly timestamper: ProofTimestamper | null
}

/** `none`: no authority is configured. `unavailable`: the authority did not answer but is not required. */
export type TimestampOutcome = 'none' | 'stamped' | 'unavailable'

/**
 * Returns the bytes of the file, or null if there is nothing to write. Throws `timestamp_unavailable` if a required token
 * is unavailable.
 */
export async function longTermFile(
  signature: string,
  { certificateChain, timestamper }: LongTermMaterial,
): Promise<{ readonly bytes: Uint8Array | null; readonly timestamp: TimestampOutcome }> {
  const token = timestamper && (await stamp(signature, timestamper))
  const timestamp = timestamper ? (token ? 'stamped' : 'unavailable') : 'none'
  if (certificateChain.length === 0 && !token) return { bytes: null, timestamp }
  const content = {
    ...(certificateChain.length > 0 ? { certificateChain } : {}),
    ...(token ? { timestampToken: Buffer.from(token).toString('base64') } : {}),
  }
  return { bytes: canonicalBytes(content), timestamp }
}

/** Stamps the ASCII bytes of the compact JWS. */
async function stamp(signature: string, timestamper: ProofTimestamper): Promise<Uint8Array | null> {
  try {
    return await timestamper.stamp(Buffer.from(signature, 'ascii'))
  } catch (error) {
    const unavailable = error instanceof AppError && error.code === 'timestamp_unavailable'
    if (unavailable && !timestamper.required) return null
    throw error
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g

/** The certificates of a PEM text in order, each as base64 DER. */
export function splitCertificates(pem: string): readonly string[] {
  return [...pem.matchAll(CERTIFICATE)].map(([, base64 = '']) => base64.replaceAll(/\s/g, ''))
}
