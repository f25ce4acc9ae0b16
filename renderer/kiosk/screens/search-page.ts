/**
 * Search by typing: the matches appear directly above the keyboard, near the fingers. Used for countries and
 * dial codes.
 */
import { h } from '../../dom.ts'
import { createKeyboard, layoutFor } from '../keyboard.ts'
import { button, choices, layout, row } from '../layout.ts'
import type { ScreenContext } from '../screen-context.ts'
import { findCountries } from './country-search.ts'
import type { NamedCountry } from './country-search.ts'
import type { StagePage } from './stage.ts'

interface SearchParts<C extends NamedCountry> {
  readonly title: string
  readonly countries: readonly C[]
  /** The label of a result's button. */
  readonly label: (country: C) => string
  readonly choose: (country: C) => void
  readonly back: () => void
  /** An extra control beside "Back". */
  readonly other?: Node | null
}

/** Number of matches above the keyboard. */
const SUGGESTED = 3

export function searchPage<C extends NamedCountry>(
  { t, state }: ScreenContext,
  { title, countries, label, choose, back, other = null }: SearchParts<C>,
): StagePage {
  const field = h('input', {
    class: 'typed',
    id: 'country-typed',
    type: 'text',
    dir: 'auto',
    'aria-label': t('country.field'),
    'aria-describedby': 'country-found',
    maxlength: 40,
  })
  const count = h('p', { id: 'country-found', class: 'quiet', role: 'status' })
  const found = h('div', { class: 'choices three', role: 'group', 'aria-label': t('country.list') })
  const fitting = () => findCountries(countries, field.value)
  const draw = () => {
    const all = fitting()
    count.textContent = all.length === 0 ? t('country.none') : t('country.found', { count: all.length })
    const suggested = all
      .slice(0, SUGGESTED)
      .map((each) => button('equal', label(each), () => choose(each), { calls: true }))
    // The keys below keep their places, however few countries fit.
    while (suggested.length < SUGGESTED) suggested.push(emptyPlace())
    found.replaceChildren(...suggested)
  }
  field.addEventListener('input', draw)
  const keyboard = createKeyboard({
    layout: layoutFor('', state.language.tag),
    field,
    t,
    done: {
      text: t('country.done'),
      act: () => {
        const [first] = fitting()
        if (first && field.value.trim() !== '') choose(first)
      },
    },
  })
  draw()
  return {
    element: layout({
      name: 'typing',
      title,
      words: [h('p', {}, t('country.type')), field, count],
      look: [],
      hands: [
        found,
        keyboard.element,
        row(button('secondary', t('choice.back'), back, { iconName: 'back' }), other),
      ],
    }),
    gone: () => (field.value = ''),
  }
}

/** Buttons of a few countries, in two columns. */
export function countryChoices<C extends NamedCountry>(
  label: string,
  countries: readonly C[],
  choose: (country: C) => void,
): HTMLElement {
  const buttons = countries.map((country) =>
    button('equal', country.name, () => choose(country), { calls: true }),
  )
  return choices(label, buttons, buttons.length > 1 ? 'two' : '')
}

function emptyPlace(): HTMLButtonElement {
  const place = button('equal', '\u00a0', () => undefined)
  place.style.visibility = 'hidden'
  return place
}
