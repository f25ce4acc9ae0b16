/** The command on a data folder, beside whatever runs there. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { loadKek } from '../../../server/config/kek.ts'
import { openStore } from '../../../server/store/open.ts'
import { collectOutput } from '../../support/output.ts'
import { makeState, writeMasterList, writeRevocationList } from '../../support/trust-lists.ts'

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
  expect((await told('status')).text).toBe(
    'UT: list of 2026-01-02T12:00:00.000Z, by hand, checked 0 days ago\n1 certificates in force\n',
  )
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
  expect((await told('export', '--to', out)).code).toBe(2)
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
