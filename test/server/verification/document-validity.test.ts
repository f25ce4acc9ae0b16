/** Whether a document is in force, whether its issuer exists, and whether it is a specimen: by the whole pipeline of documents. */
import { describe, expect, test } from 'vitest'
import { buildAamva } from '../../../server/tools/specimen/aamva.ts'
import { buildTd3, type MrzContents } from '../../../server/proofing/mrz/build.ts'
import { HOLDER } from '../app/scripted-vision.ts'
import { aDocument, raised, side, verify, type World } from './verify.ts'

const SWEDISH = { ...HOLDER, issuingState: 'SWE', nationality: 'SWE' }
const passport = (holder: Partial<MrzContents> = {}, page?: readonly string[]) =>
  side({ lines: buildTd3({ ...SWEDISH, ...holder }), face: 'A', ...(page ? { page } : {}) })

/** An invented person; the number repeats name, birth date and sex, as in Florida. */
const CARD = {
  iin: '636010',
  country: 'USA',
  jurisdiction: 'FL',
  kind: 'DRIVING_LICENSE',
  documentNumber: 'F255921505940',
  surname: 'FICKENMAN',
  givenNames: ['WILMA', 'ADA'],
  birthDate: '1950-03-14',
  issueDate: '2024-03-14',
  expiryDate: '2032-03-14',
  sex: 'F',
  address: { streetLines: ['1 LONG LANE'], city: 'ELSEWHERE', state: 'FL', postcode: '32301' },
} as const

async function judged(front: Uint8Array, testMode = false, world?: World) {
  return (await verify(aDocument(front, { testMode }), world)).judgement
}

describe('a specimen', () => {
  test.each([
    ['of Utopia by its issuer', passport({ issuingState: 'UTO' })],
    ['of Utopia by its holder’s nationality', passport({ nationality: 'UTO' })],
    ['of a real state by the word on its page', passport({}, ['PASSPORT', 'SPECIMEN'])],
    ['by the word in small letters, beside others', passport({}, ['Type P  Specimen  SWE'])],
    ['by the word with its accent', passport({}, ['PASSEPORT', 'SPÉCIMEN'])],
    ['by the word of which one letter was misread', passport({}, ['PASSPORT', 'SPECIMFN'])],
  ])('%s is rejected in production and marked in test mode', async (_, front) => {
    const production = await judged(front)
    expect(production.status).toBe('INVALID')
    expect(production.blockingIndicators).toEqual(['SPECIMEN_DOCUMENT_FAILED'])
    expect(production.errors).toMatchObject([{ code: '1599', field: 'SPECIMEN_DOCUMENT' }])
    const testing = await judged(front, true)
    expect(testing.status).toBe('VERIFIED')
    expect(testing.warningIndicators).toContain('SPECIMEN_DOCUMENT_WARNING')
    expect(testing.blockingIndicators).toEqual([])
  })

  test('by the word on the back, and of a card without an MRZ', async () => {
    const front = side({ face: 'A' })
    const backs = [['SPECIMEN'], ['ORGAN DONOR']].map((page) => side({ barcode: buildAamva(CARD), page }))
    const [specimen, genuine] = await Promise.all(
      backs.map(async (back) => {
        const subject = aDocument(front, { back, declaredType: 'DRIVING_LICENSE', jurisdiction: 'USA' })
        return raised((await verify(subject)).judgement, 'SPECIMEN_DOCUMENT')
      }),
    )
    expect(specimen).toEqual(['SPECIMEN_DOCUMENT_FAILED'])
    expect(genuine).toEqual([])
  })

  test.each([
    ['with nothing of the kind on it', passport()],
    ['whose page has a longer word', passport({}, ['SPECIMENS', 'SPECIMENT', 'A-SPECIMEN'])],
    ['of a person with the name Muster', passport({ surname: 'MUSTER' }, ['Surname', 'MUSTER'])],
  ])('is no passport %s', async (_, front) => {
    for (const testMode of [false, true]) {
      const judgement = await judged(front, testMode)
      expect(judgement.status).toBe('VERIFIED')
      expect(raised(judgement, 'SPECIMEN_DOCUMENT')).toEqual([])
    }
  })
})

describe('the rules of test mode', () => {
  test('soften no other check: what is rejected in production is rejected there', async () => {
    const expired = passport({ expiryDate: '240101' })
    for (const testMode of [false, true]) {
      const judgement = await judged(expired, testMode)
      expect([judgement.status, judgement.blockingIndicators]).toEqual([
        'INVALID',
        ['DOCUMENT_EXPIRY_FAILED'],
      ])
    }
  })
})

