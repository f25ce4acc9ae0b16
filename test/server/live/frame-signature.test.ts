import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  computeDigest,
  isSameTicket,
  isSignedBy,
  createTicket,
  readClientKey,
  getSignedText,
  type ClientKey,
} from '../../../server/live/frame-signature.ts'

const SESSION = 'b1a6f1f4-5d83-4a5e-9f0a-3f3f3f3f3f3f'
const FRAME = Buffer.from('a picture')

function aClient() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const jwk: ClientKey = { kty: 'EC', crv: 'P-256', x, y }
  const signFrame = (over: { sequence?: number; ticket?: string; frame?: Buffer; session?: string } = {}) => {
    const { sequence = 1, ticket = 'ticket', frame = FRAME, session = SESSION } = over
    const text = getSignedText(session, { sequence, ticket, signature: '' }, computeDigest(frame))
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return { sequence, ticket, signature: signature.toString('base64url') }
  }
  const key = readClientKey(jwk)
  if (!key) throw new TypeError('our own key is one')
  return { jwk, key, signFrame }
}

describe('the signature of a live picture', () => {
  const client = aClient()
  const isSigned = (signed: ReturnType<typeof client.signFrame>) =>
    isSignedBy(client.key, SESSION, signed, computeDigest(FRAME))

  test('holds for the key, session, number, ticket and picture that it was made for', () => {
    expect(isSigned(client.signFrame())).toBe(true)
  })

  test.each([
    ['another session', client.signFrame({ session: 'b1a6f1f4-5d83-4a5e-9f0a-000000000000' })],
    ['another picture', client.signFrame({ frame: Buffer.from('another picture') })],
    ['another number', { ...client.signFrame(), sequence: 2 }],
    ['another ticket', { ...client.signFrame(), ticket: 'another' }],
    ['another key', aClient().signFrame()],
    ['an empty signature', { ...client.signFrame(), signature: Buffer.alloc(64).toString('base64url') }],
    ['a signature that is too short', { ...client.signFrame(), signature: 'AAAA' }],
  ])('is broken for %s', (_, signed) => {
    expect(isSigned(signed)).toBe(false)
  })

  test('has a text that a stranger can write by the contract', () => {
    const text = getSignedText(
      SESSION,
      { sequence: 7, ticket: 'AAAAAAAAAAAAAAAAAAAAAA', signature: '' },
      'ff00',
    )
    expect(text).toBe(`counterproof-frame/1\n${SESSION}\n7\nAAAAAAAAAAAAAAAAAAAAAA\nff00`)
  })
})

test('a key that is no point of the curve is none', () => {
  const { jwk } = aClient()
  expect(readClientKey({ ...jwk, y: jwk.x })).toBeNull()
  expect(readClientKey({ ...jwk, x: 'AAAA' })).toBeNull()
})

test('a ticket has 22 characters, is another one each time, and is the same only as itself', () => {
  const tickets = Array.from({ length: 100 }, createTicket)
  expect(new Set(tickets).size).toBe(100)
  for (const ticket of tickets) expect(ticket).toMatch(/^[A-Za-z0-9_-]{22}$/)
  expect(isSameTicket(tickets[0], tickets[0])).toBe(true)
  expect(isSameTicket(tickets[0], tickets[1])).toBe(false)
  expect(isSameTicket(tickets[0], '')).toBe(false)
})
