/**
 * The phone: a number, then the digits of the message. An applicant without a phone can continue and is told
 * the consequence.
 */
import type { PhoneStep } from '../../../server/kiosk/contract/index.ts'
import { picture } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { digitsOnly } from '../digits.ts'
import { createKeyboard } from '../keyboard.ts'
import { button, isolateText, layout, notice, row, setResting } from '../layout.ts'
import type { Screen, ScreenContext, ScreenView } from '../screen-context.ts'
import { DIAL_COUNTRIES, groupDigits, internationalNumber } from './dial-codes.ts'
import type { DialCountry } from './dial-codes.ts'
import { searchPage } from './search-page.ts'
import { createStage } from './stage.ts'
import type { Stage, StagePage } from './stage.ts'
import { presentStep } from './present-step.ts'

const TICK_MS = 1000
/** E.164 without the country code. */
const LONGEST = 14

export const phone: Screen = (context): ScreenView => {
  const stage = createStage('phone')
  const step = presentStep(context.state, 'phone')
  const pages = step ? new PhonePages(context, stage, step) : null
  pages?.open()
  return {
    element: stage.element,
    update(next) {
      stage.working(next.working)
      return JSON.stringify(presentStep(next, 'phone')) === JSON.stringify(step)
    },
    dispose: () => stage.dispose(),
  }
}

class PhonePages {
  readonly #context: ScreenContext
  readonly #stage: Stage
  readonly #step: PhoneStep
  #dial: DialCountry
  /** Part of every page, so that the drafts carry it over to a screen in another language or for another number. */
  readonly #kept = h('input', { type: 'hidden', id: 'phone-country' })
  /** The input from before the country was changed. */
  #typed = ''

