import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { KEK_FILE, loadKek } from '../../../server/config/kek.ts'
import { codedLines, parseShare } from '../../../server/keys/share-text.ts'
import { WRAPPED_KEK_FILE } from '../../../server/keys/wrapped-kek.ts'
import { openStore } from '../../../server/store/open.ts'
import { runCommand } from '../../support/command.ts'
import { collectOutput } from '../../support/output.ts'
import { findTokens, makeSoftToken } from '../../support/token.ts'

let folder: string
let output: ReturnType<typeof collectOutput>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kek-'))
  output = collectOutput()
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const dataDir = (name = 'data'): string => join(folder, name)
/** A data folder with a master key and a database. */
function begin(name = 'data'): Buffer {
  const kek = loadKek(loadConfig({ dataDir: dataDir(name) }))
  openStore(dataDir(name), kek).close()
  return kek
}

async function command(argv: readonly string[], data = dataDir()): Promise<{ status: number; text: string }> {
  output.text = ''
  const status = await main(['kek', ...argv, '--data', data])
  return { status, text: output.text }
}

/** The files of the shares, in order. */
async function split(shares: number, threshold: number, data = dataDir()): Promise<string[]> {
  const out = mkdtempSync(join(folder, 'shares-'))
  const argv = ['split', '--shares', String(shares), '--threshold', String(threshold), '--out', out, '--json']
  const { status, text } = await command(argv, data)
  expect({ status, text: status === 0 ? '' : text }).toEqual({ status: 0, text: '' })
  return (JSON.parse(text) as { files: string[] }).files
}

/** Leaves out SQLite's own side files, which a read creates. */
function filesOf(path: string): Record<string, string> {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/-(shm|wal)$/.test(name),
  )
  const contents = names.map((name): [string, string] => {
    const file = join(path, name)
    return [name, statSync(file).isFile() ? readFileSync(file, 'hex') : '']
  })
  return Object.fromEntries(contents)
}

const keyFile = (): string => readFileSync(join(dataDir(), KEK_FILE), 'utf8').trim()

describe('splitting the master key', () => {
  test('writes shares for their owner alone, none of which holds the key, and a line in the log with numbers only', async () => {
    const kek = begin()
    const files = await split(5, 3)
    expect(files).toHaveLength(5)
    for (const path of files) {
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(readFileSync(path, 'utf8').toLowerCase()).not.toContain(kek.toString('hex'))
    }
    const store = openStore(dataDir(), kek)
    expect(store.events.after(0, 10).at(-1)).toMatchObject({
      type: 'kek.split',
      actor: 'operator',
      body: { shares: 5, threshold: 3 },
    })
    store.close()
  })

  test.each([
    [
      'beside the key',
      ['--shares', '3', '--threshold', '2', '--out', 'IN_DATA'],
      1,
      'must not lie in the data folder',
    ],
    ['so that one is enough', ['--shares', '3', '--threshold', '1', '--out', 'OUT'], 1, 'At least 2'],
    ['so that all are not enough', ['--shares', '3', '--threshold', '4', '--out', 'OUT'], 1, 'At least 2'],
    ['without saying where', ['--shares', '3', '--threshold', '2'], 2, 'split needs'],
    ['into halves of shares', ['--shares', '2.5', '--threshold', '2', '--out', 'OUT'], 2, 'split needs'],
  ])('is refused %s', async (_, argv, status, sentence) => {
    begin()
    const places: Record<string, string> = { IN_DATA: join(dataDir(), 'shares'), OUT: join(folder, 'out') }
    const ended = await command(['split', ...argv.map((argument) => places[argument] ?? argument)])
    expect([ended.status, ended.text]).toEqual([status, expect.stringContaining(sentence)])
    for (const place of Object.values(places)) expect(existsSync(place)).toBe(false)
  })

  test('is refused where there is no key yet, and makes none', async () => {
    const argv = ['split', '--shares', '3', '--threshold', '2', '--out', join(folder, 'out')]
    expect(await command(argv)).toEqual({
      status: 1,
      text: 'There is no master key yet, keys/kek.key: the first start makes it.\n',
    })
    expect(existsSync(dataDir())).toBe(false)
  })
})

