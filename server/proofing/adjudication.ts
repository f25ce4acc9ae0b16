/** Which evidence may be sent to adjudication, and the states of such a request. */
import { AppError } from '../errors.ts'
import { DOCUMENT_MISSING } from './document-quality.ts'
import type { Evidence } from './evidence.ts'
import type { AdjudicationStatus } from './types.ts'

/**
 * TO_PROCESS and UNSURE wait for a claim; PROCESSING is claimed. UNSURE passes the request to a second person. A released
 * request returns to the state from which it was claimed.
 */
const MOVES: Readonly<Record<AdjudicationStatus, readonly AdjudicationStatus[]>> = {
  TO_PROCESS: ['PROCESSING', 'TIME_OUT'],
  PROCESSING: ['TO_PROCESS', 'ACCEPTED', 'REJECTED', 'UNSURE', 'ERROR', 'TIME_OUT'],
  UNSURE: ['PROCESSING', 'TIME_OUT'],
  ACCEPTED: [],
  REJECTED: [],
  ERROR: [],
  TIME_OUT: [],
}

/** Returns the request in its next state. Throws `transition_refused` for a move that the table does not list. */
export function moveAdjudication<Request extends { readonly status: AdjudicationStatus }>(
  request: Request,
  to: AdjudicationStatus,
): Request {
  if (!MOVES[request.status].includes(to)) {
    throw new AppError('transition_refused', { from: request.status, to })
  }
  return { ...request, status: to }
}

/** True if an answer is pending. */
export function isAwaited(status: AdjudicationStatus): boolean {
  return MOVES[status].length > 0
}

/**
 * Spec "Adjudication": a document or portrait that the rules left open and whose picture shows something. The caller must
 * check that there is a picture.
 */
export function isAdjudicable({
  family,
  status,
  evaluation,
}: Pick<Evidence, 'family' | 'status' | 'evaluation'>): boolean {
  const isShown = !evaluation.errors.some(({ field }) => field !== undefined && NOTHING_SHOWN.includes(field))
  return (family === 'IDDOCUMENT' || family === 'PORTRAIT') && status === 'NOT_VERIFIED' && isShown
}

/**
 * Error fields for a picture without a document or face, or with the document's own portrait, where a person would
 * compare the document with itself.
 */
const NOTHING_SHOWN: readonly string[] = [DOCUMENT_MISSING, 'FACE_MISSING', 'PORTRAIT_OWN_PICTURE']
