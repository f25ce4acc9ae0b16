import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  BACK_END_KEY,
  EVIDENCE_ID,
  IDENTITY_ID,
  UNKNOWN_ID,
  aFile,
  aForm,
  problemCode,
  problemErrors,
  startApi,
} from './support.ts'
import type { Reply, TestApi } from './support.ts'

const identity = `/v1/identities/${IDENTITY_ID}`
const capture = `${identity}/id-documents/capture`
const HUGE_BYTES = 200 * 1024 * 1024

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

async function* zeros(totalBytes: number, sent: { bytes: number }): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(1024 * 1024)
  while (sent.bytes < totalBytes) {
    sent.bytes += chunk.byteLength
    yield chunk
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('an upload of 200 MB', () => {
  const type = 'multipart/form-data; boundary=b'

  test('is refused with 413 by its Content-Length, before the sender has sent more than a little', async () => {
    const sent = { bytes: 0 }
    const reply = await api.send('POST', capture, {
      headers: { 'Content-Type': type, 'Content-Length': HUGE_BYTES },
      body: zeros(HUGE_BYTES, sent),
    })
    expect([reply.status, problemCode(reply)]).toEqual([413, 'upload_too_large'])
    expect(sent.bytes).toBeLessThan(HUGE_BYTES / 4)
    expect(reply.json).toMatchObject({ detail: 'Send files of at most 20971520 bytes each.' })
  })

  test('is refused with 413 at the first byte over the limit when its length was not told', async () => {
    const sent = { bytes: 0 }
    const reply = await api.send('POST', capture, {
      headers: { 'Content-Type': type, 'Transfer-Encoding': 'chunked' },
      body: zeros(HUGE_BYTES, sent),
    })
    expect([reply.status, problemCode(reply)]).toEqual([413, 'upload_too_large'])
    expect(sent.bytes).toBeLessThan(HUGE_BYTES)
  })

  test('gets its 413 through to a client that asked for the connection to be closed', async () => {
    const reply = await api.send('POST', capture, {
      headers: { 'Content-Type': type, 'Content-Length': HUGE_BYTES, Connection: 'close' },
      body: zeros(HUGE_BYTES, { bytes: 0 }),
    })
    expect(reply.status).toBe(413)
  })

  test('without a key gets its 403 through', async () => {
    const reply = await api.send('POST', capture, {
      key: null,
      headers: { 'Content-Type': type, 'Content-Length': HUGE_BYTES },
      body: zeros(HUGE_BYTES, { bytes: 0 }),
    })
    expect(reply.status).toBe(403)
  })
})

test('a caller who hangs up in the middle of an upload leaves a line in the log and nothing else', async () => {
  await using own = await startApi()
  const { port } = new URL(own.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(
    `POST ${capture} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: t\r\napikey: ${BACK_END_KEY}\r\n` +
      'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n--b\r\n',
    () => setTimeout(() => socket.destroy(), 20),
  )
  await expect.poll(() => own.logged()).toContain('"complete":false')
  expect(own.calls).toEqual([])
  expect((await own.send('GET', identity)).status).toBe(200)
})

describe('limits inside a form', () => {
  test('one file over the limit is refused, one at the limit is taken', async () => {
    await using small = await startApi({ config: { uploadLimits: { fileBytes: 1000, jsonBytes: 500 } } })
    const submit = (bytes: number) =>
      small.send('POST', capture, { form: aForm({ DocumentFront: aFile(new Uint8Array(bytes)) }) })
    expect((await submit(1000)).status).toBe(200)
    expect(problemCode(await submit(1001))).toBe('upload_too_large')
  })

  test('a text part over the limit and too many parts are refused', async () => {
    await using small = await startApi({ config: { uploadLimits: { fileBytes: 1000, jsonBytes: 500 } } })
    const long = await small.send('POST', '/v1/identities', { form: aForm({ context: 'x'.repeat(501) }) })
    const parts = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`p${index}`, 'x']))
    const many = await small.send('POST', '/v1/identities', { form: aForm(parts) })
    expect([long.status, many.status]).toEqual([413, 413])
  })

  test('the limit holds to the byte for a body whose length was not told', async () => {
    await using small = await startApi({ config: { uploadLimits: { fileBytes: 1000, jsonBytes: 500 } } })
    const submit = (bytes: number) =>
      small.send('POST', '/v1/identities', {
        headers: { 'Transfer-Encoding': 'chunked' },
        body: `[]${' '.repeat(bytes - 2)}`,
      })
    expect((await submit(500)).status).toBe(200)
    expect((await submit(501)).status).toBe(413)
  })

  test('a JSON body over the limit is refused', async () => {
    await using small = await startApi({ config: { uploadLimits: { fileBytes: 1000, jsonBytes: 500 } } })
    const reply = await small.send('POST', `${identity}/consents`, { json: ['x'.repeat(500)] })
    expect(reply.status).toBe(413)
  })
})

