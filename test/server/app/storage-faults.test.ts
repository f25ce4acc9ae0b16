/** The disk is full, the database refuses, a folder is gone: real faults, and the appliance afterwards. */
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ProblemDocument } from '../../../server/api/contract/index.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import {
  documentForm,
  portraitForm,
  startTestApp,
  type CallOptions,
  type TestApp,
} from '../../support/app.ts'
import { heldVision } from './held-vision.ts'
import { aPassport, picture, scriptedVision } from './scripted-vision.ts'
import { applianceDatabase } from '../../support/opened-databases.ts'
import { SOON } from '../../support/soon.ts'

vi.mock('better-sqlite3', async (original) =>
  (await import('../../support/opened-databases.ts')).withOpenedDatabases(await original()),
)

let app: TestApp
beforeEach(async () => {
  app = await startTestApp({ vision: scriptedVision() })
})
afterEach(() => app.close())
async function restart(vision: Vision): Promise<void> {
  await app.close()
  app = await startTestApp({ vision })
}

/** No page can be added, as on a full disk (SQLITE_FULL): what needs none is still taken. Returns what ends the fault. */
function fillDatabase(): () => void {
  const db = applianceDatabase()
  db.pragma(`max_page_count = ${String(db.pragma('page_count', { simple: true }))}`)
  return () => void db.pragma('max_page_count = 1073741823')
}

/** Nothing can be written, as on a disk that has become read-only (SQLITE_READONLY). */
function refuseWrites(): () => void {
  applianceDatabase().pragma('query_only = ON')
  return () => void applianceDatabase().pragma('query_only = OFF')
}

/** A folder that cannot be written into, root or not: a file lies in its place. */
function blockFolder(name: 'images' | 'proofs'): () => void {
  const path = join(app.dataDir, name)
  renameSync(path, `${path}.aside`)
  writeFileSync(path, '')
  return () => {
    rmSync(path)
    renameSync(`${path}.aside`, path)
  }
}

async function refusal(method: string, path: string, options?: CallOptions) {
  const { status, body } = await app.json(method, path, options)
  const problem = ProblemDocument.parse(body)
  return { status, problem: problem.type.split(':').at(-1), code: problem.errors[0]?.code }
}
const PROOF_NOT_STORED = { status: 500, problem: 'proof_not_stored', code: '1082' }
const NOT_STORED = { status: 500, problem: 'status_not_stored', code: '1081' }

async function anIdentity(): Promise<string> {
  const { body } = await app.json('POST', '/v1/identities', { payload: [] })
  const { id } = body as { id: string }
  const consents = [{ type: 'PORTRAIT', approved: true }]
  expect((await app.json('POST', `/v1/identities/${id}/consents`, { payload: consents })).status).toBe(200)
  return id
}
const identityOf = async (id: string) => (await app.json('GET', `/v1/identities/${id}`)).body
const documentsOf = (id: string): string => `/v1/identities/${id}/id-documents/capture`
const filesOf = (folder: string): readonly string[] => readdirSync(join(app.dataDir, folder))

