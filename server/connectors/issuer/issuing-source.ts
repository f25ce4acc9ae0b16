/**
 * A source that compares a document with the issuer's records. Owns the connection and its health, not the meaning of an
 * answer. Values are passed on, neither stored nor logged.
 */
import type { ConnectorId } from '../../proofing/disclosure.ts'
import type { IssuerAnswer } from '../../proofing/issuer-answer.ts'
import type { IssuerCoverage, IssuerQuestionContent } from '../../proofing/issuer-question.ts'
import type { SourceDocument } from '../../proofing/issuing-sources.ts'
import type { Called } from '../service/http-service.ts'
import type { Unavailable } from '../service/json-answer.ts'
import type { ServiceHealth } from '../service/service-health.ts'

export interface IssuerQuestion extends IssuerQuestionContent {
  /** UUID: the same for all tries of one question. */
  readonly requestId: string
}

export type IssuerOutcome = ({ readonly kind: 'answered' } & IssuerAnswer) | Unavailable

export interface IssuingSource {
  /** The configuration's name; recorded in the proof. */
  readonly id: string
  readonly connector: Extract<ConnectorId, `issuer${string}`>
  /** Pauses before an unanswered question is put again, in minutes. */
  readonly askAgainMinutes: readonly number[]
  /** Null: it keeps no records of such documents. */
  findCoverage(document: SourceDocument): IssuerCoverage | null
  /** Never rejects: a failure is an outcome. */
  ask(question: IssuerQuestion): Promise<Called<IssuerOutcome>>
  health(): ServiceHealth
  /** Aborts calls in progress with `unavailable`. */
  close(): void
}
