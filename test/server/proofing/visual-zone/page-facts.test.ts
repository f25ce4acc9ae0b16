/** A whole page → its facts: what labels and places name, and which of several readings wins. */
import { describe, expect, test } from 'vitest'
import type { PageTemplate } from '../../../../server/proofing/visual-zone/knowledge.ts'
import { content, factsOf, labelled, PASSPORT, read, template, told, type Line } from './a-page.ts'

describe('the facts of a page', () => {
  test('are its fields, and all that was printed', () => {
    expect(
      read([content([PASSPORT, ['UTOPIA', 0.1, 0.02]]), content(labelled('Surname', 'ERIKSSON'))]),
    ).toMatchObject({
      template: null,
      kind: 'PASSPORT',
      country: 'UTO',
      state: null,
      fields: [{ field: 'surname', value: 'ERIKSSON', confidence: 0.9, captureIndex: 1, foundBy: 'label' }],
      unreadLines: 0,
      print: [
        { text: 'PASSPORT', confidence: 0.9, captureIndex: 0 },
        { text: 'UTOPIA', confidence: 0.9, captureIndex: 0 },
        { text: 'Surname', confidence: 0.9, captureIndex: 1, isLabel: true },
        { text: 'ERIKSSON', confidence: 0.9, captureIndex: 1, isLabel: false },
      ],
      dates: [],
    })
    expect(read([])).toEqual({
      template: null,
      kind: null,
      country: null,
      state: null,
      fields: [],
      unreadLines: 0,
      print: [],
      dates: [],
    })
    expect(factsOf([['VIRGINIA', 0.1, 0.1]])).toMatchObject({ country: 'USA', state: 'VA' })
  })

  test('are every date, as a birth and as an expiry', () => {
    const dates = (text: string) =>
      factsOf([[text, 0.1, 0.5, 0.06, 0.7]]).dates?.map(({ value, confidence }) => ({ value, confidence }))
    expect(dates('12.08.74')).toEqual([
      { value: '1974-08-12', confidence: 0.7 },
      { value: '2074-08-12', confidence: 0.7 },
    ])
    expect(dates('03/2029')).toEqual([{ value: '2029-03', confidence: 0.7 }])
    expect(dates('XX AUG 1974')).toEqual([{ value: '1974-08', confidence: 0.7 }])
    expect(dates('ERIKSSON')).toEqual([])
  })

  test.each([
    ['vesti', 0.49, 1],
    ['ves', 0.49, 1],
    ['ve', 0.49, 0],
    ['v --', 0.49, 0],
    ['vesti', 0.5, 0],
  ])('are how many lines could not be read: %j at %d is %i', (text, confidence, count) => {
    expect(factsOf([[text, 0.1, 0.5, 0.06, confidence]]).unreadLines).toBe(count)
  })

  test('have no unread line where one word was read', () => {
    const box = { x: 0, y: 0, width: 0.1, height: 0.1 }
    const words = [
      { text: 'vesti', confidence: 0.2, box },
      { text: 'pravo', confidence: 0.8, box },
    ]
    expect(read([{ aspect: 2, lines: [{ words, box }] }]).unreadLines).toBe(0)
  })
})

