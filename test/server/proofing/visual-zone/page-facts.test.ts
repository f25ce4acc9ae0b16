/** A whole page → its facts, with a layout, words and numbers of the test's own: which layout it is, and what wins. */
import { describe, expect, test } from 'vitest'
import type {
  PageKnowledge,
  PageTemplate,
  PageWords,
} from '../../../../server/proofing/visual-zone/knowledge.ts'
import type { PageFacts } from '../../../../server/proofing/visual-zone/page-facts.ts'
import { readPageFacts } from '../../../../server/proofing/visual-zone/read-facts.ts'
import type { PageContent } from '../../../../server/proofing/visual-zone/text.ts'
import { CONTEXT } from './a-piece.ts'

const WORDS = {
  labels: {
    documentNumber: ['passport no', 'visa no', 'document no'],
    cardNumber: ['card number'],
    surname: ['surname', 'surname in passport'],
    givenNames: ['given names'],
    birthDate: ['date of birth', 'date and place of birth'],
    birthPlace: ['place of birth'],
    issueDate: ['issued'],
    address: ['address'],
    sex: ['sex'],
  },
  notFields: ['height'],
  kinds: [
    { kind: 'PASSPORT', words: ['passport'] },
    { kind: 'VISA', words: ['visa'] },
    { kind: 'IDENTITY_CARD', words: ['identity card'] },
    { kind: 'DRIVING_LICENSE', words: ['driving licence'] },
  ],
  months: CONTEXT.months,
  sexes: CONTEXT.sexes,
  countries: { UTO: ['utopia'], USA: ['united states'], NLD: ['nederland'] },
  states: { USA: { VA: ['virginia'] } },
} as unknown as PageWords

const template = (id: string, over: Partial<PageTemplate> = {}): PageTemplate => ({
  id,
  kinds: ['PASSPORT'],
  countries: [],
  aspect: { least: 1, most: 2 },
  anchors: [],
  leastAnchors: 0,
  dateOrder: 'dmy',
  numbered: {},
  places: {},
  ...over,
})

/** Text, upper left corner, height, confidence: in shares of the page, each letter an eightieth of it wide. */
type Line = readonly [text: string, x: number, y: number, height?: number, confidence?: number]
const LETTER = 1 / 80

function content(lines: readonly Line[], aspect = 2): PageContent {
  return {
    aspect,
    lines: lines.map(([text, x, y, height = 1 / 16, confidence = 0.9]) => {
      let at = x
      const words = text.split(' ').map((word) => {
        const box = { x: at, y, width: word.length * LETTER, height }
        at += box.width + LETTER
        return { text: word, confidence, box }
      })
      return { words, box: { x, y, width: text.length * LETTER, height } }
    }),
  }
}
function read(
  pages: readonly PageContent[],
  templates: readonly PageTemplate[] = [],
  now = CONTEXT.now,
): PageFacts {
  const knowledge: PageKnowledge = { words: WORDS, templates, scripts: {} }
  return readPageFacts(pages, now, knowledge)
}
const factsOf = (lines: readonly Line[], ...templates: readonly PageTemplate[]) =>
  read([content(lines)], templates)
const told = (lines: readonly Line[], ...templates: readonly PageTemplate[]) =>
  factsOf(lines, ...templates).fields.map(({ field, value }) => `${field} ${value}`)

const PASSPORT: Line = ['PASSPORT', 0.7, 0.02, 0.1]
/** A label and, right below it, a value. */
const labelled = (label: string, value: string, y = 0.3): readonly Line[] => [
  [label, 0.1, y],
  [value, 0.1, y + 0.08],
]

