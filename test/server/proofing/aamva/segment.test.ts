/**
 * Texts whose separators were lost. An element is one where its value has the form that the standard prescribes for it;
 * the same three letters before anything else are a part of what they stand in. All values are invented.
 */
import { describe, expect, test } from 'vitest'
import { segment } from '../../../../server/proofing/aamva/segment.ts'

/** A date: hardly so by chance, and not to be taken for a part of another value. */
const NEXT = ['DBB', '07041964'] as const
const between = (id: string, value: string) => segment(`${id}${value}${NEXT.join('')}`)

const DATES = ['DBA', 'DBB', 'DBD', 'DDB', 'DDC', 'DDH', 'DDI', 'DDJ']
const NAMES = ['DAA', 'DAB', 'DAC', 'DAD', 'DCS', 'DCT']
const TEXTS = ['DAG', 'DAH', 'DCF', 'DCK', 'DCJ', 'DCI']
const FLAGS = ['DDE', 'DDF', 'DDG']
const ANSWERS = ['DDA', 'DDD', 'DDK', 'DDL', 'DBH']
const COLOURS = ['DAY', 'DAZ']

const rows = (ids: readonly string[], fitting: readonly string[], other: readonly string[]) =>
  ids.map((id) => [id, fitting, other] as const)

const FORMS: readonly (readonly [id: string, fitting: readonly string[], other: readonly string[]])[] = [
  ...rows(DATES, ['20310704', 'NONE', ''], ['2031070', '203107041', 'x20310704', 'NONEx']),
  ...rows(NAMES, ['QUILL-FEATHER', 'Q'.repeat(80), ''], ['QUI11', '1QUI', 'QU@', 'Q'.repeat(81)]),
  ...rows(TEXTS, ['12 LONG LANE, 4TH', 'x'.repeat(40), ''], ['x'.repeat(41)]),
  ...rows(FLAGS, ['T', 'N', 'U'], ['X', 'TT', 'xT', 'Tx', '']),
  ...rows(ANSWERS, ['0', '1', 'F', 'N', 'M', 'Y', ''], ['2', 'x1', '1x', '11']),
  ...rows(COLOURS, ['BRO', 'NONE', ''], ['BR', 'BROW', 'xBRO', 'BROx', '123']),
  ['DAE', ['JR', 'III', '1ST', '12345', ''], ['JUNIOR', '?JR', 'JR?', '??']],
  ['DCU', ['JR', 'III', '1ST', '12345', ''], ['JUNIOR', '?JR', 'JR?', '??']],
  ['DBC', ['1', '2', '9', 'M', 'F', 'X', '0'], ['3', 'x1', '1x', '']],
  [
    'DAU',
    ['067 IN', '067in', '170 cm', '170CM', '170', '67', ''],
    ['7', 'x67', '67x', '1701', '17 cm', 'AB', 'ABC in', '170 m'],
  ],
  ['DAI', ['ELSEWHERE', 'x'.repeat(25), ''], ['x'.repeat(26), '1ELSE', 'ELSE1']],
  ['DAJ', ['VA'], ['V', 'VAX', '1VA', 'V1', '']],
  [
    'DAK',
    ['23269', '232690000', '23269-4321', '23269  ', 'T4G 7A7', 'T4G7A7', 'T4G7A7   ', '23269-0000  '],
    [
      '2326',
      'x23269',
      '23269x',
      '23269-43210000',
      'ABCDE',
      '44G 7A7',
      'TTG 7A7',
      'T44 7A7',
      'T4G AA7',
      'T4G 777',
      'T4G 7AA',
      'xT4G 7A7',
    ],
  ],
  [
    'DAQ',
    ['1234', 'T64235789', 'A-12 3*4', '1'.repeat(25)],
    ['123', '1'.repeat(26), '?1234', '1234?', 't1234'],
  ],
  ['DCG', ['USA', 'CAN', 'CDN'], ['MEX', 'xUSA', 'USAx', '']],
  ['DBF', ['12'], ['1', '123', 'x12', '12x', 'ab']],
  ['DCA', ['D', 'AB* 12', ''], ['1234567', '?D', 'D?', 'd']],
  ['DCB', ['NONE', 'A/B* 1234567', ''], ['1234567890123', '?A', 'A?', 'a']],
  ['DCD', ['NONE', 'A* 12', ''], ['123456', '?A', 'A?', 'a']],
  ['DAR', ['D', 'A*12', ''], ['12345', '?D', 'D?', 'd']],
  ['DAS', ['NONE', 'A/B* 12345', ''], ['12345678901', '?A', 'A?', 'a']],
  ['DAT', ['NONE', 'A*-12', ''], ['123456', '?A', 'A?', 'a']],
  ['DAW', ['75', '165'], ['7', '1655', 'x75', '75x', 'ab']],
  ['DAX', ['75', '165'], ['7', '1655', 'x75', '75x', 'ab']],
  ['DCE', ['4', ''], ['44', 'x4', '4x', 'a']],
  ['DCH', ['NONE', 'A* 12', ''], ['123456', '?A', 'A?', 'a']],
  ['DCL', ['W', 'BLK', ''], ['BLKX', '1BL', 'BL1', '12']],
]

describe.each(FORMS)('the element %s', (id, fitting, other) => {
  test.each(fitting)('may be %j', (value) => {
    expect(between(id, value)).toEqual([[id, value.trimEnd()], NEXT])
  })

  test.each(other)('is none before %j', (value) => {
    expect(between(id, value)).toEqual([NEXT])
  })
})

describe('a text without separators', () => {
  test('is divided so that every value has its form', () => {
    expect(segment('DAQT64235789DCSQUILLFEATHERDACODADADMARITDBB06161986DBC2DAJVADCGUSA')).toEqual([
      ['DAQ', 'T64235789'],
      ['DCS', 'QUILLFEATHER'],
      ['DAC', 'ODA'],
      ['DAD', 'MARIT'],
      ['DBB', '06161986'],
      ['DBC', '2'],
      ['DAJ', 'VA'],
      ['DCG', 'USA'],
    ])
  })

  test('keeps a name in whose middle an element seems to begin', () => {
    expect(segment('DCSMADDACKDAC12345678DBB06161986').at(-1)).toEqual(['DBB', '06161986'])
    expect(segment('DCSVADBARRDBB06161986')).toEqual([
      ['DCS', 'VADBARR'],
      ['DBB', '06161986'],
    ])
  })

  test('loses the signs that took the place of separators, at the end of a value alone', () => {
    expect(segment('DCSVAN QUILL |;~^DBB06161986;;')).toEqual([
      ['DCS', 'VAN QUILL'],
      ['DBB', '06161986'],
    ])
  })

  test('has no elements where no name of one stands, or none that the standard has', () => {
    expect(segment('')).toEqual([])
    expect(segment('HELLO WORLD')).toEqual([])
    expect(segment('DZZ123')).toEqual([])
    expect(segment('DCMABC')).toEqual([])
  })

  test('is looked at as far as a symbol may hold, and an element as far as the widest goes', () => {
    expect(segment(`${'x'.repeat(1998)}DBB06161986`)).toEqual([])
    expect(segment(`${'x'.repeat(1989)}DBB06161986`)).toEqual([['DBB', '06161986']])
    expect(segment(`DCS${'Q'.repeat(95)}DBB06161986`)).toEqual([['DBB', '06161986']])
  })
})
