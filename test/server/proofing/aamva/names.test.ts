import { describe, expect, test } from 'vitest'
import { readNames } from '../../../../server/proofing/aamva/names.ts'

const of = (elements: Readonly<Record<string, string>>, jurisdiction: string | null = 'VA') =>
  readNames((id) => elements[id] ?? null, jurisdiction)

describe('names in elements of their own', () => {
  test('are surname, first and middle names', () => {
    expect(of({ DCS: ' QUILL  FEATHER, ', DAC: 'ODA,', DAD: 'MARIT  LIV' })).toEqual({
      surname: 'QUILL FEATHER',
      givenNames: ['ODA', 'MARIT', 'LIV'],
      suffix: null,
      deviations: [],
      fillsElement: false,
    })
  })

  test('are the given names together where no first name stands alone', () => {
    expect(of({ DCS: ',QUILL', DCT: 'ODA, MARIT' })).toMatchObject({
      surname: 'QUILL',
      givenNames: ['ODA', 'MARIT'],
    })
    expect(of({ DAB: 'QUILL', DAC: 'ODA', DCT: 'OTHER' })?.givenNames).toEqual(['ODA'])
    expect(of({ DCS: 'QUILL' })?.givenNames).toEqual([])
  })

  test.each([
    'NMN',
    'nmi',
    'NFN',
    'NLN',
    'NONE',
    'UNAVL',
    'UNAVAIL',
    'UNAVAILABLE',
    '-',
    '---',
    'N/A',
    '000',
  ])('are none where %s stands', (none) => {
    expect(of({ DCS: 'QUILL', DAC: none, DAD: 'MARIT' })?.givenNames).toEqual(['MARIT'])
    expect(of({ DCS: none, DAC: 'ODA' })).toBeNull()
  })

  test.each(['NMNA', 'ANMN', 'NONEX', 'UNAVLX', 'N/AX', '-A'])(
    'may look like none and be one: %s',
    (name) => {
      expect(of({ DCS: 'QUILL', DAC: name })?.givenNames).toEqual([name])
    },
  )

  test('are those beside the surname where Pennsylvania repeats it', () => {
    const repeated = { DCS: 'QUILL', DAC: 'ODA MARIT QUILL' }
    expect(of(repeated, 'PA')).toMatchObject({
      givenNames: ['ODA', 'MARIT'],
      deviations: ['SURNAME_AMONG_GIVEN_NAMES'],
    })
    expect(of(repeated, 'VA')).toMatchObject({ givenNames: ['ODA', 'MARIT', 'QUILL'], deviations: [] })
    expect(of({ DCS: 'QUILL', DAC: 'QUILL' }, 'PA')).toMatchObject({ givenNames: ['QUILL'], deviations: [] })
    expect(of({ DCS: 'QUILL', DAC: 'QUILL ODA' }, 'PA')?.givenNames).toEqual(['QUILL', 'ODA'])
  })
})

describe('a suffix', () => {
  test.each([
    'JR',
    'sr',
    'II',
    'III',
    'IV',
    'VI',
    'VII',
    'VIII',
    'IX',
    '1ST',
    '2ND',
    '3RD',
    '4TH',
    '9TH',
    'JR.',
  ])('%s beside the surname is taken from it, with a remark', (suffix) => {
    expect(of({ DCS: `QUILL ${suffix}`, DAC: 'ODA' })).toMatchObject({
      surname: 'QUILL',
      suffix,
      deviations: ['SUFFIX_IN_SURNAME'],
    })
  })

  test.each(['JRX', 'AJR', 'VIIII', '0TH', 'V', 'X'])('is none that looks like one: %s', (word) => {
    expect(of({ DCS: `QUILL ${word}` })).toMatchObject({ surname: `QUILL ${word}`, suffix: null })
  })

  test('is no whole surname, and the last of several words alone', () => {
    expect(of({ DCS: 'JR' })).toMatchObject({ surname: 'JR', suffix: null })
    expect(of({ DCS: 'VAN QUILL JR' })).toMatchObject({ surname: 'VAN QUILL', suffix: 'JR' })
    expect(of({ DCS: 'JR QUILL' })).toMatchObject({ surname: 'JR QUILL', suffix: null })
  })

  test('of its own element leaves the surname as it is', () => {
    expect(of({ DCS: 'QUILL JR', DCU: 'III' })).toMatchObject({
      surname: 'QUILL JR',
      suffix: 'III',
      deviations: [],
    })
    expect(of({ DCS: 'QUILL', DAE: 'JR' })?.suffix).toBe('JR')
    expect(of({ DCS: 'QUILL', DCU: 'NONE', DAE: 'JR' })?.suffix).toBe('JR')
  })
})

