/**
 * Barcode texts of North American cards: every edition and issuer as the standard has them, then what states and scanners
 * do to them. All persons are invented.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decode, measure } from '../../../server/tools/bench/aamva.ts'
import type { AamvaFacts } from '../../../server/proofing/aamva/facts.ts'
import { ISSUERS } from '../../../server/proofing/aamva/issuers.ts'
import { parseAamva, readAamva } from '../../../server/proofing/aamva/parse.ts'
import { dataOfLicence } from '../../../server/proofing/aamva/to-document.ts'
import { buildAamva, type AamvaContents } from '../../../server/tools/specimen/aamva.ts'
import { sharedData } from '../../support/shared-data.ts'
import { cpuMs } from '../../support/cpu.ts'

const CARD: AamvaContents = {
  iin: '636000',
  country: 'USA',
  jurisdiction: 'VA',
  kind: 'DRIVING_LICENSE',
  documentNumber: 'T64235789',
  surname: 'QUILLFEATHER',
  givenNames: ['ODA', 'MARIT'],
  suffix: null,
  birthDate: '1986-06-16',
  issueDate: '2019-06-06',
  expiryDate: '2031-12-10',
  sex: 'F',
  address: { streetLines: ['2300 LONG LANE'], city: 'ELSEWHERE', state: 'VA', postcode: '23269' },
  discriminator: '2424244747',
}
const VERSIONS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

const fieldsOf = (facts: AamvaFacts | null): Partial<AamvaFacts> | null =>
  facts && {
    jurisdiction: facts.jurisdiction,
    documentNumber: facts.documentNumber,
    surname: facts.surname,
    givenNames: facts.givenNames,
    birthDate: facts.birthDate,
    issueDate: facts.issueDate,
    expiryDate: facts.expiryDate,
    sex: facts.sex,
  }
const EXPECTED = {
  jurisdiction: 'VA',
  documentNumber: 'T64235789',
  surname: 'QUILLFEATHER',
  givenNames: ['ODA', 'MARIT'],
  birthDate: '1986-06-16',
  issueDate: '2019-06-06',
  expiryDate: '2031-12-10',
  sex: 'F',
}

describe('a card as the standard has it', () => {
  test.each(VERSIONS)('is read in version %i without a remark', (version) => {
    const facts = parseAamva(buildAamva(CARD, version))
    expect(facts).toMatchObject({ ...EXPECTED, version, iin: '636000', kind: 'DRIVING_LICENSE' })
    expect(facts?.deviations).toEqual([])
    expect(facts?.address).toEqual({
      streetLines: ['2300 LONG LANE'],
      city: 'ELSEWHERE',
      state: 'VA',
      postcode: '23269',
    })
    expect(facts?.nameMayBeTruncated).toBe(false)
  })

  test('is read for every issuer, in every version', () => {
    for (const [iin, { country, jurisdiction }] of ISSUERS) {
      for (const version of VERSIONS) {
        const card = { ...CARD, iin, country, jurisdiction, suffix: 'JR' }
        const facts = parseAamva(buildAamva(card, version))
        expect([iin, version, fieldsOf(facts)]).toEqual([iin, version, { ...EXPECTED, jurisdiction }])
        expect(facts).toMatchObject({ country, suffix: 'JR' })
      }
    }
  })

  test('that is an identity card says so, and has no class of vehicles', () => {
    const text = buildAamva({ ...CARD, kind: 'IDENTITY_CARD' })
    expect(text).not.toContain('DCA')
    expect(parseAamva(text)?.kind).toBe('IDENTITY_CARD')
  })

  test('of an edition that is not known yet is read as the last one, with a remark', () => {
    const facts = parseAamva(buildAamva(CARD, 10).replace('ANSI 63600010', 'ANSI 63600011'))
    expect(facts).toMatchObject({ ...EXPECTED, version: 11, deviations: ['VERSION_UNKNOWN'] })
  })

  test('that says a name was cut is believed', () => {
    expect(parseAamva(buildAamva({ ...CARD, nameMayBeTruncated: true }, 8))?.nameMayBeTruncated).toBe(true)
    const long = { ...CARD, surname: 'Q'.repeat(40) }
    expect(parseAamva(buildAamva(long, 2))?.nameMayBeTruncated).toBe(true)
  })

  test('becomes the data of an evidence, not verified', () => {
    const facts = parseAamva(buildAamva(CARD))
    expect(facts && dataOfLicence(facts)).toMatchObject({
      idDocumentType: 'DRIVING_LICENSE',
      idDocumentNumber: 'T64235789',
      issuingCountry: 'USA',
      issuingState: 'VA',
      expiryDate: '2031-12-10',
      personalAttributes: {
        surname: { value: 'QUILLFEATHER', verified: false },
        dateOfBirth: { value: '1986-06-16', verified: false },
      },
      address: { city: 'ELSEWHERE', verified: false },
    })
  })
})

describe('a text that a scanner typed', () => {
  const mangle: readonly (readonly [string, (text: string) => string])[] = [
    ['with Enter for every CR', (text) => text.replace(/\r/g, '\r\n')],
    ['with LF as CR LF', (text) => text.replace(/\n/g, '\r\n')],
    ['without the record separator', (text) => text.replace('\u001e', '')],
    ['with another order of the header', (text) => text.replace('@\n\u001e\r', '@\r\n\u001eA')],
    ['with invented bytes', (text) => text.replace('DCS', '\u0080DCS').replace('\r', '\u0099\r')],
    ['with a byte order mark before it', (text) => `\ufeff${text}`],
    ['with control keys as letters', (text) => text.replace('\n\u001e\r', '\n6M').replace(/\n?\r/g, 'M')],
    ['without any control character', (text) => text.replace(/\p{Cc}/gu, '')],
    ['with blanks in their place', (text) => text.replace(/\p{Cc}+/gu, ' ')],
    ['with other signs in their place', (text) => text.replace(/\p{Cc}/gu, '|')],
    ['with tabulators in their place', (text) => text.replace(/\p{Cc}+/gu, '\t')],
    ['with the signs spelled out', (text) => JSON.stringify(text).slice(1, -1)],
    ['without its header', (text) => text.slice(text.indexOf('DAQ'))],
    ["cut off before the jurisdiction's own part", (text) => text.slice(0, text.lastIndexOf('Z') - 2)],
  ]
  test.each(mangle)('%s can be read', (_, change) => {
    for (const version of VERSIONS.slice(1)) {
      const facts = parseAamva(change(buildAamva(CARD, version)))
      expect([version, fieldsOf(facts)]).toEqual([version, EXPECTED])
    }
  })

  test('with offsets that are wrong is read by the names of its elements', () => {
    for (const [right, wrong] of [
      ['DL0041', 'DL0039'],
      ['DL0041', 'DL0000'],
      ['DL0041', 'DLabcd'],
      ['02DL', '01DL'],
      ['000002DL', '0000 2DL'],
    ]) {
      const facts = parseAamva(buildAamva(CARD, 8).replace(right, wrong))
      expect([wrong, fieldsOf(facts)]).toEqual([wrong, EXPECTED])
    }
  })
})

/** A card whose lines are given as they stand. */
const lines = (header: string, ...elements: string[]): AamvaFacts | null =>
  parseAamva(`@\n\u001e\r${header}${elements.join('\n')}\r`)
