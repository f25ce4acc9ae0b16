/** Claims that bureaus and registers confirm or refute: a whole appliance against the simulated source, over real sockets. */
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startBureau, type BureauFile } from '../../../server/tools/simulator/bureau.ts'
import type { QuestionSimulator } from '../../../server/tools/simulator/question-simulator.ts'
import { SHARING_TENANT } from '../../support/app.ts'
import { openProof } from '../../support/opened-proof.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { scriptedVision } from './scripted-vision.ts'

const NAMED = { givenNames: 'ANNA MARIA', surname: 'ZAPHODOVAQUIX' }
const ADDRESS = '12, rue des Lilas, 75020, Paris'
const FILES: readonly BureauFile[] = [
  { origin: 'lender', country: 'FRA', values: { ...NAMED, dateOfBirth: '1974-08-12' } },
  { origin: 'electoral-roll', country: 'FRA', values: { ...NAMED, address: ADDRESS } },
]
const REGISTER: readonly BureauFile[] = [
  {
    origin: 'population',
    country: 'SWE',
    values: { ...NAMED, dateOfBirth: '1974-08-12', personalNumber: '19740812-1234' },
  },
]
/** A value of the claim in a log or an event. */
const OF_CLAIM = /Zaphodovaquix|1974-08-12|Lilas|19740812/i

const value = (text: string) => ({ value: text })
const ATTRIBUTES = {
  givenNames: [value('Anna'), value('Maria')],
  surname: value('Zaphodovaquix'),
  dateOfBirth: value('1974-08-12'),
}
const IN_PARIS = {
  streetDetails: { streetLines: ['rue des Lilas'] },
  houseNumber: '12',
  postcode: '75020',
  city: 'Paris',
  country: 'FRA',
}
const CLAIM = { attributesData: ATTRIBUTES, addressesData: IN_PARIS }

let bureau: QuestionSimulator
let register: QuestionSimulator
let client: ProofingClient
beforeAll(async () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'pem' }) as string
  const now = () => new Date('2026-03-02T09:00:00Z')
  bureau = await startBureau({ port: 0, publicKey, files: FILES, now })
  register = await startBureau({ port: 0, publicKey, files: REGISTER, now })
  const common = { allowHttp: true, timeoutMs: 500, signingKeyFile: 'bureau.key', keyId: 'test' }
  const config = {
    tenant: SHARING_TENANT,
    connectors: {
      bureaus: [
        {
          ...common,
          id: 'credit',
          name: 'Credit bureau',
          url: bureau.url,
          countries: ['FRA'],
          sends: ['givenNames', 'surname', 'dateOfBirth', 'address'],
        },
        {
          ...common,
          id: 'population',
          name: 'Population register',
          url: register.url,
          countries: ['SWE'],
          sends: ['givenNames', 'surname', 'dateOfBirth', 'personalNumber'],
          authoritative: true,
        },
      ],
    },
  }
  client = await startProofing(config, scriptedVision(), {
    'bureau.key': keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  })
})
afterAll(async () => {
  await client.app.close()
  await bureau.close()
  await register.close()
})
beforeEach(() => {
  bureau.setFault(null)
  register.setFault(null)
})

async function claimed(payload: object, consents: readonly string[] = ['ID_CLAIM']) {
  const id = await client.anIdentity(consents)
  const before = { bureau: bureau.requests.length, register: register.requests.length }
  await client.ask('SingleStatus', 'POST', `/v1/identities/${id}/claim`, { payload })
  await client.app.runJobs()
  const { Claim } = (await client.ask('ClaimAnswer', 'GET', `/v1/identities/${id}/claim`)).globalStatus
  return {
    id,
    status: Claim.evidenceStatus,
    data: Claim.claimData,
    asked: bureau.requests.slice(before.bureau),
    askedRegister: register.requests.slice(before.register),
  }
}

