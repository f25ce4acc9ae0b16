/** Tests what zone and barcode tell about a page: which line is which, whose the marks are, which scripts were not read. */
import { describe, expect, test } from 'vitest'
import type { AamvaFacts } from '../../../../server/proofing/aamva/facts.ts'
import type { MrzFacts } from '../../../../server/proofing/mrz/parse.ts'
import { completePage } from '../../../../server/proofing/visual-zone/complete.ts'
import type { PageWords } from '../../../../server/proofing/visual-zone/knowledge.ts'
import type {
  PageFacts,
  PageField,
  PageFieldName,
  PrintedText,
} from '../../../../server/proofing/visual-zone/page-facts.ts'

const KNOWLEDGE = {
  scripts: { UKR: ['Cyrl'], USA: ['Geor'], ISR: ['Arab', 'Hebr'] },
  words: { countries: { UTO: ['utopia'] } } as unknown as PageWords,
}
const MRZ = {
  documentClass: 'PASSPORT',
  issuingState: 'UTO',
  nationality: 'UTO',
  surname: 'ERIKSSON',
  givenNames: ['ANNA', 'MARIA'],
  nameMayBeTruncated: false,
  birthDate: { year: 1974, month: 8, day: 12 },
  expiryDate: { year: 2030, month: 1, day: 31 },
  documentNumber: 'L898902C3',
  sex: 'F',
} as unknown as MrzFacts
const LICENCE = {
  country: 'USA',
  surname: 'CASTELMARE',
  givenNames: ['CELESTE'],
  nameMayBeTruncated: false,
  birthDate: '1984-10-11',
  expiryDate: '2032-05-03',
  documentNumber: 'X5141264',
  sex: 'F',
} as unknown as AamvaFacts

const anMrz = (over: Partial<MrzFacts> = {}): MrzFacts => ({ ...MRZ, ...over })
const field = (name: PageFieldName, value: string, over: Partial<PageField> = {}): PageField => ({
  field: name,
  value,
  confidence: 0.95,
  captureIndex: 0,
  foundBy: 'label',
  ...over,
})
const line = (text: string, over: Partial<PrintedText> = {}): PrintedText => ({
  text,
  confidence: 0.95,
  captureIndex: 0,
  ...over,
})
const page = (over: Partial<PageFacts> = {}): PageFacts => ({
  template: null,
  kind: 'PASSPORT',
  country: null,
  state: null,
  fields: [],
  ...over,
})
const fieldsOf = (
  over: Partial<PageFacts>,
  of: MrzFacts | null = MRZ,
  licence: AamvaFacts | null = null,
): readonly PageField[] => completePage(page(over), of, licence, KNOWLEDGE).fields
/** The lines of a page without labels → `field value`. */
const told = (print: readonly string[], of: MrzFacts | null = MRZ, fields: readonly PageField[] = []) =>
  fieldsOf({ fields, print: print.map((text) => line(text)) }, of).map((one) => `${one.field} ${one.value}`)

test('a page without MRZ and barcode stays as it was read', () => {
  const fields = [field('surname', 'MULLER'), field('birthDate', '1974-08-12')]
  const read = page({ fields, print: [line('ERIKSSON'), line('UTOPIAN')] })
  expect(completePage(read, null, null, KNOWLEDGE)).toEqual({ ...read, scriptsNotRead: [] })
})

test('a page of which nothing was read stays empty', () => {
  expect(fieldsOf({})).toEqual([])
})

