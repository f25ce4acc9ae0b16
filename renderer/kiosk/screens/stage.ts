/** For screens of several pages: one is shown at a time, and what it held is let go before the next one stands. */
import { h } from '../../dom.ts'
import { setWorking } from '../layout.ts'

export interface StagePage {
  readonly element: HTMLElement
  /** What has to stand before it can be measured; the page is in the document when this is called, if the screen is. */
  readonly shown?: () => void
  readonly gone?: () => void
}

export interface Stage {
  readonly element: HTMLElement
  /** The first page does not take the focus: the machine gives it when the screen opens. */
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
