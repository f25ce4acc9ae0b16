/** The document step: choose the document, capture it, repeat if necessary. The server decides the state. */
import type { DocumentStep } from '../../../server/kiosk/contract/index.ts'
import { h } from '../../dom.ts'
import type { Screen, ScreenContext, ScreenView } from '../screen-context.ts'
import { checkingPage } from './checking.ts'
import { documentAgain } from './document-again.ts'
import { documentCapture } from './document-capture.ts'
import { documentChoice } from './document-choice.ts'
import { presentStep } from './present-step.ts'

export const documentStep: Screen = (context) => {
  let step = presentStep(context.state, 'document')
  const view: ScreenView = step ? SCREEN_OF[step.state](context) : { element: h('div', {}) }
  return {
    ...view,
    update: (next) => {
      const now = presentStep(next, 'document')
      // The camera of the next try is open already, and the server has been told: do not redraw.
      const isOpen = now?.state === 'CAPTURE' && view.isCapturing?.() === true
      if ((now?.state !== step?.state && !isOpen) || now?.left !== step?.left) return false
      if (JSON.stringify(now?.choice) !== JSON.stringify(step?.choice)) return false
      step = now
      return view.update?.(next) ?? true
    },
  }
}

const checking = (context: ScreenContext): ScreenView => ({ element: checkingPage(context, 'document') })

const SCREEN_OF = {
  CHOOSE: documentChoice,
  CAPTURE: documentCapture,
  CHECKING: checking,
  AGAIN: documentAgain,
} as const satisfies Record<DocumentStep['state'], Screen>
