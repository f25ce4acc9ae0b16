/** A bureau that does not answer about a claim is asked again later: a whole appliance against simulated bureaus, over real sockets. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { QuestionSimulator } from '../../../server/tools/simulator/question-simulator.ts'
import { importList } from '../../../server/watchlists/import-list.ts'
import { CLAIM, connectBureaus } from '../../support/attribute-source.ts'
import { openProof } from '../../support/opened-proof.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { scriptedVision } from './scripted-vision.ts'

const MINUTE_MS = 60_000
/** The register knows the claimed person under another surname, found by the personal number. */
const REGISTER_FILES = [
  {
    origin: 'population',
    country: 'FRA',
    values: {
      givenNames: 'ANNA MARIA',
      surname: 'OTHER',
      dateOfBirth: '1974-08-12',
      personalNumber: '740812',
    },
  },
]

let bureau: QuestionSimulator
let register: QuestionSimulator
let client: ProofingClient
beforeAll(async () => {
  // The clock of the test advances by minutes.
  const connected = await connectBureaus(
    [
      { options: { askAgainMinutes: [1, 3] } },
      {
        files: REGISTER_FILES,
        options: { sends: ['givenNames', 'surname', 'personalNumber'], askAgainMinutes: [2] },
      },
    ],
    () => client.now(),
  )
  ;[bureau, register] = connected.bureaus
  client = await startProofing(connected.config, scriptedVision(), connected.files)
})
afterAll(async () => {
  await client.app.close()
  await Promise.all([bureau.close(), register.close()])
})
beforeEach(() => {
  bureau.setFault(null)
  register.setFault(null)
})

const at = (id: string) => `/v1/identities/${id}/claim`
const submit = async (id: string, payload: object = CLAIM) => {
  await client.ask('SingleStatus', 'POST', at(id), { payload })
  await client.app.runJobs()
}
async function claimed(payload: object = CLAIM) {
  const id = await client.anIdentity(['ID_CLAIM'])
  const before = { bureau: bureau.requests.length, register: register.requests.length }
  await submit(id, payload)
  return {
    id,
    status: async () => (await client.ask('ClaimAnswer', 'GET', at(id))).globalStatus.Claim.evidenceStatus,
    asked: () => bureau.requests.slice(before.bureau),
    askedRegister: () => register.requests.slice(before.register),
  }
}
const troublesOf = (id: string) =>
  client
    .events(id)
    .filter(([type]) => type === 'service.called')
    .map(([, body]) => body as { source: string; trouble: string | null; requestId: string })
const decisionsOf = (id: string) => client.events(id).filter(([type]) => type === 'evidence.decided').length