const REST = ['DAQ123456', 'DBA20310704', 'DBB19640704', 'DBC1', 'DBD20190704', 'DAJPA', 'DAGX', 'DAIY']

describe('what states do otherwise', () => {
  test.each([
    ['with commas', 'DAAQUILLFEATHER,ODA,MARIT', 'QUILLFEATHER', ['ODA', 'MARIT'], null],
    ['with a suffix', 'DAAQUILLFEATHER,ODA,MARIT,JR', 'QUILLFEATHER', ['ODA', 'MARIT'], 'JR'],
    ['with a comma too many', 'DAAQUILLFEATHER,ODA, ,', 'QUILLFEATHER', ['ODA'], null],
    ['with two given names in one part', 'DAAQUILLFEATHER,ODA MARIT', 'QUILLFEATHER', ['ODA', 'MARIT'], null],
    ['with a surname of two words', 'DAAVAN QUILL,ODA', 'VAN QUILL', ['ODA'], null],
    ['in elements of their own', 'DABQUILLFEATHER\nDACODA\nDADNMN', 'QUILLFEATHER', ['ODA'], null],
    [
      'with the suffix beside the surname',
      'DCSQUILLFEATHER III\nDCTODA,MARIT',
      'QUILLFEATHER',
      ['ODA', 'MARIT'],
      'III',
    ],
    ['with commas at the end', 'DCSQUILLFEATHER,\nDCTODA,MARIT   ', 'QUILLFEATHER', ['ODA', 'MARIT'], null],
  ])('names %s', (_, names, surname, givenNames, suffix) => {
    const facts = lines('ANSI 6360010102DL00390187ZN02260043DL', ...names.split('\n'), ...REST)
    expect(facts).toMatchObject({ surname, givenNames, suffix })
  })

  test('Pennsylvania writes a name without commas in the order in which it is spoken, others do not', () => {
    const of = (iin: string) => lines(`ANSI ${iin}0101DL00290194DL`, 'DAAODA MARIT QUILLFEATHER', ...REST)
    expect(of('636025')).toMatchObject({ surname: 'QUILLFEATHER', givenNames: ['ODA', 'MARIT'] })
    expect(of('636007')).toMatchObject({
      surname: 'ODA',
      deviations: expect.arrayContaining(['NAME_WITHOUT_COMMAS']) as string[],
    })
  })

  test.each([
    ['the year first', '19640704', '1964-07-04'],
    ['the month first', '07041964', '1964-07-04'],
    ['the day first', '24071964', '1964-07-24'],
    ['with signs between', '07/04/1964', '1964-07-04'],
    ['with signs between, year first', '1964-07-04', '1964-07-04'],
    ['with characters after it', '07041964M', '1964-07-04'],
    ['on a day that does not exist', '02301964', null],
    ['of zeros', '00000000', null],
    ['that is not there', 'NONE', null],
    ['that is not available', 'unavl', null],
  ])('a birth date %s', (_, printed, birthDate) => {
    const facts = lines(
      'ANSI 636001080002DL00410257ZN02980010DL',
      'DCSQUILL',
      'DACODA',
      `DBB${printed}`,
      ...REST,
    )
    expect(facts?.birthDate).toBe(birthDate)
  })

  test.each([
    ['1', 'M'],
    ['2', 'F'],
    ['9', 'X'],
    ['M', 'M'],
    ['F', 'F'],
    ['X', 'X'],
    ['0', null],
    ['', null],
  ])('sex %s', (printed, sex) => {
    expect(
      lines('ANSI 636001080002DL00410257ZN02980010DL', 'DCSQUILL', `DBC${printed}`, 'DBB07041964', 'DAQ1')
        ?.sex,
    ).toBe(sex)
  })

  test.each([
    ['232690000  ', 'USA', '23269'],
    ['23269-4321', 'USA', '23269-4321'],
    ['23269   0000', 'USA', '23269'],
    ['2326900000', 'USA', '23269'],
    ['T4G 7A7    ', 'CAN', 'T4G 7A7'],
  ])('the postcode %s', (printed, country, postcode) => {
    const iin = country === 'USA' ? '636000' : '604432'
    const facts = lines(`ANSI ${iin}080002DL00410257ZN02980010DL`, 'DCSQUILL', `DAK${printed}`, ...REST)
    expect(facts?.address?.postcode).toBe(postcode)
  })

  test('the mark of cards from before the standard is taken, however it is spaced', () => {
    for (const header of [
      'AAMVA6360250101DL00290194',
      'AAMVA 6360250101DL00290194DL',
      'ANSI  6360250101DL00290194DL',
      'AAMVA63602500DL',
    ])
      expect([header, lines(header, 'DAAQUILLFEATHER,ODA', ...REST)?.jurisdiction]).toEqual([header, 'PA'])
  })

  test('an issuer that no list names is known by the address, a listed one whatever the address says', () => {
    expect(lines('ANSI 636999080002DL00410257ZN02980010DL', 'DCSQUILL', ...REST)).toMatchObject({
      jurisdiction: 'PA',
      country: 'USA',
      deviations: expect.arrayContaining(['ISSUER_UNKNOWN']) as string[],
    })
    expect(lines('ANSI 636001080002DL00410257ZN02980010DL', 'DCSQUILL', ...REST)).toMatchObject({
      jurisdiction: 'NY',
      deviations: expect.arrayContaining(['ADDRESS_OUTSIDE_JURISDICTION']) as string[],
    })
  })

  test('the number of the social security is never kept', () => {
    const text = `@\n\u001e\rANSI 6360010102DL00390187ZN02260043DLDAAQUILL,ODA\nDBK123456789\n${REST.join('\n')}\r`
    const facts = parseAamva(text)
    expect(facts?.deviations).toContain('SOCIAL_SECURITY_NUMBER')
    expect(JSON.stringify(facts)).not.toContain('123456789')
  })

  test('no remark holds a value', () => {
    for (const version of VERSIONS)
      for (const deviation of parseAamva(buildAamva(CARD, version).replace(/\r/g, 'M'))?.deviations ?? [])
        expect(deviation).toMatch(/^[A-Z_]+$/)
  })
})

