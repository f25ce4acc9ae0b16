import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadDocumentTemplates } from '../../../server/config/document-templates.ts'
import type { AamvaFacts } from '../../../server/proofing/aamva/facts.ts'
import { buildTd3, type MrzContents } from '../../../server/proofing/mrz/build.ts'
import { readNames } from '../../../server/proofing/mrz/names.ts'
import { parseMrz, type MrzFacts } from '../../../server/proofing/mrz/parse.ts'
import { spellName, doesSpell } from '../../../server/proofing/name-spelling.ts'
import { compareVisualZone } from '../../../server/proofing/visual-zone/compare.ts'
import type { PageFacts, PageField, PageFieldName } from '../../../server/proofing/visual-zone/page-facts.ts'
import { readPageFacts } from '../../../server/proofing/visual-zone/read-facts.ts'
import { PASSPORT } from './visual-zone-page.ts'
import { HOLDER } from '../app/scripted-vision.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const anMrz = (holder: Partial<MrzContents> = {}): MrzFacts =>
  parseMrz(buildTd3({ ...HOLDER, ...holder }), NOW)

type Values = Readonly<Partial<Record<PageFieldName, string>>>

const PRINTED: Values = {
  surname: 'ERIKSSON',
  givenNames: 'ANNA MARIA',
  birthDate: '1974-08-12',
  expiryDate: '2029-12-31',
  documentNumber: 'L898902C3',
  sex: 'F',
}

/** A page whose fields were read by their labels, each line of it a value. */
function page(values: Values, more: Partial<PageField> = {}, print: readonly string[] = []): PageFacts {
  const fields = Object.entries(values).map(([field, value]) => ({
    field: field as PageFieldName,
    value,
    confidence: 0.95,
    captureIndex: 0,
    foundBy: 'label' as const,
    ...more,
  }))
  const lines = [...fields.map(({ value }) => value), ...print]
  return {
    template: null,
    kind: 'PASSPORT',
    country: null,
    state: null,
    fields,
    print: lines.map((text) => ({ text, confidence: 0.95, captureIndex: 0 })),
    dates: fields
      .filter(({ field }) => field.endsWith('Date'))
      .map(({ value }) => ({ value, confidence: 0.95 })),
  }
}

const compared = (facts: PageFacts, mrz: MrzFacts | null = anMrz(), licence: AamvaFacts | null = null) =>
  Object.fromEntries(
    compareVisualZone(facts, mrz, licence).map(({ field, comparison }) => [field, comparison]),
  )

const ALL_SAME = {
  surname: 'same',
  givenNames: 'same',
  birthDate: 'same',
  expiryDate: 'same',
  documentNumber: 'same',
  sex: 'same',
}

test('a page that says what its MRZ says is the same in every field', () => {
  expect(compared(page(PRINTED))).toEqual(ALL_SAME)
  const read = readPageFacts([PASSPORT], NOW, loadDocumentTemplates())
  expect(compared(read)).toEqual({ ...ALL_SAME, nationality: 'same' })
})

test('without an MRZ or barcode there is nothing to compare', () => {
  expect(compareVisualZone(page(PRINTED), null, null)).toEqual([])
})

test('a page of which nothing was read is unclear, never different', () => {
  expect(new Set(Object.values(compared(page({}))))).toEqual(new Set(['unclear']))
})

