/**
 * A mobile operator that compares a person with the contract of a phone number. Owns the connection and its health, not the
 * meaning of an answer. Values are passed on, neither stored nor logged.
 */
import type { CallNote } from '../../proofing/disclosure.ts'
import type { OperatorAnswer, OperatorField, OperatorQuestion } from '../../proofing/phone-ownership.ts'
import type { ServiceHealth } from '../service/service-health.ts'

/** An answer with the calls that it took: one about the person and the number, one about the number alone. */
export interface AskedOperator {
  readonly answer: OperatorAnswer
  readonly calls: readonly (CallNote & { readonly api: 'kyc-match' | 'sim-swap' })[]
}

export interface MobileOperator {
  /** The only values that may be sent to it. */
  readonly sends: readonly OperatorField[]
  /** Minutes before each further try of a question that was not answered. */
  readonly askAgainMinutes: readonly number[]
  /** Never rejects: a failure is part of the answer. `requestId`: UUID, the same for all tries of one question. */
  ask(question: OperatorQuestion, requestId: string): Promise<AskedOperator>
  health(): ServiceHealth
  /** Aborts calls in progress. */
  close(): void
}
