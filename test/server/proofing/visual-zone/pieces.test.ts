/** Pieces of text on a page: what stands apart, what is level, which value they hold, and what lines belong together. */
import { describe, expect, test } from 'vitest'
import {
  addressByForm,
  withFurtherLines,
  withSecondLine,
} from '../../../../server/proofing/visual-zone/address.ts'
import { valueOf } from '../../../../server/proofing/visual-zone/beside-label.ts'
import { kindOfPages } from '../../../../server/proofing/visual-zone/page-kind.ts'
import type { PageWords } from '../../../../server/proofing/visual-zone/knowledge.ts'
import type { PageField, PageFieldName } from '../../../../server/proofing/visual-zone/page-facts.ts'
import {
  areLevel,
  confidenceOf,
  segmentsOf,
  withoutFirst,
  type Segment,
} from '../../../../server/proofing/visual-zone/segments.ts'
import { FORM_OF, readValue } from '../../../../server/proofing/visual-zone/values.ts'
import { CONTEXT, piece } from './a-piece.ts'

const field = (value: string, over: Partial<PageField> = {}): PageField => ({
  field: 'address',
  value,
  confidence: 0.9,
  captureIndex: 0,
  foundBy: 'label',
  ...over,
})

describe('pieces', () => {
  test('are the lines of all pages, measured in widths of the page', () => {
    const box = { x: 0.1, y: 0.4, width: 0.5, height: 0.2 }
    const words = [
      { text: 'Given', confidence: 0.9, box },
      { text: 'Names', confidence: 0.8, box },
    ]
    const pages = [
      { aspect: 2, lines: [{ words: [], box }] },
      { aspect: 2, lines: [{ words, box }] },
    ]
    expect(segmentsOf(pages)).toEqual([
      {
        words,
        text: 'Given Names',
        bare: 'given names',
        captureIndex: 1,
        x: 0.1,
        y: 0.2,
        width: 0.5,
        height: 0.1,
        aspect: 2,
      },
    ])
  })

  test('go on without their first words, or are nothing', () => {
    const rest = withoutFirst(piece('Name ANNA Maria', { x: 100 }), 1)
    expect(rest).toMatchObject({ text: 'ANNA Maria', bare: 'anna maria', x: 125, width: 50 })
    expect(rest?.words).toHaveLength(2)
    expect(withoutFirst(piece('Name'), 1)).toBeNull()
  })

  test('are as certain as their least certain word', () => {
    const [sure, unsure] = [piece('A', { confidence: 0.9 }), piece('B', { confidence: 0.3 })]
    expect(confidenceOf([...sure.words, ...unsure.words])).toBe(0.3)
    expect(confidenceOf([])).toBe(0)
  })

  test('are level where nearly half of the lower one lies beside the other, on one page', () => {
    const label = piece('Name')
    expect(areLevel(label, piece('ANNA', { y: 5.5 }))).toBe(true)
    expect(areLevel(label, piece('ANNA', { y: 5.6 }))).toBe(false)
    expect(areLevel(label, piece('ANNA', { y: -5.5 }))).toBe(true)
    expect(areLevel(label, piece('ANNA', { y: 8, height: 4 }))).toBe(true)
    expect(areLevel(label, piece('ANNA', { captureIndex: 1 }))).toBe(false)
  })
})

