/** A capture session allows one upload at a time, within the budget of its application. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProofing, type ProofingClient } from '../app/proofing-client.ts'
import { aPassport } from '../app/scripted-vision.ts'

const MIB = 1024 * 1024
const KEYLESS = { key: null }

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing({
    uploads: { maxFileBytes: MIB, serverBudgetBytes: 40 * MIB, applicationBudgetBytes: 20 * MIB },
  })
})
afterAll(() => client.app.close())

async function openDocument(): Promise<string> {
  const id = await client.anIdentity()
  const payload = { sidesToCapture: ['FRONT'] }
  const opened = await client.ask(
    'DocumentSessionAnswer',
    'POST',
    `/v1/identities/${id}/id-documents/live-capture-session`,
    { payload },
  )
  return `/capture/sessions/${opened.sessionId}`
}

interface Sender {
  readonly socket: Socket
  readonly answered: () => string
}

function begin(path: string, bytes: number): Sender {
  const socket = connect(Number(new URL(client.app.url).port), '127.0.0.1')
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
  socket.on('error', () => undefined)
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
      `Content-Length: ${bytes}\r\n\r\n--b\r\n`,
  )
  return { socket, answered: () => received }
}

async function front(path: string): Promise<number> {
  const body = new FormData()
  body.append('DocumentFront', new Blob([aPassport() as BlobPart], { type: 'image/jpeg' }), 'front.jpg')
  return (await client.app.json('POST', `${path}/document`, { ...KEYLESS, body })).status
}

test('of twelve uploads begun in one session, one continues and eleven are told to wait', async () => {
  const path = await openDocument()
  const senders = Array.from({ length: 12 }, () => begin(`${path}/document`, 500_000))
  const refused = () => senders.filter(({ answered }) => answered().startsWith('HTTP/1.1 429 '))
  await expect.poll(() => refused().length).toBe(11)
  expect(refused()[0]?.answered()).toContain('urn:counterproof:problem:upload_budget_exceeded')
  expect(await front(path)).toBe(429)
  for (const { socket } of senders) socket.destroy()
  await expect.poll(() => front(path)).toBe(200)
})

test('the uploads of all sessions of an application share its budget', async () => {
  const paths = [await openDocument(), await openDocument(), await openDocument()] as const
  const [first, second, third] = paths.map((path) => begin(`${path}/document`, 9 * MIB))
  await expect.poll(() => third?.answered()).toMatch(/^HTTP\/1\.1 429 /)
  expect([first?.answered(), second?.answered()]).toEqual(['', ''])
  first?.socket.destroy()
  await expect.poll(() => front(paths[2])).toBe(200)
  for (const sender of [second, third]) sender?.socket.destroy()
})

test('the pictures of the camera continue beside an upload, two at a time', async () => {
  const path = await openDocument()
  const upload = begin(`${path}/document`, 500_000)
  const frames = [begin(`${path}/frame`, 100_000), begin(`${path}/frame`, 100_000)]
  await expect
    .poll(async () => {
      const third = begin(`${path}/frame`, 100_000)
      await new Promise((resolve) => third.socket.once('data', resolve))
      third.socket.destroy()
      return third.answered()
    })
    .toMatch(/^HTTP\/1\.1 429 /)
  expect([upload, ...frames].map(({ answered }) => answered())).toEqual(['', '', ''])
  for (const { socket } of [upload, ...frames]) socket.destroy()
})
