/** The parts of one operation's row: who may call it, what goes in, what comes out. */
import type { CallerRole } from '../proofing/types.ts'
import type { ContractName } from './contract/index.ts'

export type Method = 'get' | 'post' | 'put' | 'delete'

/** `public`: needs no key, and the answer contains no data of a tenant. */
export type Access = 'public' | readonly CallerRole[]

export interface Part {
  readonly name: string
  readonly content: 'image' | 'frame' | 'video' | 'file' | 'text' | ContractName
  readonly required: boolean
  /** Maximum number of such parts; default: one. */
  readonly most?: number
}

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'header'
  readonly required: boolean
  readonly type: 'string' | 'boolean'
  readonly values?: readonly string[]
  readonly description: string
}

export type RequestBody =
  | { readonly kind: 'json'; readonly schema: ContractName; readonly optional?: true }
  | { readonly kind: 'multipart'; readonly parts: readonly Part[]; readonly orJson?: ContractName }

export type Answer =
  | {
      readonly kind: 'json'
      readonly schema: ContractName
      /** The caller may request a redirect (302) in place of this answer. */
      readonly orRedirect?: true
    }
  /** 302 to the address that the caller named, otherwise 201 without content. */
  | { readonly kind: 'callback' }
  | { readonly kind: 'multipart'; readonly mediaType: string; readonly parts: readonly string[] }
  /** A description that is written at start. */
  | { readonly kind: 'description'; readonly of: string }
  /** A file of the product. */
  | { readonly kind: 'file'; readonly mediaType: string }
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
  /** False if GET changes data (spec: "Getting the proof closes the transaction"), because HEAD must not. */
  readonly head?: false
  /** Failures beside those of every call with a key (400, 403, 429, 500, 503). */
  readonly failures?: readonly number[]
  /** Answers contain `Deprecation` and a `Link` to the successor. */
  readonly deprecated?: { readonly since: string; readonly successor: string }
  /** The answer contains a secret: it is never kept, not even for an Idempotency-Key. */
  readonly secretAnswer?: true
  /** Has a separate limit beside that of the key or address. */
  readonly rate?: 'otp' | 'callback' | 'poll'
}

export const BACK_END: Access = ['RELYING_SERVICE']
export const BOTH: Access = ['RELYING_SERVICE', 'USER_AGENT']
