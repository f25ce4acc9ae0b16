import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Upload } from '../../../server/proofing/types.ts'
import {
  ARCHIVE_BYTES,
  EVIDENCE_ID,
  IDENTITY_ID,
  IMAGE_BYTES,
  aFile,
  aForm,
  startApi,
  problemCode,
  problemErrors,
} from './support.ts'
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

/**
 * Holds whatever a careless reader of forms stumbles over: line ends of both kinds and beginnings of a delimiter. Never
 * the whole delimiter after CR LF: it may not stand in a part (RFC 2046 section 5.1.1).
 */
const BYTES = Buffer.from('\x89PNG\r\n\x1a\n\n--b\t-\r\n-bx\r\n\r\n--\0\xff\r', 'latin1')
const PNG_PART = ['Content-Disposition: form-data; name="file"; filename="a.png"', 'Content-Type: image/png']
const CONTEXT_PART = ['Content-Disposition: form-data; name="context"']
const CONTEXT_BYTES = Buffer.from(JSON.stringify(CONTEXT))

/** The bytes of a form, written as told and not as a library would. */
function aBody(
  parts: readonly (readonly [headers: readonly string[], content: Uint8Array])[],
  { boundary = 'b', eol = '\r\n', before = '', after = '' } = {},
): Buffer {
  const pieces = parts.flatMap(([headers, content]) => [
    Buffer.from([`--${boundary}`, ...headers, '', ''].join(eol)),
    content,
    Buffer.from(eol),
  ])
  return Buffer.concat([Buffer.from(before), ...pieces, Buffer.from(`--${boundary}--${after}`)])
}
const aCreation = (...[form]: [Parameters<typeof aBody>[1]?]) =>
  aBody(
    [
      [PNG_PART, BYTES],
      [CONTEXT_PART, CONTEXT_BYTES],
    ],
    form,
  )
const withFile = (headers: readonly string[], content: Uint8Array = BYTES) =>
  aBody([
    [headers, content],
    [CONTEXT_PART, CONTEXT_BYTES],
  ])

async function create(body: Uint8Array, type = 'multipart/form-data; boundary=b', headers = {}) {
  return api.send('POST', '/v1/identities', { headers: { 'Content-Type': type, ...headers }, body })
}