describe('a value', () => {
  const read = (text: string, name: PageFieldName, confidence = 0.9) =>
    readValue(piece(text, { confidence }), name, CONTEXT)
  const value = (text: string, name: PageFieldName) => read(text, name)?.value ?? null

  test('has a form by its field', () => {
    expect(FORM_OF).toEqual({
      documentNumber: 'number',
      cardNumber: 'number',
      surname: 'name',
      givenNames: 'name',
      fullName: 'name',
      birthDate: 'date',
      issueDate: 'date',
      expiryDate: 'date',
      sex: 'sex',
      nationality: 'text',
      birthPlace: 'text',
      authority: 'text',
      personalNumber: 'number',
      address: 'text',
    })
  })

  test('that is a date uses its own words, and is worth less where it was guessed', () => {
    expect(read('born 12 AUG 1974 F', 'birthDate')).toEqual({
      value: '1974-08-12',
      confidence: 0.9,
      usedWords: 4,
    })
    expect(read('O1.08.1974', 'birthDate')?.confidence).toBe(0.5)
    expect(read('O1.08.1974', 'birthDate', 0.4)?.confidence).toBe(0.4)
    expect(value('03/2027', 'expiryDate')).toBe('2027-03')
    expect(value('08/00/1974', 'birthDate')).toBe('1974-08')
    expect(value('08/00/1974', 'issueDate')).toBeNull()
    expect(value('no date', 'birthDate')).toBeNull()
  })

  test.each([
    ['F', 'F'],
    ['Male', 'M'],
    ['(F)', 'F'],
    ['V/F', 'F'],
    ['VIF', 'F'],
    ['VlF', 'F'],
    ['V|F', 'F'],
    ['M/F', null],
    ['f', null],
    ['f/F', null],
    ['Q', null],
    ['/', null],
    ['M/', 'M'],
  ])('of a sex %j is %j', (text, sex) => {
    expect(value(text, 'sex')).toBe(sex)
    if (sex !== null)
      expect(read(`${text} more`, 'sex')).toEqual({ value: sex, confidence: 0.9, usedWords: 1 })
  })

  test.each([
    ['L898902C3', 'L898902C3', 1],
    ['L898902C3 Surname', 'L898902C3', 1],
    ['12 345 678', '12345678', 3],
    ['AB 123456', 'AB 123456', 2],
    ['«L898902C3»', 'L898902C3', 1],
    ['12-34.56/78', '12-34.56/78', 1],
    ['A1234)', 'A1234', 1],
    ['AB12 X', 'AB12 X', 2],
  ])('of a number %j is %j', (text, number, usedWords) => {
    expect(read(text, 'documentNumber')).toEqual({ value: number, confidence: 0.9, usedWords })
  })

  test.each(['ABC', 'AB1', 'A1B2C', '12', '1'.repeat(25), 'abc123', '12.08.1974', '1/2/74', '', '12é45'])(
    'of a number is none that is %j',
    (text) => {
      expect(value(text, 'documentNumber')).toBeNull()
    },
  )

  test('of a number may look like a date where it is no document’s, and has no bracket', () => {
    expect(value('12.08.1974', 'personalNumber')).toBe('12.08.1974')
    expect(read('12)456', 'documentNumber')).toEqual({ value: '12J456', confidence: 0.5, usedWords: 1 })
    expect(value('1'.repeat(24), 'documentNumber')).toBe('1'.repeat(24))
    expect(value('A123', 'documentNumber')).toBe('A123')
  })

  test.each([
    ['ERIKSSON', 'surname', 'ERIKSSON'],
    ['ANNA, MARIA', 'givenNames', 'ANNA MARIA'],
    ['ERIKSSON, ANNA', 'fullName', 'ERIKSSON, ANNA'],
    ['« Eriksson »', 'surname', 'Eriksson'],
    ['eriksson', 'surname', null],
    ['ERIK550N', 'surname', null],
    ['---', 'surname', null],
    ['אריקסון', 'surname', 'אריקסון'],
  ] as const)('of a name %j as %s is %j', (text, name, expected) => {
    expect(value(text, name)).toBe(expected)
  })

  test.each([
    ['Utopian', 'nationality', 'Utopian'],
    ['UTO 1', 'nationality', null],
    ['1 LONG LANE', 'address', '1 LONG LANE'],
    ['* ZENITH (N.) *', 'birthPlace', 'ZENITH (N.)'],
    ['A 1', 'address', null],
    ['12', 'authority', null],
  ] as const)('of a text %j as %s is %j', (text, name, expected) => {
    expect(value(text, name)).toBe(expected)
  })

  describe('beside a label', () => {
    const label = piece('Surname')
    const labelled = (rest: Segment | null = null) =>
      ({ segment: label, rest }) as Parameters<typeof valueOf>[0]
    const beside = (
      candidates: readonly Segment[],
      name: PageFieldName = 'surname',
      rest: Segment | null = null,
    ) => valueOf(labelled(rest), name, candidates, CONTEXT)

    test('stands behind it, to the right of it or below it, the nearest first', () => {
      const below = piece('BELOW', { y: 12 })
      const right = piece('RIGHT', { x: 45 })
      const far = piece('FAR', { y: 40 })
      expect(beside([far, below])?.value).toBe('BELOW')
      expect(beside([far, right])?.value).toBe('RIGHT')
      expect(beside([below], 'surname', piece('BEHIND'))).toMatchObject({ value: 'BEHIND', distance: 0 })
      expect(beside([])).toBeNull()
    })

    test('behind it counts where it was read better than the one beside it', () => {
      const below = piece('BELOW', { y: 12, confidence: 0.8 })
      expect(beside([below], 'surname', piece('BEHIND', { confidence: 0.85 }))?.value).toBe('BEHIND')
      expect(beside([below], 'surname', piece('BEHIND', { confidence: 0.84 }))?.value).toBe('BEHIND')
      expect(beside([below], 'surname', piece('BEHIND', { confidence: 0.8 }))?.value).toBe('BEHIND')
      expect(beside([below], 'surname', piece('BEHIND', { confidence: 0.79 }))?.value).toBe('BELOW')
    })

    test('is never beyond something else, unless it is a date or a sex', () => {
      const other = piece('12345', { y: 12 })
      expect(beside([other, piece('ERIKSSON', { y: 24 })])).toBeNull()
      expect(beside([piece('ERIKSSON', { y: 12 }), piece('12.08.1974', { y: 24 })], 'birthDate')?.value).toBe(
        '1974-08-12',
      )
      expect(beside([piece('12345', { y: 12 }), piece('F', { y: 24 })], 'sex')?.value).toBe('F')
    })

    test.each([
      ['to the right as far as nine heights', { x: 125 }, true],
      ['as far as a table goes', { x: 35 + 260 }, true],
      ['farther than a table', { x: 35 + 261 }, false],
      ['overlapping a little', { x: 30 }, true],
      ['below as far as four heights', { y: 10 + 42 }, true],
      ['farther below', { y: 10 + 43 }, false],
      ['on the other side', { y: 12, captureIndex: 1 }, false],
      ['smaller than the label', { y: 12, height: 7.9 }, false],
      ['not quite as large', { y: 12, height: 8 }, true],
      ['below and beginning a little before', { y: 12, x: -15 }, true],
      ['below and to the right', { y: 12, x: 60 }, false],
      ['above', { y: -20 }, false],
    ])('stands %s: %j', (_, place, isFound) => {
      expect(beside([piece('ERIKSSON', place)]) !== null).toBe(isFound)
    })
  })
})