describe('a database that takes nothing', () => {
  test('because it is full: 1081, and of the picture that was sent with it nothing stays', async () => {
    const id = await anIdentity()
    const end = fillDatabase()
    const submit = () => app.json('POST', documentsOf(id), { body: documentForm(aPassport()) })
    let answer = await submit()
    // Half-filled pages take some more rows.
    for (let taken = 0; answer.status === 200 && taken < 100; taken++) answer = await submit()
    end()
    const { errors } = ProblemDocument.parse(answer.body)
    expect({ status: answer.status, codes: errors.map(({ code }) => code) }).toEqual({
      status: 500,
      codes: ['1081'],
    })
    await app.runJobs()
    const kept = app.appliance.store.images.listByIdentity(id).map((image) => `${image.id}.sealed`)
    expect([...filesOf('images')].sort()).toEqual([...kept].sort())
    expect((await submit()).status).toBe(200)
  }, 20_000)

  test('because it is read-only: every change is 1081 and changes nothing, reading continues, and so does all when it is over', async () => {
    const id = await anIdentity()
    const before = await identityOf(id)
    const changes = [
      ['POST', '/v1/identities', { payload: [] }],
      ['POST', `/v1/identities/${id}/consents`, { payload: [{ type: 'EMAIL', approved: true }] }],
      ['POST', documentsOf(id), { body: documentForm(aPassport()) }],
      ['POST', '/v1/identities', { payload: [], headers: { 'Idempotency-Key': 'repeated' } }],
      ['DELETE', `/v1/identities/${id}`, {}],
    ] as const
    const end = refuseWrites()
    for (const [method, path, options] of changes) {
      expect([path, await refusal(method, path, options)]).toEqual([path, NOT_STORED])
    }
    expect(await identityOf(id)).toEqual(before)
    expect(filesOf('images')).toEqual([])
    end()
    expect((await app.json('DELETE', `/v1/identities/${id}`)).status).toBe(204)
  })

  test('loses no verification: its result is saved when the fault is over', async () => {
    const held = heldVision('measureDocument')
    await restart(held.vision)
    const id = await anIdentity()
    await app.json('POST', documentsOf(id), { body: documentForm(aPassport()) })
    await held.begun
    const end = refuseWrites()
    held.go()
    await vi.waitFor(() => {
      expect(app.log()).toContain('the end of a job could not be recorded')
    }, SOON)
    expect(filesOf('images')).toHaveLength(1)
    end()
    await app.runJobs()
    expect(await identityOf(id)).toMatchObject({ idDocuments: [{ evidenceStatus: { status: 'VERIFIED' } }] })
    expect(filesOf('images')).toHaveLength(2)
  })

  test('refuses the proof with 1082, leaves the transaction open and no file, and seals it when the fault is over', async () => {
    const id = await anIdentity()
    const path = `/v1/identities/${id}/proof`
    const end = refuseWrites()
    expect(await refusal('GET', path)).toEqual(PROOF_NOT_STORED)
    expect(filesOf('proofs')).toEqual([])
    end()
    expect((await app.call('GET', path)).status).toBe(200)
  })
})

describe('a folder that cannot be written into', () => {
  test('of pictures: a submission and a creation with a file are refused with 1081, and taken when the fault is over', async () => {
    const id = await anIdentity()
    const submit = () => ({ body: portraitForm(picture({ shows: 'person', face: 'A' })) })
    const path = `/v1/identities/${id}/attributes/portrait/capture`
    const creation = new FormData()
    creation.append('File', new Blob(['%PDF-1.7'], { type: 'application/pdf' }), 'a.pdf')
    const before = app.appliance.store.identities.count()
    const end = blockFolder('images')
    expect(await refusal('POST', path, submit())).toEqual(NOT_STORED)
    expect(await refusal('POST', '/v1/identities', { body: creation })).toEqual(NOT_STORED)
    end()
    expect(app.appliance.store.identities.count()).toBe(before)
    expect(await identityOf(id)).not.toHaveProperty('portrait')
    expect((await app.json('POST', path, submit())).status).toBe(200)
  })

  test('of proofs: the proof is refused with 1082, the transaction stays open, and it is sealed when the fault is over', async () => {
    const id = await anIdentity()
    const path = `/v1/identities/${id}/proof`
    const end = blockFolder('proofs')
    expect(await refusal('GET', path)).toEqual(PROOF_NOT_STORED)
    expect(await identityOf(id)).toMatchObject({ globalStatus: { status: 'EXPECTING_INPUT' } })
    end()
    expect(filesOf('proofs')).toEqual([])
    expect((await app.call('GET', path)).status).toBe(200)
    expect(filesOf('proofs')).toHaveLength(1)
  })
})
