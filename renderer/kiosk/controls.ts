/** Buttons of the frame, the dialogs, the pages and the keyboard. They act on release, never on press. */
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

/** A button that can be on: aria-pressed and its edge show the state. */
export function toggle(text: string, isOn: boolean, act: () => void, iconName?: IconName): HTMLButtonElement {
  const button = control('secondary', text, act, iconName)
  button.setAttribute('aria-pressed', String(isOn))
  return button
}
