/** AAMVA's licence verification against its simulator, on a real socket, in each form of the protocol. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { loadIssuerParticipation } from '../../../server/config/issuer-participation.ts'
import { openLicenceVerification } from '../../../server/connectors/issuer-us/licence-verification.ts'
import { readIndicators } from '../../../server/connectors/issuer-us/match-indicators.ts'
import { splitSuffix, writeOwnForm } from '../../../server/connectors/issuer-us/own-form.ts'
import type { IssuingSource } from '../../../server/connectors/issuer/issuing-source.ts'
import type { IdDocumentData } from '../../../server/proofing/evidence.ts'
import { buildIssuerQuestion } from '../../../server/proofing/issuer-question.ts'
import { UNITED_STATES_FIELDS } from '../../../server/proofing/issuing-sources.ts'
import { startUnitedStatesService } from '../../../server/tools/simulator/issuer-us.ts'
import { readUnitedStatesRecords } from '../../../server/tools/simulator/specimen-documents.ts'

const REQUEST_ID = '01890a5d-ac96-874b-8cce-000000000001'
const participation = loadIssuerParticipation()
const value = (text = '') => ({ value: text, verified: false })
const [{ values: ALBA }] = readUnitedStatesRecords()

function getLicence(change: object = {}, attributes: object = {}): IdDocumentData {
  return {
    idDocumentType: 'DRIVING_LICENSE',
    idDocumentNumber: ALBA.documentNumber ?? '',
    issuingCountry: 'USA',
    issuingState: 'TX',
    expiryDate: ALBA.expiryDate ?? '',
    personalAttributes: {
      surname: value(ALBA.surname),
      givenNames: [value(ALBA.givenName)],
      dateOfBirth: value(ALBA.dateOfBirth),
      gender: value('F'),
      ...attributes,
    },
    ...change,
  }
}

let service: Awaited<ReturnType<typeof startUnitedStatesService>>
const sources = new Map<string, IssuingSource>()
function open(change: object = {}): IssuingSource {
  const settings = {
    url: service.url,
    token: 'c2VjcmV0',
    timeoutMs: 700,
    askAgainMinutes: [],
    protocol: 'soap-1.2' as const,
    originatorId: 'GSA',
    governmentUser: false,
    sends: UNITED_STATES_FIELDS,
    ...change,
  }
  return openLicenceVerification(settings, participation, { now: () => new Date() })
}
beforeAll(async () => {
  service = await startUnitedStatesService({ port: 0, records: readUnitedStatesRecords() })
  for (const protocol of ['soap-1.2', 'soap-1.1', 'json']) sources.set(protocol, open({ protocol }))
})
afterAll(async () => {
  for (const source of sources.values()) source.close()
  await service.close()
})
afterEach(() => service.setFault(null))

function ask(document: IdDocumentData, protocol = 'soap-1.2') {
  const source = sources.get(protocol)
  const coverage = source?.findCoverage(document)
  const question = coverage && buildIssuerQuestion(document, coverage)
  return question ? source?.ask({ ...question, requestId: REQUEST_ID }) : null
}

describe.each(['soap-1.2', 'soap-1.1', 'json'])('in %s', (protocol) => {
  test('each value is compared on its own, and a similar name is told', async () => {
    const similar = getLicence(
      {},
      { surname: value(`${ALBA.surname?.slice(0, 3)}-${ALBA.surname?.slice(3)}`) },
    )
    expect(await ask(similar, protocol)).toMatchObject({
      kind: 'answered',
      record: 'FOUND',
      matches: {
        documentNumber: 'MATCH',
        surname: 'SIMILAR',
        givenName: 'MATCH',
        dateOfBirth: 'MATCH',
        expiryDate: 'MATCH',
        sex: 'NOT_COMPARED',
      },
    })
    expect(await ask(getLicence({ expiryDate: '2031-01-01' }), protocol)).toMatchObject({
      matches: { surname: 'MATCH', expiryDate: 'NO_MATCH' },
    })
    expect(await ask(getLicence({ idDocumentNumber: '99999999' }), protocol)).toMatchObject({
      record: 'NOT_FOUND',
      matches: {},
    })
  })

  test('the number of a document of another kind is no record of this one', async () => {
    expect(await ask(getLicence({ idDocumentType: 'IDENTITY_CARD' }), protocol)).toMatchObject({
      record: 'NOT_COVERED',
    })
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
    ['state-silent', protocol === 'json' ? 'malformed' : 'unexpected-answer'],
  ] as const)('the fault %s is told as %s', async (fault, reason) => {
    service.setFault(fault)
    expect(await ask(getLicence(), protocol)).toMatchObject({ kind: 'unavailable', reason })
  })
})

test('a request is the one of the service description: elements in its order, and only the configured values', async () => {
  const source = open({ sends: ['documentNumber', 'surname', 'givenName', 'dateOfBirth', 'height'] })
  const document = getLicence(
    {},
    { surname: value('O’Neil Jr'), height: value('5-10'), eyeColor: value('blue') },
  )
  const coverage = source.findCoverage(document)
  const question = coverage && buildIssuerQuestion(document, coverage)
  if (question) await source.ask({ ...question, requestId: REQUEST_ID })
  source.close()
  const sent = service.requests.at(-1)?.body ?? ''
  expect(sent.slice(sent.indexOf('<w:token>'))).toBe(
    '<w:token>c2VjcmV0</w:token><w:verifyDriverLicenseDataRequest><e:ControlData><e:MessageAddress>' +
      `<e:TransactionLocatorId>${REQUEST_ID}</e:TransactionLocatorId>` +
      '<e:MessageOriginatorId>GSA</e:MessageOriginatorId><e:MessageDestinationId>TX</e:MessageDestinationId>' +
      '</e:MessageAddress></e:ControlData><n:DriverLicenseIdentification>' +
      `<n:IdentificationID>${ALBA.documentNumber}</n:IdentificationID></n:DriverLicenseIdentification>` +
      `<e:PersonBirthDate>${ALBA.dateOfBirth}</e:PersonBirthDate><n:PersonName>` +
      `<n:PersonGivenName>${ALBA.givenName}</n:PersonGivenName><n:PersonSurName>O’Neil</n:PersonSurName>` +
      '<n:PersonNameSuffixText>JR</n:PersonNameSuffixText></n:PersonName>' +
      '<e:DocumentCategoryCode>1</e:DocumentCategoryCode><e:PersonHeightMeasure>510</e:PersonHeightMeasure>' +
      '</w:verifyDriverLicenseDataRequest></w:VerifyDriverLicenseData></s:Body></s:Envelope>',
  )
})

describe('jurisdictions', () => {
  const covers = (
    issuingState: string,
    idDocumentType = 'DRIVING_LICENSE',
    source = sources.get('soap-1.2'),
  ) => source?.findCoverage(getLicence({ issuingState, idDocumentType }))?.isComplete

  test('that take no part are not asked: New York, California and twelve others', () => {
    for (const state of ['AK', 'AS', 'CA', 'GU', 'LA', 'MN', 'MP', 'NH', 'NY', 'PA', 'PR', 'UT', 'VI'])
      expect(covers(state), state).toBeUndefined()
    for (const state of ['AL', 'DC', 'DE', 'NV', 'WI', 'WY']) expect(covers(state), state).toBe(true)
  })

  test('with no identity cards, or with some alone, are known: Nevada, Wisconsin, Delaware', () => {
    expect(covers('NV', 'IDENTITY_CARD')).toBeUndefined()
    expect(covers('WI', 'IDENTITY_CARD')).toBeUndefined()
    expect(covers('DE', 'IDENTITY_CARD')).toBe(false)
    expect(covers('TX', 'IDENTITY_CARD')).toBe(true)
    expect(covers('TX', 'PASSPORT')).toBeUndefined()
  })

  test('that answer government users alone are asked by no other: Oklahoma', () => {
    expect(covers('OK')).toBeUndefined()
    const government = open({ governmentUser: true })
    expect(covers('OK', 'DRIVING_LICENSE', government)).toBe(true)
    government.close()
  })
})

describe('match indicators', () => {
  const question = {
    requestId: REQUEST_ID,
    documentType: 'DRIVING_LICENSE',
    issuingCountry: 'USA',
    values: { documentNumber: '1', surname: 'A', middleNames: 'B', postcode: '787011234' },
  } as const
  const read = (indicators: Readonly<Record<string, boolean>>) =>
    readIndicators(
      new Map(Object.entries({ DriverLicenseNumberMatchIndicator: true, ...indicators })),
      question,
    )

  test.each([
    ['no indicator at all', {}, { surname: 'NOT_COMPARED', middleNames: 'NOT_COMPARED' }],
    ['a fuzzy one alone', { PersonLastNameFuzzyAlternateMatchIndicator: true }, { surname: 'SIMILAR' }],
    ['exact and fuzzy ones that fail', { PersonLastNameExactMatchIndicator: false }, { surname: 'NO_MATCH' }],
    [
      'an initial',
      { PersonMiddleNameExactMatchIndicator: false, PersonMiddleInitialMatchIndicator: true },
      { middleNames: 'SIMILAR' },
    ],
    [
      'another suffix',
      { PersonLastNameExactMatchIndicator: true, PersonNameSuffixMatchIndicator: false },
      { surname: 'SIMILAR' },
    ],
    [
      'another ZIP+4',
      { AddressZIP5MatchIndicator: true, AddressZIP4MatchIndicator: false },
      { postcode: 'NO_MATCH' },
    ],
  ])('%s', (_name, indicators, matches) => {
    expect(read(indicators)).toMatchObject({ record: 'FOUND', matches })
  })

  test('that fail for a value that was not sent say nothing, and that pass for one are malformed', () => {
    expect(read({ PersonSexCodeMatchIndicator: false })).toMatchObject({ kind: 'answered' })
    expect(read({ PersonSexCodeMatchIndicator: true })).toMatchObject({ reason: 'malformed' })
  })
})

test.each([
  ['documentNumber', '12-345 6', '123456'],
  ['height', '068 in', '508'],
  ['height', '178 cm', '510'],
  ['height', '5′ 10″', '510'],
  ['height', '170', null],
  ['eyeColour', 'grey', 'GRY'],
  ['eyeColour', 'violet', null],
  ['sex', 'X', null],
  ['sex', 'M', '1'],
  ['postcode', '78701-1234', '787011234'],
  ['postcode', 'SW1A 1AA', null],
  ['addressState', 'Texas', null],
  ['dateOfBirth', '1974', null],
] as const)('%s "%s" is written as %s', (field, text, written) => {
  expect(writeOwnForm(field, text, 'TX')).toBe(written)
})

test('South Carolina keeps eight digits, and a suffix is sent apart from the surname', () => {
  expect(writeOwnForm('documentNumber', '12345', 'SC')).toBe('00012345')
  expect(splitSuffix('Smith III')).toEqual({ surname: 'Smith', suffix: 'III' })
  expect(splitSuffix('De la Iv')).toEqual({ surname: 'De la', suffix: 'IV' })
  expect(splitSuffix('Li')).toEqual({ surname: 'Li' })
})
