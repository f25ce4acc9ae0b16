/** A page against its zone and barcode, value by value: same, different, and all that is neither. */
import { describe, expect, test } from 'vitest'
import { agreesWith, compareDate } from '../../../../server/proofing/visual-zone/compare-date.ts'
import { compareNames, isSame, listVersions } from '../../../../server/proofing/visual-zone/compare-name.ts'
import { bareNumber, compareNumber } from '../../../../server/proofing/visual-zone/compare-number.ts'
import { compareVisualZone, findField } from '../../../../server/proofing/visual-zone/compare.ts'
import { nationalityLine } from '../../../../server/proofing/visual-zone/nationality.ts'
import type {
  PageFacts,
  PageField,
  PageFieldName,
} from '../../../../server/proofing/visual-zone/page-facts.ts'
import { listSources } from '../../../../server/proofing/visual-zone/sources.ts'
import type { AamvaFacts } from '../../../../server/proofing/aamva/facts.ts'
import type { MrzFacts } from '../../../../server/proofing/mrz/parse.ts'

type Values = Readonly<Partial<Record<PageFieldName, string>>>

function page(values: Values, field: Partial<PageField> = {}, over: Partial<PageFacts> = {}): PageFacts {
  const fields = Object.entries(values).map(([name, value]) => ({
    field: name as PageFieldName,
    value,
    confidence: 0.95,
    captureIndex: 0,
    foundBy: 'label' as const,
    ...field,
  }))
  return { template: null, kind: 'PASSPORT', country: null, state: null, fields, ...over }
}
const lines = (...texts: readonly string[]) => ({
  print: texts.map((text) => ({ text, confidence: 0.95, captureIndex: 0 })),
})

describe('a date', () => {
  const BIRTH = { year: 1974, month: 8, day: 12 }
  const compared = (
    value: string,
    expected: Parameters<typeof compareDate>[2] = BIRTH,
    field: Partial<PageField> = {},
    over: Partial<PageFacts> = {},
  ) => compareDate(page({ birthDate: value }, field, over), 'birthDate', expected)

  test('is the same in the parts that both know, whatever the century', () => {
    expect(compared('1974-08-12')).toBe('same')
    expect(compared('1874-08-12')).toBe('same')
    expect(compared('1974-08')).toBe('same')
    expect(compared('1974-08-12', { year: 1974 })).toBe('same')
    expect(compared('1974-08-12', { month: 8 })).toBe('same')
    expect(compared('1974-08-12', { day: 12 })).toBe('same')
    expect(agreesWith('1974-08-12', { year: 2074, month: 8, day: 12 })).toBe(true)
    expect(agreesWith('1974-08-12', { year: 1975, month: 8, day: 12 })).toBe(false)
    expect(agreesWith('1974-08-12', { month: 9 })).toBe(false)
    expect(agreesWith('1974-08-12', { day: 13 })).toBe(false)
  })

  test('is unclear where nothing is expected, or nothing printed', () => {
    expect(compared('1974-08-12', {})).toBe('unclear')
    expect(compareDate(page({}), 'birthDate', BIRTH)).toBe('unclear')
    expect(compareDate(page({ expiryDate: '1974-08-12' }), 'birthDate', BIRTH)).toBe('unclear')
    expect(compareDate(page({ expiryDate: '1974-08-12' }), 'expiryDate', BIRTH)).toBe('same')
  })

  test('is different only where it was read with certainty by its place, and whole', () => {
    expect(compared('1974-03-12')).toBe('unclear')
    expect(compared('1974-02-12')).toBe('different')
    expect(compared('1974-02-12', BIRTH, { confidence: 0.85 })).toBe('different')
    expect(compared('1974-02-12', BIRTH, { confidence: 0.84 })).toBe('unclear')
    expect(compared('1974-02-12', BIRTH, { foundBy: 'form' })).toBe('unclear')
    expect(compared('1974-02-12', { year: 1974, month: 8 })).toBe('unclear')
    expect(compared('1974-02-12', { year: 1974, day: 13 })).toBe('unclear')
    expect(compared('1974-02-12', { month: 8, day: 12 })).toBe('unclear')
  })

  test('is unclear where another date of the page agrees', () => {
    const dates = (...values: readonly string[]) => ({
      dates: values.map((value) => ({ value, confidence: 0.9 })),
    })
    expect(compared('1974-02-12', BIRTH, {}, dates('1974-08-12'))).toBe('unclear')
    expect(compared('1974-02-12', BIRTH, {}, dates('1974-02-12', '2001-01-01'))).toBe('different')
  })

  test('of one figure in the place of a day or month is compared with two', () => {
    expect(compared('2001-02-03', { year: 2001, month: 2, day: 9 })).toBe('different')
  })
})

