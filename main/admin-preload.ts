/** Runs in the officers' prompt in an isolated world: the page has no script and gets no access. */
import { ipcRenderer } from 'electron'
import { ADMIN_CHANNEL, type AdminAnswer } from './admin-words.ts'

const WORDS: Readonly<Record<AdminAnswer['outcome'], string>> = {
  accepted: 'Done.',
  refused: 'That is not the passphrase of this machine.',
  locked: 'Too many wrong tries. Wait a minute and try again.',
  none: 'No passphrase is set for this machine: npm run kiosk -- set-admin',
}

window.addEventListener('DOMContentLoaded', () => {
  const form = document.querySelector('form')
  const field = document.querySelector('input')
  const told = document.querySelector('output')
  if (!form || !field || !told) return
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const command = event.submitter instanceof HTMLButtonElement ? event.submitter.value : 'reload'
    const passphrase = field.value
    field.value = ''
    told.textContent = '…'
    void ipcRenderer.invoke(ADMIN_CHANNEL, { command, passphrase }).then((answer: AdminAnswer) => {
      told.textContent = answer.text ?? WORDS[answer.outcome]
      field.focus()
    })
  })
})
