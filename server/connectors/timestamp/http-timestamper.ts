/** HTTP client of a time-stamping authority (RFC 3161, 3.4); see README.md in this folder. Answers are untrusted. */
import { createHash, randomBytes } from 'node:crypto'
import { fromBER, Integer, OctetString } from 'asn1js'
import { AlgorithmIdentifier, MessageImprint, TimeStampReq, TimeStampResp } from 'pkijs'
import { AppError } from '../../errors.ts'
import { LARGEST_TOKEN, readTimeStamp } from '../../proof/verify/time-stamp.ts'
import {
  openHttpService,
  type HttpService,
  type ServiceSettings,
  type ServiceTrouble,
} from '../service/http-service.ts'
import type { Timestamper } from './timestamper.ts'

interface TimestampSettings extends ServiceSettings {
  readonly required: boolean
}

const QUERY_TYPE = 'application/timestamp-query'
const REPLY_TYPE = 'application/timestamp-reply'
const LARGEST_ANSWER = LARGEST_TOKEN + 1024 // room for the status around the token
const SHA_256 = '2.16.840.1.101.3.4.2.1'
const NONCE_BYTES = 8
const GRANTED: readonly number[] = [0, 1] // granted, granted with modifications

/** Reasons for rejecting an answer. They contain no value of it. */
type Refusal =
  | ServiceTrouble
  | 'unexpected-answer'
  | 'unreadable'
  | 'rejected'
  | 'wrong-nonce'
  | 'token-refused'

export function openTimestamper(settings: TimestampSettings): Timestamper {
  const service = openHttpService(settings)
  return {
    required: settings.required,
    stamp: async (bytes) => {
      const digest = createHash('sha256').update(bytes).digest()
      const nonce = newNonce()
      const answer = await post(service, queryFor(digest, nonce))
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

async function post(service: HttpService, query: Uint8Array): Promise<Uint8Array> {
  const answer = await service.call({
    method: 'POST',
    path: '',
    accept: REPLY_TYPE,
    body: { type: QUERY_TYPE, content: query },
    maxAnswerBytes: LARGEST_ANSWER,
    // The job that seals the proof is repeated as a whole.
    mayRepeat: false,
  })
  if (answer.kind === 'failed') throw refused(answer.trouble)
  const { status, type, bytes } = answer
  if (status !== 200 || type !== REPLY_TYPE) throw refused('unexpected-answer', status)
  return bytes
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