describe('restoring the master key', () => {
  test('from shares makes the very file that was lost, which opens the database again', async () => {
    const kek = begin()
    const lost = keyFile()
    const [, second, , fourth, fifth] = await split(5, 3)
    rmSync(join(dataDir(), KEK_FILE))
    expect(await command(['restore', fifth, second, fourth])).toMatchObject({ status: 0 })
    expect(keyFile()).toBe(lost)
    expect(statSync(join(dataDir(), KEK_FILE)).mode & 0o777).toBe(0o600)
    openStore(dataDir(), loadKek(loadConfig({ dataDir: dataDir() }))).close()
    expect(kek.toString('hex')).toBe(lost)
  })

  test('is noted in the log of the database that it belongs to', async () => {
    const kek = begin()
    const files = await split(3, 2)
    rmSync(join(dataDir(), KEK_FILE))
    expect((await command(['restore', ...files.slice(0, 2)])).status).toBe(0)
    const store = openStore(dataDir(), kek)
    const last = store.events.after(store.events.head().seq - 1, 1)
    store.close()
    expect(last).toMatchObject([{ type: 'kek.restored', actor: 'operator', body: {} }])
  })

  test('never overwrites a key', async () => {
    begin()
    const files = await split(2, 2)
    const before = keyFile()
    expect(await command(['restore', ...files])).toEqual({
      status: 1,
      text: 'There is a master key, keys/kek.key; it is never overwritten. See `check`.\n',
    })
    expect(keyFile()).toBe(before)
  })

  test('of another database is refused, and no key is written', async () => {
    begin()
    begin('other')
    const files = await split(2, 2, dataDir('other'))
    rmSync(join(dataDir(), KEK_FILE))
    expect(await command(['restore', ...files])).toEqual({
      status: 1,
      text: 'These shares make a master key, but not the one of this database.\n',
    })
    expect(existsSync(join(dataDir(), KEK_FILE))).toBe(false)
  })

  test('works before there is a database, on a new machine', async () => {
    begin()
    const before = keyFile()
    const [first, second] = await split(3, 2)
    rmSync(dataDir(), { recursive: true })
    expect(await command(['restore', first, second])).toMatchObject({ status: 0 })
    expect(keyFile()).toBe(before)
  })

  test('names each share that is damaged, there twice, of another set or missing', async () => {
    begin()
    const [a, b, c] = await split(3, 3)
    const [other] = await split(3, 3)
    rmSync(join(dataDir(), KEK_FILE))
    const damaged = join(folder, 'damaged.txt')
    const text = readFileSync(c, 'utf8')
    const third = codedLines(parseShare(text))[2]
    writeFileSync(
      damaged,
      text.replace(third, third.slice(0, 5) + (third[5] === 'Z' ? 'Y' : 'Z') + third.slice(6)),
    )
    const refusals: [string[], string][] = [
      [[a, b, damaged], 'damaged.txt: Line 3 holds an error.'],
      [[a, b, b], 'Share 2 is there more than once'],
      [[a, b], '3 shares are needed, and 2 are here.'],
      [[a, b, other], 'The shares are of different sets'],
      [[a, b, join(folder, 'nowhere.txt')], 'nowhere.txt: It is no file that can be read.'],
      [[a, b, join(dataDir(), 'appliance.sqlite')], 'appliance.sqlite: Line 1 is missing.'],
    ]
    for (const [files, sentence] of refusals) {
      const ended = await command(['restore', ...files])
      expect([ended.status, ended.text]).toEqual([1, expect.stringContaining(sentence)])
    }
    expect(existsSync(join(dataDir(), KEK_FILE))).toBe(false)
  })

  test('from typed shares asks again for a line that holds an error', async () => {
    begin()
    const lost = keyFile()
    const [first, second] = await split(3, 2)
    rmSync(join(dataDir(), KEK_FILE))
    const typed = [first, second].flatMap((path) => codedLines(parseShare(readFileSync(path, 'utf8'))))
    // The second line is mistyped once.
    typed.splice(
      1,
      0,
      typed[1].replace(/.$/, (last) => (last === 'X' ? 'Y' : 'X')),
    )
    const answer = (said: string): string | null => (/line \d: $/.test(said) ? (typed.shift() ?? '') : null)
    const { status, err } = await runCommand(['kek', 'restore', '--ask', '--data', dataDir()], { answer })
    expect([status, err]).toEqual([0, expect.stringContaining('Line 2 holds an error.')])
    expect(keyFile()).toBe(lost)
  })
})

