/** Waiting: names what is really being done, from the states of the checks. No percentages. */
import type { Progress } from '../../../server/kiosk/contract.ts'
import type { TextKey } from '../../locales/index.ts'
import { icon, picture } from '../art.ts'
import type { Screen } from '../context.ts'
import { h } from '../dom.ts'
import type { JourneyState } from '../journey.ts'
import { button, layout, notice } from '../layout.ts'
import { waitingWords } from '../waiting.ts'

type RowState = 'todo' | 'doing' | 'done'
const TICK_MS = 500

export const waiting: Screen = ({ state, t, acts, announce, now }) => {
  const began = now()
  let progress = state.progress
  let offline = state.notice === 'offline'
  let said = ''
  const rows = h('ul', { class: 'rows' })
  const calm = h('div', { class: 'calm' })
  const leave = button('secondary', t('waiting.leave'), () => acts.leaveEarly())
  leave.hidden = true
  const element = layout({
    name: 'waiting',
    title: t('waiting.title'),
    words: [calm],
    look: [rows, picture('welcome')],
    hands: [leave],
  })
  const title = element.querySelector('h1')

  const draw = () => {
    const words = waitingWords(progress, now() - began)
    const doing = words.doing ? t(words.doing) : ''
    if (title && doing) title.textContent = doing
    if (doing && doing !== said) announce(doing)
    said = doing || said
    const note = offline ? t('waiting.offline') : words.calm ? t(words.calm) : ''
    if (calm.textContent !== note) calm.replaceChildren(note ? notice('note', note) : '')
    leave.hidden = !words.mayLeave
  }
  const drawRows = () => {
    rows.replaceChildren(
      ...rowsOf(progress).map(([key, rowState]) =>
        h(
          'li',
          { class: `row row-${rowState}` },
          icon(rowState === 'done' ? 'done' : rowState === 'doing' ? 'waiting' : 'todo'),
          h('span', { class: 'row-name' }, t(key)),
          h('span', { class: 'row-state' }, t(`waiting.${rowState}`)),
        ),
      ),
    )
  }
  draw()
  drawRows()
  const timer = setInterval(draw, TICK_MS)
  return {
    element,
    update(next: JourneyState) {
      const changed = JSON.stringify(next.progress) !== JSON.stringify(progress)
      progress = next.progress
      offline = next.notice === 'offline'
      if (changed) drawRows()
      draw()
    },
    dispose: () => clearInterval(timer),
  }
}

function rowsOf(progress: Progress | null): readonly [TextKey, RowState][] {
  const documentDone = progress?.document.state === 'DONE'
  const portraitDone = progress?.portrait.state === 'DONE'
  const portraitDoing = progress?.portrait.state === 'CHECKING'
  return [
    ['waiting.row.document', documentDone ? 'done' : 'doing'],
    ['waiting.row.portrait', portraitDone ? 'done' : portraitDoing && documentDone ? 'doing' : 'todo'],
    ['waiting.row.seal', progress?.ready ? 'doing' : 'todo'],
  ]
}
