/**
 * Yesterday's backup with today's keys: data erased since cannot be read any more with both. The test
 * searches every byte for the input and for its key, and tries to decrypt every value.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../server/config/config.ts'
import { loadKek } from '../../../server/config/kek.ts'
import { start } from '../../../server/index.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { verifyDeletionReceipt } from '../../../server/proof/verify/deletion-receipt.ts'
import { verifyProof } from '../../../server/proof/verify.ts'
import { openStream } from '../../../server/crypto/chunked.ts'
import { deriveKey, unseal } from '../../../server/store/crypto.ts'
import { KEYS_FILE } from '../../../server/store/vault.ts'
import { documentForm, portraitForm, startTestApp, type TestApp } from '../../support/app.ts'
import { filesIn, findIn, formsOf, formsOfBytes, type Wanted } from '../../support/byte-scan.ts'
import { HOLDER, picture, scriptedVision } from './scripted-vision.ts'

interface Person {
  readonly surname: string
  readonly number: string
  readonly face: string
  readonly correlation: string
}
const ERASED: Person = {
  surname: 'ZAPHODOVAQUIX',
  number: 'QX73901ZW',
  face: 'face-of-zaphodova',
  correlation: 'zaphodova-1931',
}
const OTHER: Person = {
  surname: 'TRILLIANQUARK',
  number: 'TQ55012AB',
  face: 'face-of-trillian',
  correlation: 'trillian-1955',
}

let app: TestApp
let yesterday: string
let restoredDir: string
let erasedId: string
let otherId: string
/** The key of the erased identity, before its erasure. */
let dataKey: Buffer
let wrappedKey: Buffer
let proofBytes: Buffer

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  const config = { antifraud: { duplicateFace: { enabled: true } } }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
  app = await startTestApp({ vision: scriptedVision(), dataDir })
  erasedId = await proofed(ERASED)
  otherId = await proofed(OTHER)
  proofBytes = await proofOf(app, otherId)
  expect((await proofOf(app, erasedId)).length).toBeGreaterThan(1000)
  dataKey = app.appliance.store.vault.key(erasedId)
  wrappedKey = wrappedKeyOf(app.dataDir, erasedId)

  yesterday = mkdtempSync(join(tmpdir(), 'counterproof-yesterday-'))
  await app.appliance.store.backup(join(yesterday, 'appliance.sqlite'))
  for (const folder of ['images', 'proofs', 'videos']) {
    cpSync(join(app.dataDir, folder), join(yesterday, folder), { recursive: true })
  }
  expect((await app.json('DELETE', `/v1/identities/${erasedId}`)).status).toBe(204)
})
afterAll(async () => {
  await app.close()
  for (const folder of [yesterday, restoredDir]) rmSync(folder, { recursive: true, force: true })
})

/** Document, portrait, attributes, a file and a sealed proof, with the person's own values in each. */
async function proofed({ surname, number, face, correlation }: Person): Promise<string> {
  const headers = { 'correlation-id': correlation }
  const payload = [{ key: 'PID', value: `${surname} ${number}` }]
  const { body } = await app.json('POST', '/v1/identities', { payload, headers })
  const { id } = body as { id: string }
  const identity = `/v1/identities/${id}`
  const consents = ['ID_DOCUMENT', 'PORTRAIT', 'ATTRIBUTES'].map((type) => ({ type, approved: true }))
  await app.json('POST', `${identity}/consents`, { payload: consents })
  const lines = buildTd3({ ...HOLDER, surname, documentNumber: number })
  const page = documentForm(picture({ shows: 'document', lines, face }))
  await app.json('POST', `${identity}/id-documents/capture`, { body: page })
  const portrait = portraitForm(picture({ shows: 'person', face }))
  await app.json('POST', `${identity}/attributes/portrait/capture`, { body: portrait })
  await app.json('POST', `${identity}/attributes`, { payload: { surname: { value: surname } } })
  const form = new FormData()
  form.append('File', new Blob([`%PDF-1.7 ${surname}`], { type: 'application/pdf' }), 'contract.pdf')
  form.append('Metadata', JSON.stringify([{ key: 'OF', value: number }]))
  await app.json('POST', `${identity}/additional-files`, { body: form })
  await app.runJobs()
  return id
}

