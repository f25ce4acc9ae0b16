/** The face: a live session of the kind that the journey asks for, or the gentler one that the person asked for. */
import type { z } from 'zod'
import { AppError, fieldProblem } from '../../errors.ts'
import type { LivenessRequest } from '../../proofing/capture-session.ts'
import type { LivenessType, Upload } from '../../proofing/types.ts'
import type { OpenedCapture, PortraitWish } from '../contract/visit.ts'
import { withAttempt } from '../capture-state.ts'
import { atStep, change, identityOf, OUR_SCREENS, type Turn } from '../kit.ts'
import { captureOf, stepOf, type Known, type StepOf } from '../known.ts'
import { mayUpload } from '../step-views.ts'
import { abandonCapture } from './capture.ts'

export type Wished = z.output<typeof PortraitWish>

export async function openPortrait(turn: Turn, wish: Wished): Promise<OpenedCapture> {
  const known = await atStep(turn, 'portrait')
  const step = requireWanted(known)
  const { kit, session, caller } = turn
  const { workflows } = kit.deps
  await abandonCapture(turn, 'portrait')
  const opened = await workflows.openPortraitSession(caller, identityOf(turn), livenessFor(step, wish))
  const current = { evidenceId: opened.id, sessionId: opened.sessionId }
  change(turn, {
    portrait: withAttempt(session.facts.portrait, captureOf(known, 'portrait'), current),
  })
  const { expiresAt } = await workflows.getCaptureSession(opened.sessionId)
  return { sessionId: opened.sessionId, sides: [], expiresAt: expiresAt.toISOString() }
}

/**
 * Who cannot turn the head is not asked to, whatever else he wishes; the level follows what was done. Throws
 * `validation_failed` for a wish that the journey has no answer to.
 */
export function livenessFor(step: StepOf<'portrait'>, wish: Wished): LivenessRequest {
  const { livenessType, withoutColours, withoutTurning, securityLevel, nbChallenge } = step
  if (wish.withoutTurning && !withoutTurning) throw notOffered('withoutTurning')
  if (!wish.withoutTurning && wish.withoutColours && !withoutColours) throw notOffered('withoutColours')
  const gentler = wish.withoutTurning ? withoutTurning : wish.withoutColours ? withoutColours : undefined
  const type: LivenessType = gentler ?? livenessType
  return {
    // The colours of MLC need a screen that is ours: ours it is.
    mode: type === 'LIVENESS_MLC' ? 'nativeSDK' : 'webSDK',
    type,
    securityLevel,
    nbChallenge,
  }
}

const notOffered = (field: string): AppError => fieldProblem('not_allowed', field, 'is not offered here')

/** A photo from a file proves nobody present: the journey has to allow it, and the level follows. */
export async function sendPortraitFile(turn: Turn, file: Upload): Promise<void> {
  const known = await atStep(turn, 'portrait')
  requireWanted(known)
  if (!mayUpload(known, 'portrait')) throw new AppError('forbidden', { reason: 'no_upload' })
  const { kit, session, caller } = turn
  await abandonCapture(turn, 'portrait')
  const { id } = await kit.deps.workflows.submitPortrait(caller, identityOf(turn), file, OUR_SCREENS)
  const current = { evidenceId: id, sessionId: null }
  change(turn, {
    portrait: withAttempt(session.facts.portrait, captureOf(known, 'portrait'), current),
  })
}

function requireWanted(known: Known): StepOf<'portrait'> {
  const step = stepOf(known, 'portrait')
  const { state } = captureOf(known, 'portrait')
  if (!step || state === 'CHECKING' || state === 'DONE') throw new AppError('transition_refused', { state })
  return step
}
