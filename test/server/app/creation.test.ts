import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { readZip } from '../../../server/proof/verify/read-zip.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'

const CONTEXT = [
  { key: 'APPLICATION', value: 'branch desk' },
  { key: 'PID', value: 'u-4711' },
]
const PDF = Buffer.from('%PDF-1.7\n%%EOF\n')
const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1')
const JPEG = Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF', 'latin1')

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing()
})
afterAll(() => client.app.close())

function aForm(file: Uint8Array | null, type = '', context: unknown = CONTEXT): FormData {
  const form = new FormData()
  form.append('context', JSON.stringify(context))
  if (file) form.append('file', new Blob([file as BlobPart], { type }), 'a-name-that-is-not-kept.bin')
  return form
}
const create = (options: Parameters<ProofingClient['ask']>[3]) =>
  client.ask('GlobalStatus', 'POST', '/v1/identities', options)

async function proofOf(id: string) {
  const sealed = await client.app.call('GET', `/v1/identities/${id}/proof`)
  const archive = extractArchive(new Uint8Array(await sealed.arrayBuffer())) ?? new Uint8Array()
  const { files } = readZip(archive)
  const json = (name: string): unknown =>
    JSON.parse(Buffer.from(files.find(({ path }) => path.endsWith(name))?.bytes ?? []).toString('utf8'))
  return { files, json }
}

test('an identity waits for evidence, and its context shows in it and in its proof', async () => {
  const created = await create({ payload: CONTEXT })
  expect(created).toMatchObject({ status: 'EXPECTING_INPUT', levelOfAssurance: 'LOA0' })
  expect(await client.identity(created.id)).toMatchObject({ context: CONTEXT, globalStatus: created })
  const { json } = await proofOf(created.id)
  expect(json('/identityDetails.json')).toMatchObject({ context: CONTEXT })
  expect(client.events(created.id)[0]?.[0]).toBe('identity.created')
})

test('an identity is found by the correlation id that it was created with', async () => {
  const { id } = await create({ headers: { 'correlation-id': 'order 4711/a' } })
  const query = new URLSearchParams({ correlationID: 'order 4711/a' }).toString()
  const found = await client.ask('Identity', 'GET', `/v1/identities?${query}`)
  expect(found.globalStatus.id).toBe(id)
})

describe('the file that comes with a creation', () => {
  test.each([
    ['a PDF', PDF, 'application/pdf', 'pdf'],
    ['a PNG', PNG, 'image/png', 'png'],
    ['a JPEG under its other name', JPEG, 'image/jpg', 'jpg'],
    ['a PDF without a declared type', PDF, '', 'pdf'],
  ])('%s is an additional file, in the proof too', async (_name, bytes, type, ending) => {
    const { id } = await create({ body: aForm(bytes, type) })
    const [file, ...more] = await client.ask(
      'AdditionalFileList',
      'GET',
      `/v1/identities/${id}/additional-files`,
    )
    expect(file?.metadata).toEqual([])
    expect(more).toEqual([])
    expect(client.events(id)).toContainEqual(['file.added', { fileId: file?.id }])
    const { files, json } = await proofOf(id)
    const attached = files.find(({ path }) => path.endsWith(`/additionalFiles/${file?.id ?? ''}.${ending}`))
    expect(Buffer.from(attached?.bytes ?? []).equals(bytes)).toBe(true)
    expect(json('/verificationAndEvaluationDetails.json')).toMatchObject([
      { identityOperation: { name: 'ADDITIONAL_FILE', type: 'ADD' }, participantContextId: file?.id },
    ])
  })

  test.each([
    ['text', Buffer.from('a letter'), 'text/plain', 'unsupported_format'],
    ['a zip', Buffer.from('PK\x03\x04', 'latin1'), 'application/zip', 'unsupported_format'],
    ['a web page that calls itself a PDF', Buffer.from('<html>'), 'application/pdf', 'unsupported_format'],
    ['a PNG that calls itself a PDF', PNG, 'application/pdf', 'type_mismatch'],
    ['a file of nothing', new Uint8Array(), 'image/png', 'unsupported_format'],
  ])('%s is refused, and nothing is created', async (_name, bytes, type, code) => {
    const eventsBefore = client.app.appliance.store.events.after(0, 10_000).length
    const filesBefore = readdirSync(join(client.app.dataDir, 'images')).length
    const refused = await client.refusal('POST', '/v1/identities', { body: aForm(bytes, type) })
    expect(refused).toEqual({ status: 400, code: 'unsupported_image', errors: [{ code, field: 'file' }] })
    expect(client.app.appliance.store.events.after(0, 10_000)).toHaveLength(eventsBefore)
    expect(readdirSync(join(client.app.dataDir, 'images'))).toHaveLength(filesBefore)
  })

  test('that has no file name is kept like any other', async () => {
    const body = Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: image/png\r\n\r\n'),
      PNG,
      Buffer.from('\r\n--b--\r\n'),
    ])
    const { id } = await create({ body, headers: { 'content-type': 'multipart/form-data; boundary=b' } })
    const files = (await client.identity(id)).counterproof?.additionalFiles ?? []
    const answer = await client.app.call('GET', `/v1/identities/${id}/additional-files/${files[0]?.id ?? ''}`)
    const file = (await answer.formData()).get('File') as File
    expect(Buffer.from(await file.arrayBuffer()).equals(PNG)).toBe(true)
  })
})