describe('a body that is not what it says', () => {
  const asJson = { 'Content-Type': 'application/json' }
  const asForm = { 'Content-Type': 'multipart/form-data; boundary=b' }
  const rows: readonly [string, string, () => Parameters<TestApi['send']>[2]][] = [
    ['JSON cut off', `${identity}/consents`, () => ({ headers: asJson, body: '[{"type":' })],
    [
      'JSON that is not UTF-8',
      `${identity}/consents`,
      () => ({ headers: asJson, body: new Uint8Array([0x22, 0xff, 0x22]) }),
    ],
    [
      'a compressed body',
      `${identity}/consents`,
      () => ({ headers: { ...asJson, 'Content-Encoding': 'gzip' }, body: '[]' }),
    ],
    [
      'a form cut off',
      capture,
      () => ({ headers: asForm, body: '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nxx' }),
    ],
    ['a form without its delimiter', capture, () => ({ headers: asForm, body: 'no delimiter here' })],
    [
      'a part with a broken header',
      capture,
      () => ({ headers: asForm, body: '--b\r\n\x01bad\r\n\r\nx\r\n--b--\r\n' }),
    ],
    [
      'multipart of another kind',
      capture,
      () => ({ headers: { 'Content-Type': 'multipart/mixed; boundary=b' }, body: '--b--\r\n' }),
    ],
    // No proof can hold it: RFC 8785 knows no half of a surrogate pair.
    [
      'half of a surrogate pair',
      '/v1/identities/00000000-0000-7000-8000-000000000000/attributes',
      () => ({
        headers: asJson,
        body: String.raw`{"surname": {"value": "\ud800A"}}`,
      }),
    ],
    ['a context part cut off', '/v1/identities', () => ({ form: aForm({ context: '[{' }) })],
    [
      'capture details cut off',
      capture,
      () => ({ form: aForm({ DocumentFront: aFile(), DocumentCaptureDetails: '{' }) }),
    ],
  ]
  test.each(rows)('%s is a malformed body', async (_name, path, sent) => {
    const reply = await api.send('POST', path, sent())
    expect([reply.status, problemCode(reply)]).toEqual([400, 'malformed_body'])
  })
})