describe('the tracks of a magnetic stripe', () => {
  const tracks = (expiry: string, name = 'QUILLFEATHER$ODA$MARIT^') =>
    `%BCELSEWHERE^${name}1 LONG LANE$APT 2^?;6360281234567=${expiry}19860616=?_%0AV8V 1V1     00             F165 55BRNBLU?`

  test('are a card as well', () => {
    expect(parseAamva(tracks('3106'))).toMatchObject({
      iin: '636028',
      country: 'CAN',
      jurisdiction: 'BC',
      documentNumber: '1234567',
      surname: 'QUILLFEATHER',
      givenNames: ['ODA', 'MARIT'],
      birthDate: '1986-06-16',
      expiryDate: '2031-06-30',
      sex: 'F',
      address: { streetLines: ['1 LONG LANE', 'APT 2'], city: 'ELSEWHERE', state: 'BC', postcode: 'V8V 1V1' },
      deviations: ['MAGNETIC_STRIPE'],
    })
    expect(parseAamva(tracks('3106', 'QUILLFEATHER,$ODA MARIT^'))?.givenNames).toEqual(['ODA', 'MARIT'])
  })

  test.each([
    ['3177', null],
    ['3188', '2031-06-30'],
    ['3199', '2031-06-16'],
    ['3100', null],
  ])('that expire in %s', (expiry, date) => {
    expect(parseAamva(tracks(expiry))?.expiryDate).toBe(date)
  })
})

