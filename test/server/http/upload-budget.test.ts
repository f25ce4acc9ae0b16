/** The number of upload bytes in progress, and the refusals beyond it. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { UploadBudget } from '../../../server/http/upload-budget.ts'
import { AppError } from '../../../server/errors.ts'
import { BACK_END_KEY, IDENTITY_ID, aFile, aForm, problemCode, startApi } from '../api/support.ts'
import type { TestApi } from '../api/support.ts'

const MIB = 1024 * 1024
const LIMITS = { serverBytes: 10 * MIB, applicationBytes: 6 * MIB, idleMs: 10_000 }
const capture = `/v1/identities/${IDENTITY_ID}/id-documents/capture`
const HEAD =
  `POST ${capture} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: tests/1 (en)\r\napikey: ${BACK_END_KEY}\r\n` +
  'Content-Type: multipart/form-data; boundary=b\r\n'
const PART = '--b\r\nContent-Disposition: form-data; name="DocumentFront"; filename="a"\r\n\r\n'

const codeOf = (act: () => void): string | null => {
  try {
    act()
    return null
  } catch (error) {
    return error instanceof AppError ? error.code : 'NOT OURS'
  }
}

describe('the budget', () => {
  test('is shared by the requests of an application, and by all applications', () => {
    const budget = new UploadBudget(LIMITS)
    const [a, again, b, ofNobody] = [
      budget.open('a'),
      budget.open('a'),
      budget.open('b'),
      budget.open(null),
    ] as const
    a.claim(5 * MIB)
    expect(codeOf(() => again.claim(2 * MIB))).toBe('upload_budget_exceeded')
    b.claim(4 * MIB)
    // The server has 1 MiB left for any caller.
    expect(codeOf(() => ofNobody.claim(2 * MIB))).toBe('upload_budget_exceeded')
    ofNobody.claim(MIB)
    expect(budget.heldBytes).toBe(10 * MIB)
    a.release()
    again.claim(2 * MIB)
    for (const account of [a, again, b, ofNobody, ofNobody]) account.release()
    expect(budget.heldBytes).toBe(0)
  })

  test('counts a body once, however often its size is told, and a small one not at all', () => {
    const budget = new UploadBudget(LIMITS)
    const account = budget.open('a')
    account.claim(64 * 1024)
    expect(budget.heldBytes).toBe(0)
    for (const bytes of [MIB, 2 * MIB, 2 * MIB, MIB]) account.claim(bytes)
    expect(budget.heldBytes).toBe(2 * MIB)
  })

  test('gives each key its places, and takes them back with the bytes', () => {
    const budget = new UploadBudget(LIMITS)
    const [first, second] = [budget.open('a'), budget.open('a')] as const
    first.take({ key: 'session', most: 1 })
    expect(codeOf(() => second.take({ key: 'session', most: 1 }))).toBe('upload_budget_exceeded')
    second.take({ key: 'another session', most: 1 })
    first.release()
    second.take({ key: 'session', most: 1 })
  })
})

interface Sender {
  readonly socket: Socket
  /** Everything that was answered so far. */
  readonly answered: () => string
}

/** Sends the head of an upload and no more than a little of its body. */
function beginUpload(api: TestApi, length: string): Sender {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
  socket.on('error', () => undefined)
  socket.write(`${HEAD}${length}\r\n\r\n`)
  return { socket, answered: () => received }
}

const upload = (api: TestApi, bytes: number) =>
  api.send('POST', capture, { form: aForm({ DocumentFront: aFile(new Uint8Array(bytes)) }) })

