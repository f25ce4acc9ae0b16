/** Lets the applicant correct one value: the value read, the field, and the keyboard for its script. */
import type { CheckField } from '../../../server/kiosk/contract/index.ts'
import { icon } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { plainDigits } from '../digits.ts'
import { createKeyboard, layoutFor } from '../keyboard.ts'
import { button, isolateText, layout, row } from '../layout.ts'
import type { ScreenContext } from '../screen-context.ts'
import { isDate, formatField } from './check-fields.ts'
import type { StagePage } from './stage.ts'

interface TypingWays {
  readonly photo: boolean
  readonly back: () => void
  readonly typed: (value: string) => void
}

/** Proofs hold no longer text (server/kiosk/contract/visit.ts). */
const LONGEST = 200

export function typingPage(context: ScreenContext, field: CheckField, ways: TypingWays): StagePage {
  const { t, acts, state } = context
  const present = field.typed ?? field.value ?? ''
  const help = h('p', { class: 'quiet', id: 'typing-help', role: 'status' })
  const input = h('input', {
    class: 'typed',
    id: `typed-${field.name}`,
    type: 'text',
    dir: 'auto',
    'aria-label': t(`field.${field.name}`),
    'aria-describedby': 'typing-help',
    maxlength: LONGEST,
  })
  input.value = isDate(field.name) ? dayFirst(present) : present
  help.textContent = isDate(field.name) ? t('check.type.date') : t('check.type.text')
  const done = () => {
    const value = isDate(field.name) ? isoDate(input.value) : input.value.trim().replace(/\s+/g, ' ')
    if (value) return ways.typed(value)
    help.textContent = t(isDate(field.name) ? 'check.type.date' : 'check.type.empty')
    input.focus()
  }
  const keyboard = createKeyboard({
    layout: isDate(field.name) ? 'digits' : layoutFor(present, field.original ? 'en' : state.language.tag),
    field: input,
    t,
    done: { text: t('check.type.done'), act: done },
  })
  // The page adds the dots of a date, so that the applicant types only eight digits.
  if (isDate(field.name)) input.addEventListener('input', () => group(input))
  return {
    element: layout({
      name: 'typing',
      title: t(`field.${field.name}`),
      words: [
        h(
          'p',
          { class: 'was-read' },
          icon('document'),
          h('span', {}, t('check.printed'), ' '),
          h(
            'span',
            { 'data-personal': true },
            isolateText(formatField(context, { ...field, typed: null }, true), 'auto'),
          ),
        ),
        input,
        help,
      ],
      hands: [
        keyboard.element,
        row(
          button('secondary', t('choice.back'), ways.back, { iconName: 'back' }),
          ways.photo
            ? button('secondary', t('check.photo'), () => acts.retakeDocument(), {
                iconName: 'camera',
                calls: true,
              })
            : null,
        ),
      ],
    }),
    shown: () => input.setSelectionRange(input.value.length, input.value.length),
    gone: () => (input.value = ''),
  }
}

/** 1964-07-05 → 05.07.1964; unknown parts stay 00, as in the document. */
function dayFirst(iso: string): string {
  const [year, month, day] = iso.split('-')
  return year && month && day ? `${day}.${month}.${year}` : ''
}

/** Null: not a date. */
export function isoDate(typed: string): string | null {
  const digits = plainDigits(typed).replace(/[^0-9]/g, '')
  const [, day = '', month = '', year = ''] = /^(\d{2})(\d{2})(\d{4})$/.exec(digits) ?? []
  if (year === '' || Number(month) > 12 || Number(day) > 31) return null
  return `${year}-${month}-${day}`
}

function group(input: HTMLInputElement): void {
  const digits = plainDigits(input.value)
    .replace(/[^0-9]/g, '')
    .slice(0, 8)
  const grouped = [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4)]
    .filter((part) => part !== '')
    .join('.')
  if (grouped !== input.value) input.value = grouped
}
