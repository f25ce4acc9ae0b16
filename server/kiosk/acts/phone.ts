/** The phone: its number, the message to it, and the code of the message. */
import { AppError } from '../../errors.ts'
import { HOUR_MS } from '../../proofing/time.ts'
import { requireStep, change, requireIdentity, type Turn } from '../kit.ts'
import type { Known } from '../known.ts'
import { SEND_AGAIN_MS } from '../step-views.ts'

/**
 * Throws `rate_limited` if the last message to the same number is too recent, `otp_attempts_reached` after
 * the maximum of the hour.
 */
export async function sendNumber(turn: Turn, number: string): Promise<void> {
  const known = await requireStep(turn, 'phone')
  const { kit, session, caller } = turn
  const { phone } = session.facts
  const { now, settings } = known
  const lately = phone.sentAt.filter((at) => now.getTime() - at.getTime() < HOUR_MS)
  const last = lately.at(-1)
  if (last && isPresentNumber(known, number) && now.getTime() - last.getTime() < SEND_AGAIN_MS) {
    throw new AppError('rate_limited', { afterMs: SEND_AGAIN_MS })
  }
  try {
    await kit.deps.workflows.submitContact(caller, requireIdentity(turn), 'mobile', number)
  } catch (error) {
    if (error instanceof AppError && error.code === 'otp_attempts_reached') {
      // The limit is reached for this visit, or for this number in other visits: another number helps only in
      // the second case.
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
  return identity?.contactDetails?.mobile?.value === number
}

/** Drops the number, and with it a code that may be on its way: the applicant may type another number. */
export async function dropNumber(turn: Turn): Promise<void> {
  await requireStep(turn, 'phone')
  const { kit, session, caller } = turn
  await kit.deps.workflows.abandonContact(caller, requireIdentity(turn), 'mobile')
  change(turn, { phone: { ...session.facts.phone, wrong: 0, askAgain: true } })
}

/** Submits the code. The appliance does not answer whether it was right: the number's status shows it. */
export async function sendCode(turn: Turn, code: string): Promise<void> {
  await requireStep(turn, 'phone')
  const { kit, session, caller } = turn
  const { workflows } = kit.deps
  const identityId = requireIdentity(turn)
  await workflows.submitPasscode(caller, identityId, 'mobile', code)
  const { contactDetails } = await workflows.getIdentity(caller, identityId, { detailed: false })
  const { phone } = session.facts
  const isRight = contactDetails?.mobile?.otp.status === 'DONE'
  kit.record.tryEnded(session, 'phone', isRight ? 'GOOD' : 'PHONE_CODE')
  if (!isRight) change(turn, { phone: { ...phone, wrong: phone.wrong + 1 } })
}
