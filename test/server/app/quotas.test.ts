/** Limits of open jobs, pieces and bytes per identity and application; whose evidence is looked at first. */
import { afterEach, describe, expect, test } from 'vitest'
import { ProblemDocument } from '../../../server/api/contract/index.ts'
import { documentForm } from '../../support/app.ts'
import { startKioskApp, type KioskApp } from '../kiosk/kiosk-app.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { heldVision } from './held-vision.ts'
import { aPassport, picture } from './scripted-vision.ts'

let client: ProofingClient | null = null
let kiosk: KioskApp | null = null
afterEach(async () => {
  await client?.close()
  await kiosk?.close()
  client = kiosk = null
})

const capture = (id: string) => `/v1/identities/${id}/id-documents/capture`

/** Another application of the same tenant; its key. */
function anotherKey({ app }: Pick<ProofingClient, 'app'>, name = 'another'): string {
  return app.appliance.store.apiKeys.createPair('default', name, new Date()).relyingServiceKey
}

async function identityOf({ app }: Pick<ProofingClient, 'app'>, key: string): Promise<string> {
  const { body } = await app.json('POST', '/v1/identities', { key, payload: [] })
  const { id } = body as { id: string }
  const payload = ['ID_DOCUMENT', 'PORTRAIT'].map((type) => ({ type, approved: true }))
  await app.json('POST', `/v1/identities/${id}/consents`, { key, payload })
  return id
}

/** A picture of so many bytes; the scripted reader passes over blanks. */
function padded(bytes: number): Uint8Array {
  return Buffer.concat([aPassport(), Buffer.alloc(bytes, ' ')])
}

describe('open jobs', () => {
  // @clause NIST-63A-4/3.5-attacks
  test('of one application have a limit: 429 with Retry-After, and no other application is told to wait', async () => {
    const held = heldVision('measureDocument')
    client = await startProofing({ quotas: { perApplication: { openJobs: 3 } } }, held.vision)
    const { app } = client
    for (let i = 0; i < 3; i++) {
      const id = await client.anIdentity()
      expect((await app.call('POST', capture(id), { body: documentForm(aPassport()) })).status).toBe(200)
    }
    const id = await client.anIdentity()
    const refused = await app.call('POST', capture(id), { body: documentForm(aPassport()) })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(ProblemDocument.parse(await refused.json())).toMatchObject({
      type: 'urn:counterproof:problem:too_many_open_jobs',
    })
    expect(app.appliance.store.evidences.list(id)).toEqual([])

    const key = anotherKey(client)
    const other = await identityOf(client, key)
    expect((await app.call('POST', capture(other), { key, body: documentForm(aPassport()) })).status).toBe(
      200,
    )
    held.go()
    await app.runJobs()
    expect((await app.call('POST', capture(id), { body: documentForm(aPassport()) })).status).toBe(200)
  })

  test('of one identity have a limit of their own', async () => {
    const held = heldVision('measureDocument')
    client = await startProofing({ quotas: { perIdentity: { openJobs: 2 } } }, held.vision)
    const id = await client.anIdentity()
    const send = () => client?.app.call('POST', capture(id), { body: documentForm(aPassport()) })
    expect([(await send())?.status, (await send())?.status]).toEqual([200, 200])
    expect(await client.refusal('POST', capture(id), { body: documentForm(aPassport()) })).toMatchObject({
      status: 429,
      code: 'too_many_open_jobs',
    })
    const fraud = `/v1/identities/${id}/antifraud`
    expect(await client.refusal('POST', fraud, { payload: [{ type: 'VELOCITY' }] })).toMatchObject({
      status: 429,
    })
    held.go()
  })

  test('count for a capture session, too, which stays open for the same pictures', async () => {
    const held = heldVision('measureDocument')
    client = await startProofing({ quotas: { perApplication: { openJobs: 1 } } }, held.vision)
    const { app } = client
    const sessionOf = await client.anIdentity()
    const opened = await client.ask(
      'DocumentSessionAnswer',
      'POST',
      `/v1/identities/${sessionOf}/id-documents/live-capture-session`,
      { payload: { idDocumentType: 'PASSPORT' } },
    )
    const other = await client.anIdentity()
    await app.call('POST', capture(other), { body: documentForm(aPassport()) })
    const send = () =>
      app.call('POST', `/capture/sessions/${opened.sessionId}/document`, {
        key: null,
        body: documentForm(aPassport()),
      })
    expect((await send()).status).toBe(429)
    held.go()
    await app.runJobs()
    expect((await send()).status).toBe(200)
  })
})

