/** The phone: a number, the message to it, the digits that came. */
import { AppError } from '../../errors.ts'
import { HOUR_MS } from '../../proofing/time.ts'
import { atStep, change, identityOf, type Turn } from '../kit.ts'
import type { Known } from '../known.ts'
import { SEND_AGAIN_MS } from '../step-views.ts'

/** Throws `rate_limited` when the last message went to the same number a moment ago, `otp_attempts_reached` after the hour's. */
export async function sendNumber(turn: Turn, number: string): Promise<void> {
  const known = await atStep(turn, 'phone')
  const { kit, session, caller } = turn
  const { phone } = session.facts
  const { now, settings } = known
  const lately = phone.sentAt.filter((at) => now.getTime() - at.getTime() < HOUR_MS)
  const last = lately.at(-1)
  if (last && isPresentNumber(known, number) && now.getTime() - last.getTime() < SEND_AGAIN_MS) {
    throw new AppError('rate_limited', { afterMs: SEND_AGAIN_MS })
  }
  try {
    await kit.deps.workflows.submitMobile(caller, identityOf(turn), number)
  } catch (error) {
    if (error instanceof AppError && error.code === 'otp_attempts_reached') {
      // Of this visit or of the number in others: only in the first case does another number not help.
      const exhausted = lately.length < settings.otp.perHour
      change(turn, { phone: { ...phone, exhausted } })
      kit.record.tryEnded(session, 'phone', 'PHONE_LIMIT')
    }
    throw error
  }
  change(turn, {
    phone: { wrong: 0, sentAt: [...phone.sentAt, now], exhausted: false, askAgain: false },
  })
}

function isPresentNumber({ identity }: Known, number: string): boolean {
  return identity?.contactDetails?.mobile.value === number
}

/** The number goes, and with it the code that may be on its way: another one may be typed. */
export async function dropNumber(turn: Turn): Promise<void> {
  await atStep(turn, 'phone')
  const { kit, session, caller } = turn
  await kit.deps.workflows.abandonMobile(caller, identityOf(turn))
  change(turn, { phone: { ...session.facts.phone, wrong: 0, askAgain: true } })
}

/** The appliance does not say whether a code was right: that the number is verified then, does. */
export async function sendCode(turn: Turn, code: string): Promise<void> {
  await atStep(turn, 'phone')
  const { kit, session, caller } = turn
  const { workflows } = kit.deps
  const identityId = identityOf(turn)
  await workflows.submitOtp(caller, identityId, code)
  const { contactDetails } = await workflows.getIdentity(caller, identityId, { detailed: false })
  const { phone } = session.facts
  const isRight = contactDetails?.mobile.otp.status === 'DONE'
  kit.record.tryEnded(session, 'phone', isRight ? 'GOOD' : 'PHONE_CODE')
  if (!isRight) change(turn, { phone: { ...phone, wrong: phone.wrong + 1 } })
}