describe('a number', () => {
  const NUMBER = 'L898902C3'
  const compared = (value: string, field: Partial<PageField> = {}, over: Partial<PageFacts> = {}) =>
    compareNumber(page({ documentNumber: value }, field, over), NUMBER)

  test('is the same whatever signs part it', () => {
    expect(compared('L898 902-C3')).toBe('same')
    expect(compared('l898902c3')).toBe('same')
    expect(bareNumber(' ab-12.é ')).toBe('AB12')
  })

  test('is the same where any line prints it, as a word or a whole', () => {
    expect(compared('X1', {}, lines('NO L898902C3 UTO'))).toBe('same')
    expect(compared('X1', {}, lines('L898 902 C3'))).toBe('same')
    expect(compareNumber(page({}, {}, lines(NUMBER)), NUMBER)).toBe('same')
    expect(compareNumber(page({}, {}, lines('OTHER')), NUMBER)).toBe('unclear')
  })

  test('is different with one character that is not alike, read with certainty by its place', () => {
    expect(compared('L797902C3')).toBe('different')
    expect(compared('L797902C3', { confidence: 0.85 })).toBe('different')
    expect(compared('L797902C3', { confidence: 0.84 })).toBe('unclear')
    expect(compared('L797902C3', { foundBy: 'form' })).toBe('unclear')
    expect(compared('L897902C3')).toBe('different')
    expect(compared('LB98902C3')).toBe('unclear')
  })

  test('of another make-up is another number', () => {
    expect(compared('L797902C')).toBe('unclear')
    expect(compared('77979027A')).toBe('unclear')
    expect(compared('1797902C3')).toBe('different')
  })

  test('is unclear where a line says it with an error of reading', () => {
    expect(compared('L797902C3', {}, lines('L89890ZC3'))).toBe('unclear')
    expect(compared('L797902C3', {}, lines('NO L89B902C3'))).toBe('unclear')
    expect(compared('L797902C3', {}, lines('L111111C1'))).toBe('different')
  })
})

