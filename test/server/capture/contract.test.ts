/** The contract of a component: its limits, each from both sides. */
import { describe, expect, test } from 'vitest'
import {
  BeginPortrait,
  FrameSignature,
  PortraitGuidance,
  SessionId,
} from '../../../server/api/contract/capture.ts'

const takes = (schema: { safeParse(value: unknown): { success: boolean } }) => (value: unknown) =>
  schema.safeParse(value).success

test('a session is named by a random UUID, in either case', () => {
  expect(SessionId.parse('7D444840-9DC0-41D1-B245-5FFDCE74FAD2')).toBe('7d444840-9dc0-41d1-b245-5ffdce74fad2')
  // Version 7 tells the time, and the next one can be guessed.
  for (const other of ['7d444840-9dc0-71d1-b245-5ffdce74fad2', '7d444840', ''])
    expect(takes(SessionId)(other)).toBe(false)
})

describe('the signature of a frame', () => {
  const signature = { sequence: 1, ticket: 'a'.repeat(22), signature: 'b'.repeat(86) }
  const ok = takes(FrameSignature)

  test('counts the frames from 1 to 5000', () => {
    expect([0, 1, 5000, 5001, 1.5].map((sequence) => ok({ ...signature, sequence }))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ])
  })

  test('has a ticket of 16 bytes and a signature of 64, and nothing else', () => {
    for (const length of [21, 23]) expect(ok({ ...signature, ticket: 'a'.repeat(length) })).toBe(false)
    for (const length of [85, 87]) expect(ok({ ...signature, signature: 'b'.repeat(length) })).toBe(false)
    expect(ok({ ...signature, ticket: '+'.repeat(22) })).toBe(false)
    expect(ok({ ...signature, more: 1 })).toBe(false)
  })
})

describe('the beginning of a portrait', () => {
  const publicKey = { kty: 'EC', crv: 'P-256', x: 'a'.repeat(43), y: 'b'.repeat(43) }
  const ok = (key: object, more: object = {}) => takes(BeginPortrait)({ publicKey: key, ...more })

  test('brings a public key on P-256, and never a private one', () => {
    expect(ok(publicKey)).toBe(true)
    expect(ok({ ...publicKey, d: 'c'.repeat(43) })).toBe(false)
    expect(ok({ ...publicKey, kty: 'RSA' })).toBe(false)
    expect(ok({ ...publicKey, crv: 'P-384' })).toBe(false)
    for (const length of [42, 44]) {
      expect(ok({ ...publicKey, x: 'a'.repeat(length) })).toBe(false)
      expect(ok({ ...publicKey, y: 'a'.repeat(length) })).toBe(false)
    }
  })

  test('may say that the camera is pretended, and may contain no unknown member', () => {
    expect(ok(publicKey, { pretendedCamera: true })).toBe(true)
    expect(ok(publicKey, { pretendedCamera: 'yes' })).toBe(false)
    expect(ok(publicKey, { isLive: true })).toBe(false)
  })
})

test('a person is prompted by the third of four steps as well as by the first, and never by none', () => {
  const prompt = { kind: 'LOOK_STRAIGHT', index: 3, of: 4, colour: null, isHolding: false, attempt: 2 }
  const told = (change: object = {}, progress = 0) =>
    takes(PortraitGuidance)({
      state: 'CAPTURING',
      sequence: 17,
      ticket: 'a'.repeat(22),
      prompt: { ...prompt, ...change },
      hint: 'ALL_GOOD',
      progress,
      face: null,
      expiresAt: '2026-03-02T09:10:00.000',
    })
  expect(told()).toBe(true)
  expect(told({ index: 1, of: 1, attempt: 1 })).toBe(true)
  expect([told({ index: 0 }), told({ of: 0 }), told({ attempt: 0 })]).toEqual([false, false, false])
  expect([-0.1, 0, 1, 1.1].map((progress) => told({}, progress))).toEqual([false, true, true, false])
})
