/** Open alarms: what happened at which kiosk, since when, and that somebody deals with it. */
import { call } from './api.js'
import { announce, el, icon } from './dom.js'
import { ALARMS, factsOf } from './words.js'

export function alarmList(alarms, names, { mayWrite, onChange, onFailure }) {
  if (alarms.length === 0) return el('p', { class: 'muted' }, 'No open alarm.')
  return el(
    'ul',
    { class: 'alarms' },
    ...alarms.map((alarm) =>
      item(alarm, names.get(alarm.kioskId) ?? alarm.kioskId, { mayWrite, onChange, onFailure }),
    ),
  )
}

function item(alarm, kiosk, { mayWrite, onChange, onFailure }) {
  const button = el(
    'button',
    {
      class: 'button small',
      type: 'button',
      'data-key': `alarm-${alarm.alarmId}`,
      'aria-label': `Acknowledge: ${kiosk}, ${alarm.kind}`,
      onclick: async () => {
        button.disabled = true
        try {
          await call('POST', `/alarms/${alarm.alarmId}/acknowledgement`)
          announce('Alarm acknowledged.')
          onChange()
        } catch (error) {
          button.disabled = false
          onFailure(error)
        }
      },
    },
    'Acknowledge',
  )
  return el(
    'li',
    {},
    icon('attention'),
    el(
      'div',
      { class: 'what' },
      el('b', {}, kiosk),
      ` – ${ALARMS[alarm.kind] ?? alarm.kind} `,
      el('span', { class: 'muted small' }, factsOf(alarm)),
    ),
    mayWrite ? button : null,
  )
}
