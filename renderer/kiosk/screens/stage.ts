/** Shows one page of a screen at a time, and releases the page before it shows the next. */
import { h } from '../../dom.ts'
import { setWorking } from '../layout.ts'

export interface StagePage {
  readonly element: HTMLElement
  /** Runs once the page is in the document (if the screen is), for content that has to be measured. */
  readonly shown?: () => void
  readonly gone?: () => void
}

export interface Stage {
  readonly element: HTMLElement
  /** The first page does not take the focus: the page gives it when the screen opens. */
  show(page: StagePage): void
  working(working: boolean): void
  dispose(): void
}

export function createStage(name: string): Stage {
  const element = h('div', { class: `stage stage-${name}` })
  let page: StagePage | null = null
  let isWorking = false
  return {
    element,
    show(next) {
      const isFirst = page === null
      page?.gone?.()
      page = next
      element.replaceChildren(next.element)
      setWorking(element, isWorking)
      next.shown?.()
      if (!isFirst) element.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
    },
    working(working) {
      isWorking = working
      setWorking(element, working)
    },
    dispose() {
      page?.gone?.()
      page = null
    },
  }
}
