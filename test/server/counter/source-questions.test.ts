/** The questions of sources outside at the counter: the officer types what the applicant says or shows, by the rules of the kiosk. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadAddressFormats } from '../../../server/config/address-formats.ts'
import { loadIssuerParticipation } from '../../../server/config/issuer-participation.ts'
import { combineAddressRegisters } from '../../../server/connectors/address-register/address-registers.ts'
import { combineSources } from '../../../server/connectors/issuer/issuing-sources.ts'
import type { AssistView, ConsentDisplay, ConsentQuestion } from '../../../server/counter/contract/assist.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { openConsole, type ConsoleBench } from './console-bench.ts'

const SERVICE = { allowHttp: true, url: 'http://127.0.0.1:9', signingKeyFile: 'x.key', keyId: 'test' }
const SENDS = ['streetLine1', 'postcode', 'city', 'givenNames', 'surname'] as const
/** Sources at the true edge: the bench asks none. */
const EDGE = {
  health: () => ({ status: 'UP' as const, detail: '' }),
  close: () => undefined,
  askAgainMinutes: [],
  ask: () => Promise.reject(new Error('not asked here')),
}

let its: ConsoleBench
beforeAll(async () => {
  const formats = loadAddressFormats()
  its = await openConsole({
    config: {
      tenant: { features: { issuerVerification: true } },
      connectors: {
        addressRegisters: [
          { ...SERVICE, id: 'residents', name: 'Residents', countries: ['UTO', 'DEU'], sends: SENDS },
        ],
        issuers: [
          {
            ...SERVICE,
            id: 'licences',
            name: 'Licence office',
            covers: [{ documentTypes: ['PASSPORT'], countries: ['UTO'] }],
            sends: ['documentNumber', 'surname', 'dateOfBirth', 'cardNumber'],
            needs: ['cardNumber'],
          },
        ],
      },
    },
    parts: {
      addressRegisters: combineAddressRegisters(
        [{ ...EDGE, id: 'residents', countries: ['UTO', 'DEU'], sends: SENDS, authoritative: false }],
        formats,
      ),
      issuers: combineSources(
        [
          {
            ...EDGE,
            id: 'licences',
            connector: 'issuer',
            findCoverage: () => ({ isComplete: true, needs: ['cardNumber'], takes: [] }),
          },
        ],
        loadIssuerParticipation(),
      ),
    },
  })
})
afterAll(() => its.close())

const officer = () => its.as(['officer'])
const call = <T = AssistView>(method: string, path: string, body?: object) =>
  officer().call<T>(method, `assist/${path}`, body)

async function agreed(optional: readonly string[]): Promise<string> {
  const { visitId } = (await call('POST', 'begin', { language: 'en' })).body
  const { body } = await call<ConsentDisplay>('POST', `${visitId}/consent-display`, {
    display: 'SECOND',
    language: 'en',
  })
  const question = (await its.onDisplay(body.token, 'GET')).body as ConsentQuestion
  expect(question.optional).toEqual(expect.arrayContaining(['GIV', 'ADDRESS']))
  const presentation = { language: 'en', readAll: true, listened: false }
  await its.onDisplay(body.token, 'POST', { approved: true, optional, presentation })
  return visitId
}
async function showPassport(visitId: string): Promise<AssistView> {
  const form = new FormData()
  form.append('front', new Blob([aPassport() as BlobPart], { type: 'image/jpeg' }), 'front.jpg')
  await officer().send(`assist/${visitId}/document/file?country=UTO&documentType=PASSPORT`, form)
  await its.runJobs()
  return (await call('GET', visitId)).body
}
const anAddress = (street: string) => ({
  question: 'ADDRESS',
  country: 'UTO',
  values: { street, postcode: '1000', city: 'Utopia City' },
})

test('the number that the issuer of a document needs is checked, typed once and never shown', async () => {
  const visitId = await agreed(['GIV'])
  const { sources, documents } = await showPassport(visitId)
  const evidenceId = documents[0]?.evidenceId
  expect(sources).toEqual({
    document: { evidenceId, source: 'Licence office', fields: ['cardNumber'] },
    address: null,
  })
  const path = `${visitId}/details`
  const answer = (cardNumber: string) => ({ question: 'DOCUMENT', values: { cardNumber } })
  const number = documents[0]?.values.find(({ field }) => field === 'documentNumber')?.value ?? ''
  expect((await call<object>('POST', `${path}/check`, answer(number))).body).toEqual({
    problems: [{ field: 'cardNumber', problem: 'DOCUMENT_NUMBER' }],
  })
  expect((await call('POST', path, { question: 'DOCUMENT', values: {} })).status).toBe(400)
  const { status, body } = await call('POST', path, answer('P123 4567'))
  expect([status, body.sources.document, body.checking]).toEqual([200, null, true])
  await its.runJobs()
  expect(JSON.stringify((await call('GET', visitId)).body)).not.toContain('P123')
  expect((await call('POST', path, answer('P123 4567'))).status).toBe(403)
})

test('five addresses are typed in the form of their country, with the consent to the question and not without it', async () => {
  const visitId = await agreed(['ADDRESS'])
  const path = `${visitId}/details`
  const { sources } = (await call('GET', visitId)).body
  expect(sources.address).toMatchObject({
    left: 5,
    answers: [],
    countries: [
      { iso3: 'UTO', source: 'Residents', told: ['country', ...SENDS], numberFirst: true },
      { iso3: 'DEU', iso2: 'DE', numberFirst: false },
    ],
  })
  const unusual = { ...anAddress('1 Example Street'), country: 'DEU' }
  expect((await call<object>('POST', `${path}/check`, unusual)).body).toEqual({
    problems: [{ field: 'postcode', problem: 'UNUSUAL' }],
  })
  for (const number of [1, 2, 3, 4, 5])
    expect((await call('POST', path, anAddress(`${number} Example Street`))).status).toBe(200)
  expect((await call('GET', visitId)).body.sources.address).toMatchObject({
    left: 0,
    answers: Array.from({ length: 5 }, () => ({ source: null, says: null })),
  })
  expect((await call('POST', path, anAddress('6 Example Street'))).status).toBe(403)

  const without = await agreed([])
  expect((await call('GET', without)).body.sources.address).toBeNull()
  expect((await call('POST', `${without}/details`, anAddress('1 Example Street'))).status).toBe(403)
})
