/** DELETE at any time: concurrent work finds nothing to save, and nothing of the identity is left. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { verifyDeletionReceipt } from '../../../server/proof/verify/deletion-receipt.ts'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { verifyProof } from '../../../server/proof/verify.ts'
import { AppError } from '../../../server/errors.ts'
import type { Store } from '../../../server/store/open.ts'
import { KEYS_FILE } from '../../../server/store/vault.ts'
import { documentForm, portraitForm } from '../../support/app.ts'
import { heldVision } from './held-vision.ts'
import { startClockedApp, type ClockedApp } from './clocked-app.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport, picture } from './scripted-vision.ts'

const MINUTE_MS = 60_000

let client: ProofingClient
let store: Store
beforeEach(async () => {
  client = await startProofing()
  store = client.app.appliance.store
})
afterEach(async () => {
  vi.restoreAllMocks()
  await client.close()
})

const erase = async (id: string, from: ClockedApp = client) =>
  (await from.app.json('DELETE', `/v1/identities/${id}`)).status
const receiptOf = (id: string, from: ClockedApp = client) =>
  from.ask('DeletionReceipt', 'GET', `/v1/deletion-receipts/${id}`)
const jwks = async (from: ClockedApp = client) => (await from.app.json('GET', '/.well-known/jwks.json')).body
const aFile = (bytes: Uint8Array) => {
  const form = new FormData()
  form.append('File', new Blob([bytes as BlobPart], { type: 'application/pdf' }), 'file.pdf')
  return form
}
/** Includes a document, a portrait, an additional file and a sealed proof. */
const aWholeIdentity = async () => {
  const id = await client.anIdentity()
  await client.document(id, aPassport())
  await client.portrait(id, picture({ shows: 'person', face: 'A' }))
  const body = aFile(Buffer.from('%PDF-1.7'))
  expect((await client.app.json('POST', `/v1/identities/${id}/additional-files`, { body })).status).toBe(200)
  expect((await client.app.call('GET', `/v1/identities/${id}/proof`)).status).toBe(200)
  return id
}
const filesOf = (from: ClockedApp = client) =>
  ['images', 'proofs', 'videos'].flatMap((folder) => readdirSync(join(from.app.dataDir, folder)))
const errorsIn = (log: string) => log.split('\n').filter((line) => /"level":(50|60|"error")/.test(line))

/** Nothing of it is left but the log of what happened and the receipt, which holds by the keys that are served. */
async function expectErased(id: string, from: ClockedApp = client) {
  const present = from.app.appliance.store
  expect(present.erasures.countRows(id)).toEqual({})
  expect(present.erasures.listOpen()).toEqual([])
  expect(present.vault.has(id)).toBe(false)
  const events = present.events.after(0, 10_000).filter(({ identityId }) => identityId === id)
  expect(events.filter(({ type }) => type === 'identity.erased')).toHaveLength(1)
  const { receipt } = await receiptOf(id, from)
  const report = verifyDeletionReceipt(receipt, { jwks: await jwks(from) })
  expect(report).toMatchObject({ valid: true, receipt: { identityId: id }, problems: [] })
}

