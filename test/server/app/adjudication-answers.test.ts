/** An adjudication service outside: by its own key, and by signed callbacks over a real socket. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ANSWER_SECRET_FILE,
  ANSWERS_CONFIG,
  sendAnswer,
  type AnswerOptions,
} from '../../support/adjudication-service.ts'
import { startDesk, type Desk } from './adjudicators.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const SERVICE = 'Second Look Ltd'

let desk: Desk
beforeAll(async () => {
  desk = await startDesk(
    {
      rateLimits: { relyingServicePerMinute: 100_000 },
      tenant: {
        id: 'default',
        name: 'First run',
        mode: 'test',
        policy: 'eidas',
        features: { pauseResume: true },
        adjudication: { service: { application: SERVICE } },
      },
      connectors: { adjudication: ANSWERS_CONFIG },
    },
    ANSWER_SECRET_FILE,
  )
})
afterAll(() => desk.app.close())

const REJECTED = { decision: 'REJECTED', reason: 'DOCUMENT_TAMPERED', adjudicator: 'expert.7' }
const answer = async (data: object, options: AnswerOptions = {}) => {
  const response = await sendAnswer(desk.app.url, data, { at: desk.now(), ...options })
  const text = await response.text()
  const problem = text === '' ? null : (JSON.parse(text) as { type: string })
  return { status: response.status, code: problem?.type.split(':').at(-1) }
}
const documentOf = async (id: string) => (await desk.identity(id)).idDocuments[0]?.evidenceStatus

describe('an answer of the service', () => {
  test('decides, is put down to the service, and is told to the log', async () => {
    const { id, evidenceId, adjudicationId } = await desk.aDocumentCase()
    expect(await answer({ adjudicationId, ...REJECTED })).toEqual({ status: 204 })
    expect(await documentOf(id)).toMatchObject({ status: 'INVALID' })
    const { decisions } = await desk.ask('DeskCase', 'GET', `/v1/adjudications/${adjudicationId}`)
    expect(decisions).toMatchObject([
      { decision: 'REJECTED', adjudicator: { id: 'expert.7', kind: 'SERVICE' } },
    ])
    const told = desk.events(id).filter(([type]) => type.startsWith('adjudication.'))
    expect(told.slice(1)).toEqual([
      ['adjudication.claimed', { evidenceId, adjudicationId }],
      [
        'adjudication.decided',
        { evidenceId, adjudicationId, status: 'REJECTED', reason: 'DOCUMENT_TAMPERED' },
      ],
    ])
    const { events } = desk.app.appliance.store
    const by = events
      .after(0, 100_000)
      .find((event) => event.identityId === id && event.type === 'adjudication.decided')
    expect(by?.actor).toMatch(/^RELYING_SERVICE:[0-9a-f-]{36}$/)
  })

  test('is carried out once: the same callback again is refused, by the disk after a restart too', async () => {
    const { id, adjudicationId } = await desk.aDocumentCase()
    const unsure = {
      adjudicationId,
      decision: 'UNSURE',
      reason: 'SPECIALIST_NEEDED',
      adjudicator: 'expert.7',
    }
    expect(await answer(unsure, { id: 'msg_1' })).toEqual({ status: 204 })
    const repeated = { status: 409, code: 'callback_repeated' }
    expect(await answer(unsure, { id: 'msg_1' })).toEqual(repeated)
    await desk.restart()
    expect(await answer({ adjudicationId, ...REJECTED }, { id: 'msg_1' })).toEqual(repeated)
    expect(await desk.statusOf(adjudicationId)).toBe('UNSURE')
    expect(desk.events(id).filter(([type]) => type === 'adjudication.decided')).toHaveLength(1)
  })

  test('of a hundred at once, the same or others, exactly one is carried out', async () => {
    const { adjudicationId } = await desk.aDocumentCase()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        answer({ adjudicationId, ...REJECTED }, { id: `msg_many_${n % 4}` }),
      ),
    )
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    for (const { status } of answers) expect([204, 409]).toContain(status)
    expect(desk.app.appliance.store.adjudicationDecisions.list(adjudicationId)).toHaveLength(1)
  })

  test('counts as one adjudicator, whichever expert gave it: a second expert of the service is not four eyes', async () => {
    const { id, adjudicationId } = await desk.aDocumentCase()
    const accepted = { adjudicationId, decision: 'ACCEPTED', reason: 'DATA_LEGIBLE_TO_EYE' }
    expect(await answer({ ...accepted, adjudicator: 'expert.7' })).toEqual({ status: 204 })
    expect(await desk.statusOf(adjudicationId)).toBe('UNSURE')
    expect(await answer({ ...accepted, adjudicator: 'expert.8' })).toEqual({
      status: 403,
      code: 'adjudicator_decided',
    })
    await desk.decide(adjudicationId, 'anna', 'ACCEPTED', 'DATA_LEGIBLE_TO_EYE')
    expect(await documentOf(id)).toMatchObject({ status: 'VERIFIED' })
  })

  test('is refused while a person of ours looks at it, and taken afterwards', async () => {
    const { adjudicationId } = await desk.aDocumentCase()
    await desk.claim(adjudicationId, 'anna')
    const sent = { id: 'msg_waits' }
    expect(await answer({ adjudicationId, ...REJECTED }, sent)).toEqual({
      status: 409,
      code: 'adjudication_claimed',
    })
    await desk.release(adjudicationId, 'anna')
    expect(await answer({ adjudicationId, ...REJECTED }, sent)).toEqual({ status: 204 })
  })

  test('that comes too late is told so, and changes nothing', async () => {
    const { id, adjudicationId } = await desk.aDocumentCase()
    await desk.passTime(48 * HOUR_MS)
    const found = await documentOf(id)
    expect(await answer({ adjudicationId, ...REJECTED })).toEqual({ status: 409, code: 'adjudication_ended' })
    expect(await documentOf(id)).toEqual(found)
  })

  test('may be that it could not look: ERROR, and what the machine had found stays', async () => {
    const { id, evidenceId, adjudicationId } = await desk.aDocumentCase()
    expect(await answer({ adjudicationId, decision: 'ERROR' })).toEqual({ status: 204 })
    const document = await documentOf(id)
    expect(document).toMatchObject({ status: 'NOT_VERIFIED', isAdjudicable: true })
    expect(document?.unverifiedIndicators).toContain('ADJUDICATION_UNVERIFIED')
    const shown = await desk.ask(
      'AdjudicationAnswer',
      'GET',
      `/v1/identities/${id}/adjudications/${evidenceId}`,
    )
    expect(shown).toMatchObject({ status: 'ERROR', errors: [{ code: '1597' }] })
    expect(await answer({ adjudicationId, ...REJECTED })).toMatchObject({ code: 'adjudication_ended' })
    await desk.ask('AdjudicationAnswer', 'POST', `/v1/identities/${id}/adjudications/${evidenceId}`)
    expect((await documentOf(id))?.unverifiedIndicators).not.toContain('ADJUDICATION_UNVERIFIED')
  })

  test('resumes an identity that was paused for it', async () => {
    const id = await desk.anIdentity()
    await desk.passTime(70 * HOUR_MS)
    const { evidenceId, adjudicationId } = await desk.documentCaseOf(id)
    await desk.passTime(2 * HOUR_MS)
    expect((await desk.identity(id)).globalStatus.status).toBe('PAUSED')
    expect(await answer({ adjudicationId, ...REJECTED })).toEqual({ status: 204 })
    expect((await desk.identity(id)).globalStatus.status).toBe('EXPECTING_INPUT')
    expect(desk.events(id).filter(([type]) => type === 'identity.resumed')).toHaveLength(1)
    expect(evidenceId).not.toBe('')
  })
})

describe('what is no answer of the service', () => {
  let adjudicationId: string
  beforeAll(async () => {
    ;({ adjudicationId } = await desk.aDocumentCase())
  })
  const body = () => JSON.stringify({ type: 'adjudication.answered', data: { adjudicationId, ...REJECTED } })

  test.each<readonly [string, () => AnswerOptions, number, string]>([
    [
      'a signature of another secret',
      () => ({ secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }),
      401,
      'callback_refused',
    ],
    [
      'a signature of six minutes ago',
      () => ({ at: new Date(desk.now().getTime() - 6 * MINUTE_MS) }),
      401,
      'callback_refused',
    ],
    [
      'a signature from the future',
      () => ({ at: new Date(desk.now().getTime() + 6 * MINUTE_MS) }),
      401,
      'callback_refused',
    ],
    ['no JSON', () => ({ body: 'REJECTED' }), 400, 'malformed_body'],
    ['an unknown decision', () => ({ body: body().replace('REJECTED', 'PERHAPS') }), 400, 'malformed_body'],
    [
      'an adjudicator with a name',
      () => ({ body: body().replace('expert.7', 'Anna Smith') }),
      400,
      'malformed_body',
    ],
    [
      'a reason of no catalogue',
      () => ({ body: body().replace('DOCUMENT_TAMPERED', 'NOT_LIKED') }),
      400,
      'validation_failed',
    ],
    [
      'an unknown request',
      () => ({ body: body().replace(adjudicationId, '01890a5d-ac96-774b-bcce-b302099a8059') }),
      404,
      'not_found',
    ],
  ])('%s is refused', async (_, options, status, code) => {
    expect(await answer({}, { body: body(), ...options() })).toEqual({ status, code })
    expect(await desk.statusOf(adjudicationId)).toBe('TO_PROCESS')
  })

  test('a body that was changed after it was signed is refused', async () => {
    const response = await fetch(`${desk.app.url}/capture/callbacks/adjudication`, {
      method: 'POST',
      headers: {
        'webhook-id': 'msg_x',
        'webhook-timestamp': String(Math.floor(desk.now().getTime() / 1000)),
        'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
      },
      body: body(),
    })
    expect(response.status).toBe(401)
  })

  test('an event of another type is taken and passed over', async () => {
    expect(await answer({ adjudicationId }, { type: 'adjudication.seen' })).toEqual({ status: 204 })
    expect(await desk.statusOf(adjudicationId)).toBe('TO_PROCESS')
  })

  test('another method, or another path, is told so', async () => {
    const at = `${desk.app.url}/capture/callbacks`
    expect((await fetch(`${at}/adjudication`)).status).toBe(405)
    expect((await fetch(`${at}/adjudications`, { method: 'POST' })).status).toBe(404)
  })
})

describe('the service by its own key', () => {
  test('decides as a service, whatever it calls itself, and never as staff', async () => {
    const { store } = desk.app.appliance
    const key = store.apiKeys.createPair('default', SERVICE, new Date()).relyingServiceKey
    const { adjudicationId } = await desk.aDocumentCase()
    const at = (what: string) => `/v1/adjudications/${adjudicationId}/${what}`
    const claimed = await desk.claim(adjudicationId, 'anna', { key })
    expect(claimed.claimedBy).toEqual({ id: 'anna', kind: 'SERVICE' })
    const payload = { adjudicator: 'anna', decision: 'ACCEPTED', reason: 'DATA_LEGIBLE_TO_EYE' }
    await desk.ask('DecisionAnswer', 'POST', at('decision'), { key, payload })
    const second = { key, payload: { adjudicator: 'ben' } }
    expect(await desk.refusal('POST', at('claim'), second)).toMatchObject({ code: 'adjudicator_decided' })
    // Nor may one of ours borrow the name that it used.
    expect(await desk.refusal('POST', at('claim'), { payload: { adjudicator: 'anna' } })).toMatchObject({
      code: 'adjudicator_decided',
    })
  })
})

test('the callback address does not exist if no adjudication service is configured', async () => {
  const without = await startDesk()
  try {
    const response = await sendAnswer(without.app.url, REJECTED)
    expect(response.status).toBe(404)
  } finally {
    await without.app.close()
  }
})

test('an invalid callback secret prevents the start', async () => {
  await expect(
    startDesk({ connectors: { adjudication: ANSWERS_CONFIG } }, { 'adjudication.secret': 'password\n' }),
  ).rejects.toMatchObject({
    code: 'configuration_invalid',
    details: { field: 'connectors.adjudication.callbackSecretFile' },
  })
})