describe('a claim', () => {
  test('is verified with LEVEL3 by two records of a bureau, which learns only the configured values', async () => {
    const { id, status, data, asked, askedRegister } = await claimed(CLAIM)
    expect(status).toMatchObject({ status: 'VERIFIED', score: 'LEVEL3', blockingIndicators: [] })
    expect(status?.positiveIndicators).toContain('ID_CLAIM_SOURCE_OK')
    expect(data?.attributesData).toMatchObject({
      surname: { verified: true },
      givenNames: [{ verified: true }, { verified: true }],
      dateOfBirth: { verified: true },
    })
    expect(askedRegister).toEqual([])
    const [{ idempotencyKey, body }] = asked
    expect(JSON.parse(body)).toEqual({
      requestId: idempotencyKey,
      country: 'FRA',
      values: {
        givenNames: 'Anna Maria',
        surname: 'Zaphodovaquix',
        dateOfBirth: '1974-08-12',
        address: ADDRESS,
      },
    })
    const { details } = await openProof(client.app, id)
    expect(JSON.stringify(details)).toContain('"serviceName":"bureau/credit"')
  })

  test('leaves an audit event for each call, with names of values and no value', async () => {
    const { id } = await claimed(CLAIM)
    const calls = client.events(id).filter(([type]) => type === 'service.called')
    expect(calls).toMatchObject([
      [
        'service.called',
        {
          connector: 'bureau',
          source: 'credit',
          trouble: null,
          values: ['country', 'givenNames', 'surname', 'dateOfBirth', 'address'],
        },
      ],
    ])
    expect(JSON.stringify(client.events(id))).not.toMatch(OF_CLAIM)
    expect(client.app.log()).not.toMatch(OF_CLAIM)
  })

  test('stays unconfirmed if only one record has the person', async () => {
    const { status, data } = await claimed({
      ...CLAIM,
      addressesData: { ...IN_PARIS, houseNumber: '14' },
    })
    expect(status).toMatchObject({ status: 'NOT_VERIFIED' })
    expect(status?.unverifiedIndicators).toContain('ID_CLAIM_SOURCE_UNVERIFIED')
    expect(data?.attributesData).toMatchObject({ surname: { verified: false } })
  })

  test('of a person without a record, or with a birth date of another, stays unconfirmed', async () => {
    for (const change of [{ surname: value('Unknown') }, { dateOfBirth: value('1975-08-12') }]) {
      const { status } = await claimed({ ...CLAIM, attributesData: { ...ATTRIBUTES, ...change } })
      expect(status).toMatchObject({ status: 'NOT_VERIFIED', blockingIndicators: [] })
    }
  })

  test('is verified by one record of an authoritative register, and refuted by it', async () => {
    const inSweden = { addressesData: { city: 'Lund', country: 'SWE' } }
    const personalNumber = { value: '19740812-1234', issuingCountry: 'SWE' }
    const right = await claimed({ attributesData: { ...ATTRIBUTES, personalNumber }, ...inSweden })
    expect(right.status).toMatchObject({ status: 'VERIFIED', score: 'LEVEL3' })
    expect(right.asked).toEqual([])
    const wrong = { ...ATTRIBUTES, personalNumber, dateOfBirth: value('1984-08-12') }
    const refuted = await claimed({ attributesData: wrong, ...inSweden })
    expect(refuted.status).toMatchObject({
      status: 'INVALID',
      blockingIndicators: ['ID_CLAIM_SOURCE_FAILED'],
    })
  })

  test('without a name, or of a country that no source covers, is sent to no source', async () => {
    for (const payload of [
      { addressesData: IN_PARIS },
      { attributesData: ATTRIBUTES, addressesData: { city: 'Rome', country: 'ITA' } },
    ]) {
      const { status, asked, askedRegister } = await claimed(payload)
      expect([...asked, ...askedRegister]).toEqual([])
      expect(status?.unverifiedIndicators).toContain('ID_CLAIM_SOURCE_UNVERIFIED')
    }
  })

  test.each(['silent', 'error', 'refuse', 'half', 'malformed', 'other-request', 'unasked'] as const)(
    'is lost by no fault of the source and confirmed by none: %s',
    async (fault) => {
      register.setFault(fault)
      const { id, status } = await claimed({
        attributesData: ATTRIBUTES,
        addressesData: { city: 'Lund', country: 'SWE' },
      })
      expect(status).toMatchObject({ status: 'NOT_VERIFIED', blockingIndicators: [], errors: [] })
      const called = client.events(id).find(([type]) => type === 'service.called')
      const call = called?.[1] as { trouble: string | null } | undefined
      expect(call?.trouble).toMatch(/^[a-z-]+$/)
      const { body } = await client.app.json('GET', '/healthcheck', { key: null })
      expect(body).toMatchObject({ components: { bureaus: { status: 'DEGRADED' } } })
      expect(client.app.log()).not.toMatch(OF_CLAIM)
    },
  )
})
