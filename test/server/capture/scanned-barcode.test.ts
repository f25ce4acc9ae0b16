/**
 * The text of a barcode scanner at the counter, sent with the pictures of the document: untrusted until it is
 * a card.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildAamva, type AamvaContents } from '../../../server/tools/specimen/aamva.ts'
import { startProofing, type ProofingClient } from '../app/proofing-client.ts'
import { picture } from '../app/scripted-vision.ts'

const KEYLESS = { key: null }
const CARD: AamvaContents = {
  iin: '636014',
  country: 'USA',
  jurisdiction: 'CA',
  kind: 'DRIVING_LICENSE',
  documentNumber: 'Q1234567',
  surname: 'QUILLFEATHER',
  givenNames: ['ODA'],
  birthDate: '1986-06-16',
  issueDate: '2022-06-06',
  expiryDate: '2032-06-16',
  sex: 'F',
}

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing()
})
afterAll(() => client.app.close())

async function open() {
  const id = await client.anIdentity()
  const payload = { idDocumentType: 'DRIVING_LICENSE', issuingCountry: 'USA', sidesToCapture: ['FRONT'] }
  const { id: evidenceId, sessionId } = await client.ask(
    'DocumentSessionAnswer',
    'POST',
    `/v1/identities/${id}/id-documents/live-capture-session`,
    { payload },
  )
  return { id, evidenceId, path: `/capture/sessions/${sessionId}` }
}

function form(barcode: string | Uint8Array, page: readonly string[] = []): FormData {
  const body = new FormData()
  const front = picture({ shows: 'document', lines: null, face: 'A', page })
  body.append('DocumentFront', new Blob([front as BlobPart], { type: 'image/jpeg' }), 'front.jpg')
  if (typeof barcode === 'string') body.append('Barcode', barcode)
  else body.append('Barcode', new Blob([barcode as BlobPart]), 'barcode')
  return body
}

const statusOf = async (id: string) => (await client.identity(id)).idDocuments[0]?.evidenceStatus
const contentOf = (evidenceId: string) => client.app.appliance.store.evidences.find(evidenceId)?.content

test.each([
  ['as it stands on the card', (text: string) => Buffer.from(text, 'latin1')],
  ['with Enter for every line', (text: string) => Buffer.from(text.replace(/\n/g, '\r\n'))],
  ['without control characters', (text: string) => Buffer.from(text.replace(/\p{Cc}/gu, ''))],
  ['in Latin-1', (text: string) => Buffer.from(text.replace('QUILL', 'QÜILL'), 'latin1')],
])('a card that was scanned is read %s', async (_, typed) => {
  const { id, evidenceId, path } = await open()
  const body = form(typed(buildAamva(CARD, 9)))
  expect((await client.app.json('POST', `${path}/document`, { ...KEYLESS, body })).status).toBe(200)
  expect(contentOf(evidenceId)?.scannedBarcode).toContain('DCS')
  await client.app.runJobs()
  expect((await statusOf(id))?.positiveIndicators).toEqual(
    expect.arrayContaining(['PDF417_BARCODE_OK', 'BARCODE_READING_OK', 'LICENCE_NUMBER_FORM_OK']),
  )
  expect(contentOf(evidenceId)?.document).toMatchObject({ idDocumentNumber: 'Q1234567', issuingState: 'CA' })
  expect(client.app.log()).not.toMatch(/QUILL|QÜILL|Q1234567/)
})

test.each([
  ['is no card', 'M1QUILL/ODA           EABC123 UTOXYZ 0834', 'invalid'],
  ['is nothing but control characters', '\u0000\u0001\u001e\r', 'invalid'],
  ['is a card without a name', buildAamva({ ...CARD, surname: '', givenNames: [] }), 'invalid'],
  ['is longer than a symbol can be', buildAamva(CARD) + 'X'.repeat(4096), 'too_long'],
])('a text that %s is refused, tells nothing back, and the session stays open', async (_, text, code) => {
  const { evidenceId, path } = await open()
  const refused = await client.app.json('POST', `${path}/document`, { ...KEYLESS, body: form(text) })
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ code, field: 'Barcode' }] } })
  expect(JSON.stringify(refused)).not.toContain('QUILL')
  expect(contentOf(evidenceId)).not.toHaveProperty('scannedBarcode')
  expect((await client.app.call('GET', path, KEYLESS)).status).toBe(200)
  const again = await client.app.json('POST', `${path}/document`, {
    ...KEYLESS,
    body: form(buildAamva(CARD)),
  })
  expect(again.status).toBe(200)
})

const PRINT = [
  'CALIFORNIA DRIVER LICENSE',
  '4d DL NO. Q1234567',
  '1 FAMILY NAME QUILLFEATHER',
  '2 GIVEN NAMES ODA',
  '3 DOB 06/16/1986',
  '4b EXP 06/16/2032',
]

test.each([
  ['proves nothing by itself: no picture shows it on the card', [], 'NOT_VERIFIED', 'UNVERIFIED'],
  ['counts where the card in the picture prints the same', PRINT, 'VERIFIED', 'OK'],
])('what a scanner typed %s', async (_, page, status, outcome) => {
  const { id, path } = await open()
  const body = form(buildAamva(CARD), page)
  expect((await client.app.json('POST', `${path}/document`, { ...KEYLESS, body })).status).toBe(200)
  await client.app.runJobs()
  const judged = await statusOf(id)
  expect(judged?.status).toBe(status)
  expect([...(judged?.positiveIndicators ?? []), ...(judged?.unverifiedIndicators ?? [])]).toContain(
    `DOCUMENT_READING_${outcome}`,
  )
})

test('pictures alone are as good as before', async () => {
  const { evidenceId, path } = await open()
  const body = form('')
  expect((await client.app.json('POST', `${path}/document`, { ...KEYLESS, body })).status).toBe(200)
  expect(contentOf(evidenceId)).not.toHaveProperty('scannedBarcode')
})
