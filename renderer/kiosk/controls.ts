/** The machine's own buttons: of dialogs, pages and keyboards. One act on release, never on a press alone. */
import { icon } from '../design/art.ts'
import type { IconName } from '../design/art.ts'
import { h } from '../dom.ts'

export type ButtonKind = 'primary' | 'equal' | 'secondary'

export function control(
  kind: ButtonKind,
  text: string,
  act: () => void,
  iconName?: IconName,
): HTMLButtonElement {
  return h(
    'button',
    { type: 'button', class: `button button-${kind}`, click: act },
    iconName ? icon(iconName) : null,
    h('span', {}, text),
  )
}

/** One of several that can be on: its state is told by word (aria-pressed) and edge. */
export function toggle(text: string, isOn: boolean, act: () => void, iconName?: IconName): HTMLButtonElement {
  const button = control('secondary', text, act, iconName)
  button.setAttribute('aria-pressed', String(isOn))
  return button
}
