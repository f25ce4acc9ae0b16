/**
 * Trust lists on their way from the command of the central service to the store of a kiosk: a real central service on a socket, a real
 * store, and answers changed by a test where it says so.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPair } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { enrol } from '../../../server/central/kiosks/enrol.ts'
import { systemClock } from '../../../server/clock.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { silentLog } from '../../../server/log.ts'
import { readStatement, signStatement, type StatementKey } from '../../../server/protocol/statements.ts'
import { openConnections, type Connection, type Connections } from '../../../server/sync/connection.ts'
import { beginEnrolment, completeEnrolment } from '../../../server/sync/enrol.ts'
import { CentralTroubleError } from '../../../server/sync/transport.ts'
import { createTrustUpdates } from '../../../server/sync/trust-bundle.ts'
import { describeBundleFault, findBundleState } from '../../../server/trust/bundle-state.ts'
import { readChipTrust } from '../../../server/trust/chip-trust.ts'
import { importTrustFile } from '../../../server/trust/import-file.ts'
import { readTrustFile } from '../../../server/trust/trust-file.ts'
import { trustHealth } from '../../../server/workflows/health/trust-health.ts'
import { codeFor, startCentralService, type TestCentralService } from '../../support/central.ts'
import { fixtureSigner } from '../../support/kiosk-client.ts'
import { collectOutput } from '../../support/output.ts'
import { openTestStore, type TestStore } from '../../support/store.ts'
import {
  makeState,
  writeMasterList,
  writeRevocationList,
} from '../../../server/tools/simulator/chip/trust-lists.ts'

const utopia = makeState('UT')
const arcadia = makeState('AC')
const LIST = writeMasterList(utopia)
const NEWER = writeMasterList(utopia, { signedAt: '260103120000Z' })
const FRIDAY = new Date('2026-02-27T12:00:00.000Z')

let central: TestCentralService
let folder: string
beforeAll(async () => {
  central = await startCentralService()
  folder = mkdtempSync(join(tmpdir(), 'counterproof-lists-'))
})
afterAll(async () => {
  await central.stop()
  rmSync(folder, { recursive: true })
})

let tenant = 0
let tenantId: string
let t: TestStore
let connections: Connections
let now: Date
beforeEach(async () => {
  tenant += 1
  tenantId = `tenant-${tenant}`
  now = FRIDAY
  t = openTestStore()
  const code = await codeFor(central, tenantId)
  const ctx = { store: t.store, clock: systemClock }
  const request = await beginEnrolment(ctx, { code, centralUrl: central.url, name: 'Branch 7' })
  // The store has no key for proofs, because making one takes a second.
  const proofKeys = { keys: [await fixtureSigner.publicJwk()] } as typeof request.proofKeys
  await completeEnrolment(ctx, await enrol(central.context, { ...request, proofKeys }))
  connections = openConnections({
    store: t.store,
    config: loadConfig({ dataDir: t.dataDir }),
    clock: systemClock,
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await connections.close()
  t.close()
})

const write = (name: string, bytes: Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}
const command = async (...argv: string[]) => {
  const output = collectOutput()
  const code = await main(['central', ...argv, '--data', central.dataDir])
  vi.restoreAllMocks()
  return { code, text: output.text }
}
const publish = (files: readonly Uint8Array[], ...more: string[]) => {
  const paths = files.map((bytes, at) => write(`${tenantId}-${at}`, bytes))
  const people = ['--by', 'Ada', '--confirmed-by', 'Ben']
  return command('trust', 'publish', ...paths, '--tenant', tenantId, ...people, ...more)
}
/** The kiosk after a start; `change` replaces parts of the conversation. */
const kiosk = (change: (connection: Connection) => Partial<Connection['client']> = () => ({})) => {
  let elapsed = 0
  const time = { statement: () => ({ source: 'SYSTEM', latest: now }) } as never
  const updates = createTrustUpdates({ store: t.store, time, log: silentLog }, () => elapsed)
  return {
    update: () => {
      const connection = connections.current()
      if (!connection) throw new Error('the kiosk has not joined')
      const client = { ...connection.client, ...change(connection) }
      return updates.run({ ...connection, client })
    },
    wait: (ms: number) => {
      elapsed += ms
    },
  }
}
const inForce = () => t.store.trust.list().filter(({ replacedAt }) => replacedAt === null)
const describeFiles = () =>
  inForce()
    .map(({ kind, country, bundleVersion }) => `${kind} ${country} ${bundleVersion ?? 'by hand'}`)
    .sort()
