/** Whose number it is: a whole appliance with an SMS gateway and a simulated mobile operator, over real sockets. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  readSpecimenContracts,
  startOperator,
  type OperatorSimulator,
} from '../../../server/tools/simulator/operator.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { documentForm } from '../../support/app.ts'
import { openProof } from '../../support/opened-proof.ts'
import { SOON } from '../../support/soon.ts'
import { NUMBER, startPhoneApp, TOKEN, type PhoneApp } from './phone.ts'
import { HOLDER, HOLDER_PAGE, picture } from './scripted-vision.ts'

const passport = (holder: object = {}, page = HOLDER_PAGE) =>
  picture({ shows: 'document', lines: buildTd3({ ...HOLDER, ...holder }), face: 'A', page })
const ERIKSSON = { givenName: 'Anna Maria', familyName: 'Eriksson', birthdate: '1974-08-12' }
const CONTRACTS = [
  { phoneNumber: NUMBER, values: ERIKSSON },
  { phoneNumber: '+33639980102', values: { ...ERIKSSON, familyName: 'Sandström' } },
  { phoneNumber: '+33639980103', values: ERIKSSON, simChangedHours: 5 },
  { phoneNumber: '+33639980104', values: { givenName: 'Anna Maria', familyName: 'Eriksson' } },
]
const MINUTE_MS = 60_000
const CONSENTS = ['ID_DOCUMENT', 'MOBILE_OTP', 'MOBILE']

let simulator: OperatorSimulator
let phone: PhoneApp
beforeAll(async () => {
  simulator = await startOperator({ port: 0, contracts: [...CONTRACTS, ...readSpecimenContracts()] })
})
afterAll(() => simulator.close())
afterEach(() => phone.close())

async function start(): Promise<void> {
  simulator.setFault(null)
  const tokenUrl = `${simulator.url}/token`
  const operator = {
    url: simulator.url,
    allowHttp: true,
    timeoutMs: 500,
    oauth: { tokenUrl, clientId: 'branch', clientSecretFile: 'operator.secret' },
  }
  phone = await startPhoneApp({}, { connectors: { operator }, files: { 'operator.secret': 'secret' } })
}

const at = (id: string, path = '') => `/v1/identities/${id}/contact-details/mobile${path}`
async function mobileOf(id: string) {
  return (await phone.ask('MobileAnswer', 'GET', at(id))).contactDetails.mobile
}
async function submitDocument(id: string, image = passport()): Promise<void> {
  const path = `/v1/identities/${id}/id-documents/capture`
  await phone.ask('SingleStatus', 'POST', path, { body: documentForm(image) })
  await phone.app.runJobs()
}
async function enterCode(id: string, number = NUMBER): Promise<string> {
  const answer = await phone.ask('MobileSubmitAnswer', 'POST', at(id), { payload: { value: number } })
  await phone.app.runJobs()
  const payload = { value: phone.gateway.lastCode() }
  expect((await phone.app.call('POST', at(id, '/otp'), { payload })).status).toBe(204)
  return answer.id ?? ''
}
const evidenceOf = (evidenceId: string) => phone.app.appliance.store.evidences.find(evidenceId)

describe('a number whose code was entered', () => {
  test('is verified if the operator confirms the verified person; until then no proof is sealed', async () => {
    await start()
    const id = await phone.anIdentity(CONSENTS)
    await submitDocument(id)
    const evidenceId = await enterCode(id)
    await phone.app.runJobs()
    expect(await mobileOf(id)).toMatchObject({ verified: true, otp: { status: 'DONE' }, errors: [] })
    expect(evidenceOf(evidenceId)).toMatchObject({
      status: 'VERIFIED',
      score: 'LEVEL1',
      evaluation: {
        positiveIndicators: ['MOBILE_OTP_OK', 'MOBILE_OWNERSHIP_OK', 'MOBILE_SIM_SWAP_OK'],
        unverifiedIndicators: [],
      },
    })
    const last = simulator.requests.findLast(({ path }) => path.endsWith('/match'))
    expect(JSON.parse(last?.body ?? '')).toEqual({
      phoneNumber: NUMBER,
      givenName: 'ANNA MARIA',
      familyName: 'ERIKSSON',
      birthdate: '1974-08-12',
    })
    const { details, files } = await openProof(phone.app, id)
    const identity = Buffer.from(files.get('identityDetails.json') ?? []).toString('utf8')
    expect(JSON.parse(identity)).toMatchObject({ contactDetails: { mobile: { verified: true } } })
    expect(JSON.stringify(details)).toContain('"operatorAgrees":"givenName familyName birthdate"')
  })

  test('is not verified if the operator has another person; the code counts', async () => {
    await start()
    const id = await phone.anIdentity(CONSENTS)
    await submitDocument(id)
    const evidenceId = await enterCode(id, '+33639980102')
    await phone.app.runJobs()
    expect(await mobileOf(id)).toMatchObject({ verified: false, errors: [] })
    expect(evidenceOf(evidenceId)).toMatchObject({
      status: 'VERIFIED',
      evaluation: { warningIndicators: ['MOBILE_OWNERSHIP_WARNING'] },
    })
  })

  // @clause NIST-63A-4/3.2.1-checks
  test('counts no longer if its SIM was changed lately', async () => {
    await start()
    const id = await phone.anIdentity(CONSENTS)
    await submitDocument(id)
    const evidenceId = await enterCode(id, '+33639980103')
    await phone.app.runJobs()
    expect((await mobileOf(id)).verified).toBe(false)
    expect(evidenceOf(evidenceId)).toMatchObject({
      status: 'NOT_VERIFIED',
      score: 'LEVEL0',
      evaluation: {
        positiveIndicators: ['MOBILE_OTP_OK', 'MOBILE_OWNERSHIP_OK'],
        warningIndicators: ['MOBILE_SIM_SWAP_WARNING'],
        withheldBy: ['MOBILE_SIM_SWAP'],
      },
    })
    const reasons = {
      status: 'NOT_VERIFIED',
      warningIndicators: ['MOBILE_SIM_SWAP_WARNING'],
      unverifiedIndicators: [],
    }
    expect((await mobileOf(id)).counterproof).toEqual(reasons)
    const { contactDetails } = await phone.ask('Identity', 'GET', `/v1/identities/${id}`)
    expect(contactDetails?.mobile?.counterproof).toEqual(reasons)
    // An attacker must not learn why.
    const seen = await phone.ask('MobileAnswer', 'GET', at(id), { key: phone.app.userAgentKey })
    expect(seen.contactDetails.mobile).toMatchObject({ verified: false, errors: [] })
    expect(seen.contactDetails.mobile).not.toHaveProperty('counterproof')
  })

  test.each([
    ['does not know the number', '+33639989999', null, 'number-unknown'],
    ['does not know the birth date', '+33639980104', null, null],
    ['is out of order', NUMBER, 'error', 'unexpected-answer'],
    ['answers against the protocol', NUMBER, 'malformed', 'malformed'],
  ] as const)('is not verified if the operator %s', async (_why, number, fault, trouble) => {
    await start()
    const id = await phone.anIdentity(CONSENTS)
    await submitDocument(id)
    simulator.setFault(fault)
    const evidenceId = await enterCode(id, number)
    await phone.app.runJobs()
    expect((await mobileOf(id)).verified).toBe(false)
    const evidence = evidenceOf(evidenceId)
    expect(evidence).toMatchObject({ status: 'VERIFIED' })
    expect(evidence?.evaluation.unverifiedIndicators).toContain('MOBILE_OWNERSHIP_UNVERIFIED')
    const records = evidence ? phone.app.appliance.store.evidences.verification(evidence) : []
    const measured = records.flatMap(({ measurements }) => measurements).map((one) => one.measured)
    expect(measured.some(({ sourceTrouble }) => sourceTrouble === trouble)).toBe(trouble !== null)
    expect(phone.app.appliance.store.jobs.failed()).toBe(0)
  })

  test('is asked about when the document comes later', async () => {
    await start()
    const id = await phone.anIdentity(CONSENTS)
    const evidenceId = await enterCode(id)
    await phone.app.runJobs()
    expect(evidenceOf(evidenceId)?.evaluation.unverifiedIndicators).toEqual([
      'MOBILE_OWNERSHIP_UNVERIFIED',
      'SOURCE_REFERENCE_UNVERIFIED',
    ])
    await submitDocument(id)
    await phone.app.runJobs()
    expect((await mobileOf(id)).verified).toBe(true)
  })
})

test('a claimed number agrees with the confirmed one before and after the operator answered', async () => {
  await start()
  const id = await phone.anIdentity([...CONSENTS, 'ID_CLAIM'])
  await submitDocument(id)
  const payload = { contactDetails: { mobile: { value: NUMBER } } }
  await phone.ask('SingleStatus', 'POST', `/v1/identities/${id}/claim`, { payload })
  await phone.app.runJobs()
  const code = { value: phone.gateway.lastCode() }
  expect((await phone.app.call('POST', at(id, '/otp'), { payload: code })).status).toBe(204)
  await phone.app.runJobs()
  expect((await mobileOf(id)).verified).toBe(true)
  const { claim } = await phone.ask('Identity', 'GET', `/v1/identities/${id}`)
  expect(claim?.evidenceStatus?.positiveIndicators).toContain('CONTACT_MATCH_OK')
  expect(phone.app.appliance.store.jobs.open()).toBe(0)
})

describe('an operator that does not answer', () => {
  const callsOf = (id: string) =>
    phone.app.appliance.store.events
      .after(0, 1000)
      .filter(({ type, identityId }) => type === 'service.called' && identityId === id)
      .map(({ body }) => body as Record<string, unknown>)
      .filter(({ connector }) => connector === 'operator')
  const decisionsOf = (id: string) =>
    phone.app.appliance.store.events
      .after(0, 1000)
      .filter(({ type, identityId }) => type === 'evidence.decided' && identityId === id).length

  test('is asked again after each pause with the same request id, and its late answer verifies the number', async () => {
    await start()
    const id = await phone.anIdentity(CONSENTS)
    await submitDocument(id)
    simulator.setFault('malformed')
    const evidenceId = await enterCode(id)
    await phone.app.runJobs()
    const decisions = decisionsOf(id)
    await phone.passTime(MINUTE_MS)
    await phone.app.runJobs()
    expect((await mobileOf(id)).verified).toBe(false)
    expect(evidenceOf(evidenceId)?.status).toBe('VERIFIED')
    expect(decisionsOf(id)).toBe(decisions)
    simulator.setFault(null)
    await phone.passTime(4 * MINUTE_MS)
    await phone.app.runJobs()
    expect((await mobileOf(id)).verified).toBe(false)
    await phone.passTime(MINUTE_MS)
    await phone.app.runJobs()
    expect((await mobileOf(id)).verified).toBe(true)
    await phone.passTime(60 * MINUTE_MS)
    await phone.app.runJobs()

    const calls = callsOf(id)
    const person = ['phoneNumber', 'givenName', 'middleNames', 'surname', 'dateOfBirth']
    expect(calls.map(({ source, trouble, values }) => [source, trouble, values])).toEqual([
      ['kyc-match', 'malformed', person],
      ['sim-swap', 'malformed', ['phoneNumber']],
      ['kyc-match', 'malformed', person],
      ['sim-swap', 'malformed', ['phoneNumber']],
      ['kyc-match', null, person],
      ['sim-swap', null, ['phoneNumber']],
    ])
    expect(new Set(calls.map(({ requestId }) => requestId)).size).toBe(1)
    expect(calls.every((call) => call.evidenceId === evidenceId)).toBe(true)
    expect(JSON.stringify(calls)).not.toMatch(/eriksson|33639980001|1974/i)
    const { details } = await openProof(phone.app, id)
    expect(JSON.stringify(details)).toContain('"serviceName":"operator/kyc-match"')
  })

  test('is not asked again after the consent was withdrawn or the number replaced, and not for ever', async () => {
    await start()
    const [withdrawn, replaced, tired] = [
      await phone.anIdentity(CONSENTS),
      await phone.anIdentity(CONSENTS),
      await phone.anIdentity(CONSENTS),
    ]
    simulator.setFault('malformed')
    const numbers = ['+33639980401', '+33639980402', '+33639980403']
    const evidenceIds: string[] = []
    for (const [index, id] of [withdrawn, replaced, tired].entries()) {
      await submitDocument(id)
      evidenceIds.push(await enterCode(id, numbers[index]))
      await phone.app.runJobs()
    }
    const payload = [{ type: 'MOBILE', approved: false }]
    await phone.ask('ConsentList', 'POST', `/v1/identities/${withdrawn}/consents`, { payload })
    expect(evidenceOf(evidenceIds[0])?.evaluation.unverifiedIndicators).toContain('SOURCE_CONSENT_UNVERIFIED')
    await phone.ask('MobileSubmitAnswer', 'POST', at(replaced), { payload: { value: '+33639980404' } })
    for (let pass = 0; pass < 10; pass++) {
      await phone.passTime(240 * MINUTE_MS)
      await phone.app.runJobs()
    }
    const asked = (id: string) => callsOf(id).length / 2
    expect([withdrawn, replaced, tired].map(asked)).toEqual([1, 1, 6])
    expect(phone.app.appliance.store.jobs.failed()).toBe(0)
  })

  test('names the present obstacle where no document states a name yet, whenever the consent comes or goes', async () => {
    await start()
    const id = await phone.anIdentity(['MOBILE_OTP', 'ID_DOCUMENT'])
    const evidenceId = await enterCode(id, '+33639980410')
    await phone.app.runJobs()
    const reason = () => evidenceOf(evidenceId)?.evaluation.unverifiedIndicators.at(-1)
    const say = (approved: boolean) =>
      phone.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, {
        payload: [{ type: 'MOBILE', approved }],
      })
    expect(reason()).toBe('SOURCE_CONSENT_UNVERIFIED')
    await say(true)
    expect(reason()).toBe('SOURCE_REFERENCE_UNVERIFIED')
    await say(false)
    expect(reason()).toBe('SOURCE_CONSENT_UNVERIFIED')
  })

  test('about the SIM alone leaves the number unverified; that it was changed counts at once', async () => {
    await start()
    const id = await phone.anIdentity(CONSENTS)
    await submitDocument(id)
    simulator.setFault('unasked')
    const evidenceId = await enterCode(id, '+33639980103')
    await phone.app.runJobs()
    expect(evidenceOf(evidenceId)).toMatchObject({
      status: 'NOT_VERIFIED',
      evaluation: {
        withheldBy: ['MOBILE_SIM_SWAP'],
        unverifiedIndicators: ['MOBILE_OWNERSHIP_UNVERIFIED', 'SOURCE_ANSWER_UNVERIFIED'],
      },
    })
    simulator.setFault(null)
    await phone.passTime(MINUTE_MS)
    await phone.app.runJobs()
    expect(evidenceOf(evidenceId)).toMatchObject({
      status: 'NOT_VERIFIED',
      evaluation: { positiveIndicators: ['MOBILE_OTP_OK', 'MOBILE_OWNERSHIP_OK'] },
    })
  })
})

describe('the operator is not asked', () => {
  test('without the consent MOBILE, and is asked once it is given', async () => {
    await start()
    const before = simulator.requests.length
    const id = await phone.anIdentity(['ID_DOCUMENT', 'MOBILE_OTP'])
    await submitDocument(id)
    await enterCode(id)
    await phone.app.runJobs()
    expect(simulator.requests.length).toBe(before)
    expect((await mobileOf(id)).verified).toBe(false)
    const payload = [{ type: 'MOBILE', approved: true }]
    await phone.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
    await phone.app.runJobs()
    expect((await mobileOf(id)).verified).toBe(true)
  })

  test('before the code was entered, or without a verified document', async () => {
    await start()
    const before = simulator.requests.length
    const id = await phone.anIdentity(CONSENTS)
    await phone.ask('MobileSubmitAnswer', 'POST', at(id), { payload: { value: NUMBER } })
    await submitDocument(id)
    const other = await phone.anIdentity(CONSENTS)
    await enterCode(other)
    await phone.app.runJobs()
    expect(simulator.requests.length).toBe(before)
  })
})

test('an appliance that is stopped while it asks keeps the number open, and asks again once it is back', async () => {
  await start()
  const id = await phone.anIdentity(CONSENTS)
  await submitDocument(id)
  simulator.setFault('silent')
  const before = simulator.requests.length
  const evidenceId = await enterCode(id)
  await vi.waitFor(() => expect(simulator.requests.length).toBeGreaterThan(before), SOON)
  expect(evidenceOf(evidenceId)).toMatchObject({ status: 'PROCESSING' })
  const proof = await phone.refusal('GET', `/v1/identities/${id}/proof`)
  expect(proof).toMatchObject({ status: 403, code: 'identity_processing' })
  await phone.app.stop()
  simulator.setFault(null)
  await phone.restart()
  await phone.endJobs(id)
  expect(evidenceOf(evidenceId)?.status).not.toBe('PROCESSING')
})

test('an identity that is erased while the operator is asked takes everything along', async () => {
  await start()
  const id = await phone.anIdentity(CONSENTS)
  await submitDocument(id)
  simulator.setFault('silent')
  const before = simulator.requests.length
  const evidenceId = await enterCode(id)
  await vi.waitFor(() => expect(simulator.requests.length).toBeGreaterThan(before), SOON)
  expect((await phone.app.call('DELETE', `/v1/identities/${id}`)).status).toBe(204)
  await phone.app.runJobs()
  expect(evidenceOf(evidenceId)).toBeNull()
  expect(phone.app.log()).not.toContain('"level":50')
})

test('neither number nor name is in the log, in an event or in the health report', async () => {
  await start()
  const id = await phone.anIdentity(CONSENTS)
  await submitDocument(id)
  simulator.setFault('refuse')
  await enterCode(id)
  await phone.app.runJobs()
  const { body } = await phone.app.json('GET', '/healthcheck', { key: null })
  expect(body).toMatchObject({
    components: {
      operator: {
        status: 'DEGRADED',
        detail: 'the last question was not answered: credentials-refused (HTTP 401)',
      },
    },
  })
  const events = JSON.stringify(phone.app.appliance.store.events.after(0, 1000))
  for (const text of [phone.app.log(), events, JSON.stringify(body)])
    expect(text).not.toMatch(/33639980001|eriksson|1974-08-12|token-of-the-simulator/i)
  expect(phone.app.log()).not.toContain(TOKEN)
})
