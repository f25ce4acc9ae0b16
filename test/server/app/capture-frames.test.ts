/** Further frames of a document's side: kept like its picture, given to the reader, and no part of what is proved. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openProof } from '../../support/opened-proof.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport } from './scripted-vision.ts'

const KEYLESS = { key: null }
/** The scripted reader reads its pictures' text; only the first bytes say that this is a JPEG. */
const frame = (n: number) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, n])])

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing()
})
afterAll(() => client.app.close())

async function session() {
  const id = await client.anIdentity()
  const path = `/v1/identities/${id}/id-documents/live-capture-session`
  const payload = { idDocumentType: 'PASSPORT' }
  const { sessionId, id: evidenceId } = await client.ask('DocumentSessionAnswer', 'POST', path, { payload })
  return { id, evidenceId, path: `/capture/sessions/${sessionId}/document` }
}

function upload(frames: readonly Uint8Array[], part = 'FrontFrame'): FormData {
  const form = new FormData()
  form.append('DocumentFront', new Blob([aPassport() as BlobPart], { type: 'image/jpeg' }), 'front.jpg')
  for (const bytes of frames)
    form.append(part, new Blob([bytes as BlobPart], { type: 'image/jpeg' }), 'frame.jpg')
  return form
}

const images = () => client.app.appliance.store.images

describe('further frames of a side', () => {
  test('are kept in their order beside its picture, and are no pictures of the proof', async () => {
    const { id, evidenceId, path } = await session()
    await client.app.json('POST', path, { ...KEYLESS, body: upload([frame(1), frame(2), frame(3)]) })
    expect(
      images()
        .listByEvidence(evidenceId)
        .filter(({ kind }) => kind === 'FRONT'),
    ).toHaveLength(1)
    const kept = images().listFrames(evidenceId)
    expect(kept.map((image) => [image.kind, image.frame, images().read(image)[3]])).toEqual([
      ['FRONT', 1, 1],
      ['FRONT', 2, 2],
      ['FRONT', 3, 3],
    ])
    await client.app.runJobs()
    const proof = await openProof(client.app, id)
    const entry = proof.details.find(({ participantContextId }) => participantContextId === evidenceId)
    expect(entry?.evidenceDetails?.captureImages).toHaveLength(1)
  })

  test('go with the identity when it is erased', async () => {
    const { id, evidenceId, path } = await session()
    await client.app.json('POST', path, { ...KEYLESS, body: upload([frame(1)]) })
    await client.app.runJobs()
    await client.app.call('DELETE', `/v1/identities/${id}`)
    await client.app.runJobs()
    expect(images().listFrames(evidenceId)).toEqual([])
  })

  test('are at most four, and JPEG pictures; the session stays open for a better upload', async () => {
    const { evidenceId, path } = await session()
    const refused = async (body: FormData) =>
      (await client.app.call('POST', path, { ...KEYLESS, body })).status
    expect(await refused(upload([1, 2, 3, 4, 5].map(frame)))).toBe(400)
    expect(await refused(upload([Buffer.from('%PDF-1.7')]))).toBe(400)
    expect(await refused(upload([frame(1)]))).toBe(200)
    expect(images().listFrames(evidenceId)).toHaveLength(1)
  })

  test('of a side that was not requested are ignored', async () => {
    const { evidenceId, path } = await session()
    await client.app.json('POST', path, { ...KEYLESS, body: upload([frame(1)], 'BackFrame') })
    expect(images().listFrames(evidenceId)).toEqual([])
  })
})
