/** The numbered fields of licences: which pieces are such numbers, and the values behind them. */
import { describe, expect, test } from 'vitest'
import type { NumberedField } from '../../../../server/proofing/visual-zone/knowledge.ts'
import {
  numberedPieces,
  parseFieldNumber,
  numbersBeforeValues,
  readNumbered,
} from '../../../../server/proofing/visual-zone/numbered.ts'
import type { Segment } from '../../../../server/proofing/visual-zone/segments.ts'
import { CONTEXT, piece } from './a-piece.ts'

describe('the number of a field', () => {
  test.each([
    ['1', '1 I l | 1. 1, 1; 1: I. l,'],
    ['2', '2 Z z 2. Z, z: 2;'],
    ['3', '3 3. 3, 3; 3:'],
    ['4a', '4a da Aa 4à 44 4a. 4a, 4a., d4.'],
    ['4b', '4b db Ab 46 d6 4b. 4b, 4b.,'],
    ['4c', '4c dc ac Ac 4C 4e 4c. 4c, 4c.,'],
    ['4d', '4d 4D 4d. 4D, 4d.,'],
    ['5', '5 S 5. S, 5; 5:'],
    ['8', '8 8. 8, 8; 8:'],
    ['9', '9 9a 9. 9a.'],
    ['12', '12 12a 12A 12. 12a.'],
    ['15', '15 15. 15a'],
    ['16', '16 16A.'],
    ['17', '17 17.'],
    ['18', '18 18.'],
  ])('%s may be read as any of %s', (number, texts) => {
    for (const text of texts.split(' ')) {
      expect(parseFieldNumber(text), text).toBe(number)
      expect(parseFieldNumber(`#${text}`), `#${text}`).toBeNull()
      expect(parseFieldNumber(`${text}#`), `${text}#`).toBeNull()
    }
  })

  test.each(['', '0', '6', '7', '10', '11', '13', '14', '19', '1a', '4', 'dd', '4f', 'x', '1...', '9b'])(
    'is not %j',
    (text) => {
      expect(parseFieldNumber(text)).toBeNull()
    },
  )
})

describe('numbered pieces', () => {
  const numbersOf = (...pieces: readonly Segment[]) =>
    numberedPieces(pieces).map(({ number, rest }) => [number, rest?.text ?? null])

  test('begin with their number, what follows is their rest', () => {
    const line = piece('1. ERIKSSON')
    expect(numberedPieces([line])).toMatchObject([{ number: '1', rest: { text: 'ERIKSSON', x: 15 } }])
    expect(numberedPieces([line])[0].segment).toBe(line)
    expect(numbersOf(piece('1.'), piece('ANNA'), piece('4a. 19.01.2013'))).toEqual([
      ['1', null],
      ['4a', '19.01.2013'],
    ])
  })

  test('are also numbers at the end of a line, of the value that follows', () => {
    const [last] = numberedPieces([piece('19.01.2013 4c.')])
    expect(last).toMatchObject({ number: '4c', segment: { text: '4c.', x: 55 }, rest: null })
    expect(numbersOf(piece('4a. 19.01.2013 4c,'))).toEqual([
      ['4a', '19.01.2013 4c,'],
      ['4c', null],
    ])
    for (const end of ['4c', 'x4c.', '4c.x', 'dd.', '4e.', '5.'])
      expect(numbersOf(piece(`19.01.2013 ${end}`)), end).toEqual([])
    expect(numbersOf(piece('4c.'))).toEqual([['4c', null]])
  })

  test('stay those of the front where one picture shows the table of the classes below it', () => {
    const below = { y: 60 }
    expect(
      numbersOf(piece('1. ERIKSSON'), piece('10.', below), piece('11.', below), piece('2. B', { y: 75 })),
    ).toEqual([['1', 'ERIKSSON']])
  })

  test('are none on a side that is the table of the classes', () => {
    const back = { captureIndex: 1 }
    const front = piece('1. ERIKSSON')
    expect(numbersOf(front, piece('10.', back), piece('11', back), piece('2. B', back))).toEqual([
      ['1', 'ERIKSSON'],
    ])
    expect(numbersOf(piece('12.'), piece('11,'), front)).toEqual([])
    // One column, or one number twice, may be a speck; a number within a text is no column.
    expect(numbersOf(front, piece('10.'), piece('10'), piece('2. B'))).toEqual([
      ['1', 'ERIKSSON'],
      ['2', 'B'],
    ])
    for (const text of ['x11', '11x', '13', '21'])
      expect(numbersOf(front, piece('10'), piece(text)), text).toEqual([['1', 'ERIKSSON']])
    expect(numbersOf(front, piece('10.'), piece('11.', back))).toEqual([['1', 'ERIKSSON']])
  })

  test('have a value where at least three signs follow or stand next to them', () => {
    const before = (...pieces: readonly Segment[]) => numbersBeforeValues(numberedPieces(pieces), pieces)
    expect(before(piece('1. ABC'), piece('2. AB'), piece('3.', { y: 50 }))).toEqual(['1'])
    expect(before(piece('5.'), piece('ABC', { x: 20 }))).toEqual(['5'])
    expect(before(piece('5.'), piece('AB', { x: 20 }))).toEqual([])
  })
})

