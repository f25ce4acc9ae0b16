/** Waiting: shows the checks in progress by their real states. No percentages, no estimates. */
import { picture } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { button, layout, notice, setWorking } from '../layout.ts'
import type { Screen } from '../screen-context.ts'
import { drawRow } from './checking.ts'
import { presentStep } from './present-step.ts'
import { waitingWords } from './waiting-words.ts'

const TICK_MS = 500

export const waiting: Screen = (context) => {
  const { state, t, acts, announce, now } = context
  const began = now()
  let step = presentStep(context.state, 'waiting')
  let trouble = state.trouble
  let said = ''
  const rows = h('ul', { class: 'rows' })
  const calm = h('div', { class: 'calm' })
  const leave = button('secondary', t('waiting.leave'), () => acts.finish(), { calls: true })
  const element = layout({
    name: 'waiting',
    title: t('waiting.title'),
    words: [calm],
    look: [rows, picture('welcome')],
    hands: [leave],
  })
  const title = element.querySelector('h1')

  const draw = () => {
    const words = waitingWords(step, now() - began, trouble === 'offline')
    const doing = words.doing ? t(words.doing) : ''
    if (title && doing && title.textContent !== doing) title.textContent = doing
    if (doing && doing !== said) announce(doing)
    said = doing || said
    const note = words.calm ? t(words.calm) : ''
    if (calm.textContent !== note) {
      calm.replaceChildren(note ? notice('note', note) : '')
      if (note) announce(note)
    }
    leave.hidden = !words.mayLeave
  }
  const drawRows = () => rows.replaceChildren(...(step?.rows ?? []).map((each) => drawRow(t, each)))
  draw()
  drawRows()
  const timer = setInterval(draw, TICK_MS)
  return {
    element,
    update(next) {
      const changed = JSON.stringify(presentStep(next, 'waiting')?.rows) !== JSON.stringify(step?.rows)
      step = presentStep(next, 'waiting')
      trouble = next.trouble
      setWorking(element, next.working)
      if (changed) drawRows()
      draw()
      return step !== null
    },
    dispose: () => clearInterval(timer),
  }
}
