import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadDocumentTemplates } from '../../../server/config/document-templates.ts'
import { readPageFacts } from '../../../server/proofing/visual-zone/read-facts.ts'
import type { PageContent } from '../../../server/proofing/visual-zone/text.ts'
import { aPage, PASSPORT, type Printed } from './visual-zone-page.ts'

const knowledge = loadDocumentTemplates()
const NOW = new Date('2026-11-21T12:00:00Z')
const CARD = 1.586

const read = (...pages: readonly PageContent[]) => readPageFacts(pages, NOW, knowledge)

/** Field → value. */
function fieldsOf(...pages: readonly PageContent[]): Record<string, string> {
  return Object.fromEntries(read(...pages).fields.map(({ field, value }) => [field, value]))
}

test('a passport’s page is read by the labels above its values', () => {
  const facts = read(PASSPORT)
  expect(facts).toMatchObject({ template: 'icao-page', kind: 'PASSPORT', country: 'UTO', state: null })
  expect(fieldsOf(PASSPORT)).toEqual({
    documentNumber: 'L898902C3',
    surname: 'ERIKSSON',
    givenNames: 'ANNA MARIA',
    birthDate: '1974-08-12',
    issueDate: '2030-01-01',
    expiryDate: '2029-12-31',
    sex: 'F',
    nationality: 'UTOPIAN',
    birthPlace: 'ZENITH',
    authority: 'PASSPORT OFFICE',
  })
})

test('a European licence is read by its numbers, birth date and place from one line', () => {
  const licence = aPage(CARD, [
    ['DRIVING LICENCE', 0.2, 0.09, 0.05],
    ['1.', 0.35, 0.27, 0.04],
    ['MORGAN', 0.4, 0.27, 0.04],
    ['2.', 0.35, 0.34, 0.04],
    ['SARAH MEREDYTH', 0.4, 0.34, 0.04],
    ['3.', 0.35, 0.41, 0.04],
    ['11.03.1976 ZENITH', 0.4, 0.41, 0.04],
    ['4a. 19.01.2013', 0.35, 0.48, 0.04],
    ['4c. DVLA', 0.65, 0.48, 0.04],
    ['4b. 18.01.2023', 0.35, 0.55, 0.04],
    ['5. MORGA753116SM9IJ', 0.35, 0.62, 0.04],
    ['8. 122 BURNS CRESCENT, ZENITH', 0.35, 0.8, 0.03],
  ])
  expect(read(licence)).toMatchObject({ template: 'licence-europe', kind: 'DRIVING_LICENSE' })
  expect(fieldsOf(licence)).toMatchObject({
    surname: 'MORGAN',
    givenNames: 'SARAH MEREDYTH',
    birthDate: '1976-03-11',
    birthPlace: 'ZENITH',
    issueDate: '2013-01-19',
    expiryDate: '2023-01-18',
    authority: 'DVLA',
    documentNumber: 'MORGA753116SM9IJ',
    address: '122 BURNS CRESCENT, ZENITH',
  })
})

describe('a North American card', () => {
  const card = (...more: readonly Printed[]) =>
    aPage(CARD, [
      ['DRIVER LICENSE', 0.04, 0.16, 0.05],
      ['4d DL NO. X5141264', 0.38, 0.25, 0.04],
      ['1 FAMILY NAME', 0.38, 0.34, 0.025],
      ['CASTELMARE', 0.6, 0.335, 0.04],
      ['2 GIVEN NAMES', 0.38, 0.41, 0.025],
      ['CELESTE MARTHE', 0.6, 0.405, 0.04],
      ['3 DOB 10/11/1984', 0.38, 0.63, 0.04],
      ['4a ISS 05/04/2024', 0.38, 0.71, 0.04],
      ['4b EXP 05/03/2032', 0.38, 0.79, 0.04],
      ['15 SEX F', 0.67, 0.72, 0.03],
      ...more,
    ])

  test('is read by number and label, the month before the day', () => {
    expect(read(card())).toMatchObject({ template: 'licence-north-america', kind: 'DRIVING_LICENSE' })
    expect(fieldsOf(card())).toMatchObject({
      documentNumber: 'X5141264',
      surname: 'CASTELMARE',
      givenNames: 'CELESTE MARTHE',
      birthDate: '1984-10-11',
      issueDate: '2024-05-04',
      expiryDate: '2032-05-03',
      sex: 'F',
    })
  })

  test('tells its state by the name printed largest', () => {
    const facts = read(card(['CALIFORNIA', 0.04, 0.05, 0.06], ['VIRGINIA STREET', 0.4, 0.5, 0.03]))
    expect(facts).toMatchObject({ country: 'USA', state: 'CA' })
  })
})

