/** Asking a person: which evidence may be sent, and the states that such a request goes through. */
import { AppError } from '../errors.ts'
import { DOCUMENT_MISSING } from './document-quality.ts'
import type { Evidence } from './evidence.ts'
import type { AdjudicationStatus } from './types.ts'

/**
 * TO_PROCESS and UNSURE wait for somebody to claim them; PROCESSING is claimed. Who is UNSURE hands the request on to a
 * second person, who claims it like the first one. What is given back goes to where it was claimed from.
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

/** The request in its next state. Throws `transition_refused` for a move the table does not list. */
export function moveAdjudication<Request extends { readonly status: AdjudicationStatus }>(
  request: Request,
  to: AdjudicationStatus,
): Request {
  if (!MOVES[request.status].includes(to)) {
    throw new AppError('transition_refused', { from: request.status, to })
  }
  return { ...request, status: to }
}

/** An answer is still to come. */
export function isAwaited(status: AdjudicationStatus): boolean {
  return MOVES[status].length > 0
}

/**
 * Spec "Adjudication": a document or a portrait that the machine could not decide, and of which a picture shows something. The
 * caller knows whether there is a picture at all.
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
 * Fields of the errors by which the checks say that no document, or nobody, is in the picture, or that it is the document's own:
 * a person would compare the document with itself.
 */
const NOTHING_SHOWN: readonly string[] = [DOCUMENT_MISSING, 'FACE_MISSING', 'PORTRAIT_OWN_PICTURE']
