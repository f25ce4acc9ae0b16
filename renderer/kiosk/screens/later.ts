/** Draws a screen whose script is fetched apart from the page: at once if it is there, otherwise as soon as it comes. */
import { h } from '../../dom.ts'
import type { Screen, ScreenView } from '../screen-context.ts'

type Fetch = () => Promise<Screen>

const fetched = new Map<Fetch, Screen>()

export async function fetchScreen(fetch: Fetch): Promise<Screen> {
  const screen = await fetch()
  fetched.set(fetch, screen)
  return screen
}

export function drawLater(fetch: Fetch): Screen {
  return (context): ScreenView => {
    const known = fetched.get(fetch)
    if (known) return known(context)
    const element = h('div', { class: 'stage' })
    let view: ScreenView | null = null
    let isOpen = true
    const draw = (screen: Screen): void => {
      if (!isOpen) return
      view = screen(context)
      element.replaceChildren(view.element)
      element.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
    }
    fetchScreen(fetch).then(draw, () => undefined)
    return {
      element,
      // A script that did not come is fetched again with the next state.
      update: (next) => view?.update?.(next) ?? false,
      dispose: () => {
        isOpen = false
        view?.dispose?.()
      },
    }
  }
}