describe('uploads under way', () => {
  test('beyond the budget are refused with 429 before their bytes are read; what was begun continues', async () => {
    await using api = await startApi({ budget: LIMITS })
    // Twelve of 5 MiB: ten times what the application may have under way.
    const senders = Array.from({ length: 12 }, () => beginUpload(api, `Content-Length: ${5 * MIB}`))
    const refused = () => senders.filter(({ answered }) => answered().startsWith('HTTP/1.1 429 '))
    await expect.poll(() => refused().length).toBe(11)
    expect(refused()[0]?.answered()).toMatch(/^retry-after: [1-9]\d*\r$/im)
    const reply = await upload(api, 2 * MIB)
    expect([reply.status, problemCode(reply)]).toEqual([429, 'upload_budget_exceeded'])
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)

    const [begun] = senders.filter((sender) => !refused().includes(sender))
    const end = '\r\n--b--\r\n'
    begun?.socket.write(PART + 'x'.repeat(5 * MIB - PART.length - end.length) + end)
    await expect.poll(() => begun?.answered()).toMatch(/^HTTP\/1\.1 200 /)
    expect((await upload(api, 2 * MIB)).status).toBe(200)
    for (const { socket } of senders) socket.destroy()
  })

  test('whose length was not told are refused when they outgrow the budget, and hold nothing then', async () => {
    await using api = await startApi({ budget: LIMITS })
    const first = beginUpload(api, `Content-Length: ${5 * MIB}`)
    await expect.poll(async () => (await upload(api, 2 * MIB)).status).toBe(429)
    const chunked = beginUpload(api, 'Transfer-Encoding: chunked')
    const chunk = `${MIB.toString(16)}\r\n${'x'.repeat(MIB)}\r\n`
    chunked.socket.write(`${PART.length.toString(16)}\r\n${PART}\r\n${chunk}${chunk}`)
    await expect.poll(() => chunked.answered()).toMatch(/^HTTP\/1\.1 429 /)
    first.socket.destroy()
    await expect.poll(async () => (await upload(api, 5 * MIB)).status).toBe(200)
    chunked.socket.destroy()
  })

  test('that break off free their budget', async () => {
    await using api = await startApi({ budget: LIMITS })
    const { socket } = beginUpload(api, `Content-Length: ${5 * MIB}`)
    await expect.poll(async () => (await upload(api, 2 * MIB)).status).toBe(429)
    socket.destroy()
    await expect.poll(async () => (await upload(api, 2 * MIB)).status).toBe(200)
  })

  test('that deliver next to nothing are ended with 408 and free their budget', async () => {
    await using api = await startApi({ budget: { ...LIMITS, idleMs: 300 } })
    const { socket, answered } = beginUpload(api, `Content-Length: ${5 * MIB}`)
    const dribble = setInterval(() => socket.write('x'), 20)
    await expect.poll(async () => (await upload(api, 2 * MIB)).status).toBe(429)
    await expect.poll(answered, { timeout: 5000 }).toMatch(/^HTTP\/1\.1 408 [^]*request_timeout/)
    expect((await upload(api, 2 * MIB)).status).toBe(200)
    clearInterval(dribble)
    socket.destroy()
  })

  test('do not keep small bodies waiting', async () => {
    await using api = await startApi({ budget: LIMITS })
    const { socket } = beginUpload(api, `Content-Length: ${6 * MIB}`)
    await expect.poll(async () => (await upload(api, MIB)).status).toBe(429)
    const consents = await api.send('POST', `/v1/identities/${IDENTITY_ID}/consents`, {
      json: [{ type: 'PORTRAIT', approved: true }],
    })
    expect(consents.status).toBe(200)
    socket.destroy()
  })

  test('hold their budget until they are answered, since the bytes are in memory so long', async () => {
    let answer: () => void = () => undefined
    const looking = new Promise<void>((resolve) => (answer = resolve))
    await using api = await startApi({
      budget: LIMITS,
      workflows: {
        submitDocument: async () => {
          await looking
          return { status: 'PROCESSING', type: 'PASSPORT', id: IDENTITY_ID }
        },
      },
    })
    const slow = upload(api, 5 * MIB)
    await expect.poll(() => api.calls.length).toBe(1)
    expect((await upload(api, 2 * MIB)).status).toBe(429)
    answer()
    expect((await slow).status).toBe(200)
    expect((await upload(api, 2 * MIB)).status).toBe(200)
  })
})
