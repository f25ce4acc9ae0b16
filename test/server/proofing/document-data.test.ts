/** Tests what was read of a zone or of a page becomes the data of an evidence: what is unknown is absent, nothing is verified. */
import { describe, expect, test } from 'vitest'
import { dataOfPage, buildMrzData, withPrint } from '../../../server/proofing/document-data.ts'
import { parseMrz } from '../../../server/proofing/mrz/parse.ts'
import type { PageFacts, PageFieldName } from '../../../server/proofing/visual-zone/page-facts.ts'
import { SWISS_LICENCE, VALID_VECTORS } from '../../vectors/mrz.ts'

const NOW = new Date('2026-11-21T00:00:00Z')
const unverified = (value: string) => ({ value, verified: false })
const ofLines = (lines: readonly string[]) => buildMrzData(parseMrz(lines, NOW), lines)
const linesOf = (name: string) => VALID_VECTORS.find((vector) => vector.name.includes(name))?.lines ?? []

const page = (values: Partial<Record<PageFieldName, string>>, over: Partial<PageFacts> = {}): PageFacts => ({
  template: null,
  kind: 'DRIVING_LICENSE',
  country: null,
  state: null,
  fields: Object.entries(values).map(([field, value]) => ({
    field: field as PageFieldName,
    value,
    confidence: 0.9,
    captureIndex: 0,
    foundBy: 'label',
  })),
  ...over,
})

describe('the data of an MRZ', () => {
  test('of a passport are number, issuer, expiry and holder', () => {
    const lines = linesOf('passport of Utopia')
    expect(ofLines(lines)).toEqual({
      idDocumentType: 'PASSPORT',
      idDocumentNumber: 'L898902C3',
      issuingCountry: 'UTO',
      expiryDate: '2012-04-15',
      personalAttributes: {
        surname: unverified('ERIKSSON'),
        givenNames: [unverified('ANNA'), unverified('MARIA')],
        dateOfBirth: unverified('1974-08-12'),
        gender: unverified('F'),
        nationality: unverified('UTO'),
      },
      mrz: lines,
    })
  })

  test('of a card that prints no expiry have none', () => {
    expect(ofLines(linesOf('French identity card'))).not.toHaveProperty('expiryDate')
  })

  test('of licences have neither sex nor nationality, and of the French one no birth date', () => {
    const swiss = ofLines(SWISS_LICENCE.lines)?.personalAttributes
    expect(Object.keys(swiss ?? {})).toEqual(['surname', 'givenNames', 'dateOfBirth'])
    const french = ofLines(linesOf('licence of France'))?.personalAttributes
    expect(Object.keys(french ?? {})).toEqual(['surname', 'givenNames'])
  })

  test('name Germany by three letters, as issuer and as nationality', () => {
    const [upper, lower] = linesOf('passport of Utopia')
    const german = [upper.replace('P<UTO', 'P<D<<'), lower.replace('UTO', 'D<<')]
    expect(ofLines(german)).toMatchObject({
      issuingCountry: 'DEU',
      personalAttributes: { nationality: unverified('DEU') },
    })
  })

  test('are not made of a day that does not exist', () => {
    const [upper, lower] = linesOf('passport of Utopia')
    const data = ofLines([upper, lower.replace('120415', '120231').replace('740812', '740231')])
    expect(data).not.toHaveProperty('expiryDate')
    expect(data?.personalAttributes).not.toHaveProperty('dateOfBirth')
  })

  test('are none where the code stands for nothing that is taken', () => {
    const [upper, ...rest] = linesOf('part 5, card')
    expect(ofLines([`AC${upper.slice(2)}`, ...rest])).toBeNull()
  })
})

