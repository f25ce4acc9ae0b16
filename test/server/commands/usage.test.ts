/** A mistyped command: nothing is done, the sentence gives the reason, and the status shows it to scripts. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { KEK_FILE, loadKek } from '../../../server/config/kek.ts'
import { openStore } from '../../../server/store/open.ts'
import { collectOutput } from '../../support/output.ts'

let folder: string
let output: ReturnType<typeof collectOutput>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'usage-'))
  output = collectOutput()
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const CODE = 'F1ZH-0K1W-WHV0-S2J3-E8CZ-MWVZ-AD5E-SY5B'
const ID = '01890a5d-ac96-774b-bcce-b302099a8059'

describe('status 2 and a sentence', () => {
  test.each([
    ['an option that is none', ['retention', 'list', '--wat'], '--wat'],
    ['an action that is none', ['backup', 'tidy'], "there is no action 'tidy'"],
    ['the name of something that every object has', ['retention', 'constructor'], 'constructor'],
    ['a word too many', ['sync', 'status', 'please'], 'please'],
    ['a word too many for the central service', ['central', 'start', 'now'], 'now'],
    ['an argument that is missing', ['sync', 'enrol', '--code', CODE], '--url'],
    [
      'a number that is none',
      ['central', 'enrol-code', '--tenant', 'a', '--name', 'b', '--hours', 'x'],
      '--hours',
    ],
    [
      'a right that there is not',
      ['central', 'consumers', 'create', '--tenant', 'a', '--name', 'b', '--scope', 'all'],
      'proofs:read',
    ],
    [
      'several backups for one',
      ['backup', 'restore', 'a.cpbackup', 'b.cpbackup'],
      'restore takes one FILE: name the newest',
    ],
    [
      'a login name that is too short',
      ['staff', 'create', '--login', 'q', '--name', 'Q', '--role', 'officer'],
      '--login needs 2 to 40 of',
    ],
    ['a purpose that there is not', ['central', 'keys', 'rotate', 'door'], 'statement or packet'],
    [
      'a name that is too long for the central service',
      ['sync', 'enrol', '--url', 'https://a.example', '--code', CODE, '--name', 'n'.repeat(101)],
      '--name',
    ],
  ])('%s', async (_, argv, said) => {
    openStore(folder, loadKek(loadConfig({ dataDir: folder }))).close()
    expect(await main([...argv, '--data', folder])).toBe(2)
    expect(output.text).toContain(said)
    expect(output.text).toContain('See --help.')
  })
})

describe('a data folder that was mistyped', () => {
  test.each([
    [['backup', 'create', '--to', 'backups', '--keys-to', 'keys']],
    [['audit', 'verify']],
    [['audit', 'checkpoint']],
    [['retention', 'list']],
    [['keys', 'list']],
    [['signing-keys', 'list']],
    [['sync', 'status']],
    [['retention', 'lift', ID]],
  ])('npm run %j refuses it, and makes no new appliance there', async (argv) => {
    const nowhere = join(folder, 'typo')
    expect(await main([...argv, '--data', nowhere])).toBe(1)
    expect(output.text).toContain('no database in this folder')
    expect(existsSync(nowhere)).toBe(false)
  })

  test.each([
    ['keys', 'create', ['--application', 'bank']],
    ['staff', 'create', ['--login', 'ada', '--name', 'Ada', '--role', 'administrator']],
    ['signing-keys', 'create', []],
    ['sync', 'enrol', ['--url', 'https://a.example', '--code', CODE]],
    ['sync', 'enrol-request', ['--code', CODE, '--out', 'request.json']],
  ])(
    'npm run %s -- %s names it, and makes no new appliance there without --new',
    async (name, action, argv) => {
      const nowhere = join(folder, 'typo')
      expect(await main([name, action, ...argv, '--data', nowhere])).toBe(1)
      expect(output.text).toContain(`There is no appliance in ${nowhere}`)
      expect(output.text).toContain('--new')
      expect(existsSync(nowhere)).toBe(false)
    },
  )

  test('is a new appliance where the operator says so, and --new goes with no other action', async () => {
    const first = join(folder, 'first')
    expect(await main(['keys', 'list', '--data', first, '--new'])).toBe(2)
    expect(existsSync(first)).toBe(false)
    expect(await main(['keys', 'create', '--application', 'bank', '--data', first, '--new'])).toBe(0)
    expect(await main(['keys', 'list', '--data', first])).toBe(0)
    expect(output.text).toContain('bank')
  })

  test('a backup is not restored beside a master key that was just made: the right one could not be restored after it', async () => {
    const [from, to] = [join(folder, 'from'), join(folder, 'to')]
    openStore(from, loadKek(loadConfig({ dataDir: from }))).close()
    const made = ['--to', join(folder, 'b'), '--keys-to', join(folder, 'k'), '--data', from, '--json']
    // A missing folder may be that of a disk that is not mounted.
    expect(await main(['backup', 'create', ...made])).toBe(1)
    expect(output.text).toContain('Check that the disk or share is mounted')
    for (const name of ['b', 'k']) mkdirSync(join(folder, name))
    output.text = ''
    expect(await main(['backup', 'create', ...made])).toBe(0)
    const { data, keys } = JSON.parse(output.text) as Record<'data' | 'keys', { path: string }>
    for (const action of ['verify', 'restore']) {
      output.text = ''
      expect(await main(['backup', action, data.path, '--keys', keys.path, '--data', to])).toBe(1)
      expect(output.text).toContain('npm run kek -- restore')
      expect(existsSync(join(to, KEK_FILE))).toBe(false)
    }
  })
})
