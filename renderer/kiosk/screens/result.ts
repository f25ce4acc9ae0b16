/** The result: the same calm page whatever it is, so that a bystander cannot read it from afar. */
import type { Outcome } from '../../../server/kiosk/contract.ts'
import type { TextKey } from '../../locales/index.ts'
import { picture } from '../art.ts'
import type { Screen } from '../context.ts'
import { h } from '../dom.ts'
import { button, layout } from '../layout.ts'

const WORDS: Readonly<Record<Outcome, { outcome: TextKey; next: TextKey }>> = {
  CONFIRMED: { outcome: 'result.confirmed', next: 'result.next.confirmed' },
  PERSON: { outcome: 'result.person', next: 'result.next.person' },
  LATER: { outcome: 'result.later', next: 'result.next.later' },
}

export const result: Screen = ({ state, t, acts }) => {
  const { outcome, reference } = state.receipt ?? { outcome: 'LATER' as const, reference: '' }
  const organisation = state.journey?.organisation ?? ''
  return {
    element: layout({
      name: 'result',
      title: t('result.title'),
      words: [
        h('p', { class: 'outcome', id: 'outcome', 'data-outcome': outcome }, t(WORDS[outcome].outcome)),
      ],
      look: [
        picture(outcome === 'CONFIRMED' ? 'finish' : 'person'),
        h(
          'dl',
          { class: 'reference' },
          h('dt', {}, t('result.reference')),
          h('dd', { id: 'reference' }, h('bdi', { dir: 'ltr' }, reference)),
          h('dd', { class: 'detail' }, t('result.write')),
        ),
        h(
          'div',
          { class: 'next' },
          h('h2', {}, t('result.next')),
          h('p', {}, t(WORDS[outcome].next, { organisation })),
        ),
      ],
      hands: [
        button('primary', t('result.done'), () => acts.done()),
        h('p', { class: 'quiet' }, t('result.clears')),
      ],
    }),
  }
}