describe('the value of a label', () => {
  test('of a number is not the passport’s on a visa', () => {
    const visa: Line = ['VISA', 0.7, 0.02, 0.1]
    expect(told([visa, ...labelled('Passport no', 'L898902C3')])).toEqual([])
    expect(told([visa, ...labelled('Visa no', 'V8989023')])).toEqual(['documentNumber V8989023'])
    expect(told([visa, ...labelled('Surname in passport', 'ERIKSSON')])).toEqual(['surname ERIKSSON'])
    expect(told([PASSPORT, ...labelled('Passport no', '898902123')])).toEqual(['documentNumber 898902123'])
  })

  test.each([
    ['IDENTITY CARD', 'documentNumber'],
    ['DRIVING LICENCE', 'cardNumber'],
    ['ERIKSSON', 'cardNumber'],
  ])('of the card on %s is the %s', (title, field) => {
    expect(told([[title, 0.5, 0.02, 0.1], ...labelled('Card number', '1234 5678')])).toEqual([
      `${field} 12345678`,
    ])
  })

  test('is never a label, and none of what is no field', () => {
    expect(told(labelled('Given names', 'Surname'))).toEqual([])
    expect(told(labelled('Height', '172 cm'))).toEqual([])
  })

  test.each([
    ['Surname', 'ERIKSSON, ANNA', 'fullName ERIKSSON, ANNA'],
    ['Surname', 'ERIKSSON,ANNA', 'fullName ERIKSSON,ANNA'],
    ['Surname', 'ERIKSSON,', 'surname ERIKSSON'],
    ['Surname', '. ERIKSSON, ANNA', 'surname ERIKSSON ANNA'],
    ['Surname', 'ERIKSSON , , A', 'surname ERIKSSON A'],
    ['Given names', 'ANNA, MARIA', 'givenNames ANNA MARIA'],
    ['Place of birth', 'ZENITH, UTOPIA', 'birthPlace ZENITH, UTOPIA'],
  ])('%s %j is the %s', (label, value, expected) => {
    expect(told(labelled(label, value))).toEqual([expected])
  })

  test('is that of the nearest of two labels', () => {
    const far: readonly Line[] = [
      ['Surname', 0.1, 0.1],
      ['FAR', 0.1, 0.3],
    ]
    const near: readonly Line[] = [
      ['Surname', 0.6, 0.6],
      ['NEAR', 0.6, 0.68],
    ]
    expect(told([...far, ...near])).toEqual(['surname NEAR'])
    expect(told([...near, ...far])).toEqual(['surname NEAR'])
  })

  test.each([
    ['Date and place of birth', '12.08.1974 ZENITH', ['birthDate 1974-08-12', 'birthPlace ZENITH']],
    ['Place of birth', '12.08.1974 ZENITH', ['birthDate 1974-08-12', 'birthPlace ZENITH']],
    ['Date of birth', '12.08.1974', ['birthDate 1974-08-12']],
    ['Date of birth', '12.08.1974 12', ['birthDate 1974-08-12']],
    ['Place of birth', 'ZENITH', ['birthPlace ZENITH']],
    ['Issued', '12.08.1974 ZENITH', ['issueDate 1974-08-12']],
  ])('%s %j is a date, a place or both', (label, value, expected) => {
    expect(told(labelled(label, value))).toEqual(expected)
  })

  test('continues in the next line where it is an address or a surname', () => {
    const next = (text: string): Line => [text, 0.1, 0.46]
    expect(told([...labelled('Address', '1 LONG LANE'), next('ELSEWHERE')])).toEqual([
      'address 1 LONG LANE ELSEWHERE',
    ])
    expect(told([...labelled('Surname', 'VAN'), next('QUILL')])).toEqual(['surname VAN QUILL'])
    expect(told([...labelled('Given names', 'ANNA'), next('QUILL')])).toEqual(['givenNames ANNA'])
  })
})

describe('the place of a value', () => {
  const place = { x: 0.25, y: 0.25, width: 0.25, height: 0.25 }
  const placed = template('page', { places: { surname: place } })
  const at = (x: number, y: number) => told([PASSPORT, ['ERIKSSONXX', x, y]], placed)

  test.each([
    [0.1875, 0.3, true],
    [0.18, 0.3, false],
    [0.4375, 0.3, true],
    [0.44, 0.3, false],
    [0.3, 0.21875, true],
    [0.3, 0.21, false],
    [0.3, 0.46875, true],
    [0.3, 0.47, false],
  ])('holds the middle of it: at %d, %d is %s', (x, y, isInside) => {
    expect(at(x, y)).toEqual(isInside ? ['surname ERIKSSONXX'] : [])
  })

  test('is one of the front', () => {
    const back = content([['ERIKSSON', 0.3, 0.3]])
    expect(read([content([PASSPORT]), back], [placed]).fields).toEqual([])
    expect(told([PASSPORT, ['ERIKSSON', 0.3, 0.3]])).toEqual([])
  })

  test('has the first text of its form', () => {
    const lines: readonly Line[] = [
      PASSPORT,
      ['12345', 0.3, 0.26],
      ['ERIKSSON', 0.3, 0.34, 0.06, 0.7],
      ['B', 0.3, 0.42],
    ]
    expect(factsOf(lines, placed).fields).toEqual([
      { field: 'surname', value: 'ERIKSSON', confidence: 0.7, captureIndex: 0, foundBy: 'template' },
    ])
    expect(told([PASSPORT, ['12345', 0.3, 0.26]], placed)).toEqual([])
  })

  test('has the first line of an address', () => {
    const address = template('page', { places: { address: place } })
    expect(told([PASSPORT, ['1 LONG LANE', 0.3, 0.4], ['ELSEWHERE', 0.3, 0.48]], address)).toEqual([
      'address 1 LONG LANE ELSEWHERE',
    ])
    expect(told([PASSPORT, ['ERIKSSON', 0.3, 0.4], ['ELSEWHERE', 0.3, 0.48]], placed)).toEqual([
      'surname ERIKSSON',
    ])
  })

  test('takes no name for an address, and no single letter for a whole name', () => {
    const address = template('page', { places: { address: place } })
    const below: Line = ['1 LONG LANE', 0.3, 0.42]
    expect(told([PASSPORT, ['ANNA ERIKSSON', 0.3, 0.26], below], address)).toEqual(['address 1 LONG LANE'])
    const name = template('page', { places: { fullName: place } })
    expect(told([PASSPORT, ['S', 0.3, 0.26], ['ANNA ERIKSSON', 0.3, 0.42]], name)).toEqual([
      'fullName ANNA ERIKSSON',
    ])
    expect(told([PASSPORT, ['S', 0.3, 0.26]], name)).toEqual([])
  })
})