describe('DELETE', () => {
  // @clause NIST-63A-4/3.11-deletion
  test('leaves a receipt that says what went', async () => {
    const id = await aWholeIdentity()
    const proof = store.proofs.find(id)
    const rows = store.erasures.countRows(id)
    expect(rows).toMatchObject({ identities: 1, evidences: 2, proofs: 1, consents: 2 })
    const files = filesOf().length
    expect(files).toBeGreaterThan(3)
    const { seq } = store.events.head()
    expect(await erase(id)).toBe(204)
    await expectErased(id)
    expect(filesOf()).toEqual([])

    const [begun, event] = store.events.after(seq, 10)
    expect(begun).toMatchObject({ type: 'erasure.begun', identityId: id, reason: 'DELETE' })
    const answer = await receiptOf(id)
    expect(answer).toMatchObject({ identityId: id, reason: 'DELETE' })
    const report = verifyDeletionReceipt(answer.receipt, { jwks: await jwks() })
    expect(report.receipt).toMatchObject({
      type: 'counterproof-deletion-receipt',
      applianceId: store.applianceId,
      tenantId: 'default',
      reason: 'DELETE',
      proofId: proof?.id,
      proofSha256: proof?.sha256,
      destroyed: { dataKey: true, rows, files },
      audit: { seq: seq + 1, hash: begun?.hash },
    })
    expect(event).toMatchObject({ type: 'identity.erased', identityId: id, reason: 'DELETE' })
    expect(event?.actor).toMatch(/^RELYING_SERVICE:/)
    expect(store.auditEvents()).toEqual([])
  })

  test('several times at once erases once', async () => {
    const id = await aWholeIdentity()
    const statuses = await Promise.all(Array.from({ length: 8 }, () => erase(id)))
    expect(statuses).toContain(204)
    expect(statuses.filter((status) => status !== 204 && status !== 404)).toEqual([])
    await expectErased(id)
    expect(await erase(id)).toBe(404)
  })

  test('while it is read from all sides: each answer is whole, or it is not found', async () => {
    const id = await aWholeIdentity()
    const paths = ['', '/status', '/proof', '/additional-files', '/attributes/portrait', '?detailed=true']
    const reads = Array.from({ length: 60 }, (_, index) =>
      client.app.call('GET', `/v1/identities/${id}${paths[index % paths.length]}`),
    )
    const [status, ...answers] = await Promise.all([erase(id), ...reads])
    expect(status).toBe(204)
    for (const answer of answers) {
      expect([200, 404]).toContain(answer.status)
      await answer.arrayBuffer()
    }
    await expectErased(id)
    expect(errorsIn(client.app.log())).toEqual([])
  })

  test('shows its receipt to no other tenant and to no user agent', async () => {
    const id = await client.anIdentity()
    await erase(id)
    store.tenants.ensure({ id: 'other', name: 'Other', mode: 'test', policyId: 'default' }, client.now())
    const { relyingServiceKey } = store.apiKeys.createPair('other', 'other', client.now())
    const path = `/v1/deletion-receipts/${id}`
    expect((await client.refusal('GET', path, { key: relyingServiceKey })).status).toBe(404)
    expect((await client.refusal('GET', path, { key: client.app.userAgentKey })).status).toBe(403)
    const proof = `/v1/identities/${id}/proof`
    expect((await client.refusal('GET', proof, { key: relyingServiceKey })).code).toBe('not_found')
  })
})

