/**
 * Shows the values read for the applicant to check, with the picture of each line above its value. A
 * correction is stored beside the value read and never replaces it. The values exist only as text of the page
 * while this screen is open.
 */
import type { CheckField, CheckFieldName, CheckStep } from '../../../server/kiosk/contract/index.ts'
import { h } from '../../dom.ts'
import { button, choices, fact, layout, notice } from '../layout.ts'
import type { Screen, ScreenContext, ScreenView } from '../screen-context.ts'
import { isPrivate, learnCountries, shownFields, drawValue } from './check-fields.ts'
import { typingPage } from './check-typing.ts'
import { nameOrganisation } from './organisation.ts'
import { createStage } from './stage.ts'
import type { Stage } from './stage.ts'
import { presentStep } from './present-step.ts'

export const check: Screen = (context): ScreenView => {
  const stage = createStage('check')
  const step = presentStep(context.state, 'check')
  const pages = step ? new CheckPages(context, stage, step) : null
  void pages?.open()
  return {
    element: stage.element,
    update(next) {
      stage.working(next.working)
      return JSON.stringify(presentStep(next, 'check')) === JSON.stringify(step)
    },
    dispose() {
      pages?.dispose()
      stage.dispose()
      stage.element.replaceChildren()
    },
  }
}

class CheckPages {
  readonly #context: ScreenContext
  readonly #stage: Stage
  readonly #step: CheckStep
  /** The corrections of this screen, by field. */
  readonly #typed = new Map<CheckFieldName, string>()
  readonly #crops = new Map<CheckFieldName, string>()
  #isShown = false
  /** The covered values were shown once. */
  #wasShown = false
  #isOpen = true

  constructor(context: ScreenContext, stage: Stage, step: CheckStep) {
    this.#context = context
    this.#stage = stage
    this.#step = step
  }

