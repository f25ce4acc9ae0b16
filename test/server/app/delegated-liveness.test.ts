/** A liveness session that an external biometric server carries out, from its order to the verdict, over real sockets. */
import { request } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { documentForm } from '../../support/app.ts'
import {
  CALLBACK_SECRET,
  replyWith,
  saySomethingNever,
  startBiometricServer,
  type BiometricServerStub,
} from '../../support/biometric-server.ts'
import { startClockedApp, type ClockedApp } from './clocked-app.ts'
import { aPassport, picture } from './scripted-vision.ts'

const MINUTE_MS = 60_000
const ADA = picture({ shows: 'person', face: 'A' })
const LIVE = { outcome: 'passed', score: 0.97, threshold: 0.9, image: ADA }

let stub: BiometricServerStub
let client: ClockedApp
beforeEach(async () => {
  stub = await startBiometricServer()
  client = await startClockedApp({
    config: {
      rateLimits: { relyingServicePerMinute: 10_000 },
      connectors: {
        biometrics: {
          url: stub.url,
          allowHttp: true,
          tokenFile: 'biometrics.token',
          callbackSecretFile: 'biometrics.secret',
          timeoutMs: 300,
          livenessTypes: ['LIVENESS_PASSIVE_VIDEO', 'LIVENESS_ACTIVE'],
          publicUrl: 'https://kiosk.example:8717',
        },
      },
    },
    files: { 'biometrics.token': 'biometric-token\n', 'biometrics.secret': `${CALLBACK_SECRET}\n` },
    startsAt: new Date(),
  })
})
afterEach(async () => {
  await client.close()
  await stub.close()
})

const path = (id: string) => `/v1/identities/${id}/attributes/portrait/capture-session`
const open = async (id: string, payload: object = { type: 'LIVENESS_ACTIVE', nbChallenge: 3 }) =>
  client.ask('PortraitSessionAnswer', 'POST', path(id), { payload })
const portraitOf = async (id: string) => {
  const { portrait } = await client.ask('Identity', 'GET', `/v1/identities/${id}`)
  return portrait?.evidenceStatus
}
/** To the address of this test's appliance, which the order's public one stands for. */
const callBack: BiometricServerStub['callBack'] = (sessionId, options = {}) =>
  stub.callBack(sessionId, {
    to: `${client.app.url}/capture/callbacks/biometrics`,
    at: client.now(),
    ...options,
  })
const storedOf = (sessionId: string) => client.app.appliance.store.captureSessions.find(sessionId)
const contentOf = (evidenceId: string) => client.app.appliance.store.evidences.find(evidenceId)?.content
const templatesOf = (id: string) => client.app.appliance.store.erasures.countRows(id).face_templates ?? 0
const eventsOf = (id: string) =>
  client.app.appliance.store.events
    .after(0, 10_000)
    .filter(({ identityId }) => identityId === id)
    .map(({ type, body }) => [type, body])

async function aSession(payload?: object) {
  const id = await client.anIdentity(['ID_DOCUMENT', 'PORTRAIT'])
  const { sessionId, id: evidenceId } = await open(id, payload)
  return { id, sessionId, evidenceId }
}

