/** Tests what zone and barcode tell about the page: which line is which, lost marks, scripts that were not read. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadDocumentTemplates } from '../../../server/config/document-templates.ts'
import { buildTd3, type MrzContents } from '../../../server/proofing/mrz/build.ts'
import { parseMrz, type MrzFacts } from '../../../server/proofing/mrz/parse.ts'
import { compareVisualZone } from '../../../server/proofing/visual-zone/compare.ts'
import { completePage } from '../../../server/proofing/visual-zone/complete.ts'
import type { PageFacts } from '../../../server/proofing/visual-zone/page-facts.ts'
import { readPageFacts } from '../../../server/proofing/visual-zone/read-facts.ts'
import { restoreMarks } from '../../../server/proofing/visual-zone/restore-marks.ts'
import { aPage, type Printed } from './visual-zone-page.ts'
import { HOLDER } from '../app/scripted-vision.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const KNOWLEDGE = loadDocumentTemplates()
const anMrz = (holder: Partial<MrzContents> = {}): MrzFacts =>
  parseMrz(buildTd3({ ...HOLDER, ...holder }), NOW)

const facts = (lines: readonly Printed[], of: MrzFacts | null): PageFacts =>
  completePage(readPageFacts([aPage(1.42, lines)], NOW, KNOWLEDGE), of, null, KNOWLEDGE)
const valueOf = (page: PageFacts, name: string) => page.fields.find(({ field }) => field === name)?.value

/** Values without any label that could be read. */
const BARE: readonly Printed[] = [
  ['L898902C3', 0.7, 0.2],
  ['ERIKSSON', 0.35, 0.27],
  ['ANNA MARIA', 0.35, 0.35],
  ['12 AUG 1974', 0.35, 0.5],
]

describe('lines that say what the MRZ says', () => {
  test('are the fields whose labels were not read', () => {
    const page = facts(BARE, anMrz())
    expect(valueOf(page, 'documentNumber')).toBe('L898902C3')
    expect(valueOf(page, 'surname')).toBe('ERIKSSON')
    expect(valueOf(page, 'givenNames')).toBe('ANNA MARIA')
    expect(valueOf(page, 'birthDate')).toBe('1974-08-12')
    expect(page.fields.map(({ foundBy }) => foundBy)).toContain('zone')
    const alone = facts(BARE, null).fields.filter(({ field }) => field === 'surname')
    expect(alone.map(({ foundBy }) => foundBy)).toEqual(['form'])
  })

  test('take the place of a wrong line, and never stand for what is not printed', () => {
    const wrong: readonly Printed[] = [
      ['Surname Nom', 0.35, 0.1, 0.02],
      ['FAMILY', 0.35, 0.13],
      ['ERIKSSON', 0.35, 0.6],
    ]
    expect(valueOf(facts(wrong, anMrz()), 'surname')).toBe('ERIKSSON')
    expect(valueOf(facts(wrong, anMrz({ surname: 'BERGSTROM' })), 'surname')).toBe('FAMILY')
  })

  test('give a number without the signs that a stroke of the background made', () => {
    const page = facts([['L)898902C3', 0.7, 0.2]], anMrz())
    expect(valueOf(page, 'documentNumber')).toBe('L898902C3')
  })

  test('do not cover a date that was read and differs', () => {
    const page = facts([['Date of birth', 0.35, 0.1, 0.02], ['24 MAR 1981', 0.35, 0.13], ...BARE], anMrz())
    expect(valueOf(page, 'birthDate')).toBe('1981-03-24')
  })
})

