import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Upload } from '../../../server/proofing/types.ts'
import { ARCHIVE_BYTES, EVIDENCE_ID, IDENTITY_ID, IMAGE_BYTES, aFile, aForm, startApi } from './support.ts'
import type { Sent, TestApi } from './support.ts'

const identity = `/v1/identities/${IDENTITY_ID}`
const CONTEXT = [{ key: 'CHANNEL', value: 'Schalter Süd' }]

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const jsonFile = (value: unknown) =>
  new File([JSON.stringify(value)], 'part.json', { type: 'application/json' })
const lastRequest = () => api.calls.at(-1)?.args.at(-1)

describe('creating an identity', () => {
  const unnamedPart =
    '--b\r\nContent-Disposition: form-data; name="context"\r\nContent-Type: application/json\r\n\r\n' +
    `${JSON.stringify(CONTEXT)}\r\n--b--\r\n`
  const rows: readonly [string, () => Sent, unknown][] = [
    [
      'a form with the context as text',
      () => ({ form: aForm({ context: JSON.stringify(CONTEXT) }) }),
      CONTEXT,
    ],
    ['a form with the context as file', () => ({ form: aForm({ context: jsonFile(CONTEXT) }) }), CONTEXT],
    [
      'a form with the context as JSON part',
      () => ({ headers: { 'Content-Type': 'multipart/form-data; boundary=b' }, body: unnamedPart }),
      CONTEXT,
    ],
    [
      'a form whose type lacks the boundary',
      () => ({ headers: { 'Content-Type': 'multipart/form-data' }, body: unnamedPart }),
      CONTEXT,
    ],
    [
      'a form whose type has an empty boundary',
      () => ({ headers: { 'Content-Type': 'multipart/form-data; boundary=' }, body: unnamedPart }),
      CONTEXT,
    ],
    [
      'JSON that calls itself a form',
      () => ({ headers: { 'Content-Type': 'multipart/form-data' }, body: JSON.stringify(CONTEXT) }),
      CONTEXT,
    ],
    ['a JSON list', () => ({ json: CONTEXT }), CONTEXT],
    ['a JSON object with a context', () => ({ json: { context: CONTEXT } }), CONTEXT],
    ['a JSON object without one', () => ({ json: {} }), []],
    ['JSON without a content type', () => ({ body: JSON.stringify(CONTEXT) }), CONTEXT],
    ['no body', () => ({}), []],
    [
      'a form of nothing',
      () => ({ headers: { 'Content-Type': 'multipart/form-data; boundary=b' }, body: '--b--\r\n' }),
      [],
    ],
    ['a form type and no body', () => ({ headers: { 'Content-Type': 'multipart/form-data' }, body: '' }), []],
    [
      'unknown parts and fields',
      () => ({ form: aForm({ extra: 'x', context: JSON.stringify([{ ...CONTEXT[0], more: 1 }]) }) }),
      CONTEXT,
    ],
  ]
  test.each(rows)('takes %s', async (_name, sent, context) => {
    const reply = await api.send('POST', '/v1/identities', sent())
    expect(reply.status, reply.text).toBe(200)
    expect(reply.json).toMatchObject({ id: IDENTITY_ID, status: 'EXPECTING_INPUT', levelOfAssurance: 'LOA0' })
    expect(lastRequest()).toEqual({ context })
  })

  test('hands the correlation id and the file on', async () => {
    await api.send('POST', '/v1/identities', {
      headers: { 'correlation-id': 'order 4711' },
      form: aForm({ file: aFile(IMAGE_BYTES, 'image/png') }),
    })
    const request = lastRequest() as { correlationId: string; file: Upload }
    expect(request.correlationId).toBe('order 4711')
    expect({ ...request.file, bytes: [...request.file.bytes] }).toEqual({
      bytes: [...IMAGE_BYTES],
      declaredType: 'image/png',
    })
  })
})