describe('a session that is left to the biometric server', () => {
  test('has the server’s id, is ordered without a word of the person, and is not captured here', async () => {
    const { id, sessionId } = await aSession()
    expect([...stub.sessions.keys()]).toEqual([sessionId])
    const order = JSON.stringify(stub.requests[0]?.json)
    expect(order).toContain('"type":"LIVENESS_ACTIVE"')
    expect(order).not.toContain(id)
    expect(storedOf(sessionId)?.state).toBe('OPEN')
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/portrait/begin'],
      ['POST', '/portrait/frame'],
      ['POST', '/video'],
    ] as const) {
      const answer = await client.app.call(method, `/capture/sessions/${sessionId}${rest}`, { key: null })
      expect([method, rest, answer.status]).toEqual([method, rest, 404])
    }
    expect(storedOf(sessionId)?.state).toBe('OPEN')
  })

  test('that ends live brings picture and record, which the pipeline judges, and is deleted there', async () => {
    const { id, sessionId, evidenceId } = await aSession()
    stub.finish(sessionId, LIVE)
    expect((await callBack(sessionId)).status).toBe(204)
    await client.endJobs(id)
    expect(contentOf(evidenceId)?.liveness).toEqual({
      source: 'external',
      livenessType: 'LIVENESS_ACTIVE',
      securityLevel: 'MEDIUM',
      service: 'Stub',
      serviceVersion: '7.1',
      stops: [],
      outcome: 'passed',
      score: 0.97,
      threshold: 0.9,
    })
    expect(await portraitOf(id)).toMatchObject({ status: 'NOT_VERIFIED', errors: [] })
    expect((await portraitOf(id))?.positiveIndicators).toContain('BIOMETRIC_LIVENESS_OK')
    expect(storedOf(sessionId)?.state).toBe('DONE')
    expect(templatesOf(id)).toBe(1)
    const kinds = client.app.appliance.store.images.listByEvidence(evidenceId).map(({ kind }) => kind)
    expect(kinds.sort()).toEqual(['DOCUMENT_CROP', 'PORTRAIT'])
    expect(stub.sessions.size).toBe(0)
    const call = { connector: 'biometrics', evidenceId, values: [], trouble: null, tries: 1 }
    const calls = eventsOf(id).filter(([type]) => type === 'service.called')
    expect(calls.map(([, body]) => body)).toMatchObject([call, call])
    const kept = await client.app.call('GET', `/v1/identities/${id}/attributes/portrait/capture`)
    expect(Buffer.from(await kept.arrayBuffer()).includes(Buffer.from(ADA))).toBe(true)

    const body = documentForm(aPassport())
    await client.ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents/capture`, { body })
    await client.endJobs(id)
    expect(await portraitOf(id)).toMatchObject({ status: 'VERIFIED', errors: [] })
    expect(JSON.stringify(eventsOf(id))).not.toContain(sessionId)
    expect(client.app.log()).not.toContain(sessionId)
  })

  test.each([
    ['failed', { outcome: 'failed', score: 0.1, threshold: 0.9, image: ADA }, '1611'],
    ['failed, without a picture', { outcome: 'failed' }, '1611'],
    ['out of time', { outcome: 'timeout' }, '1609'],
    ['by a fault there', { outcome: 'technical' }, '1610'],
    ['undecided', { outcome: 'inconclusive', image: ADA }, '1610'],
  ])('that ends %s is not verified', async (_name, outcome, code) => {
    const { id, sessionId } = await aSession()
    stub.finish(sessionId, outcome)
    await callBack(sessionId)
    await client.endJobs(id)
    const status = await portraitOf(id)
    expect(status).toMatchObject({ status: 'NOT_VERIFIED', score: 'LEVEL0' })
    expect(status?.errors?.map((error) => error.code)).toContain(code)
    expect(status?.positiveIndicators).not.toContain('BIOMETRIC_LIVENESS_OK')
    // A face without presence gets no template.
    expect(templatesOf(id)).toBe(0)
  })

  test('and a kind that is not left to it is carried out here', async () => {
    const { sessionId } = await aSession({ type: 'LIVENESS_PASSIVE' })
    expect(stub.requests).toEqual([])
    expect((await client.app.call('GET', `/capture/sessions/${sessionId}`, { key: null })).status).toBe(200)
  })

  test('survives a restart of the appliance', async () => {
    const { id, sessionId } = await aSession()
    await client.restart()
    expect(storedOf(sessionId)?.state).toBe('OPEN')
    stub.finish(sessionId, LIVE)
    await callBack(sessionId)
    await client.endJobs(id)
    expect(storedOf(sessionId)?.state).toBe('DONE')
  })

  test('whose end was told is fetched after a restart that came in between', async () => {
    const { id, sessionId } = await aSession()
    stub.finish(sessionId, LIVE)
    stub.reply(({ method }) => (method === 'GET' ? replyWith(503) : undefined))
    await callBack(sessionId)
    await client.restart()
    expect(storedOf(sessionId)?.state).toBe('OPEN')
    stub.reply(null)
    await client.endJobs(id)
    expect(storedOf(sessionId)?.state).toBe('DONE')
    expect(eventsOf(id).filter(([type]) => type === 'session.ended')).toHaveLength(1)
  })

  test('goes with its identity, and nothing is fetched for one that was erased', async () => {
    const { id, sessionId } = await aSession()
    stub.finish(sessionId, LIVE)
    stub.reply(({ method }) => (method === 'GET' ? replyWith(503) : undefined))
    await callBack(sessionId)
    expect((await client.app.call('DELETE', `/v1/identities/${id}`)).status).toBe(204)
    stub.reply(null)
    await client.endJobs(id)
    expect(client.app.appliance.store.erasures.countRows(id)).toEqual({})
    expect(client.app.appliance.store.jobs.failed()).toBe(0)
  })

  test('that the relying service cancels is deleted there, and a callback afterwards changes nothing', async () => {
    const { id, sessionId } = await aSession()
    const cancel = `/v1/identities/${id}/attributes/portrait/live-capture-session/${sessionId}`
    stub.finish(sessionId, LIVE)
    expect((await client.app.call('DELETE', cancel)).status).toBe(204)
    await expect.poll(() => stub.sessions.size).toBe(0)
    expect((await callBack(sessionId)).status).toBe(204)
    await client.endJobs(id)
    expect(await portraitOf(id)).toMatchObject({ errors: [{ code: '1611' }], positiveIndicators: [] })
  })
})

describe('a callback', () => {
  test('that comes again, at the same time, under another id or after a restart, is taken and changes nothing', async () => {
    const { id, sessionId } = await aSession()
    stub.finish(sessionId, LIVE)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => callBack(sessionId, { id: 'msg_same' })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 204))
    expect((await callBack(sessionId, { id: 'msg_other' })).status).toBe(204)
    await client.endJobs(id)
    const before = eventsOf(id)
    expect(before.filter(([type]) => type === 'session.ended')).toHaveLength(1)
    await client.restart()
    expect((await callBack(sessionId, { id: 'msg_same' })).status).toBe(204)
    expect((await callBack(sessionId, { id: 'msg_third' })).status).toBe(204)
    await client.endJobs(id)
    expect(eventsOf(id)).toEqual(before)
    // The same repeat is taken, too, when the identity is gone: the sender need not send it a third time.
    await client.app.call('DELETE', `/v1/identities/${id}`)
    expect((await callBack(sessionId, { id: 'msg_same' })).status).toBe(204)
    expect((await callBack(sessionId, { id: 'msg_new' })).status).toBe(404)
  })

  test.each([
    ['signed with another secret', { secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }, 401],
    ['six minutes old', { at: new Date(Date.now() - 6 * MINUTE_MS) }, 401],
    ['of no JSON', { body: 'not json' }, 400],
    ['of another shape', { body: '{"type":"session.completed","data":{"sessionId":"../.."}}' }, 400],
    ['of an event that this version does not know', { type: 'session.renamed' }, 204],
  ])('%s changes nothing', async (_name, options, status) => {
    const { id, sessionId } = await aSession()
    const before = eventsOf(id)
    stub.finish(sessionId, LIVE)
    expect((await callBack(sessionId, options)).status).toBe(status)
    expect(client.app.appliance.store.jobs.open(id)).toBe(0)
    expect(eventsOf(id)).toEqual(before)
    expect((await portraitOf(id))?.status).toBe('PROCESSING')
    // It has used up nothing: the right one is taken.
    expect((await callBack(sessionId)).status).toBe(204)
    await client.endJobs(id)
    expect(storedOf(sessionId)?.state).toBe('DONE')
  })

  test('without a signature is refused, and so is every other method and path', async () => {
    const at = '/capture/callbacks/biometrics'
    expect((await client.app.call('POST', at, { key: null, payload: {} })).status).toBe(401)
    expect((await client.app.call('GET', at, { key: null })).status).toBe(405)
    expect((await client.app.call('POST', '/capture/callbacks/other', { key: null })).status).toBe(404)
    expect((await client.app.call('POST', at, { key: null, body: 'x'.repeat(10_000) })).status).toBe(413)
  })

  test('for a session that was not delegated is not found, also one of the appliance itself', async () => {
    const { sessionId } = await aSession({ type: 'LIVENESS_PASSIVE' })
    expect((await callBack(sessionId)).status).toBe(404)
    expect(storedOf(sessionId)?.state).toBe('OPEN')
    expect((await callBack('01234567-89ab-4cde-8f01-23456789abcd')).status).toBe(404)
  })

  test('comes in under the public name alone; the rest of the server does not answer to it', async () => {
    const statusAs = (host: string, at: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const { hostname, port } = new URL(client.app.url)
        request({ hostname, port, path: at, method: 'POST', headers: { host } }, (res) => {
          res.resume()
          resolve(res.statusCode)
        })
          .on('error', reject)
          .end()
      })
    expect(await statusAs('kiosk.example:8717', '/capture/callbacks/biometrics')).toBe(401)
    expect(await statusAs('evil.example', '/capture/callbacks/biometrics')).toBe(403)
    expect(await statusAs('kiosk.example:8717', '/v1/identities')).toBe(403)
  })
})

describe('when the biometric server', () => {
  const fails = async () => {
    const id = await client.anIdentity(['PORTRAIT'])
    const { status, errors } = await client.refusal('POST', path(id), { payload: {} })
    const identity = await client.ask('Identity', 'GET', `/v1/identities/${id}`)
    return { status, codes: errors.map(({ code }) => code), begun: identity.portrait !== undefined }
  }

  test.each([
    ['is down', () => replyWith(503), '1021'],
    ['does not answer', () => saySomethingNever, '1021'],
    ['sends an answer that cannot be parsed', () => replyWith(200, 'hello'), '1021'],
    ['refuses our token', () => replyWith(403), '1033'],
  ])('%s, no session is opened and nothing is begun', async (_name, reply, code) => {
    stub.reply(reply)
    expect(await fails()).toEqual({ status: 503, codes: [code], begun: false })
  })

  test('gives out an id that it gave before, no session is opened', async () => {
    const { sessionId } = await aSession()
    stub.reply(() => replyWith(201, JSON.stringify({ sessionId })))
    expect(await fails()).toEqual({ status: 503, codes: ['1021'], begun: false })
  })

  const afterCallback = async (reply: () => ReturnType<typeof replyWith>) => {
    const { id, sessionId, evidenceId } = await aSession()
    stub.finish(sessionId, LIVE)
    stub.reply(({ method }) => (method === 'GET' ? reply() : undefined))
    await callBack(sessionId)
    await client.endJobs(id)
    return { id, sessionId, evidenceId }
  }
  const asked = () => stub.requests.filter(({ path: at }) => at.endsWith('/result')).length

  test('cannot be reached for the result, it is asked five times, with growing pauses, then 1021', async () => {
    const { id } = await afterCallback(() => replyWith(503))
    expect(asked()).toBe(5)
    expect(await portraitOf(id)).toMatchObject({
      status: 'NOT_VERIFIED',
      errors: [{ code: '1021' }],
      unverifiedIndicators: ['BIOMETRIC_LIVENESS_UNVERIFIED'],
    })
  })

  test('sends an unusable answer, the appliance asks again, then reports 1610', async () => {
    const { id } = await afterCallback(() => replyWith(200, '{"outcome":"passed"}'))
    expect(asked()).toBe(5)
    expect(await portraitOf(id)).toMatchObject({ status: 'NOT_VERIFIED', errors: [{ code: '1610' }] })
  })

  test('refuses our token when it is asked for the result, it is 1033 at once', async () => {
    const { id, sessionId } = await afterCallback(() => replyWith(401))
    expect(asked()).toBe(1)
    expect(await portraitOf(id)).toMatchObject({ status: 'NOT_VERIFIED', errors: [{ code: '1033' }] })
    expect(storedOf(sessionId)?.state).toBe('FAILED')
  })

  test('comes back between two tries, the result counts, though the time of the session is over', async () => {
    const { id, sessionId } = await aSession()
    stub.finish(sessionId, LIVE)
    let left = 3
    stub.reply(({ method }) => (method === 'GET' && left-- > 0 ? replyWith(502) : undefined))
    await callBack(sessionId)
    await client.passTime(5 * MINUTE_MS)
    await client.endJobs(id)
    expect(storedOf(sessionId)?.state).toBe('DONE')
    expect((await portraitOf(id))?.positiveIndicators).toContain('BIOMETRIC_LIVENESS_OK')
  })

  test('sends a picture that is none, it is 1610, and none is kept', async () => {
    const { id, sessionId, evidenceId } = await aSession()
    stub.finish(sessionId, { ...LIVE, image: picture({ shows: 'garbage' }) })
    await callBack(sessionId)
    await client.endJobs(id)
    expect(await portraitOf(id)).toMatchObject({ status: 'NOT_VERIFIED', errors: [{ code: '1610' }] })
    expect(client.app.appliance.store.images.listByEvidence(evidenceId)).toEqual([])
  })

  test('never calls back, the session ends by the clock with 1609, and a callback is too late', async () => {
    const { id, sessionId } = await aSession()
    stub.finish(sessionId, LIVE)
    await client.passTime(2 * MINUTE_MS)
    const ended = await portraitOf(id)
    expect(ended).toMatchObject({ status: 'NOT_VERIFIED', errors: [{ code: '1609' }] })
    expect((await callBack(sessionId)).status).toBe(204)
    await client.endJobs(id)
    expect(await portraitOf(id)).toEqual(ended)
  })

  test('calls back when the consent was taken back, nothing is fetched', async () => {
    const { id, sessionId } = await aSession()
    stub.finish(sessionId, LIVE)
    await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, {
      payload: [{ type: 'PORTRAIT', approved: false }],
    })
    await callBack(sessionId)
    await client.endJobs(id)
    expect(asked()).toBe(0)
    expect(storedOf(sessionId)?.state).toBe('CANCELLED')
    expect((await portraitOf(id))?.unverifiedIndicators).toEqual(['CONSENT_UNVERIFIED'])
  })

  test('is in the health report', async () => {
    const health = async () => {
      const { body } = await client.app.json('GET', '/healthcheck', { key: null })
      return (body as { components: Record<string, { status: string; detail?: string }> }).components
        .biometrics
    }
    expect(await health()).toMatchObject({ status: 'UP', detail: 'configured' })
    stub.reply(() => replyWith(503))
    await fails()
    expect(await health()).toMatchObject({
      status: 'DEGRADED',
      detail: expect.stringContaining('HTTP 503') as string,
    })
  })
})
