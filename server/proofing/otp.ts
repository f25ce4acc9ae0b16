/** State machine of the one-time passcode that proves control of a phone number. */
import { AppError } from '../errors.ts'
import type { OtpStatus } from './types.ts'

export interface Passcode {
  readonly status: OtpStatus
  /** Null if no code can be on its way. */
  readonly codeHash: Uint8Array | null
  /** Number of wrong codes so far. */
  readonly attempts: number
  readonly createdAt: Date
  readonly timeoutMs: number
}

/**
 * Spec "Mobile OTP status". A code is accepted before the carrier's answer has arrived, and after an error: "the user can
 * retry giving the OTP without a new one being generated".
 */
const MOVES: Record<OtpStatus, readonly OtpStatus[]> = {
  INITIATE: [],
  NOT_INITIATED: [],
  PROCESSING: ['PENDING', 'DONE', 'TIMEOUT', 'ERROR'],
  PENDING: ['DONE', 'TIMEOUT', 'ERROR'],
  ERROR: ['DONE'],
  DONE: [],
  TIMEOUT: [],
}

/** Returns the passcode in its next state. Throws `transition_refused` for a move that the table does not list. */
export function moveOtp<P extends { readonly status: OtpStatus }>(otp: P, to: OtpStatus): P {
  if (!MOVES[otp.status].includes(to)) throw new AppError('transition_refused', { from: otp.status, to })
  return { ...otp, status: to }
}

/** Built digit by digit to keep leading zeros. `randomDigit`: uniform from 0 to 9, unpredictable. */
export function makeCode(digits: number, randomDigit: () => number): string {
  return Array.from({ length: digits }, () => String(randomDigit())).join('')
}

export function computeOtpEnd(otp: Pick<Passcode, 'createdAt' | 'timeoutMs'>): Date {
  return new Date(otp.createdAt.getTime() + otp.timeoutMs)
}

/**
 * Throws `otp_no_longer_valid` for a used or expired passcode, even if its end is not recorded yet, and
 * `otp_attempts_reached` after too many wrong codes. After an error a code is still accepted.
 */
export function requireSubmittable(otp: Passcode, maxAttempts: number, at: Date): void {
  const over = otp.status === 'DONE' || otp.status === 'TIMEOUT' || at >= computeOtpEnd(otp)
  if (over) throw new AppError('otp_no_longer_valid')
  if (otp.attempts >= maxAttempts) throw new AppError('otp_attempts_reached')
}