describe('a form is read however it was written', () => {
  const odd = `a'b()+_,-./:=? c`
  const rows: readonly [string, Buffer, string?][] = [
    ['with a boundary in quotation marks', aCreation(), 'multipart/form-data; boundary="b"'],
    [
      'with every odd character that a boundary may have',
      aCreation({ boundary: odd }),
      `multipart/form-data; boundary="${odd}"`,
    ],
    [
      'with an equals sign in a bare boundary',
      aCreation({ boundary: '----=_Part_1_987.654' }),
      'multipart/form-data; boundary=----=_Part_1_987.654',
    ],
    [
      'with parameters in another case and order',
      aCreation(),
      'Multipart/Form-Data;charset=UTF-8;Boundary=b',
    ],
    [
      'with another boundary than its type says, as the first line shows',
      aCreation({ boundary: 'other' }),
      undefined,
    ],
    ['without boundary parameter, after an empty line', aCreation({ before: '\r\n' }), 'multipart/form-data'],
    ['with a preamble', aCreation({ before: 'This is a form.\r\n--no\r\n' })],
    ['with an epilogue', aCreation({ after: '\r\nThat was a form.\r\n--b\r\n' })],
    ['with part headers in lower case', withFile(PNG_PART.map((header) => header.toLowerCase()))],
    [
      'with a folded header, a length, and more headers',
      withFile([
        'Content-Disposition: form-data;\r\n name="file";\r\n\tfilename="a.png"',
        `Content-Length: ${BYTES.byteLength}`,
        'X-Whatever: 1',
        'Content-Type: image/png; q=1',
      ]),
    ],
    [
      'with a file name that looks like the end of the header',
      withFile([
        'Content-Disposition: form-data; filename="a\\"; name=\\"x"; name=file',
        'Content-Type: image/png',
      ]),
    ],
    [
      'with a file name in the extended notation alone',
      withFile([
        `Content-Disposition: form-data; name=file; filename*=UTF-8''a.png`,
        'Content-Type: image/png',
      ]),
    ],
    [
      'with a part name in another case',
      withFile(['Content-Disposition: form-data; name="FILE"; filename="a.png"', 'Content-Type: image/png']),
    ],
    [
      'with a file without a name, as image/png',
      withFile(['Content-Disposition: form-data; name="file"', 'Content-Type: image/png']),
    ],
    [
      'with a file that says how its bytes travel',
      withFile([...PNG_PART, 'Content-Transfer-Encoding: BINARY']),
    ],
    [
      'with a file in base64, in lines',
      withFile(
        [...PNG_PART, 'Content-Transfer-Encoding: base64'],
        Buffer.from(BYTES.toString('base64').replaceAll(/.{16}/g, '$&\r\n')),
      ),
    ],
  ]
  test.each(rows)('%s', async (_name, body, type) => {
    const reply = await create(body, type)
    expect(reply.status, reply.text).toBe(200)
    const { file, context } = lastRequest() as { file: Upload; context: unknown }
    expect(context).toEqual(CONTEXT)
    expect(file.declaredType).toBe('image/png')
    expect(Buffer.from(file.bytes).toString('latin1')).toBe(BYTES.toString('latin1'))
  })

  test.each([
    ['as application/octet-stream', ['Content-Type: application/octet-stream']],
    ['with no type at all', []],
  ])('a file without a name, %s, is a file without a declared type', async (_how, more) => {
    await create(withFile(['Content-Disposition: form-data; name="file"', ...more]))
    const { file } = lastRequest() as { file: Upload }
    expect(file.declaredType).toBeUndefined()
    expect(Buffer.from(file.bytes).toString('latin1')).toBe(BYTES.toString('latin1'))
  })

  test.each([
    ['application/pdf', true],
    ['image/jpeg', true],
    ['application/octet-stream', true],
    ['text/plain', false],
    ['application/json', false],
  ])('the only part of a portrait, without a known name or a file name, as %s', async (type, taken) => {
    const body = aBody([[['Content-Disposition: form-data; name="upload"', `Content-Type: ${type}`], BYTES]])
    const reply = await api.send('POST', `${identity}/attributes/portrait/capture`, {
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
      body,
    })
    expect(reply.status).toBe(taken ? 200 : 400)
  })

  test('JSON under the type of a form with its boundary is JSON', async () => {
    await create(Buffer.from(` ${JSON.stringify({ context: CONTEXT })}`))
    expect(lastRequest()).toEqual({ context: CONTEXT })
  })

  test('a file field without a chosen file is ignored', async () => {
    const nothing = [
      'Content-Disposition: form-data; name="file"; filename=""',
      'Content-Type: application/octet-stream',
    ]
    await create(withFile(nothing, new Uint8Array()))
    expect(lastRequest()).toEqual({ context: CONTEXT })
  })

  test('the only file of a creation is its file, whatever its part is called', async () => {
    await create(
      withFile(['Content-Disposition: form-data; name="scan"; filename="a.png"', 'Content-Type: image/png']),
    )
    expect(lastRequest()).toMatchObject({ context: CONTEXT, file: { declaredType: 'image/png' } })
  })

  test('unknown parts are ignored, files among them', async () => {
    const unknown = ['Content-Disposition: form-data; name="scan"; filename="a.png"']
    const body = aBody([
      [unknown, BYTES],
      [unknown, BYTES],
      [CONTEXT_PART, CONTEXT_BYTES],
    ])
    await create(body)
    expect(lastRequest()).toEqual({ context: CONTEXT })
  })
})

