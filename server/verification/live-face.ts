/** Maps measurements of a live face to the input of the portrait rules. Contains no rules. */
import { chooseHint, getPrompt, type ChallengeSequence } from '../proofing/liveness/session.ts'
import type { LiveFace, LiveObservation } from '../proofing/liveness/types.ts'
import {
  portraitFindings,
  portraitHint,
  type PortraitHint,
  type PortraitLimits,
  type PortraitMeasures,
} from '../proofing/portrait-quality.ts'
import type { FaceFrame, TrackedFace } from '../vision/protocol.ts'

/** `withPose`: includes the pose. Leave it out when a prompt asks the applicant to turn the head. */
function measuresOfLiveFace({ face, others }: FaceFrame, withPose: boolean): PortraitMeasures {
  if (!face) return { face: null, others }
  const { interEyePx, leftDeg, upDeg, rollDeg, appearance } = face
  return {
    face: {
      interEyePx,
      pose: withPose ? { leftDeg, upDeg, rollDeg } : null,
      // Openness differs between people, so it is compared within a session and has no fixed limit.
      eyeOpenness: null,
      mouthOpenness: null,
      ...appearance,
    },
    others,
  }
}

/**
 * A second face that is large enough to be the applicant's makes the observation ambiguous: no face is
 * chosen.
 */
export function toObservation(
  frame: FaceFrame,
  at: Pick<LiveObservation, 'sequence' | 'atMs' | 'ownMs'>,
  limits: PortraitLimits,
): LiveObservation {
  const findings = portraitFindings(measuresOfLiveFace(frame, false), limits)
  const isOne = !findings.includes('SINGLE_FACE_PRESENT')
  const face = frame.face && isOne ? liveFace(frame, frame.face, findings.length === 0) : null
  return { ...at, face }
}

function liveFace({ image }: FaceFrame, face: TrackedFace, isGood: boolean): LiveFace {
  const { leftDeg, upDeg, rollDeg, headWidthPx, eyeOpenness, mouthOpenness, pad, skin } = face
  const { forehead, surround, edges } = face
  const box = shareBox({ image }, face)
  return {
    leftDeg,
    upDeg,
    rollDeg,
    headWidthPx,
    widthShare: headWidthPx / image.widthPx,
    centre: { x: box.x + box.width / 2, y: box.y + box.height / 2 },
    eyeOpenness,
    mouthOpenness,
    sharpness: face.appearance.sharpness,
    pad,
    skin,
    forehead,
    surround,
    edges,
    isGood,
  }
}

/**
 * Box of the face as shares (0–1) of the picture's width and height, independent of the size on the screen.
 */
export function shareBox({ image }: Pick<FaceFrame, 'image'>, { box }: Pick<TrackedFace, 'box'>) {
  const { widthPx, heightPx } = image
  return {
    x: box.x / widthPx,
    y: box.y / heightPx,
    width: box.width / widthPx,
    height: box.height / heightPx,
  }
}

/**
 * Returns the hint beside the prompt: how to follow the prompt, otherwise the most important fault of the
 * picture.
 */
export function liveHint(
  frame: FaceFrame,
  challenge: ChallengeSequence,
  limits: PortraitLimits,
): PortraitHint {
  const own = chooseHint(challenge, toObservation(frame, { sequence: 1, atMs: 0 }, limits))
  if (own) return own
  const isStraight = getPrompt(challenge)?.kind === 'LOOK_STRAIGHT'
  return portraitHint(portraitFindings(measuresOfLiveFace(frame, isStraight), limits)) ?? 'ALL_GOOD'
}
