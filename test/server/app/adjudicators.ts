/** A relying service whose staff adjudicates: evidence that waits for a person, and what that person does. */
import type { Answer } from '../../support/contract-client.ts'
import { portraitForm, type CallOptions } from '../../support/app.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { aPassport, HOLDER, picture, scriptedVision } from './scripted-vision.ts'

/** Two readers differ on its zone: NOT_VERIFIED with 1543, and a person sees what it says. */
export const HARD_TO_READ = picture({ shows: 'document', lines: buildTd3(HOLDER), face: 'A', doubtful: true })
/** The holder of `aPassport`, and just too unlike for the machine. */
export const UNSURE_FACE = picture({ shows: 'person', face: 'A?' })

export interface Desk extends ProofingClient {
  /** A document that waits for a person. */
  aDocumentCase(from?: { headers?: Record<string, string> }): Promise<OpenCase>
  documentCaseOf(identityId: string): Promise<OpenCase>
  /** A verified passport, and a portrait between match and no match, which the appliance itself sent to a person. */
  aPortraitCase(headers?: Record<string, string>): Promise<OpenCase & { readonly documentId: string }>
  caseOf(identityId: string): Promise<string>
  claim(adjudicationId: string, adjudicator: string, options?: CallOptions): Promise<Answer<'DeskCase'>>
  release(adjudicationId: string, adjudicator: string): Promise<Answer<'DeskCase'>>
  /** Claimed first. */
  decide(
    adjudicationId: string,
    adjudicator: string,
    decision: string,
    reason: string,
  ): Promise<Answer<'DecisionAnswer'>>
  statusOf(adjudicationId: string): Promise<string>
}

export interface OpenCase {
  readonly id: string
  readonly evidenceId: string
  readonly adjudicationId: string
}

/** Faces whose names differ by a question mark are between match and no match. */
export function visionInDoubt(): Vision {
  const scripted = scriptedVision()
  return new Proxy(scripted, {
    get: (target, call) =>
      call === 'compareFaces' ? inDoubt(target) : (Reflect.get(target, call) as unknown),
  })
}

function inDoubt(scripted: Vision): Vision['compareFaces'] {
  return async (input) => {
    const compared = await scripted.compareFaces(input)
    const isUnsure = Buffer.from(input.probe).includes('?')
    if (!isUnsure || !compared.comparison) return compared
    const { operatingPoint } = compared.comparison
    return {
      ...compared,
      comparison: {
        ...compared.comparison,
        score: 0.4,
        atOrBeyondThreshold: false,
        reviewPoint: { ...operatingPoint, id: 'review', threshold: 0.3 },
      },
    }
  }
}

export async function startDesk(
  config: object = {},
  files: Readonly<Record<string, string>> = {},
): Promise<Desk> {
  const client = await startProofing(config, visionInDoubt(), files)
  const at = (adjudicationId: string, what = '') => `/v1/adjudications/${adjudicationId}${what}`
  const caseOf = async (identityId: string): Promise<string> => {
    const { adjudications } = await client.ask('DeskList', 'GET', '/v1/adjudications?limit=200')
    return adjudications.find((entry) => entry.identityId === identityId)?.adjudicationId ?? ''
  }
  const submit = async (path: string, body: FormData, headers?: Record<string, string>): Promise<string> => {
    const { id } = await client.ask('SingleStatus', 'POST', path, { body, ...(headers ? { headers } : {}) })
    await client.app.runJobs()
    return id
  }
  const documentCaseOf = async (id: string, headers: Record<string, string> = {}): Promise<OpenCase> => {
    const form = new FormData()
    form.append('DocumentFront', new Blob([HARD_TO_READ as BlobPart], { type: 'image/jpeg' }), 'front.jpg')
    const evidenceId = await submit(`/v1/identities/${id}/id-documents/capture`, form, headers)
    await client.ask('AdjudicationAnswer', 'POST', `/v1/identities/${id}/adjudications/${evidenceId}`)
    return { id, evidenceId, adjudicationId: await caseOf(id) }
  }
  return {
    ...client,
    get app() {
      return client.app
    },
    aDocumentCase: async ({ headers = {} } = {}) => documentCaseOf(await client.anIdentity(), headers),
    documentCaseOf,
    aPortraitCase: async (headers = {}) => {
      const id = await client.anIdentity()
      const documentId = await client.document(id, aPassport())
      const form = portraitForm(UNSURE_FACE)
      const evidenceId = await submit(`/v1/identities/${id}/attributes/portrait/capture`, form, headers)
      return { id, documentId, evidenceId, adjudicationId: await caseOf(id) }
    },
    caseOf,
    claim: (id, adjudicator, options = {}) =>
      client.ask('DeskCase', 'POST', at(id, '/claim'), { ...options, payload: { adjudicator } }),
    release: (id, adjudicator) =>
      client.ask('DeskCase', 'POST', at(id, '/release'), { payload: { adjudicator } }),
    decide: async (id, adjudicator, decision, reason) => {
      await client.ask('DeskCase', 'POST', at(id, '/claim'), { payload: { adjudicator } })
      const payload = { adjudicator, decision, reason }
      return client.ask('DecisionAnswer', 'POST', at(id, '/decision'), { payload })
    },
    statusOf: async (id) => (await client.ask('DeskCase', 'GET', at(id))).status,
  }
}
