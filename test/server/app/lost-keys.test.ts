/**
 * Keys of identities that are older than the database, or missing: the start is refused and changes nothing, the copy
 * comes back by `backup -- restore-keys`, and a loss that an operator accepts is no erasure that a person asked for.
 */
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { start, type Appliance } from '../../../server/index.ts'
import { silentLog } from '../../../server/log.ts'
import { verifyDeletionReceipt } from '../../../server/proof/verify/deletion-receipt.ts'
import { AppError } from '../../../server/errors.ts'
import { compareKeysWithDatabase, requireLoss } from '../../../server/store/identity-keys.ts'
import { KEYS_FILE } from '../../../server/store/vault.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { collectOutput } from '../../support/output.ts'
import { scriptedVision } from './scripted-vision.ts'

let app: TestApp
let places: string
let older: string

const place = (name: string): string => join(places, name)
const command = async (...argv: string[]) => {
  const output = collectOutput()
  const status = await main(argv)
  vi.restoreAllMocks()
  return { status, text: output.text }
}
const backUp = () =>
  command('backup', 'create', '--to', place('data'), '--keys-to', place('safe'), '--data', app.dataDir)
const copyIn = (folder: string): string =>
  join(folder, readdirSync(folder).find((name) => name.endsWith('.cpkeys')) ?? '')

const restart = (acceptLoss = false): Promise<Appliance> => {
  const config = loadConfig({ dataDir: app.dataDir, port: 0 })
  return start({ config, log: silentLog, vision: scriptedVision(), acceptLoss })
}
async function create(): Promise<string> {
  const { body } = await app.json('POST', '/v1/identities', { payload: [] })
  return (body as { id: string }).id
}
async function seal(id: string): Promise<void> {
  const answer = await app.call('GET', `/v1/identities/${id}/proof`)
  expect(answer.status).toBe(200)
  await answer.arrayBuffer()
  // Queued as by a kiosk that has joined a central service.
  const { store } = app.appliance
  const proof = store.proofs.find(id)
  if (!proof) throw new TypeError('no proof')
  const { id: proofId, identityId, sha256, sealedAt } = proof
  store.transaction(() => {
    const sequence = store.outbox.add({ proofId, identityId, tenantId: 'default', sha256, sealedAt })
    store.events.append('outbox.queued', identityId, { proofId, sequence }, sealedAt)
  })
}
function putBack(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(app.dataDir, KEYS_FILE + suffix), { force: true })
  cpSync(file, join(app.dataDir, KEYS_FILE))
}
function changedSince(before: Readonly<Record<string, string>>): readonly string[] {
  const now = contents()
  return Object.keys({ ...before, ...now }).filter((name) => before[name] !== now[name])
}
/** Every file of the data folder and the hash of what it holds. */
function contents(folder = app.dataDir): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [relative(folder, path), createHash('sha256').update(readFileSync(path)).digest('hex')]
    }),
  )
}

let early: string
let late: string

beforeEach(async () => {
  places = mkdtempSync(join(tmpdir(), 'counterproof-lost-keys-'))
  for (const name of ['data', 'safe']) mkdirSync(place(name))
  app = await startTestApp({ vision: scriptedVision() })
  early = await create()
  older = place('older.sqlite')
  await app.appliance.store.vault.backup(older)
  late = await create()
  await seal(late)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await app.close()
  rmSync(places, { recursive: true, force: true })
})