  async open(): Promise<void> {
    this.overview()
    // Names of countries, if they can be loaded; until then the codes are shown.
    const countries = await this.#context.ask.countries().catch(() => [])
    learnCountries(countries)
    if (this.#isOpen) this.#redrawValues()
  }

  dispose(): void {
    this.#isOpen = false
    for (const url of this.#crops.values()) URL.revokeObjectURL(url)
    this.#crops.clear()
    this.#typed.clear()
  }

  overview(): void {
    const { t, acts, formats } = this.#context
    const fields = this.#fields()
    const hard = fields.filter(({ hardToRead }) => hardToRead).length
    const ended = fields.find(
      ({ name, value }) => name === 'expiryDate' && value !== null && this.#isPast(value),
    )
    const show = button('secondary', t(this.#isShown ? 'check.hide' : 'check.show'), () => this.#toggle(), {
      iconName: this.#isShown ? 'eye-off' : 'eye',
      id: 'check-show',
    })
    const right = button(
      'primary',
      // A value that was never shown cannot be confirmed.
      t(fields.some(isPrivate) && !this.#wasShown ? 'check.right.covered' : 'check.right'),
      () => acts.confirmData({ corrections: this.#corrections() }),
      { id: 'check-right', calls: true },
    )
    // Confirming requires that every value was shown.
    right.classList.add('on-last-page')
    this.#stage.show({
      element: layout({
        name: 'check',
        title: t('check.title'),
        words: [
          ended?.value
            ? h(
                'div',
                { role: 'status' },
                notice('attention', t('check.ended', { date: formats.date(ended.value) })),
              )
            : null,
          // After a correction the hint about hard letters is unnecessary; in large text both sentences would
          // leave no room for the values.
          hard > 0 && this.#typed.size === 0 ? fact('note', t('check.hard', { count: hard })) : null,
          this.#typed.size > 0
            ? h(
                'div',
                { role: 'status' },
                notice('note', t('check.typed', { organisation: nameOrganisation(this.#context) })),
              )
            : null,
        ],
        look: [h('dl', { class: 'paged fields' }, ...fields.map((field) => this.#field(field)))],
        hands: [
          fields.some(isPrivate) ? show : null,
          right,
          button('secondary', t('check.wrong'), () => this.pick(), {
            iconName: 'attention',
            id: 'check-wrong',
          }),
        ],
      }),
    })
  }

  #field(field: CheckField): HTMLElement {
    const { t } = this.#context
    return h(
      'div',
      { class: `field${field.hardToRead ? ' is-hard' : ''}`, 'data-field': field.name },
      h('dt', {}, t(`field.${field.name}`)),
      h('dd', {}, field.hasCrop ? this.#crop(field) : null, drawValue(this.#context, field, this.#isShown)),
    )
  }

  /** The picture of the line; it is covered as long as its value is. */
  #crop(field: CheckField): HTMLElement {
    const box = h('span', { class: 'crop' })
    if (isPrivate(field) && !this.#isShown) {
      box.hidden = true
      return box
    }
    const draw = (url: string) =>
      box.replaceChildren(h('img', { src: url, alt: this.#context.t('check.crop') }))
    const known = this.#crops.get(field.name)
    if (known) draw(known)
    else void this.#load(field.name).then((url) => url && draw(url))
    return box
  }

  async #load(name: CheckFieldName): Promise<string | null> {
    const crop = await this.#context.ask.fetchCrop(name).catch(() => null)
    if (!crop || !this.#isOpen) return null
    const url = URL.createObjectURL(crop)
    this.#crops.set(name, url)
    return url
  }

  /** Asks which line is wrong: one button each, in the hand zone. */
  pick(): void {
    const { t, acts } = this.#context
    const fields = this.#fields()
    this.#stage.show({
      element: layout({
        name: 'pick',
        title: t('check.pick.title'),
        words: [
          h('p', {}, t('check.pick.text')),
          h('p', {}, t(this.#step.left > 0 ? 'check.pick.photo' : 'check.pick.counter')),
        ],
        look: [],
        hands: [
          choices(
            t('check.pick.title'),
            fields
              .filter(({ editable }) => editable)
              .map((field) => button('equal', t(`field.${field.name}`), () => this.#type(field))),
            'two small',
          ),
          this.#step.left > 0
            ? button('secondary', t('check.photo'), () => acts.retakeDocument(), {
                iconName: 'camera',
                calls: true,
              })
            : null,
          button('secondary', t('choice.back'), () => this.overview(), { iconName: 'back' }),
        ],
      }),
    })
  }

  #type(field: CheckField): void {
    this.#stage.show(
      typingPage(this.#context, field, {
        photo: this.#step.left > 0,
        back: () => this.pick(),
        typed: (value) => {
          if (value === field.value) this.#typed.delete(field.name)
          else this.#typed.set(field.name, value)
          this.overview()
        },
      }),
    )
  }

  #fields(): readonly CheckField[] {
    return shownFields(this.#step.fields).map((field) => ({
      ...field,
      typed: this.#typed.get(field.name) ?? field.typed,
    }))
  }

  #corrections(): Partial<Record<CheckFieldName, string>> {
    return Object.fromEntries(this.#typed)
  }

  #toggle(): void {
    this.#isShown = !this.#isShown
    this.#wasShown = true
    this.overview()
    this.#stage.element.querySelector<HTMLElement>('#check-show')?.focus({ preventScroll: true })
  }

  #redrawValues(): void {
    for (const box of this.#stage.element.querySelectorAll<HTMLElement>('[data-field]')) {
      const field = this.#fields().find(({ name }) => name === box.dataset.field)
      if (field) box.querySelector('.value')?.replaceWith(drawValue(this.#context, field, this.#isShown))
    }
  }

  #isPast(isoDate: string): boolean {
    const today = new Date()
    const [year = 0, month = 12, day = 31] = isoDate.split('-').map(Number)
    return new Date(year, (month || 12) - 1, (day || 31) + 1) <= today
  }
}
