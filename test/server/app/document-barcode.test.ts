/** The PDF417 barcode of a North American card: looked for where it belongs, and never enough by itself. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildMrz } from '../../../server/proofing/mrz/build.ts'
import { buildAamva, type AamvaContents } from '../../../server/tools/specimen/aamva.ts'
import type { EvidenceStatus } from '../../../server/api/contract/evidence.ts'
import { documentForm } from '../../support/app.ts'
import { HOLDER, picture, symbol, type Scene } from './scripted-vision.ts'
import { startWholeApp, type WholeApp } from './whole-app.ts'

const TEXT = '@\n\u001e\rANSI 636000100002DL00410278ZV03190008DLDCSSAMPLE\n'

let whole: WholeApp
beforeAll(async () => {
  whole = await startWholeApp()
})
afterAll(() => whole.close())

/** A card with a portrait on its front; `back` is what its back shows beside. */
async function card(
  details: object,
  back: Partial<Extract<Scene, { shows: 'document' }>>,
): Promise<EvidenceStatus> {
  const id = await whole.anIdentity()
  const body = documentForm(picture({ shows: 'document', lines: null, face: 'A' }))
  const image = picture({ shows: 'document', lines: null, face: null, ...back })
  body.append('DocumentBack', new Blob([image as BlobPart], { type: 'image/jpeg' }), 'back.jpg')
  body.append('DocumentCaptureDetails', new Blob([JSON.stringify(details)]), 'details.json')
  await whole.ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents/capture`, { body })
  await whole.endJobs(id)
  const identity = await whole.ask('Identity', 'GET', `/v1/identities/${id}`)
  expect(JSON.stringify(identity)).not.toContain('SAMPLE')
  return identity.idDocuments[0]?.evidenceStatus
}
/** An invented person; the number repeats name, birth date and sex, as in Florida. */
const CARD: AamvaContents = {
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
}
const LICENCE = { documentType: 'DRIVING_LICENSE', jurisdiction: 'USA' }
const indicatorsOf = ({
  positiveIndicators = [],
  warningIndicators = [],
  blockingIndicators = [],
  unverifiedIndicators = [],
}: EvidenceStatus) =>
  [...positiveIndicators, ...warningIndicators, ...blockingIndicators, ...unverifiedIndicators].filter(
    (name) => /BARCODE|LICENCE_NUMBER/.test(name),
  )

const barcodeOf = ({ positiveIndicators = [], warningIndicators = [] }: EvidenceStatus) =>
  [...positiveIndicators, ...warningIndicators].filter((name) => name.startsWith('PDF417'))

test.each([
  ['a licence of the USA', 'DRIVING_LICENSE', 'USA'],
  ['a licence of Canada', 'DRIVING_LICENSE', 'CAN'],
  ['an identity card of the USA', 'IDENTITY_CARD', 'USA'],
])(
  '%s whose barcode is read is still not verified, because its content is not interpreted',
  async (_, documentType, jurisdiction) => {
    const status = await card({ documentType, jurisdiction }, { barcode: TEXT })
    expect(barcodeOf(status)).toEqual(['PDF417_BARCODE_OK'])
    expect(status).toMatchObject({ status: 'NOT_VERIFIED', errors: [{ code: '1543' }] })
  },
)

test.each([
  ['cannot be read', { barcode: null }],
  ['is not there', {}],
])('a licence whose barcode %s is asked for again with 1542', async (_, back) => {
  const status = await card({ documentType: 'DRIVING_LICENSE', jurisdiction: 'USA' }, back)
  expect(barcodeOf(status)).toEqual(['PDF417_BARCODE_WARNING'])
  expect(status.errors?.map(({ code }) => code)).toContain('1542')
})

test.each([
  ['of another country', { documentType: 'DRIVING_LICENSE', jurisdiction: 'FRA' }, {}],
  ['of a type that carries none', { documentType: 'RESIDENT_CARD', jurisdiction: 'USA' }, {}],
  ['of an undeclared type', {}, {}],
  [
    'that has an MRZ in its place',
    { documentType: 'IDENTITY_CARD', jurisdiction: 'USA' },
    { lines: buildMrz({ ...HOLDER, documentCode: 'IP', issuingState: 'USA' }, 'TD1') },
  ],
])('nothing is asked of the barcode on a card %s', async (_, details, back) => {
  whole.see({ readBarcode: async () => ({ symbols: [symbol(TEXT)] }) })
  expect(barcodeOf(await card(details, back))).toEqual([])
  whole.see()
})

describe("a licence whose barcode is a card's", () => {
  test('is compared with itself, its issuer and its holder', async () => {
    const status = await card(LICENCE, { barcode: buildAamva(CARD) })
    expect(indicatorsOf(status)).toEqual([
      'PDF417_BARCODE_OK',
      'BARCODE_READING_OK',
      'LICENCE_NUMBER_FORM_OK',
      'LICENCE_NUMBER_CODING_OK',
      'BARCODE_DATES_OK',
      'BARCODE_ISSUER_OK',
    ])
  })

  test.each([
    ['that ends before it begins', { expiryDate: '2024-03-14' }, 'BARCODE_DATES_WARNING'],
    [
      'whose number has not the form of its state',
      { documentNumber: '12345' },
      'LICENCE_NUMBER_FORM_WARNING',
    ],
    ['whose number encodes another person', { birthDate: '1950-03-15' }, 'LICENCE_NUMBER_CODING_WARNING'],
    [
      'with an address in another state',
      { address: { streetLines: ['1 LONG LANE'], city: 'ELSEWHERE', state: 'GA', postcode: '30301' } },
      'BARCODE_ISSUER_WARNING',
    ],
  ])('%s says so, and is not refused for it', async (_, other, warning) => {
    const status = await card(LICENCE, { barcode: buildAamva({ ...CARD, ...other }) })
    expect(indicatorsOf(status)).toContain(warning)
    expect(status.blockingIndicators ?? []).not.toContain(warning.replace('WARNING', 'FAILED'))
  })

  test('is used where the type of the document was not declared', async () => {
    expect(indicatorsOf(await card({}, { barcode: buildAamva(CARD) }))).toContain('BARCODE_READING_OK')
  })

  test('is not believed when the two sides are of two cards', async () => {
    const texts = [buildAamva(CARD), buildAamva({ ...CARD, documentNumber: 'F255921505941' })]
    let side = 0
    whole.see({ readBarcode: async () => ({ symbols: [symbol(texts[side++ % 2])] }) })
    const status = await card(LICENCE, {})
    whole.see()
    expect(indicatorsOf(status)).toContain('BARCODE_READING_WARNING')
    expect(status.status).toBe('NOT_VERIFIED')
  })

  test('leaves what it says with the evidence, sealed, a code beside it too', async () => {
    const qr = {
      format: 'QR_CODE' as const,
      text: 'https://card.example/1',
      bytes: Buffer.from('raw'),
      decoder: 'zxing-cpp' as const,
    }
    whole.see({ readBarcode: async () => ({ symbols: [qr] }) })
    const id = await whole.anIdentity()
    const body = documentForm(picture({ shows: 'document', lines: null, face: 'A' }))
    await whole.ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents/capture`, { body })
    await whole.endJobs(id)
    whole.see()
    const [evidence] = whole.app.appliance.store.evidences.list(id)
    expect(evidence.content.barcodes).toEqual([
      { format: 'QR_CODE', text: 'https://card.example/1', bytes: Buffer.from('raw').toString('base64') },
    ])
    const shown = await whole.ask('Identity', 'GET', `/v1/identities/${id}`)
    expect(JSON.stringify(shown)).not.toContain('card.example')
  })
})
