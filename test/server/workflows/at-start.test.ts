/**
 * The appliance's start, before it accepts calls: checks that its log is not shorter than before, completes
 * erasures, removes files without a row, and accepts an operator's word that keys are lost.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { compactVerify, importJWK } from 'jose'
import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readAnchor, writeAnchor } from '../../../server/store/anchor.ts'
import { openStore, SCHEMA_VERSION } from '../../../server/store/open.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { PRODUCT_VERSION } from '../../../server/version.ts'
import { acceptLoss } from '../../../server/workflows/retention/accept-loss.ts'
import {
  makeCheckpoint,
  noteStart,
  wasSetBack,
  watchOver,
} from '../../../server/workflows/health/audit-log.ts'
import {
  applicationsHealth,
  warnOfApplications,
} from '../../../server/workflows/health/applications-health.ts'
import { failInterruptedSessions } from '../../../server/workflows/capture/capture-sessions.ts'
import { beginErasure } from '../../../server/workflows/retention/erase-identity.ts'
import { recoverErasures } from '../../../server/workflows/retention/recover-erasures.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { openWorkflowBench, type WorkflowBench } from '../../support/workflow-bench.ts'

let its: WorkflowBench
beforeEach(async () => {
  its = await openWorkflowBench()
})
afterEach(() => its.close())

const store = () => its.ctx.store
const dataDir = () => its.t.dataDir
const DAY_MS = 86_400_000
const levels = () => its.logged.map(([level, fields, words]) => [level, fields, words])

describe('a start', () => {
  test('is noted with the version, the schema and a hash of the configuration', () => {
    noteStart(its.ctx)
    const configurationSha256 = createHash('sha256').update(JSON.stringify(its.ctx.config)).digest('hex')
    expect(its.events('appliance.')).toEqual([
      {
        type: 'appliance.started',
        body: { version: PRODUCT_VERSION, schema: SCHEMA_VERSION, configurationSha256 },
        actor: 'appliance',
      },
    ])
    expect(wasSetBack(store())).toBe(false)
    expect(levels()).toEqual([])
  })

  test.each([
    [
      'the head beside the database is its own',
      () => writeAnchor(dataDir(), store().events.sealedHead()),
      false,
    ],
    ['nothing is beside it', () => undefined, false],
    [
      'the head beside it is not readable',
      () => writeFileSync(join(dataDir(), 'audit-head.json'), '{}'),
      false,
    ],
  ])('finds the log as old as it was when %s', (_, prepare, setBack) => {
    noteStart(its.ctx)
    prepare()
    noteStart(its.ctx)
    expect(wasSetBack(store())).toBe(setBack)
    expect(its.events('audit.set_back')).toEqual([])
  })

  test('finds an older database in the place of the log, also once it has grown again, until it has caught up', async () => {
    noteStart(its.ctx)
    const earlier = join(dataDir(), 'earlier.sqlite')
    await store().backup(earlier)
    for (let count = 0; count < 3; count++) noteStart(its.ctx)
    const { seq } = store().events.head()
    writeAnchor(dataDir(), store().events.sealedHead())
    store().close()
    for (const suffix of ['-wal', '-shm'])
      rmSync(join(dataDir(), `appliance.sqlite${suffix}`), { force: true })
    copyFileSync(earlier, join(dataDir(), 'appliance.sqlite'))
    const restored = openStore(dataDir(), its.t.kek)
    its.t.store = restored
    const ctx = { ...its.ctx, store: restored }
    noteStart(ctx)
    const setBack = () => restored.events.after(0, 100).filter(({ type }) => type === 'audit.set_back')
    expect(wasSetBack(restored)).toBe(true)
    expect(setBack()).toMatchObject([{ body: { seq: seq - 3, anchorSeq: seq }, actor: 'appliance' }])
    expect(levels()).toEqual([
      [
        'error',
        { seq: seq - 3, anchorSeq: seq },
        'the audit log is older than at the last start: the database was replaced',
      ],
    ])
    // Another row stands there now.
    while (restored.events.head().seq < seq) noteStart(ctx)
    noteStart(ctx)
    expect(wasSetBack(restored)).toBe(true)
    writeAnchor(dataDir(), restored.events.sealedHead())
    noteStart(ctx)
    expect(wasSetBack(restored)).toBe(false)
  })

  /** As created by versions without reserved names. */
  function reservedKeys(application: string, expiresAt?: Date): readonly string[] {
    const { keyIds } = store().apiKeys.createPair('tenant', 'shop', its.now(), expiresAt)
    const db = new Database(join(dataDir(), 'appliance.sqlite'))
    db.prepare(`UPDATE applications SET name = ? WHERE name = 'shop'`).run(application)
    db.close()
    return keyIds
  }

  test('warns of reserved keys and of shares with unknown applications', () => {
    const keyIds = reservedKeys('kiosk')
    const config = {
      ...its.ctx.config,
      tenant: {
        ...its.ctx.config.tenant,
        sharing: [{ application: 'test', of: ['shop'], may: 'read' as const }],
      },
    }
    warnOfApplications({ ...its.ctx, config })
    expect(levels()).toEqual([
      [
        'warn',
        { keyIds: expect.arrayContaining([...keyIds]) as string[] },
        'these API keys are of an application of the appliance itself and open nothing: revoke them with npm run keys -- revoke',
      ],
      [
        'warn',
        { applications: ['shop'] },
        'tenant.sharing names unknown applications: nothing is shared with them until npm run keys -- create creates them',
      ],
    ])
    expect(applicationsHealth({ ...its.ctx, config })).toEqual({
      status: 'DEGRADED',
      detail:
        '2 keys of reserved names, which open nothing (npm run keys -- list); 1 names of tenant.sharing that no application has',
    })
    for (const keyId of keyIds) store().apiKeys.revoke(keyId, its.now())
    expect(applicationsHealth(its.ctx)).toEqual({
      status: 'UP',
      detail: 'keys and sharing agree with the configuration',
    })
  })

  test('counts no reserved key that has expired', () => {
    reservedKeys('counter', new Date(its.now().getTime() + 1000))
    expect(applicationsHealth(its.ctx).status).toBe('DEGRADED')
    its.tick(999)
    expect(applicationsHealth(its.ctx).status).toBe('DEGRADED')
    its.tick(1)
    expect(applicationsHealth(its.ctx).status).toBe('UP')
  })

  test('ends portrait captures of the run before, and leaves those of documents open', async () => {
    const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
    const portrait = await its.workflows.openPortraitSession(its.caller, id, { mode: 'webSDK' })
    const document = await its.workflows.openDocumentSession(its.caller, id, {})
    failInterruptedSessions(its.ctx)
    expect(store().captureSessions.find(portrait.sessionId)?.state).toBe('FAILED')
    expect(store().captureSessions.find(document.sessionId)?.state).toBe('OPEN')
    expect(store().evidences.find(portrait.id)?.status).toBe('NOT_VERIFIED')
    expect(levels().slice(-1)).toEqual([
      ['warn', { sessions: 1 }, 'portrait sessions of the previous run were ended'],
    ])
    failInterruptedSessions(its.ctx)
    expect(levels()).toHaveLength(1)
  })
})