describe('a name', () => {
  const ANNA = { surname: 'ERIKSSON', givenNames: ['ANNA', 'MARIA'], nameMayBeTruncated: false }
  const compared = (
    values: Values,
    expected = ANNA,
    field: Partial<PageField> = {},
    over: Partial<PageFacts> = {},
  ) => compareNames(page(values, field, over), expected)
  const PRINTED = { surname: 'ERIKSSON', givenNames: 'ANNA MARIA' }

  test('is the same in both its parts, or in one line', () => {
    const same = { surname: 'same', givenNames: 'same' }
    expect(compared(PRINTED)).toEqual(same)
    expect(compared({ fullName: 'ANNA MARIA ERIKSSON' })).toEqual(same)
    expect(compared({ fullName: 'ERIKSSON ANNA MARIA' })).toEqual(same)
    expect(compared({ fullName: 'ANNA M ERIKSSON' })).toEqual(same)
    expect(compared({ surname: 'ERIKSSON ANNA M' })).toEqual(same)
    expect(compared({ fullName: 'ANNA X ERIKSSON' })).toEqual({ surname: 'unclear', givenNames: 'unclear' })
  })

  test('is nothing where the source names none', () => {
    expect(compared(PRINTED, { ...ANNA, surname: '' })).toEqual({ surname: null, givenNames: 'same' })
    expect(compared(PRINTED, { ...ANNA, givenNames: [] })).toEqual({ surname: 'same', givenNames: null })
    expect(compared({ fullName: 'ERIKSSON' }, { ...ANNA, givenNames: [] }).givenNames).toBeNull()
  })

  test('is the same in either of two scripts beside a stroke', () => {
    expect(listVersions('A/B')).toEqual(['A/B', 'A', 'B'])
    expect(compared({ ...PRINTED, surname: '艾瑞克森/ERIKSSON' }).surname).toBe('same')
  })

  test('is the same where some line says it and nothing else, or the whole name', () => {
    expect(compared({}, ANNA, {}, lines('ERIKSSON'))).toEqual({ surname: 'same', givenNames: 'unclear' })
    expect(compared({}, ANNA, {}, lines('ANNA MARIA ERIKSSON'))).toEqual({
      surname: 'same',
      givenNames: 'same',
    })
    expect(compared({}, ANNA, {}, lines('ERIKSSON AND OTHERS')).surname).toBe('unclear')
    expect(compared({}, ANNA, {}, lines('艾瑞克森/ERIKSSON')).surname).toBe('same')
    const same = { surname: 'same', givenNames: 'same' }
    expect(compared({}, ANNA, {}, lines('ANNA M ERIKSSON'))).toEqual(same)
    expect(compared({}, ANNA, {}, lines('ERIKSSON ANNA M'))).toEqual(same)
    const cut = { ...ANNA, nameMayBeTruncated: true }
    expect(compared({}, cut, {}, lines('ANNA MARIA ERIKSSON')).surname).toBe('unclear')
  })

  test('is different where another was read with certainty by its place', () => {
    const other = { ...PRINTED, surname: 'LINDQVIST' }
    expect(compared(other)).toEqual({ surname: 'different', givenNames: 'same' })
    expect(compared(other, ANNA, { confidence: 0.85 }).surname).toBe('different')
    expect(compared(other, ANNA, { confidence: 0.84 }).surname).toBe('unclear')
    expect(compared(other, ANNA, { foundBy: 'form' }).surname).toBe('unclear')
    expect(compared({ ...PRINTED, givenNames: 'BRITTA' })).toEqual({
      surname: 'same',
      givenNames: 'different',
    })
  })

  test('is unclear where errors of reading explain it, or the page says it elsewhere', () => {
    expect(compared({ ...PRINTED, surname: 'ERlKSS0N' }).surname).toBe('unclear')
    expect(compared({ ...PRINTED, surname: 'ERIXSON' }).surname).toBe('unclear')
    const other = { ...PRINTED, surname: 'LINDQVIST' }
    expect(compared(other, ANNA, {}, lines('MRS ERIKSSON')).surname).toBe('unclear')
    expect(compared(other, ANNA, {}, lines('ERIKS50N')).surname).toBe('unclear')
    expect(compared(other, ANNA, {}, lines('HARBOUR')).surname).toBe('different')
    expect(compared(other, ANNA, {}, lines('艾瑞克森')).surname).toBe('different')
    expect(compared({ surname: 'ERIK5SON ANNA MARIA' }).surname).toBe('unclear')
    expect(compared({ surname: 'ANNA MARIA ERIK5SON' }).surname).toBe('unclear')
    expect(compared({ surname: 'ERIKSSON ANNZ MARIA' }).surname).toBe('different')
    expect(compared({ surname: 'ANNZ MARIA ERIKSSON' }).surname).toBe('different')
    expect(compared({ surname: 'BRITTA LINDQVIST' }).surname).toBe('different')
  })

  test('that was cut is compared with as much of the printed one', () => {
    const cut = { ...ANNA, nameMayBeTruncated: true }
    expect(compared({ ...PRINTED, surname: 'ERIZSSONBERGMANN' }, cut).surname).toBe('unclear')
    expect(compared({ ...PRINTED, surname: 'ERIZSSONBERGMANN' }).surname).toBe('different')
    expect(compared({ ...PRINTED, surname: 'LINDQVIST' }, cut).surname).toBe('different')
  })

  test('in letters of another script is never different', () => {
    expect(compared({ ...PRINTED, surname: '艾瑞克森' }).surname).toBe('unclear')
    expect(compared({ ...PRINTED, surname: 'ИLINDQVIST' }).surname).toBe('unclear')
    expect(compared({ ...PRINTED, surname: 'LINDQVISTИ' }).surname).toBe('unclear')
    expect(compared({ ...PRINTED, surname: 'LINDQVI\u0301ST' }).surname).toBe('different')
    expect(compared({}, { ...ANNA, surname: '艾瑞克森' }).surname).toBeNull()
    const foreign = { scriptsNotRead: ['Cyrl'] }
    const other = { surname: 'LINDQVIST', givenNames: 'BRITTA' }
    expect(compared(other, ANNA, {}, foreign)).toEqual({ surname: 'unclear', givenNames: 'unclear' })
    expect(compared(other, ANNA, {}, { scriptsNotRead: [] })).toEqual({
      surname: 'different',
      givenNames: 'different',
    })
    expect(compared({ ...other, givenNames: 'ANNA MARIA' }, ANNA, {}, foreign)).toEqual({
      surname: 'different',
      givenNames: 'same',
    })
  })

  test('that was cut begins the printed one, component by component', () => {
    expect(isSame('ANNA MARIA', ['ANNA', 'MAR'], true)).toBe(true)
    expect(isSame('ANNA MARIA', ['ANNA'], true)).toBe(true)
    expect(isSame('ANNA', ['ANNA', 'MAR'], true)).toBe(false)
    expect(isSame('ANNA MARIA', ['ANNA', 'RIA'], true)).toBe(false)
    expect(isSame('ANNA MARIA', ['ANNA', 'MAR'], false)).toBe(false)
    expect(isSame('ANNA-MARIA', ['ANNAMARIA'], false)).toBe(true)
    expect(isSame('', ['ANNA'], true)).toBe(false)
  })
})

