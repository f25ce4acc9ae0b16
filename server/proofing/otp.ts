/** The one-time passcode that shows control of a phone number: its states and what it still allows. */
import { AppError } from '../errors.ts'
import type { OtpStatus } from './types.ts'

export interface Passcode {
  readonly status: OtpStatus
  /** Null where no code can be on its way to the person. */
  readonly codeHash: Uint8Array | null
  /** Wrong submissions so far. */
  readonly attempts: number
  readonly createdAt: Date
  readonly timeoutMs: number
}

/**
 * Spec "Mobile OTP status". A code may be typed in before the carrier's answer has arrived, and after an error: "the
 * user can retry giving the OTP without a new one being generated".
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

/** The passcode in its next state. Throws `transition_refused` for a move the table does not list. */
export function moveOtp<P extends { readonly status: OtpStatus }>(otp: P, to: OtpStatus): P {
  if (!MOVES[otp.status].includes(to)) throw new AppError('transition_refused', { from: otp.status, to })
  return { ...otp, status: to }
}

/** Digit by digit, so that leading zeros stay. `randomDigit`: uniform from 0 to 9, not to be foreseen. */
export function makeCode(digits: number, randomDigit: () => number): string {
  return Array.from({ length: digits }, () => String(randomDigit())).join('')
}

export function otpEndsAt(otp: Pick<Passcode, 'createdAt' | 'timeoutMs'>): Date {
  return new Date(otp.createdAt.getTime() + otp.timeoutMs)
}

/**
 * Throws `otp_no_longer_valid` for one that was used or whose time is over, whether or not its end was recorded yet, and
 * `otp_attempts_reached` after too many wrong codes. After an error a code may be typed in all the same.
 */
export function requireSubmittable(otp: Passcode, maxAttempts: number, at: Date): void {
  const over = otp.status === 'DONE' || otp.status === 'TIMEOUT' || at >= otpEndsAt(otp)
  if (over) throw new AppError('otp_no_longer_valid')
  if (otp.attempts >= maxAttempts) throw new AppError('otp_attempts_reached')
}
