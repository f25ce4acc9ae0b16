/** The command on a data folder, beside whatever runs there. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { loadKek } from '../../../server/config/kek.ts'
import { openStore } from '../../../server/store/open.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { collectOutput } from '../../support/output.ts'

const SAMPLES = join(import.meta.dirname, '..', '..', 'fixtures', 'watchlists')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-watchlist-'))
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
  const code = await main(['watchlist', ...argv, '--data', folder])
  vi.restoreAllMocks()
  return { code, text: output.text }
}

describe('npm run watchlist', () => {
  test('update fetches the configured lists now, tells the trouble of each, and advises no option of import', async () => {
    const own = join(folder, 'source.csv')
    const persons = (count: number) =>
      ['id,name', ...Array.from({ length: count }, (_, n) => `W-${n},Stepan Velmirov`), ''].join('\n')
    writeFileSync(own, persons(8))
    const sources = [
      { name: 'own', file: own },
      { name: 'gone', file: join(folder, 'gone.csv') },
    ]
    const config = { antifraud: { watchlist: { sources } } }
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 })
    const day = new Date().toISOString().slice(0, 10)
    expect(await told('update')).toEqual({
      code: 1,
      text: `own: 8 persons, list of ${day}\ngone: not updated: its file is missing. no list\n`,
    })
    expect((await told('update', 'own')).code).toBe(0)
    writeFileSync(own, persons(2))
    expect((await told('update', 'own')).text).toBe(
      `own: not updated: 2 persons are less than half of the 8 before: the file may be cut off. 8 persons, list of ${day}\n`,
    )
    expect(await told('update', 'other')).toMatchObject({
      code: 1,
      text: expect.stringContaining('(antifraud.watchlist.sources: own, gone)') as string,
    })
    await told('remove', 'own')
    rmSync(join(folder, 'config.json'))
  })

  test('imports, lists, screens and removes, and says no name', async () => {
    expect((await told('list')).text).toBe(
      'no list is imported, so no person can be compared: npm run watchlist -- import\n',
    )
    const imported = await told(
      'import',
      join(SAMPLES, 'own-list.csv'),
      '--date',
      '2026-11-20',
      '--name',
      'Ours',
    )
    expect(imported.code).toBe(0)
    expect(imported.text).toMatch(/^ours: 2 persons, list of 2026-11-20, new\n/)
    expect(imported.text).toContain('no persons: 1')
    expect((await told('list')).text).toMatch(/^ours +2026-11-20 +2 {2}csv +[0-9a-f]{64}\n$/)

    const persons = join(folder, 'persons.csv')
    writeFileSync(
      persons,
      'id,given_names,surname,date_of_birth,countries\nP1,Stepan,Velmirov,1958-05-05,Russia\nP2,Anna,Holt,1980-01-02,\nP3,伟,张,,\n',
    )
    const { code, text } = await told('screen', '--file', persons)
    expect(code).toBe(0)
    expect(text.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['P1', 'HIT', expect.stringMatching(/^0\.9|^1/), 'ours:W-2'],
      ['P2', 'CLEAR', expect.stringMatching(/^0\./)],
      ['P3', 'UNKNOWN', '0.00'],
      [''],
    ])
    expect(text).not.toMatch(/Velmirov|Stepan|Holt|Anna/i)

    expect((await told('remove', 'ours')).text).toBe('removed\n')
    expect(await told('remove', 'ours')).toEqual({
      code: 1,
      text: 'watchlist: there is no list of this name\n',
    })
  })

  test('says it all to a machine', async () => {
    const { text } = await told('import', join(SAMPLES, 'consolidated.xml'), '--json')
    expect(JSON.parse(text)).toMatchObject({
      name: 'un-consolidated',
      date: '2026-11-12',
      entries: 2,
      before: null,
    })
    expect(JSON.parse((await told('list', '--json')).text)).toMatchObject({
      lists: [{ name: 'un-consolidated' }],
    })
    await told('remove', 'un-consolidated')
  })

  test('refuses a file that is no list with a sentence, and status 1', async () => {
    const { code, text } = await told('import', join(SAMPLES, 'README.md'))
    expect(code).toBe(1)
    expect(text).toMatch(/^watchlist: the format cannot be told/)
    expect((await told('import', join(SAMPLES, 'missing.csv'))).code).toBe(1)
    const persons = join(folder, 'nobody.csv')
    writeFileSync(persons, 'first,last\nAnna,Holt\n')
    expect(await told('screen', '--file', persons)).toMatchObject({ code: 1 })
  })

  test.each([
    [['import']],
    [['remove']],
    [['screen']],
    [['import', 'a', 'b']],
    [['import', 'a', '--format', 'pdf']],
    [['export']],
  ])('is used wrongly: %j', async (argv) => {
    expect((await told(...argv)).code).toBe(2)
  })

  test('explains itself', async () => {
    const { code, text } = await told('--help')
    expect(code).toBe(0)
    for (const word of ['sdn.csv', 'consolidated.xml', 'weak_aliases', '--force'])
      expect(text).toContain(word)
  })
})
