import { describe, expect, test } from 'vitest'
import { readHeader } from '../../../../server/proofing/aamva/header.ts'

const START = '@\n\u001e\r'
/** A card of one subfile whose place is stated rightly: 21 characters and one entry of ten. */
const ONE = `${START}ANSI 636000080001DL00310030DLDAQT64235789\nDCSQUILL\r`

describe('a header as the standard has it', () => {
  test('names issuer, version and where the subfiles begin', () => {
    expect(readHeader(ONE)).toEqual({
      iin: '636000',
      version: 8,
      subfileTypes: ['DL'],
      subfileStarts: [31],
      end: 31,
      deviations: [],
    })
  })

  test('of the first version has no version of the jurisdiction', () => {
    const text = `${START}ANSI 6360000101DL00290030DLDAQT64235789\r`
    expect(readHeader(text)).toMatchObject({ version: 1, subfileStarts: [29], deviations: [] })
  })

  test('lists every subfile, of cards and of jurisdictions', () => {
    const text = `${START}ANSI 636000080002DL00410020ZV00610008DL${'x'.repeat(18)}ZVZVAxxx`
    expect(readHeader(text)).toMatchObject({
      subfileTypes: ['DL', 'ZV'],
      subfileStarts: [41, 61],
      end: 41,
      deviations: [],
    })
    const other = `${START}ANSI 636000080002EN00410020Z100610008EN${'x'.repeat(18)}Z1Z1Axxx`
    expect(readHeader(other)?.subfileTypes).toEqual(['EN', 'Z1'])
  })

  test('is none without its mark, or without the six figures behind it', () => {
    expect(readHeader('DAQT64235789\nDCSQUILL')).toBeNull()
    expect(readHeader('ANSI 63600')).toBeNull()
    expect(readHeader('')).toBeNull()
  })
})

describe('what departs from it', () => {
  const remarks = (text: string) => readHeader(text)?.deviations

  test('is the mark from before the standard, and another beginning', () => {
    expect(remarks(ONE.replace('ANSI ', 'AAMVA'))).toEqual(['HEADER_MARK'])
    expect(remarks(ONE.slice(1))).toEqual(['HEADER_START'])
    expect(readHeader(ONE.slice(1))?.subfileStarts).toEqual([30])
    expect(readHeader(`??${ONE}`)?.subfileStarts).toEqual([33])
  })

  test('is a version that is not known yet', () => {
    expect(remarks(ONE.replace('63600008', '63600010'))).toEqual([])
    expect(remarks(ONE.replace('63600008', '63600011'))).toEqual(['VERSION_UNKNOWN'])
  })

  test('is a place that holds no subfile of that type', () => {
    expect(readHeader(ONE.replace('DL0031', 'DL0032'))).toMatchObject({
      subfileTypes: ['DL'],
      subfileStarts: [],
      deviations: ['SUBFILE_OFFSET'],
    })
  })

  test('is a table with letters in the place of figures', () => {
    const text = `${START}ANSI 636000080001DLabcd0030DLDAQT64235789\r`
    expect(readHeader(text)).toMatchObject({
      subfileTypes: ['DL'],
      subfileStarts: [],
      end: text.indexOf('DLDAQ'),
      deviations: ['SUBFILE_TABLE'],
    })
  })

  test('is a table with too few figures, also after entries that are whole', () => {
    const text = `${START}ANSI 636000080002DL00410020ZV061ZVZVAxxx`
    expect(readHeader(text)).toMatchObject({
      subfileTypes: ['DL', 'ZV'],
      subfileStarts: [],
      end: text.indexOf('ZVZVA'),
      deviations: ['SUBFILE_TABLE'],
    })
  })

  test('is anything else between the table and the first element', () => {
    const text = `${START}ANSI 636000080001DL00310030???DLDAQT64235789\r`
    expect(readHeader(text)).toMatchObject({
      end: text.indexOf('DLDAQ'),
      subfileStarts: [],
      deviations: ['SUBFILE_TABLE'],
    })
  })

  test('is no table at all', () => {
    const text = `${START}ANSI 63600008DAQT64235789\r`
    expect(readHeader(text)).toEqual({
      iin: '636000',
      version: 8,
      subfileTypes: [],
      subfileStarts: [],
      end: text.indexOf('DAQ'),
      deviations: ['HEADER_COUNTS'],
    })
    expect(readHeader('ANSI 636000')).toMatchObject({
      version: 0,
      end: 11,
      deviations: ['HEADER_START', 'HEADER_COUNTS'],
    })
    expect(readHeader(`${START}ANSI 636000  08 00  DAQ1`)).toMatchObject({ version: 8, end: 24 })
  })

  test('is a number of subfiles of one figure, or blanks', () => {
    for (const count of ['1', ' 1', ' ', '  ', '01']) {
      const text = `${START}ANSI 6360000800${count}DL00310030DLDAQT64235789\r`
      expect(readHeader(text), count).toMatchObject({ version: 8, subfileTypes: ['DL'] })
    }
  })

  test('is a place padded with blanks', () => {
    expect(readHeader(ONE.replace('DL0031', 'DL  31'))).toMatchObject({ subfileStarts: [31], deviations: [] })
  })
})
