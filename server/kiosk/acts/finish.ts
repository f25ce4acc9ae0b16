/** Skips a step, and ends the visit: outcome, receipt, proof. */
import type { z } from 'zod'
import { AppError, type ErrorCode } from '../../errors.ts'
import { HOUR_MS } from '../../proofing/time.ts'
import { isCameraMissing } from '../../proofing/visit-words.ts'
import type { SentReason } from '../../store/visits.ts'
import type { Caller } from '../../proofing/types.ts'
import { createReceiptCode, qrCode, receiptText, toReference } from '../../screens/receipt.ts'
import type { Outcome, Receipt, SkipStep } from '../contract/visit.ts'
import { requireStep, change, requireIdentity, type Kit, type Turn } from '../kit.ts'
import { findStep, type Known } from '../known.ts'
import { findDetailQuestion, listSteps } from '../steps.ts'
import { decideOutcome, stepView } from '../step-views.ts'
import { abandonCapture } from './capture.ts'
import { abandonChip } from './chip.ts'
import { abandonLogin } from './trusted-login.ts'

/**
 * Temporary reasons: checks still run, the time-stamping authority cannot be reached, or the disk refuses
 * writes.
 */
const NOT_YET: readonly ErrorCode[] = ['identity_processing', 'timestamp_unavailable', 'proof_not_stored']

/**
 * Throws `transition_refused` for a step that is not the present one, or that the journey does not allow to
 * skip.
 */
export async function skipStep(
  turn: Turn,
  { step, person, because }: z.output<typeof SkipStep>,
): Promise<void> {
  const known = await requireStep(turn, step)
  if (!person && !mayBeSkipped(known, step)) throw new AppError('transition_refused', { step })
  const { kit, session } = turn
  await abandonAll(turn)
  kit.record.did(session, person ? 'TO_PERSON' : 'LEFT_OUT')
  if (person) kit.record.send(session, findReason(turn, step, because))
  if (person) return change(turn, { toPerson: true, heldFront: null })
  const question = step === 'details' ? findDetailQuestion(known) : null
  if (question) change(turn, { leftOut: [...session.facts.leftOut, question] })
  else change(turn, { skipped: [...session.facts.skipped, step] })
}

/** An applicant who asks for a person because there is no camera did not choose. */
function findReason(
  { kit, session }: Turn,
  step: string,
  because: z.output<typeof SkipStep>['because'],
): SentReason {
  if (because !== 'CHOSEN' || session.visitId === null) return because
  return isCameraMissing(kit.deps.visits.listNotes(session.visitId), step) ? 'NO_CAMERA' : because
}

function mayBeSkipped(known: Known, step: z.output<typeof SkipStep>['step']): boolean {
  if (step === 'phone' || step === 'chip') return findStep(known, step)?.mayBeSkipped ?? false
  return step === 'trusted-login' || step === 'details'
}

/** Ends all open captures and logins, because only the applicant could complete them. */
async function abandonAll(turn: Turn): Promise<void> {
  const { kit, session, caller } = turn
  await abandonCapture(turn, 'document')
  await abandonCapture(turn, 'portrait')
  await abandonChip(turn)
  await abandonLogin(turn)
  if (session.facts.phone.sentAt.length > 0) {
    await kit.deps.workflows.abandonContact(caller, requireIdentity(turn), 'mobile')
  }
}

/** The unfinished visit waits at the counter, and needs no receipt. */
export async function leaveToCounter(turn: Turn, because: 'CALLED' | 'UNATTENDED'): Promise<void> {
  const { kit, session } = turn
  const { clock, journey } = kit.deps
  session.sealFrom = new Date(clock.now().getTime() + journey.handOverHours * HOUR_MS)
  kit.record.send(session, because)
  await abandonAll(turn)
}

/** Ends the visit with an outcome and a receipt; a repeated call returns the same. */
export async function finishVisit(turn: Turn): Promise<void> {
  const { kit, session, caller } = turn
  if (session.facts.receipt) return
  const known = await requireStep(turn, 'waiting')
  await abandonAll(turn)
  const identityId = requireIdentity(turn)
  const outcome = await settle(kit, caller, session, identityId, known)
  const receipt = makeReceipt(identityId, known.now)
  kit.record.receipt(session, outcome, receipt.code)
  change(turn, { outcome, receipt })
}

async function settle(
  { deps }: Kit,
  caller: Caller,
  session: Turn['session'],
  identityId: string,
  known: Known,
): Promise<Outcome> {
  const view = stepView(known, listSteps(known))
  const isReady = view.kind === 'waiting' && view.ready
  const outcome = decideOutcome(known)
  const handOverMs = known.journey.handOverHours * HOUR_MS
  if (isReady && outcome === 'PERSON' && handOverMs > 0) {
    // After sealing, the counter could add nothing.
    session.sealFrom = new Date(known.now.getTime() + handOverMs)
    return outcome
  }
  const sealed = await seal(deps, caller, identityId)
  session.sealFrom = sealed ? null : known.now
  return isReady || sealed ? outcome : 'LATER'
}

/** False if the proof cannot be sealed yet; a later sweep then seals it. */
export async function seal(deps: Kit['deps'], caller: Caller, identityId: string): Promise<boolean> {
  try {
    await deps.workflows.sealProof(caller, identityId)
    return true
  } catch (error) {
    if (error instanceof AppError && NOT_YET.includes(error.code)) return false
    throw error
  }
}

function makeReceipt(identityId: string, at: Date): Receipt {
  const reference = toReference(identityId)
  const code = createReceiptCode()
  return { reference, code, qr: qrCode(receiptText({ reference, code })), issuedAt: localMinute(at) }
}

/** yyyy-MM-ddTHH:mm in local time, for the receipt. */
function localMinute(at: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0')
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}