test('of several readings the number’s counts first, then the label’s, the place’s and the form’s', () => {
  const number = { 5: { field: 'documentNumber', form: 'number' } } as const
  const places = { documentNumber: { x: 0.5, y: 0.5, width: 0.5, height: 0.2 } }
  const lines: readonly Line[] = [
    ['5. A1111111', 0.1, 0.1],
    ...labelled('Document no', 'B2222222'),
    ['C3333333', 0.6, 0.55],
  ]
  const page = (left: number) => [PASSPORT, ...lines.slice(left)]
  const both = template('page', { numbered: number, places })
  const foundBy = (left: number, of: PageTemplate) =>
    factsOf(page(left), of).fields.map((one) => [one.value, one.foundBy])
  expect(foundBy(0, both)).toEqual([['A1111111', 'template']])
  expect(foundBy(1, both)).toEqual([['B2222222', 'label']])
  expect(foundBy(3, both)).toEqual([['C3333333', 'template']])
  expect(foundBy(3, template('page'))).toEqual([['C3333333', 'form']])
})

test('a guess behind a number yields to what a label says', () => {
  const numbered = template('page', { numbered: { 2: { field: 'givenNames', form: 'name' } } })
  const lines = (confidence: number): readonly Line[] => [
    PASSPORT,
    ['2. Se A', 0.5, 0.7, 1 / 16, confidence],
    ...labelled('Given names', 'BASTIAN'),
  ]
  const given = (confidence: number) => told(lines(confidence), numbered)
  expect(given(0.23)).toContain('givenNames BASTIAN')
  expect(given(0.9)).toContain('givenNames Se A')
})

test('the second language of a label begins no value of its own', () => {
  const lines = (second: string): readonly Line[] => [
    PASSPORT,
    ['Place of birth', 0.1, 0.3],
    [second, 0.3, 0.3],
    ['NEW AMAUROT CITY CENTRE', 0.1, 0.38],
  ]
  // Each letter is an eightieth of the page wide: a word begins below the second label.
  expect(told(lines('Place of birth'))).toContain('birthPlace NEW AMAUROT CITY CENTRE')
  expect(told(lines('Nationality'))).not.toContain('birthPlace NEW AMAUROT CITY CENTRE')
})

describe('a nationality without a label', () => {
  const nationality = (text: string, confidence = 0.9, ...more: readonly Line[]) =>
    factsOf([PASSPORT, [text, 0.4, 0.5, 1 / 16, confidence], ...more]).nationality

  test('is that of the people whom one piece of print names, in one language or two', () => {
    expect(nationality('NEDERLANDSE')).toBe('NLD')
    expect(nationality('Nederlandse/Dutch')).toBe('NLD')
    expect(nationality('Utopian', 0.7)).toBe('UTO')
  })

  test.each([
    ['the name of the country, which is the title of the page', 'UTOPIA', 0.9],
    ['the name of the country beside its people', 'Utopia/Utopian', 0.9],
    ['a word that was not read surely', 'Utopian', 0.69],
    ['a word of a longer line', 'DUTCH AUTHORITY', 0.9],
    ['a word of two states in two languages', 'Dutch/American', 0.9],
  ])('is not told by %s', (_case, text, confidence) => {
    expect(nationality(text, confidence)).toBeUndefined()
  })

  test('is not told where two pieces name different states', () => {
    expect(nationality('Dutch', 0.9, ['American', 0.4, 0.7])).toBeUndefined()
  })

  test('gives way to the one that has a label', () => {
    const words = factsOf([PASSPORT, ['Dutch', 0.4, 0.7], ...labelled('Nationality', 'UTOPIAN')])
    expect(words.nationality).toBe('UTO')
  })
})

test('of three dates the first is no issue, whatever label was read above it; a person’s number is not the document’s', () => {
  const dates: readonly Line[] = [
    ['24.08.1974', 0.1, 0.4],
    ['01.07.2009', 0.1, 0.6],
    ['01.07.2014', 0.1, 0.8],
  ]
  const issue = (label: string) =>
    factsOf([[label, 0.1, 0.3], ...dates]).fields.find(({ field }) => field === 'issueDate')?.value
  expect(issue('Issued')).toBe('2009-07-01')
  expect(issue('Unread')).toBe('2009-07-01')
})
