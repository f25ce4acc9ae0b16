/** The fleet page: sign-in with a consumer's key, then kiosks and alarms, read again while the page is looked at. */
/* global document, setInterval */
import { alarmList } from './alarm-list.js'
import { all, call, keyring, Refusal } from './api.js'
import { byId, el, showText } from './dom.js'
import { initEnrolment } from './enrolment.js'
import { showKiosk } from './kiosk-dialog.js'
import { kioskTable, stateMark } from './kiosk-table.js'

const REFRESH_MS = 15_000
const STATES = ['OK', 'LATE', 'FROZEN', 'REVOKED']

/** @type {{ me: any, kiosks: any[], loading: boolean }} */
const seen = { me: null, kiosks: [], loading: false }
const mayWrite = () => seen.me?.scopes.includes('fleet:write') === true

function showSignIn(problem) {
  keyring.clear()
  seen.me = null
  byId('dialog').close()
  byId('fleet').hidden = true
  byId('sign-in').hidden = false
  byId('sign-out').hidden = true
  byId('who').hidden = true
  showText(byId('key-problem'), problem)
  byId('key').value = ''
  byId('key').focus()
}

function showFleet() {
  byId('sign-in').hidden = true
  byId('fleet').hidden = false
  byId('sign-out').hidden = false
  showText(byId('who'), `${seen.me.name} · ${seen.me.tenantId}`)
  byId('enrol').hidden = !mayWrite()
  byId('read-only').hidden = mayWrite()
}

async function enter() {
  try {
    seen.me = await call('GET', '/me')
  } catch (error) {
    return showSignIn(error.message)
  }
  if (!seen.me.scopes.includes('fleet:read')) return showSignIn('This key lacks the scope fleet:read.')
  showFleet()
  byId('content').hidden = true
  byId('loading').hidden = false
  await refresh()
}

async function refresh() {
  if (seen.loading || !seen.me) return
  seen.loading = true
  byId('refresh').disabled = true
  try {
    const [kiosks, alarms] = [await all('/kiosks', 'kiosks'), await all('/alarms', 'alarms')]
    seen.kiosks = kiosks
    render(kiosks, alarms)
    showText(byId('failure'), null)
    byId('loading').hidden = true
    byId('content').hidden = false
    byId('updated').textContent = `Updated ${new Date().toLocaleTimeString('en-GB')}`
  } catch (error) {
    if (error instanceof Refusal && (error.status === 401 || error.status === 403)) showSignIn(error.message)
    else showFailure(error)
  }
  seen.loading = false
  byId('refresh').disabled = false
}

function showFailure(error) {
  byId('loading').hidden = true
  showText(byId('failure'), error instanceof Refusal ? error.message : 'The page could not show the answer.')
}

function render(kiosks, alarms) {
  const focused = document.activeElement?.getAttribute('data-key')
  const names = new Map(kiosks.map(({ kioskId, name }) => [kioskId, name]))
  byId('counts').replaceChildren(
    ...STATES.flatMap((state) => {
      const count = kiosks.filter((kiosk) => kiosk.state === state).length
      return count > 0 || state === 'OK' ? [el('li', {}, el('b', {}, String(count)), stateMark(state))] : []
    }),
  )
  byId('alarms').replaceChildren(
    alarmList(alarms, names, { mayWrite: mayWrite(), onChange: refresh, onFailure: showFailure }),
  )
  byId('kiosks').replaceChildren(kioskTable(kiosks, openKiosk))
  // Nothing under the hand of whoever works with the keyboard moves away.
  if (focused) document.querySelector(`[data-key="${focused}"]`)?.focus()
}

function openKiosk(kioskId) {
  const kiosk = seen.kiosks.find((each) => each.kioskId === kioskId)
  if (kiosk) showKiosk(kiosk, { mayWrite: mayWrite(), onChange: refresh })
}

byId('sign-in-form').addEventListener('submit', (event) => {
  event.preventDefault()
  keyring.set(byId('key').value.trim())
  void enter()
})
byId('sign-out').addEventListener('click', () => showSignIn(null))
byId('refresh').addEventListener('click', () => void refresh())
initEnrolment()
setInterval(() => {
  // Under an open dialog nothing changes: whoever closes it comes back to where he was.
  if (!document.hidden && !byId('dialog').open) void refresh()
}, REFRESH_MS)
if (keyring.get()) void enter()
else showSignIn(null)
