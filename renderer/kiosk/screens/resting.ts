/** Out of use: the server does not answer, or takes no new visits for now. Never half-working. */
import { picture } from '../art.ts'
import type { Screen } from '../context.ts'
import { h } from '../dom.ts'
import { button, layout } from '../layout.ts'

export const resting: Screen = ({ state, t, acts }) => {
  const why = state.notice === 'closed' ? 'closed' : 'resting'
  return {
    element: layout({
      name: 'plain',
      title: t(`${why}.title`),
      words: [h('p', {}, t(`${why}.text`))],
      look: [picture('person')],
      hands: [button('secondary', t('resting.again'), () => acts.retryBoot())],
    }),
  }
}
