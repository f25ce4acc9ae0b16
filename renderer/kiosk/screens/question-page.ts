/** One value that the applicant types: the question, the field with what is wrong with it beside it, and the keys. */
import { h } from '../../dom.ts'
import { createKeyboard, type LayoutName } from '../keyboard.ts'
import { layout, notice } from '../layout.ts'
import type { ScreenContext } from '../screen-context.ts'
import type { StagePage } from './stage.ts'

interface Question {
  readonly id: string
  /** Heading, and name of the field for screen readers. */
  readonly title: string
  readonly words: readonly Node[]
  /** Tells where the value stands, or how it looks. */
  readonly help: string
  readonly keys: LayoutName
  /** Letters with a row of digits. */
  readonly digits?: boolean
  readonly dir: 'ltr' | 'auto'
  readonly longest: number
  readonly value: string
  /** Called when the field changes. */
  readonly typed?: (value: string) => void
  /** Takes the value, or returns what is wrong with it. */
  readonly take: (value: string) => string | null | Promise<string | null>
  readonly hands: readonly (Node | null)[]
}

export function questionPage({ t }: ScreenContext, question: Question): StagePage {
  const { id, title, words, help, keys, digits = false, dir, longest, value, typed, take, hands } = question
  const input = h('input', {
    class: 'typed',
    id,
    type: 'text',
    dir,
    'aria-label': title,
    'aria-describedby': `${id}-help ${id}-wrong`,
    maxlength: longest,
  })
  input.value = value
  const wrong = h('div', { id: `${id}-wrong`, role: 'alert' })
  const tell = (text: string | null): void => {
    wrong.replaceChildren(...(text === null ? [] : [notice('attention', text)]))
    if (text === null) input.removeAttribute('aria-invalid')
    else input.setAttribute('aria-invalid', 'true')
  }
  input.addEventListener('input', () => {
    tell(null)
    typed?.(input.value)
  })
  let isTaking = false
  const done = async (): Promise<void> => {
    if (isTaking) return
    isTaking = true
    const said = await take(input.value.trim())
    isTaking = false
    tell(said)
    if (said !== null) input.focus()
  }
  const keyboard = createKeyboard({
    layout: keys,
    digits,
    field: input,
    t,
    done: { text: t('details.done'), act: () => void done() },
  })
  return {
    element: layout({
      name: 'typing',
      title,
      words: [...words, input, h('p', { class: 'quiet', id: `${id}-help` }, help), wrong],
      hands: [keyboard.element, ...hands],
    }),
    shown: () => input.setSelectionRange(input.value.length, input.value.length),
    gone: () => (input.value = ''),
  }
}