test('an Australian licence has its holder’s whole name without a label', () => {
  const licence = aPage(CARD, [
    ['DRIVER LICENCE', 0.05, 0.06, 0.05],
    ['NEW SOUTH WALES', 0.05, 0.15, 0.03],
    ['CELESTE MARTHE CASTELMARE', 0.05, 0.24, 0.04],
    ['211 QUAY STREET', 0.05, 0.33, 0.03],
    ['MIRADOR NSW 2334', 0.05, 0.39, 0.03],
    ['LICENCE NO.', 0.05, 0.467, 0.025],
    ['81514126', 0.05, 0.508, 0.04],
    ['CARD NUMBER', 0.35, 0.467, 0.025],
    ['P492686024', 0.35, 0.508, 0.04],
    ['DATE OF BIRTH', 0.05, 0.704, 0.025],
    ['11 OCT 1984', 0.05, 0.746, 0.04],
    ['EXPIRY', 0.05, 0.823, 0.025],
    ['03 MAY 2029', 0.05, 0.864, 0.04],
  ])
  expect(read(licence)).toMatchObject({
    template: 'licence-australia',
    kind: 'DRIVING_LICENSE',
    country: 'AUS',
    state: 'NSW',
  })
  expect(fieldsOf(licence)).toMatchObject({
    fullName: 'CELESTE MARTHE CASTELMARE',
    address: '211 QUAY STREET MIRADOR NSW 2334',
    documentNumber: '81514126',
    cardNumber: 'P492686024',
    birthDate: '1984-10-11',
    expiryDate: '2029-05-03',
  })
})

test('a Medicare card is read by the form of its number and lines', () => {
  const card = aPage(CARD, [
    ['medicare', 0.06, 0.09, 0.1],
    ['2123 45670 1', 0.11, 0.38, 0.07],
    ['1 CELESTE M CASTELMARE', 0.06, 0.56, 0.05],
    ['VALID TO 05/2029', 0.54, 0.86, 0.05],
  ])
  expect(read(card)).toMatchObject({ template: 'medicare', kind: 'MEDICARE' })
  expect(fieldsOf(card)).toEqual({
    documentNumber: '2123456701',
    fullName: 'CELESTE M CASTELMARE',
    expiryDate: '2029-05',
  })
})

describe('labels', () => {
  const valueBelow = (label: string, value: string) =>
    fieldsOf(
      aPage(CARD, [
        ['IDENTITY CARD', 0.1, 0.05, 0.05],
        [label, 0.3, 0.3, 0.025],
        [value, 0.3, 0.34, 0.04],
      ]),
    )

  test.each([
    ['Apellidos', 'surname'],
    ['Nom', 'surname'],
    ['Cognome', 'surname'],
    ['Familienname', 'surname'],
    ['Sobrenome', 'surname'],
    ['Achternaam', 'surname'],
    ['Prénom(s)', 'givenNames'],
    ['Vornamen', 'givenNames'],
    ['Voornamen', 'givenNames'],
    ['Nombre', 'givenNames'],
  ])('%s is understood', (label, field) => {
    expect(valueBelow(label, 'ERIKSSON')).toEqual({ [field]: 'ERIKSSON' })
  })

  test('that were misread in a letter are still understood', () => {
    expect(valueBelow('Sumame', 'ERIKSSON')).toEqual({ surname: 'ERIKSSON' })
    expect(valueBelow('Dale of birlh', '12 AUG 1974')).toEqual({ birthDate: '1974-08-12' })
  })

  test('never give a value of another form', () => {
    expect(valueBelow('Surname', '12345')).toEqual({})
    expect(valueBelow('Date of birth', 'ERIKSSON')).toEqual({})
    expect(valueBelow('Passport No', 'ERIKSSON')).toEqual({})
  })

  test('of a date and a place share one value', () => {
    expect(valueBelow('Date and place of birth', '12.08.1974 ZENITH')).toEqual({
      birthDate: '1974-08-12',
      birthPlace: 'ZENITH',
    })
  })

  test('of a birth of which the day is unknown give the month', () => {
    expect(valueBelow('Date of birth', 'XX AUG 1974')).toEqual({ birthDate: '1974-08' })
  })

  test('of what is no field keep their values to themselves', () => {
    const facts = fieldsOf(
      aPage(CARD, [
        ['IDENTITY CARD', 0.1, 0.05, 0.05],
        ['Height', 0.3, 0.3, 0.025],
        ['172', 0.3, 0.34, 0.04],
      ]),
    )
    expect(facts).toEqual({})
  })
})

