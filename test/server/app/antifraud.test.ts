import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FRAUD_CHECK_TYPES } from '../../../server/proofing/types.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing()
})
afterAll(() => client.app.close())

const checksOf = (id: string) => `/v1/identities/${id}/antifraud`
const request = (id: string, types: readonly string[]) =>
  client.ask('FraudCheckAnswer', 'POST', checksOf(id), { payload: types.map((type) => ({ type })) })
/** Asked for, and carried out. */
const checked = async (id: string, types: readonly string[]) => {
  await request(id, types)
  await client.app.runJobs()
  return client.ask('FraudCheckAnswer', 'GET', checksOf(id))
}

describe('antifraud checks that are asked for', () => {
  test('stand as PROCESSING, and so does the identity: no proof is sealed over an open check', async () => {
    const id = await client.anIdentity()
    const answer = await request(id, FRAUD_CHECK_TYPES)
    expect(answer.globalStatus).toMatchObject({ id, status: 'PROCESSING' })
    expect(answer.checks).toEqual(
      [...FRAUD_CHECK_TYPES].sort().map((type) => ({ type, status: 'PROCESSING', indicators: [] })),
    )
    await client.app.runJobs()
    expect((await client.identity(id)).globalStatus.status).toBe('EXPECTING_INPUT')
  })

  test('of whom nothing is known are each said not to have been carried out', async () => {
    const id = await client.anIdentity()
    const answer = await checked(id, FRAUD_CHECK_TYPES)
    expect(answer.globalStatus.id).toBe(id)
    // A register is asked about the person of the name reference.
    const reasons = (type: string) => (type === 'DOCUMENT_STATUS' ? ['SOURCE_REFERENCE_UNVERIFIED'] : [])
    expect(answer.checks.map(({ type, status, indicators }) => ({ type, status, indicators }))).toEqual(
      [...FRAUD_CHECK_TYPES].sort().map((type) => ({
        type,
        status: 'NOT_VERIFIED',
        indicators: [`${type}_UNVERIFIED`, ...reasons(type)],
      })),
    )
    expect(answer.checks.map(({ subjects }) => subjects)).toEqual(FRAUD_CHECK_TYPES.map(() => []))
    expect((await client.identity(id)).counterproof?.antifraud).toEqual(answer.checks)
    expect(client.events(id).filter(([type]) => type === 'antifraud.decided')).toHaveLength(6)
  })

  test('twice in one request, or again later, are one check', async () => {
    const id = await client.anIdentity()
    await request(id, ['VELOCITY', 'VELOCITY', 'WATCHLIST'])
    const again = await request(id, ['VELOCITY'])
    expect(again.checks.map(({ type }) => type)).toEqual(['VELOCITY', 'WATCHLIST'])
    expect(client.events(id).filter(([type]) => type === 'antifraud.requested')).toEqual([
      ['antifraud.requested', { types: ['VELOCITY', 'WATCHLIST'] }],
      ['antifraud.requested', { types: ['VELOCITY'] }],
    ])
  })

  test('raise no level and hold nothing up', async () => {
    const id = await client.anIdentity()
    const before = (await client.identity(id)).globalStatus
    const after = (await checked(id, ['WATCHLIST'])).globalStatus
    expect(after).toEqual(before)
  })

  test('are none of the applicant’s business', async () => {
    const id = await client.anIdentity()
    await request(id, ['WATCHLIST'])
    const options = { key: client.app.userAgentKey }
    expect(await client.refusal('GET', checksOf(id), options)).toMatchObject({ status: 403 })
    expect(await client.identity(id, options)).not.toHaveProperty('counterproof')
  })
})

describe('refused are', () => {
  test.each([
    ['no check at all', []],
    ['seven checks', Array.from({ length: 7 }, () => ({ type: 'VELOCITY' }))],
    ['a check that is none', [{ type: 'HOROSCOPE' }]],
    ['an object in place of the list', { type: 'VELOCITY' }],
  ])('%s', async (_name, payload) => {
    const id = await client.anIdentity()
    expect(await client.refusal('POST', checksOf(id), { payload })).toMatchObject({ status: 400 })
    expect((await client.ask('FraudCheckAnswer', 'GET', checksOf(id))).checks).toEqual([])
  })

  test('checks of an identity whose proof was retrieved', async () => {
    const id = await client.anIdentity()
    await client.app.call('GET', `/v1/identities/${id}/proof`)
    expect(await client.refusal('POST', checksOf(id), { payload: [{ type: 'VELOCITY' }] })).toMatchObject({
      status: 403,
      code: 'identity_closed',
    })
  })

  test('all of it where the tenant has not switched it on', async () => {
    const tenant = {
      id: 'default',
      name: 'x',
      mode: 'test',
      policy: 'default',
      features: { antifraud: false },
    }
    const other = await startProofing({ tenant })
    try {
      const id = await other.anIdentity()
      const refused = { status: 403, code: 'feature_disabled' }
      expect(await other.refusal('POST', checksOf(id), { payload: [{ type: 'VELOCITY' }] })).toMatchObject(
        refused,
      )
      expect(await other.refusal('GET', checksOf(id))).toMatchObject(refused)
    } finally {
      await other.app.close()
    }
  })
})

test('a request that is repeated under its key asks once', async () => {
  const id = await client.anIdentity()
  const options = { payload: [{ type: 'VELOCITY' }], headers: { 'Idempotency-Key': 'antifraud-1' } }
  const first = await client.ask('FraudCheckAnswer', 'POST', checksOf(id), options)
  expect(await client.ask('FraudCheckAnswer', 'POST', checksOf(id), options)).toEqual(first)
  expect(client.events(id).filter(([type]) => type === 'antifraud.requested')).toHaveLength(1)
})
