/** Pieces of text on a page: what stands apart, what is level, and which value they hold. */
import { describe, expect, test } from 'vitest'
import type { PageFieldName } from '../../../../server/proofing/visual-zone/page-facts.ts'
import {
  areLevel,
  computeConfidence,
  splitSegments,
  splitAtLabels,
  withoutFirst,
} from '../../../../server/proofing/visual-zone/segments.ts'
import { FORM_OF, readValue } from '../../../../server/proofing/visual-zone/values.ts'
import { CONTEXT, piece } from './a-piece.ts'

describe('pieces', () => {
  test('continue with the year of a date that is set apart, and the year is no piece of its own', () => {
    const box = (x: number, width: number, y = 0.4) => ({ x, y, width, height: 0.05 })
    const of = (...texts: readonly (readonly [string, number, number, number?])[]) =>
      splitSegments([
        {
          aspect: 1,
          lines: texts.map(([text, x, width, y]) => ({
            words: text.split(' ').map((word) => ({ text: word, confidence: 0.9, box: box(x, width, y) })),
            box: box(x, width, y),
          })),
        },
      ]).map(({ text }) => text)
    expect(of(['01 JAN /JAN', 0.3, 0.2], ['85', 0.53, 0.03])).toEqual(['01 JAN /JAN 85'])
    expect(of(['01 MAR', 0.3, 0.11], ['R 2024', 0.4, 0.11])).toEqual(['01 MAR 2024'])
    expect(of(['01 JAN', 0.3, 0.2], ['85', 0.63, 0.03])).toEqual(['01 JAN', '85'])
    expect(of(['01 JAN', 0.3, 0.2], ['85', 0.53, 0.03, 0.5])).toEqual(['01 JAN', '85'])
    expect(of(['JAN', 0.3, 0.2], ['85', 0.53, 0.03])).toEqual(['JAN', '85'])
  })

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
    expect(splitSegments(pages)).toEqual([
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

  test.each([
    ['15SEX', '15 SEX'],
    ['15SEX.F', '15 SEX F'],
    ['15SEXM', '15 SEX M'],
    ['SEX:F', 'SEX F'],
    ['4bEXP', '4b EXP'],
    ['17.10.2003', '17.10.2003'],
    ['A.B', 'A.B'],
  ])('are a number, a label and a value where a reader joined them: %s is %s', (text, parted) => {
    const box = { x: 0.1, y: 0.4, width: 0.5, height: 0.2 }
    const lines = [{ box, words: [{ text, confidence: 0.9, box }] }]
    expect(splitSegments([{ aspect: 2, lines }]).map((segment) => segment.text)).toEqual([parted])
  })

  test('continue without their first words, or are nothing', () => {
    const rest = withoutFirst(piece('Name ANNA Maria', { x: 100 }), 1)
    expect(rest).toMatchObject({ text: 'ANNA Maria', bare: 'anna maria', x: 125, width: 50 })
    expect(rest?.words).toHaveLength(2)
    expect(withoutFirst(piece('Name'), 1)).toBeNull()
  })

  test.each([
    ['15SEXM', '15 SEX M'],
    ['15sex F', '15 sex F'],
    ['4bEXP 01/02/2030', '4b EXP 01/02/2030'],
    ['3DOB', '3 DOB'],
    ['12MAR 2020', '12 MAR 2020'],
    // Numbers of documents, ordinals and words in which a label happens to begin stay whole.
    ['L898902C3', 'L898902C3'],
    ['123ABC', '123ABC'],
    ['5TH AVENUE', '5TH AVENUE'],
    ['SEXTON', 'SEXTON'],
  ])('part what a reader joined: %s is %s', (text, parted) => {
    const { words, box } = { words: piece(text).words, box: { x: 0, y: 0, width: 100, height: 10 } }
    const [found] = splitSegments([{ aspect: 1, lines: [{ words, box }] }])
    expect(found.text).toBe(parted)
    // The parts lie where the letters were: none begins before the one to its left ends.
    found.words.slice(1).forEach(({ box: own }, i) => {
      const left = found.words[i].box
      expect(own.x).toBeGreaterThanOrEqual(left.x + left.width)
    })
  })

  test('are two where the second begins below a label of its own, and one where other print lies between', () => {
    const value = piece('WINTERMOOR KESTRELL', { y: 30 })
    const label = piece('Code', { x: 55, y: 12 })
    const texts = (...others: ReturnType<typeof piece>[]) =>
      splitAtLabels([value, ...others], [label]).map(({ text }) => text)
    expect(texts()).toEqual(['WINTERMOOR', 'KESTRELL'])
    expect(texts(piece('UTO', { x: 55, y: 22, height: 6 }))).toEqual(['WINTERMOOR KESTRELL', 'UTO'])
    expect(texts(piece('UTO', { x: 200, y: 22, height: 6 }))).toEqual(['WINTERMOOR', 'KESTRELL', 'UTO'])
  })

  test('are as certain as their least certain word', () => {
    const [sure, unsure] = [piece('A', { confidence: 0.9 }), piece('B', { confidence: 0.3 })]
    expect(computeConfidence([...sure.words, ...unsure.words])).toBe(0.3)
    expect(computeConfidence([])).toBe(0)
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
    // A month in two languages bears itself out; day and year have no second source.
    const twice = (confidence: readonly number[]) =>
      readValue(piece('12 AUG /AUG 1974', { confidence }), 'birthDate', CONTEXT)?.confidence
    expect(twice([0.97, 0.6, 0.9, 0.98])).toBeCloseTo(0.96)
    expect(twice([0.97, 0.9, 0.9, 0.7])).toBe(0.7)
    expect(value('17.08.03-09.08.2013', 'expiryDate')).toBe('2013-08-09')
    expect(value('17.08.03-09.08.2013', 'issueDate')).toBe('2003-08-17')
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
    ['((F))', 'F'],
    ['AVIF', null],
    ['VIFA', null],
    ['V//F', null],
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
    ['12 3A45', '12 3A45', 2],
    ['A12 345', 'A12 345', 2],
    ['««L898902C3»»', 'L898902C3', 1],
    ['A1234))', 'A1234', 1],
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
    expect(
      readValue(piece('L898902C3 Surname', { confidence: [0.9, 0.2] }), 'documentNumber', CONTEXT),
    ).toEqual({
      value: 'L898902C3',
      confidence: 0.9,
      usedWords: 1,
    })
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
})
