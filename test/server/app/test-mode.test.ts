/**
 * Test or production belongs to an identity from its creation: a folder that is switched makes no production proof of what was
 * verified in test mode, and a production proof never keeps quiet about a specimen or a pretended camera.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { AppError } from '../../../server/errors.ts'
import { documentForm, portraitForm, startTestApp, type TestApp } from '../../support/app.ts'
import { openProof } from '../../support/opened-proof.ts'
import { collectOutput } from '../../support/output.ts'
import { aPassport, picture, scriptedVision } from './scripted-vision.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'

const SPECIMEN = aPassport()
const GENUINE = aPassport({ issuingState: 'SWE', nationality: 'SWE' })
const FACE = picture({ shows: 'person', face: 'A' })

let dataDir: string
let app: TestApp | null
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'test-mode-'))
  app = null
})
afterEach(async () => {
  vi.restoreAllMocks()
  await app?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

async function startIn(mode: 'test' | 'production', more: object = {}): Promise<TestApp> {
  await app?.stop()
  app = null
  const tenant = {
    id: 'default',
    name: 'Branch 7',
    mode,
    policy: 'default',
    features: { pauseResume: true },
  }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ tenant, ...more }))
  return (app = await startTestApp({ dataDir, vision: scriptedVision() }))
}

/** Bypasses every check of the product, as an attacker with the file can. */
function force(sql: string): void {
  const db = new Database(join(dataDir, 'appliance.sqlite'))
  try {
    db.exec('DROP TRIGGER IF EXISTS identities_keep_their_mode')
    db.exec(sql)
  } finally {
    db.close()
  }
}

async function anIdentity(at: TestApp): Promise<string> {
  const { id } = (await at.json('POST', '/v1/identities', { payload: [] })).body as { id: string }
  const payload = ['ID_DOCUMENT', 'PORTRAIT'].map((type) => ({ type, approved: true }))
  await at.json('POST', `/v1/identities/${id}/consents`, { payload })
  return id
}

async function showPassport(at: TestApp, id: string, passport: Uint8Array, details?: object) {
  const body = documentForm(passport)
  if (details) {
    const json = new Blob([JSON.stringify(details)], { type: 'application/json' })
    body.append('DocumentCaptureDetails', json)
  }
  const { status } = await at.json('POST', `/v1/identities/${id}/id-documents/capture`, { body })
  expect(status).toBe(200)
  await at.runJobs()
}

async function proofed(at: TestApp, passport: Uint8Array, details?: object): Promise<string> {
  const id = await anIdentity(at)
  await showPassport(at, id, passport, details)
  await at.call('POST', `/v1/identities/${id}/attributes/portrait/capture`, { body: portraitForm(FACE) })
  await at.runJobs()
  return id
}

interface Seen {
  readonly globalStatus: { readonly levelOfAssurance: string }
  readonly idDocuments: readonly {
    readonly evidenceStatus: {
      readonly status: string
      readonly warningIndicators: readonly string[]
      readonly blockingIndicators: readonly string[]
    }
  }[]
}
async function look(at: TestApp, id: string): Promise<Seen> {
  return (await at.json('GET', `/v1/identities/${id}`)).body as Seen
}

const eventsOf = (at: TestApp, id: string, type: string) =>
  at.appliance.store.events
    .after(0, 10_000)
    .filter((event) => event.identityId === id && event.type === type)
    .map(({ body }) => body)

async function command(...argv: string[]) {
  const output = collectOutput()
  const code = await main(argv)
  vi.restoreAllMocks()
  return { code, text: output.text }
}

async function refusalOf(starting: Promise<unknown>): Promise<AppError> {
  const error = await starting.then(
    () => null,
    (refused: unknown) => refused,
  )
  expect(error).toBeInstanceOf(AppError)
  return error as AppError
}