describe('a page as a whole', () => {
  const MRZ = {
    surname: 'ERIKSSON',
    givenNames: ['ANNA'],
    nameMayBeTruncated: false,
    birthDate: { year: 1974, month: 8, day: 12 },
    expiryDate: { year: 2039, month: 12, day: 31 },
    documentNumber: 'L898902C3',
    documentClass: 'PASSPORT',
    sex: 'F',
  } as unknown as MrzFacts
  const LICENCE = {
    ...MRZ,
    birthDate: '1974-08-12',
    expiryDate: null,
    documentNumber: '',
    sex: 'X',
  } as unknown as AamvaFacts
  const PRINTED: Values = {
    surname: 'ERIKSSON',
    givenNames: 'ANNA',
    birthDate: '1974-08-12',
    expiryDate: '2039-12-31',
    documentNumber: 'L898902C3',
    sex: 'F',
  }

  test('is compared with the MRZ and the barcode in all that each says', () => {
    const found = compareVisualZone(page(PRINTED), MRZ, LICENCE)
    expect(found.map(({ field, against, comparison }) => `${against} ${field} ${comparison}`)).toEqual([
      'zone surname same',
      'zone givenNames same',
      'zone birthDate same',
      'zone expiryDate same',
      'zone documentNumber same',
      'zone sex same',
      'barcode surname same',
      'barcode givenNames same',
      'barcode birthDate same',
    ])
  })

  test('is compared with nothing where it has neither', () => {
    expect(compareVisualZone(page(PRINTED), null, null)).toEqual([])
    expect(listSources(null, null)).toEqual([])
  })

  test('of a visa has an expiry that is one of several dates', () => {
    const visa = { ...MRZ, documentClass: 'VISA' } as MrzFacts
    expect(listSources(visa, null)[0]).toMatchObject({ against: 'zone', expiryIsOneOfSeveral: true })
    expect(listSources(MRZ, null)[0].expiryIsOneOfSeveral).toBe(false)
    expect(listSources(MRZ, null)[0].expiryDate).toEqual({ year: 2039, month: 12, day: 31 })
  })

  test('has the dates of a barcode in their parts', () => {
    expect(listSources(null, LICENCE)).toEqual([
      {
        against: 'barcode',
        surname: 'ERIKSSON',
        givenNames: ['ANNA'],
        nameMayBeTruncated: false,
        birthDate: { year: 1974, month: 8, day: 12 },
        expiryDate: null,
        expiryIsOneOfSeveral: false,
        documentNumber: '',
        sex: null,
        nationality: null,
      },
    ])
  })

  test('has a sex that differs only by a letter that was read with certainty by its place', () => {
    const sex = (value: string, field: Partial<PageField> = {}, mrz: MrzFacts = MRZ) =>
      compareVisualZone(page({ ...PRINTED, sex: value }, field), mrz, null).find(
        (found) => found.field === 'sex',
      )?.comparison
    expect(sex('M')).toBe('different')
    expect(sex('M', { confidence: 0.85 })).toBe('different')
    expect(sex('M', { confidence: 0.84 })).toBe('unclear')
    expect(sex('M', { foundBy: 'form' })).toBe('unclear')
    expect(sex('X')).toBe('unclear')
    expect(sex('M', {}, { ...MRZ, sex: 'M' })).toBe('same')
    expect(sex('M', {}, { ...MRZ, sex: 'X' })).toBeUndefined()
    const others = Object.fromEntries(Object.entries(PRINTED).filter(([name]) => name !== 'sex')) as Values
    const found = compareVisualZone(page(others), MRZ, null).find(({ field }) => field === 'sex')
    expect(found?.comparison).toBe('unclear')
    expect(findField(page(others), 'sex')).toBeNull()
  })
})

