/**
 * What makes a signature provable when its key and its appliance are long gone: the certificate chain of the key and a
 * time-stamp token over the signature. Neither can lie under that signature, so they lie beside it, in one file more.
 */
import { AppError } from '../errors.ts'
import { canonicalBytes } from './verify/canonical-json.ts'

/** A time-stamping authority (RFC 3161), as far as sealing needs it. */
export interface ProofTimestamper {
  /** The token (DER) over the SHA-256 of these bytes. Throws `timestamp_unavailable`. */
  stamp(bytes: Uint8Array): Promise<Uint8Array>
  /** No proof is sealed without a token. */
  readonly required: boolean
}

export interface LongTermMaterial {
  /** Base64 DER, the signing key's own certificate first. Empty: the key has none. */
  readonly certificateChain: readonly string[]
  readonly timestamper: ProofTimestamper | null
}

/** `none`: no authority is configured; `unavailable`: it did not answer, and is not required. */
export type TimestampOutcome = 'none' | 'stamped' | 'unavailable'

/** The bytes of the file, null when there is nothing to write. Throws `timestamp_unavailable` when a token is required. */
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

/** Over the ASCII of the compact JWS. */
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

/** The certificates of a PEM text in their order, each as base64 DER. */
export function certificatesOf(pem: string): readonly string[] {
  return [...pem.matchAll(CERTIFICATE)].map(([, base64 = '']) => base64.replaceAll(/\s/g, ''))
}
