/** Which values the API calls verified, and why. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildAamva } from '../../../server/tools/specimen/aamva.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { documentForm } from '../../support/app.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport, HOLDER, picture, type Scene } from './scripted-vision.ts'

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing()
})
afterAll(() => client.app.close())

const PAGE = [
  'UTOPIA PASSPORT',
  'Surname',
  'ERIKSSON',
  'Given names',
  'ANNA MARIA',
  'Passport No.',
  'L898902C3',
]
const DATES = ['Date of birth', '12 AUG 1974', 'Date of expiry', '31 DEC 2029']
const WHOLE = [...PAGE, 'Nationality', 'UTOPIAN', 'Sex', 'F', ...DATES]

type DocumentScene = Extract<Scene, { shows: 'document' }>
const passport = (scene: Partial<DocumentScene>) =>
  picture({ shows: 'document', lines: buildTd3(HOLDER), face: 'A', ...scene })

interface Sent {
  readonly back?: Uint8Array
  readonly details?: object
  readonly key?: string
}

/** The values of the document by name, each with whether it is verified. */
async function valuesOf(image: Uint8Array, { back, details, key }: Sent = {}) {
  const id = await client.anIdentity()
  const body = documentForm(image)
  if (back) body.append('DocumentBack', new Blob([back as BlobPart], { type: 'image/jpeg' }), 'back.jpg')
  if (details) body.append('DocumentCaptureDetails', new Blob([JSON.stringify(details)]), 'details.json')
  await client.ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents/capture`, { body })
  await client.app.runJobs()
  const [document] = (await client.identity(id, key === undefined ? {} : { key })).idDocuments
  const {
    givenNames = [],
    surname,
    dateOfBirth,
    gender,
    nationality,
  } = document.idDocumentData?.personalAttributes ?? {}
  return {
    id,
    status: document.evidenceStatus.status,
    verified: {
      surname: surname?.verified,
      givenNames: givenNames.map(({ verified }) => verified),
      dateOfBirth: dateOfBirth?.verified,
      gender: gender?.verified,
      nationality: nationality?.verified,
    },
  }
}

const NONE = {
  surname: false,
  givenNames: [false, false],
  dateOfBirth: false,
  gender: false,
  nationality: false,
}

describe('a value of a passport is verified', () => {
  test('where two readers agree on the MRZ and its print says the same', async () => {
    expect(await valuesOf(passport({ page: WHOLE }))).toMatchObject({
      status: 'VERIFIED',
      verified: {
        surname: true,
        givenNames: [true, true],
        dateOfBirth: true,
        gender: true,
        nationality: true,
      },
    })
  })

  test('by the MRZ alone only where a check digit covers it: neither sex nor nationality has one', async () => {
    expect(await valuesOf(aPassport())).toMatchObject({
      status: 'VERIFIED',
      verified: { ...NONE, dateOfBirth: true },
    })
  })

  test.each([
    ['nationality', 'UTOPIAN', { nationality: false, gender: true }],
    ['sex', 'F', { gender: false, nationality: true }],
  ])('not where the print of the %s was erased', async (_, printed, verified) => {
    const page = WHOLE.filter((line) => line !== printed)
    expect(page).toHaveLength(WHOLE.length - 1)
    expect(await valuesOf(passport({ page }))).toMatchObject({
      status: 'VERIFIED',
      verified: { ...verified, surname: true },
    })
  })

  test('not where the two readers of the MRZ differ', async () => {
    const found = await valuesOf(passport({ doubtful: true, page: [...PAGE, ...DATES] }))
    expect(found).toMatchObject({ status: 'NOT_VERIFIED', verified: NONE })
  })

  test('not where the print says more of the name than the MRZ', async () => {
    const page = PAGE.map((line) => (line === 'ANNA MARIA' ? 'ANNA MARIA LOUISE' : line))
    expect((await valuesOf(passport({ page: [...page, ...DATES] }))).verified).toMatchObject({
      surname: true,
      givenNames: [false, false],
    })
  })

  test('not where one reader alone has seen the mark of a letter', async () => {
    const lines = (surname: string) => buildTd3({ ...HOLDER, surname })
    const page = (surname: string) => [
      ...PAGE.map((line) => (line === 'ERIKSSON' ? surname : line)),
      ...DATES,
    ]
    const accented = await valuesOf(passport({ lines: lines('LEVEQUE'), page: page('LÉVEQUE') }))
    expect(accented).toMatchObject({
      status: 'VERIFIED',
      verified: { surname: false, givenNames: [true, true] },
    })
    // The zone writes the mark with a letter of its own.
    const written = await valuesOf(passport({ lines: lines('MUELLER'), page: page('MÜLLER') }))
    expect(written).toMatchObject({ status: 'VERIFIED', verified: { surname: true } })
  })

  test('not of a document that is not VERIFIED, whatever was read', async () => {
    const lines = buildTd3({ ...HOLDER, expiryDate: '200101' })
    const page = [...PAGE, ...DATES.map((line) => line.replace('31 DEC 2029', '01 JAN 2020'))]
    expect(await valuesOf(passport({ lines, page }))).toMatchObject({ status: 'INVALID', verified: NONE })
  })

  test('never for a user-agent key', async () => {
    const found = await valuesOf(passport({ page: [...PAGE, ...DATES] }), { key: client.app.userAgentKey })
    expect(found).toMatchObject({ status: 'VERIFIED', verified: NONE })
  })
})

describe('a value of a card with a barcode is verified', () => {
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
  } as const
  const PRINT = [
    'FLORIDA DRIVER LICENSE',
    '4d DLN F255921505940',
    '1 FICKENMAN',
    '2 WILMA ADA',
    '3 DOB 03/14/1950',
    '15 SEX F',
    '4b EXP 03/14/2032',
  ]
  const details = { documentType: 'DRIVING_LICENSE', jurisdiction: 'USA' }
  const back = picture({ shows: 'document', lines: null, face: null, barcode: buildAamva(CARD) })
  const licence = (page: readonly string[]) => picture({ shows: 'document', lines: null, face: 'A', page })

  test('where the print agrees with it, and by the unsigned barcode alone it is not', async () => {
    expect(await valuesOf(licence(PRINT), { back, details })).toMatchObject({
      status: 'VERIFIED',
      verified: { surname: true, givenNames: [true, true], dateOfBirth: true },
    })
    expect(await valuesOf(licence(['FLORIDA DRIVER LICENSE']), { back, details })).toMatchObject({
      status: 'VERIFIED',
      verified: { surname: false, givenNames: [false, false], dateOfBirth: false },
    })
  })
})

describe('what the person states is verified', () => {
  const value = (text: string) => ({ value: text })
  const STATED = {
    givenNames: [value('Anna'), value('Maria')],
    surname: value('Eriksson'),
    dateOfBirth: value('1974-08-12'),
  }
  const withConsents = async (image: Uint8Array): Promise<string> => {
    const { id } = await valuesOf(image)
    const payload = [{ type: 'ID_CLAIM', approved: true }]
    await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
    return id
  }

  test('where it is equal to a verified value of the document, which confirms attributes', async () => {
    const id = await withConsents(passport({ page: [...PAGE, ...DATES] }))
    const before = await client.identity(id)
    await client.ask('AttributesAnswer', 'POST', `/v1/identities/${id}/attributes`, { payload: STATED })
    await client.ask('SingleStatus', 'POST', `/v1/identities/${id}/claim`, {
      payload: { attributesData: STATED },
    })
    await client.app.runJobs()
    const { attributes, claim, globalStatus } = await client.identity(id)
    expect(globalStatus.levelOfAssurance).toBe(before.globalStatus.levelOfAssurance)
    const verified = {
      givenNames: [
        { value: 'Anna', verified: true },
        { value: 'Maria', verified: true },
      ],
      surname: { value: 'Eriksson', verified: true },
      dateOfBirth: { value: '1974-08-12', verified: true },
    }
    expect(attributes).toMatchObject([
      {
        evidenceStatus: {
          status: 'VERIFIED',
          score: 'LEVEL1',
          positiveIndicators: ['ATTRIBUTES_MATCH_OK', 'ATTRIBUTES_CORRECTION_OK'],
        },
        attributesData: verified,
      },
    ])
    // The issuer of the claim was not asked: the claim itself stays open.
    expect(claim).toMatchObject({
      evidenceStatus: { status: 'NOT_VERIFIED' },
      claimData: { attributesData: verified },
    })
  })

  test('and not where it is spelled otherwise or the document does not show it', async () => {
    const id = await withConsents(passport({ page: [...PAGE, ...DATES] }))
    const payload = { ...STATED, surname: value('Erickson'), eyeColor: value('grey') }
    await client.ask('AttributesAnswer', 'POST', `/v1/identities/${id}/attributes`, { payload })
    await client.app.runJobs()
    expect((await client.identity(id)).attributes).toMatchObject([
      {
        evidenceStatus: { status: 'NOT_VERIFIED' },
        attributesData: {
          surname: { verified: false },
          eyeColor: { verified: false },
          dateOfBirth: { verified: true },
        },
      },
    ])
  })
})

test('a name that only its spelling in the MRZ tells from other lines of the page is not verified', async () => {
  const unlabelled = [
    'UTOPIA PASSPORT',
    'ERIKSSON',
    'HANNA MARIA DAUGHTER OF ERIK',
    'ANNA MARIA',
    'L898902C3',
    ...DATES,
  ]
  const { status, verified } = await valuesOf(passport({ page: unlabelled }))
  expect(status).toBe('VERIFIED')
  expect(verified).toMatchObject({ surname: false, givenNames: [false, false], dateOfBirth: true })
})
