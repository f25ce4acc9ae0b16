/** Pages of invented issuers that no template describes: other words, other places, values beside or below their labels. */
import { describe, expect, test } from 'vitest'
import { loadDocumentTemplates } from '../../../server/config/document-templates.ts'
import { readPageFacts } from '../../../server/proofing/visual-zone/read-facts.ts'
import { aPage, type Printed } from './visual-zone-page.ts'

const knowledge = loadDocumentTemplates()
const NOW = new Date('2026-11-21T12:00:00Z')
const CARD = 1.586

function fieldsOf(...printed: readonly Printed[]): Record<string, string> {
  const { fields } = readPageFacts([aPage(CARD, printed)], NOW, knowledge)
  return Object.fromEntries(fields.map(({ field, value }) => [field, value]))
}

const TITLE: Printed = ['IDENTITY CARD', 0.3, 0.05, 0.05]

/** A label of 0.03 with its value of 0.05 below it. */
const above = (label: string, value: string, x: number, y: number): readonly Printed[] => [
  [label, x, y, 0.03],
  [value, x, y + 0.045, 0.05],
]

test('a label in three languages is one label, not another’s misreading', () => {
  expect(
    fieldsOf(
      TITLE,
      ...above('Name/Surname/Nom', 'MUSTERMANN', 0.35, 0.2),
      ...above('Vornamen/Given names/Prénoms', 'ERIKA PAULA', 0.35, 0.32),
      ...above('Geburtstag/Date of birth/Date de naissance', '12.08.1983', 0.35, 0.44),
    ),
  ).toMatchObject({ surname: 'MUSTERMANN', givenNames: 'ERIKA PAULA', birthDate: '1983-08-12' })
})

test('a label of which another script was read as some letters or other begins where its value begins', () => {
  const unread = 0.3
  expect(
    fieldsOf(
      TITLE,
      ['Surname', 0.35, 0.15, 0.03],
      ['HOLLOWAY', 0.35, 0.195, 0.05],
      ['MaCdo Ha +p a', 0.6, 0.3, 0.03, unread],
      ['Place of birth', 0.71, 0.3, 0.03],
      ['ANYDER BRIDGE', 0.6, 0.345, 0.05],
      ['M3nageH OT', 0.6, 0.45, 0.03, unread],
      ['Authority', 0.69, 0.45, 0.03],
      ['ZENITH', 0.6, 0.495, 0.05],
    ),
  ).toMatchObject({ surname: 'HOLLOWAY', birthPlace: 'ANYDER BRIDGE', authority: 'ZENITH' })
})

test('a label that the text detector cut in two begins with its first words, and its value stays whole', () => {
  expect(
    fieldsOf(
      ['PASSPORT', 0.1, 0.05, 0.05],
      ['Date of', 0.35, 0.5, 0.03],
      ['xpiry Date d’expiration', 0.43, 0.5, 0.03],
      ['01 MAR 2034', 0.35, 0.545, 0.05],
    ).expiryDate,
  ).toBe('2034-03-01')
})

test('the issuer of the MRZ decides the order of day and month, although the page names the country of birth', () => {
  const page = aPage(CARD, [
    ['PERMANENT RESIDENT CARD', 0.1, 0.05, 0.05],
    ...above('Birthdate', '10/04/1949', 0.35, 0.3),
    ...above('Country of Birth', 'Canada', 0.35, 0.5),
  ])
  const coded = { kind: null, country: 'USA' }
  const { fields } = readPageFacts([page], NOW, knowledge, coded)
  expect(fields).toContainEqual(expect.objectContaining({ field: 'birthDate', value: '1949-10-04' }))
})

test('a page of Australia that does not name its kind is no Medicare card, although it has a date of expiry', () => {
  const page = aPage(1.78, [
    ['AUSTRALIA', 0.35, 0.05, 0.05],
    ...above('Date of expiry', '01 MAR 2034', 0.35, 0.5),
  ])
  expect(readPageFacts([page], NOW, knowledge)).toMatchObject({ template: null, kind: null })
  const card = aPage(1.586, [
    ['medicare', 0.1, 0.05, 0.08],
    ['AUSTRALIA', 0.6, 0.05, 0.05],
  ])
  expect(readPageFacts([card], NOW, knowledge)).toMatchObject({ template: 'medicare', kind: 'MEDICARE' })
})

test('what stands before a label and was read for certain is another print', () => {
  expect(
    fieldsOf(
      TITLE,
      ['12.08.1983', 0.6, 0.3, 0.03],
      ['Authority', 0.8, 0.3, 0.03],
      ['ZENITH', 0.8, 0.345, 0.05],
    ).authority,
  ).toBe('ZENITH')
})

test('the second language of a label whose end was not read is no value', () => {
  expect(fieldsOf(TITLE, ...above('Nom Surn.', 'VALMONTE', 0.35, 0.2))).toMatchObject({
    surname: 'VALMONTE',
  })
})