describe('a line that says what the MRZ says', () => {
  test('is the field whose label was not read, in the order of fields', () => {
    const lines = [
      line('ANNA MARIA'),
      line('ERIKSSON', { confidence: 0.7, captureIndex: 1 }),
      line('L898902C3'),
    ]
    const dates = [{ value: '1974-08-12', confidence: 0.6 }]
    expect(fieldsOf({ print: lines, dates, fields: [field('sex', 'F')] })).toEqual(
      [
        field('documentNumber', 'L898902C3', { foundBy: 'zone' }),
        field('surname', 'ERIKSSON', { confidence: 0.7, captureIndex: 1, foundBy: 'zone' }),
        field('givenNames', 'ANNA MARIA', { foundBy: 'zone' }),
        field('birthDate', '1974-08-12', { confidence: 0.6, foundBy: 'zone' }),
        field('sex', 'F'),
      ].map((one) => expect.objectContaining(one) as PageField),
    )
  })

  test('is the one that was read best of several', () => {
    const lines = [
      line('Eriksson', { confidence: 0.6 }),
      line('ERIKSSON'),
      line('eriksson', { confidence: 0.7 }),
    ]
    expect(fieldsOf({ print: lines })[0]).toMatchObject({ value: 'ERIKSSON', confidence: 0.95 })
  })

  test('is the sex if it is a lone letter that was read with doubt, and none of the other sex stands alone', () => {
    const sex = (...letters: readonly string[]) =>
      fieldsOf({ print: letters.map((text) => line(text, { confidence: 0.7 })) })
    expect(sex('F')).toMatchObject([{ field: 'sex', value: 'F', confidence: 0.7, foundBy: 'zone' }])
    expect(sex('M')).toEqual([])
    expect(sex('F', 'M')).toEqual([])
    expect(fieldsOf({ print: [line('F', { confidence: 0.4 })] })).toEqual([])
    expect(fieldsOf({ print: [line('F')] }, null, LICENCE)).toEqual([])
    expect(fieldsOf({ print: [line('F')], fields: [field('sex', 'M')] })[0].value).toBe('M')
  })

  test('takes the place of a wrong one, and leaves a right one', () => {
    const surname = (value: string) => [field('surname', value)]
    expect(told(['ERIKSSON'], MRZ, surname('FAMILY'))).toEqual(['surname ERIKSSON'])
    expect(told(['BERGSTROM'], MRZ, surname('FAMILY'))).toEqual(['surname FAMILY'])
    expect(told(['ERIKSSON'], MRZ, surname('Eriksson'))).toEqual(['surname Eriksson'])
    expect(told(['ERIKSSON'], MRZ, surname('ЕРИКСОН/ERIKSSON'))).toEqual(['surname ЕРИКСОН/ERIKSSON'])
    expect(fieldsOf({ print: [line('ERIKSSON')], fields: surname('ERIKSSON') })[0].foundBy).toBe('label')
    expect(told(['ANNA MARIA'], MRZ, [field('givenNames', 'ANNA')])).toEqual(['givenNames ANNA MARIA'])
    expect(told(['ANNA MARIA'], MRZ, [field('givenNames', 'Anna Maria')])).toEqual(['givenNames Anna Maria'])
  })

  test('continues with the father’s name of the line right above, where no label was read', () => {
    const given = (...print: readonly string[]) => told(print).find((one) => one.startsWith('givenNames'))
    expect(given('ANNA MARIA ERIK QIZI', 'ANNA MARIA')).toBe('givenNames ANNA MARIA ERIK QIZI')
    expect(given('ANNA MARIA ERIK QIZI', '-', 'x', 'ANNA MARIA')).toBe('givenNames ANNA MARIA ERIK QIZI')
    // The whole name, an address, another line's text, two of them, or one that stands elsewhere.
    for (const other of ['ANNA MARIA ERIKSSON', 'Anna Maria of Erik', 'ANNA MARIANNE', 'ANNA'])
      expect(given(other, 'ANNA MARIA')).toBe('givenNames ANNA MARIA')
    expect(given('ANNA MARIA A', 'ANNA MARIA B', 'ANNA MARIA')).toBe('givenNames ANNA MARIA')
    expect(given('ANNA MARIA ERIK QIZI', '1', '2', '3', 'ANNA MARIA')).toBe('givenNames ANNA MARIA')
    expect(given('ANNA MARIA', 'ANNA MARIA ERIK QIZI')).toBe('givenNames ANNA MARIA')
  })

  test('leaves given names that continue behind those of the MRZ, and no surname that is printed twice', () => {
    const given = [field('givenNames', 'ANNA MARIA ERIK QIZI')]
    expect(told(['ANNA MARIA'], MRZ, given)).toEqual(['givenNames ANNA MARIA ERIK QIZI'])
    const twice = [field('surname', 'ERIKSSON ERIKSSON')]
    expect(told(['ERIKSSON'], MRZ, twice)).toEqual(['surname ERIKSSON'])
  })

  test('is the whole of a name: none where the name was cut, or the MRZ has none', () => {
    expect(told(['ERIKSSON', 'ANNA MARIA'], anMrz({ nameMayBeTruncated: true }))).toEqual([])
    expect(told(['ERIKSSON', ''], anMrz({ surname: '', givenNames: [] }))).toEqual([])
    expect(told(['ERIKSSONS', 'ANNA', 'MARIA'])).toEqual([])
  })

  test('is the number in whatever groups, without the signs that a stroke made', () => {
    expect(told(['L 898902 C3'])).toEqual(['documentNumber L 898902 C3'])
    expect(told(['l8-98.90/2C3'])).toEqual(['documentNumber l8-98.90/2C3'])
    expect(told(['L)898«902C3'])).toEqual(['documentNumber L898902C3'])
    expect(told(['L898902C4'])).toEqual([])
    expect(told(['—'], anMrz({ documentNumber: '' }))).toEqual([])
    expect(told(['L898902C3'], MRZ, [field('documentNumber', 'A1234567')])).toEqual([
      'documentNumber L898902C3',
    ])
    expect(told(['L898902C3'], MRZ, [field('documentNumber', 'L 898902C3')])).toEqual([
      'documentNumber L 898902C3',
    ])
  })
})

