/**
 * Every operation of the API as data: who may call it, what goes in, what comes out. Express is mounted from this
 * table, the guard reads the roles from it, and the OpenAPI text is written from it.
 */
import type { CallerRole } from '../proofing/types.ts'
import type { ContractName } from './contract/index.ts'

export type Method = 'get' | 'post' | 'delete'

/** `public`: no key needed, nothing of any tenant in the answer. */
export type Access = 'public' | readonly CallerRole[]

export interface Part {
  readonly name: string
  readonly content: 'image' | ContractName
  readonly required: boolean
}

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'header'
  readonly required: boolean
  readonly type: 'string' | 'boolean'
  readonly description: string
}

export type RequestBody =
  | { readonly kind: 'json'; readonly schema: ContractName }
  | { readonly kind: 'multipart'; readonly parts: readonly Part[]; readonly orJson?: ContractName }

export type Answer =
  | { readonly kind: 'json'; readonly schema: ContractName }
  | { readonly kind: 'multipart'; readonly mediaType: string; readonly parts: readonly string[] }
  | { readonly kind: 'openapi' }
  | { readonly kind: 'none' }

export interface Route {
  readonly method: Method
  /** OpenAPI template: `{id}` for a path parameter. */
  readonly path: string
  readonly access: Access
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly body?: RequestBody
  readonly answer: Answer
  /** False where GET changes something (spec: "Getting the proof closes the transaction"): a HEAD must not. */
  readonly head?: false
  /** Failures this operation adds to those of every keyed call (400, 401, 403, 429, 500, 503). */
  readonly failures?: readonly number[]
}

const BACK_END: Access = ['RELYING_SERVICE']
const BOTH: Access = ['RELYING_SERVICE', 'USER_AGENT']

const DETAILED: Parameter = {
  name: 'detailed',
  in: 'query',
  required: false,
  type: 'boolean',
  description: 'Adds verification details to each evidence. Ignored for a user-agent key.',
}
const CORRELATION_QUERY: Parameter = {
  name: 'correlationID',
  in: 'query',
  required: true,
  type: 'string',
  description: 'The correlation id given when the identity was created.',
}
const CORRELATION_HEADER: Parameter = {
  name: 'correlation-id',
  in: 'header',
  required: false,
  type: 'string',
  description: 'An id of your own, unique per identity, to find the identity by later.',
}