test('of APELIDO(S) [SURNAME] the letter in brackets and the second language are part of the label', () => {
  expect(
    fieldsOf(
      TITLE,
      ...above('APELIDO(S) [SURNAME]', 'CARVALHO DA SILVA', 0.35, 0.2),
      ...above('NOME(S) [GIVEN NAME]', 'ANA LUISA', 0.35, 0.32),
    ),
  ).toMatchObject({ surname: 'CARVALHO DA SILVA', givenNames: 'ANA LUISA' })
})

test('in a table the values stand in a column of their own, far from the short labels', () => {
  expect(
    fieldsOf(
      TITLE,
      ['Surname:', 0.3, 0.2, 0.03],
      ['Northwood', 0.58, 0.195, 0.05],
      ['Sex:', 0.3, 0.3, 0.03],
      ['Female', 0.58, 0.295, 0.05],
      ['ID No.:', 0.3, 0.4, 0.03],
      ['784-1991-203', 0.58, 0.395, 0.05],
    ),
  ).toMatchObject({ surname: 'Northwood', sex: 'F', documentNumber: '784-1991-203' })
})

test('a second surname right below the first belongs to it, a line further off does not', () => {
  const surnames = (y: number): string =>
    fieldsOf(TITLE, ...above('APELLIDOS / SURNAMES', 'CARRASCO', 0.35, 0.2), ['ESPINO', 0.35, y, 0.05])
      .surname
  expect(surnames(0.31)).toBe('CARRASCO ESPINO')
  expect(surnames(0.39)).toBe('CARRASCO')
})

test('a name one letter away from a short label stays a name', () => {
  expect(fieldsOf(TITLE, ...above('Surname', 'BIRCH', 0.35, 0.2))).toMatchObject({ surname: 'BIRCH' })
})

test('the name of a document is no label: a residence permit has no address', () => {
  expect(fieldsOf(['RESIDENCE PERMIT', 0.05, 0.05, 0.05], ...above('NAME', 'ESPERANZA', 0.35, 0.2))).toEqual({
    surname: 'ESPERANZA',
  })
})

describe('sex', () => {
  test.each([
    ['V/F', 'F'],
    ['VIF', 'F'],
    ['K', 'F'],
    ['Male', 'M'],
    ['weiblich', 'F'],
    ['X', 'X'],
    ['M/F', undefined],
    ['f', undefined],
    ['E', 'F'],
  ])('printed as %s is %s', (printed, told) => {
    expect(fieldsOf(TITLE, ...above('Sex', printed, 0.35, 0.2)).sex).toBe(told)
  })
})

describe('dates', () => {
  const birth = (value: string, ...more: readonly Printed[]): string | undefined =>
    fieldsOf(TITLE, ...above('Date of birth', value, 0.35, 0.2), ...more).birthDate

  test.each([
    ['10 MAA/MAR 1965', '1965-03-10'],
    ['01 MRZIMAR 1965', '1965-03-01'],
    ['0101 1980', '1980-01-01'],
    ['01)JUL 1983', '1983-07-01'],
    ['March 5, 1979', '1979-03-05'],
  ])('%s is %s', (printed, date) => expect(birth(printed)).toBe(date))

  test('are written month first where two of the page can be read in no other way', () => {
    const others = [
      ...above('Issued', '08/31/2024', 0.35, 0.4),
      ...above('Expires', '08/30/2032', 0.35, 0.6),
    ] as const
    expect(birth('03/04/1980')).toBe('1980-04-03')
    expect(birth('03/04/1980', others[0], others[1])).toBe('1980-04-03')
    expect(birth('03/04/1980', ...others)).toBe('1980-03-04')
  })

  test('one without a label that lies ahead is the expiry, two are nothing', () => {
    const page = (...dates: readonly Printed[]) => fieldsOf(TITLE, ...dates).expiryDate
    expect(page(['03.09.2029', 0.1, 0.8, 0.05])).toBe('2029-09-03')
    expect(page(['03.09.2029', 0.1, 0.8, 0.05], ['04.09.2029', 0.5, 0.8, 0.05])).toBeUndefined()
    expect(page(['03.09.2019', 0.1, 0.8, 0.05])).toBeUndefined()
  })
})

test('a date without a label and without a day is the birth’s', () => {
  expect(fieldsOf(TITLE, ['05/00/2000', 0.1, 0.8, 0.05]).birthDate).toBe('2000-05')
  expect(
    fieldsOf(TITLE, ['05/00/2000', 0.1, 0.8, 0.05], ['06/00/2000', 0.5, 0.8, 0.05]).birthDate,
  ).toBeUndefined()
})

test('a licence’s address without its number is known by house and postcode', () => {
  const address = (text: string) =>
    fieldsOf(['DRIVING LICENCE', 0.2, 0.05, 0.05], [text, 0.1, 0.8, 0.04]).address
  expect(address('148 HARBOUR ROAD, ANYDER BRIDGE 82145')).toBe('148 HARBOUR ROAD, ANYDER BRIDGE 82145')
  expect(address('148 HARBOUR ROAD')).toBeUndefined()
  expect(address('12 AUG 1974')).toBeUndefined()
})