describe('a date that the MRZ has', () => {
  const birth = (...values: readonly string[]) => ({
    dates: values.map((value, i) => ({ value, confidence: 0.9 - i / 10 })),
  })

  test('is the one date of the page that agrees', () => {
    expect(fieldsOf(birth('2030-01-31', '1974-08-12', '1974-08-12'))).toEqual([
      field('birthDate', '1974-08-12', { confidence: expect.closeTo(0.8) as number, foundBy: 'zone' }),
      field('expiryDate', '2030-01-31', { confidence: 0.9, foundBy: 'zone' }),
    ])
    expect(fieldsOf(birth('1974-08-13'))).toEqual([])
    expect(fieldsOf(birth('1974-08-12', '1874-08-12'))).toEqual([])
  })

  test('never covers one that was read', () => {
    const fields = [field('birthDate', '1981-03-24'), field('expiryDate', '2031-01-31')]
    expect(fieldsOf({ ...birth('1974-08-12', '2030-01-31'), fields })).toEqual(fields)
  })

  test('has to be known whole', () => {
    for (const birthDate of [
      { month: 8, day: 12 },
      { year: 1974, day: 12 },
      { year: 1974, month: 8 },
    ])
      expect(fieldsOf(birth('1974-08-12'), anMrz({ birthDate }))).toEqual([])
    expect(fieldsOf(birth('2030-01-31'), anMrz({ expiryDate: null }))).toEqual([])
    expect(fieldsOf(birth('2030-01-31'), anMrz({ documentClass: 'VISA' }))).toEqual([])
  })
})

describe('a barcode', () => {
  const print = ['X5141264', 'CASTELMARE', 'CELESTE'].map((text) => line(text))
  const dates = ['1984-10-11', '2032-05-03'].map((value) => ({ value, confidence: 0.9 }))

  test('tells as much as an MRZ', () => {
    expect(
      fieldsOf({ print, dates }, null, LICENCE).map((one) => [one.field, one.value, one.foundBy]),
    ).toEqual([
      ['documentNumber', 'X5141264', 'barcode'],
      ['surname', 'CASTELMARE', 'barcode'],
      ['givenNames', 'CELESTE', 'barcode'],
      ['birthDate', '1984-10-11', 'barcode'],
      ['expiryDate', '2032-05-03', 'barcode'],
    ])
  })

  test('and an MRZ tell what both find', () => {
    const both = fieldsOf({ print: [line('ERIKSSON'), line('CELESTE')] }, MRZ, LICENCE)
    expect(both.map((one) => [one.field, one.value, one.foundBy])).toEqual([
      ['surname', 'ERIKSSON', 'zone'],
      ['givenNames', 'CELESTE', 'barcode'],
    ])
  })
})

describe('marks that the reader lost', () => {
  const of = anMrz({ surname: 'MUELLER', givenNames: ['JUERGEN', 'OVE'] })

  test.each([
    ['surname', 'MULLER', 'MÜLLER'],
    ['givenNames', 'JURGEN OVE', 'JÜRGEN OVE'],
    ['fullName', 'MULLER JURGEN OVE', 'MÜLLER JÜRGEN OVE'],
    ['fullName', 'Jurgen Ove Muller', 'Jürgen Ove Müller'],
    ['fullName', 'MULLER', 'MULLER'],
    ['birthPlace', 'MULLER', 'MULLER'],
    ['surname', 'JURGEN', 'JURGEN'],
  ] as const)('are put back in the field %s: %j is %j', (name, printed, whole) => {
    expect(fieldsOf({ fields: [field(name, printed)] }, of)).toEqual([field(name, whole)])
  })

  test('are put back in a line that the MRZ told as well', () => {
    expect(told(['MULLER'], of)).toEqual(['surname MÜLLER'])
  })
})

describe('a nationality', () => {
  const people = line('UTOPIAN', { confidence: 0.8 })

  test('is the line that names the people of the MRZ’s code, unless a label told one', () => {
    expect(fieldsOf({ print: [people] })).toEqual([
      field('nationality', 'UTOPIAN', { confidence: 0.8, foundBy: 'zone' }),
    ])
    expect(fieldsOf({ print: [people], fields: [field('nationality', 'UTO')] })).toEqual([
      field('nationality', 'UTO'),
    ])
    expect(fieldsOf({ print: [people] }, null, LICENCE)).toEqual([])
    expect(fieldsOf({ print: [people] }, anMrz({ nationality: 'FRA' }))).toEqual([])
    expect(fieldsOf({ print: [people], fields: [field('sex', 'F')] }).map((one) => one.field)).toEqual([
      'sex',
      'nationality',
    ])
  })
})

