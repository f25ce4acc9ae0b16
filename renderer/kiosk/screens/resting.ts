/** Out of use: the server does not answer or refuses to work. Never half-working. */
import { picture } from '../art.ts'
import type { Screen } from '../context.ts'
import { h } from '../dom.ts'
import { button, layout } from '../layout.ts'

export const resting: Screen = ({ t, acts }) => ({
  element: layout({
    name: 'plain',
    title: t('resting.title'),
    words: [h('p', {}, t('resting.text'))],
    look: [picture('person')],
    hands: [button('secondary', t('resting.again'), () => acts.retryBoot())],
  }),
})