describe('checking shares', () => {
  const check = async (...files: string[]) => {
    const { status, text } = await command(['check', ...files, '--json'])
    const { makesTheKey, problem, shares } = JSON.parse(text) as {
      makesTheKey: boolean
      problem: string | null
      shares: { fits: boolean | null }[]
    }
    return { status, makesTheKey, problem, fits: shares.map((share) => share.fits) }
  }

  test('says whether they make the key of this folder, and which are of another one', async () => {
    begin()
    begin('other')
    const [a, b, c] = await split(3, 2)
    const [x, y] = await split(2, 2, dataDir('other'))
    expect(await check(a, c)).toEqual({ status: 0, makesTheKey: true, problem: null, fits: [true, true] })
    expect(await check(b)).toMatchObject({
      status: 1,
      problem: '2 shares are needed, and 1 are here.',
      fits: [true],
    })
    expect(await check(x, y)).toMatchObject({
      status: 1,
      problem: 'They make another master key than that of this data folder.',
      fits: [false, false],
    })
    expect(await check(a, x)).toMatchObject({ status: 1, makesTheKey: false, fits: [true, false] })
    expect((await command(['check', a, x])).text).toContain('of ANOTHER master key')
  })

  test('compares them with the database where the key is lost, and writes nothing', async () => {
    begin()
    const [a, b] = await split(2, 2)
    rmSync(join(dataDir(), KEK_FILE))
    const before = filesOf(dataDir())
    expect(await check(a, b)).toMatchObject({ status: 0, makesTheKey: true })
    expect(filesOf(dataDir())).toEqual(before)
    rmSync(dataDir(), { recursive: true })
    expect(await check(a, b)).toMatchObject({ status: 1, makesTheKey: false })
  })

  test('the fingerprint is the one that stands on the shares', async () => {
    begin()
    const [a] = await split(2, 2)
    const { text } = await command(['fingerprint'])
    expect(parseShare(readFileSync(a, 'utf8')).fingerprint).toBe(text.trim())
  })
})

test('where the operating system keeps the key, nothing is split or restored here, and the reason is said', async () => {
  begin()
  const [a, b] = await split(2, 2)
  writeFileSync(join(dataDir(), 'config.json'), JSON.stringify({ kek: { source: 'shell' } }))
  for (const argv of [
    ['split', '--shares', '2', '--threshold', '2', '--out', join(folder, 'o')],
    ['restore', a, b],
  ]) {
    const ended = await command(argv)
    expect([ended.status, ended.text]).toEqual([
      1,
      expect.stringContaining('The operating system keeps this master key'),
    ])
  }
})

const tokens = findTokens()
test.skipIf(typeof tokens === 'string')(
  `shares outlive a token: what it guarded is restored into another one ${typeof tokens === 'string' ? tokens : ''}`,
  async () => {
    if (typeof tokens === 'string') return
    const lost = makeSoftToken(tokens)
    try {
      lost.writeConfig({ kek: { source: 'pkcs11' }, pkcs11: lost.settings })
      const kek = loadKek(loadConfig({ dataDir: lost.dataDir }))
      openStore(lost.dataDir, kek).close()
      const files = await split(3, 2, lost.dataDir)
      const found = makeSoftToken(tokens, 'new')
      try {
        rmSync(join(lost.dataDir, WRAPPED_KEK_FILE))
        lost.writeConfig({ kek: { source: 'pkcs11' }, pkcs11: found.settings })
        expect(await command(['restore', files[0], files[2]], lost.dataDir)).toMatchObject({ status: 0 })
        expect(loadKek(loadConfig({ dataDir: lost.dataDir })).equals(kek)).toBe(true)
        expect(existsSync(join(lost.dataDir, KEK_FILE))).toBe(false)
      } finally {
        found.remove()
      }
    } finally {
      lost.remove()
    }
  },
)
