/**
 * A relying service that continues with one proofing after another while its kiosk is killed. Like a careful back end, it
 * repeats every call under the same Idempotency-Key until it is answered, and keeps its own records.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import type { Keys } from '../../demo/server-process.ts'
import type { Specimen } from '../../demo/specimens.ts'
import { extractArchive } from '../../../proof/multipart.ts'

export const PHASES = ['capture', 'verification', 'sealing', 'upload'] as const
export type Phase = (typeof PHASES)[number]

/** The records of the relying service. */
export interface Book {
  /** Identity id → SHA-256 of the received proof. */
  readonly proofs: Map<string, string>
  /** Identities whose proof was later delivered with other bytes. */
  readonly changed: string[]
  /** Each identity that an answer named, with its evidence and the last status that an answer gave it. */
  readonly acknowledged: Map<string, Map<string, string>>
  /** Proofings abandoned because the server answered that they do not exist or that their answer was lost. */
  abandoned: number
}

export function createBook(): Book {
  return { proofs: new Map(), changed: [], acknowledged: new Map(), abandoned: 0 }
}

/** Notes an answer of the server. */
export function acknowledge(
  book: Book,
  identityId: string,
  evidenceId?: string,
  status = 'PROCESSING',
): void {
  const evidence = book.acknowledged.get(identityId) ?? new Map<string, string>()
  book.acknowledged.set(identityId, evidence)
  if (evidenceId !== undefined) evidence.set(evidenceId, status)
}

export interface ApplicantSetting {
  readonly url: string
  readonly keys: Keys
  /** Taken in turn. */
  readonly specimens: readonly Specimen[]
  readonly book: Book
  /** A call that gets no answer for so long ends the run. */
  readonly patienceMs?: number
  readonly entered?: (phase: Phase) => void
  /** Receives the time of each step. */
  readonly timed?: (step: string, ms: number) => void
  /** Opens a live session for the portrait; null: this proofing has none. */
  readonly presentLive?: (identityId: string, count: number) => Promise<LivePortrait | null>
}

export interface LivePortrait {
  readonly evidenceId: string
  /** Resolves when the session has ended, well or not. */
  readonly ended: Promise<void>
}

interface Applicant {
  run(): Promise<void>
  stop(): void
}

type Body = () => Promise<BodyInit> | BodyInit

const RETRY_MS = 50
const PATIENCE_MS = 120_000
const WITH_PORTRAIT_EVERY = 3
const REPEAT_PROOF_EVERY = 5
const CONSENTS = JSON.stringify(['ID_DOCUMENT', 'PORTRAIT'].map((type) => ({ type, approved: true })))

/** The call will never succeed, so another proofing begins. */
class GivenUpError extends Error {}

export function createApplicant({
  url,
  keys,
  specimens,
  book,
  patienceMs = PATIENCE_MS,
  entered = () => undefined,
  timed = () => undefined,
  presentLive = () => Promise.resolve(null),
}: ApplicantSetting): Applicant {
  let stopped = false
  let count = 0

  /** Null if there is no answer or it breaks off. */
  const once = async (method: string, path: string, key: string, body?: Body): Promise<Response | null> => {
    try {
      const content = await body?.()
      const response = await fetch(url + path, {
        method,
        headers: {
          apikey: keys.relyingServiceKey,
          'user-agent': 'counterproof-crash-bench/1 (en)',
          ...(method === 'GET' ? {} : { 'idempotency-key': key }),
          ...(typeof content === 'string' ? { 'content-type': 'application/json' } : {}),
        },
        ...(content === undefined ? {} : { body: content }),
      })
      return new Response(await response.arrayBuffer(), { status: response.status })
    } catch {
      return null
    }
  }
  const call = async (method: string, path: string, body?: Body): Promise<Response> => {
    const key = uuidv7()
    const until = Date.now() + patienceMs
    for (;;) {
      const response = await once(method, path, key, body)
      if (response?.ok) return response
      if (response?.status === 404 || response?.status === 409)
        throw new GivenUpError(`${method} ${response.status}`)
      // 403: the identity is being examined, or frozen for a moment.
      const comesBack = response === null || response.status >= 500 || [403, 429].includes(response.status)
      if (!comesBack) throw new Error(`${method} was refused: ${response.status} ${await response.text()}`)
      if (Date.now() > until) throw new Error(`${method} was not answered for ${patienceMs} ms`)
      await wait(RETRY_MS)
    }
  }

  const time = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now()
    const result = await work()
    timed(step, performance.now() - startedAt)
    return result
  }

  const submit = async (id: string, path: string, part: string, picture: string): Promise<string> => {
    entered('capture')
    const answer = await call('POST', `/v1/identities/${id}/${path}`, async () => {
      const form = new FormData()
      form.append(part, new Blob([new Uint8Array(await readFile(picture))]), 'picture')
      return form
    })
    const evidence = (await answer.json()) as { id: string }
    acknowledge(book, id, evidence.id)
    return evidence.id
  }
  const decided = async (id: string, evidenceId: string): Promise<void> => {
    entered('verification')
    for (;;) {
      const answer = await call('GET', `/v1/identities/${id}/status/${evidenceId}`)
      const { status } = (await answer.json()) as { status: string }
      acknowledge(book, id, evidenceId, status)
      if (status !== 'PROCESSING') return
      await wait(RETRY_MS)
    }
  }
  const fetchProof = async (id: string): Promise<void> => {
    const answer = await call('GET', `/v1/identities/${id}/proof`)
    const archive = extractArchive(new Uint8Array(await answer.arrayBuffer()))
    if (archive === null) throw new Error('GET proof answered no archive')
    const sha256 = createHash('sha256').update(archive).digest('hex')
    if ((book.proofs.get(id) ?? sha256) !== sha256) book.changed.push(id)
    book.proofs.set(id, sha256)
  }

  const proofing = async (): Promise<void> => {
    const created = await call('POST', '/v1/identities', () => new FormData())
    const { id } = (await created.json()) as { id: string }
    acknowledge(book, id)
    await call('POST', `/v1/identities/${id}/consents`, () => CONSENTS)
    const { document, portrait } = specimens[count % specimens.length]
    const documentId = await time('document taken', () =>
      submit(id, 'id-documents/capture', 'DocumentFront', document),
    )
    await time('document decided', () => decided(id, documentId))
    const live = await presentLive(id, count)
    if (live !== null) {
      acknowledge(book, id, live.evidenceId)
      await time('live session', () => live.ended)
      await decided(id, live.evidenceId)
    } else if (count % WITH_PORTRAIT_EVERY === 0) {
      const portraitId = await submit(id, 'attributes/portrait/capture', 'Portrait', portrait)
      await time('portrait decided', () => decided(id, portraitId))
    }
    entered('sealing')
    await time('proof sealed', () => fetchProof(id))
    entered('upload')
    const [older] = book.proofs.keys()
    // Must give the same bytes despite the kills.
    if (older !== undefined && count % REPEAT_PROOF_EVERY === 0) await fetchProof(older)
    count++
  }

  return {
    run: async () => {
      while (!stopped) {
        try {
          await proofing()
        } catch (error) {
          if (!(error instanceof GivenUpError)) throw error
          book.abandoned++
        }
      }
    },
    stop: () => {
      stopped = true
    },
  }
}
