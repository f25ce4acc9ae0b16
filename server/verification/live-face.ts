/** What the rules of a live portrait need of a measurement. No rules here. */
import { courseHint, promptOf, type Course } from '../proofing/liveness/session.ts'
import type { LiveFace, LiveObservation } from '../proofing/liveness/types.ts'
import {
  portraitFindings,
  portraitHint,
  type PortraitHint,
  type PortraitLimits,
  type PortraitMeasures,
} from '../proofing/portrait-quality.ts'
import type { FaceFrame, TrackedFace } from '../vision/protocol.ts'

/** `withPose`: where a straight view is wanted; a head that turns as it was asked to is no fault. */
export function measuresOfLiveFace({ face, others }: FaceFrame, withPose: boolean): PortraitMeasures {
  if (!face) return { face: null, others }
  const { interEyePx, leftDeg, upDeg, rollDeg, appearance } = face
  return {
    face: {
      interEyePx,
      pose: withPose ? { leftDeg, upDeg, rollDeg } : null,
      // People differ in both: they are compared within a session, not with a limit.
      eyeOpenness: null,
      mouthOpenness: null,
      ...appearance,
    },
    others,
  }
}

/** A second face near enough to be meant is nobody in particular. */
export function observationOf(
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
  const { leftDeg, upDeg, rollDeg, headWidthPx, eyeOpenness, mouthOpenness, pad, skin, surround } = face
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
    surround,
    isGood,
  }
}

/** Of the face, in shares of the picture's width and height: a screen may show the picture in any size. */
export function shareBox({ image }: Pick<FaceFrame, 'image'>, { box }: Pick<TrackedFace, 'box'>) {
  const { widthPx, heightPx } = image
  return {
    x: box.x / widthPx,
    y: box.y / heightPx,
    width: box.width / widthPx,
    height: box.height / heightPx,
  }
}

/** What a screen says beside the prompt: how to do what is asked, else the fault of the picture that matters most. */
export function liveHint(frame: FaceFrame, course: Course, limits: PortraitLimits): PortraitHint {
  const own = courseHint(course, observationOf(frame, { sequence: 1, atMs: 0 }, limits))
  if (own) return own
  const isStraight = promptOf(course)?.kind === 'LOOK_STRAIGHT'
  return portraitHint(portraitFindings(measuresOfLiveFace(frame, isStraight), limits)) ?? 'ALL_GOOD'
}
