/** A code with which a kiosk joins: shown once, with a button that copies it. */
/* global navigator */
import { call } from './api.js'
import { announce, byId, el, showText } from './dom.js'
import { closeButton, open } from './kiosk-dialog.js'
import { moment } from './words.js'

export function initEnrolment() {
  const form = byId('enrol-form')
  const problem = byId('enrol-problem')
  const submit = form.querySelector('button')
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    showText(problem, null)
    submit.disabled = true
    try {
      const order = { name: byId('kiosk-name').value, validHours: Number(byId('hours').value) }
      showCode(await call('POST', '/enrolment-codes', order))
      form.reset()
    } catch (error) {
      showText(problem, error.message)
    }
    submit.disabled = false
  })
}

function showCode({ code, name, expiresAt }) {
  const dialog = byId('dialog')
  const copied = el('span', { class: 'muted', role: 'status' })
  // In groups that break together, never inside one.
  const groups = code.split('-').flatMap((group, at, list) => {
    const last = at === list.length - 1
    return last ? [el('span', {}, group)] : [el('span', {}, `${group}-`), el('wbr')]
  })
  dialog.replaceChildren(
    el('h2', { id: 'dialog-title' }, `Code for ${name}`),
    el('p', {}, `Type it in at the kiosk before ${moment(expiresAt)}. It works once, and is shown only now.`),
    el('p', { class: 'code mono', id: 'code' }, ...groups),
    el(
      'div',
      { class: 'actions' },
      copied,
      el(
        'button',
        {
          class: 'button primary',
          type: 'button',
          onclick: async () => {
            try {
              await navigator.clipboard.writeText(code)
              copied.textContent = 'Copied.'
            } catch {
              copied.textContent = 'The browser does not allow it: select the code and copy it.'
            }
          },
        },
        'Copy',
      ),
      closeButton(dialog, 'I have it'),
    ),
  )
  open(dialog)
  announce('The code is ready.')
}
