/**
 * Handles a camera that stopped: for a few seconds the screen asks the applicant to wait, then it shows the
 * page about the camera, which closes when the camera is back. The capture element stays in the page, so that
 * a captured side is kept.
 */
import type { CameraProblem, CaptureElement, DocumentCaptureElement } from '../../capture/index.ts'
import { h } from '../../dom.ts'

/** Time for a camera that disappears during a step to return. */
const PATIENCE_MS = 5000

interface PatienceParts {
  readonly camera: CaptureElement
  /** The screen with the camera's picture. */
  readonly live: HTMLElement
  /** Runs at each problem: the prompt in progress is no longer valid. */
  readonly stopped: (problem: CameraProblem) => void
  readonly back: () => void
  readonly page: (problem: CameraProblem, again: () => void) => HTMLElement
}

export interface Patience {
  /** The live screen, or the page about the camera. */
  readonly element: HTMLElement
  dispose(): void
}

export function cameraPatience({ camera, live, stopped, back, page }: PatienceParts): Patience {
  const element = h('div', { class: 'camera-page' }, live)
  const title = live.querySelector('h1')
  let timer: ReturnType<typeof setTimeout> | undefined
  let shown: HTMLElement | null = null

  const focusOn = (screen: Element) => screen.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  const showLive = () => {
    clearTimeout(timer)
    timer = undefined
    if (!shown) return
    shown.remove()
    shown = null
    live.hidden = false
    // Two titles with one id confuse screen readers.
    if (title) title.id = 'screen-title'
    focusOn(live)
  }
  const again = () => {
    showLive()
    void camera.start()
  }
  const showPage = (problem: CameraProblem) => {
    showLive()
    shown = page(problem, again)
    live.hidden = true
    title?.removeAttribute('id')
    element.append(shown)
    focusOn(shown)
  }

  // Both capture elements dispatch the same camera events.
  const told = camera as DocumentCaptureElement
  told.addEventListener('camera-ready', () => {
    const wasLost = timer !== undefined || shown !== null
    showLive()
    if (wasLost) back()
  })
  told.addEventListener('camera-problem', ({ detail: { problem, retries } }) => {
    stopped(problem)
    if (shown || !retries) return showPage(problem)
    timer ??= setTimeout(() => showPage(problem), PATIENCE_MS)
  })
  return { element, dispose: () => clearTimeout(timer) }
}
