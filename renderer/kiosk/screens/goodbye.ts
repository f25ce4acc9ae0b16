/** The last screen: what to take along or where to go. Then the machine is ready for the next applicant. */
import { picture } from '../../design/art.ts'
import type { PictureName } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { button, layout, setWorking } from '../layout.ts'
import type { Parting, Screen } from '../screen-context.ts'

const PICTURE_OF: Readonly<Record<Parting, PictureName>> = {
  finished: 'take',
  stopped: 'hold',
  refused: 'counter',
  'taken-over': 'counter',
}

export const goodbye: Screen = ({ state, t, acts }) => {
  const element = layout({
    name: 'goodbye',
    title: t(`goodbye.${state.parting}.title`),
    words: [h('p', { class: 'lead' }, t(`goodbye.${state.parting}.text`))],
    look: [picture(PICTURE_OF[state.parting])],
    hands: [button('secondary', t('goodbye.next'), () => acts.done(), { calls: true })],
  })
  return {
    element,
    update(next) {
      setWorking(element, next.working)
      return next.parting === state.parting
    },
  }
}
