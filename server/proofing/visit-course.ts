/**
 * The words of a visit's course: how a try at a step ended, and what else the person did. Closed lists; staff read them, so
 * they may say what the person must not learn.
 */
import { DOCUMENT_FAULTS } from './document-fault.ts'

/** What a person can do better at the portrait. */
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
  /** The same of a film without any movement. */
  'PORTRAIT_STILL',
  'PORTRAIT_UNCLEAR',
] as const

/** GOOD, or why the try did not do. Those of document and portrait are the advice of the screens. */
export const TRY_ENDS = [
  'GOOD',
  /** The person ended the capture. */
  'GIVEN_UP',
  /** The machine is unsure and asks a person. */
  'UNSURE',
  ...DOCUMENT_FAULTS,
  'DOCUMENT_NOT_SEEN',
  'DOCUMENT_BRIGHT',
  ...PORTRAIT_ADVICE,
  /** A fault of ours ended the film. */
  'PORTRAIT_OURS',
  'PORTRAIT_DIFFERS',
  /** It is the document's own picture. */
  'PORTRAIT_COPY',
  /** No document was verified with which the face could be compared. */
  'PORTRAIT_ALONE',
  'FILE_UNREADABLE',
  /** The person typed other data than was read. */
  'CHECK_TYPED',
  /** The person said that something is wrong, and photographs again. */
  'CHECK_RETAKEN',
  'PHONE_CODE',
  'PHONE_LIMIT',
  'PHONE_NOT_SENT',
  'LOGIN_FAILED',
] as const
export type TryEnd = (typeof TRY_ENDS)[number]

export const VISIT_ACTS = ['HELP', 'LEFT_OUT', 'TO_PERSON', 'BY_HAND'] as const
export type VisitAct = (typeof VISIT_ACTS)[number]
