/** The steps of a proofing at the counter, their states, and the next one to do. Pure. */
import type { AssistEvidence, AssistView } from '../../../../server/counter/contract/assist.ts'

export const STEPS = ['consent', 'document', 'handled', 'typed', 'portrait', 'finish'] as const
export type Step = (typeof STEPS)[number]
/** LEFT_OUT: an optional step that was skipped. */
export type StepState = 'DONE' | 'CHECKING' | 'ATTENTION' | 'TO_DO' | 'NOT_YET' | 'FREE'

type Documents = Pick<AssistView, 'documents'>

/** A capture without a picture, open or ended, is not a try. */
const isTry = ({ status, images, awaitsPicture }: AssistEvidence): boolean =>
  !awaitsPicture && (status === 'PROCESSING' || images.length > 0)

/**
 * Returns the document in use: the last verified one, otherwise the last try. All are kept, and the policy
 * uses the best.
 */
export function findDocument({ documents }: Documents): AssistEvidence | null {
  return (
    documents.findLast(({ status }) => status === 'VERIFIED') ??
    documents.findLast(isTry) ??
    documents.findLast(({ awaitsPicture }) => !awaitsPicture) ??
    null
  )
}

/** Besides the document in use: the newest later try, and the number of earlier ones. */
export function otherTries(view: Documents): {
  readonly later: AssistEvidence | null
  readonly earlier: number
} {
  const at = view.documents.findIndex((document) => document === findDocument(view))
  return {
    later: view.documents.slice(at + 1).findLast(isTry) ?? null,
    earlier: view.documents.slice(0, Math.max(0, at)).filter(isTry).length,
  }
}

const captured = (evidence: AssistEvidence | null): StepState => {
  if (!evidence || evidence.awaitsPicture) return 'TO_DO'
  const { status } = evidence
  if (status === 'PROCESSING') return 'CHECKING'
  return status === 'VERIFIED' ? 'DONE' : 'ATTENTION'
}

/** The face is verified, and only the officer's statement can make it count. */
const isStatementMissing = (portrait: AssistEvidence | null): boolean =>
  portrait?.status === 'VERIFIED' && portrait.needsStatement && portrait.attendance === null

/** A face that could not be verified. */
export const isRefused = ({ status }: Pick<AssistEvidence, 'status'>): boolean =>
  status === 'NOT_VERIFIED' || status === 'INVALID'

/**
 * The officer may state "I was there" only about a face that a camera took here, as the server requires. A statement
 * about a refused face would look like a confirmation.
 */
export const mayAttest = (portrait: Pick<AssistEvidence, 'status' | 'capturedHere' | 'fromFile'>): boolean =>
  portrait.capturedHere && !portrait.fromFile && !isRefused(portrait)

/** The statement is the next act. */
export const isStatementOpen = (
  portrait: Pick<AssistEvidence, 'status' | 'capturedHere' | 'fromFile' | 'attendance'>,
): boolean => mayAttest(portrait) && portrait.attendance === null

const parseLevel = (level: string): number => Number(level.replace(/^LOA/, ''))

export const isLevelEnough = ({ level }: Pick<AssistView, 'level'>): boolean =>
  parseLevel(level.reached) >= parseLevel(level.confirmedFrom)

/** Sealed now, the visit would end as confirmed: the server's rule. */
export const isConfirmed = (view: Pick<AssistView, 'level'>): boolean =>
  isLevelEnough(view) && view.level.presenceShown

/** Changes with everything that may change the level: an explanation of the level holds only for its basis. */
export const levelBasis = ({ level, documents, portrait, typed }: AssistView): string =>
  JSON.stringify([
    level,
    [...documents, portrait, ...typed].map((one) => one && [one.evidenceId, one.status, one.attendance]),
  ])

/** A typed value differs from the document. */
const isContradicted = (document: AssistEvidence | null): boolean =>
  document?.compared.some(({ typed, comparison }) => typed !== null && comparison === 'DIFFERENT') === true

export function stepStates(view: AssistView): Readonly<Record<Step, StepState>> {
  const agreed = view.consent.state === 'GIVEN'
  const document = findDocument(view)
  const after = (state: StepState): StepState => (agreed ? state : 'NOT_YET')
  return {
    consent: agreed ? 'DONE' : view.consent.state === 'REFUSED' ? 'ATTENTION' : 'TO_DO',
    document: after(captured(document)),
    handled: after(!document ? 'NOT_YET' : document.attendance ? 'DONE' : 'TO_DO'),
    typed: after(view.typed.length === 0 ? 'FREE' : isContradicted(document) ? 'ATTENTION' : 'DONE'),
    portrait: after(isStatementMissing(view.portrait) ? 'TO_DO' : captured(view.portrait)),
    finish: view.ended || view.result ? 'DONE' : view.mayFinish ? 'TO_DO' : 'NOT_YET',
  }
}

/** Returns the first step that is to be done; it does not wait for a capture that is being checked. */
export function nextStep(view: AssistView): Step {
  const states = stepStates(view)
  return (
    STEPS.find((step) => states[step] === 'TO_DO' || (step === 'consent' && !isDone(states[step]))) ??
    'finish'
  )
}

const isDone = (state: StepState): boolean => state === 'DONE'
