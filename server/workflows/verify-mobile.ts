import type { Context } from '../context.ts'
import type { Deadline } from '../store/deadlines.ts'
import type { VerifyResult } from './verify-evidence.ts'

export function mobileWorkflows(_ctx: Context) {
  return {}
}

/** Job `deliver-otp`: makes the passcode and hands it to the carrier. */
export async function deliverOtp(
  _ctx: Context,
  _identityId: string,
  _evidenceId: string,
): Promise<VerifyResult> {
  return 'skipped'
}

/** Inside a transaction: the job failed for good. */
export function failOtp(_ctx: Context, _identityId: string, _evidenceId: string): void {
  return
}

/** Inside a transaction. */
export function otpTimedOut(_ctx: Context, _deadline: Deadline): void {
  return
}