describe('the values of numbered pieces', () => {
  const FIELDS: Readonly<Record<string, NumberedField>> = {
    1: { field: 'surname', form: 'name' },
    3: { field: 'birthDate', form: 'date', then: 'birthPlace' },
    '4b': { field: 'expiryDate', form: 'date' },
    5: { field: 'documentNumber', form: 'number' },
    8: { field: 'address', form: 'text' },
    9: { field: 'personalNumber', form: 'text' },
  }
  const read = (pieces: readonly Segment[], labelWords = 0) =>
    readNumbered(numberedPieces(pieces), pieces, FIELDS, () => labelWords, CONTEXT)
  const told = (pieces: readonly Segment[], labelWords = 0) =>
    read(pieces, labelWords).map(({ field, value }) => `${field} ${value}`)

  test('are read in the form of their field, as the layout has it', () => {
    expect(
      read([piece('5. L898902C3', { captureIndex: 1, confidence: [0.2, 0.8] }), piece('9. CLASS B')]),
    ).toEqual([
      {
        field: 'documentNumber',
        value: 'L898902C3',
        confidence: 0.8,
        captureIndex: 1,
        foundBy: 'template',
      },
      { field: 'personalNumber', value: 'CLASS B', confidence: 0.9, captureIndex: 0, foundBy: 'template' },
    ])
    expect(told([piece('5. ab')])).toEqual([])
    expect(told([piece('2. ANNA')])).toEqual([])
    expect(told([piece('5.')])).toEqual([])
  })

  test.each([
    ['within four heights', { x: 50 }, true],
    ['farther', { x: 50.1 }, false],
    ['within four heights of the larger one', { x: 58, height: 12 }, true],
    ['farther than that', { x: 58.1, height: 12 }, false],
    ['touching', { x: 9.99 }, true],
    ['within the number', { x: 9.98 }, false],
    ['a little smaller', { x: 20, height: 8 }, true],
    ['smaller', { x: 20, height: 7.9 }, false],
    ['on another line', { x: 20, y: 6 }, false],
    ['on the other side', { x: 20, captureIndex: 1 }, false],
    ['before', { x: -50 }, false],
  ])('stand next to their number, %s: %j is %s', (_, place, isFound) => {
    expect(told([piece('1.'), piece('ERIKSSON', place)])).toEqual(isFound ? ['surname ERIKSSON'] : [])
  })

  test('are the nearest of several', () => {
    const [far, near] = [piece('FAR', { x: 40 }), piece('NEAR', { x: 15 })]
    expect(told([far, piece('1.'), near])).toEqual(['surname NEAR'])
    expect(told([near, piece('1.'), far])).toEqual(['surname NEAR'])
  })

  test('begin behind the words of a label, three at most', () => {
    expect(told([piece('1 FAMILY NAME CASTELMARE')], 2)).toEqual(['surname CASTELMARE'])
    expect(told([piece('1 A B C CASTELMARE')], 4)).toEqual(['surname CASTELMARE'])
    expect(told([piece('1 CASTELMARE')])).toEqual(['surname CASTELMARE'])
    const value = piece('CASTELMARE', { x: 90 })
    expect(told([piece('1 FAMILY NAME'), value], 2)).toEqual(['surname CASTELMARE'])
    expect(told([piece('1 FAMILY NAME')], 2)).toEqual([])
  })

  test('are asked for the label of their own field', () => {
    const asked: unknown[] = []
    const pieces = [piece('1. ERIKSSON'), piece('5.', { y: 50 })]
    readNumbered(
      numberedPieces(pieces),
      pieces,
      FIELDS,
      (behind, field) => {
        asked.push([behind.text, field])
        return 0
      },
      CONTEXT,
    )
    expect(asked).toEqual([['ERIKSSON', 'surname']])
  })

  test('of the date and place of birth are told by the date where the small 3 was read as S, unless a 3 is there', () => {
    const birth = piece('S 05.11.1982 ANYDER BRIDGE')
    const number = piece('5. L898902C3', { y: 50 })
    expect(told([birth, number])).toEqual([
      'birthDate 1982-11-05',
      'birthPlace ANYDER BRIDGE',
      'documentNumber L898902C3',
    ])
    const third = piece('3. 06.11.1982', { y: 20 })
    expect(told([birth, third, number])).toEqual(['birthDate 1982-11-06', 'documentNumber L898902C3'])
  })

  test('may be followed by one of a further field', () => {
    expect(told([piece('3. 12.08.1974 ZENITH')])).toEqual(['birthDate 1974-08-12', 'birthPlace ZENITH'])
    expect(told([piece('3. 12.08.1974')])).toEqual(['birthDate 1974-08-12'])
    expect(told([piece('3. 12.08.1974 12')])).toEqual(['birthDate 1974-08-12'])
    expect(told([piece('4b. 12.08.2030 ZENITH')])).toEqual(['expiryDate 2030-08-12'])
    expect(read([piece('3. 12.08.1974 ZENITH', { confidence: [0.1, 0.7, 0.6] })])).toMatchObject([
      { confidence: 0.7 },
      { confidence: 0.6, foundBy: 'template' },
    ])
  })

  test('continue in the next lines where they are an address, unless those have a number', () => {
    const street = piece('8. 1 LONG LANE')
    const next = piece('ELSEWHERE', { x: 15, y: 12 })
    expect(told([street, next])).toEqual(['address 1 LONG LANE ELSEWHERE'])
    expect(told([street, piece('7', { y: 12 }), next])).toEqual(['address 1 LONG LANE ELSEWHERE'])
    expect(told([street, piece('2.', { y: 12 }), next])).toEqual(['address 1 LONG LANE'])
    expect(told([street, piece('2.', { x: 15, y: 12 }), next])).toEqual(['address 1 LONG LANE'])
    expect(told([street, piece('2.', { x: 80, y: 12 }), next])).toEqual(['address 1 LONG LANE ELSEWHERE'])
    expect(told([piece('1. ERIKSSON'), next])).toEqual(['surname ERIKSSON'])
  })
})
