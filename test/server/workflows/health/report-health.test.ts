/** The operator's report on each part, from the parts' own answers: state, words, since when. */
import { loadAddressFormats } from '../../../../server/config/address-formats.ts'
import { combineAddressRegisters } from '../../../../server/connectors/address-register/address-registers.ts'
import { combineBureaus } from '../../../../server/connectors/bureau/bureaus.ts'
import { loadIssuerParticipation } from '../../../../server/config/issuer-participation.ts'
import { combineSources } from '../../../../server/connectors/issuer/issuing-sources.ts'
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TimeStatement } from '../../../../server/clock.ts'
import { checkConfig } from '../../../../server/config/config.ts'
import { cameraHealth } from '../../../../server/connectors/camera/health.ts'
import type { Context } from '../../../../server/context.ts'
import { AppError } from '../../../../server/errors.ts'
import { noteBackup, type BackupState } from '../../../../server/store/last-backup.ts'
import type { VisionHealth, WorkerIsolation, WorkerRestarts } from '../../../../server/vision/protocol.ts'
import { healthReporter } from '../../../../server/workflows/health/report-health.ts'
import type { ChipReaders, ReadersState } from '../../../../server/chip-reader/readers.ts'
import { importTrustFile } from '../../../../server/trust/import-file.ts'
import { readTrustFile } from '../../../../server/trust/trust-file.ts'
import { makeState, writeMasterList } from '../../../../server/tools/simulator/chip/trust-lists.ts'
import { SOON } from '../../../support/soon.ts'
import { AT, openTestStore, type TestStore } from '../../../support/store.ts'

const HOUR_MS = 3_600_000
const NEVER: WorkerRestarts = { crashed: 0, hung: 0, grown: 0 }
const HEALTHY: VisionHealth = {
  packs: ['core'],
  models: [],
  capabilities: [],
  engines: { faceMatching: { id: 'scripted', version: '1', sha256: '' }, attackDetection: null },
  residentBytes: 1,
}
const SURE: TimeStatement = { source: 'SYSTEM', earliest: AT, latest: AT, uncertaintyMs: null, steps: 0 }

let t: TestStore
let now: Date
beforeEach(() => {
  t = openTestStore()
  now = AT
})
afterEach(() => t.close())

interface Parts {
  config?: object
  dataDir?: string
  health?: () => Promise<VisionHealth>
  restarts?: WorkerRestarts
  gap?: WorkerIsolation['gap']
  time?: TimeStatement
  providers?: number
  biometrics?: Context['biometrics']
  documentRegister?: Context['documentRegister']
  cameras?: () => unknown
  chipReaders?: Pick<ChipReaders, 'state'>
}

const well = () => ({ status: 'UP' as const, detail: 'well' })

function reporter(parts: Parts = {}) {
  const { gap = null, time = SURE, providers = 0 } = parts
  return healthReporter({
    store: t.store,
    config: checkConfig(parts.config ?? {}, parts.dataDir ?? t.dataDir, 'test'),
    clock: { now: () => now },
    time: { statement: () => time },
    vision: {
      health: parts.health ?? (async () => HEALTHY),
      restarts: () => parts.restarts ?? NEVER,
      isolation: () => ({ by: gap === null ? 'bubblewrap' : null, gap }),
    },
    identityProviders: { size: providers },
    operator: null,
    biometrics: parts.biometrics ?? null,
    documentRegister: parts.documentRegister ?? null,
    bureaus: combineBureaus([]),
    addressRegisters: combineAddressRegisters([], loadAddressFormats()),
    issuers: combineSources([], loadIssuerParticipation()),
    documentCamera: { health: parts.cameras ?? well },
    chipReaders: parts.chipReaders ?? null,
    carriers: { mobile: { health: well }, email: { health: well }, landline: { health: well } },
    watchlists: { lists: () => [] },
  } as unknown as Context)
}
const componentOf = async (name: string, parts?: Parts) => {
  const { components } = await reporter(parts)()
  const { status, detail } = components[name] as { status: string; detail?: string }
  return { status, ...(detail === undefined ? {} : { detail }) }
}