describe('in the middle of', () => {
  test('a verification: the job ends as skipped', async () => {
    const measuring = heldVision('measureDocument')
    const held = await startClockedApp({ config: {}, vision: measuring.vision })
    try {
      const id = await held.anIdentity(['ID_DOCUMENT'])
      const body = documentForm(aPassport())
      await held.ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents/capture`, { body })
      await measuring.begun
      expect(await erase(id, held)).toBe(204)
      measuring.go()
      await held.app.runJobs()
      await expectErased(id, held)
      expect(filesOf(held)).toEqual([])
      expect(errorsIn(held.app.log())).toEqual([])
    } finally {
      measuring.go()
      await held.close()
    }
  })

  test('an upload: it is not found, and its picture is not kept', async () => {
    const measuring = heldVision('inspectImage')
    const held = await startClockedApp({ config: {}, vision: measuring.vision })
    try {
      const id = await held.anIdentity(['ID_DOCUMENT', 'PORTRAIT'])
      const body = portraitForm(picture({ shows: 'person', face: 'A' }))
      const sent = held.app.json('POST', `/v1/identities/${id}/attributes/portrait/capture`, { body })
      await measuring.begun
      expect(await erase(id, held)).toBe(204)
      measuring.go()
      expect((await sent).status).toBe(404)
      await expectErased(id, held)
      expect(filesOf(held)).toEqual([])
    } finally {
      measuring.go()
      await held.close()
    }
  })

  test('a capture session: it is over', async () => {
    const id = await client.anIdentity()
    const sessions = `/v1/identities/${id}/id-documents/live-capture-session`
    const payload = { idDocumentType: 'PASSPORT' }
    const { sessionId } = await client.ask('DocumentSessionAnswer', 'POST', sessions, { payload })
    expect(await erase(id)).toBe(204)
    const capture = await client.app.json('POST', `/capture/sessions/${sessionId}/document`, {
      key: null,
      body: documentForm(aPassport()),
    })
    expect(capture.status).toBe(404)
    await client.passTime(60 * MINUTE_MS)
    await expectErased(id)
    expect(errorsIn(client.app.log())).toEqual([])
  })

  test('an open adjudication and a running deadline: neither is processed afterwards', async () => {
    const id = await client.anIdentity()
    const unreadable = picture({ shows: 'document', lines: null, face: 'A' })
    const evidenceId = await client.document(id, unreadable)
    await client.ask('AdjudicationAnswer', 'POST', `/v1/identities/${id}/adjudications/${evidenceId}`)
    expect(await erase(id)).toBe(204)
    await client.passTime(72 * 60 * MINUTE_MS)
    await expectErased(id)
    expect(errorsIn(client.app.log())).toEqual([])
  })

  test('the sealing of its proof: there is none', async () => {
    const id = await client.anIdentity()
    await client.document(id, aPassport())
    const written = Promise.withResolvers<undefined>()
    const gate = Promise.withResolvers<undefined>()
    const put = store.proofs.put.bind(store.proofs)
    vi.spyOn(store.proofs, 'put').mockImplementationOnce(async (...args) => {
      await put(...args)
      written.resolve(undefined)
      await gate.promise
    })
    const proof = client.app.call('GET', `/v1/identities/${id}/proof`)
    await written.promise
    expect(await erase(id)).toBe(204)
    gate.resolve(undefined)
    expect((await proof).status).toBe(404)
    await expectErased(id)
    expect(filesOf()).toEqual([])
    expect(client.events(id).map(([type]) => type)).not.toContain('proof.sealed')
  })

  test('the download of its proof: what came is the whole archive, or the connection was cut', async () => {
    const id = await client.anIdentity()
    await client.document(id, aPassport())
    const body = aFile(Buffer.alloc(18 * 1024 * 1024, 7))
    await client.app.json('POST', `/v1/identities/${id}/additional-files`, { body })
    const answer = await client.app.call('GET', `/v1/identities/${id}/proof`)
    const reader = answer.body?.getReader()
    const first = await reader?.read()
    expect(await erase(id)).toBe(204)
    const pieces = [first?.value ?? new Uint8Array()]
    const wasCut = await (async () => {
      for (;;) {
        const piece = await reader?.read()
        if (!piece || piece.done) return false
        pieces.push(piece.value)
      }
    })().catch(() => true)
    if (!wasCut) {
      const archive = extractArchive(Buffer.concat(pieces))
      expect(archive && (await verifyProof(archive, { jwks: await jwks() }))).toMatchObject({ valid: true })
    }
    await expectErased(id)
    expect(filesOf()).toEqual([])
    const again = await client.refusal('GET', `/v1/identities/${id}/proof`)
    expect(again).toMatchObject({ status: 404, code: 'proof_not_found' })
  })

  test('anything, at any moment: never half an identity', async () => {
    for (let round = 0; round < 25; round++) {
      const id = await client.anIdentity()
      const base = `/v1/identities/${id}`
      const calls = [
        client.app.call('POST', `${base}/id-documents/capture`, { body: documentForm(aPassport()) }),
        client.app.call('POST', `${base}/attributes`, { payload: { surname: { value: 'Eriksson' } } }),
        client.app.call('POST', `${base}/additional-files`, { body: aFile(Buffer.from('%PDF')) }),
        client.app.call('GET', `${base}/proof`),
      ]
      await new Promise((resolve) => setTimeout(resolve, round / 2))
      expect(await erase(id)).toBe(204)
      await Promise.all(calls.map(async (call) => (await call).arrayBuffer().catch(() => null)))
      await client.app.runJobs()
      await expectErased(id)
    }
    expect(filesOf()).toEqual([])
    expect(errorsIn(client.app.log())).toEqual([])
    expect(store.auditEvents()).toEqual([])
  })
})

describe('a disk that takes no more between the steps', () => {
  const STEPS: readonly (readonly [string, number, (store: Store) => () => unknown])[] = [
    [
      'before the key is destroyed',
      503,
      ({ vault }) =>
        () =>
          vi.spyOn(vault, 'destroy'),
    ],
    [
      'before the files go',
      204,
      ({ images }) =>
        () =>
          vi.spyOn(images, 'unlink'),
    ],
    [
      'before the receipt is signed',
      204,
      ({ events }) =>
        () =>
          vi.spyOn(events, 'head'),
    ],
    [
      'before the rows go',
      204,
      ({ erasures }) =>
        () =>
          vi.spyOn(erasures, 'deleteRows'),
    ],
    [
      'after the rows went',
      204,
      ({ events }) =>
        () => {
          const append = events.append.bind(events)
          // The first event is that the erasure was begun.
          return vi.spyOn(events, 'append').mockImplementationOnce(append)
        },
    ],
    [
      'before the receipt is kept',
      204,
      ({ erasures }) =>
        () =>
          vi.spyOn(erasures, 'end'),
    ],
  ]
  const failAt = (spy: unknown, times: number) => {
    const fault = () => {
      throw new AppError('status_not_stored', { fault: 'SQLITE_FULL' })
    }
    for (let count = 0; count < times; count++)
      (spy as ReturnType<typeof vi.fn>).mockImplementationOnce(fault)
  }

  test.each(STEPS)('%s: the identity is hidden, and a job completes the erasure', async (_, status, spy) => {
    const id = await aWholeIdentity()
    failAt(spy(store)(), 1)
    expect(await erase(id)).toBe(status)
    for (const path of ['', '/status', '/additional-files', '/proof']) {
      expect((await client.app.json('GET', `/v1/identities/${id}${path}`)).status).toBe(404)
    }
    vi.restoreAllMocks()
    await client.passTime(2 * MINUTE_MS)
    await expectErased(id)
    expect(filesOf()).toEqual([])
  })

  test.each(STEPS)('%s, and then a restart: carried on', async (_, status, spy) => {
    const id = await aWholeIdentity()
    failAt(spy(store)(), 1)
    expect(await erase(id)).toBe(status)
    vi.restoreAllMocks()
    await client.restart()
    await expectErased(id)
    expect(filesOf()).toEqual([])
  })

  test('while a reader holds the file of keys open, the erasure is not reported as done: the journal still has the key', async () => {
    const id = await aWholeIdentity()
    const reader = new Database(join(client.app.dataDir, KEYS_FILE), { readonly: true })
    const rows = reader.prepare('SELECT * FROM identity_keys').iterate()
    rows.next()
    const answer = await client.app.json('DELETE', `/v1/identities/${id}`)
    // Not "nothing was changed": from now on the identity is hidden.
    expect(answer).toMatchObject({
      status: 503,
      body: { type: 'urn:counterproof:problem:erasure_under_way' },
    })
    expect((await client.app.json('GET', `/v1/identities/${id}`)).status).toBe(404)
    rows.return?.()
    reader.close()
    expect(await erase(id)).toBe(204)
    await expectErased(id)
  })

  test('a second request of the caller completes it', async () => {
    const id = await aWholeIdentity()
    failAt(vi.spyOn(store.vault, 'destroy'), 1)
    expect(await erase(id)).toBe(503)
    expect(await erase(id)).toBe(204)
    await expectErased(id)
  })
})