describe('what is kept', () => {
  test('of one identity has at most so many pieces: 403 with a code of its own, and nothing is stored', async () => {
    client = await startProofing({ quotas: { perIdentity: { pieces: 50, openJobs: 100 } } })
    const id = await client.anIdentity()
    const path = `/v1/identities/${id}/attributes`
    const payload = { surname: { value: 'Zaphodovaquix' } }
    for (let i = 0; i < 50; i++) await client.ask('AttributesAnswer', 'POST', path, { payload })
    expect(await client.refusal('POST', path, { payload })).toMatchObject({
      status: 403,
      code: 'quota_reached',
    })
    expect(client.app.appliance.store.evidences.list(id)).toHaveLength(50)
  })

  test('of one application has at most so many bytes; what is erased makes room again', async () => {
    client = await startProofing({ quotas: { perApplication: { megabytes: 1 } } })
    const { app } = client
    const [first, second] = [await client.anIdentity(), await client.anIdentity()]
    await client.document(first, padded(700_000))
    expect(
      await client.refusal('POST', capture(second), { body: documentForm(padded(700_000)) }),
    ).toMatchObject({ status: 403, code: 'quota_reached' })
    expect(
      await client.refusal('POST', `/v1/identities/${second}/additional-files`, {
        body: fileForm(Buffer.alloc(700_000, 'x')),
      }),
    ).toMatchObject({ status: 403, code: 'quota_reached' })

    const key = anotherKey(client)
    const other = await identityOf(client, key)
    expect(
      (await app.call('POST', capture(other), { key, body: documentForm(padded(700_000)) })).status,
    ).toBe(200)
    await app.call('DELETE', `/v1/identities/${first}`)
    await client.document(second, padded(700_000))
  })

  test('of one application has at most so many identities', async () => {
    client = await startProofing({ quotas: { perApplication: { identities: 2 } } })
    const first = await client.anIdentity()
    await client.anIdentity()
    const create = () => client?.app.json('POST', '/v1/identities', { payload: [] })
    expect(await create()).toMatchObject({ status: 403 })
    await client.app.call('DELETE', `/v1/identities/${first}`)
    expect(await create()).toMatchObject({ status: 200 })
  })
})

test('a busy application delays another one by one job, not by its backlog', async () => {
  const held = heldVision('measureDocument')
  client = await startProofing({}, held.vision)
  const { app } = client
  const key = anotherKey(client)
  const busy: string[] = []
  for (let i = 0; i < 40; i++) {
    busy.push(await client.anIdentity())
    await app.call('POST', capture(busy[i] ?? ''), { body: documentForm(aPassport()) })
  }
  const quiet = await identityOf(client, key)
  await app.call('POST', capture(quiet), { key, body: documentForm(aPassport()) })
  held.go()
  await app.runJobs()
  const decided = app.appliance.store.events
    .after(0, 10_000)
    .flatMap(({ type, identityId }) => (type === 'evidence.decided' ? [identityId] : []))
  expect(decided).toHaveLength(41)
  // Two were looked at already when it came.
  expect(decided.indexOf(quiet)).toBeLessThanOrEqual(3)
})

describe('the kiosk', () => {
  const QUOTAS = {
    quotas: {
      perApplication: { openJobs: 1, identities: 1, pieces: 1, megabytes: 1 },
      perIdentity: { openJobs: 2, pieces: 50, megabytes: 100 },
    },
  }
  const UNREADABLE = picture({ shows: 'document', lines: null, face: null, quality: { luminanceMean: 20 } })

  test('is never turned away by its own quotas: two visits with every retry, under the narrowest limits', async () => {
    kiosk = await startKioskApp({ config: QUOTAS })
    for (let visit = 0; visit < 2; visit++) {
      const page = kiosk.page()
      await page.begin()
      await page.do('POST', 'document/choice', { country: 'UTO', documentType: 'PASSPORT' })
      for (let emptySession = 0; emptySession < 8; emptySession++) await page.open('document/session')
      for (let attempt = 0; attempt < 2; attempt++) await page.capture(UNREADABLE)
      await page.capture(aPassport())
      await page.do('POST', 'check', {})
      for (let emptySession = 0; emptySession < 8; emptySession++) await page.open('portrait/session')
      expect((await page.showFace()).step.kind).toBe('waiting')
      await page.call('DELETE', 'session?why=STOPPED')
    }
  })

  test('goes first: what a person shows is looked at before all that programs have sent', async () => {
    const held = heldVision('measureDocument')
    kiosk = await startKioskApp({ vision: held.vision })
    const { app } = kiosk
    for (let i = 0; i < 40; i++) {
      const id = await kiosk.anIdentity(['ID_DOCUMENT', 'PORTRAIT'])
      await app.call('POST', capture(id), { body: documentForm(aPassport()) })
    }
    const page = kiosk.page()
    const { reference } = await page.begin()
    await page.do('POST', 'document/choice', { country: 'UTO', documentType: 'PASSPORT' })
    const captured = page.capture(aPassport())
    const store = app.appliance.store
    const visitor = store.visits.findByReference(reference ?? '')?.identityId ?? ''
    await expect.poll(() => store.jobs.open(visitor)).toBe(1)
    held.go()
    await captured
    const decided = store.events
      .after(0, 10_000)
      .flatMap(({ type, identityId }) => (type === 'evidence.decided' ? [identityId] : []))
    expect(decided.indexOf(visitor)).toBeLessThanOrEqual(2)
  })
})

function fileForm(bytes: Uint8Array): FormData {
  const form = new FormData()
  form.append('File', new Blob([bytes as BlobPart], { type: 'application/octet-stream' }), 'file')
  return form
}
