/** Tests what needs no label: dates in the order of a life, a letter for the sex, a number by itself, the lines of a Medicare card. */
import { describe, expect, test } from 'vitest'
import { formFields } from '../../../../server/proofing/visual-zone/by-form.ts'
import type { DocumentKind } from '../../../../server/proofing/visual-zone/knowledge.ts'
import type { PageField, PageFieldName } from '../../../../server/proofing/visual-zone/page-facts.ts'
import type { Segment } from '../../../../server/proofing/visual-zone/segments.ts'
import { CONTEXT, piece } from './a-piece.ts'

const fieldsOf = (kind: DocumentKind | null, ...pieces: readonly Segment[]) =>
  formFields(pieces, kind, CONTEXT)
/** `name value`, as many as were found. */
const told = (kind: DocumentKind | null, ...pieces: readonly Segment[]) =>
  fieldsOf(kind, ...pieces).map(({ field, value }) => `${field} ${value}`)
const field = (name: PageFieldName, value: string, over: Partial<PageField> = {}): PageField => ({
  field: name,
  value,
  confidence: 0.9,
  captureIndex: 0,
  foundBy: 'form',
  ...over,
})

describe('on a Medicare card', () => {
  const card = (text: string) => told('MEDICARE', piece(text))

  test.each(['2123456701', '2123 45670 1', '2123 45670 1 1', '2123 456701 1', '2123456701 1 1'])(
    'the number is ten digits whose ninth is right: %j',
    (text) => {
      expect(card(text)).toEqual(['documentNumber 2123456701'])
    },
  )

  test.each(['2123 45671 1', '2123 45670', '2123 45670 1 1 1', '2123 45670 1x', 'x2123456701', '1123456701'])(
    'no number is %j',
    (text) => {
      expect(card(text)).toEqual([])
    },
  )

  test('the name stands behind the number of the person and has two words at least', () => {
    expect(card('1 CELESTE M CASTELMARE')).toEqual(['fullName CELESTE M CASTELMARE'])
    expect(card('9 ÉLISE MOREL')).toEqual(['fullName ÉLISE MOREL'])
    for (const text of [
      '1 CELESTE',
      '0 CELESTE MARTHE',
      'A 1 CELESTE MARTHE',
      '1 2 CELESTE',
      '12 ANNA MARIA',
    ])
      expect(card(text), text).toEqual([])
  })

  test.each([
    ['VALID TO 05/2029', '2029-05'],
    ['valid to 05/2029 only', '2029-05'],
    ['VALID 12.08.2029', '2029-08-12'],
    ['05/2029', '2029-05'],
    ['EXP 05/2029', '2029-05'],
    ['EXP 05.2029', '2029-05'],
    ['EXP 05-2029', '2029-05'],
  ])('the last month or day of %j is %s', (text, value) => {
    expect(card(text)).toEqual([`expiryDate ${value}`])
  })

  test.each(['VALID TO', 'INVALID 05/2029 or so', 'VALIDITY 05/2029 or so', '05/2029 or so', '12.08.2029'])(
    'no last day is told by %j',
    (text) => {
      expect(card(text)).toEqual([])
    },
  )

  test('each is as certain as the words that say it, and of the side that they stand on', () => {
    const back = { captureIndex: 1 }
    expect(
      fieldsOf(
        'MEDICARE',
        piece('2123 45670 1', { ...back, confidence: [0.9, 0.7, 0.8] }),
        piece('1 ANNA MARIA', { ...back, confidence: [0.3, 0.8, 0.9] }),
        piece('VALID TO 05/2029', { ...back, confidence: [0.1, 0.2, 0.6] }),
      ),
    ).toEqual([
      field('documentNumber', '2123456701', { ...back, confidence: 0.7 }),
      field('fullName', 'ANNA MARIA', { ...back, confidence: 0.8 }),
      field('expiryDate', '2029-05', { ...back, confidence: 0.6 }),
    ])
  })

  test('a single name in capitals below the number is the name, if the digit before it was not read', () => {
    const number = piece('2123 45670 1', { y: 40 })
    const name = (text: string, y: number) => piece(text, { y, confidence: 0.8 })
    expect(
      fieldsOf('MEDICARE', number, name('ANNA MARIA', 60), piece('VALID TO 05/2029', { y: 80 }))[2],
    ).toEqual(field('fullName', 'ANNA MARIA', { confidence: 0.8 }))
    const names = (...lines: readonly Segment[]) => told('MEDICARE', number, ...lines).slice(1)
    expect(names(name('SPECIMEN CARD', 10))).toEqual([])
    expect(names(name('ANNA MARIA', 60), name('PAUL SMITH', 75))).toEqual([])
    expect(names(name('ANNA MARIA', 60), name('1 PAUL SMITH', 75))).toEqual(['fullName PAUL SMITH'])
    expect(names(name('VALID TO', 60))).toEqual([])
    expect(told('MEDICARE', name('ANNA MARIA', 60))).toEqual([])
  })

  test('nothing else is told by its form', () => {
    expect(told('MEDICARE', piece('F'), piece('22.11.2026'), piece('AB1234567'))).toEqual([])
  })
})

