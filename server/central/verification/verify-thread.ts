/** Runs in a worker thread (verifier.ts) and verifies one untrusted archive with keys that the caller trusts. */
import type { JWK } from 'jose'
import { extractArchive } from '../../proof/multipart.ts'
import { verifyProof, type KeySource, type VerificationReport } from '../../proof/verify.ts'
import { decodeJson } from '../json.ts'

export interface VerificationTask {
  /** The file in pieces, in their order. Their memory moves to the thread. */
  readonly file: readonly Uint8Array<ArrayBuffer>[]
  /** The file may be the multipart body with which the API of an appliance answers. */
  readonly mayBeWrapped?: boolean
  /** Keys as the caller typed them: JSON (a JWKS or one JWK) or PEM. Untrusted. */
  readonly keyText?: string
  readonly keys?: readonly JWK[]
  /** CA certificates, PEM. Untrusted. */
  readonly caPem?: string
  readonly tsaCaPem?: string
  /** Key id → since when nothing that the key signed counts, milliseconds since 1970. */
  readonly revoked?: Readonly<Record<string, number>>
}

/** `malformed_keys`: `keyText` begins like JSON and is none. */
export type VerificationAnswer = VerificationReport | 'malformed_keys'

export default async function verify(task: VerificationTask): Promise<VerificationAnswer> {
  const given = readKeyText(task.keyText, task.keys ?? [])
  if (given === null) return 'malformed_keys'
  const file = Buffer.concat(task.file)
  const archive = task.mayBeWrapped ? (extractArchive(file) ?? file) : file
  const { caPem, tsaCaPem, revoked = {} } = task
  return verifyProof(archive, {
    ...given,
    ...(caPem === undefined ? {} : { caPem }),
    ...(tsaCaPem === undefined ? {} : { tsaCaPem }),
    revoked: Object.fromEntries(Object.entries(revoked).map(([kid, since]) => [kid, new Date(since)])),
  })
}

/** Null when the text begins like JSON and is none. */
function readKeyText(
  text: string | undefined,
  known: readonly JWK[],
): Pick<KeySource, 'pem' | 'jwks'> | null {
  const knownKeys = known.length > 0 ? { jwks: { keys: known } } : {}
  if (text === undefined) return knownKeys
  if (!text.trimStart().startsWith('{')) return { pem: text, ...knownKeys }
  let json: unknown
  try {
    json = decodeJson(Buffer.from(text, 'utf8'))
  } catch {
    return null
  }
  const listed = typeof json === 'object' && json !== null && 'keys' in json ? json.keys : [json]
  return { jwks: { keys: [...(Array.isArray(listed) ? (listed as unknown[]) : []), ...known] } }
}
