/** Sealing over HTTP: what is saved with the proof, how it is streamed, and what stands beside its signature. */
import { createHash, createPublicKey, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCertificateAuthority, SIGNER_EXTENSIONS } from '../../support/certificate-authority.ts'
import { openProof } from '../../support/opened-proof.ts'
import { startTimestampAuthority, type TimestampAuthority } from '../../support/timestamp-authority.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing()
})
afterAll(() => client.app.close())

const MEGABYTE = 1024 * 1024
const proofPath = (id: string) => `/v1/identities/${id}/proof`
const store = () => client.app.appliance.store
const eventsOf = (id: string) =>
  store()
    .events.after(0, 100_000)
    .filter(({ identityId }) => identityId === id)
const proofEvents = (id: string) =>
  eventsOf(id).filter(({ type }) => type.startsWith('proof.') || type.startsWith('outbox.'))

/** Large enough for several pieces of the sealed file. */
async function aLargeIdentity(files = 3): Promise<string> {
  const id = await client.anIdentity()
  for (let made = 0; made < files; made++) {
    const body = new FormData()
    body.append('File', new Blob([randomBytes(2 * MEGABYTE)]), 'contract.bin')
    await client.ask('AdditionalFileStatus', 'POST', `/v1/identities/${id}/additional-files`, { body })
  }
  return id
}

describe('with the proof', () => {
  test('the events of its sealing and of its first retrieval are saved, and who called', async () => {
    const id = await client.anIdentity()
    const { archive, proof } = await openProof(client.app, id)
    await openProof(client.app, id)
    const actor = expect.stringMatching(/^RELYING_SERVICE:/) as unknown
    const sha256 = createHash('sha256').update(archive).digest('hex')
    const { proofId } = proof
    expect(proofEvents(id).map(({ type, body, actor: who }) => [type, body, who])).toEqual([
      [
        'proof.sealed',
        expect.objectContaining({ proofId, sha256, bytes: archive.length, levelOfAssurance: 'LOA0' }),
        actor,
      ],
      ['proof.retrieved', { proofId }, actor],
    ])
    expect(store().outbox.lastSequence()).toBe(0)
  })

  test('the head of the audit log and the time are under its signature', async () => {
    const id = await client.anIdentity()
    const { proof } = await openProof(client.app, id)
    const sealed = eventsOf(id).find(({ type }) => type === 'proof.sealed')
    const before = store().events.after((sealed?.seq ?? 0) - 2, 1)[0]
    const { counterproof: ours } = proof as { counterproof: Record<string, unknown> }
    expect(ours.audit).toEqual({ applianceId: store().applianceId, seq: before?.seq, hash: before?.hash })
    expect(ours.time).toEqual({
      source: expect.stringMatching(/^(SYSTEM|UNSURE)$/) as unknown,
      uncertaintyMs: null,
      earliest: expect.stringMatching(/^2026-/) as unknown,
      latest: expect.stringMatching(/^2026-/) as unknown,
    })
  })

  test('the row of the outbox is saved once the kiosk has joined a central service', async () => {
    const joined = await startProofing()
    try {
      const { store: joinedStore } = joined.app.appliance
      const { enrolments, outbox, events } = joinedStore
      const jwk = { kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ' }
      enrolments.begin({ centralUrl: '', publicJwk: jwk, privateJwk: { ...jwk, d: 'ZA' } }, new Date())
      const first = await joined.anIdentity()
      await openProof(joined.app, first)
      expect(outbox.lastSequence()).toBe(0)

      enrolments.complete({
        certificate: 'PEM',
        tenantId: 'default',
        trust: { centreId: 'c' } as never,
        enrolledAt: new Date(),
      })
      const ids = [await joined.anIdentity(), await joined.anIdentity()]
      const proofs = [await openProof(joined.app, ids[0] ?? ''), await openProof(joined.app, ids[1] ?? '')]
      const queued = events.after(0, 10_000).filter(({ type }) => type === 'outbox.queued')
      expect(queued.map(({ identityId, body }) => [identityId, body])).toEqual(
        proofs.map(({ archive, proof }, index) => [
          ids[index],
          {
            proofId: proof.proofId,
            sequence: index + 1,
            sha256: createHash('sha256').update(archive).digest('hex'),
          },
        ]),
      )
      expect(outbox.pending().map(({ proofId, state }) => [proofId, state])).toEqual(
        proofs.map(({ proof }) => [proof.proofId, 'QUEUED']),
      )
      expect([outbox.audit(), joinedStore.auditEvents()]).toEqual([[], []])
    } finally {
      await joined.app.close()
    }
  })
})

/** The sealed files of proofs that this process has open. */
function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(join('/proc/self/fd', fd))
      return path.includes('/proofs/') ? [path] : []
    } catch {
      return []
    }
  })
}

