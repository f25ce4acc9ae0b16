/** Everything known of one kiosk, and revoking it: behind a second step, with a reason. */
import { call } from './api.js'
import { announce, byId, el, showText } from './dom.js'
import { stateMark } from './kiosk-table.js'
import { ago, bytes, moment, reasonsOf } from './words.js'

export function showKiosk(kiosk, { mayWrite, onChange }) {
  const dialog = byId('dialog')
  const fact = (name, ...value) => [el('dt', {}, name), el('dd', {}, ...value)]
  const lines = (list) => (list.length === 0 ? '–' : el('ul', {}, ...list.map((line) => el('li', {}, line))))
  dialog.replaceChildren(
    el('h2', { id: 'dialog-title' }, kiosk.name),
    el(
      'dl',
      { class: 'facts' },
      ...fact('State', stateMark(kiosk.state)),
      ...(kiosk.reasons.length > 0 ? fact('Why', lines(reasonsOf(kiosk))) : []),
      ...fact('Kiosk id', el('code', {}, kiosk.kioskId)),
      ...fact('Joined', moment(kiosk.enrolledAt)),
      ...fact(
        'Last seen',
        kiosk.lastSeenAt ? `${moment(kiosk.lastSeenAt)} (${ago(kiosk.lastSeenAt)})` : 'never',
      ),
      ...fact('Proofs waiting', String(kiosk.backlog ?? '–')),
      ...fact('Oldest waiting since', moment(kiosk.oldestPendingAt)),
      ...fact('Last number stored here', String(kiosk.lastSequence)),
      ...fact(
        'Health',
        lines(Object.entries(kiosk.health).map(([part, state]) => `${part}: ${WORDS[state]}`)),
      ),
      ...fact('Free disk', bytes(kiosk.freeDiskBytes)),
      ...fact('Version', kiosk.productVersion ?? '–'),
      ...fact('Bundle', bundleOf(kiosk)),
      ...(kiosk.bundleProblems.length > 0 ? fact('Problems with it', lines(kiosk.bundleProblems)) : []),
    ),
    el(
      'div',
      { class: 'actions' },
      mayWrite && kiosk.state !== 'REVOKED'
        ? el(
            'button',
            {
              class: 'button danger',
              type: 'button',
              onclick: () => confirmRevocation(dialog, kiosk, onChange),
            },
            'Revoke…',
          )
        : null,
      closeButton(dialog, 'Close'),
    ),
  )
  open(dialog)
}

const WORDS = { UP: 'good', DEGRADED: 'weak', DOWN: 'not working' }

function bundleOf({ bundleVersion, newestBundleVersion }) {
  if (!newestBundleVersion) return 'none published'
  return `${bundleVersion || 'none'} (newest: ${newestBundleVersion})`
}

function confirmRevocation(dialog, kiosk, onChange) {
  const reason = el('input', { id: 'reason', maxlength: '200', autocomplete: 'off', required: true })
  const problem = el('p', { class: 'field-problem', role: 'alert', hidden: true })
  const submit = el('button', { class: 'button danger', type: 'submit' }, 'Revoke for good')
  dialog.replaceChildren(
    el('h2', { id: 'dialog-title' }, `Revoke ${kiosk.name}?`),
    el(
      'p',
      {},
      'The service will refuse everything from this kiosk from now on, also the ',
      el('b', {}, waitingText(kiosk.backlog)),
      '. Proofs stored before stay valid. To come back, the kiosk has to join anew.',
    ),
    el(
      'form',
      {
        onsubmit: async (event) => {
          event.preventDefault()
          submit.disabled = true
          try {
            await call('POST', `/kiosks/${kiosk.kioskId}/revocation`, { reason: reason.value })
            dialog.close()
            announce(`${kiosk.name} is revoked.`)
            onChange()
          } catch (error) {
            showText(problem, error.message)
            submit.disabled = false
          }
        },
      },
      el(
        'label',
        { for: 'reason' },
        'Reason ',
        el('span', { class: 'muted' }, '(kept; no names of persons)'),
      ),
      reason,
      problem,
      el('div', { class: 'actions gap' }, closeButton(dialog, 'Keep it'), submit),
    ),
  )
  reason.focus()
}

function waitingText(backlog) {
  if (backlog === null) return 'proofs that wait there'
  return backlog === 1 ? 'one proof that waits there' : `${backlog} proofs that wait there`
}

export function closeButton(dialog, text) {
  return el(
    'button',
    { class: 'button', type: 'button', autofocus: true, onclick: () => dialog.close() },
    text,
  )
}

export function open(dialog) {
  if (!dialog.open) dialog.showModal()
  dialog.scrollTop = 0
}