describe('the watch over the log', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())
  const look = () => void vi.advanceTimersByTime(5_000)
  /** Signing takes a moment of another thread. */
  const until = async (isDone: () => boolean) => {
    for (let count = 0; count < 3_000 && !isDone(); count++) await new Promise((done) => setTimeout(done, 10))
    expect(isDone()).toBe(true)
  }
  const checkpoints = () => store().checkpoints.list().length
  const aMoment = () => new Promise((done) => setTimeout(done, 50))

  test('makes a checkpoint if there is none, and then one each day', async () => {
    const stop = watchOver(its.ctx)
    expect(checkpoints()).toBe(0)
    look()
    await until(() => checkpoints() === 1)
    await aMoment()
    its.tick(DAY_MS - 1)
    look()
    await aMoment()
    expect(checkpoints()).toBe(1)
    its.tick(1)
    look()
    await until(() => checkpoints() === 2)
    stop()
  })

  test('notes the stop, and keeps the head of the log beside the database', async () => {
    let kept = 0
    let ticked = 0
    Object.assign(its.ctx.time, { keep: () => void kept++, tick: () => void ticked++ })
    const stop = watchOver(its.ctx)
    look()
    await until(() => store().events.readHead(readAnchor(dataDir()))?.seq === store().events.head().seq)
    await until(() => checkpoints() === 1)
    expect(ticked).toBe(1)
    stop()
    expect(its.events('appliance.stopped')).toEqual([
      { type: 'appliance.stopped', body: { version: PRODUCT_VERSION }, actor: 'appliance' },
    ])
    expect(kept).toBe(1)
    expect(store().events.readHead(readAnchor(dataDir()))?.seq).toBe(store().events.head().seq)
    look()
    expect(ticked).toBe(1)
  })

  test('continues when a look fails, and says so', async () => {
    let fails = true
    const sign = its.ctx.signer.sign.bind(its.ctx.signer)
    Object.assign(its.ctx.signer, {
      sign: (bytes: Uint8Array) => (fails ? Promise.reject(new Error('the key is away')) : sign(bytes)),
    })
    const stop = watchOver(its.ctx)
    look()
    await until(() => levels().length === 1)
    expect(levels()).toMatchObject([['error', { class: 'Error' }, 'the maintenance of the audit log failed']])
    fails = false
    await aMoment()
    look()
    await until(() => checkpoints() === 1)
    Object.assign(its.ctx.time, {
      keep: () => {
        throw new Error('the disk is full')
      },
    })
    stop()
    expect(levels().at(-1)).toMatchObject(['error', { class: 'Error' }, 'the stop could not be recorded'])
  })
})

