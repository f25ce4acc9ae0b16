/** Data appended to a picture's file is not stored, whatever the channel; with the real vision worker. */
import { createHash } from 'node:crypto'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentForm, portraitForm, startTestApp, type TestApp } from '../../support/app.ts'
import { openProof } from '../../support/opened-proof.ts'
import { lendVision } from '../../support/remembering-vision.ts'

/** A zip archive with one stored entry: what makes a picture a polyglot. */
const ZIP = Buffer.concat([
  Buffer.from('PK\x03\x04', 'latin1'),
  Buffer.alloc(26),
  Buffer.from('hidden content'),
  Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`, 'latin1'),
])

let app: TestApp
let jpeg: Buffer
beforeAll(async () => {
  app = await startTestApp({ vision: await lendVision() })
  const grey = sharp({ create: { width: 400, height: 300, channels: 3, background: '#808080' } })
  jpeg = await grey.jpeg().toBuffer()
})
afterAll(() => app.close())

async function anIdentity(): Promise<string> {
  const { id } = (await app.json('POST', '/v1/identities', { payload: [] })).body as { id: string }
  const payload = ['ID_DOCUMENT', 'PORTRAIT'].map((type) => ({ type, approved: true }))
  await app.json('POST', `/v1/identities/${id}/consents`, { payload })
  return id
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const storedOf = (evidenceId: string): Buffer[] => {
  const { images } = app.appliance.store
  return [...images.listByEvidence(evidenceId), ...images.listFrames(evidenceId)].map((image) =>
    images.read(image),
  )
}

describe('an archive behind a picture', () => {
  test.each(['jpeg', 'png', 'webp'] as const)('of type %s is cut off', async (format) => {
    const bytes = await sharp(jpeg).toFormat(format).toBuffer()
    const id = await anIdentity()
    const body = documentForm(Buffer.concat([bytes, ZIP]), `image/${format}`)
    const path = `/v1/identities/${id}/id-documents/capture`
    const { status, body: answer } = await app.json('POST', path, { body })
    expect(status).toBe(200)
    expect(storedOf((answer as { id: string }).id)).toEqual([bytes])
    await app.runJobs()
  })

  test('is not in the proof, which says how much was cut and holds the hash of what is kept', async () => {
    const id = await anIdentity()
    const body = portraitForm(Buffer.concat([jpeg, ZIP]))
    const path = `/v1/identities/${id}/attributes/portrait/capture`
    const { id: evidenceId } = (await app.json('POST', path, { body })).body as { id: string }
    await app.runJobs()
    const shown = Buffer.from(await (await app.call('GET', path)).arrayBuffer())
    expect(shown.includes(jpeg)).toBe(true)
    expect(shown.includes(ZIP)).toBe(false)
    const proof = await openProof(app, id)
    const entry = proof.details.find(({ participantContextId }) => participantContextId === evidenceId)
    const [image] = entry?.evidenceDetails?.captureImages ?? []
    expect(entry?.counterproof?.bytesCut).toEqual({ [image.id]: ZIP.length })
    const kept = proof.files.get(`images/${image?.id}.jpg`)
    expect(kept && sha256(kept)).toBe(sha256(jpeg))
  })

  test('of a capture session is cut off its sides and its further frames', async () => {
    const id = await anIdentity()
    const opened = await app.json('POST', `/v1/identities/${id}/id-documents/live-capture-session`, {
      payload: { idDocumentType: 'PASSPORT' },
    })
    const { sessionId, id: evidenceId } = opened.body as { sessionId: string; id: string }
    const form = documentForm(Buffer.concat([jpeg, ZIP]))
    for (const frame of [Buffer.concat([jpeg, ZIP]), jpeg, jpeg.subarray(0, -40)])
      form.append('FrontFrame', new Blob([frame as BlobPart], { type: 'image/jpeg' }), 'frame.jpg')
    const { status } = await app.json('POST', `/capture/sessions/${sessionId}/document`, {
      key: null,
      body: form,
    })
    expect(status).toBe(200)
    // The frame that breaks off is left out.
    expect(storedOf(evidenceId)).toEqual([jpeg, jpeg, jpeg])
    await app.runJobs()
  })
})