describe('the cameras, where no test of this machine has looked at one', () => {
  const visit = (secondsAgo: number, kind: 'STEP' | 'TRY' | 'FAULT', code: string) => {
    const at = new Date(AT.getTime() - secondsAgo * 1000)
    const id = uuidv7()
    t.store.visits.add({
      id,
      identityId: null,
      channel: 'KIOSK',
      journey: 'default/1',
      language: 'en',
      reference: null,
      step: 'document',
      startedAt: at,
      endedAt: at,
      outcome: 'STOPPED',
      helpAskedAt: null,
      helpAnswer: null,
      takenOverBy: null,
    })
    t.store.visits.note({ visitId: id, at, step: 'document', kind, code })
  }
  const standing = async (cameras?: () => unknown) =>
    (await reporter(cameras ? { cameras } : {})()).components.cameras?.standing

  test('are known to work by a picture that a visit took, not by a file, a step or a fault', async () => {
    now = AT
    visit(4, 'STEP', 'check')
    visit(3, 'TRY', 'DOCUMENT_FILE')
    visit(3, 'TRY', 'PORTRAIT_FILE')
    expect(await standing()).toBe('NOT_KNOWN')
    visit(2, 'TRY', 'DOCUMENT')
    expect(await standing()).toBeUndefined()
    visit(1, 'FAULT', 'CAMERA_ABSENT')
    expect(await componentOf('cameras')).toMatchObject({ status: 'DEGRADED' })
    visit(0.5, 'TRY', 'PORTRAIT')
    expect(await componentOf('cameras')).toMatchObject({ status: 'UP' })
  })

  test('are not known to work where none is plugged in, whatever a visit of the last day did', async () => {
    visit(2, 'TRY', 'DOCUMENT')
    const unplugged = { wish: null, facePin: undefined, present: [], lastFault: null, lastTest: null }
    expect(await standing(() => cameraHealth(unplugged))).toBe('NOT_KNOWN')
  })
})

describe('the whole', () => {
  test('is as well as the part that is worst', async () => {
    // A disk of a busy machine may take longer than the report waits for it: asked again, it answers.
    const statusOf = (parts?: Parts) => expect.poll(async () => (await reporter(parts)()).status, SOON)
    await statusOf().toBe('UP')
    await statusOf({ gap: 'NOT_INSTALLED' }).toBe('DEGRADED')
    await statusOf({ gap: 'NOT_INSTALLED', cameras: () => ({ status: 'DOWN' }) }).toBe('DOWN')
  })

  test('has each part’s state since it changed, not since it was asked', async () => {
    let status = 'UP'
    const report = reporter({ cameras: () => ({ status, detail: 'one' }) })
    await report()
    now = new Date(AT.getTime() + HOUR_MS)
    expect((await report()).components.cameras).toMatchObject({
      status: 'UP',
      since: '2026-03-01T10:00:00.000',
      detail: 'one',
    })
    status = 'DEGRADED'
    expect((await report()).components.cameras).toMatchObject({ status, since: '2026-03-01T11:00:00.000' })
  })

  test('waits for no part longer than a second, and is there when one cannot be looked at', async () => {
    const silent = await componentOf('cameras', { cameras: () => new Promise(() => undefined) })
    expect(silent).toEqual({ status: 'DOWN', detail: 'no answer' })
    const broken = await componentOf('cameras', {
      cameras: () => {
        throw new Error('not shown')
      },
    })
    expect(broken).toEqual({ status: 'DOWN', detail: 'cannot be looked at' })
  })
})

test('the trust store is degraded if a master list was not checked for four weeks', async () => {
  const list = readTrustFile(writeMasterList(makeState('UT')))
  importTrustFile(t.store, list, { by: 'Ada', confirmedBy: 'Ben' }, AT, { actor: 'operator' })
  expect(await componentOf('trust')).toEqual({ status: 'UP', detail: 'UT checked 0 days ago' })
  const latest = new Date(AT.getTime() + 29 * 24 * HOUR_MS)
  expect(await componentOf('trust', { time: { ...SURE, latest } })).toEqual({
    status: 'DEGRADED',
    detail: 'UT checked 29 days ago; more than 28 days',
  })
})