describe('what is no card of this standard', () => {
  test.each([
    ['nothing', '', 'not-aamva'],
    ['any text', 'This is PDF417', 'not-aamva'],
    ['a boarding pass', 'M1QUILL/ODA           EABC123 UTOXYZ 0834 226F001A0025 100', 'not-aamva'],
    [
      'a card without a name',
      '@\n\u001e\rANSI 636000100002DL00410278ZV03190008DLDAQT64235789\nDBB06161986\r',
      'elements-missing',
    ],
    [
      'the compact encoding',
      'DL\u00d7QUILL\u00f7ODA\u00f719860616\u00f720190606\u00f720311210\u00f7VA\u00b6',
      'compact-encoding',
    ],
  ])('is named: %s', (_, text, problem) => {
    expect(readAamva(text)).toEqual({ facts: null, problem })
  })

  test('never throws, whatever comes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => void readAamva(text)),
      { numRuns: 3000, seed: 7 },
    )
  })

  test('a card with parts overwritten, cut out or doubled is read or not, and never breaks the reader', () => {
    const cuts = fc.array(fc.tuple(fc.nat(600), fc.nat(30), fc.string({ unit: 'binary', maxLength: 12 })), {
      maxLength: 6,
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), cuts, (version, changes) => {
        let text = buildAamva(CARD, version)
        for (const [at, count, put] of changes) text = text.slice(0, at) + put + text.slice(at + count)
        const facts = parseAamva(text)
        for (const date of [facts?.birthDate, facts?.issueDate, facts?.expiryDate])
          if (date) expect(new Date(date).toISOString().slice(0, 10)).toBe(date)
      }),
      { numRuns: 2000, seed: 7 },
    )
  })

  test('takes no longer for a hostile text', () => {
    const started = cpuMs()
    for (const part of ['DAA', 'DCSDAC', 'ANSI 636000', 'DL', 'ZVZVA', '@\n']) readAamva(part.repeat(2000))
    expect(cpuMs() - started).toBeLessThan(2000)
  })
})

const folder = sharedData('aamva')
test.skipIf(folder === null)('every sample of the development set is plausible', () => {
  const texts = readdirSync(folder ?? '').map((file) => ({
    file,
    text: decode(readFileSync(join(folder ?? '', file))),
  }))
  const { files, parsed, plausible } = measure(texts, new Date())
  expect({ parsed, plausible }).toEqual({ parsed: files, plausible: files })
})