describe('a form that cannot be read whole is refused', () => {
  const encoded = (how: string, content: string) =>
    withFile([...PNG_PART, `Content-Transfer-Encoding: ${how}`], Buffer.from(content))
  test.each([
    ['a file in quoted-printable', encoded('quoted-printable', '=89PNG')],
    ['a file in an encoding that does not exist', encoded('x-rot13', 'CAT')],
    ['base64 with a foreign character', encoded('base64', 'iVBO*w0K')],
    ['base64 that is cut off', encoded('base64', 'iVBORw0')],
    ['base64 that continues after its padding', encoded('base64', 'iVBORw==iVBO')],
    // Ten kept libraries were tried, and none reads these two, which no client library writes.
    ['a form whose lines end in LF alone', aCreation({ eol: '\n' })],
    [
      'a form with white space after a delimiter',
      Buffer.from(aCreation().toString('latin1').replace('--b\r\n', '--b \t\r\n'), 'latin1'),
    ],
    ['a part that holds its own delimiter', withFile(PNG_PART, Buffer.from('x\r\n--bx\r\ny'))],
    ['a part without a name', withFile(['Content-Disposition: form-data'])],
    ['a part without a disposition', withFile(['Content-Type: image/png'])],
    ['a part without headers', Buffer.from('--b\r\nno headers\r\n--b--')],
    ['a form of which the end is missing', aCreation().subarray(0, -5)],
    ['a form of which the last two dashes are missing', aCreation().subarray(0, -2)],
    ['a form in which the part headers never end', Buffer.from(`--b\r\nA: ${'x'.repeat(20_000)}\r\n--b--`)],
    ['a part with headers of 20 kB', withFile([...PNG_PART, `X-Long: ${'x'.repeat(20_000)}`])],
    ['a part with headers of 100 kB', withFile([`X-Long: ${'x'.repeat(100_000)}`, ...PNG_PART])],
    ['a body of white space that never ends', Buffer.alloc(2000, 32)],
  ])('%s', async (_name, body) => {
    const reply = await create(body)
    expect([reply.status, problemCode(reply)]).toEqual([400, 'malformed_body'])
  })

  test.each(['context', 'file'])(
    'a %s that is sent twice is refused, because it is ambiguous',
    async (name) => {
      const part = [[`Content-Disposition: form-data; name="${name}"`], CONTEXT_BYTES] as const
      const reply = await create(aBody([part, part]))
      expect(reply.status).toBe(400)
      expect(problemErrors(reply)).toEqual([{ code: 'repeated', field: name }])
    },
  )

  test('a JSON part sent as a file has the limit of JSON', async () => {
    await using small = await startApi({ config: { uploadLimits: { fileBytes: 5000, jsonBytes: 500 } } })
    const form = aForm({ context: jsonFile([{ key: 'K', value: 'x'.repeat(600) }]) })
    const reply = await small.send('POST', '/v1/identities', { form })
    expect(reply.status).toBe(413)
  })
})

describe('the libraries that clients are written with', () => {
  const boundaryOf = (text: string) => text.split('\r\n', 1)[0]?.slice(2) ?? ''
  const bodyOf = (boundary: string, file: readonly string[], context: readonly string[]) =>
    aBody(
      [
        [context, CONTEXT_BYTES],
        [file, BYTES],
      ],
      { boundary, after: '\r\n' },
    )
  const length = `Content-Length: ${CONTEXT_BYTES.byteLength}`
  test.each([
    ['curl/8.14.1', bodyOf('------------------------pLhW2k1xAqzN9Yv0dGm3bR', PNG_PART, CONTEXT_PART)],
    [
      // requests: files={'file': (None, data, 'image/png')}, data={'context': …}
      'python-requests/2.32.4',
      bodyOf(
        '2d1f8c0e6a3b4e57',
        ['Content-Disposition: form-data; name="file"', 'Content-Type: image/png'],
        CONTEXT_PART,
      ),
    ],
    [
      'okhttp/5.1.0',
      bodyOf(
        '5f0c7f9e-1f5e-4b8a-9a52-5a9c3a1d2b4c',
        [
          'Content-Disposition: form-data; name="file"',
          'Content-Type: image/png',
          `Content-Length: ${BYTES.byteLength}`,
        ],
        [...CONTEXT_PART, 'Content-Type: application/json; charset=utf-8', length],
      ),
    ],
    [
      // mime/multipart: CreatePart with headers of one's own
      'Go-http-client/1.1',
      bodyOf('c9f4e2b1a7d05836'.repeat(3).padEnd(60, '0'), PNG_PART, CONTEXT_PART),
    ],
    [
      // Apache HttpClient's MultipartEntityBuilder, in a Java client
      'Java-http-client/21.0.8',
      bodyOf(
        'Hq7_wX-3kEoVbYt2R9nLz',
        [...PNG_PART, 'Content-Transfer-Encoding: binary'],
        [...CONTEXT_PART, 'Content-Type: text/plain; charset=UTF-8', 'Content-Transfer-Encoding: 8bit'],
      ),
    ],
  ])('%s', async (userAgent, body) => {
    const type = `multipart/form-data; boundary=${boundaryOf(body.toString('latin1'))}`
    const reply = await create(body, type, { 'User-Agent': userAgent })
    expect(reply.status, reply.text).toBe(200)
    const { file, context } = lastRequest() as { file: Upload; context: unknown }
    expect(context).toEqual(CONTEXT)
    expect(Buffer.from(file.bytes).equals(BYTES)).toBe(true)
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