describe('an address', () => {
  const street = piece('1 LONG LANE')
  const further = (...candidates: readonly Segment[]) =>
    withFurtherLines(field('1 LONG LANE'), street, candidates)

  test('goes on in the lines below that begin where it begins', () => {
    const [second, third, fourth] = [12, 24, 36].map((y, i) =>
      piece(`LINE ${'BCD'[i]}`, { y, confidence: 0.8 }),
    )
    expect(further(second, third, fourth)).toMatchObject({
      value: '1 LONG LANE LINE B LINE C',
      confidence: 0.8,
    })
    expect(further()).toMatchObject({ value: '1 LONG LANE', confidence: 0.9 })
  })

  test.each([
    [{ y: 12, x: 12 }, true],
    [{ y: 12, x: -12.1 }, false],
    [{ y: 5 }, false],
    [{ y: 5.1 }, true],
    [{ y: 23 }, true],
    [{ y: 23.1 }, false],
    [{ y: 12, height: 14 }, true],
    [{ y: 12, height: 14.1 }, false],
    [{ y: 12, height: 7 }, true],
    [{ y: 12, height: 6.9 }, false],
    [{ y: 12, captureIndex: 1 }, false],
  ])('goes on at %j: %s', (place, goesOn) => {
    expect(further(piece('ELSEWHERE', place)).value.includes('ELSEWHERE')).toBe(goesOn)
  })

  test.each([
    ['ELSEWHERE VA 23269', true],
    ['ELSEWHERE, NSW 2000', true],
    ['ELSEWHERE VA 23269-4321', true],
    ['ELSEWHERE ON T4G 7A7', true],
    ['T4G7A7', true],
    ['ELSEWHERE VA 232', false],
    ['ELSEWHERE VA 23269 USA', false],
    ['XNSWA 2000', false],
  ])('is given away by its last line %j: %s', (last, isAddress) => {
    const found = addressByForm([piece('1 LONG LANE'), piece(last, { y: 12 })])
    expect(found).toEqual(isAddress ? [field(`1 LONG LANE ${last}`, { foundBy: 'form' })] : [])
  })

  test.each([
    ['12 LONG LANE', '12 LONG LANE '],
    ['8 12 LONG LANE', '12 LONG LANE '],
    ['8. LONG LANE 12', '8. LONG LANE 12 '],
    ['LONG LANE', ''],
  ])('has above it the line %j as %j', (above, street) => {
    const [found] = addressByForm([piece(above), piece('ELSEWHERE VA 23269', { y: 12 })])
    expect(found.value).toBe(`${street}ELSEWHERE VA 23269`)
  })

  test.each([
    [{ y: -3 }, true],
    [{ y: -14 }, false],
    [{ y: 12 }, false],
    [{ x: 89 }, true],
    [{ x: 90 }, false],
    [{ x: -59 }, true],
    [{ x: -60 }, false],
    [{ captureIndex: 1 }, false],
  ])('has the line above it at %j: %s', (place, isFound) => {
    const last = piece('ELSEWHERE VA 23269', { y: 12 })
    const [found] = addressByForm([piece('12 LONG LANE', place), last])
    expect(found.value.includes('LONG LANE')).toBe(isFound)
  })

  test('in one line goes from the number of the house to the postcode', () => {
    const line = '12 Long Lane Elsewhere 23269'
    expect(addressByForm([piece(line)])).toEqual([field(line, { foundBy: 'form' })])
    expect(addressByForm([piece(`No ${line}`)])).toEqual([])
    expect(addressByForm([piece(`${line} x`)])).toEqual([])
    expect(addressByForm([piece(line, { confidence: 0.5 })])).toHaveLength(1)
    expect(addressByForm([piece(line, { confidence: 0.49 })])).toEqual([])
    expect(addressByForm([piece('ELSEWHERE VA 23269', { confidence: 0.49 })])).toEqual([])
    expect(addressByForm([])).toEqual([])
  })
})

