import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { readZip } from '../../../server/proof/verify/read-zip.ts'
import { verifyProof } from '../../../server/proof/verify.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'

const PDF = Buffer.from('%PDF-1.7\nstatement of account\n%%EOF\n')
const LETTER = Buffer.from('I, the undersigned, …\n')
const METADATA = [{ key: 'KIND', value: 'lease of 2026' }]
const FILE_NAME = 'lease-of-zaphodovaquix.pdf'

let client: ProofingClient
beforeAll(async () => {
  // Fifty files one after the other are more than a minute's share of calls.
  client = await startProofing({ rateLimits: { relyingServicePerMinute: 10_000 } })
})
afterAll(() => client.app.close())

const filesAt = (id: string) => `/v1/identities/${id}/additional-files`

function aFile(bytes: Uint8Array, metadata?: readonly object[], type = 'application/pdf'): FormData {
  const form = new FormData()
  form.append('File', new Blob([bytes as BlobPart], { type }), FILE_NAME)
  if (metadata) form.append('Metadata', JSON.stringify(metadata))
  return form
}

async function add(id: string, bytes: Uint8Array, metadata?: readonly object[]): Promise<string> {
  const body = aFile(bytes, metadata)
  const stored = await client.ask('AdditionalFileStatus', 'POST', filesAt(id), { body })
  expect(stored.status).toBe('STORED')
  return stored.id
}

const list = (id: string) => client.ask('AdditionalFileList', 'GET', filesAt(id))
const keptFiles = () => readdirSync(join(client.app.dataDir, 'images'))

describe('an additional file', () => {
  test('comes back byte for byte with its metadata, of the type that its bytes show', async () => {
    const id = await client.anIdentity()
    const fileId = await add(id, PDF, METADATA)
    expect(await list(id)).toEqual([{ id: fileId, metadata: METADATA }])
    const answer = await client.app.call('GET', `${filesAt(id)}/${fileId}`)
    const form = await answer.formData()
    const file = form.get('File') as File
    expect([file.type, file.name]).toEqual(['application/pdf', 'file.pdf'])
    expect(Buffer.from(await file.arrayBuffer()).equals(PDF)).toBe(true)
    expect(JSON.parse(await (form.get('Metadata') as File).text())).toEqual(METADATA)
  })

  test('is called what it is, whatever it was declared to be', async () => {
    const id = await client.anIdentity()
    const fileId = await add(id, LETTER)
    const form = await (await client.app.call('GET', `${filesAt(id)}/${fileId}`)).formData()
    expect((form.get('File') as File).type).toBe('text/plain')
  })

  test('shows in the identity, for the back end alone, and verifies nothing', async () => {
    const id = await client.anIdentity()
    const fileId = await add(id, PDF, METADATA)
    const identity = await client.identity(id)
    expect(identity).toMatchObject({
      counterproof: { additionalFiles: [{ id: fileId, metadata: METADATA }] },
    })
    const forApplicant = await client.identity(id, { key: client.app.userAgentKey })
    expect(forApplicant).not.toHaveProperty('counterproof.additionalFiles')
    expect(identity.globalStatus).toMatchObject({ status: 'EXPECTING_INPUT', levelOfAssurance: 'LOA0' })
  })

  test('goes with its name: none is kept or logged, and the bytes lie sealed', async () => {
    const id = await client.anIdentity()
    const fileId = await add(id, PDF, METADATA)
    const sealed = readFileSync(join(client.app.dataDir, 'images', `${fileId}.sealed`))
    expect(sealed.includes(PDF)).toBe(false)
    const database = ['appliance.sqlite', 'appliance.sqlite-wal'].map((name) =>
      readFileSync(join(client.app.dataDir, name)),
    )
    for (const bytes of [...database, Buffer.from(client.app.log())]) {
      expect(bytes.includes(FILE_NAME)).toBe(false)
      expect(bytes.includes('lease of 2026')).toBe(false)
    }
  })

  test('is gone after its deletion, with its bytes', async () => {
    const id = await client.anIdentity()
    const fileId = await add(id, PDF, METADATA)
    const deleted = await client.app.call('DELETE', `${filesAt(id)}/${fileId}`)
    expect(deleted.status).toBe(204)
    expect(await list(id)).toEqual([])
    expect(keptFiles()).not.toContain(`${fileId}.sealed`)
    const late = await client.refusal('DELETE', `${filesAt(id)}/${fileId}`)
    expect(late).toMatchObject({ status: 404, code: 'not_found' })
    const told = client.events(id).filter(([type]) => type.startsWith('file.'))
    expect(told).toEqual([
      ['file.added', { fileId }],
      ['file.deleted', { fileId }],
    ])
  })

  test('of another identity is not there', async () => {
    const fileId = await add(await client.anIdentity(), PDF)
    const other = await client.anIdentity()
    for (const method of ['GET', 'DELETE']) {
      const refused = await client.refusal(method, `${filesAt(other)}/${fileId}`)
      expect(refused).toMatchObject({ status: 404, code: 'not_found' })
    }
  })

  test('goes with the identity that is erased', async () => {
    const id = await client.anIdentity()
    const fileId = await add(id, PDF, METADATA)
    expect((await client.app.call('DELETE', `/v1/identities/${id}`)).status).toBe(204)
    expect(keptFiles()).not.toContain(`${fileId}.sealed`)
  })
})