describe('marks that the reader lost', () => {
  test.each([
    ['MULLER', 'MUELLER', 'MÜLLER'],
    ['Muller', 'MUELLER', 'Müller'],
    ['MUNOZ', 'MUNXXOZ', 'MUÑOZ'],
    ['SJAGREN', 'SJAEGREN', 'SJÄGREN'],
    ['HAKAN', 'HAAKAN', 'HÅKAN'],
    ['JÕRGENSEN', 'JOERGENSEN', 'JÖRGENSEN'], // a mark above was seen, so it is no ø
    ['MÛLLER', 'MUELLER', 'MÜLLER'],
    ['ULF MULLER-LUDENSCHEIDT', 'ULF MUELLER LUEDENSCHEIDT', 'ULF MÜLLER-LÜDENSCHEIDT'],
  ])('are put back where the MRZ leaves one way: %s', (printed, inMrz, whole) => {
    expect(restoreMarks(printed, inMrz)).toBe(whole)
  })

  test.each([
    ['MOLLER', 'MOELLER'], // ö and ø are spelled alike
    ['MUELLER', 'MUELLER'],
    ['MICHAEL', 'MICHAEL'],
    ['MULLER', 'MILLER'],
    ['MULLER', ''],
    ['ИВАНОВ', 'IVANOV'],
    ['', 'MUELLER'],
  ])('are left where nothing is sure: %s', (printed, inMrz) => {
    expect(restoreMarks(printed, inMrz)).toBe(printed)
  })

  test('no text makes it fail, and letters are only ever given marks', () => {
    const plain = (text: string) =>
      text.normalize('NFD').replace(/\p{M}/gu, '').replace(/[Øø]/g, 'o').toLowerCase()
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.stringMatching(/^[A-Z]{0,12}$/), (printed, inMrz) => {
        expect(plain(restoreMarks(printed, inMrz))).toBe(plain(printed))
      }),
    )
  })

  test('are on the page’s name when the MRZ was read', () => {
    const lines: readonly Printed[] = [
      ['Surname Nom', 0.35, 0.1, 0.02],
      ['MULLER', 0.35, 0.13],
    ]
    expect(valueOf(facts(lines, anMrz({ surname: 'MUELLER' })), 'surname')).toBe('MÜLLER')
  })
})

describe('scripts beside Latin', () => {
  test('are named by the issuer in the MRZ, or by the words on the page', () => {
    expect(facts(BARE, anMrz({ issuingState: 'UKR' })).scriptsNotRead).toEqual(['Cyrl'])
    expect(facts(BARE, anMrz({ issuingState: 'ISR' })).scriptsNotRead).toEqual(['Arab', 'Hebr'])
    expect(facts([['REPUBLIC OF BULGARIA', 0.3, 0.05, 0.04]], null).scriptsNotRead).toEqual(['Cyrl'])
    expect(facts(BARE, anMrz()).scriptsNotRead).toEqual([])
    expect(facts(BARE, anMrz({ issuingState: 'D' })).scriptsNotRead).toEqual([])
  })

  test('make another name unclear, unless the page prints some of the name in Latin letters', () => {
    const names = (given: string): readonly Printed[] => [
      ['Surname', 0.35, 0.1, 0.02],
      ['MBAHOBCKNN', 0.35, 0.13],
      ['Given names', 0.35, 0.2, 0.02],
      [given, 0.35, 0.23],
    ]
    const surnameOf = (given: string, issuingState: string) => {
      const of = anMrz({ issuingState })
      return compareVisualZone(facts(names(given), of), of, null).find(({ field }) => field === 'surname')
        ?.comparison
    }
    expect(surnameOf('AHHA', 'UKR')).toBe('unclear')
    expect(surnameOf('AHHA', 'UTO')).toBe('different')
    expect(surnameOf('ANNA MARIA', 'UKR')).toBe('different')
  })

  test('lines without one word that was read with even chances are counted', () => {
    const page = facts([['vesti pr', 0.1, 0.1, 0.03, 0.2], ...BARE], anMrz())
    expect(page.unreadLines).toBe(1)
  })
})

describe('a nationality whose label was not read', () => {
  const nationality = (...lines: readonly Printed[]) => valueOf(facts(lines, anMrz()), 'nationality')
  const people: Printed = ['UTOPIAN', 0.35, 0.5]

  test('is the one word made of the country’s name that the MRZ gives as a code', () => {
    expect(nationality(['UTOPIA', 0.1, 0.05], people)).toBe('UTOPIAN')
    expect(valueOf(facts([people], null), 'nationality')).toBeUndefined()
    expect(valueOf(facts([people], anMrz({ nationality: 'FRA' })), 'nationality')).toBeUndefined()
  })

  test('is not the country’s own name, an authority, or one of two', () => {
    expect(nationality(['UTOPIA', 0.1, 0.05])).toBeUndefined()
    expect(nationality(['UTOPIAN PASSPORT OFFICE', 0.1, 0.5])).toBeUndefined()
    expect(nationality(people, ['UTOPIENNE', 0.35, 0.6])).toBeUndefined()
  })
})