test.each([
  [{ kind: 'unavailable', fault: 'no_daemon' }, 'DEGRADED', 'pcscd does not run'],
  [{ kind: 'unavailable', fault: 'process_ended' }, 'DEGRADED', 'the process of the readers is starting'],
  [{ kind: 'ready', readers: [] }, 'DEGRADED', 'no reader is connected'],
  [
    { kind: 'ready', readers: [{ name: 'ACS 00 00', isChosen: false, card: null, events: 0 }] },
    'DEGRADED',
    'no reader is connected',
  ],
  [
    { kind: 'ready', readers: [{ name: 'ACS 00 00', isChosen: true, card: null, events: 0 }] },
    'UP',
    'readers: 1',
  ],
] as const)('the readers of chips that tell %j are %s', async (state, status, detail) => {
  const chipReaders = { state: async (): Promise<ReadersState> => state }
  expect(await componentOf('readers', { chipReaders })).toEqual({ status, detail })
})

describe('what is not configured', () => {
  test.each([
    ['biometrics', 'not configured'],
    ['documentStatus', 'not configured'],
    ['fraudRegister', 'not configured'],
    ['oidc', 'not configured'],
    ['readers', 'not configured'],
    ['trust', 'not configured: no master list is imported'],
    ['backup', 'not made by the appliance itself'],
  ])('%s is no fault', async (name, detail) => {
    expect(await componentOf(name)).toEqual({ status: 'UP', detail })
  })

  test('is asked where it is configured', async () => {
    const health = async () => ({ status: 'DEGRADED' as const, detail: 'slow' })
    const connector = { health } as never
    expect(await componentOf('biometrics', { biometrics: connector })).toEqual(await health())
    expect(await componentOf('documentStatus', { documentRegister: connector })).toEqual(await health())
    expect(await componentOf('oidc', { providers: 2 })).toEqual({
      status: 'UP',
      detail: '2 configured; called only when an applicant signs in',
    })
  })

  test('is the register outside where a list was imported, which is named with its day', async () => {
    t.store.documentRegisters.replace(
      { name: 'lost', sha256: 'a'.repeat(64), date: '2026-02-27', coversDeaths: false, importedAt: AT },
      [],
    )
    expect(await componentOf('documentStatus')).toEqual({
      status: 'UP',
      detail: 'a list in the appliance, as of 2026-02-27',
    })
  })
})

describe('a backup that the appliance makes by itself', () => {
  const config = { backup: { folder: '/mnt/data', keysFolder: '/mnt/keys', everyHours: 24 } }
  const after = async (ageHours: number, state: Partial<BackupState> = {}) => {
    noteBackup(t.store.meta, { at: now.getTime() - ageHours * HOUR_MS, outcome: 'whole', ...state })
    return componentOf('backup', { config })
  }

  test('is no fault before the first one, and on time until two of them are missing', async () => {
    expect(await componentOf('backup', { config })).toEqual({
      status: 'UP',
      detail: 'the first one is still to come',
    })
    expect(await after(47.9)).toEqual({ status: 'UP', detail: 'the last one 47 h ago' })
    expect(await after(48)).toEqual({ status: 'UP', detail: 'the last one 48 h ago' })
    expect(await after(48.1)).toEqual({ status: 'DEGRADED', detail: 'the last one 48 h ago' })
  })

  test('that failed says why, as far as it is known', async () => {
    expect(await after(1, { outcome: 'failed' })).toEqual({
      status: 'DEGRADED',
      detail: 'the last one failed',
    })
    expect(await after(1, { outcome: 'failed', reason: 'backup.to ENOSPC' })).toEqual({
      status: 'DEGRADED',
      detail: 'the last one failed: backup.to ENOSPC',
    })
  })
})

