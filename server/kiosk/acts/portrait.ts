/**
 * The face: a liveness session of the type that the journey asks for, or of the other one that the applicant
 * chose.
 */
import type { z } from 'zod'
import { AppError, fieldProblem } from '../../errors.ts'
import type { LivenessRequest } from '../../proofing/capture-session.ts'
import type { LivenessType, Upload } from '../../proofing/types.ts'
import type { OpenedCapture, PortraitWish } from '../contract/visit.ts'
import { withAttempt } from '../capture-state.ts'
import { requireStep, change, requireIdentity, OUR_SCREENS, type Turn } from '../kit.ts'
import { getCapture, findStep, type Known, type StepOf } from '../known.ts'
import { livenessTypeFor } from '../liveness-wish.ts'
import { mayUpload } from '../step-views.ts'
import { abandonCapture } from './capture.ts'

type Wished = z.output<typeof PortraitWish>

export async function openPortrait(turn: Turn, wish: Wished): Promise<OpenedCapture> {
  const known = await requireStep(turn, 'portrait')
  const step = requireWanted(known)
  const { kit, session, caller } = turn
  const { workflows } = kit.deps
  const type = livenessTypeFor(step, wish)
  if (type === null || (type !== step.livenessType && !known.judgesLiveness(type))) {
    const field = wish.withoutTurning ? 'withoutTurning' : 'withoutColours'
    throw fieldProblem('not_allowed', field, 'is not offered here')
  }
  await abandonCapture(turn, 'portrait')
  const opened = await workflows.openPortraitSession(caller, requireIdentity(turn), livenessFor(step, type))
  const current = { evidenceId: opened.id, sessionId: opened.sessionId }
  change(turn, {
    portrait: withAttempt(session.facts.portrait, getCapture(known, 'portrait'), current),
    // The next try has the same type, unless the applicant chooses again.
    portraitWish: wish,
  })
  const { expiresAt } = await workflows.getCaptureSession(opened.sessionId)
  return { sessionId: opened.sessionId, sides: [], expiresAt: expiresAt.toISOString() }
}

function livenessFor(step: StepOf<'portrait'>, type: LivenessType): LivenessRequest {
  const { securityLevel, nbChallenge } = step
  // The colours of MLC need a screen under our control; the kiosk's screen is.
  return { mode: type === 'LIVENESS_MLC' ? 'nativeSDK' : 'webSDK', type, securityLevel, nbChallenge }
}

/** Takes a photo from a file. It proves no presence: the journey must allow it, and the level is lower. */
export async function sendPortraitFile(turn: Turn, file: Upload): Promise<void> {
  const known = await requireStep(turn, 'portrait')
  requireWanted(known)
  if (!mayUpload(known, 'portrait')) throw new AppError('forbidden', { reason: 'no_upload' })
  const { kit, session, caller } = turn
  await abandonCapture(turn, 'portrait')
  const { id } = await kit.deps.workflows.submitPortrait(caller, requireIdentity(turn), file, OUR_SCREENS)
  const current = { evidenceId: id, sessionId: null }
  change(turn, {
    portrait: withAttempt(session.facts.portrait, getCapture(known, 'portrait'), current),
  })
}

function requireWanted(known: Known): StepOf<'portrait'> {
  const step = findStep(known, 'portrait')
  const { state } = getCapture(known, 'portrait')
  if (!step || state === 'CHECKING' || state === 'DONE') throw new AppError('transition_refused', { state })
  return step
}
