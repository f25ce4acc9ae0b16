/**
 * The applicant's address, for a register of addresses: the country, each part in the order of the country, a look at the whole with what
 * the register is told, and its answer in words. The parts exist only while this screen is open.
 */
import type { AddressStep, DetailsCheck } from '../../../server/kiosk/contract/index.ts'
import { picture } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { layoutForCountry, type LayoutName } from '../keyboard.ts'
import { button, isolateText, layout, row } from '../layout.ts'
import type { ScreenContext } from '../screen-context.ts'
import { listSentences } from './consent-words.ts'
import { sortCountries } from './country-search.ts'
import { questionPage } from './question-page.ts'
import { countryChoices, searchPage } from './search-page.ts'
import type { Stage, StagePage } from './stage.ts'

type Country = AddressStep['countries'][number]
type Field = Country['fields'][number]
type FieldName = Field['name']

/** The longest part that the server takes (server/api/contract/stated.ts). */
const LONGEST = 100
/** Country buttons that are shown before a search is needed. */
const COUNTRIES_SHOWN = 6

export class AddressPages {
  readonly #context: ScreenContext
  readonly #stage: Stage
  readonly #step: AddressStep
  readonly #typed = new Map<FieldName, string>()
  /** Parts of every page, so that the drafts carry them over to the screen in another language. */
  readonly #kept = new Map<string, HTMLInputElement>()
  #country: Country | undefined
  /** The field of the page; null: another page. */
  #at: FieldName | null = null
  /** A postcode that the applicant was told about: the same is taken the second time. */
  #insisted: string | null = null

