/** Which steps a proofing at the counter has, how far each is, and where one goes on. Pure. */
import type { AssistEvidence, AssistView } from '../../../../server/counter/contract/assist.ts'

export const STEPS = ['consent', 'document', 'handled', 'typed', 'portrait', 'finish'] as const
export type Step = (typeof STEPS)[number]
/** LEFT_OUT: it may be, and is. */
export type StepState = 'DONE' | 'CHECKING' | 'ATTENTION' | 'TO_DO' | 'NOT_YET' | 'FREE'

/** The one that counts: the last that was not refused, else the last. */
export function documentOf({ documents }: Pick<AssistView, 'documents'>): AssistEvidence | null {
  return documents.findLast(({ status }) => status === 'VERIFIED') ?? documents.at(-1) ?? null
}

const captured = (evidence: AssistEvidence | null): StepState => {
  if (!evidence) return 'TO_DO'
  const { status } = evidence
  if (status === 'PROCESSING') return 'CHECKING'
  return status === 'VERIFIED' ? 'DONE' : 'ATTENTION'
}

export function stepStates(view: AssistView): Readonly<Record<Step, StepState>> {
  const agreed = view.consent.state === 'GIVEN'
  const document = documentOf(view)
  const after = (state: StepState): StepState => (agreed ? state : 'NOT_YET')
  return {
    consent: agreed ? 'DONE' : view.consent.state === 'REFUSED' ? 'ATTENTION' : 'TO_DO',
    document: after(captured(document)),
    handled: after(!document ? 'NOT_YET' : document.attendance ? 'DONE' : 'TO_DO'),
    typed: after(view.typed.length > 0 ? 'DONE' : 'FREE'),
    portrait: after(captured(view.portrait)),
    finish: view.ended || view.result ? 'DONE' : view.mayFinish ? 'TO_DO' : 'NOT_YET',
  }
}

/** The first that is to be done; a capture that is being checked is not waited for. */
export function nextStep(view: AssistView): Step {
  const states = stepStates(view)
  return (
    STEPS.find((step) => states[step] === 'TO_DO' || (step === 'consent' && !isDone(states[step]))) ??
    'finish'
  )
}

const isDone = (state: StepState): boolean => state === 'DONE'