describe('a specimen passport that was verified in test mode', () => {
  test('keeps the folder from becoming production: the start is refused, says how many are open, and what to do', async () => {
    const testing = await startIn('test')
    const id = await proofed(testing, SPECIMEN)
    expect((await look(testing, id)).globalStatus.levelOfAssurance).toBe('LOA1')
    await anIdentity(testing)

    const { code, details, problems } = await refusalOf(startIn('production'))
    expect({ code, details }).toEqual({ code: 'configuration_invalid', details: { openIdentities: 2 } })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ code: 'identities_open', field: 'tenant.mode' })
    for (const words of ['2 open identities', 'in test mode', 'seal or delete', 'erase-open --mode test']) {
      expect(problems[0]?.message).toContain(words)
    }
    // The refusal changed nothing: in test mode it continues.
    const again = await startIn('test')
    expect((await openProof(again, id)).proof).toMatchObject({ counterproof: { test: true } })
    const other = again.appliance.store.identities.listOpenOfMode('default', 'test')
    expect(other).toHaveLength(1)
    expect((await again.call('DELETE', `/v1/identities/${other[0]?.id}`)).status).toBe(204)
    await startIn('production')
  })

  test('says test in its proof even after its row was edited, and verify-proof says so in its first line', async () => {
    const id = await proofed(await startIn('test'), SPECIMEN)
    await app?.stop()
    force(`UPDATE tenants SET mode = 'production'; UPDATE identities SET mode = 'production', is_test = 0`)
    const production = await startIn('production')
    const { proof, archive } = await openProof(production, id)
    expect(proof).toMatchObject({ counterproof: { test: true } })
    expect(eventsOf(production, id, 'proof.sealed')).toMatchObject([{ test: true }])

    writeFileSync(join(dataDir, 'proof.zip'), archive)
    const jwks = await (await production.call('GET', '/.well-known/jwks.json', { key: null })).text()
    writeFileSync(join(dataDir, 'jwks.json'), jwks)
    const asked = [join(dataDir, 'proof.zip'), '--key', join(dataDir, 'jwks.json'), '--re-evaluate']
    const told = await command('verify-proof', ...asked)
    expect(told.code).toBe(0)
    expect(told.text.split('\n')[0]).toMatch(
      /^proof verified \(TEST: it proves nothing about a real person\): [0-9a-f-]{36} LOA1$/,
    )
    const json = await command('verify-proof', ...asked, '--json')
    expect(JSON.parse(json.text)).toMatchObject({ valid: true, test: true })
  })

  test('is ended by the command that the refusal names, which leaves held ones and refuses beside a running appliance', async () => {
    const testing = await startIn('test')
    const [first, second] = [await proofed(testing, SPECIMEN), await anIdentity(testing)]
    const eraseOpen = (mode = 'test') => command('retention', 'erase-open', '--mode', mode, '--data', dataDir)
    expect((await eraseOpen()).code).toBe(1)
    expect((await look(testing, first)).globalStatus.levelOfAssurance).toBe('LOA1')
    await command('retention', 'hold', second, '--reference', 'Case 7', '--data', dataDir)
    await testing.stop()
    app = null

    expect(await eraseOpen('production')).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^0 erased/) as unknown,
    })
    const held = await eraseOpen()
    expect(held).toMatchObject({ code: 1, text: expect.stringMatching(/^1 erased.*1 on hold/s) as unknown })
    expect((await refusalOf(startIn('production'))).details).toEqual({ openIdentities: 1 })
    await command('retention', 'lift', second, '--data', dataDir)
    expect((await eraseOpen()).code).toBe(0)
    const production = await startIn('production')
    expect(production.appliance.store.identities.count()).toBe(0)
    expect((await production.call('GET', `/v1/deletion-receipts/${first}`)).status).toBe(200)
  })

  test('cannot be resumed once the folder is production: it would be open again', async () => {
    const testing = await startIn('test')
    const id = await proofed(testing, SPECIMEN)
    await openProof(testing, id)
    const production = await startIn('production')
    const { status, body } = await production.json('GET', `/v1/identities/${id}/resume`)
    expect({ status, body }).toMatchObject({ status: 403, body: { errors: [{ code: 'identity_closed' }] } })
    // A sealed proof is repeated unchanged.
    expect((await openProof(production, id)).proof).toMatchObject({ counterproof: { test: true } })
  })
})