describe('a birth year of two digits', () => {
  const CENTURY = 'BIRTH_DATE_CENTURY'
  const born = (birthDate: string, earliest: string, latest: string) =>
    judged(passport({ birthDate }), false, { earliest: new Date(earliest), latest: new Date(latest) })

  test('that is in one century at every moment that may be now is not asked about', async () => {
    const judgement = await born('740812', '2026-11-20T00:00:00Z', '2026-11-22T00:00:00Z')
    expect(judgement.status).toBe('VERIFIED')
    expect(raised(judgement, CENTURY)).toEqual([])
  })

  test('that may be this century’s or the last one’s, by what time it is, is withheld', async () => {
    // Born on 1 December of a year "26": 1926 as long as that day has not come, 2026 afterwards.
    const judgement = await born('261201', '2026-11-30T00:00:00Z', '2026-12-02T00:00:00Z')
    expect(judgement.status).toBe('NOT_VERIFIED')
    expect(judgement.unverifiedIndicators).toContain('BIRTH_DATE_CENTURY_UNVERIFIED')
    for (const day of ['2026-11-30', '2026-12-02']) {
      const certain = await born('261201', `${day}T00:00:00Z`, `${day}T00:00:00Z`)
      expect(raised(certain, CENTURY)).toEqual([])
    }
  })
})

describe('a document', () => {
  test.each([
    ['in force at every moment that may be now', '391231', 'passed', 'DOCUMENT_EXPIRY_OK'],
    ['on its last day', '261121', 'passed', 'DOCUMENT_EXPIRY_OK'],
    ['that ended yesterday', '261120', 'failed', 'DOCUMENT_EXPIRY_FAILED'],
  ])('%s is told so', async (_, expiryDate, _outcome, indicator) => {
    expect(raised(await judged(passport({ expiryDate })), 'DOCUMENT_EXPIRY')).toEqual([indicator])
  })

  test('that ended at one of the moments that may be now and not at another is withheld', async () => {
    const world = { earliest: new Date('2026-11-20T00:00:00Z'), latest: new Date('2026-11-23T00:00:00Z') }
    const judgement = await judged(passport({ expiryDate: '261121' }), false, world)
    expect(judgement.status).toBe('NOT_VERIFIED')
    expect(raised(judgement, 'DOCUMENT_EXPIRY')).toEqual(['DOCUMENT_EXPIRY_UNVERIFIED'])
  })

  test('of an issuer that exists nowhere is warned of', async () => {
    expect(raised(await judged(passport()), 'ISSUER_CODE')).toEqual(['ISSUER_CODE_OK'])
    expect(raised(await judged(passport({ issuingState: 'XYZ' })), 'ISSUER_CODE')).toEqual([
      'ISSUER_CODE_WARNING',
    ])
  })

  const FRAMED = {
    framing: { by: 'outline', tiltDeg: 0, resolutionDpi: 300, spanShare: 0.9, missingShare: 0 },
  } as const
  test.each([
    ['a day that is over', '20.11.2026', 'DOCUMENT_EXPIRY_FAILED'],
    ['today', '21.11.2026', 'DOCUMENT_EXPIRY_OK'],
    ['nothing', '', 'DOCUMENT_EXPIRY_UNVERIFIED'],
  ])('without an MRZ or a barcode ends on the day that is printed: %s', async (_, printed, indicator) => {
    const page = ['FÜHRERSCHEIN', '1. MUSTERMANN', '2. ERIKA', '3. 12.08.1964 BERLIN', `4b. ${printed}`]
    const front = side({ face: 'A', page, quality: FRAMED })
    const subject = aDocument(front, {
      declaredType: 'DRIVING_LICENSE',
      jurisdiction: 'DEU',
      sidesEnsured: true,
    })
    expect(raised((await verify(subject)).judgement, 'DOCUMENT_EXPIRY')).toEqual([indicator])
  })

  test.each([
    ['2026-11-20', 'DOCUMENT_EXPIRY_FAILED'],
    ['2026-11-21', 'DOCUMENT_EXPIRY_OK'],
  ])(
    'with a barcode ends on the day that this gives (%s), whatever is printed',
    async (expiryDate, indicator) => {
      const card = { ...CARD, expiryDate }
      const back = side({ barcode: buildAamva(card), page: ['4b EXP 03/14/2040'] })
      const more = { back, declaredType: 'DRIVING_LICENSE', jurisdiction: 'USA' } as const
      const { judgement } = await verify(aDocument(side({ face: 'A', quality: FRAMED }), more))
      expect(raised(judgement, 'DOCUMENT_EXPIRY')).toEqual([indicator])
    },
  )
})

describe('an issue date that cannot be true', () => {
  const issued = (day: string, expiryDate = '291231', expires = '31 DEC 2029') =>
    passport({ expiryDate }, ['PASSPORT', 'Date of issue', day, 'Date of expiry', expires])

  test.each([
    ['after today', issued('01 JAN 2027')],
    ['after the expiry', issued('02 JUN 2028', '280601', '01 JUN 2028')],
    ['before the birth', issued('12 AUG 1973')],
    ['longer before the expiry than a passport is valid', issued('01 JAN 2015')],
  ])('%s: a person decides', async (_, front) => {
    const judgement = await judged(front)
    expect(judgement.status).toBe('NOT_VERIFIED')
    expect(judgement.withheldBy).toEqual(['DATE_PLAUSIBILITY'])
    expect(judgement.errors).toMatchObject([{ code: '1599', field: 'issueDate' }])
  })

  test('one that can be true withholds nothing', async () => {
    expect((await judged(issued('01 JAN 2020'))).status).toBe('VERIFIED')
  })
})