/** The raw answer, its body not yet read. */
function begin(id: string): Promise<IncomingMessage> {
  const headers = { apikey: client.app.relyingServiceKey, 'user-agent': 'tests/1 (en)' }
  return new Promise((resolve, reject) => {
    get(client.app.url + proofPath(id), { headers, agent: false }, resolve).once('error', reject)
  })
}

const sealedFile = (id: string) =>
  join(client.app.dataDir, 'proofs', `${store().proofs.find(id)?.id ?? ''}.sealed`)

/** One byte of the sealed file turned over. */
function damage(id: string, offset: number): void {
  const bytes = readFileSync(sealedFile(id))
  bytes[offset] = (bytes[offset] ?? 0) ^ 1
  writeFileSync(sealedFile(id), bytes)
}

describe('the answer', () => {
  test('has its exact length, and is the same byte for byte every time', async () => {
    const id = await aLargeIdentity()
    const answers = []
    for (let call = 0; call < 2; call++) {
      const answer = await begin(id)
      const body = await buffer(answer)
      expect(answer.headers['content-length']).toBe(String(body.length))
      expect(answer.headers['content-type']).toMatch(/^multipart\/mixed; boundary=counterproof-[0-9a-f]{32}$/)
      answers.push(body)
    }
    expect(answers[0]?.length).toBeGreaterThan(6 * MEGABYTE)
    expect(answers[0]?.equals(answers[1] ?? Buffer.alloc(0))).toBe(true)
    expect(openFiles()).toEqual([])
  })

  test('to a HEAD is 405 and seals nothing', async () => {
    const id = await client.anIdentity()
    expect((await client.app.call('HEAD', proofPath(id))).status).toBe(405)
    expect((await client.identity(id)).globalStatus.status).toBe('EXPECTING_INPUT')
  })

  test('may be hung up on: its file is closed, nothing is called a fault, and it can be fetched again', async () => {
    const id = await aLargeIdentity(8)
    const answer = await begin(id)
    await new Promise((resolve) => answer.once('data', resolve))
    answer.destroy()
    await expect.poll(openFiles).toEqual([])
    expect(client.app.log()).not.toMatch(/"level":50/)
    await openProof(client.app, id)
    expect(proofEvents(id).map(({ type }) => type)).toEqual(['proof.sealed', 'proof.retrieved'])
  })

  test('ends where it is when the identity is erased in the middle of it', async () => {
    const id = await aLargeIdentity(8)
    const answer = await begin(id)
    await new Promise((resolve) => answer.once('readable', resolve))
    expect((await client.app.json('DELETE', `/v1/identities/${id}`)).status).toBe(204)
    await expect(buffer(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
    await expect.poll(openFiles).toEqual([])
    expect(await client.refusal('GET', proofPath(id))).toMatchObject({
      status: 404,
      errors: [{ code: '1034' }],
    })
  })

  test('is a problem document when its file is damaged at the start, and nothing was retrieved', async () => {
    const id = await client.anIdentity()
    await client.app.call('GET', proofPath(id)).then((sealed) => sealed.arrayBuffer())
    damage(id, 40)
    expect(await client.refusal('GET', proofPath(id))).toMatchObject({ status: 500, code: 'storage_damaged' })
  })

  test('is cut off when its file turns out to be damaged further on: no caller takes it for whole', async () => {
    const id = await aLargeIdentity()
    await client.app.call('GET', proofPath(id)).then((sealed) => sealed.arrayBuffer())
    damage(id, 4 * MEGABYTE)
    const answer = await begin(id)
    expect(answer.statusCode).toBe(200)
    await expect(buffer(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
    await expect.poll(openFiles).toEqual([])
  })
})

describe('beside the signature', () => {
  let authority: TimestampAuthority
  beforeAll(async () => {
    authority = await startTimestampAuthority()
  })
  afterAll(() => authority.close())

  const LASTING = 'longTermValidation.json'
  const stamped = (required: boolean) =>
    startProofing({
      signing: { timestamp: { url: authority.url, allowHttp: true, timeoutMs: 2000, required } },
    })
  const materialOf = (files: ReadonlyMap<string, Uint8Array>) => {
    const file = files.get(LASTING)
    return file && (JSON.parse(Buffer.from(file).toString('utf8')) as Record<string, unknown>)
  }

  test('stand the certificates of the key and the token of the authority', async () => {
    const app = await stamped(true)
    try {
      const { signingKeys } = app.app.appliance.store
      const [key] = signingKeys.list()
      const ca = makeCertificateAuthority('Kiosk CA')
      const publicKey = createPublicKey({ key: key?.publicJwk ?? {}, format: 'jwk' })
        .export({ type: 'spki', format: 'pem' })
        .toString()
      const leaf = ca.issue({ name: 'Kiosk 1', extensions: SIGNER_EXTENSIONS, publicKey, issuer: ca.root })
      signingKeys.setCertificateChain(key?.kid ?? '', `${leaf.pem}${ca.root.pem}`)
      const id = await app.anIdentity()
      const first = await openProof(app.app, id)
      const material = materialOf(first.files)
      expect(material?.certificateChain).toEqual([leaf, ca.root].map(({ der }) => der.toString('base64')))
      expect(Buffer.from(String(material?.timestampToken), 'base64').length).toBeGreaterThan(500)
      expect(await openProof(app.app, id)).toEqual(first)
      ca.remove()
    } finally {
      await app.app.close()
    }
  })

  test('is nothing by default', async () => {
    const id = await client.anIdentity()
    expect((await openProof(client.app, id)).files.has(LASTING)).toBe(false)
  })

  test('is no token when the authority is down and not required: the proof is sealed, and the log warns', async () => {
    const app = await stamped(false)
    try {
      authority.answer((_query, response) => void response.writeHead(503).end())
      const id = await app.anIdentity()
      expect((await openProof(app.app, id)).files.has(LASTING)).toBe(false)
      expect(app.app.log()).toContain('a proof was sealed without its time stamp')
    } finally {
      authority.answer(undefined)
      await app.app.close()
    }
  })

  test('is required and missing: 503, the transaction stays open, and is sealed when the authority is back', async () => {
    const app = await stamped(true)
    try {
      authority.answer((_query, response) => void response.writeHead(503).end())
      const id = await app.anIdentity()
      const refused = await app.refusal('GET', proofPath(id))
      expect(refused).toMatchObject({ status: 503, code: 'timestamp_unavailable' })
      expect((await app.identity(id)).globalStatus.status).toBe('EXPECTING_INPUT')
      expect(readdirSync(join(app.app.dataDir, 'proofs'))).toEqual([])
      authority.answer(undefined)
      expect(materialOf((await openProof(app.app, id)).files)).toHaveProperty('timestampToken')
      const calls = app.events(id).filter(([type]) => type === 'service.called')
      expect(calls.map(([, body]) => body)).toMatchObject([
        { connector: 'timestamp', values: ['signatureHash'], trouble: 'unexpected-answer' },
        { connector: 'timestamp', values: ['signatureHash'], trouble: null },
      ])
    } finally {
      authority.answer(undefined)
      await app.app.close()
    }
  })
})
