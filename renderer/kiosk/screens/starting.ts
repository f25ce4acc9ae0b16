/** The screen before the server's first answer. */
import { picture } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { layout } from '../layout.ts'
import type { Screen } from '../screen-context.ts'

export const starting: Screen = ({ t }) => ({
  element: layout({
    name: 'starting',
    title: t('starting.title'),
    words: [h('p', {}, t('starting.text'))],
    look: [picture('welcome')],
  }),
  update: () => true,
})