test('on a page of an unknown kind dates and sex are told by their form, and no number is', () => {
  expect(told(null, piece('F'), piece('22.11.2027'), piece('AB1234567'))).toEqual([
    'expiryDate 2027-11-22',
    'sex F',
  ])
  expect(fieldsOf('PASSPORT')).toEqual([])
})

describe('a card without labels', () => {
  const confirmed = (text: string, over: Partial<Segment> = {}): Segment => {
    const one = piece(text, over)
    return { ...one, words: one.words.map((word) => ({ ...word, isConfirmed: true })) }
  }
  const DATE = confirmed('22.05.1975', { y: 60 })

  test('has surname and given names above its first date, in the same column', () => {
    const names = [confirmed('ACAR', { y: 20 }), confirmed('HAKAN', { y: 40 })]
    expect(told('IDENTITY_CARD', ...names, DATE)).toEqual(['surname ACAR', 'givenNames HAKAN'])
    expect(told('PASSPORT', ...names, DATE)).toEqual([])
    expect(told('IDENTITY_CARD', names[0], DATE)).toEqual([])
    expect(told('IDENTITY_CARD', names[0], confirmed('HAKAN', { y: 40, x: 5 }), DATE)).toEqual([])
    expect(told('IDENTITY_CARD', names[0], confirmed('HAKAN', { y: 70 }), DATE)).toEqual([])
    expect(told('IDENTITY_CARD', names[0], confirmed('HAKAN 2', { y: 40 }), DATE)).toEqual([])
  })

  test('has names that one reader was sure of, where the other read another letter', () => {
    const read = (confidence: number) => piece('HAKAN', { y: 40, confidence })
    const surname = confirmed('ACAR', { y: 20 })
    expect(told('IDENTITY_CARD', surname, read(0.84), DATE)).toEqual(['surname ACAR', 'givenNames HAKAN'])
    expect(told('IDENTITY_CARD', surname, read(0.83), DATE)).toEqual([])
  })

  test('whose kind is not known has a number where it has names', () => {
    const names = [confirmed('SOJLI', { y: 20 }), confirmed('MONIKA', { y: 40 })]
    const number = piece('200000907', { x: 300, confidence: 0.84 })
    expect(told(null, number, DATE)).toEqual([])
    expect(told(null, ...names, number, DATE)).toEqual([
      'documentNumber 200000907',
      'surname SOJLI',
      'givenNames MONIKA',
    ])
  })

  test.each([
    ['E/M', ['sex M']],
    ['V/F', ['sex F']],
    ['M/F', []],
    ['E/K/M', []],
  ])('has the sex in two languages: %s', (text, sexes) => {
    expect(told('IDENTITY_CARD', piece(text))).toEqual(sexes)
  })

  test('has the state’s code behind its own sign', () => {
    const states = { ...CONTEXT, states: new Set(['TUR']) }
    const of = (text: string) => formFields([piece(text)], 'IDENTITY_CARD', states).map(({ value }) => value)
    expect(of('T.C./TUR')).toEqual(['TUR'])
    expect(of('T.C./XYZ')).toEqual([])
  })
})

