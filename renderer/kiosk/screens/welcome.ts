/** Welcome and language: one button per language of the journey, each by its own name. */
import { icon, picture } from '../art.ts'
import type { Screen } from '../context.ts'
import { h } from '../dom.ts'
import { button, layout, notice } from '../layout.ts'

export const welcome: Screen = ({ state, t, acts }) => {
  const languages = state.journey?.languages ?? []
  const only = languages.length === 1
  const buttons = languages.map(({ tag, name, dir }) => {
    const label = only ? t('welcome.start', { language: name }) : name
    const choice = button(only ? 'primary' : 'equal', label, () => acts.chooseLanguage(tag))
    choice.lang = tag
    choice.dir = dir
    return choice
  })
  const trouble = state.notice
  return {
    element: layout({
      name: 'welcome',
      title: t('welcome.title'),
      look: [picture('welcome')],
      words: [
        trouble === 'expired' ? notice('note', t('expired.title'), t('expired.text')) : null,
        trouble === 'busy' || trouble === 'offline' ? notice('attention', t(`trouble.${trouble}`)) : null,
        h('p', { class: 'fact' }, icon('waiting'), t('welcome.time')),
        h('p', { class: 'fact' }, icon('document'), t('welcome.need')),
      ],
      hands: only
        ? buttons
        : [h('div', { class: 'choices', role: 'group', 'aria-label': t('welcome.language') }, ...buttons)],
    }),
  }
}
