import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROUTES } from '../../../server/api/routes.ts'
import type { Operation } from '../../../server/api/routes.ts'
import {
  BACK_END_KEY,
  EVIDENCE_ID,
  IDENTITY_ID,
  USER_AGENT_KEY,
  aFile,
  aForm,
  problemCode,
  startApi,
} from './support.ts'
import type { Sent, TestApi } from './support.ts'

const identity = `/v1/identities/${IDENTITY_ID}`
const webhook = `/v1/webhooks/${IDENTITY_ID}`
const consents = [{ type: 'PORTRAIT', approved: true }]

const TEXT_DOCUMENT = {
  idDocumentType: 'PASSPORT',
  idDocumentNumber: 'L898902C3',
  issuingCountry: 'FRA',
  personalAttributes: {
    dateOfBirth: { value: '1974-08-12' },
    givenNames: [{ value: 'ANNA' }],
    surname: { value: 'ERIKSSON' },
  },
}
const MEDICARE = {
  cardNumber: '2123456701',
  cardType: 'G',
  expiryDate: '2030-01-01',
  personalAttributes: { fullname: { value: 'ANNA ERIKSSON' }, dateOfBirth: { value: '1974-08-12' } },
}

/** Written out by hand, apart from the product's own table: [request, status for the back end, for the user agent]. */
const TABLE: Record<Operation, readonly [string, string, () => Sent, number, number]> = {
  healthcheck: ['GET', '/healthcheck', () => ({}), 200, 200],
  jwks: ['GET', '/.well-known/jwks.json', () => ({}), 200, 200],
  openapi: ['GET', '/openapi.json', () => ({}), 200, 200],
  proofSchema: ['GET', '/proof-schema', () => ({}), 200, 200],
  createIdentity: ['POST', '/v1/identities', () => ({ json: [] }), 200, 403],
  findIdentity: ['GET', '/v1/identities?correlationID=c1', () => ({}), 200, 403],
  getIdentity: ['GET', identity, () => ({}), 200, 200],
  eraseIdentity: ['DELETE', identity, () => ({}), 204, 403],
  getIdentityStatus: ['GET', `${identity}/status`, () => ({}), 200, 200],
  getEvidenceStatus: ['GET', `${identity}/status/${EVIDENCE_ID}`, () => ({}), 200, 200],
  issueUserAgentToken: ['POST', `${identity}/user-agent-token`, () => ({}), 200, 403],
  recordConsents: ['POST', `${identity}/consents`, () => ({ json: consents }), 200, 403],
  submitDocument: [
    'POST',
    `${identity}/id-documents/capture`,
    () => ({ form: aForm({ DocumentFront: aFile() }) }),
    200,
    200,
  ],
  getDocumentImage: ['GET', `${identity}/id-documents/${EVIDENCE_ID}/capture`, () => ({}), 200, 403],
  submitChip: [
    'POST',
    `${identity}/id-documents/${EVIDENCE_ID}/chip`,
    () => ({ json: { sod: 'd4I=', dataGroups: [{ number: 1, content: 'YVs=' }] } }),
    200,
    403,
  ],
  getPortrait: ['GET', `${identity}/attributes/portrait`, () => ({}), 200, 200],
  deletePortrait: ['DELETE', `${identity}/attributes/portrait`, () => ({}), 204, 403],
  submitPortrait: [
    'POST',
    `${identity}/attributes/portrait/capture`,
    () => ({ form: aForm({ Portrait: aFile() }) }),
    200,
    200,
  ],
  getPortraitImage: ['GET', `${identity}/attributes/portrait/capture`, () => ({}), 200, 403],
  sealProof: ['GET', `${identity}/proof`, () => ({}), 200, 403],
  resumeIdentity: ['GET', `${identity}/resume`, () => ({}), 200, 403],
  listAdditionalFiles: ['GET', `${identity}/additional-files`, () => ({}), 200, 403],
  addAdditionalFile: [
    'POST',
    `${identity}/additional-files`,
    () => ({ form: aForm({ File: aFile() }) }),
    200,
    200,
  ],
  getAdditionalFile: ['GET', `${identity}/additional-files/${EVIDENCE_ID}`, () => ({}), 200, 403],
  deleteAdditionalFile: ['DELETE', `${identity}/additional-files/${EVIDENCE_ID}`, () => ({}), 204, 403],
  listAddresses: ['GET', `${identity}/addresses`, () => ({}), 200, 200],
  submitAddress: ['POST', `${identity}/addresses`, () => ({ json: { city: 'Lyon' } }), 200, 200],
  getAddress: ['GET', `${identity}/addresses/${EVIDENCE_ID}`, () => ({}), 200, 200],
  listAttributes: ['GET', `${identity}/attributes`, () => ({}), 200, 200],
  submitAttributes: [
    'POST',
    `${identity}/attributes`,
    () => ({ json: { surname: { value: 'ERIKSSON' } } }),
    200,
    200,
  ],
  listAdjudications: ['GET', `${identity}/adjudications`, () => ({}), 200, 403],
  getAdjudication: ['GET', `${identity}/adjudications/${EVIDENCE_ID}`, () => ({}), 200, 403],
  requestAdjudication: ['POST', `${identity}/adjudications/${EVIDENCE_ID}`, () => ({}), 200, 403],
  listDesk: ['GET', '/v1/adjudications', () => ({}), 200, 403],
  getDesk: ['GET', `/v1/adjudications/${EVIDENCE_ID}`, () => ({}), 200, 403],
  claimAdjudication: [
    'POST',
    `/v1/adjudications/${EVIDENCE_ID}/claim`,
    () => ({ json: { adjudicator: 'a.1' } }),
    200,
    403,
  ],
  releaseAdjudication: [
    'POST',
    `/v1/adjudications/${EVIDENCE_ID}/release`,
    () => ({ json: { adjudicator: 'a.1' } }),
    200,
    403,
  ],
  decideAdjudication: [
    'POST',
    `/v1/adjudications/${EVIDENCE_ID}/decision`,
    () => ({ json: { adjudicator: 'a.1', decision: 'ACCEPTED', reason: 'SAME_PERSON' } }),
    200,
    403,
  ],
  getFraudChecks: ['GET', `${identity}/antifraud`, () => ({}), 200, 403],
  requestFraudChecks: ['POST', `${identity}/antifraud`, () => ({ json: [{ type: 'VELOCITY' }] }), 200, 403],
  submitTextDocument: ['POST', `${identity}/id-documents`, () => ({ json: TEXT_DOCUMENT }), 200, 200],
  submitMedicare: ['POST', `${identity}/id-document/aus/medicare`, () => ({ json: MEDICARE }), 200, 200],
  openDocumentSession: ['POST', `${identity}/id-documents/live-capture-session`, () => ({}), 200, 403],
  openPortraitSession: ['POST', `${identity}/attributes/portrait/capture-session`, () => ({}), 200, 200],
  openPortraitSessionByOldName: [
    'POST',
    `${identity}/attributes/portrait/live-capture-session`,
    () => ({}),
    200,
    200,
  ],
  cancelPortraitSession: [
    'DELETE',
    `${identity}/attributes/portrait/live-capture-session/${EVIDENCE_ID}`,
    () => ({}),
    204,
    204,
  ],
  requestTrustedClaim: [
    'POST',
    `${identity}/trusted-id-claim/oidc`,
    () => ({ json: { idpIdentifier: 'bank' } }),
    200,
    200,
  ],
  getTrustedClaim: ['GET', `${identity}/trusted-id-claims`, () => ({}), 200, 200],
  finishTrustedClaim: ['GET', '/oidc/callback?state=s&code=c', () => ({}), 201, 201],
  submitClaim: [
    'POST',
    `${identity}/claim`,
    () => ({ json: { contactDetails: { mobile: { value: '+33639980001' } } } }),
    200,
    200,
  ],
  getClaim: ['GET', `${identity}/claim`, () => ({}), 200, 200],
  submitMobile: [
    'POST',
    `${identity}/contact-details/mobile`,
    () => ({ json: { value: '+33639980001' } }),
    200,
    200,
  ],
  deleteMobile: ['DELETE', `${identity}/contact-details/mobile`, () => ({}), 204, 204],
  getMobile: ['GET', `${identity}/contact-details/mobile`, () => ({}), 200, 200],
  submitOtp: [
    'POST',
    `${identity}/contact-details/mobile/otp`,
    () => ({ json: { value: '123456' } }),
    204,
    204,
  ],
  submitEmail: [
    'POST',
    `${identity}/contact-details/email`,
    () => ({ json: { value: 'anna@mail.example' } }),
    200,
    200,
  ],
  deleteEmail: ['DELETE', `${identity}/contact-details/email`, () => ({}), 204, 204],
  getEmail: ['GET', `${identity}/contact-details/email`, () => ({}), 200, 200],
  submitEmailOtp: [
    'POST',
    `${identity}/contact-details/email/otp`,
    () => ({ json: { value: '123456' } }),
    204,
    204,
  ],
  submitLandline: [
    'POST',
    `${identity}/contact-details/landline`,
    () => ({ json: { value: '+33139980001' } }),
    200,
    200,
  ],
  deleteLandline: ['DELETE', `${identity}/contact-details/landline`, () => ({}), 204, 204],
  getLandline: ['GET', `${identity}/contact-details/landline`, () => ({}), 200, 200],
  submitLandlineOtp: [
    'POST',
    `${identity}/contact-details/landline/otp`,
    () => ({ json: { value: '123456' } }),
    204,
    204,
  ],
  getLegalHold: ['GET', `${identity}/legal-hold`, () => ({}), 200, 403],
  placeLegalHold: ['PUT', `${identity}/legal-hold`, () => ({ json: { reference: 'case' } }), 204, 403],
  liftLegalHold: ['DELETE', `${identity}/legal-hold`, () => ({}), 204, 403],
  registerWebhook: ['POST', '/v1/webhooks', () => ({ json: { url: 'https://hooks.example/' } }), 200, 403],
  listWebhooks: ['GET', '/v1/webhooks', () => ({}), 200, 403],
  getWebhook: ['GET', webhook, () => ({}), 200, 403],
  removeWebhook: ['DELETE', webhook, () => ({}), 204, 403],
  rotateWebhookSecret: ['POST', `${webhook}/secret`, () => ({ json: {} }), 200, 403],
  enableWebhook: ['POST', `${webhook}/enable`, () => ({}), 200, 403],
  testWebhook: ['POST', `${webhook}/test`, () => ({}), 200, 403],
  listWebhookDeliveries: ['GET', `${webhook}/deliveries?state=PARKED&limit=2`, () => ({}), 200, 403],
  resendWebhookDelivery: ['POST', `${webhook}/deliveries/${EVIDENCE_ID}/resend`, () => ({}), 200, 403],
  getDeletionReceipt: ['GET', `/v1/deletion-receipts/${IDENTITY_ID}`, () => ({}), 200, 403],
  listSupportedCountries: ['GET', '/v1/supported-evidence/countries', () => ({}), 200, 200],
  getSupportedCountry: ['GET', '/v1/supported-evidence/countries/FRA', () => ({}), 200, 200],
}

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

