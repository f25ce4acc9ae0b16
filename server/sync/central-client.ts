/**
 * The calls to the central service: each request signed, each answer parsed as untrusted. Throws
 * CentralTroubleError.
 */
import type { JWK } from 'jose'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { signRequest } from '../protocol/request-signature.ts'
import {
  BundleAnswerSchema,
  DeletionAnswerSchema,
  EnrolmentAnswerSchema,
  KIOSK_API,
  OFFSET_HEADER,
  RevokedAnswerSchema,
  StatusAnswerSchema,
  TrustAnswerSchema,
  FILE_PIECE_BYTES,
  FilePieceSchema,
  UploadStateSchema,
  type Announcement,
  type EnrolmentAnswer,
  type EnrolmentRequest,
  type KioskStatus,
  type RevokedAnswer,
  type StatusAnswer,
  type TrustAnswer,
  type TrustQuestion,
  type UploadState,
} from '../protocol/wire.ts'
import { CentralTroubleError, type Transport, type TransportRequest } from './transport.ts'

export interface CentralClient {
  announce(announcement: Announcement, signal?: AbortSignal): Promise<UploadState>
  sendChunk(proofId: string, offset: number, bytes: Uint8Array, signal?: AbortSignal): Promise<UploadState>
  complete(proofId: string, signal?: AbortSignal): Promise<UploadState>
  status(status: KioskStatus, signal?: AbortSignal): Promise<StatusAnswer | RevokedAnswer>
  /** Receipts of deletions. @param after proof of the last one that this kiosk has */
  deletions(after: string | null, signal?: AbortSignal): Promise<readonly string[]>
  /** Null: the central service has none. */
  bundle(signal?: AbortSignal): Promise<string | null>
  /** Null: the central service is of a version without trust bundles. */
  trustBundle(question: TrustQuestion, signal?: AbortSignal): Promise<TrustAnswer | null>
  /** A piece of a file of the newest trust bundle; null: the newest bundle does not contain it. */
  trustPiece(sha256: string, offset: number, signal?: AbortSignal): Promise<Buffer | null>
  /** A piece of the package of a release; null: the central service does not have it. */
  releasePiece(sha256: string, offset: number, signal?: AbortSignal): Promise<Buffer | null>
}

/** The signing kiosk and its central service. */
interface KioskIdentity {
  readonly kioskId: string
  readonly centreId: string
  readonly privateJwk: JWK
}

const ANSWER_BYTES = 1024 * 1024
const BUNDLE_BYTES = 24 * 1024 * 1024
const NO_BODY = new Uint8Array()
const JSON_BODY = { 'content-type': 'application/json' }

export function createCentralClient(transport: Transport, kiosk: KioskIdentity, clock: Clock): CentralClient {
  /** The central service decides how old a signature may be, so a wrong clock here does not matter. */
  let nonce: string | null = null
  const call = async <T>(
    schema: z.ZodType<T>,
    method: TransportRequest['method'],
    route: string,
    body: Uint8Array,
    more: {
      headers?: Record<string, string>
      signal?: AbortSignal | undefined
      largest?: number
      received?: number
    } = {},
  ): Promise<T> => {
    const path = KIOSK_API + route
    const { centreId } = kiosk
    const largestAnswer = more.largest ?? ANSWER_BYTES
    const attempt = async (): Promise<T> => {
      const authorization = await signRequest({ method, path, body, centreId, nonce }, kiosk, clock.now())
      const headers = { ...more.headers, authorization }
      const { signal, received } = more
      const answer = await transport.send({ method, path, headers, body, largestAnswer, received, signal })
      nonce = answer.nonce ?? nonce
      return parsed(schema, answer.body)
    }
    return attempt().catch((error: unknown) => {
      const isOld = error instanceof CentralTroubleError && error.code === 'nonce_required' && error.nonce
      if (!isOld) throw error
      nonce = error.nonce
      return attempt()
    })
  }
  const fetchPiece = async (route: string, signal: AbortSignal | undefined): Promise<Buffer | null> => {
    const more = { signal, received: FILE_PIECE_BYTES }
    const answer = await orNull(call(FilePieceSchema, 'GET', route, NO_BODY, more))
    return answer && Buffer.from(answer.content, 'base64')
  }
  return {
    announce: (announcement, signal) =>
      call(UploadStateSchema, 'PUT', `/proofs/${announcement.proofId}`, encodeJson(announcement), {
        headers: JSON_BODY,
        signal,
      }),
    sendChunk: (proofId, offset, bytes, signal) =>
      call(UploadStateSchema, 'PATCH', `/proofs/${proofId}`, bytes, {
        headers: { 'content-type': 'application/octet-stream', [OFFSET_HEADER]: String(offset) },
        signal,
      }),
    complete: (proofId, signal) =>
      call(UploadStateSchema, 'POST', `/proofs/${proofId}/completion`, NO_BODY, { signal }),
    status: (status, signal) =>
      call(z.union([StatusAnswerSchema, RevokedAnswerSchema]), 'POST', '/status', encodeJson(status), {
        headers: JSON_BODY,
        signal,
      }),
    deletions: async (after, signal) => {
      const more = { headers: JSON_BODY, signal }
      return (await call(DeletionAnswerSchema, 'POST', '/deletions', encodeJson({ after }), more)).receipts
    },
    bundle: async (signal) => {
      const more = { signal, largest: BUNDLE_BYTES }
      return (await orNull(call(BundleAnswerSchema, 'GET', '/bundle', NO_BODY, more)))?.bundle ?? null
    },
    trustBundle: (question, signal) =>
      orNull(
        call(TrustAnswerSchema, 'POST', '/trust-bundle', encodeJson(question), {
          headers: JSON_BODY,
          signal,
        }),
      ),
    trustPiece: (sha256, offset, signal) => fetchPiece(`/trust-files/${sha256}/${offset}`, signal),
    releasePiece: (sha256, offset, signal) => fetchPiece(`/releases/${sha256}/${offset}`, signal),
  }
}

/** Null: the central service itself says 404. */
async function orNull<T>(answering: Promise<T>): Promise<T | null> {
  try {
    return await answering
  } catch (error) {
    if (error instanceof CentralTroubleError && error.trouble === 'request' && error.status === 404)
      return null
    throw error
  }
}

/** The only call without a signature: the code authenticates it. */
export async function requestEnrolment(
  transport: Transport,
  request: EnrolmentRequest,
): Promise<EnrolmentAnswer> {
  const answer = await transport.send({
    method: 'POST',
    path: `${KIOSK_API}/enrolments`,
    headers: JSON_BODY,
    body: encodeJson(request),
    largestAnswer: ANSWER_BYTES,
  })
  return parsed(EnrolmentAnswerSchema, answer.body)
}

function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value), 'utf8')
}

function parsed<T>(schema: z.ZodType<T>, body: Buffer): T {
  try {
    return schema.parse(JSON.parse(body.toString('utf8')))
  } catch (cause) {
    throw new CentralTroubleError('line', 'not_the_centre', { cause })
  }
}
