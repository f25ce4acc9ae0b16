/** The certain facts of a document: the precedence of its sources, and a card without an MRZ. */
import { describe, expect, test } from 'vitest'
import { buildMrz, buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { parseAamva } from '../../../server/proofing/aamva/parse.ts'
import { buildAamva, type AamvaContents } from '../../../server/tools/specimen/aamva.ts'
import { documentReading } from '../../../server/verification/steps/document-reading.ts'
import type { DocumentSubject, StepTools } from '../../../server/verification/subject.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import { HOLDER, scriptedVision } from '../app/scripted-vision.ts'
import { aDocument, raised, side, verify } from './verify.ts'

/** An invented person; the number repeats nothing of her. */
const CARD: AamvaContents = {
  iin: '636014',
  country: 'USA',
  jurisdiction: 'CA',
  kind: 'DRIVING_LICENSE',
  documentNumber: 'D1234562',
  surname: 'FICKENMAN',
  givenNames: ['WILMA', 'ADA'],
  birthDate: '1950-03-14',
  issueDate: '2024-03-14',
  expiryDate: '2032-03-14',
  sex: 'F',
  address: { streetLines: ['1 LONG LANE'], city: 'ELSEWHERE', state: 'CA', postcode: '94203' },
}
/** Leaves out these elements of the standard. */
const without = (...ids: readonly string[]): string =>
  ids.reduce((text, id) => text.replace(new RegExp(`${id}[^\\n]*\\n`), ''), buildAamva(CARD))

const LICENCE = { declaredType: 'DRIVING_LICENSE', jurisdiction: 'USA' } as const
const PORTRAIT_SIDE = side({ face: 'A' })

function cardWith(barcode: string | null, more: Partial<DocumentSubject> = {}) {
  return aDocument(PORTRAIT_SIDE, { back: side({ barcode }), ...LICENCE, ...more })
}
const readingOf = async (subject: DocumentSubject) => {
  const { judgement, records, facts } = await verify(subject)
  const step = records.find(
    ({ verificationServices: [service] }) => service.serviceName === 'document-reading',
  )
  return {
    indicators: raised(judgement, 'DOCUMENT_READING'),
    measured: step?.measurements[0]?.measured,
    facts,
  }
}
const OK = ['DOCUMENT_READING_OK']
const UNSURE = ['DOCUMENT_READING_UNVERIFIED']

describe('a card with a barcode', () => {
  test('is known for certain, and says what the barcode says', async () => {
    const { indicators, measured, facts } = await readingOf(cardWith(buildAamva(CARD)))
    expect(indicators).toEqual(OK)
    expect(measured).toMatchObject({ layout: 'DRIVING_LICENCE', sources: 'barcode' })
    expect(facts).toMatchObject({
      type: 'DRIVING_LICENSE',
      data: { idDocumentNumber: 'D1234562', expiryDate: '2032-03-14' },
    })
  })

  test.each([
    ['a birth date', ['DBB']],
    ['a birth date that exists', []],
    ['a surname', ['DCS', 'DAB', 'DAA']],
    ['a number', ['DAQ']],
  ])('without %s is not', async (what, ids) => {
    const text = ids.length > 0 ? without(...ids) : buildAamva(CARD).replace('DBB03141950', 'DBB02301950')
    expect(text).not.toBe(buildAamva(CARD))
    expect((await readingOf(cardWith(text))).indicators, what).toEqual(UNSURE)
  })

  test('that a scanner typed counts where the print says the same, and not by itself', async () => {
    const scanned = { scannedBarcode: buildAamva(CARD) }
    expect((await readingOf(cardWith(null, scanned))).indicators).toEqual(UNSURE)
    const page = [
      'CALIFORNIA DRIVER LICENSE',
      'DL D1234562',
      'LN FICKENMAN',
      'FN WILMA ADA',
      'DOB 03/14/1950',
      'EXP 03/14/2032',
    ]
    const printed = aDocument(side({ face: 'A', page }), { back: side({}), ...LICENCE, ...scanned })
    expect((await readingOf(printed)).indicators).toEqual(OK)
    const other = page.map((line) => line.replace('FICKENMAN', 'ANDERSSON'))
    const contradicted = aDocument(side({ face: 'A', page: other }), {
      back: side({}),
      ...LICENCE,
      ...scanned,
    })
    expect((await readingOf(contradicted)).indicators).toEqual(UNSURE)
  })

  test('that is declared to be another kind does not match, and one of its kind does', async () => {
    const match = async (declaredType: DocumentSubject['declaredType'], kind: AamvaContents['kind']) => {
      const subject = cardWith(buildAamva({ ...CARD, kind }), { declaredType })
      return raised((await verify(subject)).judgement, 'DOCUMENT_TYPE_MATCH')
    }
    expect(await match('DRIVING_LICENSE', 'DRIVING_LICENSE')).toEqual(['DOCUMENT_TYPE_MATCH_OK'])
    expect(await match('DRIVING_LICENSE', 'IDENTITY_CARD')).toEqual(['DOCUMENT_TYPE_MATCH_WARNING'])
    expect(await match('IDENTITY_CARD', 'IDENTITY_CARD')).toEqual(['DOCUMENT_TYPE_MATCH_OK'])
    expect(await match(null, 'IDENTITY_CARD')).toEqual([])
  })
})

test.each([
  ['number', { documentNumber: '' }],
  ['surname', { surname: '' }],
  ['birth date', { birthDate: null }],
])('a barcode with an empty %s is not known for certain, however it was parsed', async (_, missing) => {
  const facts = { ...parseAamva(buildAamva(CARD)), ...missing }
  const document = { mrz: null, licence: { facts, scanned: false }, classification: { layout: 'UNKNOWN' } }
  const tools = {
    document: async () => document,
    sides: async () => [],
    thresholds: { dimLuminance: 90 },
  } as unknown as StepTools
  const { findings } = await documentReading.run(aDocument(PORTRAIT_SIDE), tools)
  expect(findings[0]).toMatchObject({
    check: 'DOCUMENT_READING',
    outcome: 'inconclusive',
    errors: [{ code: '1543' }],
  })
})

describe('a card without MRZ and barcode', () => {
  const FRAMED = {
    framing: { by: 'outline', tiltDeg: 0, resolutionDpi: 300, spanShare: 0.9, missingShare: 0 },
  } as const
  const printed = (state: string, number: string) =>
    aDocument(
      side({
        face: 'A',
        quality: FRAMED,
        page: [
          `${state} DRIVER LICENSE`,
          `4d DL ${number}`,
          '1 FICKENMAN',
          '2 WILMA ADA',
          '3 DOB 03/14/1950',
          '15 SEX F',
          '4b EXP 03/14/2032',
        ],
      }),
      { ...LICENCE, sidesEnsured: true },
    )

  test('is known for certain by a number that repeats names and birth date, and by no other', async () => {
    // Florida: sound of the surname, given names, year and day of birth. Michigan: the sound of the surname alone.
    const florida = await readingOf(printed('FLORIDA', 'F255-921-50-594-0'))
    expect([florida.indicators, florida.measured]).toEqual([
      OK,
      { layout: 'DRIVING_LICENCE', sources: 'print' },
    ])
    expect((await readingOf(printed('FLORIDA', 'F255-921-51-594-0'))).indicators).toEqual(UNSURE)
    const michigan = await readingOf(printed('MICHIGAN', 'F 255 123 456 789'))
    expect([michigan.indicators, michigan.facts?.data.issuingState]).toEqual([UNSURE, 'MI'])
    expect((await readingOf(printed('CALIFORNIA', 'D1234562'))).indicators).toEqual(UNSURE)
  })
})

describe('an MRZ', () => {
  const passport = (doubtful: boolean) => side({ lines: buildTd3(HOLDER), face: 'A', doubtful })

  test('on which two readers agree is certain, and one that they read differently is not', async () => {
    const sure = await readingOf(aDocument(passport(false)))
    expect(sure.indicators).toEqual(OK)
    expect(sure.measured).toMatchObject({ layout: 'TD3', sources: 'zone' })
    expect((await readingOf(aDocument(passport(true)))).indicators).toEqual(UNSURE)
  })

  test('that is in doubt is not helped by a barcode beside it', async () => {
    const front = side({ lines: buildTd3(HOLDER), face: 'A', doubtful: true, barcode: buildAamva(CARD) })
    const { indicators, measured } = await readingOf(aDocument(front))
    expect(indicators).toEqual(UNSURE)
    expect(measured).toMatchObject({ sources: 'zone+barcode' })
  })

  test('says what the document says, whatever a barcode beside it says', async () => {
    const front = side({ lines: buildTd3(HOLDER), face: 'A', barcode: buildAamva(CARD) })
    const { facts } = await readingOf(aDocument(front))
    expect(facts).toMatchObject({ type: 'PASSPORT', data: { idDocumentNumber: 'L898902C3' } })
  })
})

describe('the reading of an MRZ', () => {
  const mrzOf = async (subject: DocumentSubject) => {
    const { judgement, records } = await verify(subject)
    const step = records.find(({ verificationServices: [service] }) => service.serviceName === 'mrz-read')
    return {
      reading: raised(judgement, 'MRZ_READING'),
      agreement: raised(judgement, 'MRZ_WITNESS_AGREEMENT'),
      step,
      codes: judgement.errors.map(({ code }) => code),
    }
  }
  const TD1 = buildMrz({ ...HOLDER, documentCode: 'I' }, 'TD1')

  test('is told with what was measured, the models, and that the readers agree', async () => {
    const { reading, agreement, step } = await mrzOf(aDocument(side({ lines: buildTd3(HOLDER), face: 'A' })))
    expect([reading, agreement]).toEqual([['MRZ_READING_OK'], ['MRZ_WITNESS_AGREEMENT_OK']])
    expect(step?.measurements).toEqual([
      {
        check: 'MRZ_READING',
        outcome: 'passed',
        measured: {
          format: 'TD3',
          lowestConfidence: 0.99,
          characterPitchPx: 20,
          repairedCharacters: 0,
          marginNats: 9,
        },
      },
      { check: 'MRZ_WITNESS_AGREEMENT', outcome: 'passed', measured: { witnesses: 1 } },
    ])
    expect(step?.models).toEqual([{ id: 'scripted', version: '1', sha256: '0'.repeat(64) }])
  })

  test('is on the back of most cards, and found there', async () => {
    const card = aDocument(PORTRAIT_SIDE, { back: side({ lines: TD1 }), declaredType: 'IDENTITY_CARD' })
    expect((await mrzOf(card)).reading).toEqual(['MRZ_READING_OK'])
  })

  /** Changes these members of the reading. */
  const readAs = (over: object): Vision => {
    const vision = scriptedVision()
    return {
      ...vision,
      measureDocument: async (input) => {
        const measured = await vision.measureDocument(input)
        return { ...measured, mrz: measured.mrz && { ...measured.mrz, ...over } }
      },
    }
  }
  const stepWith = async (over: object) => {
    const subject = aDocument(side({ lines: buildTd3(HOLDER), face: 'A' }))
    const { records } = await verify(subject, { vision: readAs(over) })
    const step = records.find(({ verificationServices: [service] }) => service.serviceName === 'mrz-read')
    return step?.measurements ?? []
  }

  test.each([
    ['a character was repaired', { repaired: [{ line: 0, index: 3 }] }],
    ['it may be a part of a longer one', { isWhole: false }],
    ['another reading is nearly as likely', { marginNats: 1.2 }],
  ])('is in doubt where %s, though the readers agree', async (_, over) => {
    const [, agreement] = await stepWith(over)
    expect(agreement).toMatchObject({ check: 'MRZ_WITNESS_AGREEMENT', outcome: 'inconclusive' })
  })

  test('is as sure as its least sure character', async () => {
    const characterConfidence = [[0.9, 0.4, 0.8], [0.7]]
    expect((await stepWith({ characterConfidence }))[0]?.measured).toMatchObject({ lowestConfidence: 0.4 })
  })

  test('that two readers read differently is in doubt, with its code', async () => {
    const front = side({ lines: buildTd3(HOLDER), face: 'A', doubtful: true })
    const { reading, agreement, codes } = await mrzOf(aDocument(front))
    expect([reading, agreement]).toEqual([['MRZ_READING_OK'], ['MRZ_WITNESS_AGREEMENT_UNVERIFIED']])
    expect(codes).toContain('1543')
  })

  test.each([
    ['a band was seen that could not be read', { band: {} }, { declaredType: 'DRIVING_LICENSE' }],
    ['a band was seen on the back alone', {}, { declaredType: 'DRIVING_LICENSE', back: side({ band: {} }) }],
    ['it was declared a passport', {}, { declaredType: 'PASSPORT' }],
    ['it was declared a residence card', {}, { declaredType: 'RESIDENT_CARD' }],
    ['its type was not declared and not recognised', {}, {}],
  ] as const)('must be there where %s', async (_, front, more) => {
    const framed = { by: 'outline', tiltDeg: 0, resolutionDpi: 300, spanShare: 0.9, missingShare: 0 } as const
    const subject = aDocument(side({ face: 'A', quality: { framing: framed }, ...front }), {
      sidesEnsured: true,
      ...more,
    })
    const { reading, agreement, codes } = await mrzOf(subject)
    expect([reading, agreement]).toEqual([['MRZ_READING_WARNING'], []])
    expect(codes).toContain('1543')
  })

  test.each([
    ['a driving licence', { declaredType: 'DRIVING_LICENSE' }],
    ['a voter’s card', { declaredType: 'VOTER_CARD' }],
    ['a tax card', { declaredType: 'TAX_CARD' }],
    ['an identity card with the barcode of one', { declaredType: 'IDENTITY_CARD', barcode: 'IDENTITY_CARD' }],
    ['a card that is a licence by its barcode', { barcode: 'DRIVING_LICENSE' }],
  ] as const)(
    'need not be there on %s',
    async (
      _,
      {
        barcode,
        ...more
      }: { barcode?: AamvaContents['kind']; declaredType?: DocumentSubject['declaredType'] },
    ) => {
      const text = barcode && buildAamva({ ...CARD, kind: barcode })
      const subject = aDocument(PORTRAIT_SIDE, {
        back: side(text === undefined ? {} : { barcode: text }),
        sidesEnsured: true,
        ...more,
      })
      expect((await mrzOf(subject)).reading).toEqual([])
    },
  )

  test('must be there on an identity card with a licence’s barcode', async () => {
    const subject = cardWith(buildAamva(CARD), { declaredType: 'IDENTITY_CARD' })
    expect((await mrzOf(subject)).reading).toEqual(['MRZ_READING_WARNING'])
  })
})

describe('the sides of two documents', () => {
  const back = (surname: string, more: object = {}) => {
    const mrz = { ...HOLDER, documentCode: 'I', issuingState: 'SWE', nationality: 'SWE', surname, ...more }
    return side({ lines: buildMrz(mrz, 'TD1') })
  }
  const front = (surname: string, born: string, number: string) =>
    side({
      face: 'A',
      page: [
        'IDENTITY CARD',
        ...['Surname', surname, 'Given names', 'ANNA MARIA', 'Date of birth', born],
        ...['Document number', number],
      ],
    })
  const own = () => front('ERIKSSON', '12 AUG 1974', 'L898902C3')

  test('say nothing together: no value is returned, and the reason is that there are two', async () => {
    const other = { documentNumber: 'XT5500771', birthDate: '900101', givenNames: ['BO'] }
    const subject = aDocument(own(), { back: back('LUND', other) })
    const { judgement, facts } = await verify(subject)
    expect(judgement.status).toBe('NOT_VERIFIED')
    expect(judgement.withheldBy).toContain('SINGLE_DOCUMENT')
    expect(facts).toBeNull()
  })

  test('each with an MRZ that was read for sure are refused without values, too', async () => {
    const subject = aDocument(side({ face: 'A', lines: buildTd3(HOLDER) }), { back: back('LUND') })
    const { judgement, facts } = await verify(subject)
    expect(judgement.withheldBy).toContain('SINGLE_DOCUMENT')
    expect(facts).toBeNull()
  })

  test('of one card that agree, or differ in one field, are one document', async () => {
    for (const mrz of [{}, { documentNumber: 'L898902C8' }, { birthDate: '740813' }]) {
      const { judgement, facts } = await verify(aDocument(own(), { back: back('ERIKSSON', mrz) }))
      expect(judgement.withheldBy ?? []).not.toContain('SINGLE_DOCUMENT')
      expect(facts?.data.personalAttributes.surname?.value).toBe('ERIKSSON')
    }
  })
})