test('a claim in an outage says so, is asked about again with the same request id, and is verified by the late answer', async () => {
  bureau.setFault('malformed')
  const { id, status, asked, askedRegister } = await claimed()
  expect(await status()).toMatchObject({
    status: 'NOT_VERIFIED',
    blockingIndicators: [],
    unverifiedIndicators: expect.arrayContaining(['ID_CLAIM_SOURCE_UNVERIFIED']) as string[],
  })
  const [evidence] = client.app.appliance.store.evidences.list(id)
  const records = client.app.appliance.store.evidences.verification(evidence)
  const measured = records.flatMap(({ measurements }) => measurements)
  expect(measured).toContainEqual(
    expect.objectContaining({
      check: 'ID_CLAIM_SOURCE',
      measured: expect.objectContaining({ sourceTrouble: 'malformed' }) as object,
    }),
  )
  await client.passTime(MINUTE_MS)
  expect([asked().length, decisionsOf(id)]).toEqual([2, 1])
  bureau.setFault(null)
  await client.passTime(2 * MINUTE_MS)
  expect(asked()).toHaveLength(2)
  await client.passTime(MINUTE_MS)
  expect(asked()).toHaveLength(3)
  expect(new Set(asked().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
  expect(await status()).toMatchObject({ status: 'VERIFIED', score: 'LEVEL3' })
  // It answered at the first time.
  expect(askedRegister()).toHaveLength(1)
  await client.passTime(600 * MINUTE_MS)
  expect([asked().length, askedRegister().length, decisionsOf(id)]).toEqual([3, 1, 2])
  expect(troublesOf(id).map(({ source, trouble }) => `${source} ${trouble}`)).toEqual([
    'bureau-0 malformed',
    'bureau-1 null',
    'bureau-0 malformed',
    'bureau-0 null',
  ])
  const { details } = await openProof(client.app, id)
  expect(JSON.stringify(details)).toContain('"serviceName":"bureau/bureau-0"')
})

test('a source that answers late with another person makes a claim invalid that was verified without it', async () => {
  register.setFault('malformed')
  const personalNumber = { value: '740812', issuingCountry: 'FRA' }
  const { status, asked, askedRegister } = await claimed({
    ...CLAIM,
    attributesData: { ...CLAIM.attributesData, personalNumber },
  })
  expect((await status())?.status).toBe('VERIFIED')
  register.setFault(null)
  await client.passTime(2 * MINUTE_MS)
  expect(await status()).toMatchObject({
    status: 'INVALID',
    blockingIndicators: ['ID_CLAIM_SOURCE_FAILED'],
  })
  expect([asked().length, askedRegister().length]).toEqual([1, 2])
})

test('no source is asked again without the consent, about an erased or replaced claim, or more often than configured', async () => {
  bureau.setFault('malformed')
  const tired = await claimed()
  await client.passTime(MINUTE_MS)
  await client.passTime(3 * MINUTE_MS)
  await client.passTime(600 * MINUTE_MS)
  expect(tired.asked()).toHaveLength(3)
  expect((await tired.status())?.unverifiedIndicators).toContain('ID_CLAIM_SOURCE_UNVERIFIED')
  const withdrawn = await claimed()
  const payload = [{ type: 'ID_CLAIM', approved: false }]
  await client.ask('ConsentList', 'POST', `/v1/identities/${withdrawn.id}/consents`, { payload })
  expect((await withdrawn.status())?.unverifiedIndicators).toContain('SOURCE_CONSENT_UNVERIFIED')
  const erased = await claimed()
  expect((await client.app.call('DELETE', `/v1/identities/${erased.id}`)).status).toBe(204)
  const replaced = await claimed()
  await submit(replaced.id, { ...CLAIM, addressesData: { country: 'FRA', city: 'Lyon' } })
  bureau.setFault(null)
  const before = bureau.requests.length
  await client.passTime(MINUTE_MS)
  expect(bureau.requests.length).toBe(before + 1)
})

test('the time of the next try survives a restart of the appliance', async () => {
  bureau.setFault('malformed')
  const { status } = await claimed()
  bureau.setFault(null)
  await client.restart()
  await client.passTime(MINUTE_MS)
  expect((await status())?.status).toBe('VERIFIED')
})

test('a person known by a claim alone is screened once a source confirmed the claim', async () => {
  const file = join(client.app.dataDir, 'list.csv')
  writeFileSync(file, 'id,given_names,surname,date_of_birth\nW-7,Anna Maria,Zaphodovaquix,1974-08-12\n')
  const options = { file, format: 'csv', name: 'wanted', date: '2026-03-02', force: true } as const
  await importList(client.app.appliance.store, options, client.now())
  bureau.setFault('malformed')
  const { id } = await claimed()
  const path = `/v1/identities/${id}/antifraud`
  await client.ask('FraudCheckAnswer', 'POST', path, { payload: [{ type: 'WATCHLIST' }] })
  await client.app.runJobs()
  const screened = () => client.app.appliance.store.fraudChecks.list(id).at(0)
  expect(screened()).toMatchObject({
    indicators: expect.arrayContaining(['WATCHLIST_UNVERIFIED']) as string[],
  })
  bureau.setFault(null)
  await client.passTime(MINUTE_MS)
  expect(screened()).toMatchObject({
    indicators: expect.arrayContaining(['WATCHLIST_WARNING']) as string[],
    measured: { entries: 'wanted:W-7' },
  })
  expect(JSON.stringify([screened(), client.events(id)])).not.toMatch(/zaphodovaquix/i)
})
