/** Cards without a machine-readable zone: what their barcode, their print and their number are worth. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EvidenceStatus } from '../../../server/api/contract/evidence.ts'
import { buildAamva, type AamvaContents } from '../../../server/tools/specimen/aamva.ts'
import { documentForm } from '../../support/app.ts'
import { picture, type Scene } from './scripted-vision.ts'
import { startWholeApp, type WholeApp } from './whole-app.ts'

const HOLDER: AamvaContents = {
  iin: '636014',
  country: 'USA',
  jurisdiction: 'CA',
  kind: 'DRIVING_LICENSE',
  documentNumber: 'D7254830',
  surname: 'KESTRELL',
  givenNames: ['ZOE', 'BIRGIT'],
  birthDate: '1984-07-21',
  issueDate: '2025-02-19',
  expiryDate: '2033-02-18',
  sex: 'F',
}
const FRONT = [
  'CALIFORNIA DRIVER LICENSE',
  '4d DL NO. D7254830',
  '1 FAMILY NAME KESTRELL',
  '2 GIVEN NAMES ZOE BIRGIT',
  '3 DOB 07/21/1984',
  '4a ISS 02/19/2025',
  '4b EXP 02/18/2033',
  '15 SEX F',
]

let whole: WholeApp
beforeAll(async () => {
  whole = await startWholeApp()
})
afterAll(() => whole.close())

type Shown = Partial<Extract<Scene, { shows: 'document' }>>

async function submit(front: Shown, back: Shown | null, details?: object): Promise<EvidenceStatus> {
  const id = await whole.anIdentity()
  const scene = (shown: Shown): Uint8Array =>
    picture({ shows: 'document', lines: null, face: null, ...shown })
  const body = documentForm(scene({ face: 'A', ...front }))
  if (back) body.append('DocumentBack', new Blob([scene(back) as BlobPart]), 'back.jpg')
  if (details) body.append('DocumentCaptureDetails', new Blob([JSON.stringify(details)]), 'details.json')
  await whole.ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents/capture`, { body })
  await whole.endJobs(id)
  const identity = await whole.ask('Identity', 'GET', `/v1/identities/${id}`)
  return identity.idDocuments[0].evidenceStatus
}

const LICENCE = { documentType: 'DRIVING_LICENSE', jurisdiction: 'USA' }
const unlike = (change: Partial<AamvaContents>) => buildAamva({ ...HOLDER, ...change })

describe('a North American licence', () => {
  test('whose barcode and print agree is verified, worth LEVEL2', async () => {
    const status = await submit({ page: FRONT }, { barcode: buildAamva(HOLDER) }, LICENCE)
    expect(status).toMatchObject({ status: 'VERIFIED', score: 'LEVEL2' })
    expect(status.positiveIndicators).toEqual(
      expect.arrayContaining(['DOCUMENT_READING_OK', 'BARCODE_READING_OK', 'VISUAL_ZONE_MATCH_OK']),
    )
  })

  test('is recognised by its barcode where it was not declared', async () => {
    const status = await submit({ page: FRONT }, { barcode: buildAamva(HOLDER) })
    expect(status).toMatchObject({ status: 'VERIFIED', score: 'LEVEL2' })
  })

  test('whose print cannot be read is worth what an unsigned barcode is worth', async () => {
    const status = await submit({}, { barcode: buildAamva(HOLDER) }, LICENCE)
    expect(status).toMatchObject({ status: 'VERIFIED', score: 'LEVEL1' })
    expect(status.unverifiedIndicators).toContain('VISUAL_ZONE_MATCH_UNVERIFIED')
  })

  test.each([
    ['another name', { surname: 'WHITMORE' }],
    ['another birth date', { birthDate: '1991-03-02' }],
    ['another number', { documentNumber: 'B1093377' }],
  ])('whose barcode says %s than its print waits for a person', async (_, change) => {
    const status = await submit({ page: FRONT }, { barcode: unlike(change) }, LICENCE)
    expect(status.status).toBe('NOT_VERIFIED')
    expect(status.warningIndicators).toContain('VISUAL_ZONE_MATCH_WARNING')
  })

  test('that has expired by its barcode is refused', async () => {
    const status = await submit({ page: FRONT }, { barcode: unlike({ expiryDate: '2019-02-18' }) }, LICENCE)
    expect(status.status).toBe('INVALID')
    expect(status.blockingIndicators).toContain('DOCUMENT_EXPIRY_FAILED')
  })

  test('declared as an identity card is not taken for one', async () => {
    const details = { documentType: 'IDENTITY_CARD', jurisdiction: 'USA' }
    const status = await submit({ page: FRONT }, { barcode: buildAamva(HOLDER) }, details)
    expect(status.status).toBe('NOT_VERIFIED')
  })
})

test('a passport is not verified by a licence barcode that lies beside it', async () => {
  const details = { documentType: 'PASSPORT' }
  const status = await submit({ page: FRONT }, { barcode: buildAamva(HOLDER) }, details)
  expect(status.status).toBe('NOT_VERIFIED')
  expect(status.warningIndicators).toContain('MRZ_READING_WARNING')
})

test('a card that only prints what it says waits for a person', async () => {
  const page = ['DRIVER LICENCE', 'LICENCE NO. 69757857', 'DATE OF BIRTH 24 JUN 1949', 'EXPIRY 06 MAR 2031']
  const status = await submit({ page }, {}, { documentType: 'DRIVING_LICENSE', jurisdiction: 'AUS' })
  expect(status.status).toBe('NOT_VERIFIED')
  expect(status.unverifiedIndicators).toContain('DOCUMENT_READING_UNVERIFIED')
})

describe('a British licence', () => {
  const page = (number: string) => [
    'DRIVING LICENCE UK',
    '1. MORGAN',
    '2. SARAH MEREDYTH',
    '3. 05.07.1964',
    '4a. 19.01.2023',
    '4b. 18.01.2033',
    '4c. DVLA',
    `5. ${number}`,
  ]
  const details = { documentType: 'DRIVING_LICENSE', jurisdiction: 'GBR' }

  test('whose number repeats the printed name and birth date has two sources, and is worth LEVEL1', async () => {
    const status = await submit({ page: page('MORGA657054SM9IJ') }, {}, details)
    expect(status).toMatchObject({ status: 'VERIFIED', score: 'LEVEL1' })
  })

  test('whose number encodes another person is not verified', async () => {
    const status = await submit({ page: page('PARKE610112PBFGH') }, {}, details)
    expect(status.status).toBe('NOT_VERIFIED')
    expect(status.warningIndicators).toContain('LICENCE_NUMBER_CODING_WARNING')
  })
})
