/** Props of the steps of a visit. */
import type { AssistView } from '../../../../server/counter/contract/assist.ts'
import type { Again } from './again.tsx'
import type { Step } from './steps.ts'

export interface VisitProps {
  readonly view: AssistView
  readonly onView: (view: AssistView) => void
  readonly onReload: () => void
}

/** Inputs of a step beside the visit: how to continue, and the captures to repeat. */
export interface StepProps extends VisitProps {
  readonly onNext: () => void
  readonly onStep: (step: Step) => void
  readonly again: Again
  /** Whether the screen is turned to the applicant: the page stays on its step until it is given back. */
  readonly onTurned: (turned: boolean) => void
}