describe('the line that names the nationality', () => {
  const countries = { UTO: ['utopia', 'republic of utopia'], UXX: ['uto'] }
  const line = (texts: readonly string[], code = 'UTO', confidence = 0.9) =>
    nationalityLine(
      page({}, {}, { print: texts.map((text) => ({ text, confidence, captureIndex: 1 })) }),
      code,
      { countries },
    )

  test('is one word that begins like the country’s name and is not it', () => {
    expect(line(['UTOPIA', 'Utopian', 'ZENITH'])).toEqual({
      field: 'nationality',
      value: 'Utopian',
      confidence: 0.9,
      captureIndex: 1,
      foundBy: 'zone',
    })
    expect(line(['Utopian', 'UTOPIAN'])?.value).toBe('Utopian')
    expect(line(['Utopian office'])).toBeNull()
    expect(line(['UTOPIA'])).toBeNull()
    expect(line(['Republicans'])?.value).toBe('Republicans')
  })

  test('is none where two differ, no country is known, or it was read with doubt', () => {
    expect(line(['Utopian', 'Utopien'])).toBeNull()
    expect(line(['Utopian'], 'QQQ')).toBeNull()
    expect(line(['Utoxxx'], 'UXX')).toBeNull()
    expect(line(['Utopian'], 'UTO', 0.7)?.value).toBe('Utopian')
    expect(line(['Utopian'], 'UTO', 0.69)).toBeNull()
    expect(nationalityLine(page({}), 'UTO', { countries })).toBeNull()
  })
})