describe('what is refused leaves nothing behind', () => {
  test('a file of no bytes', async () => {
    const id = await client.anIdentity()
    const refused = await client.refusal('POST', filesAt(id), { body: aFile(new Uint8Array()) })
    expect(refused).toMatchObject({ status: 400, errors: [{ code: 'empty', field: 'File' }] })
    expect(await list(id)).toEqual([])
  })

  test('metadata that is no list of pairs', async () => {
    const id = await client.anIdentity()
    const body = aFile(PDF, [{ key: 'KIND', value: 7 }])
    const refused = await client.refusal('POST', filesAt(id), { body })
    expect(refused.errors).toEqual([{ code: 'wrong_type', field: 'Metadata[0].value' }])
    expect(await list(id)).toEqual([])
  })

  test('the fifty-first file', async () => {
    const id = await client.anIdentity()
    for (let count = 1; count <= 50; count++) await add(id, LETTER)
    const before = keptFiles().length
    const refused = await client.refusal('POST', filesAt(id), { body: aFile(LETTER) })
    expect(refused).toMatchObject({ status: 400, errors: [{ code: 'too_many', field: 'File' }] })
    expect(keptFiles()).toHaveLength(before)
    expect(await list(id)).toHaveLength(50)
  })

  test('a file for which the two hundred megabytes of an identity have no room', async () => {
    const id = await client.anIdentity()
    const large = Buffer.alloc(19 * 1024 * 1024, 'x')
    for (let count = 1; count <= 10; count++) await add(id, large)
    const refused = await client.refusal('POST', filesAt(id), { body: aFile(large) })
    expect(refused.errors).toEqual([{ code: 'too_large', field: 'File' }])
    await add(id, LETTER)
  })

  test('one for an identity that is not there, or whose proof was retrieved', async () => {
    const unknown = '01890a5d-ac96-774b-bcce-b302099a8059'
    expect(await client.refusal('POST', filesAt(unknown), { body: aFile(PDF) })).toMatchObject({
      status: 404,
    })
    const id = await client.anIdentity()
    const fileId = await add(id, PDF)
    await client.app.call('GET', `/v1/identities/${id}/proof`)
    const before = keptFiles().length
    expect(await client.refusal('POST', filesAt(id), { body: aFile(PDF) })).toMatchObject({
      status: 403,
      code: 'identity_closed',
    })
    expect(await client.refusal('DELETE', `${filesAt(id)}/${fileId}`)).toMatchObject({ status: 403 })
    expect(keptFiles()).toHaveLength(before)
  })
})

test('the proof holds every file that is still there, and the record of every call about one', async () => {
  const id = await client.anIdentity()
  const pdf = await add(id, PDF, METADATA)
  const letter = await add(id, LETTER)
  const withdrawn = await add(id, Buffer.from([0, 1, 2]))
  const unknown = await add(id, Buffer.from([0, 1, 2, 3]))
  await client.app.call('DELETE', `${filesAt(id)}/${withdrawn}`)
  const sealed = await client.app.call('GET', `/v1/identities/${id}/proof`)
  const archive = extractArchive(new Uint8Array(await sealed.arrayBuffer())) ?? new Uint8Array()
  const jwks = await client.ask('PublicKeySet', 'GET', '/.well-known/jwks.json', { key: null })
  expect(await verifyProof(archive, { jwks })).toMatchObject({ valid: true })

  const { files } = readZip(archive)
  const attached = files.filter(({ path }) => path.includes('/additionalFiles/'))
  const byName = new Map(attached.map(({ path, bytes }) => [path.split('/').at(-1), Buffer.from(bytes)]))
  expect(byName).toEqual(
    new Map([
      [`${pdf}.pdf`, PDF],
      [`${letter}.txt`, LETTER],
      [`${unknown}.bin`, Buffer.from([0, 1, 2, 3])],
    ]),
  )
  const read = (name: string): unknown =>
    JSON.parse(Buffer.from(files.find(({ path }) => path.endsWith(name))?.bytes ?? []).toString('utf8'))
  const details = read('/verificationAndEvaluationDetails.json') as {
    identityOperation: { name: string; type: string }
    participantContextId: string
    processingDetails: { httpCode: number; method: string }
  }[]
  const calls = details
    .filter(({ identityOperation }) => identityOperation.name === 'ADDITIONAL_FILE')
    .map(({ identityOperation, participantContextId, processingDetails }) => [
      identityOperation.type,
      participantContextId,
      processingDetails.method,
      processingDetails.httpCode,
    ])
  expect(calls).toHaveLength(5)
  expect(calls).toEqual(
    expect.arrayContaining([
      ['ADD', pdf, 'POST', 200],
      ['ADD', withdrawn, 'POST', 200],
      ['DELETE', withdrawn, 'DELETE', 204],
    ]),
  )
  expect(read('/identityDetails.json')).toMatchObject({
    counterproof: { additionalFiles: [{ id: pdf, metadata: METADATA }, { id: letter }, { id: unknown }] },
  })
})

test('a file that arrives while the proof is being sealed is in it, or refused', async () => {
  for (let round = 0; round < 5; round++) {
    const id = await client.anIdentity()
    const [sealed, added] = await Promise.all([
      client.app.call('GET', `/v1/identities/${id}/proof`),
      client.app.call('POST', filesAt(id), { body: aFile(PDF) }),
    ])
    expect(sealed.status).toBe(200)
    expect([200, 403]).toContain(added.status)
    const archive = extractArchive(new Uint8Array(await sealed.arrayBuffer())) ?? new Uint8Array()
    const attached = readZip(archive).files.filter(({ path }) => path.includes('/additionalFiles/'))
    expect(attached).toHaveLength(added.status === 200 ? 1 : 0)
    expect(await list(id)).toHaveLength(attached.length)
  }
})
