/** A source that does not answer is asked again later, and each call leaves an audit event without values. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { QuestionSimulator } from '../../../server/tools/simulator/question-simulator.ts'
import { connectIssuer, LICENCE, OF_LICENCE } from '../../support/issuing-source.ts'
import { openProof } from '../../support/opened-proof.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport, scriptedVision } from './scripted-vision.ts'

const MINUTE_MS = 60_000
const SENT = [
  'documentType',
  'issuingCountry',
  'issuingState',
  'documentNumber',
  'surname',
  'givenName',
  'dateOfBirth',
]

let issuer: QuestionSimulator
let client: ProofingClient
beforeAll(async () => {
  // The clock of the test advances by minutes.
  const connected = await connectIssuer({ askAgainMinutes: [1, 3] }, () => client.now())
  issuer = connected.issuer
  client = await startProofing(connected.config, scriptedVision(), connected.files)
})
afterAll(async () => {
  await client.app.close()
  await issuer.close()
})
beforeEach(() => issuer.setFault(null))

/** A typed licence, with this fault of the source at the first try. */
async function typedWhile(fault: Parameters<QuestionSimulator['setFault']>[0], change: object = {}) {
  const id = await client.anIdentity(['GIV'])
  issuer.setFault(fault)
  const before = issuer.requests.length
  const path = `/v1/identities/${id}/id-documents`
  await client.ask('SingleStatus', 'POST', path, { payload: { ...LICENCE, ...change } })
  await client.app.runJobs()
  const status = async () => (await client.identity(id)).idDocuments[0].evidenceStatus
  const asked = () => issuer.requests.slice(before)
  return { id, status, asked, first: await status() }
}
const callsOf = (id: string) =>
  client
    .events(id)
    .flatMap(([type, body]) => (type === 'service.called' ? [body as Record<string, unknown>] : []))

describe('a source that does not answer', () => {
  test('is asked again after each pause with the same request id, and its late answer changes the result', async () => {
    const { id, first, status, asked } = await typedWhile('error')
    expect(first).toMatchObject({ status: 'NOT_VERIFIED', blockingIndicators: [] })
    expect(first.unverifiedIndicators).toContain('GIV_VERIFICATION_UNVERIFIED')
    issuer.setFault('malformed')
    await client.passTime(MINUTE_MS)
    expect((await status()).status).toBe('NOT_VERIFIED')
    issuer.setFault(null)
    await client.passTime(2 * MINUTE_MS)
    expect(asked()).toHaveLength(4)
    await client.passTime(MINUTE_MS)
    expect(asked()).toHaveLength(5)
    expect(new Set(asked().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
    expect(await status()).toMatchObject({ status: 'VERIFIED', unverifiedIndicators: [] })
    expect((await status()).positiveIndicators).toContain('GIV_VERIFICATION_VERIFIED')

    const calls = callsOf(id)
    expect(calls.map(({ trouble, tries }) => [trouble, tries])).toEqual([
      ['unexpected-answer', 3],
      ['malformed', 1],
      [null, 1],
    ])
    const [{ evidenceId }] = (await client.identity(id)).idDocuments
    const [{ idempotencyKey: requestId }] = asked()
    for (const call of calls)
      expect(call).toEqual({
        ...{ connector: 'issuer', source: 'licences', evidenceId, requestId, values: SENT },
        trouble: call.trouble,
        tries: call.tries,
        durationMs: expect.any(Number) as number,
      })
    expect(JSON.stringify(calls)).not.toMatch(OF_LICENCE)
    const { details } = await openProof(client.app, id)
    const services = details.flatMap(({ verificationDetails }) =>
      verificationDetails.flatMap(({ verificationServices }) => verificationServices),
    )
    expect(services).toContainEqual(
      expect.objectContaining({
        serviceName: 'issuer/licences',
        isTechnicalError: false,
        serviceRequestId: requestId,
      }),
    )
  })

  test('to the end leaves GIV_VERIFICATION_UNVERIFIED and is asked no more', async () => {
    const { status, asked } = await typedWhile('malformed')
    await client.passTime(MINUTE_MS)
    await client.passTime(3 * MINUTE_MS)
    expect(asked()).toHaveLength(3)
    issuer.setFault(null)
    await client.passTime(600 * MINUTE_MS)
    expect(asked()).toHaveLength(3)
    expect((await status()).unverifiedIndicators).toContain('GIV_VERIFICATION_UNVERIFIED')
  })

  test('and then finds another record makes a document invalid that was verified without it', async () => {
    issuer.setFault('malformed')
    const id = await client.anIdentity(['ID_DOCUMENT', 'GIV'])
    await client.document(id, aPassport())
    const [before] = (await client.identity(id)).idDocuments
    expect(before.evidenceStatus.status).toBe('VERIFIED')
    issuer.setFault(null)
    await client.passTime(MINUTE_MS)
    const [after] = (await client.identity(id)).idDocuments
    expect(after).toMatchObject({
      evidenceId: before.evidenceId,
      evidenceStatus: { status: 'INVALID', blockingIndicators: ['GIV_VERIFICATION_FAILED'] },
    })
  })

  test('is not asked again without the consent, nor about an erased identity', async () => {
    const withdrawn = await typedWhile('malformed')
    const payload = [{ type: 'GIV', approved: false }]
    await client.ask('ConsentList', 'POST', `/v1/identities/${withdrawn.id}/consents`, { payload })
    const { unverifiedIndicators = [] } = await withdrawn.status()
    const at = unverifiedIndicators.indexOf('GIV_VERIFICATION_UNVERIFIED')
    expect(unverifiedIndicators[at + 1]).toBe('SOURCE_CONSENT_UNVERIFIED')
    const erased = await typedWhile('malformed')
    expect((await client.app.call('DELETE', `/v1/identities/${erased.id}`)).status).toBe(204)
    issuer.setFault(null)
    const before = issuer.requests.length
    await client.passTime(MINUTE_MS)
    expect(issuer.requests.length).toBe(before)
  })
})

test('the time of the next try survives a restart of the appliance', async () => {
  const { status } = await typedWhile('malformed')
  issuer.setFault(null)
  await client.restart()
  await client.passTime(MINUTE_MS)
  expect((await status()).status).toBe('VERIFIED')
})
