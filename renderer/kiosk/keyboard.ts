/**
 * On-screen keyboard for the few things that an applicant types. It writes into a real input, so that
 * physical keyboards, keypads and speech work as well. It stores no input.
 */
import { icon } from '../design/art.ts'
import { h } from '../dom.ts'
import type { TextKey, Translate } from '../locales/index.ts'
import { LAYOUTS, toCapital, getLabel, listPages, putDigitsAbove } from './keyboard-layouts.ts'
import type { LayoutName, PageName } from './keyboard-layouts.ts'

export type { LayoutName } from './keyboard-layouts.ts'
export { layoutFor, layoutForCountry } from './keyboard-layouts.ts'

interface KeyboardOptions {
  readonly layout: LayoutName
  /** Receives the input, with an `input` event as from any keyboard. */
  readonly field: HTMLInputElement
  readonly t: Translate
  /** The last key; Enter in the field does the same. */
  readonly done: { readonly text: string; readonly act: () => void }
  /** Digits keypad: shows "+" in the empty corner. */
  readonly plus?: boolean
  /** Letters that stand beside numbers, as in an address: a row of digits above them. */
  readonly digits?: boolean
}

export interface Keyboard {
  readonly element: HTMLElement
  /** Switches the layout, for example when the applicant moves to a field in another script. */
  use(layout: LayoutName): void
}

export function createKeyboard({
  layout: first,
  field,
  t,
  done,
  plus = false,
  digits = false,
}: KeyboardOptions): Keyboard {
  // Keys keep their places in right-to-left languages, as on a physical keyboard.
  const element = h('div', {
    class: 'keyboard',
    dir: 'ltr',
    role: 'group',
    'aria-label': t('keyboard.label'),
  })
  let name = first
  let page: PageName = 'letters'
  let upper = false

  // The system's own keyboard would cover the page.
  field.inputMode = 'none'
  field.autocomplete = 'off'
  field.spellcheck = false
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return
    event.preventDefault()
    done.act()
  })

  const key = (label: string | Node, spoken: string | null, act: () => void, kind = '') =>
    h(
      'button',
      {
        type: 'button',
        class: `key ${kind}`,
        click: act,
        ...(spoken === null ? {} : { 'aria-label': spoken }),
      },
      label,
    )
  const character = (letter: string) => {
    const shown = upper ? toCapital(letter) : letter
    return key(getLabel(shown), null, () => {
      type(field, shown)
      if (upper && field.value.length > 0) {
        upper = false
        draw()
      }
    })
  }
  const erase = (kind: string) => key(icon('backspace'), t('keyboard.erase'), () => eraseOne(field), kind)
  const doneKey = () => key(done.text, null, done.act, 'key-wide key-done')

  const draw = () => {
    const layout = LAYOUTS[name]
    const keys = layout.pages[page]?.rows ?? []
    const rows = (digits && page === 'letters' ? putDigitsAbove(layout) : keys).map((letters) =>
      h('div', { class: 'keyboard-row' }, ...letters.map(character)),
    )
    element.className = `keyboard keyboard-${name}`
    if (name === 'digits') {
      const corner = plus ? key('+', null, () => type(field, '+')) : erase('')
      const zero = key('0', null, () => type(field, '0'))
      rows.push(h('div', { class: 'keyboard-row' }, corner, zero, plus ? erase('') : doneKey()))
      if (plus) rows.push(h('div', { class: 'keyboard-row' }, doneKey()))
    } else {
      rows.push(h('div', { class: 'keyboard-row' }, ...functionKeys()))
    }
    element.replaceChildren(...rows)
  }
  const functionKeys = () => {
    const layout = LAYOUTS[name]
    const pages = listPages(layout)
    const other = pages[(pages.indexOf(page) + 1) % pages.length] ?? 'letters'
    const face = layout.pages[other]?.face ?? ''
    const shift = key(
      icon('shift'),
      t('keyboard.shift'),
      () => redraw('.key-shift', () => (upper = !upper)),
      'key-shift',
    )
    shift.setAttribute('aria-pressed', String(upper))
    return [
      layout.hasCase ? shift : null,
      other === page
        ? null
        : key(
            face,
            `${face} – ${t(WORD_OF[other])}`,
            () => redraw('.key-page', () => (page = other)),
            'key-page',
          ),
      key(t('keyboard.space'), null, () => type(field, ' '), 'key-wide key-space'),
      erase('key-erase'),
      doneKey(),
    ]
  }
  /** The pressed key keeps the focus although it is drawn again. */
  const redraw = (selector: string, change: () => void) => {
    change()
    draw()
    element.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true })
  }
  draw()
  return {
    element,
    use: (layout) => {
      name = layout
      page = 'letters'
      upper = false
      draw()
    },
  }
}

const WORD_OF = {
  letters: 'keyboard.letters',
  more: 'keyboard.more',
  further: 'keyboard.more',
  signs: 'keyboard.signs',
} as const satisfies Readonly<Record<PageName, TextKey>>

/** Inserts at the caret. A combining mark joins the letter before it if a precomposed letter exists. */
export function type(field: HTMLInputElement, text: string): void {
  const at = field.selectionStart ?? field.value.length
  const end = field.selectionEnd ?? at
  const before = field.value.slice(0, at)
  if (/^\p{M}$/u.test(text) && at === end && before !== '') {
    const letter = findLastLetter(before)
    return replace(field, at - letter.length, at, (letter + text).normalize('NFC'))
  }
  replace(field, at, end, text)
}

function replace(field: HTMLInputElement, at: number, end: number, text: string): void {
  const length = field.value.length - (end - at) + text.length
  if (text !== '' && field.maxLength >= 0 && length > field.maxLength) return
  field.setRangeText(text, at, end, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

function eraseOne(field: HTMLInputElement): void {
  const end = field.selectionEnd ?? field.value.length
  const start = field.selectionStart ?? end
  if (start === end && start === 0) return
  const last = findLastLetter(field.value.slice(0, start)).length
  replace(field, start === end ? start - last : start, end, '')
}

/** Counts a letter with its marks, or a letter outside the first plane, as one. */
function findLastLetter(text: string): string {
  return [...new Intl.Segmenter().segment(text)].at(-1)?.segment ?? ''
}