describe('an older file of identity keys in place of the present one', () => {
  test('refuses the start, erases no identity, withdraws no proof and leaves every file as it is', async () => {
    await app.stop()
    putBack(older)
    // A start writes this file; without it the folder shows whether a refused one does.
    rmSync(join(app.dataDir, 'server.lock'))
    const before = contents()
    await expect(restart()).rejects.toMatchObject({
      code: 'key_unavailable',
      details: { identitiesLost: 1, identities: [late], unsentProofsLost: 1 },
    })
    expect(contents()).toEqual(before)
    expect(compareKeysWithDatabase(app.dataDir)).toMatchObject({
      problem: 'older',
      lost: [late],
      unsentProofs: 1,
    })
  })

  test('refuses every command that would write, and audit -- verify names it', async () => {
    await app.stop()
    putBack(older)
    const before = contents()
    const data = ['--data', app.dataDir]
    for (const argv of [
      ['start', '--no-window'],
      ['keys', 'create', '--application', 'bank'],
      ['sync', 'status'],
      ['retention', 'run'],
      ['backup', 'create', '--to', place('data'), '--keys-to', place('safe')],
      ['kek', 'split', '--shares', '3', '--threshold', '2', '--out', place('shares')],
    ]) {
      const { status, text } = await command(...argv, ...data)
      expect([argv[0], status, text.includes('is older than the database')]).toEqual([argv[0], 1, true])
    }
    expect(contents()).toEqual(before)
    expect(existsSync(place('shares'))).toBe(false)
    const { status, text } = await command('audit', 'verify', '--json', ...data)
    expect(status).toBe(1)
    const { findings } = JSON.parse(text.slice(text.indexOf('{'))) as {
      findings: { table: string; problem: string; row: string }[]
    }
    expect(findings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ table: 'identity_keys', problem: 'set_back' }),
        expect.objectContaining({ table: 'identity_keys', problem: 'missing', row: late }),
      ]),
    )
  })

  test('is named together with the newest copy, and the copy that is restored alone brings all back', async () => {
    expect((await backUp()).status).toBe(0)
    await app.stop()
    putBack(older)
    const copy = copyIn(place('safe'))
    await expect(restart()).rejects.toMatchObject({
      details: {
        newestCopy: expect.stringContaining(copy) as string,
        restore: `npm run backup -- restore-keys --from ${copy} --data ${app.dataDir}`,
      },
    })
    const { status } = await command('backup', 'restore-keys', '--from', copy, '--data', app.dataDir)
    expect(status).toBe(0)
    const again = await restart()
    try {
      expect([...again.store.identities.listIds()].sort()).toEqual([early, late].sort())
      expect([...again.store.identities.listIds()].every((id) => again.store.vault.has(id))).toBe(true)
      expect(again.store.outbox.pending().map(({ state }) => state)).toEqual(['QUEUED'])
      const types = again.store.events.after(0, 1000).map(({ type }) => type)
      expect(types).toContain('identitykeys.restored')
      expect(types).not.toContain('erasure.begun')
    } finally {
      await again.close()
    }
    expect((await command('audit', 'verify', '--data', app.dataDir)).status).toBe(0)
  })

  test('is accepted by an operator: the identity ends as LOST, its proof is no withdrawal, the others stay', async () => {
    await app.stop()
    putBack(older)
    const again = await restart(true)
    try {
      const { store } = again
      expect(store.identities.listIds()).toEqual([early])
      const jwks = { keys: store.signingKeys.publicKeys() }
      const [erasure] = store.erasures.list(10)
      expect(erasure).toMatchObject({ identityId: late, reason: 'LOST', actor: 'operator' })
      expect(verifyDeletionReceipt(erasure?.receipt ?? '', { jwks })).toMatchObject({
        valid: true,
        receipt: { reason: 'LOST' },
      })
      expect(store.outbox.list(0, 10).map(({ state }) => state)).toEqual(['LOST'])
      const events = store.events.after(0, 1000)
      const accepted = events.find(({ type }) => type === 'identitykeys.loss_accepted')
      expect(accepted).toMatchObject({ actor: 'operator', body: { identities: 1, unsentProofs: 1 } })
      expect(events.map(({ type }) => type)).not.toContain('outbox.withdrawn')
    } finally {
      await again.close()
    }
    expect((await command('audit', 'verify', '--data', app.dataDir)).status).toBe(0)
    // It is accepted once: from now on the keys are those of the database.
    await (await restart()).close()
  })
})

test('a loss is accepted neither where nothing is lost nor while a newer copy is known', async () => {
  await app.stop()
  const reason = (): string => {
    try {
      requireLoss(app.dataDir)
      return ''
    } catch (error) {
      return error instanceof AppError ? String(error.details.reason) : String(error)
    }
  }
  expect(reason()).toMatch(/no loss to accept/)

  app = await startTestApp({ vision: scriptedVision(), dataDir: app.dataDir })
  expect((await backUp()).status).toBe(0)
  await app.stop()
  putBack(older)
  expect(reason()).toMatch(/a copy of the keys is at hand/)
  renameSync(copyIn(place('safe')), place('moved-away'))
  expect(requireLoss(app.dataDir)).toMatchObject({ lost: [late] })
})

