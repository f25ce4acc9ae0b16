/** The kiosks: those to be looked at first, each with its state in words and shape. */
import { el, icon } from './dom.js'
import { STATES, ago, healthOf, since, stateReasonsOf } from './words.js'

const ORDER = ['FROZEN', 'LATE', 'OK', 'REVOKED']

export function kioskTable(kiosks, onDetails) {
  if (kiosks.length === 0) {
    return el(
      'p',
      { class: 'notice' },
      'No kiosk has joined yet. Make a code below and type it in at the kiosk.',
    )
  }
  const now = Date.now()
  const rows = [...kiosks]
    .sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
    .map((kiosk) => row(kiosk, now, onDetails))
  const head = (text, className) => el('th', { scope: 'col', role: 'columnheader', class: className }, text)
  return el(
    'div',
    { class: 'table-wrap' },
    el(
      'table',
      { role: 'table', 'aria-labelledby': 'kiosks-title' },
      el(
        'thead',
        { role: 'rowgroup' },
        el(
          'tr',
          { role: 'row' },
          head('Kiosk'),
          head('State'),
          head('Waiting', 'number'),
          head('Oldest'),
          head('Last seen'),
          head('Health'),
          head('Version'),
          head('Bundle', 'number'),
          head('More'),
        ),
      ),
      el('tbody', { role: 'rowgroup' }, ...rows),
    ),
  )
}

/** State word with its shape. */
export function stateMark(state) {
  const { word, icon: shape } = STATES[state]
  return el('span', { class: `state state-${state}` }, icon(shape), word)
}

function row(kiosk, now, onDetails) {
  const reasons = stateReasonsOf(kiosk, now)
  const cell = (label, content, className) =>
    el(
      'td',
      { role: 'cell', class: className },
      el('span', { class: 'cell-label', 'aria-hidden': 'true' }, label),
      content,
    )
  return el(
    'tr',
    { role: 'row' },
    el('th', { scope: 'row', role: 'rowheader' }, kiosk.name),
    el(
      'td',
      { role: 'cell', class: 'cell-state' },
      stateMark(kiosk.state),
      reasons.length > 0
        ? el('ul', { class: 'reasons' }, ...reasons.map((text) => el('li', {}, text)))
        : null,
    ),
    cell('Waiting', String(kiosk.backlog ?? '–'), 'number'),
    cell('Oldest', kiosk.oldestPendingAt ? since(kiosk.oldestPendingAt, now) : '–'),
    cell('Last seen', kiosk.lastSeenAt ? ago(kiosk.lastSeenAt, now) : 'never'),
    cell('Health', healthOf(kiosk)),
    cell('Version', kiosk.productVersion ?? '–'),
    cell('Bundle', bundleOf(kiosk), 'number'),
    el(
      'td',
      { role: 'cell', class: 'cell-actions' },
      el(
        'button',
        {
          class: 'button small',
          type: 'button',
          'data-key': `kiosk-${kiosk.kioskId}`,
          'aria-label': `Details of ${kiosk.name}`,
          onclick: () => onDetails(kiosk.kioskId),
        },
        'Details',
      ),
    ),
  )
}

/** The number it has, and the newest where that is another. */
function bundleOf({ bundleVersion, newestBundleVersion }) {
  if (bundleVersion === null) return '–'
  if (newestBundleVersion > bundleVersion) return `${bundleVersion || 'none'} of ${newestBundleVersion}`
  return String(bundleVersion || 'none')
}

function rank(kiosk) {
  return ORDER.indexOf(kiosk.state)
}