const bodies = (type: string) =>
  t.store.events
    .after(0, 1000)
    .filter((event) => event.type === type)
    .map(({ body }) => body)
const byHand = (bytes: Uint8Array) =>
  importTrustFile(t.store, readTrustFile(bytes), { by: 'Cleo', confirmedBy: 'Dan' }, now, {
    actor: 'operator',
  })
const days = (count: number, minutes = 0) =>
  new Date(FRIDAY.getTime() + count * 86_400_000 + minutes * 60_000)

describe('a bundle that two people published', () => {
  test('is in force on the kiosk with their names, by one event, and is confirmed from then on', async () => {
    const published = await publish([writeRevocationList(utopia, '260101120000Z'), LIST, utopia.certificate])
    expect(published).toMatchObject({ code: 0 })
    await kiosk().update()
    expect(describeFiles()).toEqual(['CERTIFICATE UT 1', 'MASTER_LIST UT 1', 'REVOCATION_LIST UT 1'])
    expect(inForce().map(({ importedBy, confirmedBy }) => [importedBy, confirmedBy])).toEqual(
      Array.from({ length: 3 }, () => ['Ada', 'Ben']),
    )
    const { sha256 } = findBundleState(t.store) ?? {}
    expect(bodies('trust.distributed')).toEqual([
      { version: 1, sha256, files: 3, added: 3, kept: 0, removed: 0 },
    ])
    expect(bodies('trust.imported')).toEqual([])
    now = days(3)
    const { update } = kiosk(({ client }) => ({
      trustBundle: async (question, signal) => {
        const answer = await client.trustBundle(question, signal)
        expect(answer).not.toHaveProperty('bundle')
        return answer
      },
    }))
    await update()
    expect(inForce().map(({ checkedAt }) => checkedAt)).toEqual([now, now, now])
    expect(bodies('trust.distributed')).toHaveLength(1)
  })

  test('replaces lists, takes out what it no longer contains, and leaves a newer list that was imported by hand', async () => {
    await publish([LIST, utopia.certificate])
    await kiosk().update()
    const newest = writeMasterList(arcadia, { signedAt: '260201120000Z' })
    byHand(newest)
    const older = writeMasterList(arcadia, { signedAt: '260102120000Z' })
    const without = await publish([NEWER, older])
    expect(without).toMatchObject({ code: 1 })
    expect(without.text).toMatch(/also contains CERTIFICATE UT .* --remove/)
    expect(await publish([NEWER, older], '--remove')).toMatchObject({ code: 0 })
    await kiosk().update()
    expect(describeFiles()).toEqual(['MASTER_LIST AC by hand', 'MASTER_LIST UT 2'])
    expect(inForce().map(({ sha256 }) => sha256)).toContain(readTrustFile(NEWER).sha256)
    expect(inForce().map(({ sha256 }) => sha256)).toContain(readTrustFile(newest).sha256)
    const removed = t.store.trust.list().filter(({ removedBy }) => removedBy !== null)
    expect(removed).toMatchObject([{ kind: 'CERTIFICATE', removedBy: 'Ada', removalConfirmedBy: 'Ben' }])
    expect(bodies('trust.distributed')[1]).toMatchObject({ version: 2, added: 1, kept: 1, removed: 1 })
  })

  test('loses more than half of the certificates, because its publishers are the two people', async () => {
    const others = ['BC', 'CC'].map((country) => makeState(country).certificate)
    await publish([writeMasterList(utopia, { certificates: [utopia.certificate, ...others] })])
    await kiosk().update()
    expect(t.store.trust.certificates()).toHaveLength(3)
    await publish([NEWER])
    await kiosk().update()
    expect(t.store.trust.certificates()).toHaveLength(1)
  })

  test('goes back to an earlier list under a higher version', async () => {
    await publish([NEWER])
    await kiosk().update()
    await publish([LIST])
    await kiosk().update()
    expect(inForce()).toMatchObject([{ sha256: readTrustFile(LIST).sha256, bundleVersion: 2 }])
  })

  test('is verified by a new key of its authority, which the same bundle brings', async () => {
    byHand(LIST)
    const next = makeState('UT')
    const rotated = writeMasterList(next, {
      certificates: [next.certificate],
      signedAt: '260201120000Z',
    })
    // The bundle needs the certificate: the kiosk would report the wrong signer.
    expect(await publish([next.certificate, rotated])).toMatchObject({ code: 0 })
    await kiosk().update()
    expect(describeFiles()).toEqual(['CERTIFICATE UT 1', 'MASTER_LIST UT 1'])
  })

  test('arrives over a line that breaks: what was received is not asked for again', async () => {
    const copies = Array.from({ length: 400 }, () => utopia.certificate)
    await publish([writeMasterList(utopia, { certificates: copies })])
    const asked: number[] = []
    const broken = new CentralTroubleError('line', 'not_reachable')
    const { update } = kiosk(({ client }) => ({
      trustPiece: async (sha256, offset, signal) => {
        asked.push(offset)
        if (asked.length === 2) throw broken
        return client.trustPiece(sha256, offset, signal)
      },
    }))
    await expect(update()).rejects.toBe(broken)
    expect(inForce()).toEqual([])
    await update()
    expect(asked.slice(0, 3)).toEqual([0, 131_072, 131_072])
    expect(describeFiles()).toEqual(['MASTER_LIST UT 1'])
  })

  test('is not signed if a file is missing, which a sentence says', async () => {
    const people = ['--by', 'Ada', '--confirmed-by', 'Ben', '--tenant', tenantId]
    const missing = await command('trust', 'publish', join(folder, 'not\u001bhere.ml'), ...people)
    expect(missing.code).toBe(2)
    expect(missing.text).toContain('not?here.ml cannot be used (ENOENT).')
  })

  test('is not signed if a file is no list, an older one of the same state, or has one publisher', async () => {
    const wrong = makeState('UT')
    expect(await publish([Buffer.from('no list')])).toMatchObject({ code: 1 })
    expect((await publish([LIST, NEWER])).text).toMatch(/Leave this one out/)
    expect((await publish([LIST, writeRevocationList(wrong, '260101120000Z')])).text).toMatch(
      /^tenant-\d+-1: No authority/,
    )
    const alone = await publish([LIST], '--confirmed-by', 'ada')
    expect(alone).toMatchObject({ code: 1 })
    expect(alone.text).toMatch(/same person/)
    expect(await command('trust', 'list', '--tenant', tenantId)).toMatchObject({ text: 'no bundles\n' })
    await publish([LIST])
    expect((await command('trust', 'list', '--tenant', tenantId)).text).toMatch(
      /version=1 .*publishedBy=Ada {2}confirmedBy=Ben .*\n {2}kind=MASTER_LIST/,
    )
  })
})

