/**
 * A folder that an attacker prepared and an operator names: a stick of a branch, a share for backups. Whatever lies in it,
 * no file of the appliance or the central service is overwritten, and no command waits for ever.
 */
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { backUpKeys, keysBackupName } from '../../../server/backup/create.ts'
import { importPackets } from '../../../server/central/admin/import-packets.ts'
import { enrol } from '../../../server/central/kiosks/enrol.ts'
import { main } from '../../../server/cli.ts'
import { KEK_FILE, placeKeyInFile } from '../../../server/config/kek.ts'
import { MANIFEST_FILE, MANIFEST_SIGNATURE_FILE, RECEIPTS_FILE } from '../../../server/protocol/wire.ts'
import { codeFor, startCentralService, type TestCentralService } from '../../support/central.ts'
import { collectOutput } from '../../support/output.ts'
import { openRig, type Rig } from '../sync/rig.ts'

let central: TestCentralService
let rig: Rig
let stick: string
let key: string
beforeAll(async () => {
  central = await startCentralService()
})
afterAll(() => central.stop())
beforeEach(() => {
  rig = openRig()
  placeKeyInFile(rig.dataDir, rig.kek)
  key = join(rig.dataDir, KEK_FILE)
  stick = mkdtempSync(join(tmpdir(), 'counterproof-stick-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rig.close()
  rmSync(stick, { recursive: true })
})

async function command(...argv: string[]): Promise<{ status: number; text: string }> {
  const output = collectOutput()
  try {
    const status = await main([...argv, '--data', rig.dataDir])
    return { status, text: output.text }
  } finally {
    vi.restoreAllMocks()
  }
}

const theKeyIs = (file: string, content: string) => expect(readFileSync(file, 'utf8')).toBe(content)
const inStick = (name: string): string => join(stick, name)
const makePipe = (path: string): void => void execFileSync('mkfifo', [path])

describe('a branch with no line', () => {
  let before: string
  beforeEach(async () => {
    before = readFileSync(key, 'utf8')
    const [request, answer] = ['request', 'answer'].map((name) => join(rig.dataDir, name))
    const asked = await command('sync', 'enrol-request', '--code', await codeFor(central), '--out', request)
    expect(asked.status).toBe(0)
    writeFileSync(
      answer,
      JSON.stringify(await enrol(central.context, JSON.parse(readFileSync(request, 'utf8')) as never)),
    )
    expect((await command('sync', 'enrol-complete', answer)).status).toBe(0)
  })

  test.each([MANIFEST_FILE, MANIFEST_SIGNATURE_FILE])(
    'exports nothing to a stick on which %s is a link to the master key, and says so by name',
    async (name) => {
      await rig.seal(100)
      symlinkSync(key, inStick(name))
      const { status, text } = await command('sync', 'export', '--to', stick)
      theKeyIs(key, before)
      expect(status).toBe(1)
      expect(text).toContain(`${name} (a symbolic link)`)
      expect(readdirSync(stick)).toEqual([name])
    },
  )

  test('exports nothing to a stick on which a packet would go through a link', async () => {
    const { proofId } = await rig.seal(100)
    symlinkSync(key, inStick(`${proofId}.packet`))
    expect((await command('sync', 'export', '--to', stick)).status).toBe(1)
    theKeyIs(key, before)
  })

  test.each([
    ['a named pipe', async (path: string) => makePipe(path)],
    ['a socket', (path: string) => new Promise<void>((done) => createServer().listen(path, done).unref())],
    ['a device', async (path: string) => void execFileSync('mknod', [path, 'c', '1', '5'])],
  ])('exports nothing beside %s, whatever its name', async (what, make) => {
    try {
      await make(inStick('holiday.jpg'))
    } catch {
      return // Not every user may make a device.
    }
    await rig.seal(100)
    const { status, text } = await command('sync', 'export', '--to', stick)
    expect([status, text]).toEqual([1, expect.stringContaining(`holiday.jpg (${what})`)])
    expect(readdirSync(stick)).toEqual(['holiday.jpg'])
  })

  test.each(['out', 'out/', 'out/deeper', 'out/new'])(
    'exports nothing to %s, where out is a link to the keys',
    async (to) => {
      await rig.seal(100)
      const deeper = join(rig.dataDir, 'keys', 'deeper')
      mkdirSync(deeper)
      const present = readdirSync(join(rig.dataDir, 'keys')).sort()
      symlinkSync(join(rig.dataDir, 'keys'), inStick('out'))
      const { status, text } = await command('sync', 'export', '--to', `${stick}/${to}`)
      expect([status, text]).toEqual([1, expect.stringContaining(`${inStick('out')} is a symbolic link`)])
      expect(readdirSync(join(rig.dataDir, 'keys')).sort()).toEqual(present)
      expect(readdirSync(deeper)).toEqual([])
    },
  )

  test.each([`${RECEIPTS_FILE}.new`, RECEIPTS_FILE])(
    'is not imported from a stick on which %s is a link to the key of the central service; nothing of it is taken',
    async (name) => {
      await rig.seal(100)
      expect((await command('sync', 'export', '--to', stick)).status).toBe(0)
      const centralKey = join(central.dataDir, 'keys', 'centre.key')
      const content = readFileSync(centralKey, 'utf8')
      symlinkSync(centralKey, inStick(name))
      await expect(importPackets(central.context, stick)).rejects.toMatchObject({
        code: 'file_refused',
        details: { reason: expect.stringContaining(`${name} (a symbolic link)`) as string },
      })
      theKeyIs(centralKey, content)
      rmSync(inStick(name))
      expect(await importPackets(central.context, stick)).toMatchObject({ kioskId: rig.store.applianceId })
    },
  )

  test.each([MANIFEST_FILE, MANIFEST_SIGNATURE_FILE])(
    'is not imported where %s is a pipe without a writer',
    async (name) => {
      expect((await command('sync', 'export', '--to', stick)).status).toBe(0)
      rmSync(inStick(name))
      makePipe(inStick(name))
      await expect(importPackets(central.context, stick)).rejects.toMatchObject({ code: 'file_refused' })
    },
  )

  test('is not imported where a folder has the name of the receipts: nothing is stored before they can be written', async () => {
    await rig.seal(100)
    expect((await command('sync', 'export', '--to', stick)).status).toBe(0)
    mkdirSync(inStick(RECEIPTS_FILE))
    await expect(importPackets(central.context, stick)).rejects.toMatchObject({ code: 'file_refused' })
    rmSync(inStick(RECEIPTS_FILE), { recursive: true })
    // It is judged for the first time.
    expect(await importPackets(central.context, stick)).toMatchObject({ refused: 1 })
  })

  test.each([
    ['changed', (bytes: Buffer) => bytes.fill(0, 10, 20), 'changed or is damaged'],
    ['cut', (bytes: Buffer) => bytes.subarray(0, 50), 'it has 50 bytes, and the list says'],
    ['too large', (bytes: Buffer) => Buffer.concat([bytes, bytes]), 'bytes, and the list says'],
    ['missing', () => null, 'it is not there'],
  ])('with a packet that is %s is told of by file and reason', async (_what, change, reason) => {
    await rig.seal(100)
    expect((await command('sync', 'export', '--to', stick)).status).toBe(0)
    const file = readdirSync(stick).find((name) => !name.startsWith('counterproof-')) ?? ''
    const changed = change(readFileSync(inStick(file)))
    if (changed === null) rmSync(inStick(file))
    else writeFileSync(inStick(file), changed)
    expect(await importPackets(central.context, stick)).toMatchObject({
      incomplete: 1,
      problems: [{ file, reason: expect.stringContaining(reason) as string }],
    })
  })

  test('takes no receipts through a link, and does not wait for those of a pipe', async () => {
    writeFileSync(inStick('elsewhere'), '{}')
    symlinkSync(inStick('elsewhere'), inStick(RECEIPTS_FILE))
    const linked = await command('sync', 'import-receipts', stick)
    expect([linked.status, linked.text]).toEqual([1, expect.stringContaining('a symbolic link')])
    expect(linked.text).toContain(stick)
    expect(linked.text).not.toContain('..')
    rmSync(inStick(RECEIPTS_FILE))
    makePipe(inStick(RECEIPTS_FILE))
    const piped = await command('sync', 'import-receipts', stick)
    expect([piped.status, piped.text]).toEqual([1, expect.stringContaining('a named pipe')])
  }, 20_000)

  test('continues as ever with a stick that holds other files and folders', async () => {
    await rig.seal(100)
    mkdirSync(inStick('System Volume Information'))
    writeFileSync(inStick('holiday.jpg'), 'a picture')
    expect((await command('sync', 'export', '--to', stick)).status).toBe(0)
    // It is opened and judged: the bytes of this test are no archive.
    expect(await importPackets(central.context, stick)).toMatchObject({ refused: 1, incomplete: 0 })
    const { status, text } = await command('sync', 'import-receipts', stick, '--json')
    expect([status, JSON.parse(text)]).toEqual([0, expect.objectContaining({ refused: 1, forged: 0 })])
    expect(readdirSync(stick).filter((name) => name.startsWith('.'))).toEqual([])
  })
})

describe('a folder for backups', () => {
  test('with a link at a name under which older versions began the keys file is refused; the master key stays', async () => {
    const before = readFileSync(key, 'utf8')
    const name = `${keysBackupName(rig.store.applianceId)}.part`
    symlinkSync(key, inStick(name))
    const source = { store: rig.store, dataDir: rig.dataDir, kek: rig.kek }
    await expect(backUpKeys(source, stick, new Date())).rejects.toMatchObject({
      code: 'file_refused',
      details: { reason: expect.stringContaining(`${name} (a symbolic link)`) as string },
    })
    theKeyIs(key, before)
  })

  test('that is looked through for backups does not make the command wait', async () => {
    makePipe(inStick('newest.cpbackup'))
    const listed = await command('backup', 'list', stick)
    expect([listed.status, listed.text]).toEqual([
      1,
      expect.stringContaining('newest.cpbackup (a named pipe)'),
    ])
    const verified = await command('backup', 'verify', inStick('newest.cpbackup'))
    expect([verified.status, verified.text]).toEqual([1, expect.stringContaining('it is a named pipe')])
  }, 20_000)
})

describe('a file that an operator names', () => {
  test.each([
    ['the audit log', (out: string) => ['audit', 'export', '--out', out]],
    ['a request to join', (out: string) => ['sync', 'enrol-request', '--code', '', '--out', out]],
  ])('%s is not written through a link that lies at its name', async (_, argvOf) => {
    const before = readFileSync(key, 'utf8')
    symlinkSync(key, inStick('out.json'))
    const argv = argvOf(inStick('out.json'))
    if (argv.includes('')) argv[argv.indexOf('')] = await codeFor(central)
    const { status, text } = await command(...argv)
    theKeyIs(key, before)
    expect([status, text]).toEqual([1, expect.stringContaining('out.json is a symbolic link')])
  })

  test('shares of the master key are neither written beside a link nor awaited from a pipe', async () => {
    symlinkSync(key, inStick('link'))
    const split = await command('kek', 'split', '--shares', '2', '--threshold', '2', '--out', stick)
    expect([split.status, split.text]).toEqual([1, expect.stringContaining('link (a symbolic link)')])
    expect(readdirSync(stick)).toEqual(['link'])
    makePipe(inStick('share.txt'))
    const checked = await command('kek', 'check', inStick('share.txt'))
    expect([checked.status, checked.text]).toEqual([1, expect.stringContaining('it is a named pipe')])
  }, 20_000)
})