describe('scripts beside Latin', () => {
  const scriptsOf = (of: MrzFacts | null, licence: AamvaFacts | null, country: string | null) =>
    completePage(page({ country }), of, licence, KNOWLEDGE).scriptsNotRead

  test('are those of the issuer in the MRZ, else in the barcode, else on the page', () => {
    expect(scriptsOf(anMrz({ issuingState: 'ISR' }), LICENCE, 'UKR')).toEqual(['Arab', 'Hebr'])
    expect(scriptsOf(null, LICENCE, 'UKR')).toEqual(['Geor'])
    expect(scriptsOf(null, null, 'UKR')).toEqual(['Cyrl'])
    expect(scriptsOf(null, null, null)).toEqual([])
    expect(scriptsOf(anMrz(), LICENCE, 'UKR')).toEqual([])
  })
})

describe('what is left of a page without labels', () => {
  const at = (text: string, y: number, over: Partial<PrintedText> = {}): PrintedText =>
    line(text, { place: { y, height: 0.03 }, isLabel: false, ...over })
  const date = (text: string, value: string, y: number) => ({ value, confidence: 0.99, line: at(text, y) })
  const told = (...more: readonly PrintedText[]) =>
    completePage(
      page({
        fields: [
          field('surname', 'ERIKSSON'),
          field('givenNames', 'ANNA MARIA'),
          field('birthDate', '1974-08-12', { foundBy: 'form' }),
          field('issueDate', '2020-02-01', { foundBy: 'form' }),
        ],
        print: [at('ERIKSSON', 0.2), at('ANNA, MARIA', 0.3), ...more],
        dates: [date('12 AUG 1974', '1974-08-12', 0.5), date('01 FEB 2020', '2020-02-01', 0.6)],
      }),
      null,
      null,
      KNOWLEDGE,
    )
      .fields.filter(({ field: name }) => name === 'birthPlace' || name === 'authority')
      .map(({ field: name, value }) => `${name} ${value}`)

  test('is the place of birth before the date of issue, and the authority level with it or behind it', () => {
    expect(told(at('ZENITH', 0.4), at('PASSPORT OFFICE', 0.6))).toEqual([
      'birthPlace ZENITH',
      'authority PASSPORT OFFICE',
    ])
  })

  test.each([
    ['two lines in one place', [at('ZENITH', 0.4), at('DOCTOR', 0.5)]],
    ['a label', [at('LABEL', 0.4, { isLabel: true })]],
    ['the people of a state', [at('UTOPIAN', 0.4)]],
    ['above the names', [at('SPECIMEN', 0.1)]],
    ['read without certainty', [at('ZENITH', 0.4, { confidence: 0.8 })]],
    ['a letter or two', [at('F/IF', 0.4)]],
    ['much larger than a value', [at('ZENITH', 0.4, { place: { y: 0.4, height: 0.07 } })]],
  ] as const)('is not %s', (_, lines) => {
    expect(told(...lines)).toEqual([])
  })
})

describe('dates that were told by their order', () => {
  const day = (value: string) => ({ value, confidence: 0.98 })
  const told = (...dates: readonly string[]) =>
    completePage(
      page({
        fields: (['birthDate', 'issueDate', 'expiryDate'] as const).map((name, i) =>
          field(name, dates[i], { foundBy: 'form' }),
        ),
        dates: dates.map(day),
      }),
      anMrz({ birthDate: { year: 1912, month: 12, day: 12 }, expiryDate: { year: 2011, month: 6, day: 29 } }),
      null,
      KNOWLEDGE,
    ).fields.map(({ field: name, value }) => `${name} ${value}`)

  test('are put right by the MRZ where two figures of a year were taken for another century; the issue is what is left', () => {
    expect(told('2007-03-29', '2011-06-29', '2012-12-12').toSorted()).toEqual([
      'birthDate 2012-12-12',
      'expiryDate 2011-06-29',
      'issueDate 2007-03-29',
    ])
  })
})

test('a name in two scripts is the one in Latin letters, where the state prints another script too', () => {
  const name = (issuingState: string) =>
    completePage(
      page({ fields: [field('surname', 'TKAYEHKO/ TKACHENKO')] }),
      anMrz({ issuingState, surname: 'TKACHENKO' }),
      null,
      KNOWLEDGE,
    ).fields[0].value
  expect(name('UKR')).toBe('TKACHENKO')
  expect(name('UTO')).toBe('TKAYEHKO/ TKACHENKO')
})
