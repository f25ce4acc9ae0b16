/** Payment cards of claims whose name a card scheme confirms or refutes: a whole appliance against the simulated service. */
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startCardOwnership } from '../../../server/tools/simulator/card-ownership.ts'
import type { QuestionSimulator } from '../../../server/tools/simulator/question-simulator.ts'
import { SHARING_TENANT } from '../../support/app.ts'
import { filesIn, findIn, formsOf } from '../../support/byte-scan.ts'
import { openProof } from '../../support/opened-proof.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { scriptedVision } from './scripted-vision.ts'

const CARD = '4111111111111111'
const CLOSED = '5555555555554444'
const UNSUPPORTED = '6011111111111117'
const HOLDER = { givenNames: 'Anna', surname: 'Zaphodovaquix' }
const ACCOUNTS = [
  { account: 'OPEN', values: { paymentCardNumber: CARD, ...HOLDER } },
  { account: 'NOT_OPEN', values: { paymentCardNumber: CLOSED, ...HOLDER } },
  { account: 'NOT_SUPPORTED', values: { paymentCardNumber: UNSUPPORTED, ...HOLDER } },
] as const

const value = (text: string) => ({ value: text })
const claimOf = (cardNumber: string, surname = HOLDER.surname) => ({
  attributesData: { givenNames: [value('Anna'), value('Maria')], surname: value(surname) },
  creditCardDetails: { cardNumber },
})

let scheme: QuestionSimulator
let client: ProofingClient
beforeAll(async () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'pem' }) as string
  scheme = await startCardOwnership({ port: 0, publicKey, accounts: ACCOUNTS, now: () => client.now() })
  const cardOwnership = {
    name: 'Card scheme',
    url: scheme.url,
    allowHttp: true,
    signingKeyFile: 'cards.key',
    keyId: 'test',
  }
  client = await startProofing({ tenant: SHARING_TENANT, connectors: { cardOwnership } }, scriptedVision(), {
    'cards.key': keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  })
})
afterAll(async () => {
  await client.app.close()
  await scheme.close()
})
beforeEach(() => scheme.setFault(null))

/** The reason that follows the indicator of the card. */
function reasonOf({
  unverifiedIndicators = [],
}: { unverifiedIndicators?: readonly string[] | undefined } = {}) {
  const at = unverifiedIndicators.indexOf('PAYMENT_CARD_OWNER_UNVERIFIED')
  return at < 0 ? undefined : unverifiedIndicators[at + 1]
}

async function claimed(payload: object, known?: string) {
  const id = known ?? (await client.anIdentity(['ID_CLAIM']))
  const before = scheme.requests.length
  await client.ask('SingleStatus', 'POST', `/v1/identities/${id}/claim`, { payload })
  await client.app.runJobs()
  const { Claim } = (await client.ask('ClaimAnswer', 'GET', `/v1/identities/${id}/claim`)).globalStatus
  return {
    id,
    status: Claim.evidenceStatus,
    card: Claim.claimData?.creditCardDetails,
    asked: scheme.requests.slice(before).map(({ body }) => JSON.parse(body) as { values: object }),
  }
}

test('a card in the claimed name is verified; number and name are in the question alone', async () => {
  const { id, status, card, asked } = await claimed(claimOf('4111 1111-1111 1111'))
  expect(asked.map(({ values }) => values)).toEqual([
    { paymentCardNumber: CARD, givenNames: 'Anna Maria', surname: 'Zaphodovaquix' },
  ])
  expect(card).toEqual({ verified: true })
  expect(status?.positiveIndicators).toEqual(['PAYMENT_CARD_NUMBER_OK', 'PAYMENT_CARD_OWNER_OK'])
  // A name on a card identifies no person.
  expect(status?.status).toBe('NOT_VERIFIED')
  const calls = client.events(id).filter(([type]) => type === 'service.called')
  expect(calls).toEqual([
    [
      'service.called',
      expect.objectContaining({
        connector: 'card-ownership',
        values: ['paymentCardNumber', 'givenNames', 'surname'],
        trouble: null,
      }),
    ],
  ])
  const kept = JSON.stringify(client.app.appliance.store.evidences.list(id))
  expect(kept).not.toContain(CARD)
  expect(`${JSON.stringify(client.events(id))}${client.app.log()}`).not.toMatch(/4111|zaphodovaquix/i)
  expect(findIn(filesIn(client.app.dataDir), { card: formsOf(CARD) })).toEqual([])
  const { details } = await openProof(client.app, id)
  expect(JSON.stringify(details)).toContain('"serviceName":"card-ownership"')
  expect(JSON.stringify(details)).not.toContain(CARD)
})

test.each([
  ['in another name', claimOf(CARD, 'Eriksson')],
  ['whose account is not open', claimOf(CLOSED)],
])('a card %s is a warning', async (_, payload) => {
  const { status, card } = await claimed(payload)
  expect(card).toEqual({ verified: false })
  expect(status?.warningIndicators).toContain('PAYMENT_CARD_OWNER_WARNING')
})

test('a card scheme that does not answer leaves the card unverified, and is not asked later', async () => {
  scheme.setFault('malformed')
  const { id, status, card, asked } = await claimed(claimOf(CARD))
  scheme.setFault(null)
  const before = scheme.requests.length
  await client.passTime(24 * 3_600_000)
  expect(card).toEqual({ verified: false })
  expect(reasonOf(status)).toBe('SOURCE_ANSWER_UNVERIFIED')
  expect([asked.length, scheme.requests.length]).toEqual([1, before])
  const [evidence] = client.app.appliance.store.evidences.list(id)
  const records = client.app.appliance.store.evidences.verification(evidence)
  expect(records.flatMap(({ measurements }) => measurements)).toContainEqual(
    expect.objectContaining({ check: 'PAYMENT_CARD_OWNER', measured: { sourceTrouble: 'malformed' } }),
  )
})

test('a card whose issuer compares no names says so', async () => {
  const { card, status } = await claimed(claimOf(UNSUPPORTED))
  expect([card, reasonOf(status)]).toEqual([{ verified: false }, 'SOURCE_SUPPORT_UNVERIFIED'])
})

test('no card is asked about without a consent, a full name or a right check digit', async () => {
  const before = scheme.requests.length
  const id = await client.anIdentity(['ID_DOCUMENT'])
  const payload = claimOf(CARD)
  expect((await client.refusal('POST', `/v1/identities/${id}/claim`, { payload })).code).toBe(
    'consent_missing',
  )
  const nameless = { creditCardDetails: { cardNumber: CARD } }
  expect(reasonOf((await claimed(nameless)).status)).toBe('SOURCE_VALUES_UNVERIFIED')
  expect(reasonOf((await claimed(claimOf('4111111111111112'))).status)).toBe('SOURCE_NEED_UNVERIFIED')
  expect(scheme.requests).toHaveLength(before)
})

test('at most five cards of an identity are asked about, because the answer must not serve to try out numbers', async () => {
  const { id } = await claimed(claimOf(CARD))
  const further = []
  for (let claim = 2; claim <= 6; claim++) {
    const { asked, status } = await claimed(claimOf(CARD), id)
    further.push([asked.length, reasonOf(status)])
  }
  expect(further.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => [1, undefined]))
  expect(further.at(-1)).toEqual([0, 'SOURCE_LIMIT_UNVERIFIED'])
})
