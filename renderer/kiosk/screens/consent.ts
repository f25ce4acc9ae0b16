/** Consent in plain words: what we do, who receives it, how to stop. Two equal answers, none of them set before. */
import { icon } from '../art.ts'
import type { IconName } from '../art.ts'
import type { Screen } from '../context.ts'
import { openDialog } from '../dialog.ts'
import { h } from '../dom.ts'
import { button, layout, notice } from '../layout.ts'
import type { TextKey } from '../../locales/index.ts'

const ACTS: readonly [IconName, TextKey][] = [
  ['document', 'consent.act.document'],
  ['portrait', 'consent.act.portrait'],
  ['compare', 'consent.act.compare'],
]
const FULL_TEXT = [
  'consent.full.1',
  'consent.full.2',
  'consent.full.3',
  'consent.full.4',
  'consent.full.5',
  'consent.full.6',
] as const satisfies readonly TextKey[]

export const consent: Screen = ({ state, t, acts }) => {
  const organisation = state.journey?.organisation ?? ''
  const trouble = h('div', { class: 'trouble', role: 'status' })
  const agree = button('equal', t('consent.agree'), () => acts.agree(), { id: 'consent-agree' })
  const refuse = button('equal', t('consent.refuse'), () => acts.refuse(), { id: 'consent-refuse' })
  const readAll = () =>
    openDialog({
      title: t('consent.full.title'),
      content: [
        h('div', { class: 'reading' }, ...FULL_TEXT.map((key) => h('p', {}, t(key, { organisation })))),
      ],
      choices: [{ text: t('help.close'), kind: 'primary' }],
    })
  return {
    element: layout({
      name: 'consent',
      title: t('consent.title'),
      words: [h('p', {}, t('consent.lead', { organisation }))],
      look: [
        h(
          'ol',
          { class: 'acts' },
          ...ACTS.map(([name, key]) => h('li', {}, icon(name), h('span', {}, t(key)))),
        ),
        h('p', { class: 'fact' }, icon('lock'), t('consent.kept', { organisation })),
        h('p', { class: 'fact' }, icon('stop'), t('consent.stop')),
      ],
      hands: [trouble, button('secondary', t('consent.read'), readAll), agree, refuse],
    }),
    update(next) {
      for (const each of [agree, refuse]) each.disabled = next.working
      trouble.replaceChildren(next.notice === 'offline' ? notice('attention', t('trouble.offline')) : '')
    },
  }
}
