/** A relying service that proofs an identity by document and portrait. */
import { documentForm, portraitForm, type CallOptions } from '../../support/app.ts'
import type { Answer } from '../../support/contract-client.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import { startClockedApp, type ClockedApp } from './clocked-app.ts'

export interface ProofingClient extends ClockedApp {
  /** Includes the consents for a document and a portrait, unless others are named. */
  anIdentity(consents?: readonly string[]): Promise<string>
  identity(id: string, options?: CallOptions): Promise<Answer<'Identity'>>
  /** Sent and verified. */
  document(id: string, image: Uint8Array): Promise<string>
  portrait(id: string, image: Uint8Array): Promise<string>
  /** Types of the identity's events, oldest first, and what each says. */
  events(id: string): readonly (readonly [string, object])[]
}

export async function startProofing(
  config: object = {},
  vision?: Vision,
  files: Readonly<Record<string, string>> = {},
): Promise<ProofingClient> {
  const startsAt = new Date('2026-03-02T09:00:00Z')
  const clocked = await startClockedApp({ config, files, vision, startsAt })
  const submit = async (path: string, body: FormData): Promise<string> => {
    const { id } = await clocked.ask('SingleStatus', 'POST', path, { body })
    await clocked.app.runJobs()
    return id
  }
  return {
    ...clocked,
    get app() {
      return clocked.app
    },
    anIdentity: (consents = ['ID_DOCUMENT', 'PORTRAIT']) => clocked.anIdentity(consents),
    passTime: async (ms) => {
      await clocked.passTime(ms)
      await clocked.app.runJobs()
    },
    identity: (id, options) => clocked.ask('Identity', 'GET', `/v1/identities/${id}`, options),
    document: (id, image) => submit(`/v1/identities/${id}/id-documents/capture`, documentForm(image)),
    portrait: (id, image) => submit(`/v1/identities/${id}/attributes/portrait/capture`, portraitForm(image)),
    events: (id) =>
      clocked.app.appliance.store.events
        .after(0, 10_000)
        .filter((event) => event.identityId === id)
        .map(({ type, body }) => [type, body] as const),
  }
}
