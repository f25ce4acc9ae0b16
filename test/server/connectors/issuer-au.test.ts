/** The Australian Document Verification Service against its simulator, on a real socket: what leaves, and what counts as an answer. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { loadIssuerParticipation } from '../../../server/config/issuer-participation.ts'
import { openDocumentVerification } from '../../../server/connectors/issuer-au/document-verification.ts'
import type { IssuingSource } from '../../../server/connectors/issuer/issuing-source.ts'
import type { IdDocumentData } from '../../../server/proofing/evidence.ts'
import { buildIssuerQuestion } from '../../../server/proofing/issuer-question.ts'
import { AUSTRALIAN_TYPES } from '../../../server/proofing/issuing-sources.ts'
import { startAustralianService } from '../../../server/tools/simulator/issuer-au.ts'
import { readAustralianRecords } from '../../../server/tools/simulator/specimen-documents.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const REQUEST_ID = '01890a5d-ac96-874b-8cce-000000000001'
const participation = loadIssuerParticipation()
const value = (text: string) => ({ value: text, verified: false })

/** Documents of the first specimen person, as they are typed or read. */
function getDocument(type: (typeof AUSTRALIAN_TYPES)[number], change: object = {}): IdDocumentData {
  const record = readAustralianRecords().find(({ documentType }) => documentType === type)
  if (!record) throw new Error(`no record of ${type}`)
  const { issuingState, values } = record
  const { givenName, middleNames, surname, dateOfBirth = '', fullName } = values
  return {
    idDocumentType: type,
    idDocumentNumber: values.documentNumber ?? '',
    issuingCountry: 'AUS',
    ...(issuingState ? { issuingState } : {}),
    ...(values.cardNumber ? { cardNumber: values.cardNumber } : {}),
    ...(values.expiryDate ? { expiryDate: values.expiryDate } : {}),
    personalAttributes: {
      dateOfBirth: value(dateOfBirth),
      ...(fullName
        ? { fullname: value(fullName) }
        : {
            surname: value(surname ?? ''),
            givenNames: [givenName, middleNames]
              .filter((name) => name !== undefined && name !== '')
              .map((name) => value(name ?? '')),
            gender: value('F'),
          }),
    },
    ...(type === 'MEDICARE'
      ? { medicare: { cardType: 'G', individualReferenceNumber: 1, furtherNames: [] } as const }
      : {}),
    ...change,
  }
}

let service: Awaited<ReturnType<typeof startAustralianService>>
let source: IssuingSource
beforeAll(async () => {
  service = await startAustralianService({ port: 0, records: readAustralianRecords() })
  const settings = { url: service.url, token: null, timeoutMs: 700, askAgainMinutes: [] }
  source = openDocumentVerification(
    { ...settings, agencyCode: 'RNA0', documentTypes: AUSTRALIAN_TYPES },
    participation,
    { now: () => NOW },
  )
})
afterAll(async () => {
  source.close()
  await service.close()
})
afterEach(() => service.setFault(null))

function ask(document: IdDocumentData) {
  const coverage = source.findCoverage(document)
  const question = coverage && buildIssuerQuestion(document, coverage)
  return question ? source.ask({ ...question, requestId: REQUEST_ID }) : null
}

test.each(AUSTRALIAN_TYPES)(
  'a %s that agrees as a whole agrees in every value that was sent',
  async (type) => {
    const document = getDocument(type)
    const coverage = source.findCoverage(document)
    const sent = Object.keys((coverage && buildIssuerQuestion(document, coverage)?.values) ?? {})
    expect(await ask(document)).toMatchObject({
      kind: 'answered',
      record: 'FOUND',
      matches: Object.fromEntries(sent.map((field) => [field, 'MATCH'])),
    })
    const born = { ...document.personalAttributes, dateOfBirth: value('1901-01-01') }
    expect(await ask({ ...document, personalAttributes: born })).toMatchObject({
      record: 'UNMATCHED',
      matches: {},
    })
  },
)