  constructor(context: ScreenContext, stage: Stage, step: AddressStep) {
    this.#context = context
    this.#stage = stage
    this.#step = step
    this.#country = step.isFirstLikely ? step.countries[0] : undefined
    const names = new Set(step.countries.flatMap(({ fields }) => fields.map(({ name }) => name)))
    this.#keep('address-country', (iso3) => {
      this.#country = step.countries.find((one) => one.iso3 === iso3) ?? this.#country
      if (step.state === 'TYPE') this.open()
    })
    for (const name of names)
      this.#keep(`address-kept-${name}`, (value) => {
        this.#typed.set(name, value)
        if (this.#at === name) this.open()
      })
  }

  open(): void {
    const { state } = this.#step
    if (state === 'CHECKING') this.#checking()
    else if (state === 'ANSWERED') this.#answered()
    else this.#type()
  }

  dispose(): void {
    this.#typed.clear()
    for (const input of this.#kept.values()) input.value = ''
  }

  #keep(id: string, changed: (value: string) => void): void {
    // A field of type "hidden" would write what is typed into the page itself.
    const input = h('input', { type: 'text', hidden: true, id })
    input.addEventListener('input', () => changed(input.value))
    this.#kept.set(id, input)
  }

  #note(id: string, value: string): void {
    const input = this.#kept.get(id)
    if (input) input.value = value
  }

  #show(page: StagePage, at: FieldName | null = null): void {
    this.#at = at
    page.element.append(...this.#kept.values())
    this.#stage.show(page)
  }

  #type(): void {
    if (this.#country) this.#field(this.#country, 0)
    else this.#countries()
  }

  #countries(): void {
    const { t, state } = this.#context
    const countries = sortCountries(
      this.#step.countries.map((country) => ({ ...country, name: this.#nameOf(country), first: false })),
      state.language.tag,
    )
    const choose = (country: Country): void => {
      this.#country = country
      this.#note('address-country', country.iso3)
      this.#field(country, 0)
    }
    const elsewhere = button('secondary', t('address.elsewhere'), () => this.#leaveOut(), {
      id: 'details-skip',
      calls: true,
    })
    if (countries.length > COUNTRIES_SHOWN)
      return this.#show(
        searchPage(this.#context, {
          title: t('address.country.title'),
          countries,
          label: ({ name }) => name,
          choose: ({ iso3 }) => choose(this.#find(iso3)),
          back: () => this.#leaveOut(),
          other: elsewhere,
        }),
      )
    this.#show({
      element: layout({
        name: 'choice',
        title: t('address.country.title'),
        words: [h('p', {}, t('address.country.text'))],
        look: [picture('counter')],
        hands: [
          countryChoices(t('address.country.title'), countries, ({ iso3 }) => choose(this.#find(iso3))),
          elsewhere,
        ],
      }),
    })
  }

  #find(iso3: string): Country {
    const found = this.#step.countries.find((one) => one.iso3 === iso3)
    if (!found) throw new TypeError('a country of the list')
    return found
  }

  #field(country: Country, at: number): void {
    const { t } = this.#context
    const field = country.fields[at]
    if (!field) return this.#review(country)
    const { name } = field
    const words = [
      at === 0 ? h('p', {}, t('address.text', { source: country.source })) : null,
      h(
        'p',
        { class: 'quiet' },
        t('address.part', { n: at + 1, total: country.fields.length, country: this.#nameOf(country) }),
      ),
    ].filter((part) => part !== null)
    const previous =
      at > 0
        ? button('secondary', t('choice.back'), () => this.#field(country, at - 1), { iconName: 'back' })
        : this.#step.countries.length > 1
          ? button('secondary', t('country.search'), () => this.#countries(), { iconName: 'search' })
          : null
    this.#show(
      questionPage(this.#context, {
        id: `address-${name}`,
        title: this.#titleOf(country, name),
        words,
        help: this.#helpFor(field),
        keys: this.#keysFor(country, field),
        digits: field.keys === 'LETTERS',
        dir: name === 'postcode' ? 'ltr' : 'auto',
        longest: LONGEST,
        value: this.#typed.get(name) ?? '',
        typed: (value) => {
          this.#typed.set(name, value)
          this.#note(`address-kept-${name}`, value)
        },
        take: async (value) => {
          const wrong = await this.#findWrong(country, field, value)
          if (wrong === null) this.#field(country, at + 1)
          return wrong
        },
        hands: [row(previous, this.#without())],
      }),
      name,
    )
  }

  /** The server knows the forms of the country. If it does not answer, it refuses what is wrong later. */
  async #findWrong(country: Country, { name, example }: Field, value: string): Promise<string | null> {
    const { t, ask } = this.#context
    const values = { ...this.#values(country), [name]: value }
    const { problems } = await ask
      .checkDetails({ question: 'ADDRESS', country: country.iso3, values })
      .catch((): DetailsCheck => ({ problems: [] }))
    const problem = problems.find(({ field }) => field === name)?.problem
    if (!problem) return null
    const named = { country: this.#nameOf(country) }
    if (problem === 'UNKNOWN') return t('address.wrong.UNKNOWN', named)
    if (problem !== 'UNUSUAL') return t('address.wrong.MISSING')
    if (this.#insisted === value) return null
    this.#insisted = value
    return value === '' || example === null
      ? t('address.wrong.EMPTY', named)
      : t('address.wrong.UNUSUAL', { ...named, example: leftToRight(example) })
  }

  #review(country: Country): void {
    const { t, acts, state } = this.#context
    const { source, told, fields, iso3 } = country
    const values = this.#values(country)
    const lines = fields.flatMap(({ name }) => {
      const value = values[name]
      return value ? [this.#line(this.#titleOf(country, name), value)] : []
    })
    const right = button(
      'primary',
      t('address.review.right'),
      () => acts.sendDetails({ question: 'ADDRESS', country: iso3, values }),
      { id: 'details-right', calls: true },
    )
    // Confirming requires that every part was shown.
    right.classList.add('on-last-page')
    this.#show({
      element: layout({
        name: 'address-review',
        title: t('address.review.title'),
        words: listSentences(
          ['ADDRESS'],
          { ADDRESS: [{ name: source, values: told }] },
          { t, language: state.language.tag },
        ).map((sentence) => h('p', {}, sentence)),
        look: [
          h(
            'dl',
            { class: 'paged fields' },
            ...lines,
            this.#line(t('field.issuingCountry'), this.#nameOf(country)),
          ),
        ],
        hands: [
          right,
          row(
            button('secondary', t('address.review.change'), () => this.#field(country, 0), {
              iconName: 'back',
            }),
            this.#without(),
          ),
        ],
      }),
    })
  }

  #line(label: string, value: string): HTMLElement {
    return h(
      'div',
      { class: 'field' },
      h('dt', {}, label),
      h('dd', {}, h('span', { class: 'value', 'data-personal': true }, isolateText(value, 'auto'))),
    )
  }

  #checking(): void {
    const { t } = this.#context
    this.#show({
      element: layout({
        name: 'checking',
        title: t('address.checking'),
        words: [h('p', { role: 'status' }, t('address.checking.text'))],
        look: [picture('counter')],
        hands: [this.#next('secondary', t('address.checking.next'))],
      }),
    })
  }

  #answered(): void {
    const { t } = this.#context
    const { answer, left } = this.#step
    const says = answer?.says ?? 'UNASKED'
    const source = answer?.source ?? ''
    // A register that cannot be asked now is asked again with this address; another one would not help.
    const mayType = says === 'OPEN' || says === 'DIFFERENT'
    this.#show({
      element: layout({
        name: 'address-answer',
        title: t(`address.says.${says}.title`),
        words: [
          h('p', { class: 'lead', role: 'status' }, t(`address.says.${says}`, { source })),
          mayType ? h('p', {}, left > 0 ? t('address.left', { count: left }) : t('address.limit')) : null,
        ],
        look: [picture(says === 'CONFIRMED' ? 'finish' : 'counter')],
        hands: [
          this.#next('primary', t('address.next')),
          mayType && left > 0
            ? button('secondary', t('address.again'), () => this.#type(), { iconName: 'retry' })
            : null,
        ],
      }),
    })
  }

  #next(kind: 'primary' | 'secondary', text: string): HTMLElement {
    return button(kind, text, () => this.#context.acts.passAddress(), { id: 'address-next', calls: true })
  }

  #without(): HTMLElement | null {
    const { t } = this.#context
    if (this.#step.state !== 'TYPE') return this.#next('secondary', t('address.skip'))
    return button('secondary', t('address.skip'), () => this.#leaveOut(), { id: 'details-skip', calls: true })
  }

  #leaveOut(): void {
    this.#context.acts.skip({ step: 'details' })
  }

  #values({ fields }: Country): Partial<Record<FieldName, string>> {
    return Object.fromEntries(
      fields.flatMap(({ name }) => {
        const value = (this.#typed.get(name) ?? '').trim()
        return value === '' ? [] : [[name, value]]
      }),
    )
  }

  #titleOf({ numberFirst }: Country, name: FieldName): string {
    return this.#context.t(
      name === 'street' && numberFirst ? 'address.title.number' : `address.title.${name}`,
    )
  }

  #helpFor({ name, example }: Field): string {
    const { t } = this.#context
    if (name === 'further') return t('address.help.further')
    if (name === 'region') return t('address.help.region')
    return example === null
      ? t('address.help')
      : t('address.help.postcode', { example: leftToRight(example) })
  }

  #keysFor({ iso2 }: Country, { keys }: Field): LayoutName {
    if (keys === 'LETTERS') return layoutForCountry(iso2, this.#context.state.language.tag)
    return keys === 'DIGITS' ? 'digits' : 'codes'
  }

  #nameOf({ iso2, name }: Country): string {
    return name ?? this.#context.formats.country(iso2)
  }
}

/** Keeps the order of a postcode's signs in Arabic text. */
function leftToRight(text: string): string {
  return `\u2066${text}\u2069`
}
