/** The parts of every screen: texts, pictures and controls. */
import { icon } from '../design/art.ts'
import type { IconName } from '../design/art.ts'
import { h } from '../dom.ts'
import { PICTURE_FILES } from '../file-types.ts'

type Part = Node | string | null | undefined | false

export interface Layout {
  readonly name: string
  readonly title: string
  readonly words?: readonly Part[]
  readonly look?: readonly Part[]
  readonly hands?: readonly Part[]
}

/** The title takes the focus when the screen opens, so that reading starts there. */
export function layout({ name, title, words = [], look = [], hands = [] }: Layout): HTMLElement {
  return h(
    'section',
    { class: `screen screen-${name}`, 'aria-labelledby': 'screen-title' },
    h('div', { class: 'words' }, h('h1', { id: 'screen-title', tabindex: -1 }, title), ...words),
    h('div', { class: 'look' }, ...look.map(inItsPlace)),
    h('div', { class: 'hands' }, ...hands),
  )
}

/** A drawing takes the room that the texts leave; it is hidden when that is too little to recognise it. */
function inItsPlace(part: Part): Part {
  const isPicture = part instanceof SVGElement && part.classList.contains('picture')
  return isPicture ? h('div', { class: 'picture-place' }, part) : part
}

export type ButtonKind = 'primary' | 'equal' | 'secondary'

interface ButtonOptions {
  readonly iconName?: IconName
  readonly id?: string
  /** Starts a call: the button rests while another call is under way (`setWorking`). */
  readonly calls?: boolean
}

/**
 * A resting button keeps the focus, so that keyboard users stay at their place: aria-disabled, and its touch
 * has no effect.
 */
export function button(
  kind: ButtonKind,
  text: string,
  act: () => void,
  { iconName, id, calls = false }: ButtonOptions = {},
): HTMLButtonElement {
  const element = h(
    'button',
    {
      type: 'button',
      class: `button button-${kind}${calls ? ' calls' : ''}`,
      click: () => {
        if (element.getAttribute('aria-disabled') !== 'true') act()
      },
      ...(id ? { id } : {}),
    },
    iconName ? icon(iconName) : null,
    h('span', { class: 'label' }, text),
  )
  return element
}

export function setResting(element: HTMLElement, resting: boolean): void {
  if (resting) element.setAttribute('aria-disabled', 'true')
  else element.removeAttribute('aria-disabled')
}

/** Blocks all calls while one is under way, so that nothing is sent twice. */
export function setWorking(root: HTMLElement, working: boolean): void {
  root.classList.toggle('is-working', working)
  for (const each of root.querySelectorAll<HTMLElement>('.calls')) setResting(each, working)
}

/** Buttons beside each other: two small ones, or two equal answers. */
export function row(...buttons: readonly Part[]): HTMLElement {
  return h('div', { class: 'row-of-buttons' }, ...buttons)
}

/** A group of choices with a name for screen readers. */
export function choices(label: string, buttons: readonly Node[], className = ''): HTMLElement {
  return h('div', { class: `choices ${className}`.trim(), role: 'group', 'aria-label': label }, ...buttons)
}

/** A sentence with a picture of its subject. */
export function fact(iconName: IconName, text: string): HTMLElement {
  return h('p', { class: 'fact' }, icon(iconName), h('span', {}, text))
}

/** A highlighted line. Icon, word and place carry the meaning; the colour only supports them. */
export function notice(kind: 'attention' | 'note' | 'done', text: string, detail?: string): HTMLElement {
  return h(
    'div',
    { class: `notice notice-${kind}` },
    icon(kind),
    h('p', {}, h('strong', {}, text), detail ? h('span', { class: 'detail' }, detail) : null),
  )
}

/** Isolates digits, references, numbers and names in another script from the text direction around them. */
export function isolateText(text: string, dir: 'ltr' | 'auto' = 'ltr', className = ''): HTMLElement {
  return h('bdi', { dir, ...(className ? { class: className } : {}) }, text)
}

/** A button that opens the file chooser. */
export function fileButton(
  text: string,
  chosen: (file: File) => void,
  accept: string = PICTURE_FILES,
): HTMLElement {
  const input = h('input', { type: 'file', accept, class: 'file-input' })
  input.tabIndex = -1
  input.addEventListener('change', () => {
    const file = input.files?.[0]
    input.value = ''
    if (file) chosen(file)
  })
  const open = button('secondary', text, () => input.click(), { iconName: 'upload', calls: true })
  input.setAttribute('aria-label', text)
  return h('div', { class: 'file' }, open, input)
}