test('an address is known by its postcode, the street stands above', () => {
  const page = aPage(CARD, [
    ['DRIVER LICENSE', 0.04, 0.16, 0.05],
    ['8 55 ORCHARD LANE', 0.38, 0.49, 0.035],
    ['MIRADOR, CA 90210', 0.4, 0.54, 0.035],
  ])
  expect(fieldsOf(page)).toEqual({ address: '55 ORCHARD LANE MIRADOR, CA 90210' })
})

test('three dates without labels are those of a life: born, issued, expiring', () => {
  const page = aPage(1.42, [
    ['PASSPORT', 0.1, 0.05, 0.05],
    ['31 DEC 2039', 0.35, 0.7],
    ['12 AUG 1974', 0.35, 0.5],
    ['01 JAN 2030', 0.35, 0.6],
  ])
  expect(read(page).fields).toMatchObject([
    { field: 'birthDate', value: '1974-08-12', foundBy: 'form' },
    { field: 'issueDate', value: '2030-01-01', foundBy: 'form' },
    { field: 'expiryDate', value: '2039-12-31', foundBy: 'form' },
  ])
})

test('a field is no surer than its least sure word', () => {
  const page = aPage(CARD, [
    ['IDENTITY CARD', 0.1, 0.05, 0.05],
    ['Surname', 0.3, 0.3, 0.025],
    ['ERIKSSON', 0.3, 0.34, 0.04, 0.4],
  ])
  expect(read(page).fields).toMatchObject([{ field: 'surname', confidence: 0.4, foundBy: 'label' }])
})

test('an empty page says nothing', () => {
  expect(read({ lines: [], aspect: 1.4 })).toEqual({
    template: null,
    kind: null,
    country: null,
    state: null,
    fields: [],
    print: [],
    unreadLines: 0,
    dates: [],
  })
  expect(read().fields).toEqual([])
})

test('no page makes it throw, and every date that it gives is one', () => {
  const printed = fc.tuple(
    fc.oneof(
      fc.string(),
      fc.constantFrom('Surname', '4b.', 'DOB', '12 AUG 1974', '1', 'PASSPORT', 'Sex F', 'medicare'),
    ),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  )
  fc.assert(
    fc.property(fc.array(printed, { maxLength: 30 }), (lines) => {
      for (const { field, value } of read(aPage(CARD, lines)).fields)
        if (field.endsWith('Date')) expect(value).toMatch(/^\d{4}-\d{2}(-\d{2})?$/)
    }),
  )
})

test('a licence whose title was not read has the order of dates of the country that its barcode names', () => {
  const front = aPage(CARD, [
    ['SAMPLE', 0.52, 0.33, 0.04],
    ['Expiry 10/06/2030', 0.38, 0.7, 0.04],
  ])
  const expiryBy = (coded: Parameters<typeof readPageFacts>[3]) =>
    readPageFacts([front], NOW, knowledge, coded).fields.find(({ field }) => field === 'expiryDate')?.value
  expect(expiryBy({ kind: 'DRIVING_LICENSE', country: 'USA' })).toBe('2030-10-06')
  // The tenth of June is as possible: nothing else on the page says which.
  expect(expiryBy(null)).not.toBe('2030-10-06')
  expect(readPageFacts([front], NOW, knowledge, { kind: 'DRIVING_LICENSE', country: 'USA' }).kind).toBeNull()
})
