/**
 * Sends the damaged pictures of the worker's test to an appliance in its own process: documents as a relying service
 * sends them, and live pictures as a capture component sends them. Counts the kinds of answers, waits for the
 * decision on each accepted picture, and checks at the end that the same server process still runs. Looks only at the
 * status and the code of an answer.
 */
import { RefusedError, RelyingService } from '../../demo/client.ts'
import { withTemporaryServer, type ServerProcess } from '../../demo/server-process.ts'
import type { Mutant } from './mutations.ts'

export interface ServerFuzz {
  readonly images: number
  /** HTTP status and problem names → number of pictures; 0 for a broken connection. */
  readonly answers: Readonly<Record<string, number>>
  /** The same for the pictures as live frames. */
  readonly frames: Readonly<Record<string, number>>
  /** Accepted pictures by the final status of their evidence. */
  readonly decided: Readonly<Record<string, number>>
  /** `<kind>: <status>` → number of pictures that caused a server error. */
  readonly failures: Readonly<Record<string, number>>
  /** The healthcheck's final state of the vision worker. */
  readonly vision: string
  readonly serverDown: boolean
}

export async function fuzzServer(mutants: AsyncIterable<Mutant>): Promise<ServerFuzz> {
  return withTemporaryServer('fuzz', (server, keys) =>
    sendAll(mutants, new RelyingService(server.url, keys), server),
  )
}

async function sendAll(
  mutants: AsyncIterable<Mutant>,
  service: RelyingService,
  server: ServerProcess,
): Promise<ServerFuzz> {
  const [answers, frames, decided, failures] = [{}, {}, {}, {}] as Record<string, number>[]
  let images = 0
  for await (const { kind, bytes } of mutants) {
    images++
    const frame = await sendFrame(service, bytes)
    count(frames, frame.answer)
    if (isOurs(frame.status)) count(failures, `${kind} as a frame: ${frame.answer}`)
    const { status, answer, evidence } = await sendOne(service, bytes)
    count(answers, answer)
    if (isOurs(status)) count(failures, `${kind}: ${answer}`)
    if (evidence === null) continue
    // Waits for the decision before the next picture, so that a crash is attributed to its picture.
    const outcome = await service.waitForEvidence(evidence.identity, evidence.id).then(
      (decision) => decision.status,
      () => 'UNDECIDED',
    )
    count(decided, outcome)
    if (outcome === 'UNDECIDED') count(failures, `${kind}: ${outcome}`)
  }
  const vision = await fetchHealth(server.url)
  return {
    images,
    answers,
    frames,
    decided,
    failures,
    vision: vision ?? 'no answer',
    serverDown: vision === null,
  }
}

/** A fault of the appliance, or a broken connection. */
const isOurs = (status: number): boolean => status === 0 || status >= 500

interface Answer {
  readonly status: number
  readonly answer: string
  readonly evidence: { readonly identity: string; readonly id: string } | null
}

/** Uses a new person for each picture, so that earlier pictures have no influence. */
async function sendOne(service: RelyingService, bytes: Uint8Array): Promise<Answer> {
  try {
    const { id: identity } = await service.createIdentity([])
    const { id } = await service.submitDocumentBytes(identity, bytes)
    return { status: 200, answer: '200', evidence: { identity, id } }
  } catch (error) {
    return refusal(error)
  }
}

async function sendFrame(service: RelyingService, bytes: Uint8Array): Promise<Answer> {
  try {
    const { id: identity } = await service.createIdentity([])
    await service.sendFrame(await service.openDocumentSession(identity), bytes)
    return { status: 200, answer: '200', evidence: null }
  } catch (error) {
    return refusal(error)
  }
}

function refusal(error: unknown): Answer {
  if (!(error instanceof RefusedError)) return { status: 0, answer: '0', evidence: null }
  const answer = [error.status, ...new Set(error.codes)].join(' ')
  return { status: error.status, answer, evidence: null }
}

/** Null if the started process no longer answers. */
async function fetchHealth(url: string): Promise<string | null> {
  const response = await fetch(`${url}/healthcheck`).catch(() => null)
  if (response === null) return null
  const report = (await response.json()) as { components?: { vision?: { detail?: string } } }
  return report.components?.vision?.detail ?? 'unknown'
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1
}