describe('the facts of a page', () => {
  test('are its fields, and all that was printed', () => {
    expect(
      read([content([PASSPORT, ['UTOPIA', 0.1, 0.02]]), content(labelled('Surname', 'ERIKSSON'))]),
    ).toEqual({
      template: null,
      kind: 'PASSPORT',
      country: 'UTO',
      state: null,
      fields: [{ field: 'surname', value: 'ERIKSSON', confidence: 0.9, captureIndex: 1, foundBy: 'label' }],
      unreadLines: 0,
      print: [
        { text: 'PASSPORT', confidence: 0.9, captureIndex: 0 },
        { text: 'UTOPIA', confidence: 0.9, captureIndex: 0 },
        { text: 'Surname', confidence: 0.9, captureIndex: 1 },
        { text: 'ERIKSSON', confidence: 0.9, captureIndex: 1 },
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
    const dates = (text: string) => factsOf([[text, 0.1, 0.5, 0.06, 0.7]]).dates
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

describe('the layout of a page', () => {
  const chosen = (lines: readonly Line[], ...templates: readonly PageTemplate[]) =>
    factsOf(lines, ...templates).template
  const SURNAME: Line = ['Surname', 0.1, 0.3]
  const SEX: Line = ['Sex', 0.1, 0.5]

  test.each([
    [{ least: 2, most: 2 }, true],
    [{ least: 2.01, most: 3 }, false],
    [{ least: 1, most: 1.99 }, false],
  ])('has its proportions: %j is %s', (aspect, fits) => {
    expect(chosen([PASSPORT], template('page', { aspect }))).toBe(fits ? 'page' : null)
  })

  test('may be that of one side alone', () => {
    const templates = [template('page')]
    expect(read([content([], 0.5), content([PASSPORT])], templates).template).toBe('page')
    expect(read([content([PASSPORT], 0.5)], templates).template).toBeNull()
  })

  test('is of the kind that the page names', () => {
    const visa = template('visa', { kinds: ['VISA'], anchors: ['surname'] })
    const both = template('both', { kinds: ['VISA', 'PASSPORT'] })
    expect(chosen([PASSPORT, SURNAME], visa)).toBeNull()
    expect(chosen([SURNAME], visa)).toBe('visa')
    expect(chosen([PASSPORT], both)).toBe('both')
  })

  test.each([
    ['NEDERLAND', ['NLD'], true],
    ['NEDERLAND', ['USA', 'NLD'], true],
    ['NEDERLAND', [], true],
    ['NEDERLAND', ['USA'], false],
    ['UTOPIA', ['USA'], true],
    ['ERIKSSON', ['USA'], true],
  ])(
    'is of the country that the page names, and specimens are of any: %s, %j is %s',
    (text, countries, fits) => {
      const lines: readonly Line[] = [PASSPORT, [text, 0.1, 0.02]]
      expect(chosen(lines, template('page', { countries }))).toBe(fits ? 'page' : null)
    },
  )

  test.each([
    ['two of two', [SURNAME, SEX], 2, true],
    ['one of two', [SURNAME], 2, false],
    ['one of two where the kind is named', [PASSPORT, SURNAME], 2, true],
    ['none where the kind is named', [PASSPORT], 1, false],
    ['none of none where the kind is named', [PASSPORT], 0, true],
    ['none of none', [], 0, false],
    ['one of none', [SURNAME], 0, true],
  ] as const)('has the labels that speak for it: %s', (_, lines, leastAnchors, fits) => {
    const anchors = ['surname', 'sex']
    expect(chosen(lines, template('page', { anchors, leastAnchors }))).toBe(fits ? 'page' : null)
  })

  test('has numbers that speak for it, where values stand behind them', () => {
    const numbered = template('page', { anchors: ['1', '2'], leastAnchors: 2 })
    expect(
      chosen(
        [
          ['1. ERIKSSON', 0.1, 0.3],
          ['2. ANNA', 0.1, 0.5],
        ],
        numbered,
      ),
    ).toBe('page')
    expect(
      chosen(
        [
          ['1. ERIKSSON', 0.1, 0.3],
          ['2. A', 0.1, 0.5],
        ],
        numbered,
      ),
    ).toBeNull()
  })

  test('needs one of the labels that it cannot be without', () => {
    const needing = (...needs: readonly string[]) => template('page', { anchors: ['surname'], needs })
    expect(chosen([SURNAME], needing('sex'))).toBeNull()
    expect(chosen([SURNAME], needing('sex', 'surname'))).toBe('page')
    expect(chosen([PASSPORT, SURNAME], needing('sex'))).toBeNull()
  })

  test('is the one for which most speaks, a country as much as two labels', () => {
    const one = template('one', { anchors: ['surname'] })
    const two = template('two', { anchors: ['surname', 'sex', 'address'] })
    const dutch = template('dutch', { countries: ['NLD'] })
    const three = template('three', { anchors: ['surname', 'sex', 'address'] })
    const NLD: Line = ['NEDERLAND', 0.4, 0.02]
    expect(chosen([SURNAME, SEX], one, two)).toBe('two')
    expect(chosen([SURNAME, SEX], two, one)).toBe('two')
    expect(chosen([PASSPORT, SURNAME, NLD], one, dutch)).toBe('dutch')
    expect(chosen([PASSPORT, SURNAME, NLD], dutch, one)).toBe('dutch')
    expect(chosen([PASSPORT, SURNAME, SEX, NLD, ['Address', 0.1, 0.7]], dutch, three)).toBe('three')
    expect(chosen([PASSPORT], template('first'), template('second'))).toBe('first')
  })

  test('tells the kind where it is of one kind only', () => {
    const kindOf = (...kinds: PageTemplate['kinds']) =>
      factsOf([SURNAME], template('page', { kinds, anchors: ['surname'] })).kind
    expect(kindOf('VISA')).toBe('VISA')
    expect(kindOf('VISA', 'PASSPORT')).toBeNull()
    expect(factsOf([PASSPORT], template('page', { kinds: ['PASSPORT', 'VISA'] })).kind).toBe('PASSPORT')
  })

  test('tells the kind for what is known by its form, the first of several', () => {
    const number: Line = ['L898902C3', 0.1, 0.8]
    const ofKinds = (...kinds: PageTemplate['kinds']) =>
      told([SURNAME, number], template('page', { kinds, anchors: ['surname'] }))
    expect(ofKinds('PASSPORT', 'VISA')).toEqual(['documentNumber L898902C3'])
    expect(ofKinds('VISA', 'PASSPORT')).toEqual([])
    expect(told([SURNAME, number])).toEqual([])
    expect(told([PASSPORT, number])).toEqual(['documentNumber L898902C3'])
  })
})

describe('the order of day and month', () => {
  const issued = labelled('Issued', '05/04/2024')
  const mdy = template('page', { dateOrder: 'mdy' })

  test('is the layout’s, else that of the United States, else unknown', () => {
    expect(told([PASSPORT, ...issued], mdy)).toEqual(['issueDate 2024-05-04'])
    expect(told([PASSPORT, ...issued], template('page'))).toEqual(['issueDate 2024-04-05'])
    expect(told([['UNITED STATES', 0.5, 0.02], ...issued])).toEqual(['issueDate 2024-05-04'])
    expect(told([['NEDERLAND', 0.5, 0.02], ...issued])).toEqual([])
    expect(told(issued)).toEqual([])
  })

  test('is what several dates of the page allow', () => {
    const others: readonly Line[] = [
      ['25/04/1984', 0.6, 0.6],
      ['26/05/1984', 0.6, 0.8],
    ]
    expect(factsOf([PASSPORT, ...issued, ...others], mdy).fields).toContainEqual(
      expect.objectContaining({ field: 'issueDate', value: '2024-04-05', foundBy: 'label' }),
    )
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

  test('goes on in the next line where it is an address or a surname', () => {
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
})

describe('the number of a field', () => {
  const licence = template('page', {
    kinds: ['DRIVING_LICENSE'],
    numbered: {
      1: { field: 'surname', form: 'name' },
      5: { field: 'documentNumber', form: 'number' },
    },
  })
  const TITLE: Line = ['DRIVING LICENCE', 0.6, 0.02, 0.1]
  const valuesOf = (...lines: readonly Line[]) => told([TITLE, ...lines], licence)

  test('counts in a layout that has it', () => {
    expect(valuesOf(['1. ERIKSSON', 0.1, 0.3], ['5. L898902C3', 0.1, 0.5])).toEqual([
      'documentNumber L898902C3',
      'surname ERIKSSON',
    ])
    expect(told([TITLE, ['5. L898902C3', 0.1, 0.5]])).toEqual([])
  })

  test('may stand before the label of the field', () => {
    expect(valuesOf(['1 Surname ERIKSSON', 0.1, 0.3])).toEqual(['surname ERIKSSON'])
    expect(valuesOf(['1 Surname', 0.1, 0.3], ['ERIKSSON', 0.24, 0.3])).toEqual(['surname ERIKSSON'])
    expect(valuesOf(['1 VAN ERIKSSON', 0.1, 0.3])).toEqual(['surname VAN ERIKSSON'])
    expect(factsOf([TITLE, ['1 Surname ERIKSSON', 0.1, 0.3]], licence).fields).toMatchObject([
      { value: 'ERIKSSON', foundBy: 'template' },
    ])
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