describe('another value, read with certainty, is different', () => {
  test.each([
    ['surname', 'BERGSTROM'],
    ['givenNames', 'BRITTA'],
    ['birthDate', '1981-03-24'],
    ['birthDate', '1974-08-22'],
    ['expiryDate', '2036-05-04'],
    ['documentNumber', 'L774512C9'],
    ['sex', 'M'],
  ] as const)('%s %s', (field, value) => {
    expect(compared(page({ ...PRINTED, [field]: value }))).toEqual({ ...ALL_SAME, [field]: 'different' })
  })

  test('but not when it was read without certainty, or taken for this field by its form alone', () => {
    const other: Values = {
      surname: 'BERGSTROM',
      birthDate: '1981-03-24',
      documentNumber: 'L774512C9',
      sex: 'M',
    }
    for (const doubt of [{ confidence: 0.6 }, { foundBy: 'form' }] as const)
      expect(Object.values(compared(page(other, doubt)))).not.toContain('different')
  })

  test('but not when the expected value stands elsewhere on the page', () => {
    const facts = page({ surname: 'BERGSTROM' }, {}, ['ERIKSSON'])
    expect(compared(facts).surname).toBe('same')
    const dates = { ...page({ birthDate: '2020-01-01' }), dates: [{ value: '1974-08-12', confidence: 0.9 }] }
    expect(compared(dates).birthDate).toBe('unclear')
  })
})

test('one letter or digit that is not alike, read with certainty, is different', () => {
  for (const [field, value] of [
    ['surname', 'ERIKSSEN'],
    ['givenNames', 'ANNA MARIK'],
    ['birthDate', '1974-08-13'],
    ['documentNumber', 'L898908C3'],
  ] as const) {
    expect(compared(page({ ...PRINTED, [field]: value }))).toEqual({ ...ALL_SAME, [field]: 'different' })
    expect(compared(page({ ...PRINTED, [field]: value }, { confidence: 0.84 }))[field]).toBe('unclear')
  }
})

describe('a nationality', () => {
  const printed = (value: string, nationality: string | undefined, more: Partial<PageField> = {}) =>
    compared({
      ...page({ ...PRINTED, nationality: value }, more),
      ...(nationality === undefined ? {} : { nationality }),
    }).nationality

  test('of another state is different, where its word was read with certainty', () => {
    expect(printed('UTOPIAN', 'UTO')).toBe('same')
    expect(printed('FRANÇAISE', 'FRA')).toBe('different')
    expect(printed('FRA', 'FRA')).toBe('different')
    expect(printed('FRANÇAISE', 'FRA', { confidence: 0.84 })).toBe('unclear')
    expect(printed('FRANÇAISE', 'FRA', { foundBy: 'form' })).toBe('unclear')
  })

  test('whose word is not known, or of an MRZ that names no state, is not compared', () => {
    expect(printed('QWXYZ', undefined)).toBeUndefined()
    const stateless = compareVisualZone(
      { ...page(PRINTED), nationality: 'FRA' },
      anMrz({ nationality: 'XXA' }),
      null,
    )
    expect(stateless.map(({ field }) => field)).not.toContain('nationality')
  })
})

test.each(['L8989O2C3', 'L898902C3'])('O and 0 are one shape in the print of a number: %s', (value) => {
  expect(compared(page({ ...PRINTED, documentNumber: value })).documentNumber).toBe('same')
})

describe('an error of reading is unclear, neither same nor different', () => {
  test.each([
    ['surname', 'ERIK5SON'],
    ['surname', 'ERIKSS0N'],
    ['surname', 'ERlKSSON'.toUpperCase()],
    ['surname', 'FRIKSSON'],
    ['givenNames', 'ANNA MARlA'.toUpperCase()],
    ['givenNames', 'ANNA RNARIA'],
    ['documentNumber', 'L898902C8'],
    ['documentNumber', 'LB98902C3'],
    ['birthDate', '1914-08-12'],
  ] as const)('%s %s', (field, value) => {
    const result = compared(page({ ...PRINTED, [field]: value }))[field]
    expect(result).toBe('unclear')
  })
})