describe.each(Object.entries(TABLE))('%s', (operation, [method, path, sent, forBackEnd, forUserAgent]) => {
  test(`answers ${forBackEnd} to a back-end key and ${forUserAgent} to a user-agent key`, async () => {
    expect((await api.send(method, path, { ...sent(), key: BACK_END_KEY })).status).toBe(forBackEnd)
    const refusedOrNot = await api.send(method, path, { ...sent(), key: USER_AGENT_KEY })
    expect(refusedOrNot.status).toBe(forUserAgent)
    if (forUserAgent === 403) expect(problemCode(refusedOrNot)).toBe('forbidden')
  })

  const isPublic = ROUTES[operation as Operation].access === 'public'
  test(
    isPublic ? 'needs no key' : 'answers 403 without a key and with an unknown key, and says which',
    async () => {
      const without = await api.send(method, path, { ...sent(), key: null })
      const wrong = await api.send(method, path, { ...sent(), key: 'guessed' })
      expect([without.status, wrong.status]).toEqual(isPublic ? [forBackEnd, forBackEnd] : [403, 403])
      if (!isPublic) {
        expect([problemCode(without), problemCode(wrong)]).toEqual(['key_missing', 'key_unknown'])
      }
    },
  )
})

test('a refused call reaches no workflow', async () => {
  await using own = await startApi()
  await own.send('DELETE', identity, { key: USER_AGENT_KEY })
  await own.send('GET', `${identity}/proof`, { key: USER_AGENT_KEY })
  await own.send('GET', identity, { key: null })
  expect(own.calls).toEqual([])
})

