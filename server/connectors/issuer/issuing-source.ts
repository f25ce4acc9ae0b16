/**
 * A source that compares a document with the issuer's records. Owns the connection and its health, not the meaning of an
 * answer. Values are passed on, neither stored nor logged.
 */
import type { IssuerAnswer, IssuerField } from '../../proofing/issuer-answer.ts'
import type { ServiceTrouble } from '../service/http-service.ts'
import type { ServiceHealth } from '../service/service-health.ts'

/** The document and the values to compare, each only if this source needs it. */
export interface IssuerQuestion {
  /** UUID: the same for all tries of one question. */
  readonly requestId: string
  readonly documentType: string
  /** Alpha-3. */
  readonly issuingCountry: string
  readonly issuingState?: string
  readonly values: Readonly<Partial<Record<IssuerField, string>>>
}

export type IssuerTrouble = ServiceTrouble | 'unexpected-answer' | 'malformed'

export type IssuerOutcome =
  | ({ readonly kind: 'answered' } & IssuerAnswer)
  | { readonly kind: 'unavailable'; readonly reason: IssuerTrouble; readonly httpStatus?: number }

export interface IssuingSource {
  /** The configuration's name; recorded in the proof. */
  readonly id: string
  /** The only values that may be sent to it. */
  readonly sends: readonly IssuerField[]
  covers(document: Pick<IssuerQuestion, 'documentType' | 'issuingCountry'>): boolean
  /** Never rejects: a failure is an outcome. */
  ask(question: IssuerQuestion): Promise<IssuerOutcome>
  health(): ServiceHealth
  /** Aborts calls in progress with `unavailable`. */
  close(): void
}
