import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { documentForm, portraitForm } from '../../support/app.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport, HOLDER, pages, type Scene } from './scripted-vision.ts'

const PDF = 'application/pdf'
const MRZ: Scene = { shows: 'document', lines: buildTd3(HOLDER), face: 'A' }
const BACK: Scene = { shows: 'document', lines: null, face: null }

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing()
})
afterAll(() => client.app.close())

async function submit(path: string, body: FormData): Promise<{ id: string; evidenceId: string }> {
  const id = await client.anIdentity()
  const evidence = await client.ask('SingleStatus', 'POST', `/v1/identities/${id}/${path}`, { body })
  await client.app.runJobs()
  return { id, evidenceId: evidence.id }
}

const kindsOf = (evidenceId: string) =>
  client.app.appliance.store.images.listByEvidence(evidenceId).map(({ kind, mediaType }) => [kind, mediaType])

test('the second page of a document sent as one PDF is its back', async () => {
  const body = documentForm(pages(MRZ, BACK), PDF)
  const { id, evidenceId } = await submit('id-documents/capture', body)
  expect(kindsOf(evidenceId).slice(0, 2)).toEqual([
    ['FRONT', 'image/jpeg'],
    ['BACK', 'image/jpeg'],
  ])
  expect((await client.identity(id)).idDocuments[0]?.evidenceStatus.status).toBe('VERIFIED')
})

test('a back that was sent apart stays the back', async () => {
  const body = documentForm(pages(BACK, { shows: 'garbage' }), PDF)
  body.append('DocumentBack', new Blob([aPassport() as BlobPart], { type: 'image/jpeg' }), 'back.jpg')
  const { id } = await submit('id-documents/capture', body)
  expect((await client.identity(id)).idDocuments[0]?.evidenceStatus.status).toBe('VERIFIED')
})

test('of a portrait the first page counts', async () => {
  const body = portraitForm(pages({ shows: 'person', face: 'A' }, { shows: 'garbage' }), PDF)
  const { evidenceId } = await submit('attributes/portrait/capture', body)
  expect(kindsOf(evidenceId)).toEqual([['PORTRAIT', 'image/jpeg']])
})
