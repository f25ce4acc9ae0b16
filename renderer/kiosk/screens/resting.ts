/** Out of use: the server does not answer, or takes no new visits for now. */
import { picture } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { button, fact, layout, setWorking } from '../layout.ts'
import { openingHours } from '../opening-hours.ts'
import type { Screen } from '../screen-context.ts'

export const resting: Screen = ({ state, t, acts }) => {
  const why = state.trouble === 'closed' ? 'closed' : 'resting'
  const hours = openingHours(state)
  const element = layout({
    name: 'resting',
    title: t(`${why}.title`),
    words: [
      h('p', {}, t(`${why}.text`)),
      hours ? fact('clock', t('place.hours', { hours })) : null,
      state.journey ? fact('note', t('resting.machine', { name: state.journey.kiosk })) : null,
    ],
    look: [picture('resting')],
    hands: [
      button('secondary', t('resting.again'), () => acts.retryBoot(), { iconName: 'retry', calls: true }),
    ],
  })
  return {
    element,
    update(next) {
      setWorking(element, next.working)
      return (next.trouble === 'closed') === (why === 'closed')
    },
  }
}
