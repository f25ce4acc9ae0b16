/**
 * The protocol between service and verification process: tasks on its standard input; on its standard output
 * one line of JSON when it is ready, and one for each task.
 */
import type { JWK } from 'jose'
import type { VerificationReport } from '../../proof/verify.ts'

export interface VerificationTask {
  /** The file in chunks, in order. */
  readonly file: readonly Uint8Array[]
  /** The file may be the multipart body of an appliance's API. */
  readonly mayBeWrapped?: boolean
  /** Keys as the caller typed them: JSON (a JWKS or one JWK) or PEM. Untrusted. */
  readonly keyText?: string
  readonly keys?: readonly JWK[]
  /** CA certificates, PEM. Untrusted. */
  readonly caPem?: string
  readonly tsaCaPem?: string
  /** Key id → the time from which its signatures do not count, milliseconds since 1970. */
  readonly revoked?: Readonly<Record<string, number>>
}

/** `malformed_keys`: `keyText` begins like JSON and is invalid. */
export type VerificationAnswer = VerificationReport | 'malformed_keys'

/** The task without the file, as JSON. */
export type TaskHead = Omit<VerificationTask, 'file'>

/** Before each task: the length of its head in 4 bytes and of its file in 8, big-endian. Head and file follow. */
export const LENGTHS_BYTES = 12

export function writeLengths(headBytes: number, fileBytes: number): Buffer {
  const lengths = Buffer.alloc(LENGTHS_BYTES)
  lengths.writeUInt32BE(headBytes, 0)
  lengths.writeBigUInt64BE(BigInt(fileBytes), 4)
  return lengths
}

export function readLengths(lengths: Buffer): { readonly headBytes: number; readonly fileBytes: number } {
  return { headBytes: lengths.readUInt32BE(0), fileBytes: Number(lengths.readBigUInt64BE(4)) }
}
