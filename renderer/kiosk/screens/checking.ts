/** Shows that a photo is being checked, and the place of this check among all checks of the visit. */
import type { VisitView, WaitingStep } from '../../../server/kiosk/contract/index.ts'
import { icon, picture } from '../../design/art.ts'
import type { IconName } from '../../design/art.ts'
import { h } from '../../dom.ts'
import type { TextKey } from '../../locales/index.ts'
import { layout } from '../layout.ts'
import type { ScreenContext } from '../screen-context.ts'
import type { WaitStep } from './wait-steps.ts'

type Row = WaitingStep['rows'][number]

const ICON_OF: Readonly<Record<Row['state'], IconName>> = { TODO: 'todo', DOING: 'waiting', DONE: 'done' }
const WORD_OF: Readonly<Record<Row['state'], TextKey>> = {
  TODO: 'waiting.todo',
  DOING: 'waiting.doing',
  DONE: 'waiting.done',
}
const CHECKED = ['document', 'portrait', 'phone', 'trusted-login'] as const

export function checkingPage({ state, t }: ScreenContext, kind: 'document' | 'portrait'): HTMLElement {
  const rows = h('ul', { class: 'rows' })
  if (state.visit) rows.append(...buildRows(state.visit).map((row) => drawRow(t, row)))
  return layout({
    name: 'checking',
    title: t(`waiting.${kind}`),
    words: [h('p', {}, t(`${kind}.checking`))],
    look: [rows, picture('welcome')],
  })
}

export function drawRow(
  t: ScreenContext['t'],
  { name, state }: { readonly name: Row['name'] | WaitStep; readonly state: Row['state'] },
): HTMLElement {
  return h(
    'li',
    { class: `row row-${state.toLowerCase()}` },
    icon(ICON_OF[state]),
    h('span', { class: 'row-name' }, t(`waiting.row.${name}`)),
    h('span', { class: 'row-state' }, t(WORD_OF[state])),
  )
}

function buildRows({ position: { steps, index } }: Pick<VisitView, 'position'>): readonly Row[] {
  const rows = steps.flatMap((step, at): Row[] => {
    const name = CHECKED.find((kind) => kind === step)
    return name ? [{ name, state: at < index ? 'DONE' : at === index ? 'DOING' : 'TODO' }] : []
  })
  return [...rows, { name: 'seal', state: 'TODO' }]
}
