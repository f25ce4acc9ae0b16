/** The verify page: an archive and the keys to judge it by go to the service; the report comes back in sentences. */
/* global document, fetch, FormData, DataTransfer */
import { keyring, refusalOf } from './api.js'
import { byId, el, icon, showText } from './dom.js'
import { bytes } from './words.js'

const NO_KEYS = 'Choose the public keys, or sign in on the Fleet page to use those of your kiosks.'
const form = byId('form')
const drop = byId('drop')
const archive = byId('archive')
const result = byId('result')
const problem = byId('problem')
const submit = byId('submit')

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  showText(problem, null)
  result.hidden = true
  const file = archive.files[0]
  if (!file) return refuse('Choose an archive first.', archive)
  const given = ['keys', 'ca', 'tsa'].filter((id) => byId(id).files.length > 0)
  if (!keyring.get() && !given.includes('keys') && !given.includes('ca')) return refuse(NO_KEYS, byId('keys'))
  const body = new FormData()
  body.append('archive', file)
  for (const id of given) body.append(id === 'tsa' ? 'tsaCa' : id, byId(id).files[0])
  submit.disabled = true
  submit.textContent = `Reading ${bytes(file.size)}…`
  try {
    const key = keyring.get()
    const answer = await fetch('../verify', {
      method: 'POST',
      body,
      headers: key ? { authorization: `Bearer ${key}` } : {},
    })
    if (answer.ok) show(await answer.json(), file.name)
    else refuse((await refusalOf(answer)).message, archive)
  } catch {
    refuse('The service cannot be reached, or it refused a file of this size.', archive)
  }
  submit.disabled = false
  submit.textContent = 'Verify'
})

for (const type of ['dragenter', 'dragover']) {
  drop.addEventListener(type, (event) => {
    event.preventDefault()
    drop.classList.add('over')
  })
}
for (const type of ['dragleave', 'drop']) {
  drop.addEventListener(type, () => drop.classList.remove('over'))
}
drop.addEventListener('drop', (event) => {
  event.preventDefault()
  const [file] = event.dataTransfer?.files ?? []
  if (!file) return
  const list = new DataTransfer()
  list.items.add(file)
  archive.files = list.files
})
// Dropped beside the place, a file would open in this tab.
for (const type of ['dragover', 'drop']) document.addEventListener(type, (event) => event.preventDefault())

function refuse(text, field) {
  showText(problem, text)
  field.focus()
}

function show(report, name) {
  const fact = (label, value) => [el('dt', {}, label), el('dd', {}, value)]
  result.className = report.valid ? 'valid' : 'invalid'
  result.replaceChildren(
    ...(report.valid
      ? [
          el('h2', {}, icon('done'), 'This proof is valid'),
          report.test ? el('p', { class: 'notice' }, 'A test: it proves nothing about a real person.') : null,
          el(
            'dl',
            { class: 'facts' },
            ...fact('File', name),
            ...fact('Proof', el('code', {}, report.proofId)),
            ...fact('Identity', el('code', {}, report.identityId)),
            ...fact('Level of assurance', report.levelOfAssurance),
            ...fact('Sealed', `${report.sealedAt.replace('T', ' ').slice(0, 19)} UTC`),
            ...(report.notes.length > 0
              ? fact('To know', el('ul', {}, ...report.notes.map((note) => el('li', {}, note))))
              : []),
            ...fact('Signed by key', el('code', {}, report.signedBy)),
            ...(report.certificate ? fact('Certified as', report.certificate.subject) : []),
            ...(report.timestamp
              ? fact('Time stamp', `${report.timestamp.time}, ${report.timestamp.authority}`)
              : []),
            ...fact('Files inside', String(report.files)),
          ),
        ]
      : [
          el('h2', {}, icon('problem'), 'This proof is not valid'),
          el('p', { class: 'muted' }, name),
          el(
            'ul',
            { class: 'problems' },
            ...report.problems.map(({ code, message }) => el('li', {}, message, el('code', {}, code))),
          ),
        ]
    ).filter(Boolean),
  )
  result.hidden = false
  result.focus()
}

if (keyring.get()) {
  showText(byId('who'), 'Signed in')
  byId('keys-hint').textContent = 'You are signed in: the keys of your kiosks are used too.'
}
