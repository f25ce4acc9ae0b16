/**
 * A mobile operator that compares a person with the contract of a phone number. Owns the connection and its health, not the
 * meaning of an answer. Values are passed on, neither stored nor logged.
 */
import type { OperatorAnswer, OperatorField, OperatorQuestion } from '../../proofing/phone-ownership.ts'
import type { ServiceHealth } from '../service/service-health.ts'

export interface MobileOperator {
  /** The only values that may be sent to it. */
  readonly sends: readonly OperatorField[]
  /** Never rejects: a failure is part of the answer. `requestId`: UUID, the same for all tries of one question. */
  ask(question: OperatorQuestion, requestId: string): Promise<OperatorAnswer>
  health(): ServiceHealth
  /** Aborts calls in progress. */
  close(): void
}
