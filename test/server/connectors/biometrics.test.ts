import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  openBiometricServer,
  type BiometricServer,
  type BiometricSettings,
} from '../../../server/connectors/biometrics/biometric-server.ts'
import { AppError } from '../../../server/errors.ts'
import {
  CALLBACK_SECRET,
  replyWith,
  startBiometricServer,
  type BiometricServerStub,
} from '../../support/biometric-server.ts'

const NOON = new Date('2026-03-01T12:00:00Z')
const ORDER = {
  livenessType: 'LIVENESS_ACTIVE',
  securityLevel: 'HIGH',
  nbChallenge: 3,
  lifetimeSeconds: 90,
  reference: '6a2b0a4e-1111-4222-8333-444455556666',
} as const
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])

let stub: BiometricServerStub
beforeEach(async () => {
  stub = await startBiometricServer()
})
afterEach(() => stub.close())

function open(settings: Partial<BiometricSettings> = {}, now = () => NOON): BiometricServer {
  return openBiometricServer(
    {
      url: stub.url,
      token: 'biometric-token',
      callbackSecrets: CALLBACK_SECRET,
      timeoutMs: 5000,
      livenessTypes: ['LIVENESS_ACTIVE'],
      livenessStops: ['LIVENESS_STOPS_PRINTS'],
      publicUrl: 'http://kiosk.example:8717/',
      largestPictureBytes: 1000,
      ...settings,
    },
    { now },
  )
}

async function anOpenSession(server = open()): Promise<string> {
  const answer = await server.openSession(ORDER)
  if (answer.kind !== 'answered') throw new TypeError(answer.kind)
  return answer.value
}

describe('a session', () => {
  test('is ordered with its task, its callback address, and a reference that identifies no person', async () => {
    const sessionId = await anOpenSession()
    expect(stub.sessions.has(sessionId)).toBe(true)
    const [{ method, path, json, headers }] = stub.requests
    expect({ method, path, json }).toEqual({
      method: 'POST',
      path: '/bio/sessions',
      json: {
        type: 'LIVENESS_ACTIVE',
        securityLevel: 'HIGH',
        nbChallenge: 3,
        lifetimeSeconds: 90,
        reference: ORDER.reference,
        callbackUrl: 'http://kiosk.example:8717/capture/callbacks/biometrics',
      },
    })
    expect(headers).toMatchObject({
      authorization: 'Bearer biometric-token',
      'idempotency-key': ORDER.reference,
    })
  })

  test('is ordered again after an outage, and is one session', async () => {
    let left = 2
    stub.reply(() => (left-- > 0 ? replyWith(503) : undefined))
    await anOpenSession()
    expect(stub.requests).toHaveLength(3)
    expect(stub.sessions.size).toBe(1)
  })

  test.each([
    ['no id', {}],
    ['an id that is none', { sessionId: '../../admin' }],
    ['an id that could be guessed', { sessionId: '01234567-89ab-7cde-8f01-23456789abcd' }],
  ])('with %s is not taken over', async (_name, body) => {
    stub.reply(() => replyWith(201, JSON.stringify(body)))
    expect(await open().openSession(ORDER)).toMatchObject({
      kind: 'unavailable',
      reason: 'unexpected-answer',
      httpStatus: 201,
    })
  })
})

describe('a result', () => {
  test('says how it went, by which service, and what it scored', async () => {
    const server = open()
    const sessionId = await anOpenSession(server)
    stub.finish(sessionId, { outcome: 'passed', score: 0.97, threshold: 0.9, instead: { more: 'ignored' } })
    expect(await server.result(sessionId, 'LIVENESS_ACTIVE')).toMatchObject({
      kind: 'answered',
      value: {
        outcome: 'passed',
        score: 0.97,
        threshold: 0.9,
        service: 'Stub',
        serviceVersion: '7.1',
        stops: ['LIVENESS_STOPS_PRINTS'],
      },
    })
  })

  test.each([
    ['an outcome that is none', { outcome: 'LIVE' }],
    ['that of another session', { sessionId: randomUUID() }],
    ['that of another kind of liveness', { type: 'LIVENESS_PASSIVE' }],
    ['a score below its own threshold, and passed', { score: 0.2 }],
    ['a score that is a word', { score: 'high' }],
    [
      'a service whose name is a sentence',
      { service: 'Anna Eriksson, born 12 August 1974, was here. '.repeat(2) },
    ],
  ])('is not believed with %s', async (_name, instead) => {
    const server = open()
    const sessionId = await anOpenSession(server)
    stub.finish(sessionId, { outcome: 'passed', score: 0.97, threshold: 0.9, instead })
    expect(await server.result(sessionId, 'LIVENESS_ACTIVE')).toMatchObject({ reason: 'unexpected-answer' })
  })

  test('longer than one can be is not read to its end', async () => {
    const server = open()
    stub.reply(() => replyWith(200, `{"padding":"${'x'.repeat(100_000)}"}`))
    expect(await server.result(randomUUID(), 'LIVENESS_ACTIVE')).toMatchObject({
      reason: 'unexpected-answer',
    })
  })
})