describe('a name agrees with the MRZ that spells it', () => {
  // Doc 9303 part 3 section 6; without its mark as the reader gives it.
  test.each([
    ['Müller', 'MUELLER'],
    ['MULLER', 'MUELLER'],
    ['JØRGENSEN', 'JOERGENSEN'],
    ['JORGENSEN', 'JOERGENSEN'],
    ['ÅSE', 'AASE'],
    ['ASE', 'AASE'],
    ['NUNEZ', 'NUNXXEZ'],
    ["O'CONNOR", 'OCONNOR'],
    ['SMITH-JONES', 'SMITH JONES'],
    ['VANDER MUELLEN', 'VAN DER MUELLEN'],
    ['ТКАЧЕНКО/TKACHENKO', 'TKACHENKO'],
  ])('%s is %s', (printed, surname) => {
    expect(compared(page({ ...PRINTED, surname: printed }), anMrz({ surname })).surname).toBe('same')
  })

  test('both names in one line agree as both', () => {
    const both = page({ surname: 'ERIKSSON, ANNA MARIA' })
    expect(compared(both)).toMatchObject({ surname: 'same', givenNames: 'same' })
    expect(compared(page({ fullName: 'ANNA M ERIKSSON' }))).toMatchObject({
      surname: 'same',
      givenNames: 'same',
    })
  })

  test('a part of a longer name is not the name', () => {
    const longer = compared(page({ ...PRINTED, surname: 'ERIKSSON-LINDQVIST' })).surname
    expect(longer).not.toBe('same')
    expect(compared(page(PRINTED), anMrz({ surname: 'ERIKSSON LINDQVIST' })).surname).not.toBe('same')
  })

  test('a name in another script is unclear', () => {
    expect(compared(page({ surname: 'ЕРІКССОН-ПЕТРЕНКО' })).surname).toBe('unclear')
    expect(compared(page({ surname: 'الرازي' })).surname).toBe('unclear')
  })
})

describe('a name that the MRZ had to cut agrees component by component', () => {
  const printed: Values = {
    surname: 'BENNELONG WOOLOOMOOLOO WARRANDYTE WARNAMBOOL',
    givenNames: 'DINGO POTOROO',
  }
  // Doc 9303 part 4, section 4.2.2 (names truncated in four ways).
  test.each([
    'BENNELONG<WOOLOOMOOLOO<WARRANDYTE<W<<DI',
    'BENNELONG<WOOLOOM<WARRAND<WARNAM<<DINGO',
    'BENNEL<WOOLOO<WARRAN<WARNAM<<DINGO<POTO',
  ])('%s', (field) => {
    const { surname, givenNames, mayBeTruncated } = readNames(field)
    const cut = { ...anMrz(), surname, givenNames, nameMayBeTruncated: mayBeTruncated }
    expect(compared(page(printed), cut)).toMatchObject({ surname: 'same', givenNames: 'same' })
  })

  test('and another name does not', () => {
    const { surname, givenNames, mayBeTruncated } = readNames('BENNELONG<WOOLOOM<WARRAND<WARNAM<<DINGO')
    const cut = { ...anMrz(), surname, givenNames, nameMayBeTruncated: mayBeTruncated }
    const other = { surname: 'PAPANDROPOULOUS', givenNames: 'JONATHON WARREN TREVOR' }
    expect(compared(page(other), cut)).toMatchObject({ surname: 'different', givenNames: 'different' })
  })
})

describe('dates', () => {
  test('known in part agree in that part', () => {
    const mrz = { ...anMrz(), birthDate: { year: 1974 } }
    expect(compared(page(PRINTED), mrz).birthDate).toBe('same')
    expect(compared(page({ ...PRINTED, birthDate: '1981-03-24' }), mrz).birthDate).toBe('unclear')
    expect(compared(page(PRINTED), { ...anMrz(), birthDate: {} }).birthDate).toBe('unclear')
  })

  test('of a person over a hundred agree, because the MRZ has no century', () => {
    expect(
      compared(page({ ...PRINTED, birthDate: '1924-08-12' }), anMrz({ birthDate: '240812' })).birthDate,
    ).toBe('same')
  })

  test('of a visa are several: the MRZ’s has to be one of them, and where none is, nothing differs for sure', () => {
    const visa = { ...anMrz(), documentClass: 'VISA' } as const
    const { year = 0, month = 0, day = 0 } = visa.expiryDate ?? {}
    const own = new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10)
    const withDates = (...values: readonly string[]) => ({
      ...page(PRINTED),
      dates: values.map((value) => ({ value, confidence: 0.95 })),
    })
    expect(compared(withDates('2020-01-01', own), visa).expiryDate).toBe('same')
    expect(compared(withDates('2020-01-01', '2020-02-02'), visa).expiryDate).toBe('unclear')
    expect(compared(withDates(), visa).expiryDate).toBe('unclear')
  })
})

