/** HTTP client of a time-stamping authority (RFC 3161, 3.4); see README.md in this folder. Answers are untrusted. */
import { createHash, randomBytes } from 'node:crypto'
import { fromBER, Integer, OctetString } from 'asn1js'
import { AlgorithmIdentifier, MessageImprint, TimeStampReq, TimeStampResp } from 'pkijs'
import { AppError } from '../../errors.ts'
import { LARGEST_TOKEN, readTimeStamp } from '../../proof/verify/time-stamp.ts'
import { PRODUCT_VERSION } from '../../version.ts'
import type { Timestamper } from './timestamper.ts'

interface TimestampSettings {
  readonly url: string
  /** Bearer token; null sends none. */
  readonly token: string | null
  /** For the whole exchange. */
  readonly timeoutMs: number
  readonly required: boolean
}

const QUERY_TYPE = 'application/timestamp-query'
const REPLY_TYPE = 'application/timestamp-reply'
const LARGEST_ANSWER = LARGEST_TOKEN + 1024 // the status around the token
const SHA_256 = '2.16.840.1.101.3.4.2.1'
const NONCE_BYTES = 8
const GRANTED: readonly number[] = [0, 1] // granted, granted with modifications

/** Reasons for rejecting an answer. They contain no value of it. */
type Refusal =
  | 'unreachable'
  | 'timeout'
  | 'unexpected-answer'
  | 'too-large'
  | 'unreadable'
  | 'rejected'
  | 'wrong-nonce'
  | 'token-refused'

export function openTimestamper(settings: TimestampSettings): Timestamper {
  return {
    required: settings.required,
    stamp: async (bytes) => {
      const digest = createHash('sha256').update(bytes).digest()
      const nonce = newNonce()
      const answer = await post(settings, queryFor(digest, nonce))
      return extractToken(answer, digest, nonce)
    },
  }
}

/** Positive and without leading zero octet, because some authorities return the shortest form. */
function newNonce(): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40
  return nonce
}

function queryFor(digest: Buffer, nonce: Buffer): Uint8Array {
  const query = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: SHA_256 }),
      hashedMessage: new OctetString({ valueHex: Uint8Array.from(digest) }),
    }),
    nonce: new Integer({ valueHex: Uint8Array.from(nonce) }),
    certReq: true,
  })
  return new Uint8Array(query.toSchema().toBER())
}

async function post(settings: TimestampSettings, query: Uint8Array): Promise<Uint8Array> {
  const timeout = AbortSignal.timeout(settings.timeoutMs)
  try {
    const response = await fetch(settings.url, {
      method: 'POST',
      headers: {
        'content-type': QUERY_TYPE,
        accept: REPLY_TYPE,
        'user-agent': `counterproof/${PRODUCT_VERSION}`,
        ...(settings.token === null ? {} : { authorization: `Bearer ${settings.token}` }),
      },
      body: query as BodyInit,
      // Following a redirect would send the token to an address that is not configured.
      redirect: 'manual',
      signal: timeout,
    })
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (response.status !== 200 || type !== REPLY_TYPE) {
      await response.body?.cancel()
      throw refused('unexpected-answer', response.status)
    }
    return await readAnswer(response)
  } catch (error) {
    if (error instanceof AppError) throw error
    // The error may quote the address, so only its kind is passed on.
    throw refused(timeout.aborted ? 'timeout' : 'unreachable')
  }
}

async function readAnswer(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > LARGEST_ANSWER) throw refused('too-large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Checks everything that a verifier will check later, except trust: a token that our verifier rejects would invalidate
 * the proof permanently.
 */
function extractToken(answer: Uint8Array, digest: Buffer, nonce: Buffer): Uint8Array {
  const { granted, token } = readResponse(answer)
  if (!granted) throw refused('rejected')
  if (token === null) throw refused('unreadable')
  let stamp
  try {
    stamp = readTimeStamp(token, digest)
  } catch {
    throw refused('token-refused')
  }
  if (stamp.nonce !== BigInt(`0x${nonce.toString('hex')}`)) throw refused('wrong-nonce')
  return token
}

/** Returns the token exactly as sent. */
function readResponse(answer: Uint8Array): { granted: boolean; token: Uint8Array | null } {
  try {
    const { offset, result } = fromBER(Uint8Array.from(answer))
    if (offset !== answer.length) throw new TypeError('bytes after the end')
    const { status } = new TimeStampResp({ schema: result })
    const [, token] = (
      result as unknown as { valueBlock: { value: { valueBeforeDecodeView: Uint8Array }[] } }
    ).valueBlock.value
    return {
      granted: GRANTED.includes(status.status),
      token: token ? Uint8Array.from(token.valueBeforeDecodeView) : null,
    }
  } catch {
    throw refused('unreadable')
  }
}

function refused(reason: Refusal, httpStatus?: number): AppError {
  return new AppError('timestamp_unavailable', {
    reason,
    ...(httpStatus === undefined ? {} : { httpStatus }),
  })
}