describe('a driving licence whose small numbers were not read', () => {
  const line = (text: string, y: number, x = 0) => piece(text, { x, y })
  const [SURNAME, GIVEN] = [line('ŁUKASIK', 0), line('BIRGIT ADELA', 20)]
  const DATES = [line('28.11.2002 MIRADOR', 40), line('17.04.2020', 60), line('16.04.2030', 80)]
  const names = (...pieces: readonly Segment[]) =>
    told('DRIVING_LICENSE', ...pieces).filter((one) => !one.includes('Date'))

  test('has its names right above the dates of a life, and the place of birth behind the first', () => {
    expect(names(SURNAME, GIVEN, ...DATES)).toEqual([
      'surname ŁUKASIK',
      'givenNames BIRGIT ADELA',
      'birthPlace MIRADOR',
    ])
  })

  test.each([
    ['a line is missing between', [line('ŁUKASIK', -20), line('BIRGIT ADELA', 0), ...DATES]],
    ['one name alone stands there', [GIVEN, ...DATES]],
    ['the names begin in another column', [line('ŁUKASIK', 0, 5), GIVEN, ...DATES]],
    ['a line above them is no name', [line('LICENCE 7', 0), GIVEN, ...DATES]],
    [
      'the dates are in another order',
      [SURNAME, GIVEN, DATES[1], line('28.11.2002', 60), DATES[2]].map((one, i) => ({ ...one, y: i * 20 })),
    ],
    ['a date is missing', [SURNAME, GIVEN, DATES[0], DATES[1]]],
    ['they are on the back', [SURNAME, GIVEN, ...DATES].map((one) => ({ ...one, captureIndex: 1 }))],
  ])('has no names by their place where %s', (_, pieces) => {
    expect(names(...pieces)).toEqual([])
  })

  test('no other document is read so', () => {
    expect(
      told('RESIDENT_CARD', SURNAME, GIVEN, ...DATES).filter((one) => one.startsWith('surname')),
    ).toEqual([])
  })
})

describe('an address', () => {
  const line = piece('ELSEWHERE VA 23269')

  test('is told by its form on licences alone', () => {
    expect(fieldsOf('DRIVING_LICENSE', line)).toEqual([field('address', 'ELSEWHERE VA 23269')])
    expect(fieldsOf('IDENTITY_CARD', line)).toEqual([])
    expect(fieldsOf('PASSPORT', line)).toEqual([])
  })

  test('is no date', () => {
    expect(told('DRIVING_LICENSE', piece('12 AUG 1974'))).toEqual([])
    expect(told('DRIVING_LICENSE', piece('12 AUG 1974'), line)).toEqual(['address ELSEWHERE VA 23269'])
  })
})

describe('a letter for the sex', () => {
  test.each([
    ['F', {}, true],
    ['M', {}, true],
    ['F', { confidence: 0.75 }, true],
    ['F', { confidence: 0.74 }, false],
    ['F', { height: 0.015 }, true],
    ['F', { height: 0.0149 }, false],
    ['f', {}, false],
    ['X', {}, false],
    ['FM', {}, false],
    ['SF', {}, false],
  ])('stands by itself: %j at %j is %s', (text, over, isOne) => {
    expect(told('PASSPORT', piece(text, over))).toEqual(isOne ? [`sex ${text}`] : [])
  })

  test('on the document decides where another one lies beside it', () => {
    const at = (x: number) => ({ x, y: 0.2, width: 0.02, height: 0.02 })
    expect(told('PASSPORT', piece('M', at(-0.4)), piece('F', at(0.5)), piece('M', at(1.2)))).toEqual([
      'sex F',
    ])
    expect(told('PASSPORT', piece('M', at(-0.4)), piece('F', at(1.2)))).toEqual([])
    expect(told('PASSPORT', piece('M', at(-0.4)))).toEqual(['sex M'])
  })

  test('says nothing beside the other one, unless that was read with doubt', () => {
    expect(told('PASSPORT', piece('M'), piece('F'))).toEqual([])
    expect(told('PASSPORT', piece('M', { confidence: 0.5 }), piece('F'))).toEqual(['sex F'])
    expect(
      fieldsOf(
        'PASSPORT',
        piece('F', { confidence: 0.8, captureIndex: 1 }),
        piece('F', { confidence: 0.95 }),
      ),
    ).toEqual([field('sex', 'F', { confidence: 0.8, captureIndex: 1 })])
  })
})