test.each([
  ['blanks', '  \r\n '],
  ['NUL bytes', '\0\0\0\0'],
  ['nothing', ''],
])('a context part of %s is no context, whether or not the boundary is declared', async (_name, context) => {
  const body = ['--kit', 'Content-Disposition: form-data; name="context"', '', context, '--kit--', ''].join(
    '\r\n',
  )
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=kit']) {
    const { id } = await create({ body, headers: { 'content-type': type } })
    expect((await client.identity(id)).context).toBeUndefined()
  }
})

test('a client that polls a status twice a second for a minute is answered, and can call on', async () => {
  const { id } = await create({ payload: CONTEXT })
  const key = client.app.userAgentKey
  const statuses = new Set<number>()
  for (let polls = 0; polls < 150; polls += 1)
    statuses.add((await client.app.call('GET', `/v1/identities/${id}/status`, { key })).status)
  expect([...statuses]).toEqual([200])
  expect((await client.app.call('GET', `/v1/identities/${id}`, { key })).status).toBe(200)
})

test('a missing key and an unknown one are 403, and the problem type says which', async () => {
  const asked = async (key: string | null) => {
    const { status, body } = await client.app.json('GET', '/v1/identities?correlationID=x', { key })
    return [status, (body as { type: string }).type]
  }
  expect(await asked(null)).toEqual([403, 'urn:counterproof:problem:key_missing'])
  expect(await asked('guessed')).toEqual([403, 'urn:counterproof:problem:key_unknown'])
})

test('one entry of a context may come by itself, and a correlation id in any script is found again', async () => {
  const [entry] = CONTEXT
  const correlationId = 'café-Ελλάδα-42'
  const header = Buffer.from(correlationId, 'utf8').toString('latin1')
  const { id } = await create({ payload: entry, headers: { 'correlation-id': header } })
  const query = `/v1/identities?correlationID=${encodeURIComponent(correlationId)}`
  const found = await client.ask('Identity', 'GET', query)
  expect(found).toMatchObject({ globalStatus: { id }, context: [entry] })
})

test('an object that is no context is refused: nothing of what a caller says is dropped in silence', async () => {
  const refused = await client.refusal('POST', '/v1/identities', { payload: { application: 'bank' } })
  expect(refused).toMatchObject({ status: 400, code: 'validation_failed' })
  expect(await create({ payload: {} })).toMatchObject({ status: 'EXPECTING_INPUT' })
})

test('unknown fields and parts are ignored and not stored', async () => {
  const canary = 'zaphodovaquix'
  const form = aForm(null, '', [{ ...CONTEXT[0], comment: canary }])
  form.append('remark', canary)
  form.append('file', new Blob([PNG], { type: 'image/png' }), `${canary}.png`)
  form.append('scan', new Blob([canary], { type: 'text/plain' }), `${canary}.txt`)
  const filesBefore = readdirSync(join(client.app.dataDir, 'images')).length
  const { id } = await create({ body: form })
  expect(await client.identity(id)).toMatchObject({ context: [CONTEXT[0]] })
  const { id: other } = await create({ payload: { context: CONTEXT, remark: canary } })
  const shown = JSON.stringify([await client.identity(id), await client.identity(other)])
  expect(shown).not.toContain(canary)
  expect(readdirSync(join(client.app.dataDir, 'images'))).toHaveLength(filesBefore + 1)
  const written = ['appliance.sqlite', 'appliance.sqlite-wal'].map((name) =>
    readFileSync(join(client.app.dataDir, name)),
  )
  for (const bytes of [...written, Buffer.from(client.app.log())]) expect(bytes.includes(canary)).toBe(false)
})

test.each([
  ['an address', '203.0.113.7'],
  ['a list of them', '203.0.113.7, 2001:db8::1, unknown'],
  ['what is no address', `"><script>alert(1)</script>, '; DROP TABLE identities; --`],
  ['letters beyond ASCII', 'Zaphodovaquí'],
  ['nothing', ''],
  ['more addresses than are read', 'a,'.repeat(2000)],
])('X-Forwarded-For may say anything, %s: it is neither an error nor believed', async (_name, header) => {
  const headers = { 'x-forwarded-for': header }
  const { id } = await create({ payload: CONTEXT, headers })
  const payload = [{ type: 'PORTRAIT', approved: true }]
  await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload, headers })
  const { json } = await proofOf(id)
  expect(json('/proof.json')).toMatchObject({ ips: ['127.0.0.1'] })
  if (header !== '') expect(client.app.log()).not.toContain(header)
})
