/** Releases at the kiosk: what is downloaded, when the installation is requested, and what is refused. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../server/config/config.ts'
import { silentLog } from '../../../server/log.ts'
import { FILE_PIECE_BYTES } from '../../../server/protocol/wire.ts'
import type { Connection } from '../../../server/sync/connection.ts'
import { createReleaseUpdates, isWithinHours } from '../../../server/sync/releases.ts'
import { CentralTroubleError } from '../../../server/sync/transport.ts'
import { openUpdateMachine, type InstalledPackage } from '../../../server/sync/update-machine.ts'
import { makeRelease, stranger, vendor, type TestRelease } from '../../support/release.ts'
import { openRig, type Rig } from './rig.ts'

const ROLLOUT = '0192f3c4-0000-7000-8000-000000000001'
const INSTALLED: InstalledPackage = { version: '1.1.0', architecture: 'amd64' }
const NIGHT = new Date(2026, 10, 30, 2)

let rig: Rig
let keys: string
let now: Date
let nowMs: number
let requested: number[]
let cutAt: number | null
beforeEach(() => {
  rig = openRig()
  keys = mkdtempSync(join(tmpdir(), 'counterproof-release-keys-'))
  writeFileSync(join(keys, 'vendor.pem'), vendor.publicKey.export({ type: 'spki', format: 'pem' }))
  now = NIGHT
  nowMs = 0
  requested = []
  cutAt = null
})
afterEach(() => {
  rig.close()
  rmSync(keys, { recursive: true })
  rmSync(`${rig.dataDir}-update`, { recursive: true, force: true })
})

interface Start {
  readonly installed?: InstalledPackage | null
  readonly enabled?: boolean
  readonly freeMegabytes?: number
}

/** As after a start of the server. */
const start = ({ installed = INSTALLED, enabled = true, freeMegabytes = 1 }: Start = {}) => {
  const base = loadConfig({ dataDir: rig.dataDir })
  const config = {
    ...base,
    updates: { enabled, hours: { from: 1, to: 5 } },
    sync: { ...base.sync, freeze: { ...base.sync.freeze, freeMegabytes } },
  }
  const ctx = { config, store: rig.store, clock: { now: () => now }, log: silentLog }
  return createReleaseUpdates(
    ctx,
    openUpdateMachine(keys, async () => installed),
    () => nowMs,
  )
}
const serve = (content: Buffer): Connection =>
  ({
    client: {
      releasePiece: async (_: string, offset: number) => {
        if (offset === cutAt) throw new CentralTroubleError('line', 'not_reachable')
        requested.push(offset)
        return content.subarray(offset, offset + FILE_PIECE_BYTES)
      },
    },
  }) as unknown as Connection
const offer = (release: TestRelease) => ({
  rolloutId: ROLLOUT,
  release: readFileSync(release.releaseFile, 'utf8'),
})
const file = (name: string) => join(rig.dataDir, 'updates', name)
const files = () => (existsSync(file('.')) ? readdirSync(file('.')).sort() : [])
const finish = (result: object) => {
  mkdirSync(`${rig.dataDir}-update`, { recursive: true })
  writeFileSync(join(`${rig.dataDir}-update`, 'result.json'), JSON.stringify(result))
}

test('a release is downloaded, verified and requested once, and the result is reported', async () => {
  const release = makeRelease()
  const { sha256 } = release.manifest
  const updates = start()
  expect(await updates.report()).toEqual({ enabled: true, ...INSTALLED, result: null, problem: null })
  updates.note(offer(release))
  await updates.run(serve(release.content))
  expect(requested).toEqual([0, FILE_PIECE_BYTES, 2 * FILE_PIECE_BYTES])
  expect(files()).toEqual([`${sha256}.deb`, `${sha256}.release.json`, 'request.json'])
  expect(readFileSync(file(`${sha256}.deb`))).toEqual(release.content)
  expect(readFileSync(file(`${sha256}.release.json`), 'utf8')).toBe(offer(release).release)
  expect(JSON.parse(readFileSync(file('request.json'), 'utf8'))).toEqual({
    id: ROLLOUT,
    sha256,
    action: 'install',
  })
  // The root updater begins; the offer stays until it has ended.
  rmSync(file('request.json'))
  await updates.run(serve(release.content))
  expect((await updates.report()).problem).toBe('REQUESTED')
  const result = {
    id: ROLLOUT,
    state: 'INSTALLED',
    reason: null,
    from: '1.1.0',
    to: '1.2.0',
    at: '2026-11-30T02:00:00Z',
  }
  finish(result)
  const restarted = start({ installed: { version: '1.2.0', architecture: 'amd64' } })
  expect(await restarted.report()).toMatchObject({ version: '1.2.0', result, problem: null })
  expect(files()).toEqual([])
  restarted.note(offer(release))
  await restarted.run(serve(release.content))
  expect(files()).not.toContain('request.json')
})