describe('an identity of production', () => {
  test('with a genuine passport has a proof without the word test', async () => {
    const production = await startIn('production')
    const id = await proofed(production, GENUINE)
    expect((await look(production, id)).globalStatus.levelOfAssurance).toBe('LOA1')
    const { proof } = await openProof(production, id)
    expect(proof).not.toHaveProperty('test')
    expect(eventsOf(production, id, 'identity.created')).toEqual([{ status: 'EXPECTING_INPUT', test: false }])
    expect(eventsOf(production, id, 'identity.marked_test')).toEqual([])
    expect(eventsOf(production, id, 'proof.sealed')).toMatchObject([{ test: false }])
  })

  test('rejects a specimen passport, and is a test from then on, whatever is shown afterwards', async () => {
    const production = await startIn('production')
    const id = await anIdentity(production)
    await showPassport(production, id, SPECIMEN)
    const { status, blockingIndicators } = (await look(production, id)).idDocuments[0].evidenceStatus
    expect({ status, blockingIndicators }).toEqual({
      status: 'INVALID',
      blockingIndicators: ['SPECIMEN_DOCUMENT_FAILED'],
    })
    await showPassport(production, id, GENUINE)
    expect(eventsOf(production, id, 'identity.marked_test')).toEqual([{ cause: 'SPECIMEN_DOCUMENT' }])
    expect((await openProof(production, id)).proof).toMatchObject({ counterproof: { test: true } })
  })

  test('is judged by its own mode where the tenant has another one now, and the other way round', async () => {
    const testing = await startIn('test')
    const ofProduction = await anIdentity(testing)
    force(`UPDATE identities SET mode = 'production', is_test = 0 WHERE id = '${ofProduction}'`)
    await showPassport(testing, ofProduction, SPECIMEN)
    expect((await look(testing, ofProduction)).idDocuments[0].evidenceStatus.status).toBe('INVALID')
    // Sealed in a tenant that is in test mode.
    expect((await openProof(testing, ofProduction)).proof).toMatchObject({ counterproof: { test: true } })

    const production = await startIn('production')
    const ofTest = await anIdentity(production)
    force(`UPDATE identities SET mode = 'test', is_test = 1 WHERE id = '${ofTest}'`)
    await showPassport(production, ofTest, SPECIMEN)
    expect((await look(production, ofTest)).idDocuments[0].evidenceStatus).toMatchObject({
      status: 'VERIFIED',
      warningIndicators: expect.arrayContaining(['SPECIMEN_DOCUMENT_WARNING']) as unknown,
    })
    expect((await openProof(production, ofTest)).proof).toMatchObject({ counterproof: { test: true } })
  })

  test.each([
    ['a document', (id: string, at: TestApp) => showPassport(at, id, GENUINE, { pretendedCamera: true })],
    [
      'a live portrait',
      async (id: string, at: TestApp) => {
        const path = `/v1/identities/${id}/attributes/portrait/capture-session`
        const { body } = await at.json('POST', path, { payload: { type: 'LIVENESS_PASSIVE_VIDEO' } })
        const { sessionId } = body as { sessionId: string }
        const { publicKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
          'sign',
        ])
        const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
        const payload = { publicKey: { kty, crv, x, y }, pretendedCamera: true }
        const begun = await at.json('POST', `/capture/sessions/${sessionId}/portrait/begin`, { payload })
        expect(begun.status).toBe(200)
        await at.call('DELETE', `/capture/sessions/${sessionId}`)
        await at.runJobs()
      },
    ],
  ])('is a test once a pretended camera took %s', async (_, take) => {
    const production = await startIn('production')
    const id = await anIdentity(production)
    await take(id, production)
    expect(eventsOf(production, id, 'identity.marked_test')).toEqual([{ cause: 'PRETENDED_CAMERA' }])
    expect((await openProof(production, id)).proof).toMatchObject({ counterproof: { test: true } })
  })

  test('keeps the tenant in production until it is sealed', async () => {
    const production = await startIn('production')
    const id = await anIdentity(production)
    const { problems } = await refusalOf(startIn('test'))
    expect(problems[0]?.message).toContain('1 open identity was made in production mode')
    await openProof(await startIn('production'), id)
    await startIn('test')
  })

  test('is not made by a command that reads a new configuration beside the running appliance', async () => {
    const testing = await startIn('test')
    const config = { tenant: { id: 'default', name: 'Branch 7', mode: 'production', policy: 'default' } }
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
    expect((await command('keys', 'create', '--application', 'bank', '--data', dataDir)).code).toBe(0)
    const id = await anIdentity(testing)
    expect(testing.appliance.store.identities.find(APPLIANCE, id)).toMatchObject({
      mode: 'test',
      isTest: true,
    })
  })
})