describe('a picture', () => {
  const pictureOf = async (outcome: { image: Uint8Array | null; imageType?: string }) => {
    const server = open()
    const sessionId = await anOpenSession(server)
    stub.finish(sessionId, { outcome: 'passed', ...outcome })
    return server.picture(sessionId)
  }

  test('comes as it was sent, with the type that it was said to be', async () => {
    expect(await pictureOf({ image: JPEG })).toMatchObject({
      kind: 'answered',
      value: { bytes: JPEG, declaredType: 'image/jpeg' },
    })
  })

  test('that does not exist is none', async () => {
    expect(await pictureOf({ image: null })).toMatchObject({ kind: 'answered', value: null })
  })

  test.each([
    ['of another type', { image: JPEG, imageType: 'text/html' }],
    ['larger than an upload may be', { image: Buffer.alloc(1001) }],
  ])('%s is not taken', async (_name, outcome) => {
    expect(await pictureOf(outcome)).toMatchObject({ kind: 'unavailable', reason: 'unexpected-answer' })
  })
})

describe('a server that does not do its part', () => {
  test('sends us elsewhere: the token goes nowhere else', async () => {
    const elsewhere = await startBiometricServer()
    try {
      stub.reply(() => replyWith(307, '', { location: `${elsewhere.url}/sessions` }))
      expect(await open().openSession(ORDER)).toMatchObject({ kind: 'unavailable', httpStatus: 307 })
      expect(elsewhere.requests).toEqual([])
    } finally {
      await elsewhere.close()
    }
  })

  test('is known by the health report, since when and without a word of its own', async () => {
    let now = NOON
    const server = open({}, () => now)
    expect(server.health()).toEqual({ status: 'UP', detail: 'configured' })
    stub.reply(() => replyWith(500, '{"error":"Anna Eriksson"}'))
    await server.result(randomUUID(), 'LIVENESS_ACTIVE')
    now = new Date(NOON.getTime() + 60_000)
    await server.result(randomUUID(), 'LIVENESS_ACTIVE')
    expect(server.health()).toEqual({
      status: 'DEGRADED',
      since: '2026-03-01T12:00:00.000',
      detail: 'the last call failed: unreachable (HTTP 500)',
    })
    stub.reply(null)
    await anOpenSession(server)
    expect(server.health()).toEqual({ status: 'UP', detail: 'configured' })
  })
})

describe('a callback', () => {
  const BODY = Buffer.from('{"type":"session.completed"}')
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const signed = (over: { id?: string; at?: Date; secret?: string } = {}) => {
    const { id = 'msg_1', at = NOON, secret = CALLBACK_SECRET } = over
    const timestamp = String(Math.floor(at.getTime() / 1000))
    return { id, timestamp, signature: new Webhook(secret).sign(id, at, BODY.toString()) }
  }
  const seconds = (n: number) => new Date(NOON.getTime() + n * 1000)

  test('is the server’s when the reference library of Standard Webhooks has signed it', () => {
    expect(open().isSigned(signed(), BODY)).toBe(true)
  })

  test('counts by any of several signatures and any of several secrets, while one is replaced', () => {
    const both = `${signed({ secret: other }).signature} ${signed().signature} v2,abc`
    expect(open().isSigned({ ...signed(), signature: both }, BODY)).toBe(true)
    const server = open({ callbackSecrets: `${other}\n${CALLBACK_SECRET}\n` })
    expect(server.isSigned(signed(), BODY)).toBe(true)
    expect(server.isSigned(signed({ secret: other }), BODY)).toBe(true)
  })

  test.each([
    ['by another secret', signed({ secret: other }), BODY],
    ['over another body', signed(), Buffer.from('{}')],
    ['under another id', { ...signed(), id: 'msg_2' }, BODY],
    ['at another time', { ...signed(), timestamp: String(NOON.getTime() / 1000 + 1) }, BODY],
    ['more than five minutes ago', signed({ at: seconds(-301) }), BODY],
    ['more than five minutes ahead', signed({ at: seconds(301) }), BODY],
    ['without a secret', { ...signed(), signature: undefined }, BODY],
    ['without an id', { ...signed(), id: undefined }, BODY],
    ['without a time', { ...signed(), timestamp: undefined }, BODY],
    ['with a signature cut off', { ...signed(), signature: signed().signature.slice(0, 20) }, BODY],
    ['by another version', { ...signed(), signature: signed().signature.replace('v1', 'v1a') }, BODY],
  ])('signed %s is refused', (_name, headers, body) => {
    expect(open().isSigned(headers, body)).toBe(false)
  })

  test('five minutes old is accepted', () => {
    expect(open().isSigned(signed({ at: seconds(-300) }), BODY)).toBe(true)
  })
})

describe('the configuration is refused at start, by field,', () => {
  const fieldOf = (settings: Partial<BiometricSettings>): string | undefined => {
    try {
      open(settings)
    } catch (error) {
      if (error instanceof AppError && error.code === 'configuration_invalid') return error.problems[0].field
      throw error
    }
    return undefined
  }

  test.each([
    ['a token of two words', { token: 'two words' }, 'tokenFile'],
    ['a secret without its prefix', { callbackSecrets: 'c2VjcmV0' }, 'callbackSecretFile'],
    ['a secret that is too short', { callbackSecrets: 'whsec_c2VjcmV0' }, 'callbackSecretFile'],
    ['a secret that is no base64', { callbackSecrets: `${CALLBACK_SECRET}*` }, 'callbackSecretFile'],
  ])('for %s', (_name, settings, field) => {
    expect(fieldOf(settings)).toBe(`connectors.biometrics.${field}`)
  })
})
