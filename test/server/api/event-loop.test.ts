/**
 * One body must not stop the server for other callers. The longest turn of the event loop is measured in CPU time of
 * this thread, so that a busy machine does not count; `npm run bench:fuzz` holds every parser to 50 ms.
 */
import { expect, test } from 'vitest'
import { measureMaxBlockMs } from '../../../server/tools/bench/fuzz/event-loop.ts'
import { startApi } from './support.ts'

const MIB = 1024 * 1024
const BODY_BYTES = 60 * MIB
/** Twenty times what was measured; the parser before @fastify/busboy took 3,000 ms for the first body. */
const MAX_MS = 400

const HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n'
const END = '\r\n--b--\r\n'
const filled = (text: string) => Buffer.alloc(BODY_BYTES, text)

test.each([
  [
    'base64 with a line end after every character',
    `${HEAD}Content-Transfer-Encoding: base64\r\n\r\n`,
    'A\n',
    200,
  ],
  ['base64 of white space alone', `${HEAD}Content-Transfer-Encoding: base64\r\n\r\n`, ' ', 200],
  ['a million empty parts', '', `${HEAD}\r\n\r\n`, 413],
  ['delimiters and nothing else', '', '--b\r\n', 413],
  ['white space and nothing else', '', ' \r\n', 400],
  ['the beginning of a delimiter, over and over', `${HEAD}\r\n`, '\r\n--', 200],
])('60 MiB of %s do not delay other requests', async (_, before, text, status) => {
  await using api = await startApi({
    config: { uploadLimits: { fileBytes: BODY_BYTES + MIB, jsonBytes: 1000 } },
  })
  const body = Buffer.concat([Buffer.from(before), filled(text), Buffer.from(END)])
  const block = await measureMaxBlockMs(async () => {
    const reply = await api.send('POST', '/v1/identities', {
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
      body,
    })
    expect(reply.status).toBe(status)
  })
  expect(block).toBeLessThan(MAX_MS)
})
