import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentForm } from '../../support/app.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport, picture } from './scripted-vision.ts'

const NO_MRZ = picture({ shows: 'document', lines: null, face: 'A' })
const BACK = picture({ shows: 'document', lines: null, face: null })

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing()
})
afterAll(() => client.app.close())

async function verified(documentType: string | null, front: Uint8Array, back?: Uint8Array) {
  const id = await client.anIdentity()
  const body = documentForm(front)
  if (back) body.append('DocumentBack', new Blob([back as BlobPart], { type: 'image/jpeg' }), 'back.jpg')
  if (documentType) body.append('DocumentCaptureDetails', JSON.stringify({ documentType }))
  await client.ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents/capture`, { body })
  await client.app.runJobs()
  const { status, errors, ...indicators } = (await client.identity(id)).idDocuments[0]?.evidenceStatus ?? {}
  const raised = [...(indicators.positiveIndicators ?? []), ...(indicators.warningIndicators ?? [])]
  return {
    status,
    codes: errors?.map(({ code }) => code),
    sides: raised.filter((name) => name.startsWith('REQUIRED_SIDES_CHECK')),
  }
}

test('one side of a card without an MRZ is not the whole card: 1508', async () => {
  expect(await verified('IDENTITY_CARD', NO_MRZ)).toEqual({
    status: 'NOT_VERIFIED',
    codes: ['1508'],
    sides: ['REQUIRED_SIDES_CHECK_WARNING'],
  })
})

test.each([
  ['both sides were shown', 'DRIVING_LICENSE', NO_MRZ, BACK],
  ['the MRZ is on the side that was shown', 'PASSPORT', aPassport(), undefined],
  ['a passport has no other side', 'PASSPORT', NO_MRZ, undefined],
])('nothing is missing where %s', async (_, type, front, back) => {
  const { codes, sides } = await verified(type, front, back)
  expect(codes).not.toContain('1508')
  expect(sides).toEqual(['REQUIRED_SIDES_CHECK_OK'])
})

test('no side is required of a document whose type was not declared', async () => {
  expect(await verified(null, NO_MRZ)).toEqual({ status: 'NOT_VERIFIED', codes: ['1543'], sides: [] })
})

test('one file sent as front and as back is refused with 1508, and nothing of it is kept', async () => {
  const id = await client.anIdentity()
  const body = documentForm(NO_MRZ)
  body.append('DocumentBack', new Blob([NO_MRZ as BlobPart], { type: 'image/jpeg' }), 'back.jpg')
  const path = `/v1/identities/${id}/id-documents/capture`
  expect(await client.refusal('POST', path, { body })).toMatchObject({
    status: 400,
    code: 'sides_mismatch',
    errors: [{ code: '1508' }],
  })
  expect((await client.identity(id)).idDocuments).toEqual([])
})