describe('a wrong value in a field', () => {
  const refused = (reply: Reply) => {
    expect([reply.status, problemCode(reply)]).toEqual([400, 'validation_failed'])
    return problemErrors(reply)
  }

  test('every wrong field of the consents is named by its path', async () => {
    const reply = await api.send('POST', `${identity}/consents`, {
      json: [
        { type: 'PORTRAIT', approved: 'yes' },
        { type: 'SHOE_SIZE', approved: true },
        { approved: true },
        { type: 'GIV', approved: true, validityPeriod: { from: '2026-02-30' } },
        { type: 'GIV', approved: true, validityPeriod: { from: '2026-02-02', to: '2026-02-01' } },
      ],
    })
    expect(refused(reply)).toEqual([
      { code: 'wrong_type', field: '[0].approved' },
      { code: 'not_allowed', field: '[1].type' },
      { code: 'required', field: '[2].type' },
      { code: 'wrong_form', field: '[3].validityPeriod.from' },
      { code: 'wrong_form', field: '[4].validityPeriod.to' },
    ])
  })

  test.each([
    ['an object', { type: 'PORTRAIT', approved: true }],
    ['a number', 7],
    ['an empty list', []],
    ['null', null],
  ])('consents must be a list, not %s', async (_name, json) => {
    refused(await api.send('POST', `${identity}/consents`, { json }))
  })

  test('consents without a body are refused', async () => {
    expect(refused(await api.send('POST', `${identity}/consents`))).toEqual([{ code: 'required' }])
  })

  test('context entries must be pairs of text', async () => {
    const json = [{ key: 'CHANNEL', value: 7 }, { key: 'PID' }]
    expect(refused(await api.send('POST', '/v1/identities', { json }))).toEqual([
      { code: 'wrong_type', field: 'context[0].value' },
      { code: 'required', field: 'context[1].value' },
    ])
  })

  test.each([
    ['NUL', '\u0000'],
    ['a line break', '\n'],
    ['the start of a terminal sequence', '\u001B[2J'],
    ['a C1 control', '\u0085'],
    ['a turned direction', '\u202E'],
  ])('%s in a submitted name, number or address is refused with its field', async (_name, bad) => {
    const value = `Er${bad}iksson`
    const attributes = await api.send('POST', `${identity}/attributes`, {
      json: { surname: { value }, givenNames: [{ value: 'Anna' }, { value }] },
    })
    expect(refused(attributes)).toEqual([
      { code: 'wrong_form', field: 'givenNames[1].value' },
      { code: 'wrong_form', field: 'surname.value' },
    ])
    const claim = { addressesData: { city: value, streetDetails: { streetLines: [value] } } }
    expect(refused(await api.send('POST', `${identity}/claim`, { json: claim }))).toEqual([
      { code: 'wrong_form', field: 'addressesData.streetDetails.streetLines[0]' },
      { code: 'wrong_form', field: 'addressesData.city' },
    ])
  })

  test('capture details are checked field by field', async () => {
    const details = JSON.stringify({ jurisdiction: 'france', documentType: 'LIBRARY_CARD', source: 3 })
    const form = aForm({ DocumentFront: aFile(), DocumentCaptureDetails: details })
    expect(refused(await api.send('POST', capture, { form }))).toEqual([
      { code: 'wrong_form', field: 'DocumentCaptureDetails.jurisdiction' },
      { code: 'not_allowed', field: 'DocumentCaptureDetails.documentType' },
      { code: 'not_allowed', field: 'DocumentCaptureDetails.source' },
    ])
  })

  test('a back without a front is refused with 1508: it is no whole document', async () => {
    const answer = await api.send('POST', capture, { form: aForm({ DocumentBack: aFile() }) })
    expect([answer.status, problemCode(answer)]).toEqual([400, 'sides_mismatch'])
    expect(problemErrors(answer)).toEqual([{ code: '1508' }])
  })

  test('a missing front and a missing portrait are named', async () => {
    const front = await api.send('POST', capture, { form: aForm({ SomethingElse: aFile() }) })
    const portrait = await api.send('POST', `${identity}/attributes/portrait/capture`, { body: '' })
    expect(refused(front)).toEqual([{ code: 'required', field: 'DocumentFront' }])
    expect(refused(portrait)).toEqual([{ code: 'required', field: 'Portrait' }])
  })

  test('a front that is sent twice is refused, because it is ambiguous', async () => {
    const form = aForm({ DocumentFront: aFile() })
    form.append('documentfront', aFile())
    expect(refused(await api.send('POST', capture, { form }))).toEqual([
      { code: 'repeated', field: 'DocumentFront' },
    ])
  })

  test('detailed must be true or false, correlationID must be there', async () => {
    expect(refused(await api.send('GET', `${identity}?detailed=perhaps`))).toEqual([
      { code: 'not_allowed', field: 'detailed' },
    ])
    expect(refused(await api.send('GET', '/v1/identities'))).toEqual([
      { code: 'required', field: 'correlationID' },
    ])
  })
})

describe('an address that is not there', () => {
  test.each([
    ['an unknown identity', `/v1/identities/${UNKNOWN_ID}`],
    ['an id that none of ours looks like', '/v1/identities/42'],
    ['an evidence id that none of ours looks like', `${identity}/status/first`],
    ['an unknown identity with a known evidence', `/v1/identities/${UNKNOWN_ID}/status/${EVIDENCE_ID}`],
    ['an unknown path', '/v1/persons'],
    ['a path above the root', '/v1/../../etc/passwd'],
    ['a path that does not decode', '/v1/identities/%E0%A4%A'],
  ])('%s is 404', async (_name, path) => {
    const reply = await api.send('GET', path)
    expect([reply.status, problemCode(reply)]).toEqual([404, 'not_found'])
  })

  test('a known path with another method is 405 and says which ones it takes', async () => {
    const reply = await api.send('PUT', identity)
    expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD, DELETE'])
  })

  test('a HEAD of the proof is refused: only a GET closes the transaction', async () => {
    await using own = await startApi()
    const reply = await own.send('HEAD', `${identity}/proof`)
    expect([reply.status, reply.headers.allow, own.calls]).toEqual([405, 'GET', []])
    expect((await own.send('HEAD', identity)).status).toBe(200)
  })

  test('without a key, an unknown path under /v1 tells nothing', async () => {
    expect((await api.send('GET', '/v1/persons', { key: null })).status).toBe(403)
  })
})
