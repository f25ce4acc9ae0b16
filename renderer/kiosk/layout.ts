/** The parts every screen is made of: words, what to look at, and what to touch. */
import { icon } from './art.ts'
import type { IconName } from './art.ts'
import { h } from './dom.ts'

export interface Layout {
  readonly name: string
  readonly title: string
  readonly words?: readonly (Node | string | null)[]
  readonly look?: readonly (Node | null)[]
  readonly hands?: readonly (Node | null)[]
}

/** The title takes the focus when the screen opens, so that reading starts there. */
export function layout({ name, title, words = [], look = [], hands = [] }: Layout): HTMLElement {
  return h(
    'section',
    { class: `screen screen-${name}`, 'aria-labelledby': 'screen-title' },
    h('div', { class: 'words' }, h('h1', { id: 'screen-title', tabindex: -1 }, title), ...words),
    h('div', { class: 'look' }, ...look),
    h('div', { class: 'hands' }, ...hands),
  )
}

export type ButtonKind = 'primary' | 'equal' | 'secondary'

export function button(
  kind: ButtonKind,
  text: string,
  act: () => void,
  { iconName, id }: { iconName?: IconName; id?: string } = {},
): HTMLButtonElement {
  return h(
    'button',
    { type: 'button', class: `button button-${kind}`, click: act, ...(id ? { id } : {}) },
    iconName ? icon(iconName) : null,
    h('span', {}, text),
  )
}

/** A line that stands out: icon, word and place carry the meaning, colour comes last. */
export function notice(kind: 'attention' | 'note', text: string, detail?: string): HTMLElement {
  return h(
    'div',
    { class: `notice notice-${kind}` },
    icon(kind),
    h('p', {}, h('strong', {}, text), detail ? h('span', { class: 'detail' }, detail) : null),
  )
}

/** A button that opens the file chooser. */
export function fileButton(text: string, chosen: (file: File) => void): HTMLElement {
  const input = h('input', { type: 'file', accept: 'image/jpeg,image/png,image/webp', class: 'file-input' })
  input.tabIndex = -1
  input.addEventListener('change', () => {
    const file = input.files?.[0]
    input.value = ''
    if (file) chosen(file)
  })
  const open = button('secondary', text, () => input.click())
  input.setAttribute('aria-label', text)
  return h('div', { class: 'file' }, open, input)
}