  constructor(context: ScreenContext, stage: Stage, step: PhoneStep) {
    this.#context = context
    this.#stage = stage
    this.#step = step
    this.#dial = findDialCountry(new Intl.Locale(context.state.language.tag).maximize().region)
    this.#kept.addEventListener('input', () => {
      this.#dial = findDialCountry(this.#kept.value)
      if (step.state === 'NUMBER') this.#number()
    })
  }

  open(): void {
    const { state } = this.#step
    if (state === 'NUMBER') {
      this.#number()
      void this.#guessCountry()
    } else if (state === 'CODE') this.#show(codePage(this.#context, this.#step, this.#noPhone()))
    else if (state === 'SENDING') this.#show({ element: this.#sending() })
    else this.#show({ element: this.#failed() })
  }

  #show(page: StagePage): void {
    page.element.append(this.#kept)
    this.#stage.show(page)
  }

  /** Preselects the branch's country once it is loaded, as long as the field is empty. */
  async #guessCountry(): Promise<void> {
    const countries = await this.#context.ask.countries().catch(() => [])
    const first = countries.find(({ first: isFirst }) => isFirst)
    if (!first || this.#typed !== '' || this.#kept.value !== '' || this.#step.state !== 'NUMBER') return
    const code = DIAL_COUNTRIES.find(({ iso2 }) => iso2 === first.iso2)
    if (!code || code === this.#dial || !this.#stage.element.querySelector('#phone-typed')) return
    this.#dial = code
    this.#number()
  }

  #number(): void {
    const { t, acts, formats } = this.#context
    const dial = this.#dial
    const { iso2, code } = dial
    const field = h('input', {
      class: 'typed typed-number',
      id: 'phone-typed',
      type: 'tel',
      dir: 'ltr',
      'aria-label': t('phone.field'),
      'aria-describedby': 'phone-help',
    })
    const help = h('p', { class: 'quiet', id: 'phone-help', role: 'status' }, t('phone.text'))
    const say = (key: 'phone.text' | 'phone.short') => {
      // A sentence that is set again would be spoken again.
      if (help.textContent !== t(key)) help.textContent = t(key)
    }
    const redraw = () => {
      const digits = digitsOnly(field.value).slice(0, LONGEST)
      this.#typed = digits
      // The digits belong to the country that they were typed for.
      if (digits !== '') this.#kept.value = iso2
      say('phone.text')
      const shown = groupDigits(code, digits)
      if (field.value !== shown) field.value = shown
    }
    field.value = groupDigits(code, this.#typed)
    field.addEventListener('input', redraw)
    const send = () => {
      const number = internationalNumber(dial, this.#typed)
      say(number ? 'phone.text' : 'phone.short')
      if (number) return acts.sendNumber(number)
      field.focus()
    }
    const keyboard = createKeyboard({
      layout: 'digits',
      field,
      t,
      done: { text: t('phone.send'), act: send },
    })
    const country = button(
      'secondary',
      `${formats.country(iso2)} ${leftToRight(`+${code}`)}`,
      () => this.#countries(),
      {
        iconName: 'down',
      },
    )
    country.setAttribute(
      'aria-label',
      t('phone.country', { country: formats.country(iso2), code: leftToRight(`+${code}`) }),
    )
    this.#show({
      element: layout({
        name: 'phone',
        title: t('phone.title'),
        words: [
          h('div', { class: 'number-line', dir: 'ltr' }, isolateText(`+${code}`, 'ltr', 'prefix'), field),
          help,
        ],
        look: [picture('keypad')],
        hands: [keyboard.element, row(country, this.#noPhone())],
      }),
      gone: () => (field.value = ''),
    })
  }

  #countries(): void {
    const { t, formats, state } = this.#context
    const { compare } = new Intl.Collator(state.language.tag)
    const countries = DIAL_COUNTRIES.map((dial) => ({
      ...dial,
      iso3: dial.iso2,
      name: formats.country(dial.iso2),
      first: false,
    })).sort((a, b) => compare(a.name, b.name))
    this.#show(
      searchPage(this.#context, {
        title: t('phone.country.title'),
        countries,
        label: ({ name, code }) => `${name} ${leftToRight(`+${code}`)}`,
        choose: (dial) => {
          this.#dial = dial
          this.#kept.value = dial.iso2
          this.#number()
        },
        back: () => this.#number(),
      }),
    )
  }

  #sending(): HTMLElement {
    const { t } = this.#context
    return layout({
      name: 'checking',
      title: t('phone.sending'),
      words: [h('p', {}, isolateText(this.#step.maskedNumber ?? '', 'ltr', 'lead'))],
      look: [picture('keypad')],
    })
  }

  #failed(): HTMLElement {
    const { t, acts } = this.#context
    const why = chooseFailure(this.#step)
    return layout({
      name: 'phone-failed',
      title: t(`phone.${why}.title`),
      words: [h('p', { class: 'lead' }, t(`phone.${why}.text`))],
      look: [picture('keypad')],
      hands: [
        this.#step.mayChangeNumber
          ? button('primary', t('phone.other'), () => acts.otherNumber(), { iconName: 'phone', calls: true })
          : null,
        this.#noPhone(),
      ],
    })
  }

  /** States the consequence before the choice. */
  #noPhone(): HTMLElement | null {
    const { t, acts } = this.#context
    const ask = () =>
      this.#show({
        element: layout({
          name: 'phone-none',
          title: t('phone.none.title'),
          words: [
            h('p', { class: 'lead' }, t(this.#step.mayBeSkipped ? 'phone.none.text' : 'phone.none.person')),
          ],
          look: [picture('counter')],
          hands: [
            button(
              'equal',
              t(this.#step.mayBeSkipped ? 'phone.none.yes' : 'person.finish'),
              () => acts.skip({ step: 'phone', person: !this.#step.mayBeSkipped }),
              { calls: true },
            ),
            button('equal', t('phone.none.no'), () => this.open(), { iconName: 'back' }),
          ],
        }),
      })
    return button('secondary', t('phone.none'), ask)
  }
}

/** `spent`: too many wrong codes were typed; `failed`: no message can come. */
export function chooseFailure({ triesLeft }: Pick<PhoneStep, 'triesLeft'>): 'spent' | 'failed' {
  return triesLeft === 0 ? 'spent' : 'failed'
}

/** The page for the code, grouped 3-3. It accepts spaces, digits of other scripts and pasted text. */
function codePage(context: ScreenContext, step: PhoneStep, noPhone: Node | null): StagePage {
  const { t, acts } = context
  const field = h('input', {
    class: 'typed typed-code',
    id: 'code-typed',
    type: 'text',
    dir: 'ltr',
    'aria-label': t('phone.code.field', { count: step.digits }),
    'aria-describedby': 'code-help',
  })
  field.autocomplete = 'one-time-code'
  const help = h('p', { class: 'quiet', id: 'code-help', role: 'status' })
  help.textContent = t('phone.code.text', { count: step.digits })
  const digits = () => digitsOnly(field.value).slice(0, step.digits)
  field.addEventListener('input', () => {
    const shown = groupCode(digits())
    if (field.value !== shown) field.value = shown
  })
  const send = () => {
    if (digits().length === step.digits) return acts.sendCode(digits())
    help.textContent = t('phone.code.short', { count: step.digits })
    field.focus()
  }
  const keyboard = createKeyboard({
    layout: 'digits',
    field,
    t,
    done: { text: t('phone.code.done'), act: send },
  })
  const again = button('secondary', t('phone.again'), () => acts.sendAgain(), { iconName: 'message' })
  const tick = () => {
    const left = step.sendAgainAt ? Math.ceil((Date.parse(step.sendAgainAt) - Date.now()) / 1000) : 0
    again.hidden = step.sendAgainAt === null
    setResting(again, left > 0)
    const label = again.querySelector('.label')
    if (label) label.textContent = left > 0 ? t('phone.again.in', { count: left }) : t('phone.again')
  }
  let timer: ReturnType<typeof setInterval> | undefined
  return {
    element: layout({
      name: 'phone',
      title: t('phone.code.title'),
      words: [
        step.mismatch
          ? h(
              'div',
              { role: 'alert' },
              notice('attention', t('phone.mismatch'), t('phone.tries', { count: step.triesLeft })),
            )
          : null,
        h('p', { 'data-personal': true }, t('phone.sent'), ' ', isolateText(step.maskedNumber ?? '')),
        field,
        help,
      ],
      look: step.mismatch ? [] : [picture('keypad')],
      hands: [
        keyboard.element,
        row(
          again,
          step.mayChangeNumber
            ? button('secondary', t('phone.other'), () => acts.otherNumber(), { calls: true })
            : null,
        ),
        noPhone,
      ],
    }),
    shown: () => {
      tick()
      timer = setInterval(tick, TICK_MS)
    },
    gone: () => {
      clearInterval(timer)
      field.value = ''
    },
  }
}

function groupCode(digits: string): string {
  const half = Math.ceil(digits.length > 3 ? digits.length / 2 : 3)
  const at = Math.max(half, 3)
  return digits.length > at ? `${digits.slice(0, 3)} ${digits.slice(3)}` : digits
}

const UNITED_STATES: DialCountry = { iso2: 'US', code: '1', lengths: [10] }

function findDialCountry(region: string | undefined): DialCountry {
  return DIAL_COUNTRIES.find(({ iso2 }) => iso2 === region) ?? UNITED_STATES
}

/** Isolates the number in text, so that its plus stays in front in Arabic too. */
function leftToRight(text: string): string {
  return `\u2066${text}\u2069`
}
