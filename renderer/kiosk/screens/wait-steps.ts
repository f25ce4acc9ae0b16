/**
 * The steps of a wait beside the camera. They appear after a second, because a shorter wait would make them
 * flicker.
 */
import type { WaitingStep } from '../../../server/kiosk/contract/index.ts'
import { h } from '../../dom.ts'
import type { ScreenContext } from '../screen-context.ts'
import { drawRow } from './checking.ts'

export type WaitStep = 'camera' | 'ready' | 'photo' | 'kind' | 'sending' | 'data' | 'portrait'
type State = WaitingStep['rows'][number]['state']

const SHOWN_AFTER_MS = 1000

export interface WaitSteps {
  readonly element: HTMLElement
  /** Shows the steps in their order. A wait that continues from one list to the next counts as one wait. */
  show(steps: Partial<Readonly<Record<WaitStep, State>>>): void
  /** Marks the step as done; when no other step is in progress, the next one begins. */
  done(step: WaitStep): void
  hide(): void
}

export function waitSteps({ t }: Pick<ScreenContext, 't'>): WaitSteps {
  const element = h('ul', { class: 'rows wait-steps', hidden: true })
  let timer: ReturnType<typeof setTimeout> | undefined
  let steps: Partial<Record<WaitStep, State>> = {}
  const draw = () => {
    const rows = Object.entries(steps) as [WaitStep, State][]
    element.replaceChildren(...rows.map(([name, state]) => drawRow(t, { name, state })))
  }
  return {
    element,
    show(next) {
      steps = { ...next }
      draw()
      timer ??= setTimeout(() => (element.hidden = false), SHOWN_AFTER_MS)
    },
    done(step) {
      if (!(step in steps)) return
      steps[step] = 'DONE'
      const [next] = (Object.keys(steps) as WaitStep[]).filter((name) => steps[name] === 'TODO')
      if (next && !Object.values(steps).includes('DOING')) steps[next] = 'DOING'
      draw()
    },
    hide() {
      clearTimeout(timer)
      timer = undefined
      steps = {}
      element.hidden = true
      element.replaceChildren()
    },
  }
}