describe('submitting a document', () => {
  const capture = `${identity}/id-documents/capture`
  const DETAILS = { jurisdiction: 'UTO', documentType: 'PASSPORT', source: 'SCAN' }

  test.each([
    ['as text', () => JSON.stringify(DETAILS)],
    ['as a file', () => jsonFile(DETAILS)],
  ])(
    'takes both sides byte for byte and the details %s, whatever the case of the part names',
    async (_how, details) => {
      const back = new Uint8Array([1, 2, 3])
      const form = aForm({
        documentFront: aFile(),
        DOCUMENTBACK: aFile(back, 'image/png'),
        DocumentCaptureDetails: details(),
      })
      expect((await api.send('POST', capture, { form })).status).toBe(200)
      const sent = lastRequest() as { front: Upload; back: Upload; details: unknown }
      expect([...sent.front.bytes]).toEqual([...IMAGE_BYTES])
      expect([...sent.back.bytes]).toEqual([...back])
      expect([sent.front.declaredType, sent.back.declaredType]).toEqual(['image/jpeg', 'image/png'])
      expect(sent.details).toEqual(DETAILS)
    },
  )

  test('a type that the client did not choose is no declaration', async () => {
    const form = aForm({ DocumentFront: aFile(IMAGE_BYTES, 'application/octet-stream') })
    await api.send('POST', capture, { form })
    expect((lastRequest() as { front: Upload }).front.declaredType).toBeUndefined()
  })

  test('fields that mean "not given" and unknown ones are not handed on', async () => {
    const details = JSON.stringify({ jurisdiction: null, source: 'OTHER', colour: 'red' })
    await api.send('POST', capture, {
      form: aForm({ DocumentFront: aFile(), DocumentCaptureDetails: details }),
    })
    expect((lastRequest() as { details: unknown }).details).toEqual({ source: 'OTHER' })
  })

  test('an image of several megabytes arrives whole', async () => {
    const bytes = new Uint8Array(7_000_001).map((_, index) => (index * 31) % 251)
    await api.send('POST', capture, { form: aForm({ DocumentFront: aFile(bytes) }) })
    const { front } = lastRequest() as { front: Upload }
    expect(sha256(front.bytes)).toBe(sha256(bytes))
  })
})

test.each(['Portrait', 'portrait', 'file', 'image'])(
  'a portrait may come in a part named %s',
  async (name) => {
    const reply = await api.send('POST', `${identity}/attributes/portrait/capture`, {
      form: aForm({ [name]: aFile() }),
    })
    expect(reply.json).toEqual({ status: 'PROCESSING', type: 'PORTRAIT', id: EVIDENCE_ID })
    expect([...(lastRequest() as Upload).bytes]).toEqual([...IMAGE_BYTES])
  },
)

test('with several files, the one named Portrait is the portrait; none so named is refused', async () => {
  const path = `${identity}/attributes/portrait/capture`
  const named = await api.send('POST', path, {
    form: aForm({ other: aFile(), Portrait: aFile(new Uint8Array([9])) }),
  })
  expect(named.status).toBe(200)
  expect([...(lastRequest() as Upload).bytes]).toEqual([9])
  expect((await api.send('POST', path, { form: aForm({ a: aFile(), b: aFile() }) })).status).toBe(400)
})

describe('multipart answers', () => {
  test('the portrait image comes as the part Portrait, byte for byte', async () => {
    const reply = await api.send('GET', `${identity}/attributes/portrait/capture`)
    expect(Number(reply.headers['content-length'])).toBe(reply.bytes.byteLength)
    const form = await new Response(new Uint8Array(reply.bytes), {
      headers: { 'content-type': reply.headers['content-type'] ?? '' },
    }).formData()
    const part = form.get('Portrait') as File
    expect([part.type, part.name]).toEqual(['image/jpeg', 'portrait.jpg'])
    expect([...new Uint8Array(await part.arrayBuffer())]).toEqual([...IMAGE_BYTES])
  })

  test('document images come as DocumentFront and DocumentBack', async () => {
    const reply = await api.send('GET', `${identity}/id-documents/${EVIDENCE_ID}/capture`)
    const form = await new Response(new Uint8Array(reply.bytes), {
      headers: { 'content-type': reply.headers['content-type'] ?? '' },
    }).formData()
    expect([...form.keys()]).toEqual(['DocumentFront'])
  })

  test('the proof is one zip part in multipart/mixed, the same bytes every time', async () => {
    const reply = await api.send('GET', `${identity}/proof`)
    const again = await api.send('GET', `${identity}/proof`)
    const boundary = /^multipart\/mixed; boundary=(\S+)$/.exec(reply.headers['content-type'] ?? '')?.[1] ?? ''
    const [head = '', rest = ''] = reply.bytes.toString('latin1').split('\r\n\r\n', 2)
    expect(head.split('\r\n')).toEqual([
      `--${boundary}`,
      `Content-Disposition: attachment; filename="${IDENTITY_ID}_20260131093000000.zip"`,
      'Content-Type: application/zip',
      `Content-Length: ${ARCHIVE_BYTES.byteLength}`,
    ])
    expect(rest).toBe(`${Buffer.from(ARCHIVE_BYTES).toString('latin1')}\r\n--${boundary}--\r\n`)
    expect(Number(reply.headers['content-length'])).toBe(reply.bytes.byteLength)
    expect(again.bytes.equals(reply.bytes)).toBe(true)
  })
})

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
