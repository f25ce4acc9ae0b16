/**
 * The client with the types of the OpenAPI description. `npm run client -- pack` generates `api.ts` and compiles this file
 * with it; without it, this file is not checked.
 */
import type { Client } from 'openapi-fetch'
import type { ProblemCode, components, paths } from './api.ts'
import { createTypedClient, type ClientOptions } from './create-client.ts'
import { Problem, unwrap } from './problem.ts'
import { waitUntil, type WaitOptions } from './wait.ts'
import { verifyMessage, type WebhookHeaders } from './webhook.ts'
import { extractArchive } from '../server/proof/multipart.ts'

export type { ProblemCode, components, operations, paths } from './api.ts'
export type { ClientOptions } from './create-client.ts'
export { Problem, unwrap, type ProblemDocument } from './problem.ts'
export { WaitTimeout, waitUntil, type WaitOptions } from './wait.ts'
export type { WebhookHeaders } from './webhook.ts'
export { WebhookVerificationError } from 'standardwebhooks'
export { extractArchive }

/** Messages of the API by name, for instance `Schemas['SingleStatus']`. */
export type Schemas = components['schemas']
export type CounterproofClient = Client<paths>

export function createClient(options: ClientOptions): CounterproofClient {
  return createTypedClient<paths>(options)
}

/** True if the error is a problem of the API, with the given code if there is one. */
export function isProblem(error: unknown, code?: ProblemCode): error is Problem<ProblemCode> {
  return error instanceof Problem && (code === undefined || error.code === code)
}

export interface EvidenceWaitOptions extends WaitOptions {
  /** Also waits for the decision of an adjudicator: hours or days. Without it, ADJUDICATION ends the wait. */
  readonly throughAdjudication?: boolean
}

/** Returns the status of a document or another piece of evidence, once it is no longer PROCESSING. */
export function waitForEvidence(
  client: CounterproofClient,
  identityId: string,
  evidenceId: string,
  { throughAdjudication = false, ...options }: EvidenceWaitOptions = {},
): Promise<Schemas['SingleStatus']> {
  const path = { id: identityId, evidenceId }
  return waitUntil(
    (signal) => unwrap(client.GET('/v1/identities/{id}/status/{evidenceId}', { params: { path }, signal })),
    ({ status }) => status !== 'PROCESSING' && !(throughAdjudication && status === 'ADJUDICATION'),
    options,
  )
}

/**
 * Returns status and level of assurance, once nothing of the identity is PROCESSING: then its proof can be
 * sealed.
 */
export async function waitForIdentity(
  client: CounterproofClient,
  identityId: string,
  options: WaitOptions = {},
): Promise<Schemas['GlobalStatus']> {
  const path = { id: identityId }
  const { globalStatus } = await waitUntil(
    (signal) => unwrap(client.GET('/v1/identities/{id}/status', { params: { path }, signal })),
    (answer) => answer.globalStatus.status !== 'PROCESSING',
    options,
  )
  return globalStatus
}

/** Closes the transaction and returns the archive (a zip), as signed. Verify it with `counterproof-verify`. */
export async function sealProof(client: CounterproofClient, identityId: string): Promise<Uint8Array> {
  const envelope = await unwrap(
    client.GET('/v1/identities/{id}/proof', {
      params: { path: { id: identityId } },
      parseAs: 'arrayBuffer',
    }),
  )
  const archive = extractArchive(new Uint8Array(envelope))
  if (archive === null) throw new Error('The answer holds no proof archive.')
  return archive
}

/** The content of a webhook: ids and states, by type of event. New types and members may be added. */
export type WebhookEvent = Schemas['WebhookEvent']

/**
 * Returns the event after verifying signature and time of the message. Throws `WebhookVerificationError`.
 * @param body the bytes as received, not parsed
 */
export function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array,
): WebhookEvent {
  return verifyMessage<WebhookEvent>(secret, headers, body)
}