test('a download continues after a cut line and a restart where it stopped', async () => {
  const release = makeRelease()
  cutAt = 2 * FILE_PIECE_BYTES
  const updates = start()
  updates.note(offer(release))
  await expect(updates.run(serve(release.content))).rejects.toThrow('not_reachable')
  expect((await updates.report()).problem).toBe('CONNECTION')
  expect(files()).toEqual([`${release.manifest.sha256}.part`])
  cutAt = null
  const restarted = start()
  restarted.note(offer(release))
  await restarted.run(serve(release.content))
  expect(requested).toEqual([0, FILE_PIECE_BYTES, 2 * FILE_PIECE_BYTES])
  expect(files()).toContain('request.json')
})

test('a package that arrives damaged is thrown away, and downloaded again after an hour', async () => {
  const release = makeRelease()
  const updates = start()
  updates.note(offer(release))
  await updates.run(serve(Buffer.alloc(release.content.length)))
  expect((await updates.report()).problem).toBe('FILE_DAMAGED')
  expect(files()).not.toContain('request.json')
  requested = []
  await updates.run(serve(release.content))
  expect(requested).toEqual([])
  nowMs += 3_600_000
  updates.note(offer(release))
  await updates.run(serve(release.content))
  expect(files()).toContain('request.json')
})

test('an installation waits for its hours, and a pause of the rollout ends it', async () => {
  const release = makeRelease()
  const updates = start()
  now = new Date(2026, 10, 30, 12)
  updates.note(offer(release))
  await updates.run(serve(release.content))
  expect((await updates.report()).problem).toBe('OUTSIDE_HOURS')
  now = NIGHT
  updates.note(null)
  await updates.run(serve(release.content))
  expect((await updates.report()).problem).toBeNull()
  updates.note(offer(release))
  // The central service has not been heard since: it may have stopped the rollout.
  nowMs += 16 * 60_000
  await updates.run(serve(release.content))
  expect(files()).not.toContain('request.json')
  updates.note(offer(release))
  await updates.run(serve(release.content))
  expect(files()).toContain('request.json')
})

test('a disk without space gets no package', async () => {
  const release = makeRelease()
  const updates = start({ freeMegabytes: 1e9 })
  updates.note(offer(release))
  await updates.run(serve(release.content))
  expect((await updates.report()).problem).toBe('NO_SPACE')
  expect(requested).toEqual([])
})

test('a kiosk whose updates are disabled says so and downloads nothing', async () => {
  const release = makeRelease()
  const updates = start({ enabled: false })
  updates.note(offer(release))
  await updates.run(serve(release.content))
  expect(await updates.report()).toMatchObject({ enabled: false })
  expect(files()).toEqual([])
})

describe('a release is refused', () => {
  test.each([
    ['KEY_UNKNOWN', () => makeRelease({}, { key: stranger }), INSTALLED],
    ['OTHER_ARCHITECTURE', () => makeRelease({ architecture: 'arm64' }), INSTALLED],
    ['NOT_NEWER', () => makeRelease({ version: '1.1.0' }), INSTALLED],
    ['FROM_TOO_OLD', () => makeRelease({ minimumFrom: '1.1.1' }), INSTALLED],
    ['NO_PACKAGE', () => makeRelease(), null],
  ] as const)('with the reason %s, which the next status reports', async (reason, make, installed) => {
    const release = make()
    const updates = start({ installed })
    updates.note(offer(release))
    expect(await updates.run(serve(release.content))).toBe(true)
    expect(requested).toEqual([])
    expect(files()).toEqual([])
    expect((await updates.report()).result).toMatchObject({ id: ROLLOUT, state: 'REFUSED', reason })
    // Another rollout is judged for itself.
    updates.note(null)
    expect((await updates.report()).result).toBeNull()
  })

  test('while others may change a release key', async () => {
    const release = makeRelease()
    writeFileSync(join(keys, 'more.pem'), 'x', { mode: 0o666 })
    chmodSync(join(keys, 'more.pem'), 0o666)
    const updates = start()
    updates.note(offer(release))
    await updates.run(serve(release.content))
    expect((await updates.report()).problem).toBe('KEYS_UNSAFE')
    expect(files()).toEqual([])
  })
})

test('a result that is no result is not reported', async () => {
  finish({ id: '../..', state: 'INSTALLED' })
  expect((await start().report()).result).toBeNull()
})

test.each([
  [{ from: 1, to: 5 }, [1, 2, 3, 4]],
  [{ from: 22, to: 2 }, [0, 1, 22, 23]],
  [{ from: 0, to: 24 }, Array.from({ length: 24 }, (_, hour) => hour)],
])('an installation may begin in the hours %j', (hours, expected) => {
  const allowed = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => isWithinHours(hour, hours))
  expect(allowed).toEqual(expected)
})

test('a package manager that gave no answer once is asked again', async () => {
  const answers: (InstalledPackage | null)[] = [null, INSTALLED]
  const machine = openUpdateMachine(keys, async () => answers.shift() ?? null)
  expect(await machine.findPackage()).toBeNull()
  expect(await machine.findPackage()).toEqual(INSTALLED)
  expect(await machine.findPackage()).toEqual(INSTALLED)
})