describe('names together', () => {
  test('are parted by commas, or by signs in their place', () => {
    for (const sign of [',', '@', '$', ';'])
      expect(of({ DAA: ['QUILL', ' ODA ', 'MARIT'].join(sign) })).toMatchObject({
        surname: 'QUILL',
        givenNames: ['ODA', 'MARIT'],
        suffix: null,
        deviations: [],
      })
  })

  test('end with a suffix, or with more given names', () => {
    expect(of({ DAA: 'QUILL,ODA,MARIT,JR' })).toMatchObject({ givenNames: ['ODA', 'MARIT'], suffix: 'JR' })
    expect(of({ DAA: 'QUILL,ODA,MARIT,LIV,ANN' })).toMatchObject({
      givenNames: ['ODA', 'MARIT', 'LIV', 'ANN'],
      suffix: null,
    })
    expect(of({ DAA: 'QUILL,ODA' })).toMatchObject({ givenNames: ['ODA'], suffix: null })
  })

  test('are none without a surname', () => {
    expect(of({ DAA: ',ODA,MARIT' })).toBeNull()
    expect(of({ DAA: '' })).toBeNull()
    expect(of({})).toBeNull()
  })

  test('without commas begin with the surname, in Pennsylvania with the given name', () => {
    const remark = { deviations: ['NAME_WITHOUT_COMMAS'] }
    expect(of({ DAA: 'QUILL ODA MARIT' })).toMatchObject({
      surname: 'QUILL',
      givenNames: ['ODA', 'MARIT'],
      ...remark,
    })
    expect(of({ DAA: 'QUILL ODA' }, null)).toMatchObject({ surname: 'QUILL', givenNames: ['ODA'] })
    expect(of({ DAA: 'ODA MARIT QUILL' }, 'PA')).toMatchObject({
      surname: 'QUILL',
      givenNames: ['ODA', 'MARIT'],
      ...remark,
    })
  })

  test('without commas end with a suffix where three words or more stand', () => {
    expect(of({ DAA: 'QUILL ODA JR' })).toMatchObject({ givenNames: ['ODA'], suffix: 'JR' })
    expect(of({ DAA: 'ODA QUILL JR' }, 'PA')).toMatchObject({ surname: 'QUILL', suffix: 'JR' })
    expect(of({ DAA: 'QUILL JR' })).toMatchObject({ surname: 'QUILL', givenNames: ['JR'], suffix: null })
    expect(of({ DAA: 'QUILL ODA MARIT' })?.suffix).toBeNull()
  })
})

describe('a name at the width of its element may continue', () => {
  test.each([
    ['DCS', 40],
    ['DAC', 40],
    ['DAD', 40],
    ['DCT', 80],
    ['DAB', 35],
  ])('%s from %i characters on', (id, width) => {
    const names = { DAB: 'QUILL', DCS: '' }
    expect(of({ ...names, [id]: 'Q'.repeat(width) })?.fillsElement).toBe(true)
    expect(of({ ...names, [id]: 'Q'.repeat(width - 1) })?.fillsElement).toBe(false)
  })

  test('the whole name from 35 on, and not where it is not looked at', () => {
    const together = `QUILL,${'O'.repeat(29)}`
    expect(of({ DAA: together })?.fillsElement).toBe(true)
    expect(of({ DAA: together.slice(0, -1) })?.fillsElement).toBe(false)
    expect(of({ DAA: together, DCS: 'QUILL' })?.fillsElement).toBe(false)
    expect(of({ DAA: 'QUILL,ODA', DAD: 'M'.repeat(40) })?.fillsElement).toBe(false)
  })
})