test('a file of keys that grew apart from one copy is refused, although its generation is higher', async () => {
  await app.stop()
  const aside = mkdtempSync(join(tmpdir(), 'counterproof-grown-apart-'))
  cpSync(app.dataDir, aside, { recursive: true })
  try {
    const other = await startTestApp({ vision: scriptedVision(), dataDir: aside })
    for (let count = 0; count < 5; count++) await other.json('POST', '/v1/identities', { payload: [] })
    await other.stop()
    app = await startTestApp({ vision: scriptedVision(), dataDir: app.dataDir })
    const here = await create()
    await app.stop()
    putBack(join(aside, KEYS_FILE))
    await expect(restart()).rejects.toMatchObject({
      code: 'key_unavailable',
      details: { identities: [here] },
    })
    expect(compareKeysWithDatabase(app.dataDir)).toMatchObject({ problem: 'incomplete', lost: [here] })
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
})

test('keys of the database, however they are written when the machine stops, start it', async () => {
  const { store } = app.appliance
  const generations = () => {
    const { keysGeneration, databaseGeneration } = compareKeysWithDatabase(app.dataDir) ?? {}
    return { keysGeneration, databaseGeneration }
  }
  expect(compareKeysWithDatabase(app.dataDir)).toMatchObject({ problem: null })
  const { databaseGeneration = 0 } = generations()
  expect(generations()).toEqual({ keysGeneration: databaseGeneration, databaseGeneration })
  // A key that was made, and a transaction that never came: the file is ahead, and that is no problem.
  store.vault.create('00000000-0000-7000-8000-000000000000')
  expect(generations()).toEqual({ keysGeneration: databaseGeneration + 1, databaseGeneration })
  expect(compareKeysWithDatabase(app.dataDir)?.problem).toBeNull()
  // An erasure that began, a key that was destroyed, and no end of it.
  store.vault.destroy(late)
  expect(compareKeysWithDatabase(app.dataDir)?.problem).toBeNull()
  await app.stop()
  const again = await restart()
  try {
    expect(again.store.identities.listIds()).toEqual([early])
    expect(again.store.vault.count()).toBe(1)
  } finally {
    await again.close()
  }
  const { keysGeneration: last } = generations()
  expect(generations().databaseGeneration).toBe(last)
})

describe('backup -- restore-keys refuses, and changes nothing', () => {
  const restoreKeys = async (...argv: string[]) => {
    const before = contents()
    const told = await command('backup', 'restore-keys', '--data', app.dataDir, ...argv)
    return { ...told, changed: changedSince(before) }
  }

  test('while the keys in place fit the database', async () => {
    await backUp()
    await app.stop()
    expect(await restoreKeys('--from', copyIn(place('safe')))).toMatchObject({
      status: 1,
      text: expect.stringContaining('fit the database') as string,
      changed: [],
    })
  })

  test('a copy that is older than the database, unless told; then the start names the loss', async () => {
    await backUp()
    await create()
    await app.stop()
    rmSync(join(app.dataDir, KEYS_FILE))
    const copy = copyIn(place('safe'))
    expect(await restoreKeys('--from', copy)).toMatchObject({
      status: 1,
      text: expect.stringContaining('(identities: 1, unsent proofs: 0)') as string,
      changed: [],
    })
    expect(await restoreKeys('--from', copy, '--older-keys')).toMatchObject({ status: 0 })
    await expect(restart()).rejects.toMatchObject({ details: { identitiesLost: 1 } })
    await (await restart(true)).close()
  })

  test('a backup of data, a copy of another appliance, and a running server', async () => {
    await backUp()
    const [data = ''] = readdirSync(place('data'))
    const copy = copyIn(place('safe'))
    expect((await restoreKeys('--from', copy)).status).toBe(1)
    await app.stop()
    putBack(older)
    expect(await restoreKeys('--from', join(place('data'), data))).toMatchObject({ status: 1, changed: [] })
    const other = await startTestApp({ vision: scriptedVision() })
    mkdirSync(place('foreign'))
    const foreign = ['--keys-to', place('foreign'), '--data', other.dataDir]
    await command('backup', 'create', '--to', place('data'), ...foreign)
    expect(await restoreKeys('--from', copyIn(place('foreign')))).toMatchObject({ status: 1, changed: [] })
    await other.close()
  })
})