describe('a bundle that is not imported leaves the lists in force, with a fault that says what to do', () => {
  let otherKey: StatementKey
  beforeAll(async () => {
    otherKey = { kid: 'other', privateKey: (await generateKeyPair('ES256')).privateKey }
  })
  const genuineKey = () => central.context.keys.current().statementKey
  const genuineKeys = () => central.context.keys.current().trust.statementKeys.keys
  /** The answer of the central service with another check, signed by this key. */
  const withCheck =
    (change: object, key: () => StatementKey) =>
    ({ client }: Connection): Partial<Connection['client']> => ({
      trustBundle: async (question, signal) => {
        const answer = await client.trustBundle(question, signal)
        const said = await readStatement('trust-check', answer?.check ?? '', genuineKeys())
        return { ...answer, check: await signStatement('trust-check', { ...said, ...change }, key()) }
      },
    })
  const withBundle =
    (change: object, key: () => StatementKey) =>
    ({ client }: Connection): Partial<Connection['client']> => ({
      trustBundle: async (question, signal) => {
        const answer = await client.trustBundle(question, signal)
        const said = await readStatement('trust-bundle', answer?.bundle ?? '', genuineKeys())
        const bundle = await signStatement('trust-bundle', { ...said, ...change }, key())
        return { check: answer?.check ?? '', bundle }
      },
    })
  const withPiece =
    (change: (piece: Buffer) => Buffer | null) =>
    ({ client }: Connection): Partial<Connection['client']> => ({
      trustPiece: async (...asked) => {
        const piece = await client.trustPiece(...asked)
        return piece && change(piece)
      },
    })

  const CASES = [
    ['whose check another key signed', withCheck({}, () => otherKey), 'statement_refused', null],
    [
      'that answers an earlier question',
      withCheck({ nonce: 'n'.repeat(22) }, genuineKey),
      'statement_refused',
      null,
    ],
    [
      'for another kiosk',
      withCheck({ kioskId: '01890000-0000-7000-8000-000000000001' }, genuineKey),
      'statement_refused',
      null,
    ],
    ['that another key signed', withBundle({}, () => otherKey), 'statement_refused', 2],
    ['for another tenant', withBundle({ tenantId: 'other' }, genuineKey), 'statement_refused', 2],
    [
      'with other content than the check says',
      withBundle({ publishedBy: 'Eve' }, genuineKey),
      'statement_refused',
      2,
    ],
    ['older than the one in force', withCheck({ version: 0, sha256: null }, genuineKey), 'older_version', 0],
    [
      'with other content under the version in force',
      withCheck({ version: 1 }, genuineKey),
      'other_content',
      1,
    ],
    ['with a file that is cut', withPiece((piece) => piece.subarray(0, 100)), 'file_damaged', 2],
    ['with a file that ends early', withPiece(() => null), 'file_damaged', 2],
    [
      'with a file that was changed',
      withPiece((piece) => Buffer.from(piece).fill(0, 50, 51)),
      'file_damaged',
      2,
    ],
  ] as const

  test('with one of the faults of a statement, a version or a file', async () => {
    await publish([LIST])
    await kiosk().update()
    await publish([NEWER])
    const before = t.store.trust.list()
    now = days(1)
    for (const [which, change, code, version] of CASES) {
      const { update } = kiosk(change)
      for (let round = 0; round < 2; round++) await update()
      expect([which, t.store.trust.list()]).toEqual([which, before])
      const { fault } = findBundleState(t.store) ?? {}
      expect([which, fault]).toMatchObject([which, { code, version }])
      const health = trustHealth({
        store: t.store,
        time: { statement: () => ({ latest: now }) } as never,
      })
      expect([which, health.status]).toEqual([which, 'DEGRADED'])
      expect(health.detail).toContain(fault && describeBundleFault(fault))
    }
    // A fault that continues is one event.
    expect(bodies('trust.distribution_refused')).toEqual([
      { version: null, fault: 'statement_refused' },
      { version: 2, fault: 'statement_refused' },
      { version: 0, fault: 'older_version' },
      { version: 1, fault: 'other_content' },
      { version: 2, fault: 'file_damaged' },
    ])
    await kiosk().update()
    expect(findBundleState(t.store)).toMatchObject({ version: 2, fault: null })
  })

  test('with a file that the rules of import refuse: none of its files counts, and it is tried again after an hour', async () => {
    byHand(LIST)
    const rogue = makeState('UT')
    await publish([writeMasterList(arcadia), writeMasterList(rogue, { signedAt: '260201120000Z' })])
    const asked: string[] = []
    const { update, wait } = kiosk(({ client }) => ({
      trustPiece: (sha256, ...more) => {
        asked.push(sha256)
        return client.trustPiece(sha256, ...more)
      },
    }))
    await update()
    expect(describeFiles()).toEqual(['MASTER_LIST UT by hand'])
    const fault = findBundleState(t.store)?.fault
    expect(fault).toMatchObject({ code: 'file_refused', version: 1 })
    expect(fault && describeBundleFault(fault)).toMatch(
      /^Bundle 1 .* The file with the SHA-256 .*Wrong signer/,
    )
    await update()
    expect(asked).toHaveLength(2)
    wait(3_600_001)
    byHand(rogue.certificate)
    await update()
    expect(describeFiles()).toContain('MASTER_LIST UT 1')
  })

  test('because its process was killed before the commit: the store opens with the lists of before', async () => {
    byHand(LIST)
    const [newer, other] = [write('newer', NEWER), write('other', writeMasterList(arcadia))]
    const script = join(import.meta.dirname, '../../support/import-and-die.ts')
    const killed = spawnSync(process.execPath, [script, t.dataDir, t.kek.toString('hex'), newer, other])
    expect([killed.signal, killed.stderr.toString()]).toEqual(['SIGKILL', ''])
    t.reopen()
    expect(describeFiles()).toEqual(['MASTER_LIST UT by hand'])
    expect(inForce()).toMatchObject([{ sha256: readTrustFile(LIST).sha256 }])
    expect(t.store.trust.certificates()).toHaveLength(1)
    expect(findBundleState(t.store)).toBeNull()
    expect(bodies('trust.distributed')).toEqual([])
  })
})

