/**
 * Lets the applicant choose the document by picture cards, then the country. If this machine cannot read it,
 * the screen says so and where to go.
 */
import { picture } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { button, choices, layout, notice, row } from '../layout.ts'
import type { Screen, ScreenContext, ScreenView } from '../screen-context.ts'
import { sortCountries } from './country-search.ts'
import type { NamedCountry } from './country-search.ts'
import { ICON_OF_TYPE, nameOfType, RARE_TYPES, USUAL_TYPES } from './document-words.ts'
import type { DocumentType } from './document-words.ts'
import { countryChoices, searchPage } from './search-page.ts'
import { createStage } from './stage.ts'
import type { Stage } from './stage.ts'

interface Country extends NamedCountry {
  readonly documents: readonly DocumentType[]
}

/** Country buttons that are shown before a search is needed. */
const FIRST_SHOWN = 4

export const documentChoice: Screen = (context): ScreenView => {
  const stage = createStage('choice')
  const pages = new ChoicePages(context, stage)
  pages.kinds()
  void pages.load()
  return {
    element: stage.element,
    update(next) {
      stage.working(next.working)
      return true
    },
    dispose: () => pages.dispose(),
  }
}

class ChoicePages {
  readonly #context: ScreenContext
  readonly #stage: Stage
  /** Null until they are loaded. */
  #countries: readonly Country[] | null = null
  /** The kind that was chosen before the countries were loaded. */
  #waitingFor: DocumentType | null = null
  #isOpen = true

  constructor(context: ScreenContext, stage: Stage) {
    this.#context = context
    this.#stage = stage
  }

  dispose(): void {
    this.#isOpen = false
    this.#stage.dispose()
  }

  async load(): Promise<void> {
    const { ask, formats, state } = this.#context
    try {
      const countries = (await ask.countries()).map(({ iso3, iso2, name, first, documents }) => ({
        iso3,
        iso2,
        first,
        documents,
        name: name ?? formats.country(iso2),
      }))
      if (!this.#isOpen) return
      this.#countries = sortCountries(countries, state.language.tag)
      if (this.#waitingFor) this.country(this.#waitingFor)
    } catch {
      if (this.#isOpen) this.#notLoaded()
    }
  }

  kinds(): void {
    const { t, acts } = this.#context
    const cards = USUAL_TYPES.map((type) => this.#card(type))
    this.#stage.show({
      element: layout({
        name: 'choice',
        title: t('choice.title'),
        words: [h('p', {}, t('choice.text'))],
        look: [picture('open')],
        hands: [
          choices(t('choice.kinds'), cards, 'two cards'),
          row(
            button('secondary', t('choice.automatic'), () => acts.letDocumentTell(), {
              iconName: 'camera',
              calls: true,
            }),
            button('secondary', t('choice.other'), () => this.#other(), { iconName: 'other' }),
          ),
        ],
      }),
    })
  }

  #card(type: DocumentType): HTMLElement {
    return button('equal', this.#context.t(nameOfType(type)), () => this.country(type), {
      iconName: ICON_OF_TYPE[type],
      calls: true,
    })
  }

  #other(): void {
    const { t, acts } = this.#context
    const rare = RARE_TYPES.filter(
      (type) => this.#countries?.some(({ documents }) => documents.includes(type)) ?? false,
    )
    this.#stage.show({
      element: layout({
        name: 'choice',
        title: t('choice.other.title'),
        words: [h('p', {}, t('choice.other.text'))],
        look: [picture('counter')],
        hands: [
          rare.length > 0
            ? choices(
                t('choice.kinds'),
                rare.map((type) => this.#card(type)),
                'two cards',
              )
            : null,
          button('primary', t('choice.counter'), () => acts.skip({ step: 'document', person: true }), {
            iconName: 'counter',
            calls: true,
          }),
          button('secondary', t('choice.back'), () => this.kinds(), { iconName: 'back' }),
        ],
      }),
    })
  }

  country(type: DocumentType): void {
    const { t, acts } = this.#context
    const countries = this.#countries?.filter(({ documents }) => documents.includes(type))
    if (!countries) {
      this.#waitingFor = type
      return this.#stage.show({
        element: layout({
          name: 'choice',
          title: t('country.title'),
          words: [h('p', { role: 'status' }, t('country.loading'))],
          look: [picture('open')],
          hands: [button('secondary', t('choice.back'), () => this.#backToKinds(), { iconName: 'back' })],
        }),
      })
    }
    this.#waitingFor = null
    if (countries.length === 0) return this.#other()
    const first = countries.filter((country) => country.first).slice(0, FIRST_SHOWN)
    if (countries.length > FIRST_SHOWN + 1 && first.length === 0) return this.#search(type, countries)
    const shown =
      first.length > 0 && countries.length > FIRST_SHOWN ? first : countries.slice(0, FIRST_SHOWN + 1)
    this.#stage.show({
      element: layout({
        name: 'choice',
        title: t('country.title'),
        words: [h('p', {}, t('country.text'))],
        look: [picture('open')],
        hands: [
          countryChoices(t('country.list'), shown, ({ iso3 }) =>
            acts.chooseDocument({ country: iso3, documentType: type }),
          ),
          shown.length < countries.length
            ? button('secondary', t('country.search'), () => this.#search(type, countries), {
                iconName: 'search',
              })
            : null,
          row(
            button('secondary', t('choice.back'), () => this.kinds(), { iconName: 'back' }),
            button('secondary', t('country.absent'), () => this.#absent(), { iconName: 'help' }),
          ),
        ],
      }),
    })
  }

  #search(type: DocumentType, countries: readonly Country[]): void {
    const { t, acts } = this.#context
    this.#stage.show(
      searchPage(this.#context, {
        title: t('country.title'),
        countries,
        label: ({ name }) => name,
        choose: ({ iso3 }) => acts.chooseDocument({ country: iso3, documentType: type }),
        back: () => this.kinds(),
        other: button('secondary', t('country.absent'), () => this.#absent(), { iconName: 'help' }),
      }),
    )
  }

  #absent(): void {
    const { t, acts } = this.#context
    this.#stage.show({
      element: layout({
        name: 'choice',
        title: t('country.absent.title'),
        words: [h('p', {}, t('country.absent.text'))],
        look: [picture('counter')],
        hands: [
          button('equal', t('country.another'), () => this.kinds(), { iconName: 'document' }),
          button('equal', t('choice.counter'), () => acts.skip({ step: 'document', person: true }), {
            iconName: 'counter',
            calls: true,
          }),
        ],
      }),
    })
  }

  #backToKinds(): void {
    this.#waitingFor = null
    this.kinds()
  }

  #notLoaded(): void {
    const { t } = this.#context
    const again = () => {
      this.kinds()
      void this.load()
    }
    this.#stage.show({
      element: layout({
        name: 'choice',
        title: t('choice.title'),
        words: [h('div', { role: 'status' }, notice('attention', t('country.not-loaded')))],
        look: [picture('resting')],
        hands: [button('primary', t('resting.again'), again, { iconName: 'retry' })],
      }),
    })
  }
}
