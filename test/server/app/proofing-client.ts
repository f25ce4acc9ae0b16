/** A relying service and its appliance in this process, with a clock that stands until it is moved. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { z } from 'zod'
import { expect } from 'vitest'
import { CONTRACT, ProblemDocument } from '../../../server/api/contract/index.ts'
import type { ContractName, Frozen } from '../../../server/api/contract/index.ts'
import { documentForm, portraitForm, startTestApp } from '../../support/app.ts'
import type { CallOptions, TestApp } from '../../support/app.ts'
import { scriptedVision } from './scripted-vision.ts'

type Answer<Name extends ContractName> = Frozen<z.output<(typeof CONTRACT)[Name]>>

export interface ProofingClient {
  readonly app: TestApp
  /** A call that succeeds; its answer, held against the contract. */
  ask<Name extends ContractName>(
    name: Name,
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<Answer<Name>>
  /** A call that is refused: its status, the code of its problem and what its errors say. */
  refusal(method: string, path: string, options?: CallOptions): Promise<Refusal>
  /** With the consents for a document and a portrait. */
  anIdentity(): Promise<string>
  identity(id: string, options?: CallOptions): Promise<Answer<'Identity'>>
  /** Sent and verified. */
  document(id: string, image: Uint8Array): Promise<string>
  portrait(id: string, image: Uint8Array): Promise<string>
  /** Types of the identity's events, oldest first, and what each says. */
  events(id: string): readonly (readonly [string, object])[]
  /** Moves the clock and has the appliance look at it. */
  passTime(ms: number): Promise<void>
  /** Ends the appliance and starts another one on the same folder. */
  restart(): Promise<void>
}

export interface Refusal {
  readonly status: number
  readonly code: string | undefined
  readonly errors: readonly { readonly code: string; readonly field?: string | undefined }[]
}

export async function startProofing(config: object = {}): Promise<ProofingClient> {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
  let now = new Date('2026-03-02T09:00:00Z')
  const startApp = () => startTestApp({ dataDir, vision: scriptedVision(), clock: { now: () => now } })
  let app = await startApp()

  const ask: ProofingClient['ask'] = async (name, method, path, options) => {
    const { status, body } = await app.json(method, path, options)
    expect(status, JSON.stringify(body)).toBe(200)
    return CONTRACT[name].parse(body) as Answer<typeof name>
  }
  const submit = async (path: string, body: FormData): Promise<string> => {
    const { id } = await ask('SingleStatus', 'POST', path, { body })
    await app.runJobs()
    return id
  }
  return {
    get app() {
      return app
    },
    ask,
    refusal: async (method, path, options) => {
      const { status, body } = await app.json(method, path, options)
      const problem = ProblemDocument.parse(body)
      const errors = problem.errors.map(({ code, field }) => ({ code, ...(field ? { field } : {}) }))
      return { status, code: problem.type.split(':').at(-1), errors }
    },
    anIdentity: async () => {
      const { id } = await ask('GlobalStatus', 'POST', '/v1/identities', { payload: [] })
      const payload = ['ID_DOCUMENT', 'PORTRAIT'].map((type) => ({ type, approved: true }))
      await ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
      return id
    },
    identity: (id, options) => ask('Identity', 'GET', `/v1/identities/${id}`, options),
    document: (id, image) => submit(`/v1/identities/${id}/id-documents/capture`, documentForm(image)),
    portrait: (id, image) => submit(`/v1/identities/${id}/attributes/portrait/capture`, portraitForm(image)),
    events: (id) =>
      app.appliance.store.events
        .after(0, 10_000)
        .filter((event) => event.identityId === id)
        .map(({ type, body }) => [type, body] as const),
    passTime: async (ms) => {
      now = new Date(now.getTime() + ms)
      // Any call that leaves work to do wakes the job runner, which looks at the deadlines first.
      const { id } = await ask('GlobalStatus', 'POST', '/v1/identities', { payload: [] })
      const session = `/v1/identities/${id}/id-documents/live-capture-session`
      await ask('DocumentSessionAnswer', 'POST', session)
      await app.runJobs()
    },
    restart: async () => {
      await app.stop()
      app = await startApp()
    },
  }
}
