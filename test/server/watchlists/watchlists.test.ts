/** Lists in a real store: imported whole or not at all, searched in memory, read again after another process imported. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ScreenedPerson } from '../../../server/proofing/antifraud/watchlist.ts'
import type { ListedPerson } from '../../../server/proofing/watchlist/listed.ts'
import { readyToBeFound, prepareSought, scoreMatch } from '../../../server/proofing/watchlist/score.ts'
import { openStore } from '../../../server/store/open.ts'
import {
  drawEntry,
  DISTORTIONS,
  presentListed,
  presentOther,
} from '../../../server/tools/bench/watchlist/people.ts'
import { seeded } from '../../../server/tools/bench/crash/random.ts'
import { importList, removeList, type ImportOptions } from '../../../server/watchlists/import-list.ts'
import { loadMatchLimits } from '../../../server/watchlists/limits.ts'
import { ListRefused } from '../../../server/watchlists/parsed-list.ts'
import { ScreeningIndex } from '../../../server/watchlists/screening-index.ts'
import { openWatchlists } from '../../../server/watchlists/watchlists.ts'
import { openTestStore, type TestStore } from '../../support/store.ts'

const SAMPLES = join(import.meta.dirname, '..', '..', 'fixtures', 'watchlists')
const NOW = new Date('2026-11-21T12:00:00Z')
const LIMITS = loadMatchLimits()

let t: TestStore
let folder: string
beforeEach(() => {
  t = openTestStore()
  folder = mkdtempSync(join(tmpdir(), 'counterproof-lists-'))
})
afterEach(() => {
  t.close()
  rmSync(folder, { recursive: true })
})

const taking = (options: Partial<ImportOptions> & { file: string }) =>
  importList(t.store, { format: 'auto', force: false, ...options }, NOW, { actor: 'operator' })
const takingSample = (file: string, options: Partial<ImportOptions> = {}) =>
  taking({ file: join(SAMPLES, file), ...options })
const takingRows = (rows: readonly string[], options: Partial<ImportOptions> = {}) => {
  const file = join(folder, 'own.csv')
  writeFileSync(file, ['id,name,date_of_birth,countries', ...rows, ''].join('\n'))
  return taking({ file, date: '2026-11-20', ...options })
}
const refusal = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ListRefused)
  return (error as ListRefused).message
}
const asked = (over: Partial<ScreenedPerson> = {}): ScreenedPerson => ({
  givenNames: ['Stepan'],
  surname: 'Velmirov',
  fullname: null,
  dateOfBirth: null,
  countries: [],
  documentNumbers: [],
  ...over,
})
const eventTypes = () => t.store.events.after(0, 1000).map(({ type }) => type)

describe('a list is taken in', () => {
  test('with its day, its hash, the number of its persons and an event of the import', async () => {
    const { list, leftOut, before } = await takingSample('consolidated.xml')
    expect(list).toMatchObject({ name: 'un-consolidated', date: '2026-11-12', entries: 2, format: 'un-xml' })
    expect([leftOut, before]).toEqual([1, null])
    expect(t.store.watchlists.list()).toEqual([{ ...list, importedAt: NOW }])
    const event = t.store.events.after(0, 1000).at(-1)
    expect(event).toMatchObject({
      type: 'watchlist.imported',
      actor: 'operator',
      body: { listId: list.id, sha256: list.sha256, entries: 2 },
    })
  })

  test('in place of the one of its name, and of no other', async () => {
    await takingSample('consolidated.xml')
    await takingRows(['1,Anna Holt,,', '2,Berta Holt,,'], { name: 'Own' })
    const { before } = await takingRows(['1,Carla Holt,,', '2,Dora Holt,,', '3,Emma Holt,,'], { name: 'own' })
    expect(before).toBe(2)
    expect(t.store.watchlists.list().map(({ name, entries }) => [name, entries])).toEqual([
      ['own', 3],
      ['un-consolidated', 2],
    ])
    const { id } = t.store.watchlists.list()[0]
    expect(t.store.watchlists.persons(id, 0, 100).map(({ names }) => names[0].text)).toEqual([
      'Carla Holt',
      'Dora Holt',
      'Emma Holt',
    ])
    expect(t.store.watchlists.persons(id, 1, 1).map((person) => person.id)).toEqual(['2'])
  })

  test('under the name of its file, where nothing else is said', async () => {
    expect((await takingRows(['1,Anna Holt,,'])).list.name).toBe('own')
    expect((await takingSample('sdn.csv', { date: '2026-11-03' })).list.name).toBe('ofac-sdn')
    expect(await refusal(takingRows(['1,Anna Holt,,'], { name: 'two words' }))).toMatch(/--name/)
    expect(await refusal(takingRows(['1,Anna Holt,,'], { name: 'a'.repeat(41) }))).toMatch(/--name/)
  })

  test('and persons whose names no table can write are counted', async () => {
    expect((await takingRows(['1,张伟,,', '2,Anna Holt,,'])).unwritable).toBe(1)
  })

  test.each<[string, Partial<ImportOptions>, RegExp]>([
    ['no day', { date: undefined }, /does not say of which day it is/],
    ['a day that is none', { date: '2026-02-30' }, /yyyy-MM-dd/],
    ['a month', { date: '2026-11' }, /yyyy-MM-dd/],
    ['a day to come', { date: '2026-11-23' }, /still to come/],
  ])('but not with %s', async (_, options, expected) => {
    expect(await refusal(takingRows(['1,Anna Holt,,'], options))).toMatch(expected)
    expect(t.store.watchlists.list()).toEqual([])
  })

  test('but not with another day than the file says; a day ahead of here is fine', async () => {
    expect(await refusal(takingSample('consolidated.xml', { date: '2026-11-11' }))).toMatch(/of 2026-11-12/)
    await takingSample('consolidated.xml', { date: '2026-11-12' })
    await takingRows(['1,Anna Holt,,'], { date: '2026-11-22' })
  })
})

describe('what is refused leaves everything as it was', () => {
  const people = (count: number) =>
    Array.from({ length: count }, (_, i) => `${i},Anna Holt${'abcdefghij'[i]},,`)

  test('a damaged file', async () => {
    await takingRows(people(3))
    const before = [t.store.watchlists.list(), t.store.watchlists.version(), eventTypes()]
    expect(await refusal(takingRows([...people(2), '9,"Berta']))).toMatch(/quoted field/)
    const { id } = t.store.watchlists.list()[0]
    expect([t.store.watchlists.list(), t.store.watchlists.version(), eventTypes()]).toEqual(before)
    expect(t.store.watchlists.persons(id, 0, 10)).toHaveLength(3)
  })

  test('a list that lost more than half, unless it is forced', async () => {
    await takingRows(people(5))
    expect(await refusal(takingRows(people(2)))).toMatch(/2 persons are less than half of the 5/)
    await takingRows(people(3))
    expect((await takingRows(people(1), { force: true })).list.entries).toBe(1)
  })

  test('a list that is older, unless it is forced', async () => {
    await takingRows(people(2))
    expect(await refusal(takingRows(people(2), { date: '2026-11-19' }))).toMatch(/older than the present one/)
    await takingRows(people(2), { date: '2026-11-19', force: true })
    expect(t.store.watchlists.find('own')?.date).toBe('2026-11-19')
  })

  test('a list that the disk does not take', async () => {
    await takingRows(people(3))
    const whole = t.store.watchlists.persons(t.store.watchlists.list()[0].id, 0, 10)
    expect(() =>
      t.store.transaction(() => {
        const [list] = t.store.watchlists.list()
        t.store.watchlists.replace({ ...list, id: 'another' }, whole.slice(1))
        throw new TypeError('the power went')
      }),
    ).toThrow('the power went')
    expect(t.store.watchlists.persons(t.store.watchlists.list()[0].id, 0, 10)).toEqual(whole)
  })
})

test('a list is removed with its persons, and an event', async () => {
  const { list } = await takingRows(['1,Anna Holt,,'])
  expect(removeList(t.store, 'own', NOW, { actor: 'operator' })).toBe(true)
  expect(removeList(t.store, 'own', NOW)).toBe(false)
  expect(t.store.watchlists.list()).toEqual([])
  expect(t.store.watchlists.persons(list.id, 0, 10)).toEqual([])
  expect(eventTypes().at(-1)).toBe('watchlist.removed')
})

describe('a person is screened', () => {
  test('against nothing: unknown', async () => {
    expect(await openWatchlists(t.store).screen(asked())).toEqual({
      outcome: 'UNKNOWN',
      score: null,
      threshold: LIMITS.possible,
      lists: [],
      entries: [],
    })
  })

  test('against every list, each told with its day and hash, entries by list and published id', async () => {
    const { list: un } = await takingSample('consolidated.xml')
    const { list: own } = await takingSample('own-list.csv', { date: '2026-11-20' })
    const found = await openWatchlists(t.store).screen(
      asked({
        givenNames: ['Omar', 'Tarwan'],
        surname: 'Abu Zahri',
        dateOfBirth: '1960-03-12',
        countries: ['IRQ'],
      }),
    )
    expect(found).toEqual({
      outcome: 'HIT',
      score: 1,
      threshold: LIMITS.possible,
      lists: [own, un].map(({ name, date, sha256 }) => ({ name, date, confirmedOn: null, sha256 })),
      // Equal scores are sorted by id.
      entries: ['own-list:W-1', 'un-consolidated:QDi.901'],
    })
  })

  test('and is clear, possible or unknown', async () => {
    await takingSample('own-list.csv', { date: '2026-11-20' })
    const watchlists = openWatchlists(t.store)
    const screen = (person: ScreenedPerson) => watchlists.screen(person)
    expect(await screen(asked({ surname: 'Kulagin' }))).toMatchObject({ outcome: 'CLEAR', entries: [] })
    expect(await screen(asked())).toMatchObject({ outcome: 'POSSIBLE', entries: ['own-list:W-2'] })
    expect((await screen(asked({ givenNames: ['伟'], surname: '张' }))).outcome).toBe('UNKNOWN')
    // Vowels are not written: not to be found proves nothing, to be found is worth a look.
    expect((await screen(asked({ givenNames: ['محمد'], surname: 'حسن' }))).outcome).toBe('UNKNOWN')
    const { matches } = await watchlists.explain(asked({ dateOfBirth: '1958-05-05', countries: ['RUS'] }))
    expect(matches[0].components).toMatchObject({ birth: 'RANGE', country: 'SAME' })
  })

  test('by a document number alone: worth a look', async () => {
    await takingSample('consolidated.xml')
    const found = await openWatchlists(t.store).screen(
      asked({ givenNames: ['Anna'], surname: 'Holt', documentNumbers: ['h-0123456'] }),
    )
    expect(found).toMatchObject({
      outcome: 'POSSIBLE',
      score: LIMITS.document,
      entries: ['un-consolidated:QDi.901'],
    })
  })

  test('against what another process imported meanwhile', async () => {
    await takingRows(['1,Anna Holt,,', '2,Berta Holt,,'])
    const watchlists = openWatchlists(t.store)
    expect((await watchlists.screen(asked())).outcome).toBe('CLEAR')
    const other = openStore(t.dataDir, t.kek)
    try {
      const file = join(folder, 'own.csv')
      writeFileSync(file, 'id,name\n1,Stepan Velmirov\n')
      await importList(other, { file, format: 'auto', date: '2026-11-21', force: false }, NOW)
    } finally {
      other.close()
    }
    const [one, two] = await Promise.all([watchlists.screen(asked()), watchlists.screen(asked())])
    expect(one).toMatchObject({ outcome: 'POSSIBLE', entries: ['own:1'] })
    expect(two).toEqual(one)
    removeList(t.store, 'own', NOW)
    expect((await watchlists.screen(asked())).outcome).toBe('UNKNOWN')
    expect(watchlists.lists()).toEqual([])
  })

  test('against lists of any length, read in turns that leave the others their time', async () => {
    const rows = Array.from({ length: 1_001 }, (_, i) => `${i},Anna Holt${i % 26},,`)
    await takingRows([...rows, 'x,Stepan Velmirov,,'])
    let turns = 0
    const ticking = setInterval(() => turns++, 0)
    const found = await openWatchlists(t.store).screen(asked())
    clearInterval(ticking)
    expect(found.entries).toEqual(['own:x'])
    expect(turns).toBeGreaterThan(1)
  })

  test('and an entry that cannot be read stops the search, without a word of it', async () => {
    const watchlists = openWatchlists({
      watchlists: {
        ...t.store.watchlists,
        list: () => [
          {
            id: 'a',
            name: 'own',
            format: 'csv',
            sha256: '',
            files: [],
            date: '2026-11-20',
            importedAt: NOW,
            entries: 1,
            confirmedOn: null,
          },
        ],
        persons: () => {
          throw new TypeError('damaged')
        },
      },
    })
    await expect(watchlists.screen(asked())).rejects.toThrow('damaged')
    await expect(watchlists.screen(asked())).rejects.toThrow('damaged')
  })
})

describe('the index', () => {
  test('finds the same persons as a comparison with all entries', () => {
    const random = seeded(7)
    const entries = Array.from({ length: 400 }, (_, i) => drawEntry(random, i))
    const listed: ListedPerson[] = entries.map((entry) => entry.listed)
    const index = new ScreeningIndex(LIMITS)
    for (const person of listed) index.add(person)
    const ready = listed.map(readyToBeFound)
    const presented = [
      ...Array.from({ length: 32 }, (_, i) =>
        presentListed(random, random.pick(entries), DISTORTIONS[i % DISTORTIONS.length]),
      ),
      ...Array.from({ length: 8 }, () => presentOther(random)),
    ]
    for (const one of presented) {
      const sought = prepareSought(one.asked)
      const over = (matches: readonly { readonly id: string; readonly score: number }[]) =>
        matches
          .filter(({ score }) => score >= LIMITS.possible)
          .map(({ id }) => id)
          .sort()
      expect(over(index.search(sought))).toEqual(
        over(ready.map((person) => scoreMatch(sought, person, LIMITS))),
      )
    }
  })

  test('knows how much it holds', () => {
    const index = new ScreeningIndex(LIMITS)
    const person = { births: [], countries: [], documents: [] }
    index.add({
      ...person,
      id: '1',
      names: [
        { text: 'Anna Holt', isWeak: false },
        { text: 'Anna Berg', isWeak: true },
      ],
    })
    index.add({ ...person, id: '2', names: [{ text: '张伟', isWeak: false }] })
    // Anna, Holt, Berg and each two in one piece.
    expect(index.size).toEqual({ persons: 2, names: 2, words: 5 })
    expect(
      index.search(prepareSought(asked({ givenNames: [], surname: null, fullname: '张伟' }))),
    ).toMatchObject([{ id: '2', score: LIMITS.birth.UNKNOWN * LIMITS.country.UNKNOWN }])
  })

  test('finds initials, names in Arabic letters, and a name that became one word', () => {
    const index = new ScreeningIndex(LIMITS)
    const person = { births: [], countries: [], documents: [] }
    index.add({ ...person, id: '1', names: [{ text: 'محمد حسن', isWeak: false }] })
    index.add({ ...person, id: '2', names: [{ text: 'J Brandwell', isWeak: false }] })
    index.add({ ...person, id: '3', names: [{ text: 'Dengfeng, Xiao Ping', isWeak: false }] })
    const ids = (fullname: string) =>
      index
        .search(prepareSought(asked({ givenNames: [], surname: null, fullname })))
        .filter(({ components }) => components.name > 0.5)
        .map(({ id }) => id)
    expect(ids('Muhammad Hasan')).toEqual(['1'])
    expect(ids('محمد حسن')).toEqual(['1'])
    expect(ids('John Brandwell')).toEqual(['2'])
    expect(ids('J Brandwell')).toEqual(['2'])
    expect(ids('Xiaoping Dengfeng')).toEqual(['3'])
  })
})

describe('the thresholds', () => {
  const changed = (from: string, to: string): string => {
    const path = join(folder, 'watchlist.json')
    const text = readFileSync(
      join(import.meta.dirname, '..', '..', '..', 'resources', 'watchlist.json'),
      'utf8',
    )
    const value = JSON.parse(text) as Record<string, Record<string, { value: number }>>
    const [section, name] = from.split('.')
    value[section][name].value = Number(to)
    writeFileSync(path, JSON.stringify(value))
    return path
  }
  test.each([
    ['thresholds.hit', '0.1'],
    ['birth.DIFFERENT', '0.99'],
    ['forgives.NEAR', '0.99'],
    ['country.DIFFERENT', '1'],
    ['weights.floor', '2'],
  ])('are refused where less agreement would count more: %s', (name, value) => {
    expect(() => loadMatchLimits(changed(name, value))).toThrow('configuration_invalid')
  })
})