export const ROUTES = {
  healthcheck: {
    method: 'get',
    path: '/healthcheck',
    access: 'public',
    summary: 'State of the appliance and of what it depends on',
    answer: { kind: 'json', schema: 'HealthcheckReport' },
  },
  jwks: {
    method: 'get',
    path: '/.well-known/jwks.json',
    access: 'public',
    summary: 'Public keys that proofs are verified with',
    answer: { kind: 'json', schema: 'PublicKeySet' },
  },
  openapi: {
    method: 'get',
    path: '/openapi.json',
    access: 'public',
    summary: 'This description',
    answer: { kind: 'openapi' },
  },
  createIdentity: {
    method: 'post',
    path: '/v1/identities',
    access: BACK_END,
    summary: 'Open a proofing transaction',
    parameters: [CORRELATION_HEADER],
    body: {
      kind: 'multipart',
      parts: [
        { name: 'context', content: 'CreationContext', required: false },
        { name: 'file', content: 'image', required: false },
      ],
      orJson: 'CreationContext',
    },
    answer: { kind: 'json', schema: 'GlobalStatus' },
    failures: [413],
  },
  findIdentity: {
    method: 'get',
    path: '/v1/identities',
    access: BOTH,
    summary: 'Find an identity by your own correlation id',
    parameters: [CORRELATION_QUERY, DETAILED],
    answer: { kind: 'json', schema: 'Identity' },
    failures: [404],
  },
  getIdentity: {
    method: 'get',
    path: '/v1/identities/{id}',
    access: BOTH,
    summary: 'The identity with all its evidence',
    parameters: [DETAILED],
    answer: { kind: 'json', schema: 'Identity' },
    failures: [404],
  },
  eraseIdentity: {
    method: 'delete',
    path: '/v1/identities/{id}',
    access: BACK_END,
    summary: 'Erase all data of the identity',
    answer: { kind: 'none' },
    failures: [404],
  },
  getIdentityStatus: {
    method: 'get',
    path: '/v1/identities/{id}/status',
    access: BOTH,
    summary: 'Status and level of assurance',
    answer: { kind: 'json', schema: 'IdentityStatusAnswer' },
    failures: [404],
  },
  getEvidenceStatus: {
    method: 'get',
    path: '/v1/identities/{id}/status/{evidenceId}',
    access: BOTH,
    summary: 'Status of one evidence, for polling',
    answer: { kind: 'json', schema: 'SingleStatus' },
    failures: [404],
  },
  recordConsents: {
    method: 'post',
    path: '/v1/identities/{id}/consents',
    access: BACK_END,
    summary: 'Record what the person agreed to',
    body: { kind: 'json', schema: 'ConsentsRequest' },
    answer: { kind: 'json', schema: 'ConsentList' },
    failures: [404, 413],
  },
  submitDocument: {
    method: 'post',
    path: '/v1/identities/{id}/id-documents/capture',
    access: BOTH,
    summary: 'Submit photographs of an identity document',
    body: {
      kind: 'multipart',
      parts: [
        { name: 'DocumentFront', content: 'image', required: true },
        { name: 'DocumentBack', content: 'image', required: false },
        { name: 'DocumentCaptureDetails', content: 'DocumentCaptureDetails', required: false },
      ],
    },
    answer: { kind: 'json', schema: 'SingleStatus' },
    failures: [404, 413],
  },
  getDocumentImage: {
    method: 'get',
    path: '/v1/identities/{id}/id-documents/{evidenceId}/capture',
    access: BOTH,
    summary: 'The photographs of a submitted document',
    answer: { kind: 'multipart', mediaType: 'multipart/form-data', parts: ['DocumentFront', 'DocumentBack'] },
    failures: [404],
  },
  getPortrait: {
    method: 'get',
    path: '/v1/identities/{id}/attributes/portrait',
    access: BOTH,
    summary: 'The portrait evidence',
    parameters: [DETAILED],
    answer: { kind: 'json', schema: 'PortraitAnswer' },
    failures: [404],
  },
  deletePortrait: {
    method: 'delete',
    path: '/v1/identities/{id}/attributes/portrait',
    access: BACK_END,
    summary: 'Delete the portrait image and its results',
    answer: { kind: 'none' },
    failures: [404],
  },
  submitPortrait: {
    method: 'post',
    path: '/v1/identities/{id}/attributes/portrait/capture',
    access: BOTH,
    summary: 'Submit a photograph of the person',
    body: { kind: 'multipart', parts: [{ name: 'Portrait', content: 'image', required: true }] },
    answer: { kind: 'json', schema: 'SingleStatus' },
    failures: [404, 413],
  },
  getPortraitImage: {
    method: 'get',
    path: '/v1/identities/{id}/attributes/portrait/capture',
    access: BOTH,
    summary: 'The portrait image',
    answer: { kind: 'multipart', mediaType: 'multipart/form-data', parts: ['Portrait'] },
    failures: [404],
  },
  sealProof: {
    method: 'get',
    path: '/v1/identities/{id}/proof',
    head: false,
    access: BACK_END,
    summary: 'Close the transaction and retrieve its signed proof',
    answer: { kind: 'multipart', mediaType: 'multipart/mixed', parts: ['proof archive (application/zip)'] },
    failures: [404],
  },
} as const satisfies Record<string, Route>

export type Operation = keyof typeof ROUTES

/** All routes by operation name, in the order of the table. */
export const ROUTE_LIST: readonly (Route & { readonly operation: Operation })[] = (
  Object.keys(ROUTES) as Operation[]
).map((operation) => ({ operation, ...ROUTES[operation] }))

/** `/v1/identities/{id}` → `/v1/identities/:id`. */
export function expressPath(template: string): string {
  return template.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Path → the methods it answers, HEAD with GET, for `Allow`. */
export function methodsByPath(): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>()
  for (const { path, method, head } of ROUTE_LIST) {
    const known = methods.get(path) ?? []
    known.push(...(method === 'get' && head !== false ? ['GET', 'HEAD'] : [method.toUpperCase()]))
    methods.set(path, known)
  }
  return methods
}