describe('the age of the lists', () => {
  const look = (at: Date) => ({
    isOutdated: readChipTrust(t.store, ['UT'], at).isOutdated,
    status: trustHealth({ store: t.store, time: { statement: () => ({ latest: at }) } as never }).status,
  })
  const FRESH = { isOutdated: false, status: 'UP' }
  const STALE = { isOutdated: true, status: 'DEGRADED' }

  test('by the central service: three working days, without Saturday and Sunday, since the last answer', async () => {
    await publish([LIST])
    await kiosk().update()
    // Friday 12:00 to Wednesday 12:00.
    expect([look(days(5)), look(days(5, 1))]).toEqual([FRESH, STALE])
    now = days(8)
    await kiosk().update()
    // Saturday 12:00 to the end of Wednesday.
    expect([look(days(13, -720)), look(days(12, 721))]).toEqual([FRESH, STALE])
  })

  test('by hand: four weeks, and a check with the central service does not count for it', async () => {
    byHand(LIST)
    now = days(28)
    await kiosk().update()
    expect([look(days(28)), look(days(29))]).toEqual([FRESH, STALE])
    await publish([LIST])
    now = days(29)
    await kiosk().update()
    expect(describeFiles()).toEqual(['MASTER_LIST UT 1'])
    expect(look(days(29))).toEqual(FRESH)
    byHand(LIST)
    expect(describeFiles()).toEqual(['MASTER_LIST UT by hand'])
    expect(look(days(57))).toEqual(FRESH)
  })

  test('a kiosk whose store came from a backup takes the bundle again', async () => {
    await publish([LIST])
    t.store.meta.setJson('trust-bundle', null)
    await kiosk().update()
    expect(findBundleState(t.store)).toMatchObject({ version: 1, fault: null })
  })
})