test('verification details are for the relying service only, whatever a user agent asks for', async () => {
  await using own = await startApi()
  const details = async (key: string, query: string) => {
    await own.send('GET', `${identity}${query}`, { key })
    return own.calls.at(-1)?.args[2]
  }
  expect(await details(BACK_END_KEY, '?detailed=true')).toEqual({ detailed: true })
  expect(await details(BACK_END_KEY, '?detailed=false')).toEqual({ detailed: false })
  expect(await details(BACK_END_KEY, '')).toEqual({ detailed: false })
  expect(await details(USER_AGENT_KEY, '?detailed=true')).toEqual({ detailed: false })
})

test('the workflow is told who calls, and by which request, with ids only', async () => {
  await using own = await startApi()
  const correlationId = '7d444840-9dc0-11d1-b245-5ffdce74fad2'
  await own.send('GET', `${identity}?detailed=true`, {
    headers: { 'X-Correlation-Id': correlationId, 'X-Forwarded-For': '203.0.113.9' },
  })
  expect(own.calls[0]?.args[0]).toMatchObject({
    tenantId: 't1',
    applicationId: 'a1',
    role: 'RELYING_SERVICE',
    correlationId,
    method: 'GET',
    uri: identity,
    remoteAddress: '127.0.0.1',
  })
})

test('a User-Agent is required under /v1 and nowhere else', async () => {
  const bare = { headers: { 'User-Agent': undefined } }
  const refused = await api.send('GET', identity, bare)
  expect([refused.status, problemCode(refused)]).toEqual([400, 'user_agent_missing'])
  expect((await api.send('GET', '/healthcheck', bare)).status).toBe(200)
})

test('a Tenant-Role header is ignored while it agrees with the key and refused when it does not', async () => {
  const as = (role: string) => api.send('GET', identity, { headers: { 'Tenant-Role': role } })
  expect((await as('RELYING_SERVICE')).status).toBe(200)
  expect((await as('USER_AGENT')).status).toBe(403)
})