describe('the disk', () => {
  const disk = (dataDir?: string) =>
    expect.poll(() => componentOf('disk', dataDir === undefined ? {} : { dataDir }), SOON)

  test('is told in megabytes that the appliance may use', async () => {
    const { bavail, bsize } = statfsSync(t.dataDir)
    const status = bavail * bsize < 1e9 ? 'DEGRADED' : 'UP'
    await disk().toMatchObject({ status, detail: expect.stringMatching(/^\d+ MB free$/) as string })
    const { detail = '' } = await componentOf('disk')
    const free = Number(/^\d+/.exec(detail)?.[0] ?? (bavail * bsize) / 1e6)
    expect(Math.abs(free - (bavail * bsize) / 1e6)).toBeLessThan(2000)
  })

  test('without room is a fault, and one that cannot be looked at is down', async () => {
    // The file system of the processes has no room at all.
    await disk('/proc').toEqual({ status: 'DEGRADED', detail: '0 MB free' })
    await disk(join(t.dataDir, 'gone')).toEqual({ status: 'DOWN', detail: 'cannot be looked at' })
  })
})

describe('the vision worker', () => {
  const capability = (state: string, over: object = {}) =>
    ({ name: 'face', state, models: ['a', 'b'], refused: [], ...over }) as VisionHealth['capabilities'][0]
  const model = { id: 'm', version: '1', sha256: '0'.repeat(64), role: 'face' }

  test('tells its packs, its models and how often it was restarted', async () => {
    const health = async () => ({ ...HEALTHY, packs: ['core', 'extended'] as const, models: [model, model] })
    expect(await componentOf('vision', { health })).toEqual({
      status: 'UP',
      detail: 'packs core and extended, 2 models; worker never restarted',
    })
    expect(await componentOf('vision', { health, restarts: { crashed: 1, hung: 2, grown: 4 } })).toEqual({
      status: 'UP',
      detail: 'packs core and extended, 2 models; worker restarted 7x (1 crashed, 2 hung, 4 too large)',
    })
  })

  test('that refuses is down, and with it what it could do is no longer told', async () => {
    let answer = async () => ({ ...HEALTHY, capabilities: [capability('UP')] })
    const report = reporter({ health: () => answer(), restarts: { ...NEVER, crashed: 1 } })
    expect((await report()).components['vision-face']).toMatchObject({ status: 'UP', detail: 'models a, b' })
    answer = () => Promise.reject(new AppError('vision_unavailable'))
    const { components } = await report()
    expect(components.vision).toMatchObject({
      status: 'DOWN',
      detail:
        'the vision worker does not answer; it is being restarted; worker restarted 1x (1 crashed, 0 hung, 0 too large)',
    })
    expect(components).not.toHaveProperty('vision-face')
  })

  test('names the files of an ability that are not the ones that were pinned', async () => {
    const health = async () => ({
      ...HEALTHY,
      capabilities: [
        capability('DOWN', { refused: ['x', 'y'] }),
        capability('NOT_INSTALLED', { name: 'pad', models: [] }),
      ],
    })
    const { status, components } = await reporter({ health })()
    expect(status).toBe('DOWN')
    expect(components['vision-face']).toMatchObject({
      status: 'DOWN',
      detail: 'refused, because the file is not the one that was pinned: x, y',
    })
    expect(components['vision-pad']).toMatchObject({ status: 'UP', detail: 'not installed' })
  })

  test('may be busy for fifteen seconds; it is asked again once it has answered', async () => {
    let questions = 0
    let answer = (_: VisionHealth): void => undefined
    const report = reporter({
      health: () => {
        questions++
        return new Promise((resolve) => (answer = resolve))
      },
    })
    const vision = async () => (await report()).components.vision
    const busy = { status: 'UP', detail: 'has not answered yet: it may be busy with a measurement' }
    expect(await vision()).toMatchObject(busy)
    now = new Date(AT.getTime() + 14_999)
    expect(await vision()).toMatchObject(busy)
    now = new Date(AT.getTime() + 15_000)
    expect(await vision()).toMatchObject({
      status: 'DEGRADED',
      detail: 'has not answered for longer than a measurement takes',
    })
    expect(questions).toBe(1)
    answer(HEALTHY)
    await new Promise((resolve) => setImmediate(resolve))
    expect(await vision()).toMatchObject(busy)
    expect(questions).toBe(2)
    answer(HEALTHY)
  })
})