test('another number of the document, of another make-up, is unclear', () => {
  expect(compared(page({ ...PRINTED, documentNumber: '000-000-039' })).documentNumber).toBe('unclear')
})

// @clause NIST-63A-4/3.13-mrz
describe('against a barcode', () => {
  const licence: AamvaFacts = {
    version: 10,
    iin: '636000',
    country: 'USA',
    jurisdiction: 'VA',
    kind: 'DRIVING_LICENSE',
    documentNumber: 'T64235789',
    surname: 'SAMPLE',
    givenNames: ['MICHAEL', 'JOHN'],
    nameMayBeTruncated: false,
    suffix: null,
    birthDate: '1986-06-06',
    issueDate: '2016-06-06',
    expiryDate: '2027-12-10',
    sex: 'M',
    address: null,
    discriminator: null,
    deviations: [],
  }
  const printed: Values = {
    surname: 'SAMPLE',
    givenNames: 'MICHAEL JOHN',
    birthDate: '1986-06-06',
    expiryDate: '2027-12-10',
    documentNumber: 'T64235789',
    sex: 'M',
  }

  test('the card agrees in every field', () =>
    expect(compared(page(printed), null, licence)).toEqual(ALL_SAME))

  test('a name that the barcode may have cut agrees by its beginning', () => {
    const cut = { ...licence, givenNames: ['MICHAE'], nameMayBeTruncated: true }
    expect(compared(page(printed), null, cut).givenNames).toBe('same')
    expect(compared(page(printed), null, { ...cut, nameMayBeTruncated: false }).givenNames).not.toBe('same')
  })

  test('MRZ and barcode are compared each for itself', () => {
    const against = compareVisualZone(page(printed), anMrz(), licence).map((result) => result.against)
    expect(new Set(against)).toEqual(new Set(['zone', 'barcode']))
  })
})

test('Arabic is spelled by the standard’s table', () => {
  // Doc 9303 part 3, section 6, table C: its own example.
  const name = 'ابو بكر محمد بن زكريا الرازي'
  const written = 'ABW<BKR<MXHMD<BN<ZKRYA<ALRAZY'.split('<')
  const spelled = spellName(name)
  expect(spelled).toHaveLength(written.length)
  written.forEach((component, i) => expect(doesSpell(spelled?.[i] ?? [], component)).toBe(true))
  expect(doesSpell(spellName('محمد')?.[0] ?? [], 'MHMD')).toBe(true)
  expect(doesSpell(spellName('محمّد')?.[0] ?? [], 'MXHMMD')).toBe(true)
})

test('a shape taken for another that is alike never makes a difference; a wholly other name always does not agree', () => {
  const letters = fc.string({
    unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPRSTUVWYZ'),
    minLength: 4,
    maxLength: 12,
  })
  // Readers take these for each other.
  const alike = fc.constantFrom(
    ...[...'EFP', ...'HNM']
      .flatMap((a) => [...'EFPHNM'].map((b) => [a, b] as const))
      .filter(([a, b]) => 'EFP'.includes(a) === 'EFP'.includes(b)),
  )
  fc.assert(
    fc.property(letters, fc.nat(11), alike, (name, at, [letter, other]) => {
      const place = at % name.length
      const spelled = (sign: string) => name.slice(0, place) + sign + name.slice(place + 1)
      const result = compared(page({ surname: spelled(letter) }), anMrz({ surname: spelled(other) })).surname
      expect(result).not.toBe('different')
    }),
  )
  expect(compared(page({ surname: 'BERGSTROM' })).surname).toBe('different')
})