describe('a checkpoint', () => {
  test('is signed over the head of the log, the appliance and the middle of what may be now', async () => {
    noteStart(its.ctx)
    const { seq, hash } = store().events.head()
    const [earliest, latest] = [new Date(its.now().getTime() - 1000), new Date(its.now().getTime() + 3000)]
    const time = { source: 'CENTRE', earliest, latest, uncertaintyMs: 2000, steps: 0 } as const
    const made = await makeCheckpoint(its.ctx, time, { actor: 'operator' })
    expect(made).toMatchObject({ eventSeq: seq, at: new Date(its.now().getTime() + 1000) })
    const key = await importJWK(await its.ctx.signer.publicJwk(), 'RS256')
    const { payload } = await compactVerify(made.jws, key)
    expect(JSON.parse(Buffer.from(payload).toString('utf8'))).toMatchObject({
      applianceId: store().applianceId,
      seq,
      hash,
      at: '2026-03-01T10:00:01.000',
      time: { source: 'CENTRE', uncertaintyMs: 2000 },
    })
    expect(store().checkpoints.latest()).toEqual(made)
    expect(its.events('audit.checkpointed')).toEqual([
      { type: 'audit.checkpointed', body: { seq }, actor: 'operator' },
    ])
    expect(store().events.readHead(readAnchor(dataDir()))?.seq).toBe(seq + 1)
  })
})

describe('erasures at a start', () => {
  const begin = (identityId: string) => {
    const identity = store().identities.get(APPLIANCE, identityId)
    store().transaction(() => beginErasure(its.ctx, identity, 'DELETE', 'operator'))
  }
  const recover = () => recoverErasures(its.ctx)

  test('that were cut off are carried to their end, with a receipt', async () => {
    const id = await its.anIdentity()
    begin(id)
    await recover()
    expect(store().erasures.find(APPLIANCE, id)?.erasedAt).toEqual(its.now())
    expect(store().erasures.find(APPLIANCE, id)?.receipt).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(store().vault.has(id)).toBe(false)
    expect(levels()).toEqual([['warn', { erasures: 1 }, 'interrupted erasures were continued']])
  })

  test('log nothing if there are none', async () => {
    const id = await its.anIdentity()
    await recover()
    expect(store().vault.has(id)).toBe(true)
    expect(levels()).toEqual([])
  })

  test('that fail are left to their job, and the others continue', async () => {
    const [first, second] = [await its.anIdentity(), await its.anIdentity()]
    begin(first)
    begin(second)
    const destroy = store().vault.destroy.bind(store().vault)
    Object.assign(store().vault, {
      destroy: (id: string) => {
        if (id === first) throw new Error('another process reads the file of keys')
        destroy(id)
      },
    })
    await recover()
    expect(store().erasures.find(APPLIANCE, first)?.erasedAt).toBeNull()
    expect(store().erasures.find(APPLIANCE, second)?.erasedAt).toEqual(its.now())
    expect(levels()[0]).toMatchObject([
      'error',
      { identityId: first, class: 'Error' },
      'an erasure could not be continued',
    ])
  })

  test('take up an identity that a backup has brought back after its key was destroyed', async () => {
    const id = await its.anIdentity()
    store().vault.destroy(id)
    await recover()
    expect(store().identities.find(APPLIANCE, id)).toBeNull()
    expect(store().erasures.find(APPLIANCE, id)).toMatchObject({ reason: 'RESTORED', actor: 'appliance' })
    expect(levels()[0]).toEqual([
      'warn',
      { identities: 1 },
      'a restored database held identities that were erased since',
    ])
  })

  test('never take up an identity whose key is missing without a word that it was destroyed', async () => {
    const id = await its.anIdentity()
    const { vault } = store()
    Object.assign(vault, { has: () => false, wasDestroyed: () => false })
    await expect(recover()).rejects.toMatchObject({
      code: 'key_unavailable',
      details: { identityId: id, reason: 'the key of an identity is missing' },
    })
    expect(store().erasures.find(APPLIANCE, id)).toBeNull()
  })

  test('destroy keys without an identity and warn of them', async () => {
    const stray = uuidv7()
    store().vault.create(stray)
    await recover()
    expect(store().vault.has(stray)).toBe(false)
    expect(levels()).toEqual([['warn', { keys: 1 }, 'keys without an identity were destroyed']])
  })

  test('sweep files that no row names, and leave those that a row names', async () => {
    const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
    await its.workflows.submitDocument(its.caller, id, { front: { bytes: aPassport() } })
    const [evidence] = store().evidences.list(id)
    const [image] = store().images.listByEvidence(evidence.id)
    const strayImage = { ...image, id: uuidv7() }
    store().images.put(strayImage, aPassport())
    await recover()
    expect(levels()).toEqual([['warn', { files: 1 }, 'files of an interrupted write were removed']])
    expect(store().images.read(image)).toEqual(expect.any(Uint8Array))
    expect(() => store().images.read(strayImage)).toThrow()
  })

  test('remove nothing where the keys belong to another database', async () => {
    store().vault.setOwner(uuidv7())
    const stray = uuidv7()
    store().vault.create(stray)
    await recover()
    expect(store().vault.has(stray)).toBe(true)
    expect(levels()).toEqual([
      ['error', { keys: 1 }, 'the keys belong to another database; neither keys nor files were removed'],
    ])
  })

  test('make keys that had no owner those of this appliance', async () => {
    await recover()
    expect(store().vault.owner()).toBe(store().applianceId)
  })

  test('give every identity its deadline, and look at all when the policy has changed', async () => {
    const id = await its.anIdentity()
    const due = () => store().deadlines.find('retention', id)
    const first = due()
    await recover()
    its.tick(1000)
    // Unknown until now: all are looked at.
    expect(due()).toEqual(new Date(its.now().getTime() - 1000))
    store().deadlines.set({ kind: 'retention', subjectId: id, identityId: id, dueAt: first ?? its.now() })
    await recover()
    expect(due()).toEqual(first)
    store().deadlines.clear('retention', id)
    await recover()
    expect(due()).toEqual(its.now())
  })
})