describe('three dates of one side', () => {
  const dates = (...texts: readonly string[]) => told('PASSPORT', ...texts.map((text) => piece(text)))
  const LIFE = ['birthDate 1974-08-12', 'issueDate 2010-01-01', 'expiryDate 2020-01-01']

  test('are birth, issue and expiry in the order of a life, wherever they stand', () => {
    expect(dates('01.01.2020', '12.08.1974', '01.01.2010')).toEqual(LIFE)
    expect(dates('12 AUG 1974', 'no date', '01.01.2020', '01.01.2010', '01.01.2010')).toEqual(LIFE)
    expect(dates('12.08.1974', '01.01.2010', '03/2020')).toEqual([...LIFE.slice(0, 2), 'expiryDate 2020-03'])
  })

  test('of two, the first is a birth where it lies twelve years before the other', () => {
    expect(dates('12.08.1974', '01.01.2010')).toEqual(['birthDate 1974-08-12'])
    expect(dates('12.08.1974', '01.01.2010', '12.08.1974')).toEqual(['birthDate 1974-08-12'])
    expect(dates('12.08.1974', '01.01.1986')).toEqual(['birthDate 1974-08-12'])
    expect(dates('12.08.1974', '31.12.1985')).toEqual([])
    const unsure = piece('01.01.2010', { confidence: 0.8 })
    expect(told('PASSPORT', piece('12.08.1974'), unsure)).toEqual([])
  })

  test('are not four', () => {
    expect(dates('12.08.1974', '01.01.2010', '01.01.2015', '01.01.2020')).toEqual([])
  })

  test('stand on one side, the first that has three', () => {
    const onBack = (text: string, confidence = 0.9) => piece(text, { captureIndex: 1, confidence })
    expect(told('PASSPORT', piece('12.08.1974'), piece('01.01.2010'), onBack('01.01.2020'))).toEqual([])
    const back = { captureIndex: 1 }
    expect(
      fieldsOf(
        'PASSPORT',
        piece('12.08.1974', { confidence: 0.4 }),
        onBack('12.08.1974', 0.8),
        onBack('01.01.2010', 0.7),
        onBack('01.01.2020', 0.6),
      ),
    ).toEqual([
      field('birthDate', '1974-08-12', { ...back, confidence: 0.8 }),
      field('issueDate', '2010-01-01', { ...back, confidence: 0.7 }),
      field('expiryDate', '2020-01-01', { ...back, confidence: 0.6 }),
    ])
  })
})

describe('a day that lies ahead', () => {
  test('is the expiry', () => {
    expect(
      fieldsOf(
        'IDENTITY_CARD',
        piece('01.01.2020'),
        piece('22.11.2026', { confidence: 0.7, captureIndex: 1 }),
      ),
    ).toEqual([field('expiryDate', '2026-11-22', { confidence: 0.7, captureIndex: 1 })])
    expect(told('IDENTITY_CARD', piece('12/2026'))).toEqual(['expiryDate 2026-12'])
  })

  test('is not today, and not one of two', () => {
    expect(told('IDENTITY_CARD', piece('21.11.2026'))).toEqual([])
    expect(told('IDENTITY_CARD', piece('22.11.2026'), piece('22.11.2027'))).toEqual([])
    expect(fieldsOf('IDENTITY_CARD', piece('22.11.2026', { confidence: 0.6 }), piece('22 11 2026'))).toEqual([
      field('expiryDate', '2026-11-22', { confidence: 0.6 }),
    ])
  })
})

describe('the dates of a licence’s categories', () => {
  const BACK = { captureIndex: 1 }
  const ROWS = [
    piece('AM', { ...BACK, y: 20 }),
    piece('14.06.09', { ...BACK, x: 100, y: 20 }),
    piece('02.11.33', { ...BACK, x: 200, y: 20 }),
  ]

  test('are not those of the licence', () => {
    expect(told('DRIVING_LICENSE', ...ROWS)).toEqual([])
    expect(told('DRIVING_LICENSE', ...ROWS, piece('23.12.2035'))).toEqual(['expiryDate 2035-12-23'])
    expect(told('IDENTITY_CARD', ...ROWS)).toContain('expiryDate 2033-11-02')
  })

  test('are neither where the category in their row was not read', () => {
    expect(told('DRIVING_LICENSE', ...ROWS, piece('05.11.34', { ...BACK, x: 200, y: 60 }))).toEqual([])
  })
})

describe('a month without a day', () => {
  test('is the birth', () => {
    expect(fieldsOf('PASSPORT', piece('XX AUG 1974', { confidence: 0.7, captureIndex: 1 }))).toEqual([
      field('birthDate', '1974-08', { confidence: 0.7, captureIndex: 1 }),
    ])
    expect(told('PASSPORT', piece('12 AUG 1974'))).toEqual([])
  })

  test('is not one of two', () => {
    expect(told('PASSPORT', piece('XX AUG 1974'), piece('XX AUG 1975'))).toEqual([])
    expect(told('PASSPORT', piece('XX AUG 1974'), piece('XX 08 1974'))).toEqual(['birthDate 1974-08'])
  })
})

