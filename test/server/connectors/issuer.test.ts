/** The protocol of an issuing source against the simulator, on a real socket: what leaves, and what counts as an answer. */
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openGenericSource } from '../../../server/connectors/issuer/generic-source.ts'
import type { IssuerQuestion, IssuingSource } from '../../../server/connectors/issuer/issuing-source.ts'
import { loadIssuerParticipation } from '../../../server/config/issuer-participation.ts'
import { combineSources } from '../../../server/connectors/issuer/issuing-sources.ts'
import { buildIssuerQuestion } from '../../../server/proofing/issuer-question.ts'
import { AppError } from '../../../server/errors.ts'
import { readSpecimenRecords, startIssuer } from '../../../server/tools/simulator/issuer.ts'
import type { QuestionSimulator } from '../../../server/tools/simulator/question-simulator.ts'

const keys = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
const toPem = (key: { export(options: object): unknown }, type: 'pkcs8' | 'spki'): string =>
  key.export({ type, format: 'pem' }) as string
const SIGNING = keys('P-256')
const SETTINGS = {
  id: 'office',
  askAgainMinutes: [],
  token: null,
  timeoutMs: 300,
  signingKey: toPem(SIGNING.privateKey, 'pkcs8'),
  keyId: 'k1',
  covers: [{ documentTypes: ['PASSPORT'], countries: ['UTO'] }],
  sends: ['documentNumber', 'surname', 'dateOfBirth'] as const,
}
const clock = { now: () => new Date() }

const [ALBA] = readSpecimenRecords()
const question = (change: object = {}): IssuerQuestion => {
  const { documentNumber, surname, dateOfBirth } = ALBA.values
  return {
    requestId: '01890a5d-ac96-874b-8cce-000000000001',
    documentType: 'PASSPORT',
    issuingCountry: 'UTO',
    values: { documentNumber, surname, dateOfBirth, ...change },
  }
}

let issuer: QuestionSimulator
let source: IssuingSource
beforeAll(async () => {
  issuer = await startIssuer({
    port: 0,
    publicKey: toPem(SIGNING.publicKey, 'spki'),
    records: readSpecimenRecords(),
  })
  source = openGenericSource({ ...SETTINGS, url: issuer.url }, 'connectors.issuers.0', clock)
})
afterAll(async () => {
  source.close()
  await issuer.close()
})

describe('an answer', () => {
  test('tells for each value whether it agrees, with the signature of this appliance checked', async () => {
    expect(await source.ask(question())).toMatchObject({
      kind: 'answered',
      record: 'FOUND',
      matches: { documentNumber: 'MATCH', surname: 'MATCH', dateOfBirth: 'MATCH' },
    })
    expect(await source.ask(question({ surname: 'Sílverthorn', dateOfBirth: '1989-01-07' }))).toMatchObject({
      matches: { surname: 'SIMILAR', dateOfBirth: 'NO_MATCH' },
    })
    expect(await source.ask(question({ documentNumber: 'FR7050022' }))).toMatchObject({ record: 'NOT_FOUND' })
    expect(source.health()).toEqual({ status: 'UP', detail: 'configured' })
  })

  test('to a request that another key signed is refused', async () => {
    const signingKey = toPem(keys('P-256').privateKey, 'pkcs8')
    const stranger = openGenericSource({ ...SETTINGS, url: issuer.url, signingKey }, 'x', clock)
    expect(await stranger.ask(question())).toMatchObject({
      kind: 'unavailable',
      reason: 'credentials-refused',
      httpStatus: 401,
    })
    stranger.close()
  })
})

test.each([['other-request'], ['unasked']] as const)(
  'an answer to a question that was not put (%s) is none',
  async (fault) => {
    issuer.setFault(fault)
    const before = issuer.requests.length
    expect(await source.ask(question())).toMatchObject({ kind: 'unavailable', reason: 'malformed' })
    expect(issuer.requests.length - before).toBe(1)
    expect(source.health().status).toBe('DEGRADED')
    issuer.setFault(null)
  },
)

test.each([
  ['no key', 'not a key'],
  ['a key of another curve', toPem(keys('P-384').privateKey, 'pkcs8')],
])('%s to sign with is refused at the start', (_name, signingKey) => {
  const open = () =>
    openGenericSource({ ...SETTINGS, url: issuer.url, signingKey }, 'connectors.issuers.0', clock)
  expect(open).toThrow(AppError)
})

const CARD = {
  idDocumentType: 'MEDICARE',
  idDocumentNumber: '32788511952',
  issuingCountry: 'AUS',
  personalAttributes: {
    fullname: { value: 'Anna M Zaphodovaquix', verified: false },
    dateOfBirth: { value: '1974-08-12', verified: false },
  },
  medicare: { cardType: 'G', furtherNames: ['Second Line'] },
} as const

test('a Medicare card is identified by its full name, and the number of the person is not part of the card number', () => {
  const sends = ['documentNumber', 'fullName', 'dateOfBirth', 'medicareReference'] as const
  const covers = [{ documentTypes: ['MEDICARE'], countries: ['AUS'] }]
  const medicare = openGenericSource({ ...SETTINGS, url: issuer.url, sends, covers }, 'x', clock)
  const coverage = medicare.findCoverage(CARD)
  expect(coverage && buildIssuerQuestion(CARD, coverage)?.values).toEqual({
    documentNumber: '3278851195',
    fullName: 'Anna M Zaphodovaquix\nSecond Line',
    dateOfBirth: '1974-08-12',
    medicareReference: '2',
  })
  medicare.close()
})

test('a source with some records alone does not contradict a document that it does not find', async () => {
  const partial: IssuingSource = {
    ...source,
    findCoverage: (document) => {
      const coverage = source.findCoverage(document)
      return coverage && { ...coverage, isComplete: false }
    },
  }
  const sources = combineSources([partial], loadIssuerParticipation())
  const value = (text = '') => ({ value: text, verified: false })
  const document = {
    idDocumentType: 'PASSPORT',
    idDocumentNumber: 'X0000000',
    issuingCountry: 'UTO',
    personalAttributes: { surname: value(ALBA.values.surname), dateOfBirth: value(ALBA.values.dateOfBirth) },
  } as const
  expect(sources.judgeEligibility(document)).toBe('inconclusive')
  expect(await sources.ask('e1', document)).toMatchObject({
    outcome: { kind: 'answered', answer: { record: 'NOT_COVERED', matches: {} } },
  })
})

test('a document that lacks a value is not asked about, and the value is named', async () => {
  const sources = combineSources([source], loadIssuerParticipation())
  const surname = { value: ALBA.values.surname ?? '', verified: false }
  const document = {
    idDocumentType: 'PASSPORT',
    issuingCountry: 'UTO',
    personalAttributes: { surname },
  } as const
  expect(await sources.ask('e1', document)).toEqual({
    unasked: 'VALUES',
    missing: ['documentNumber', 'dateOfBirth'],
  })
  expect(await sources.ask('e1', { ...document, issuingCountry: 'ATA' })).toEqual({
    unasked: 'COVERAGE',
    missing: [],
  })
})

test('the health of the sources names them, or says that none is configured', () => {
  expect(combineSources([], loadIssuerParticipation()).health()).toEqual({
    status: 'UP',
    detail: 'not configured',
  })
  expect(combineSources([source], loadIssuerParticipation()).health().detail).toContain('office')
})
