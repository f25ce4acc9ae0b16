/** Before the first answer of the server. */
import { picture } from '../art.ts'
import type { Screen } from '../context.ts'
import { h } from '../dom.ts'
import { layout } from '../layout.ts'

export const starting: Screen = ({ t }) => ({
  element: layout({
    name: 'plain',
    title: t('starting.title'),
    words: [h('p', {}, t('starting.text'))],
    look: [picture('welcome')],
  }),
})