test('a request is the one of the contract: elements in its order, and no value beside those of the document', async () => {
  await ask(getDocument('MEDICARE', { idDocumentNumber: `${getDocument('MEDICARE').idDocumentNumber}1` }))
  const sent = service.requests.at(-1)?.body ?? ''
  const [year, month, day] = (getDocument('MEDICARE').personalAttributes.dateOfBirth?.value ?? '')
    .split('-')
    .map(Number)
  expect(sent.slice(sent.indexOf('<s:Body>'))).toBe(
    '<s:Body><VerifyDocument xmlns="http://DVS/Common/2014/06/Contract/Service/Manager">' +
      '<request i:type="b:MedicareRequest" xmlns:b="http://DVS/Common/2014/06/Contract/Data/Manager"' +
      ' xmlns:i="http://www.w3.org/2001/XMLSchema-instance">' +
      `<b:BirthDate><b:Day>${day}</b:Day><b:Month>${month}</b:Month><b:Year>${year}</b:Year></b:BirthDate>` +
      '<b:DocumentTypeCode>MD</b:DocumentTypeCode><b:FamilyName i:nil="true"/><b:GivenName i:nil="true"/>' +
      '<b:OriginatingAgencyCode>RNA0</b:OriginatingAgencyCode>' +
      '<b:RequestDateTime>2026-03-02T09:00:00.000Z</b:RequestDateTime>' +
      `<b:VerificationRequestNumber>${REQUEST_ID}</b:VerificationRequestNumber>` +
      '<b:VersionNumber>1</b:VersionNumber><b:CardExpiry>2031-08</b:CardExpiry>' +
      `<b:CardNumber>${getDocument('MEDICARE').idDocumentNumber}</b:CardNumber><b:CardType>G</b:CardType>` +
      `<b:FullName1>${getDocument('MEDICARE').personalAttributes.fullname?.value}</b:FullName1>` +
      '<b:FullName2 i:nil="true"/><b:FullName3 i:nil="true"/><b:FullName4 i:nil="true"/>' +
      '<b:IndividualRefNumber>1</b:IndividualRefNumber>' +
      '</request></VerifyDocument></s:Body></s:Envelope>',
  )
})

test('a name cannot write elements of its own into the request', async () => {
  const surname = value('</b:FamilyName><b:LicenceNumber>1</b:LicenceNumber>&amp;')
  const { personalAttributes } = getDocument('PASSPORT')
  const answer = await ask(
    getDocument('PASSPORT', { personalAttributes: { ...personalAttributes, surname } }),
  )
  expect(answer).toMatchObject({ record: 'UNMATCHED' })
  expect(service.requests.at(-1)?.body).not.toContain('<b:LicenceNumber>')
})

describe('a driving licence', () => {
  test('of each state and territory needs the number of its card, and of no other state is asked about', () => {
    for (const issuingState of ['ACT', 'NSW', 'NT', 'QLD', 'SA', 'TAS', 'VIC', 'WA']) {
      expect(ask(getDocument('DRIVING_LICENSE', { issuingState }))).not.toBeNull()
      expect(ask(getDocument('DRIVING_LICENSE', { issuingState, cardNumber: undefined }))).toBeNull()
    }
    expect(source.findCoverage(getDocument('DRIVING_LICENSE', { issuingState: 'TX' }))).toBeNull()
    expect(source.findCoverage(getDocument('DRIVING_LICENSE', { issuingCountry: 'NZL' }))).toBeNull()
  })

  test('of Victoria is confirmed without its card number, which the service compares only after a breach', async () => {
    const records = readAustralianRecords().map((record) =>
      record.documentType === 'DRIVING_LICENSE' ? { ...record, issuingState: 'VIC' } : record,
    )
    const victoria = await startAustralianService({ port: 0, records })
    const settings = {
      url: victoria.url,
      token: null,
      timeoutMs: 700,
      askAgainMinutes: [],
      agencyCode: 'RNA0',
    }
    const asked = openDocumentVerification(
      { ...settings, documentTypes: ['DRIVING_LICENSE'] },
      participation,
      { now: () => NOW },
    )
    const document = getDocument('DRIVING_LICENSE', { issuingState: 'VIC' })
    const coverage = asked.findCoverage(document)
    const question = coverage && buildIssuerQuestion(document, coverage)
    expect(question && (await asked.ask({ ...question, requestId: REQUEST_ID }))).toMatchObject({
      record: 'FOUND',
      matches: { documentNumber: 'MATCH', cardNumber: 'NOT_COMPARED' },
    })
    expect(asked.findCoverage(getDocument('PASSPORT'))).toBeNull()
    asked.close()
    await victoria.close()
  })
})

test('a visa that is not found is not contradicted, because its own number may be another one', () => {
  expect(source.findCoverage(getDocument('VISA'))?.isComplete).toBe(false)
  expect(source.findCoverage(getDocument('PASSPORT'))?.isComplete).toBe(true)
})

test('the result code D is no contradiction, and S is no answer', async () => {
  service.setFault('document-error')
  expect(await ask(getDocument('PASSPORT'))).toMatchObject({ kind: 'answered', record: 'DOCUMENT_ERROR' })
  service.setFault('system-error')
  expect(await ask(getDocument('PASSPORT'))).toMatchObject({
    kind: 'unavailable',
    reason: 'unexpected-answer',
  })
  expect(source.health().status).toBe('DEGRADED')
})

test.each([
  ['silent', 'timeout'],
  ['error', 'unexpected-answer'],
  ['rate-limit', 'unexpected-answer'],
  ['refuse', 'credentials-refused'],
  ['half', 'unreachable'],
  ['malformed', 'malformed'],
  ['other-request', 'malformed'],
  ['unasked', 'malformed'],
] as const)('the fault %s is told as %s', async (fault, reason) => {
  service.setFault(fault)
  expect(await ask(getDocument('PASSPORT'))).toMatchObject({ kind: 'unavailable', reason })
})