test.each([
  [null, 'UP', 'bubblewrap: no network, no data folder, system-call filter'],
  ['OFF', 'UP', 'switched off by vision.sandbox: a decoder can reach all that the server can'],
  ['NOT_SUPPORTED', 'DEGRADED', 'not available on this system'],
  ['NOT_INSTALLED', 'DEGRADED', 'not available: install bubblewrap'],
  [
    'REFUSED',
    'DEGRADED',
    'not available: bubblewrap is installed, and the system lets it make no namespaces; see the log',
  ],
] as const)('a sandbox with the gap %s is %s', async (gap, status, detail) => {
  expect(await componentOf('sandbox', { gap })).toEqual({ status, detail })
})

describe('the clock', () => {
  const later = new Date(AT.getTime() + HOUR_MS)
  test.each([
    [SURE, 'UP', 'the clock of the machine alone, not compared with a trusted source'],
    [
      { ...SURE, source: 'CENTRE', uncertaintyMs: 40 },
      'UP',
      'confirmed by the central service to within 40 ms',
    ],
    [
      { ...SURE, source: 'UNSURE', latest: later },
      'DEGRADED',
      'in doubt: the clock of the machine was set, or is behind what it has shown before, from 2026-03-01T10:00:00.000 to 2026-03-01T11:00:00.000',
    ],
  ] as const)('is told with how well it is known (%#)', async (time, status, words) => {
    expect(await componentOf('clock', { time })).toEqual({
      status,
      detail: `2026-03-01T10:00:00.000 UTC, ${words}`,
    })
  })
})

describe('the audit log', () => {
  const note = (count: number) => {
    for (let index = 0; index < count; index++)
      t.store.events.append('appliance.stopped', null, { version: '1.0.0' }, AT)
  }

  test('is told with its end and its last checkpoint', async () => {
    note(2)
    expect(await componentOf('audit')).toEqual({
      status: 'UP',
      detail: 'ends at event 2, no checkpoint yet',
    })
    t.store.checkpoints.add({ eventSeq: 2, jws: 'a.b.c', at: AT })
    expect(await componentOf('audit')).toEqual({
      status: 'UP',
      detail: 'ends at event 2, last checkpoint 2026-03-01T10:00:00.000 UTC',
    })
  })

  test('that was behind what it had reached is degraded, and one that was changed is down', async () => {
    note(3)
    t.store.meta.setJson('audit-set-back', true)
    expect(await componentOf('audit')).toEqual({
      status: 'DEGRADED',
      detail: 'ends at event 3, no checkpoint yet; at start it was older than it had been',
    })
    const db = new Database(join(t.dataDir, 'appliance.sqlite'))
    db.prepare(`UPDATE events SET body = '{"version":"2.0.0"}' WHERE seq = 2`).run()
    db.close()
    expect(await componentOf('audit')).toEqual({
      status: 'DOWN',
      detail: 'ends at event 3, no checkpoint yet; at start event 2 was changed',
    })
  })
})

test('jobs that failed wait for a person', async () => {
  const { id } = t.addIdentity()
  t.store.transaction(() => t.store.jobs.add('run-fraud-checks', id, {}, AT))
  expect(await componentOf('jobs')).toEqual({ status: 'UP', detail: '1 open, 0 parked' })
  const job = t.store.jobs.claim(AT)
  if (!job) throw new Error('no job')
  t.store.transaction(() => t.store.jobs.fail(job, AT, 'internal'))
  expect(await componentOf('jobs')).toEqual({ status: 'DEGRADED', detail: '0 open, 1 parked' })
})

test('the database is well when it answers', async () => {
  expect(await componentOf('database')).toEqual({ status: 'UP' })
  const broken = (): never => {
    throw new Error('disk I/O error')
  }
  t.store.ping = broken
  t.store.jobs.failed = broken
  const { components } = await reporter()()
  expect(components.database).toMatchObject({ status: 'DOWN', detail: 'cannot be looked at' })
  expect(components.jobs).toMatchObject({ status: 'DOWN', detail: 'cannot be looked at' })
})
