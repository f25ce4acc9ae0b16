/**
 * A rollout from the command to the kiosks: the sync of real kiosks, two instances on one PostgreSQL. The test plays the root
 * updater at its files, because it installs packages on the machine.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runAction } from '../../server/central/admin/actions.ts'
import { SYSTEM } from '../../server/central/db/db.ts'
import { systemClock } from '../../server/clock.ts'
import { loadConfig } from '../../server/config/config.ts'
import type { Context } from '../../server/context.ts'
import { silentLog } from '../../server/log.ts'
import { startSync, type Sync } from '../../server/sync/run.ts'
import { openUpdateMachine } from '../../server/sync/update-machine.ts'
import { openTrustedTime } from '../../server/time/trusted-time.ts'
import { codeFor, openAlarms, startCentralService, type TestCentralService } from '../support/central.ts'
import { fixtureSigner } from '../support/kiosk-client.ts'
import { makeRelease, stranger, vendor } from '../support/release.ts'
import { openRig } from '../server/sync/rig.ts'
import { eventually } from '../support/webhook-receiver.ts'
import { onPostgres } from './head-office/databases.ts'
import { DEFAULT_RINGS } from '../../server/central/rollouts/rules.ts'

type Ending = 'INSTALLED' | 'ROLLED_BACK'

onPostgres('rollouts', (newDatabase) => {
  let one: TestCentralService
  let two: TestCentralService
  let keys: string
  const closers: (() => unknown)[] = []
  beforeAll(async () => {
    keys = mkdtempSync(join(tmpdir(), 'counterproof-release-keys-'))
    writeFileSync(join(keys, 'vendor.pem'), vendor.publicKey.export({ type: 'spki', format: 'pem' }))
    const databaseUrl = newDatabase()
    const config = { releaseKeys: [vendor.publicKey] }
    one = await startCentralService({ databaseUrl, config })
    two = await startCentralService({ databaseUrl, config, dataDir: one.dataDir })
  })
  afterAll(async () => {
    for (const close of closers.toReversed()) await close()
    await two?.close()
    await one?.stop()
    if (keys) rmSync(keys, { recursive: true })
  })

  const act = (name: string, input: object, by = 'ada') => runAction(one.context, name, input, by)
  const startKiosk = async (
    tenantId: string,
    ring: string,
    options: { version?: string; enabled?: boolean } = {},
  ) => {
    const { enabled = true } = options
    let { version = '1.1.0' } = options
    const rig = openRig()
    vi.spyOn(rig.store.signingKeys, 'publicKeys').mockReturnValue([
      (await fixtureSigner.publicJwk()) as never,
    ])
    const code = await codeFor(one, tenantId)
    await rig.join({ url: one.url, newCode: () => code })
    const kioskId = rig.store.applianceId
    await act('assignRing', { kioskId, ring })
    const base = loadConfig({ dataDir: rig.dataDir })
    const hour = new Date().getHours()
    const config = {
      ...base,
      sync: {
        ...base.sync,
        pollSeconds: 0.2,
        timeoutMs: 20_000,
        freeze: { ...base.sync.freeze, freeMegabytes: 0 },
      },
      updates: { enabled, hours: { from: hour, to: (hour + 2) % 24 } },
    }
    const begin = (): Sync =>
      startSync({
        ctx: {
          store: rig.store,
          config,
          clock: systemClock,
          time: openTrustedTime(systemClock, rig.store),
          log: silentLog,
          usePolicies: () => undefined,
        } as unknown as Context,
        own: config,
        health: async () => ({ database: 'UP' }),
        machine: openUpdateMachine(keys, async () => ({ version, architecture: 'amd64' })),
      })
    let sync = begin()
    const folder = join(rig.dataDir, 'updates')
    closers.push(async () => {
      await sync.close()
      rig.close()
      rmSync(`${rig.dataDir}-update`, { recursive: true, force: true })
    })
    return {
      kioskId,
      folder,
      hasRequest: () => existsSync(join(folder, 'request.json')),
      /** Carries out the request as the root updater does. */
      update: async (state: Ending) => {
        await eventually(() => existsSync(join(folder, 'request.json')), Boolean)
        const { id, sha256 } = JSON.parse(readFileSync(join(folder, 'request.json'), 'utf8')) as Record<
          string,
          string
        >
        rmSync(join(folder, 'request.json'))
        const content = readFileSync(join(folder, `${sha256}.deb`))
        expect(createHash('sha256').update(content).digest('hex')).toBe(sha256)
        await sync.close()
        const from = version
        if (state === 'INSTALLED') version = '1.2.0'
        const reason = state === 'INSTALLED' ? null : 'START_FAILED'
        const result = { id, state, reason, from, to: '1.2.0', at: new Date().toISOString() }
        mkdirSync(`${rig.dataDir}-update`, { recursive: true })
        writeFileSync(join(`${rig.dataDir}-update`, 'result.json'), JSON.stringify(result))
        sync = begin()
        await eventually(
          () => readProgress(kioskId),
          (noted) => noted === state,
        )
      },
    }
  }

  const readProgress = async (kioskId: string) => {
    const rows = await one.db.query<{ state: string }>(
      SYSTEM,
      'SELECT state FROM rollout_kiosks WHERE kiosk_id = $1',
      [kioskId],
    )
    return rows.at(-1)?.state ?? null
  }
  /** The kiosk has sent a status since now. */
  const hear = async (kioskId: string) => {
    const read = async () => {
      const [row] = await one.db.query<{ counter: number }>(
        SYSTEM,
        'SELECT status_counter AS counter FROM kiosks WHERE id = $1 AND updates IS NOT NULL',
        [kioskId],
      )
      return row?.counter ?? 0
    }
    const before = await read()
    // The second one was sent after the first was answered.
    await eventually(read, (counter) => counter > before)
    const next = await read()
    await eventually(read, (counter) => counter > next)
  }
  const judge = () => Promise.all([one.upkeep.run(), two.upkeep.run()])
  const passSoakTime = () =>
    one.db.query(
      SYSTEM,
      `UPDATE rollout_kiosks SET well_since = well_since - interval '1 hour' WHERE well_since IS NOT NULL`,
    )
  const readRollout = async (tenantId: string) => {
    const { rollouts } = (await act('listRollouts', { tenantId })) as {
      rollouts: readonly {
        rolloutId: string
        state: string
        ring: string
        waits: string | null
        rings: readonly object[]
      }[]
    }
    const [newest] = rollouts
    if (!newest) throw new Error('no rollout')
    return newest
  }
  const startRollout = (tenantId: string) =>
    act('startRollout', {
      tenantId,
      version: '1.2.0',
      soakMinutes: 30,
      reason: 'test',
    }) as Promise<{
      rolloutId: string
    }>

  test('goes to the next ring when the one before has soaked, pauses by itself at a failure, and ends when a person continues it', async () => {
    const { packageFile, releaseFile } = makeRelease()
    await act('addRelease', { packageFile, releaseFile })
    const [canary, early, last] = [
      await startKiosk('acme', 'canary'),
      await startKiosk('acme', 'early'),
      await startKiosk('acme', 'all'),
    ]
    const old = await startKiosk('acme', 'canary', { version: '0.9.0' })
    const disabled = await startKiosk('acme', 'canary', { enabled: false })
    await Promise.all([canary, early, last, old, disabled].map(({ kioskId }) => hear(kioskId)))
    await act('setRings', {
      tenantId: 'acme',
      rings: [
        { name: 'pilot', share: 0 },
        { name: 'all', share: 100 },
      ],
    })
    await expect(startRollout('acme')).rejects.toMatchObject({
      details: { reason: expect.stringContaining('the ring pilot has no kiosk') as string },
    })
    await act('setRings', { tenantId: 'acme', rings: DEFAULT_RINGS })
    const past = { tenantId: 'acme', version: '1.2.0', startsAt: '2026-01-01T00:00:00Z', reason: 'test' }
    await expect(act('startRollout', past)).rejects.toMatchObject({ code: 'validation_failed' })
    const { rolloutId } = await startRollout('acme')
    await expect(startRollout('acme')).rejects.toMatchObject({ code: 'transition_refused' })

    await canary.update('INSTALLED')
    await hear(canary.kioskId)
    await judge()
    expect(await readRollout('acme')).toMatchObject({
      state: 'RUNNING',
      ring: 'canary',
      waits: 'SOAK',
      rings: [
        { kiosks: 3, unable: 2, obstacles: ['DISABLED', 'TOO_OLD'], offered: 0, installed: 1, failed: 0 },
        { kiosks: 1 },
        { kiosks: 1 },
      ],
    })
    expect([old, disabled, early, last].map((kiosk) => kiosk.hasRequest())).toEqual([
      false,
      false,
      false,
      false,
    ])
    expect(await readProgress(old.kioskId)).toBeNull()
    expect(await readProgress(disabled.kioskId)).toBeNull()

    await passSoakTime()
    await judge()
    // Both instances have judged: the ring began once.
    expect(await readRollout('acme')).toMatchObject({ state: 'RUNNING', ring: 'early' })
    await early.update('ROLLED_BACK')
    expect(last.hasRequest()).toBe(false)
    expect(await openAlarms(one, early.kioskId)).toEqual([`UPDATE ${rolloutId}`])
    await judge()
    expect(await readRollout('acme')).toMatchObject({ state: 'PAUSED', ring: 'early' })
    const [alarm] = await one.db.query(SYSTEM, `SELECT details FROM alarms WHERE kind = 'UPDATE'`)
    expect(alarm).toEqual({
      details: { version: '1.2.0', state: 'ROLLED_BACK', reason: 'START_FAILED', ring: 2, paused: true },
    })
    await hear(last.kioskId)
    expect(last.hasRequest()).toBe(false)

    await act('resumeRollout', { rolloutId, reason: 'a broken disk' }, 'ben')
    await judge()
    expect(await readRollout('acme')).toMatchObject({ state: 'RUNNING', ring: 'all' })
    await last.update('INSTALLED')
    await hear(last.kioskId)
    await passSoakTime()
    await judge()
    expect(await readRollout('acme')).toMatchObject({ state: 'DONE' })
    expect(early.hasRequest()).toBe(false)
    const log = await one.db.query<{ operation: string; operator: string }>(
      SYSTEM,
      `SELECT operation, operator FROM access_log WHERE subject = $1 ORDER BY id`,
      [rolloutId],
    )
    expect(log).toEqual([
      { operation: 'startRollout', operator: 'ada' },
      { operation: 'resumeRollout', operator: 'ben' },
    ])
  })

  test('is refused by its kiosks if the central service sends a release that no trusted key signed', async () => {
    const forged = makeRelease({ version: '1.2.0' }, { key: stranger })
    const kiosk = await startKiosk('bank', 'canary')
    // An attacker has the central service and its database, but no release key.
    await one.db.query(SYSTEM, 'UPDATE releases SET file = $1', [readFileSync(forged.releaseFile, 'utf8')])
    const { rolloutId } = await startRollout('bank')
    await eventually(
      () => readProgress(kiosk.kioskId),
      (state) => state === 'REFUSED',
    )
    expect(existsSync(kiosk.folder)).toBe(false)
    await judge()
    expect(await readRollout('bank')).toMatchObject({ rolloutId, state: 'PAUSED' })
    const [row] = await one.db.query(SYSTEM, 'SELECT reason FROM rollout_kiosks WHERE rollout_id = $1', [
      rolloutId,
    ])
    expect(row).toEqual({ reason: 'KEY_UNKNOWN' })
  })
})
