/** Questions over a screen, as native modal dialogs: the focus stays inside and returns afterwards. */
import { h } from '../dom.ts'
import { control } from './controls.ts'
import type { ButtonKind } from './controls.ts'

export interface Choice {
  readonly text: string
  readonly kind: ButtonKind
  readonly act?: () => void
  /** The choice does not close the dialog; its act does. */
  readonly staysOpen?: boolean
}

interface DialogParts {
  readonly title: string
  /** Content that exceeds the screen gets pages: put it into an element of class `paged`. */
  readonly content?: readonly Node[]
  readonly choices: readonly Choice[]
  /** Runs whenever the dialog closes, for any reason. */
  readonly closed?: () => void
}

export interface OpenDialog {
  readonly element: HTMLDialogElement
  close(): void
}

/** Opens the dialog. Escape closes it without an act. */
export function openDialog({ title, content = [], choices, closed }: DialogParts): OpenDialog {
  const heading = h('h2', { id: `dialog-${crypto.randomUUID()}`, tabindex: -1 }, title)
  const element = h('dialog', { class: 'dialog', 'aria-labelledby': heading.id }, heading, ...content)
  const close = () => element.close()
  const hands = choices.map(({ text, kind, act, staysOpen }) =>
    control(kind, text, () => {
      if (!staysOpen) close()
      act?.()
    }),
  )
  element.append(h('div', { class: 'hands' }, ...hands))
  element.addEventListener('close', () => {
    element.remove()
    closed?.()
  })
  document.querySelector('kiosk-app')?.append(element)
  element.showModal()
  heading.focus()
  return { element, close }
}

export function closeAllDialogs(): void {
  for (const dialog of document.querySelectorAll('dialog')) dialog.close()
}
