/** The portrait step: the introduction with the alternatives, the camera, and further tries if necessary. */
import type { PortraitStep, PortraitWish } from '../../../server/kiosk/contract/index.ts'
import type { Screen, ScreenContext } from '../screen-context.ts'
import { checkingPage } from './checking.ts'
import { portraitCapture } from './portrait-capture.ts'
import type { CapturePage } from './portrait-capture.ts'
import { againPage, beforePage, cannotPage, officerPage, tipsPage } from './portrait-pages.ts'
import type { OfficerReason, PortraitPages } from './portrait-pages.ts'
import { presentStep } from './present-step.ts'
import { createStage } from './stage.ts'

/** Whether the last try saw a face. The screen is drawn again after each try, so the value outlives it. */
let sawFace = true

export const portrait: Screen = (context) => {
  let step = presentStep(context.state, 'portrait')
  const stage = createStage('portrait')
  let camera: CapturePage | null = null
  const show = (element: HTMLElement) => {
    camera?.dispose()
    camera = null
    stage.show({ element })
  }
  const pages = {
    capture: (wish: PortraitWish = {}) => {
      camera?.dispose()
      const opened = portraitCapture(context, {
        wish,
        cannot: pages.cannot,
        again: () => pages.capture(wish),
        ended: (seen) => (sawFace = seen),
      })
      camera = opened
      stage.show({ element: opened.element, shown: () => opened.begin() })
    },
    cannot: () => step && show(cannotPage(context, step, pages)),
    before: () => step && show(beforePage(context, step, pages)),
    officer: (because: OfficerReason) => show(officerPage(context, because, pages)),
  }
  if (step) show(firstPage(context, step, pages))
  return {
    element: stage.element,
    update(next) {
      stage.working(next.working)
      if (next.trouble === null) camera?.online()
      const now = presentStep(next, 'portrait')
      // The camera of the next try is open already, and the server has been told: do not redraw.
      const isOpen = now?.state === 'READY' && camera !== null
      if (now === null || (now.state !== step?.state && !isOpen) || now.left !== step?.left) return false
      step = now
      return true
    },
    dispose() {
      camera?.dispose()
      stage.dispose()
    },
  }
}

function firstPage(context: ScreenContext, step: PortraitStep, pages: PortraitPages): HTMLElement {
  if (step.state === 'CHECKING') return checkingPage(context, 'portrait')
  if (step.state === 'READY') return beforePage(context, step, pages)
  const told = sawFace ? step : withoutFace(step)
  return step.tipsFirst ? tipsPage(context, told, pages) : againPage(context, told, pages)
}

/** Advice on movements does not help a person whose face the camera did not see. */
function withoutFace(step: PortraitStep): PortraitStep {
  const [first] = step.guidance
  return first === 'PORTRAIT_NOT_DONE' || first === 'PORTRAIT_STILL'
    ? { ...step, guidance: ['PORTRAIT_NO_FACE'] }
    : step
}