describe('the data of a page', () => {
  test('are each field under its name', () => {
    const values = {
      documentNumber: 'UT123456',
      cardNumber: '987654',
      issueDate: '2020-01-02',
      expiryDate: '2030-01-02',
      surname: 'ERIKSSON',
      givenNames: 'ANNA  MARIA',
      fullName: 'ANNA MARIA ERIKSSON',
      birthDate: '1974-08-12',
      sex: 'F',
      nationality: 'UTO',
      address: '1 HARBOUR STREET, UTOPIA CITY',
    }
    expect(dataOfPage(page(values, { country: 'UTO', state: 'UT' }))).toEqual({
      idDocumentType: 'DRIVING_LICENSE',
      idDocumentNumber: 'UT123456',
      cardNumber: '987654',
      issuingCountry: 'UTO',
      issuingState: 'UT',
      issuingDate: '2020-01-02',
      expiryDate: '2030-01-02',
      personalAttributes: {
        surname: unverified('ERIKSSON'),
        givenNames: [unverified('ANNA'), unverified('MARIA')],
        fullname: unverified('ANNA MARIA ERIKSSON'),
        dateOfBirth: unverified('1974-08-12'),
        gender: unverified('F'),
        nationality: unverified('UTO'),
      },
      address: { fullAddress: '1 HARBOUR STREET, UTOPIA CITY', verified: false },
    })
  })

  test('have no member for what was not read', () => {
    expect(dataOfPage(page({}))).toEqual({ idDocumentType: 'DRIVING_LICENSE', personalAttributes: {} })
  })

  test('are none where the page does not say what it is, and says little', () => {
    expect(dataOfPage(page({ surname: 'ERIKSSON', sex: 'F' }, { kind: null }))).toBeNull()
  })

  test('are those of a document of no known kind where it says more, or of the declared one', () => {
    const values = { surname: 'ERIKSSON', birthDate: '1974-08-12', documentNumber: 'UT123456' }
    expect(dataOfPage(page(values, { kind: null }))).toMatchObject({
      idDocumentType: 'ID_DOCUMENT',
      idDocumentNumber: 'UT123456',
      personalAttributes: { surname: unverified('ERIKSSON') },
    })
    expect(dataOfPage(page(values, { kind: null }), 'IDENTITY_CARD')?.idDocumentType).toBe('IDENTITY_CARD')
    expect(dataOfPage(page(values), 'IDENTITY_CARD')?.idDocumentType).toBe('DRIVING_LICENSE')
  })

  test('name a nationality by its code where the printed word is known', () => {
    const told = (nationality?: string) =>
      dataOfPage(page({ nationality: 'UTOPIAN' }, nationality === undefined ? {} : { nationality }))
    expect(told('UTO')?.personalAttributes.nationality).toEqual(unverified('UTO'))
    expect(told()?.personalAttributes.nationality).toEqual(unverified('UTOPIAN'))
  })
})

describe('the data of an MRZ beside its print', () => {
  const mrz = ofLines(linesOf('passport of Utopia'))
  if (!mrz) throw new Error('a passport is taken')
  const beside = (values: Parameters<typeof page>[0], isMrzSure = true) =>
    withPrint(mrz, page(values), { isMrzSure })

  test('have what only the print says', () => {
    expect(beside({ issueDate: '2020-01-02', address: '1 HARBOUR STREET' })).toEqual({
      ...mrz,
      issuingDate: '2020-01-02',
      address: { fullAddress: '1 HARBOUR STREET', verified: false },
    })
  })

  test('have no day of issue that one reader alone read: the answer could not say so', () => {
    const read = page({ issueDate: '2020-01-02' })
    const unsure = { ...read, fields: read.fields.map((field) => ({ ...field, confidence: 0.84 })) }
    expect(withPrint(mrz, unsure, { isMrzSure: true })).toEqual(mrz)
  })

  test('have names as they are printed where the MRZ spells the same name', () => {
    expect(beside({ surname: 'Erikssön' }).personalAttributes.surname).toEqual(unverified('Erikssön'))
    expect(beside({ givenNames: 'Anna María' }).personalAttributes.givenNames).toEqual([
      unverified('Anna'),
      unverified('María'),
    ])
    expect(beside({ surname: 'BERGSTRÖM', givenNames: 'ANNA' }).personalAttributes).toEqual(
      mrz.personalAttributes,
    )
  })

  test('have the father’s name behind the given names where the page prints them as the MRZ has them too', () => {
    const givenNames = 'Anna María Erik qızı'
    const print = ['ANNA MARIA', 'ERIKSSON'].map((text) => ({ text, confidence: 0.9, captureIndex: 0 }))
    const of = (over: Partial<PageFacts>) =>
      withPrint(mrz, page({ givenNames }, over), { isMrzSure: true }).personalAttributes.givenNames
    expect(of({ print })).toEqual(['Anna', 'María', 'Erik', 'qızı'].map(unverified))
    // One line alone may be another person's, or have been added.
    expect(of({ print: print.slice(1) })).toEqual(mrz.personalAttributes.givenNames)
  })

  test('have the number of the print where the MRZ was not read for sure and both are one shape', () => {
    expect(beside({ documentNumber: 'L8989O2C3' }, false).idDocumentNumber).toBe('L8989O2C3')
    expect(beside({ documentNumber: 'L8989O2C3' }).idDocumentNumber).toBe('L898902C3')
    expect(beside({ documentNumber: 'L898902C8' }, false).idDocumentNumber).toBe('L898902C3')
  })
})