describe('an operator who accepts that keys are lost', () => {
  const keysFile = () =>
    readdirSync(join(dataDir(), 'keys')).filter((name) => name.startsWith('identity-keys.sqlite'))

  test('changes nothing where none is', async () => {
    const id = await its.anIdentity()
    acceptLoss(its.ctx)
    expect(store().identities.find(APPLIANCE, id)).not.toBeNull()
    expect(its.events('identitykeys.')).toEqual([])
    expect(levels()).toEqual([])
  })

  test('ends the identities whose key is gone, and says how many', async () => {
    const [lost, erased] = [await its.anIdentity(), await its.anIdentity()]
    await its.workflows.eraseIdentity(its.caller, erased)
    store().close()
    for (const name of keysFile()) rmSync(join(dataDir(), 'keys', name))
    expect(existsSync(join(dataDir(), 'keys', 'identity-keys.sqlite'))).toBe(false)
    its.t.store = openStore(dataDir(), its.t.kek, { anyKeys: true })
    const ctx = { ...its.ctx, store: its.t.store }
    acceptLoss(ctx)
    expect(ctx.store.erasures.find(APPLIANCE, lost)).toMatchObject({ reason: 'LOST', actor: 'operator' })
    const events = ctx.store.events.after(0, 100).filter(({ type }) => type.startsWith('identitykeys'))
    expect(events).toMatchObject([
      {
        type: 'identitykeys.loss_accepted',
        actor: 'operator',
        body: { identities: 1, unsentProofs: 0, keysGeneration: 0 },
      },
    ])
    expect(ctx.store.vault.wasDestroyed(erased)).toBe(true)
    expect(levels().at(-1)).toEqual([
      'error',
      { identities: 1, unsentProofs: 0 },
      'an operator accepted the loss of identity keys',
    ])
    await recoverErasures(ctx)
    expect(ctx.store.erasures.find(APPLIANCE, lost)?.erasedAt).toEqual(its.now())
  })

  test('never takes the keys of another appliance', async () => {
    await its.anIdentity()
    const other = await openWorkflowBench()
    await other.anIdentity()
    other.ctx.store.vault.setOwner(other.ctx.store.applianceId)
    other.ctx.store.close()
    store().close()
    for (const name of keysFile()) rmSync(join(dataDir(), 'keys', name))
    const file = join('keys', 'identity-keys.sqlite')
    copyFileSync(join(other.t.dataDir, file), join(dataDir(), file))
    its.t.store = openStore(dataDir(), its.t.kek, { anyKeys: true })
    const ctx = { ...its.ctx, store: its.t.store }
    expect(() => acceptLoss(ctx)).toThrow(expect.objectContaining({ code: 'key_unavailable' }))
    expect(ctx.store.events.after(0, 100).map(({ type }) => type)).not.toContain('identitykeys.loss_accepted')
    rmSync(other.t.dataDir, { recursive: true, force: true })
  })
})