test('specks of two letters are no label, whatever stands beside them', () => {
  const name = (confidence: number) =>
    fieldsOf(TITLE, ['FN', 0.7, 0.4, 0.02, confidence], ['HELENA', 0.75, 0.4, 0.02]).givenNames
  expect(name(0.9)).toBe('HELENA')
  expect(name(0.23)).toBeUndefined()
})

test('a surname with a comma is the whole name', () => {
  const page = fieldsOf(TITLE, ...above('SURNAME, NAME', 'ERIKSSON, ANNA MARIA', 0.35, 0.2))
  expect(page.fullName).toBe('ERIKSSON, ANNA MARIA')
  expect(page.surname).toBeUndefined()
})

test('the passport’s number on a visa is not the visa’s; a card’s number is its own', () => {
  const number = (title: string, label: string) =>
    fieldsOf([title, 0.1, 0.05, 0.06], ...above(label, 'MR 4471 902', 0.35, 0.2)).documentNumber
  expect(number('VISA', 'PASSPORT NUMBER')).toBeUndefined()
  expect(number('PASSPORT', 'PASSPORT NUMBER')).toBe('MR 4471 902')
  expect(number('IDENTITY CARD', 'Card number')).toBe('MR 4471 902')
})

test('specks in small letters are no name, dates no nationality', () => {
  expect(fieldsOf(TITLE, ...above('Surname', 'ame', 0.35, 0.2)).surname).toBeUndefined()
  expect(fieldsOf(TITLE, ...above('Nationality', '01 SEP 1986', 0.35, 0.2)).nationality).toBeUndefined()
})

test('place and date of issue stand in one line', () => {
  expect(fieldsOf(TITLE, ...above('Place and date of issue', 'ZENITH 18.04.2022', 0.35, 0.2)).issueDate).toBe(
    '2022-04-18',
  )
})

describe('a number without a label', () => {
  test('is the document’s where it is the only thing of its form', () => {
    const number: Printed = ['LZ6311T47', 0.7, 0.15, 0.06]
    expect(fieldsOf(TITLE, number).documentNumber).toBe('LZ6311T47')
    expect(fieldsOf(TITLE, number, ['RX0127394', 0.7, 0.5, 0.06]).documentNumber).toBeUndefined()
  })

  test('has no bracket in it: a J was read as one, and is worth less', () => {
    const page = aPage(CARD, [TITLE, ...above('Card No.', 'Y)8167793', 0.35, 0.2)])
    const { fields } = readPageFacts([page], NOW, knowledge)
    expect(fields.find(({ field }) => field === 'documentNumber')).toMatchObject({
      value: 'YJ8167793',
      confidence: 0.5,
    })
  })
})

test('figures strewn over a cloth are no licence, however many', () => {
  const strewn = ['1', '2', '3', '5', '8', 'S', '4a'].map((text, i): Printed => [
    text,
    0.1 + 0.12 * i,
    0.1 + 0.11 * ((i * 3) % 7),
    0.03,
  ])
  const { template, kind, fields } = readPageFacts([aPage(CARD, strewn)], NOW, knowledge)
  expect({ template, kind, fields }).toEqual({ template: null, kind: null, fields: [] })
})

test('under the columns 9 to 12 of a licence’s back nothing is a field', () => {
  const front = aPage(CARD, [
    ['DRIVING LICENCE', 0.2, 0.05, 0.05],
    ['1. MORGAN', 0.35, 0.2, 0.05],
    ['2. SARAH', 0.35, 0.3, 0.05],
    ['4a. 19.01.2013', 0.35, 0.5, 0.05],
  ])
  const speck: Printed = ['3 14.06.2009', 0.35, 0.5, 0.03]
  const birth = (...back: readonly Printed[]) =>
    readPageFacts([front, aPage(CARD, back)], NOW, knowledge).fields.some(
      ({ field }) => field === 'birthDate',
    )
  expect(birth(speck)).toBe(true)
  expect(birth(speck, ['10.', 0.43, 0.09], ['12.', 0.69, 0.09])).toBe(false)
})

test('a number of a field that was taken for the end of the value before it still leads to its own', () => {
  expect(
    fieldsOf(
      ['DRIVING LICENCE', 0.2, 0.05, 0.05],
      ['1. MORGAN', 0.35, 0.2, 0.05],
      ['2. SARAH', 0.35, 0.3, 0.05],
      ['3. 11.03.1976', 0.35, 0.4, 0.05],
      ['4a. 19.01.2013 4c.', 0.35, 0.5, 0.05],
      ['DVLA', 0.75, 0.5, 0.05],
    ),
  ).toMatchObject({ issueDate: '2013-01-19', authority: 'DVLA' })
})