async function proofOf(from: TestApp, id: string): Promise<Buffer> {
  const answer = await from.call('GET', `/v1/identities/${id}/proof`)
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

function wrappedKeyOf(dataDir: string, id: string): Buffer {
  const db = new Database(join(dataDir, KEYS_FILE), { readonly: true })
  const row = db
    .prepare<[string], { wrapped_dek: Buffer }>('SELECT wrapped_dek FROM identity_keys WHERE identity_id = ?')
    .get(id)
  db.close()
  if (!row) throw new Error('the identity has no key')
  return row.wrapped_dek
}

/** Each value of the input, and the key that encrypted it. */
function wanted({ surname, number, face, correlation }: Person): Wanted {
  return Object.fromEntries(
    Object.entries({ surname, number, face, correlation }).map(([name, text]) => [name, formsOf(text)]),
  )
}
const keyForms = (): Wanted => ({
  'data key': formsOfBytes(dataKey),
  // The nonce alone could stand elsewhere by chance; no 24 bytes of the rest can.
  'wrapped key': formsOfBytes(wrappedKey.subarray(-24)),
})

/** Yesterday's data, today's keys: as after a restore. */
function restore(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-restored-'))
  cpSync(yesterday, folder, { recursive: true })
  mkdirSync(join(folder, 'keys'), { recursive: true, mode: 0o700 })
  for (const name of readdirSync(join(app.dataDir, 'keys'))) {
    cpSync(join(app.dataDir, 'keys', name), join(folder, 'keys', name))
  }
  return folder
}

describe('the appliance itself, running', () => {
  test('holds nothing that was entered and no trace of the key, in no file, journals included', () => {
    const everything = { ...wanted(ERASED), ...keyForms() }
    expect(findIn(filesIn(app.dataDir), everything)).toEqual([])
    expect(findIn([['log', Buffer.from(app.log())]], everything)).toEqual([])
  })

  test('the search finds the key of an identity that was not erased', () => {
    const present = { 'wrapped key': formsOfBytes(wrappedKeyOf(app.dataDir, otherId).subarray(-24)) }
    expect(findIn(filesIn(app.dataDir), present)).toEqual(['identity-keys.sqlite: wrapped key'])
  })

  test('names the erased identity by its id alone, in its log and beside its receipt', () => {
    const db = new Database(join(app.dataDir, 'appliance.sqlite'), { readonly: true })
    const tables = db
      .prepare<[], { name: string }>(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`,
      )
      .all()
    const naming = tables.filter(({ name }) => {
      const rows = db.prepare<[], Record<string, unknown>>(`SELECT * FROM "${name}"`).all()
      return rows.some((row) => Object.values(row).some((value) => String(value).includes(erasedId)))
    })
    db.close()
    expect(naming.map(({ name }) => name).sort()).toEqual(['erasures', 'events'])
  })
})

describe("yesterday's backup beside today's keys", () => {
  beforeAll(() => {
    restoredDir = restore()
  })

  test('still has the rows and files of the erased identity, and nothing of it in clear', () => {
    const db = new Database(join(restoredDir, 'appliance.sqlite'), { readonly: true })
    const { n } = db
      .prepare<[string], { n: number }>('SELECT count(*) n FROM evidences WHERE identity_id = ?')
      .get(erasedId) as { n: number }
    db.close()
    expect(n).toBe(3)
    expect(findIn(filesIn(restoredDir), { ...wanted(ERASED), ...keyForms() })).toEqual([])
  })

  test('with every key that there is today, opens no sealed value of the erased identity; of the other all', async () => {
    const kek = loadKek(loadConfig({ dataDir: restoredDir }))
    const keys = todaysKeys(kek)
    const values = [...sealedColumns(erasedId)]
    const files = sealedFiles(erasedId)
    expect(values.length).toBeGreaterThan(10)
    expect(files.length).toBeGreaterThan(4)
    for (const { context, sealed } of values) {
      for (const key of keys) expect(() => unseal(key, sealed, context)).toThrow()
    }
    for (const { context, path } of files) {
      for (const key of keys) expect([path, await opens(key, context, path)]).toEqual([path, false])
    }
    // The attempt itself works: with its key, everything of the other identity opens.
    const ofOther = app.appliance.store.vault.key(otherId)
    for (const { context, sealed } of sealedColumns(otherId)) unseal(ofOther, sealed, context)
    for (const { context, path } of sealedFiles(otherId)) {
      expect([path, await opens(ofOther, context, path)]).toEqual([path, true])
    }
  })

  test('the key of before the erasure would have opened it: this is why it is destroyed', async () => {
    for (const { context, sealed } of sealedColumns(erasedId)) unseal(dataKey, sealed, context)
    for (const { context, path } of sealedFiles(erasedId)) {
      expect([path, await opens(dataKey, context, path)]).toEqual([path, true])
    }
  })

  test('starts, erases the identity to its end as RESTORED, and leaves the other as it was', async () => {
    const restored = await startTestApp({ vision: scriptedVision(), dataDir: restoredDir })
    try {
      expect((await restored.json('GET', `/v1/identities/${erasedId}`)).status).toBe(404)
      const { status, body } = await restored.json('GET', `/v1/deletion-receipts/${erasedId}`)
      const { reason, receipt } = body as { reason: string; receipt: string }
      expect([status, reason]).toEqual([200, 'RESTORED'])
      const jwks = (await restored.json('GET', '/.well-known/jwks.json')).body
      expect(verifyDeletionReceipt(receipt, { jwks })).toMatchObject({ valid: true })
      const { store } = restored.appliance
      expect(store.erasures.countRows(erasedId)).toEqual({})
      expect(readdirSync(join(restoredDir, 'images')).length).toBe(
        store.images.listByIdentity(otherId).length,
      )
      expect(store.auditEvents()).toEqual([])

      const again = await proofOf(restored, otherId)
      expect(again.equals(proofBytes)).toBe(true)
      const archive = extractArchive(again)
      expect(archive && (await verifyProof(archive, { jwks }))).toMatchObject({ valid: true })
      const read = await restored.call('GET', `/v1/identities/${otherId}?detailed=true`)
      expect(await read.text()).toContain(OTHER.surname)
    } finally {
      await restored.stop()
    }
    expect(findIn(filesIn(restoredDir), { ...wanted(ERASED), ...keyForms() })).toEqual([])
  })
})

describe('keys that are not those of the database', () => {
  test('a database with identities is not started on new keys, because every identity would be lost', async () => {
    const folder = restore()
    try {
      for (const name of readdirSync(join(folder, 'keys'))) {
        if (name.startsWith('identity-keys')) rmSync(join(folder, 'keys', name))
      }
      const config = loadConfig({ dataDir: folder, port: 0 })
      await expect(start({ config, vision: scriptedVision() })).rejects.toMatchObject({
        code: 'key_unavailable',
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('a database with identities is not started on the keys of another appliance', async () => {
    const folder = restore()
    const other = await startTestApp({ vision: scriptedVision() })
    try {
      await other.stop()
      for (const name of readdirSync(join(folder, 'keys'))) {
        if (name.startsWith('identity-keys')) rmSync(join(folder, 'keys', name))
      }
      cpSync(join(other.dataDir, KEYS_FILE), join(folder, KEYS_FILE))
      const config = loadConfig({ dataDir: folder, port: 0 })
      await expect(start({ config, vision: scriptedVision() })).rejects.toMatchObject({
        code: 'key_unavailable',
      })
      expect(readdirSync(join(folder, 'proofs'))).toEqual(readdirSync(join(yesterday, 'proofs')))
    } finally {
      rmSync(folder, { recursive: true })
      await other.close()
    }
  })

  test('a new database leaves the keys and files of the lost one alone, so that its backup can still be read', async () => {
    const folder = restore()
    try {
      for (const suffix of ['', '-wal', '-shm'])
        rmSync(join(folder, `appliance.sqlite${suffix}`), { force: true })
      const anew = await startTestApp({ vision: scriptedVision(), dataDir: folder })
      await anew.stop()
      cpSync(join(yesterday, 'appliance.sqlite'), join(folder, 'appliance.sqlite'))
      // The files stay too: a new database must not remove files that it does not know.
      expect(readdirSync(join(folder, 'images'))).toEqual(readdirSync(join(yesterday, 'images')))
      const restored = await startTestApp({ vision: scriptedVision(), dataDir: folder })
      const read = await restored.call('GET', `/v1/identities/${otherId}`)
      expect(await read.text()).toContain(OTHER.surname)
      await restored.stop()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

/** The master key, what is derived from it, and every data key that the keys folder still holds. */
function todaysKeys(kek: Buffer): readonly Buffer[] {
  const db = new Database(join(restoredDir, KEYS_FILE))
  const rows = db
    .prepare<[], { identity_id: string; wrapped_dek: Buffer }>('SELECT * FROM identity_keys')
    .all()
  db.close()
  const dataKeys = rows.map((row) => unseal(kek, row.wrapped_dek, `dek:${row.identity_id}`))
  expect(dataKeys).toHaveLength(1)
  return [kek, deriveKey(kek, 'audit'), deriveKey(kek, 'lookup'), ...dataKeys]
}

interface SealedValue {
  readonly context: string
  readonly sealed: Buffer
}

/** Every column that ends in _ct, of every row of the identity, with the context it was sealed for. */
function* sealedColumns(id: string): Generator<SealedValue> {
  const db = new Database(join(restoredDir, 'appliance.sqlite'), { readonly: true })
  const contexts: Readonly<Record<string, (row: Record<string, unknown>) => string>> = {
    'identities.correlation_ct': () => `identities.correlation:${id}`,
    'identity_contexts.context_ct': () => `identity_contexts:${id}`,
    'evidences.data_ct': (row) => `evidences:${String(row.id)}`,
    'verifications.details_ct': (row) => `verifications:${String(row.id)}`,
    'operations.call_ct': (row) => `operations:${String(row.id)}`,
    'file_metadata.metadata_ct': (row) => `file_metadata:${String(row.file_id)}`,
    'face_templates.template_ct': (row) => `face_templates:${String(row.evidence_id)}`,
    'face_index.entry_ct': (row) => `face_index:default:${String(row.evidence_id)}`,
  }
  try {
    for (const [place, contextOf] of Object.entries(contexts)) {
      const [table = '', column = ''] = place.split('.')
      const owner = table === 'identities' ? 'id' : 'identity_id'
      const rows = db
        .prepare<[string], Record<string, unknown>>(`SELECT * FROM ${table} WHERE ${owner} = ?`)
        .all(id)
      expect([place, rows.length]).not.toEqual([place, 0])
      for (const row of rows) yield { context: contextOf(row), sealed: row[column] as Buffer }
    }
  } finally {
    db.close()
  }
}

function sealedFiles(id: string): readonly { readonly context: string; readonly path: string }[] {
  const db = new Database(join(yesterday, 'appliance.sqlite'), { readonly: true })
  const of = (table: string) =>
    db
      .prepare<[string], { id: string }>(`SELECT id FROM ${table} WHERE identity_id = ?`)
      .all(id)
      .map((row) => ({ context: `${table}:${row.id}`, path: join(yesterday, table, `${row.id}.sealed`) }))
  const files = ['images', 'proofs', 'videos'].flatMap(of)
  db.close()
  return files
}

async function opens(key: Buffer, context: string, path: string): Promise<boolean> {
  const sealed = readFileSync(path)
  try {
    unseal(key, sealed, context)
    return true
  } catch {
    try {
      for await (const piece of openStream(key, context, [sealed])) void piece
      return true
    } catch {
      return false
    }
  }
}
