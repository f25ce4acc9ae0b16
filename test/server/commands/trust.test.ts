/** The command on a data folder, beside whatever runs there. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { loadKek } from '../../../server/config/kek.ts'
import { openStore } from '../../../server/store/open.ts'
import { noteBundleFault, saveBundleState } from '../../../server/trust/bundle-state.ts'
import { collectOutput } from '../../support/output.ts'
import {
  makeState,
  writeMasterList,
  writeRevocationList,
} from '../../../server/tools/simulator/chip/trust-lists.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-trust-'))
  const config = loadConfig({ dataDir: folder })
  openStore(config.dataDir, loadKek(config)).close()
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})
afterEach(() => {
  vi.restoreAllMocks()
})

async function told(...argv: string[]) {
  const output = collectOutput()
  const code = await main(['trust', ...argv, '--data', folder])
  vi.restoreAllMocks()
  return { code, text: output.text }
}

function write(name: string, bytes: Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

test('imports several files in the right order, lists, tells the state and exports', async () => {
  expect(await told('list')).toEqual({
    code: 0,
    text: 'No list is imported, so no chip can be verified: npm run trust -- import FILE\n',
  })
  expect((await told('status')).code).toBe(3)
  const utopia = makeState('UT')
  const newer = write('a.ml', writeMasterList(utopia, { signedAt: '260102120000Z' }))
  const older = write('b.ml', writeMasterList(utopia, { signedAt: '260101120000Z' }))
  const revoked = write('a.crl', writeRevocationList(utopia, '260101120000Z'))
  const root = write('z.cer', utopia.certificate)
  expect((await told('import', newer)).text).toMatch(
    /^a\.ml: refused\. The appliance has no list .* --confirmed-by NAME\.\n$/,
  )
  const imported = await told(
    'import',
    revoked,
    newer,
    older,
    root,
    '--by',
    'Ada',
    '--confirmed-by',
    'Ben',
    '--json',
  )
  expect(imported.code).toBe(0)
  const { files } = JSON.parse(imported.text) as { files: { file: string; certificates: unknown }[] }
  expect(files.map(({ file }) => file)).toEqual(['z.cer', 'b.ml', 'a.ml', 'a.crl'])
  expect(files[2]).toMatchObject({
    isNew: true,
    importedBy: 'Ada',
    confirmedBy: 'Ben',
    certificates: { listed: 1, verified: 1, read: 0, refused: 0 },
    reasons: { self_signed: 1 },
    refusedCertificates: [],
  })
  const again = await told('import', older, newer)
  expect(again.code).toBe(1)
  expect(again.text).toMatch(/^b\.ml: refused\. .*not newer.*\na\.ml: in force already, checked again: /)
  expect((await told('list')).text).toMatch(
    /in force {2}MASTER_LIST {2}UT .*by Ada and Ben {2}by hand {2}checked 20\S+Z\n/,
  )
  expect(await told('status')).toEqual({
    code: 0,
    text: 'UT: list of 2026-01-02T12:00:00.000Z, by hand, checked 0 days ago\n1 certificates in force\n',
  })
  const out = join(folder, 'out')
  expect((await told('export', '--to', out)).code).toBe(0)
  expect(
    readdirSync(out)
      .map((name) => name.replace(/[0-9a-f]{64}/, 'HASH'))
      .sort(),
  ).toEqual(['UT-HASH.cer', 'UT-HASH.crl', 'trust.json'])
  const { sources } = JSON.parse(readFileSync(join(out, 'trust.json'), 'utf8')) as {
    sources: { kind: string }[]
  }
  expect(sources.map(({ kind }) => kind).sort()).toEqual(['CERTIFICATE', 'MASTER_LIST', 'REVOCATION_LIST'])
  const exported = await told('export', '--to', out)
  expect(exported.code).toBe(2)
  expect(exported.text).toContain('it is not empty: it holds ')
})

test('names files without control characters, and a missing one in a sentence', async () => {
  const odd = await told('import', write('a\u001b[31m\n.ml', Buffer.from('none')), '--by', 'Ada')
  expect(odd.text).toMatch(/^a\?\[31m\?\.ml: refused\. The file is no CSCA master list/)
  const missing = await told('import', join(folder, 'not\u001bhere.ml'))
  expect(missing).toMatchObject({
    code: 2,
    text: expect.stringContaining('not?here.ml cannot be used (ENOENT)') as string,
  })
})

test('wrong use tells what is missing', async () => {
  expect(await told('import')).toMatchObject({
    code: 2,
    text: expect.stringContaining('at least one FILE') as string,
  })
  expect(await told('export')).toMatchObject({
    code: 2,
    text: expect.stringContaining('--to FOLDER') as string,
  })
})

test('removes a file by two people only', async () => {
  const listed = JSON.parse((await told('list', '--json')).text) as {
    files: { id: string; kind: string; replacedAt: string | null }[]
  }
  const { id } = listed.files.find((each) => each.kind === 'CERTIFICATE' && each.replacedAt === null) ?? {
    id: '',
  }
  const alone = await told('remove', id, '--by', 'Ada')
  expect(alone.code).toBe(1)
  expect(alone.text).toContain('removed by two people')
  const removed = await told('remove', id, '--by', 'Ada', '--confirmed-by', 'Ben', '--json')
  expect(removed.code).toBe(0)
  expect(JSON.parse(removed.text)).toMatchObject({
    removed: { id, removedBy: 'Ada', removalConfirmedBy: 'Ben' },
  })
  expect((await told('list')).text).toMatch(/^removed {2}CERTIFICATE/m)
})

test('list and status tell a list of the central service from one by hand, and why a bundle is not in force', async () => {
  const config = loadConfig({ dataDir: folder })
  const store = openStore(config.dataDir, loadKek(config))
  const eightDaysAgo = new Date(Date.now() - 8 * 24 * 3_600_000)
  const lists = store.trust.list().filter((each) => each.kind === 'MASTER_LIST' && each.replacedAt === null)
  store.transaction(() => {
    for (const { id } of lists) store.trust.noteChecked(id, eightDaysAgo, 3)
    const at = eightDaysAgo.getTime()
    const state = { centreId: 'centre', version: 3, sha256: 'a'.repeat(64), appliedAt: at, checkedAt: at }
    saveBundleState(store, { ...state, fault: null })
  })
  noteBundleFault(store, 'centre', { code: 'older_version', version: 2, reason: null }, new Date())
  store.close()
  expect((await told('list')).text).toMatch(
    new RegExp(
      `in force {2}MASTER_LIST {2}UT .*by the central service \\(bundle 3\\) {2}checked ${eightDaysAgo.toISOString()}\n`,
    ),
  )
  const status = await told('status')
  expect(status.code).toBe(1)
  expect(status.text).toMatch(
    /^UT: list of 2026-01-02\S+, by the central service \(bundle 3\), checked [56] working days ago: STALE\. Restore the connection/,
  )
  expect(status.text).toMatch(
    /\nBundle 2 of the central service is older than the one in force, which stays\./,
  )
  const { lists: listed, bundle } = JSON.parse((await told('status', '--json')).text) as {
    lists: object[]
    bundle: object
  }
  expect(listed).toMatchObject([
    {
      origin: 'CENTRAL_SERVICE',
      bundleVersion: 3,
      checkedAt: eightDaysAgo.toISOString(),
      isStale: true,
    },
  ])
  expect(bundle).toMatchObject({ version: 3, fault: { code: 'older_version', version: 2 } })
})