describe('a second surname', () => {
  const name = field('VAN', { field: 'surname' })
  const first = piece('VAN')
  const second = (text: string, over: Parameters<typeof piece>[1] = {}) =>
    withSecondLine(name, first, [piece(text, { y: 12, ...over })]).value

  test('stands right below the first, in capitals as large', () => {
    expect(second('QUILL-FEATHER')).toBe('VAN QUILL-FEATHER')
    expect(second('O’NEIL')).toBe('VAN O’NEIL')
    expect(second('Quill')).toBe('VAN')
    expect(second('QUILL 2')).toBe('VAN')
    expect(withSecondLine(name, piece('Van'), [piece('QUILL', { y: 12 })]).value).toBe('VAN')
  })

  test.each([
    [{ x: 5 }, true],
    [{ x: 5.1 }, false],
    [{ y: 5 }, false],
    [{ y: 5.1 }, true],
    [{ y: 20 }, true],
    [{ y: 20.1 }, false],
    [{ height: 12.5 }, true],
    [{ height: 12.6 }, false],
    [{ height: 8 }, true],
    [{ height: 7.9 }, false],
    [{ captureIndex: 1 }, false],
    [{ confidence: 0.5 }, true],
    [{ confidence: 0.49 }, false],
  ])('stands at %j: %s', (over, isOne) => {
    expect(second('QUILL', over)).toBe(isOne ? 'VAN QUILL' : 'VAN')
  })

  test('is worth no more than the less certain of both', () => {
    const less = withSecondLine(name, first, [piece('QUILL', { y: 12, confidence: 0.6 })])
    expect(less.confidence).toBe(0.6)
  })
})

describe('the kind of a page', () => {
  const WORDS = {
    kinds: [
      { kind: 'PASSPORT', words: ['passport'] },
      { kind: 'IDENTITY_CARD', words: ['card', 'identity card'] },
      { kind: 'DRIVING_LICENSE', words: ['driving licence'] },
      { kind: 'RESIDENT_CARD', words: ['residence identity card'] },
    ],
    countries: { UTO: ['utopia'], USA: ['united states', 'usa'] },
    states: { USA: { VA: ['virginia'], WV: ['west virginia'] } },
  } as unknown as PageWords
  const kindOf = (...pieces: readonly Segment[]) => kindOfPages(pieces, WORDS)

  test('is what its largest words name, of two names in one line the longer', () => {
    expect(kindOf(piece('Passport'), piece('Driving Licence', { height: 20 })).kind).toBe('DRIVING_LICENSE')
    expect(kindOf(piece('IDENTITY CARD')).kind).toBe('IDENTITY_CARD')
    expect(kindOf(piece('RESIDENCE IDENTITY CARD')).kind).toBe('RESIDENT_CARD')
    expect(kindOf(piece('HARBOUR'))).toEqual({ kind: null, country: null, state: null })
    expect(kindOf()).toEqual({ kind: null, country: null, state: null })
  })

  test('and its country are read as whole words, long ones with an error', () => {
    expect(kindOf(piece('PASSPORTS OFFICE')).kind).toBe('PASSPORT')
    expect(kindOf(piece('PASSPQRT UTOPIA'))).toMatchObject({ kind: 'PASSPORT', country: 'UTO' })
    expect(kindOf(piece('PA55PQRT')).kind).toBeNull()
    expect(kindOf(piece('DRIVlNG LICENCE')).kind).toBe('DRIVING_LICENSE')
    expect(kindOf(piece('UTOPLA')).country).toBeNull()
    expect(kindOf(piece('CARDS')).kind).toBeNull()
    expect(kindOf(piece('USA'), piece('UTOPIA', { height: 11 })).country).toBe('UTO')
  })

  test('has the state that its largest words name, and with it the country', () => {
    expect(kindOf(piece('WEST VIRGINIA'), piece('UTOPIA', { height: 30 }))).toMatchObject({
      country: 'USA',
      state: 'WV',
    })
    expect(kindOf(piece('VIRGINIA', { height: 12 }), piece('WEST VIRGINIA')).state).toBe('VA')
  })

  test('is not named by words that were read with doubt', () => {
    expect(kindOf(piece('PASSPORT', { confidence: 0.5 })).kind).toBe('PASSPORT')
    expect(kindOf(piece('PASSPORT', { confidence: 0.49 })).kind).toBeNull()
  })
})
