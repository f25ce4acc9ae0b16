/** The document step: choose the document, capture it, repeat if necessary. The server decides the state. */
import { h } from '../../dom.ts'
import type { Screen, ScreenContext, ScreenState, ScreenView } from '../screen-context.ts'
import { checkingPage } from './checking.ts'
import { documentAgain } from './document-again.ts'
import { documentCapture } from './document-capture.ts'
import { documentChoice } from './document-choice.ts'

export const documentStep: Screen = (context) => {
  let step = findDocumentStep(context.state)
  const view: ScreenView = step ? SCREEN_OF[step.state](context) : { element: h('div', {}) }
  return {
    ...view,
    update: (next) => {
      const now = findDocumentStep(next)
      // The camera of the next try is open already, and the server has been told: do not redraw.
      const isOpen = now?.state === 'CAPTURE' && view.isCapturing?.() === true
      if ((now?.state !== step?.state && !isOpen) || now?.left !== step?.left) return false
      if (JSON.stringify(now?.choice) !== JSON.stringify(step?.choice)) return false
      step = now
      return view.update?.(next) ?? true
    },
  }
}

export function findDocumentStep({ visit }: ScreenState) {
  return visit?.step.kind === 'document' ? visit.step : null
}

const checking = (context: ScreenContext): ScreenView => ({ element: checkingPage(context, 'document') })

const SCREEN_OF = {
  CHOOSE: documentChoice,
  CAPTURE: documentCapture,
  CHECKING: checking,
  AGAIN: documentAgain,
} as const satisfies Record<NonNullable<ReturnType<typeof findDocumentStep>>['state'], Screen>
