/**
 * How attempts at a step ended, and other actions of the applicant. Closed lists; officers see them, so they may contain
 * reasons that the applicant must not learn.
 */
import { DOCUMENT_FAULTS } from './document-fault.ts'

/** Advice for the portrait. */
export const PORTRAIT_ADVICE = [
  'PORTRAIT_NO_FACE',
  'PORTRAIT_SEVERAL',
  'PORTRAIT_FAR',
  'PORTRAIT_NEAR',
  'PORTRAIT_TURNED',
  'PORTRAIT_TILTED',
  'PORTRAIT_SHADOW',
  'PORTRAIT_EYES',
  'PORTRAIT_MOUTH',
  'PORTRAIT_COVERED',
  'PORTRAIT_DARK',
  'PORTRAIT_BRIGHT',
  'PORTRAIT_BLUR',
  'PORTRAIT_NOT_DONE',
  /** A video without any movement. */
  'PORTRAIT_STILL',
  'PORTRAIT_UNCLEAR',
] as const

/** The camera could not be used. The kiosk's page notes it as a FAULT; no try follows. */
export const CAMERA_ENDS = [
  'CAMERA_ABSENT',
  'CAMERA_REFUSED',
  'CAMERA_BUSY',
  'CAMERA_STOPPED',
  'CAMERA_WRONG',
] as const

/** GOOD, or why the attempt failed. Codes of document and portrait equal the advice on the screens. */
export const TRY_ENDS = [
  'GOOD',
  /** The applicant cancelled the capture. */
  'GIVEN_UP',
  /** The result is inconclusive and goes to a person. */
  'UNSURE',
  ...CAMERA_ENDS,
  ...DOCUMENT_FAULTS,
  'DOCUMENT_NOT_SEEN',
  'DOCUMENT_BRIGHT',
  ...PORTRAIT_ADVICE,
  /** A fault of the appliance ended the video. */
  'PORTRAIT_OURS',
  'PORTRAIT_DIFFERS',
  /** The portrait is a copy of the document's. */
  'PORTRAIT_COPY',
  /** There is no verified document to compare the face with. */
  'PORTRAIT_ALONE',
  'FILE_UNREADABLE',
  /** The applicant corrected the data by typing. */
  'CHECK_TYPED',
  /** The applicant reported an error and retakes the picture. */
  'CHECK_RETAKEN',
  'PHONE_CODE',
  'PHONE_LIMIT',
  'PHONE_NOT_SENT',
  'LOGIN_FAILED',
] as const
export type TryEnd = (typeof TRY_ENDS)[number]

export const VISIT_ACTS = ['HELP', 'LEFT_OUT', 'TO_PERSON', 'BY_HAND'] as const
export type VisitAct = (typeof VISIT_ACTS)[number]

interface NotedAct {
  readonly step: string
  readonly kind: string
  readonly code: string
}

/**
 * True if the applicant could not use the camera of this step: the fault is the last that happened there. The capture that
 * the camera could not serve then ends as given up. @param notes oldest first
 */
export function isCameraMissing(notes: readonly NotedAct[], step: string): boolean {
  const last = notes.findLast(
    (note) =>
      note.step === step &&
      ['FAULT', 'TRY', 'END'].includes(note.kind) &&
      !(note.kind === 'END' && note.code === 'GIVEN_UP'),
  )
  return last?.kind === 'FAULT' && CAMERA_ENDS.some((end) => end === last.code)
}
