/** Welcome and language: what this machine does, what one needs, and each language by its own name. */
import { picture } from '../../design/art.ts'
import { languageOf } from '../../locales/index.ts'
import type { Language } from '../../locales/index.ts'
import { button, choices, fact, layout, row, setWorking } from '../layout.ts'
import type { Screen, ScreenContext } from '../screen-context.ts'

/** As many as are read at a glance; of more, the first four and "More" (ux "Welcome"). */
const AT_A_GLANCE = 6
const FIRST = 4

export const welcome: Screen = (context) => {
  const { state, t, acts } = context
  const languages = (state.journey?.languages ?? []).map(languageOf)
  const element = layout({
    name: 'welcome',
    title: t('welcome.title'),
    look: [picture('welcome')],
    words: [
      fact('clock', t('welcome.time')),
      fact('document', t('welcome.need')),
      fact('headset', t('welcome.headset')),
    ],
    hands: [
      choices(t('welcome.language'), languageButtons(context, languages), languages.length > 1 ? 'two' : ''),
      languages.length > AT_A_GLANCE
        ? button('secondary', t('welcome.more'), () => acts.showLanguages(), { iconName: 'language' })
        : null,
      settingsRow(context),
    ],
  })
  return {
    element,
    update(next) {
      setWorking(element, next.working)
      return next.journey === state.journey
    },
  }
}

function languageButtons({ t, acts }: ScreenContext, languages: readonly Language[]): readonly Node[] {
  const only = languages.length === 1
  const shown = languages.length > AT_A_GLANCE ? languages.slice(0, FIRST) : languages
  return shown.map(({ tag, name, dir }) => {
    const label = only ? t('welcome.start', { language: name }) : name
    const choice = button(only ? 'primary' : 'equal', label, () => acts.chooseLanguage(tag), { calls: true })
    if (!only) {
      choice.lang = tag
      choice.dir = dir
    }
    return choice
  })
}

/** What somebody needs before anything can be read or reached. */
function settingsRow({ t, settings, set }: ScreenContext): HTMLElement {
  const toggle = (key: 'lowerButtons' | 'highContrast', text: string, iconName: 'lower' | 'contrast') => {
    const element = button('secondary', text, () => set({ [key]: !settings[key] }), { iconName })
    element.setAttribute('aria-pressed', String(settings[key]))
    return element
  }
  return row(
    toggle('lowerButtons', t('welcome.lower'), 'lower'),
    toggle('highContrast', t('welcome.contrast'), 'contrast'),
  )
}
