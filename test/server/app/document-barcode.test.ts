/** The PDF417 barcode of a North American card: looked for where it belongs, and never enough by itself. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildMrz } from '../../../server/proofing/mrz/build.ts'
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
const barcodeOf = ({ positiveIndicators = [], blockingIndicators = [] }: EvidenceStatus) =>
  [...positiveIndicators, ...blockingIndicators].filter((name) => name.startsWith('PDF417'))

test.each([
  ['a licence of the USA', 'DRIVING_LICENSE', 'USA'],
  ['a licence of Canada', 'DRIVING_LICENSE', 'CAN'],
  ['an identity card of the USA', 'IDENTITY_CARD', 'USA'],
])(
  '%s whose barcode is read is still not verified: nobody has interpreted it',
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
  expect(barcodeOf(status)).toEqual(['PDF417_BARCODE_FAILED'])
  expect(status.errors?.map(({ code }) => code)).toContain('1542')
})

test.each([
  ['of another country', { documentType: 'DRIVING_LICENSE', jurisdiction: 'FRA' }, {}],
  ['of a type that carries none', { documentType: 'RESIDENT_CARD', jurisdiction: 'USA' }, {}],
  ['that nobody declared', {}, {}],
  [
    'that has a machine-readable zone in its place',
    { documentType: 'IDENTITY_CARD', jurisdiction: 'USA' },
    { lines: buildMrz({ ...HOLDER, documentCode: 'IP', issuingState: 'USA' }, 'TD1') },
  ],
])('nothing is asked of the barcode on a card %s', async (_, details, back) => {
  whole.see({ readBarcode: async () => ({ symbols: [symbol(TEXT)] }) })
  expect(barcodeOf(await card(details, back))).toEqual([])
  whole.see()
})
