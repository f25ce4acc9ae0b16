/** The last screen: what to take along, then the machine is ready for the next person. */
import { picture } from '../art.ts'
import type { Screen } from '../context.ts'
import { h } from '../dom.ts'
import { button, layout } from '../layout.ts'

export const goodbye: Screen = ({ state, t, acts }) => ({
  element: layout({
    name: 'plain',
    title: t(`goodbye.${state.parting}.title`),
    words: [h('p', {}, t(`goodbye.${state.parting}.text`))],
    look: [picture(state.parting === 'refused' ? 'person' : 'hold')],
    hands: [button('secondary', t('goodbye.next'), () => acts.done())],
  }),
})