describe('a number by itself', () => {
  test.each([
    ['PASSPORT', true],
    ['IDENTITY_CARD', true],
    ['RESIDENT_CARD', true],
    ['VISA', false],
    ['DRIVING_LICENSE', false],
  ] as const)('is the document’s on a %s: %s', (kind, isOne) => {
    expect(told(kind, piece('L898902C3'))).toEqual(isOne ? ['documentNumber L898902C3'] : [])
  })

  test.each(['AB12345', 'ABC1234', '1234A56', 'A12345X', '123456X', 'AB1234567890'])('may be %j', (text) => {
    expect(told('PASSPORT', piece(text))).toEqual([`documentNumber ${text}`])
  })

  test.each([
    'AB1234',
    'AB12345678901',
    '1234567',
    '12345678901',
    'ABCD123',
    'ab12345',
    'A12b345',
    'A-12345',
    '-A12345',
    'A12345-',
    'AB1 2345',
  ])('is not %j', (text) => {
    expect(told('PASSPORT', piece(text))).toEqual([])
  })

  test('is of eight to ten figures alone where nothing with letters is read', () => {
    expect(told('PASSPORT', piece('200000907'))).toEqual(['documentNumber 200000907'])
    expect(told('PASSPORT', piece('20000090'))).toEqual(['documentNumber 20000090'])
    expect(told('PASSPORT', piece('200000907', { confidence: 0.83 }))).toEqual([])
    expect(told('PASSPORT', piece('200000907'), piece('L898902C3'))).toEqual(['documentNumber L898902C3'])
    expect(told('PASSPORT', piece('200000907'), piece('200000908'))).toEqual([])
  })

  test('may be read with a blank in it, where nothing else is a number', () => {
    expect(told('IDENTITY_CARD', piece('NH92 1MN63'))).toEqual(['documentNumber NH921MN63'])
    expect(told('IDENTITY_CARD', piece('NH92 1MN63', { confidence: [0.84, 0.83] }))).toEqual([])
    expect(told('IDENTITY_CARD', piece('NH92 1MN63'), piece('T22000129'))).toEqual([
      'documentNumber T22000129',
    ])
  })

  test('stands on the front, is certain, and is the only one', () => {
    expect(fieldsOf('PASSPORT', piece('L898902C3', { confidence: 0.6 }), piece('L898902C3'))).toEqual([
      field('documentNumber', 'L898902C3', { confidence: 0.6 }),
    ])
    expect(told('PASSPORT', piece('L898902C3', { confidence: 0.59 }))).toEqual([])
    expect(told('PASSPORT', piece('L898902C3', { captureIndex: 1 }))).toEqual([])
    expect(told('PASSPORT', piece('L898902C3'), piece('L898902C4'))).toEqual([])
  })
})

describe('dates that no label names', () => {
  test('are no life where the first lies less than a year before the second: a visa prints three days around one journey', () => {
    const days = (...texts: readonly string[]) => told(null, ...texts.map((text) => piece(text)))
    expect(days('13.11.2013', '14.11.2013', '14.01.2014')).toEqual([])
    expect(days('13.11.2012', '14.11.2013', '14.01.2014')).toContain('birthDate 2012-11-13')
  })

  test('lie ahead for an expiry by no more years than a document is valid', () => {
    expect(told(null, piece('12 AUG 40'))).toEqual(['expiryDate 2040-08-12'])
    expect(told(null, piece('12 AUG 49'))).toEqual([])
  })

  test('are no number where their signs were lost', () => {
    expect(told('IDENTITY_CARD', piece('24032009'))).toEqual([])
    expect(told('IDENTITY_CARD', piece('20090324'))).toEqual([])
    expect(told('IDENTITY_CARD', piece('24132009'))).toEqual(['documentNumber 24132009'])
  })
})

test('of a licence whose numbers were not read, authority and number stand beside issue and expiry', () => {
  const lines = [
    piece('ULVESKOG', { y: 0 }),
    piece('MATTEO', { y: 20 }),
    piece('18.01.1945', { y: 40 }),
    piece('19.11.2022', { y: 60 }),
    piece('DISTRICT OF ZENITH', { x: 200, y: 60 }),
    piece('18.11.2032', { y: 80 }),
  ]
  const beside = told('DRIVING_LICENSE', ...lines, piece('ULVES401185MF9YW', { x: 200, y: 80 }))
  expect(beside).toEqual(
    expect.arrayContaining(['authority DISTRICT OF ZENITH', 'documentNumber ULVES401185MF9YW']),
  )
  expect(told('DRIVING_LICENSE', ...lines, piece('ULVES401185MF9YW', { y: 100 }))).toContain(
    'documentNumber ULVES401185MF9YW',
  )
  expect(told('DRIVING_LICENSE', ...lines, piece('401185940', { y: 100 })).join()).not.toContain(
    'documentNumber',
  )
})
