/** Each kind of document that is only typed in reaches VERIFIED through its government, and stays without a verdict otherwise. */
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAustralianService } from '../../../server/tools/simulator/issuer-au.ts'
import { startUnitedStatesService } from '../../../server/tools/simulator/issuer-us.ts'
import { startIssuer, type IssuerRecord } from '../../../server/tools/simulator/issuer.ts'
import {
  readAustralianRecords,
  readUnitedStatesRecords,
} from '../../../server/tools/simulator/specimen-documents.ts'
import { SHARING_TENANT } from '../../support/app.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { scriptedVision } from './scripted-vision.ts'

const NOW = new Date('2026-03-02T09:00:00Z')

const PERSON = { surname: 'ZAPHODOVAQUIX', givenName: 'ANNA', dateOfBirth: '1974-08-12' }
const OTHERS: readonly IssuerRecord[] = ['IDENTITY_CARD', 'TAX_CARD', 'VOTER_CARD'].map((documentType) => ({
  documentType,
  issuingCountry: 'MEX',
  values: { ...PERSON, documentNumber: 'X1234567' },
}))
/** One document of each kind: of Australia, of Texas, and of a country with a source of ours. */
const DOCUMENTS = [...readAustralianRecords(), ...readUnitedStatesRecords(), ...OTHERS]
  .filter(({ documentType }) => documentType !== 'VISA')
  .filter(
    (record, index, all) =>
      all.findIndex(
        ({ documentType, issuingCountry }) =>
          documentType === record.documentType && issuingCountry === record.issuingCountry,
      ) === index,
  )

type Simulator = Awaited<
  ReturnType<typeof startAustralianService | typeof startUnitedStatesService | typeof startIssuer>
>
const simulators: Simulator[] = []
let client: ProofingClient
beforeAll(async () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const australia = await startAustralianService({ port: 0, records: readAustralianRecords() })
  const unitedStates = await startUnitedStatesService({ port: 0, records: readUnitedStatesRecords() })
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'pem' }) as string
  const issuer = await startIssuer({ port: 0, publicKey, records: OTHERS, now: () => NOW })
  simulators.push(australia, unitedStates, issuer)
  const connection = ({ url }: Simulator) => ({ url, allowHttp: true, timeoutMs: 2000 })
  const config = {
    tenant: { ...SHARING_TENANT, features: { issuerVerification: true } },
    connectors: {
      issuerAu: { name: 'Australia', ...connection(australia), agencyCode: 'RNA0' },
      issuerUs: { name: 'United States', ...connection(unitedStates), originatorId: 'GSA' },
      issuers: [
        {
          id: 'mexico',
          name: 'Mexico',
          ...connection(issuer),
          signingKeyFile: 'issuer.key',
          keyId: 'test',
          covers: [{ documentTypes: ['IDENTITY_CARD', 'TAX_CARD', 'VOTER_CARD'], countries: ['MEX'] }],
          sends: ['documentNumber', 'surname', 'givenName', 'dateOfBirth'],
        },
      ],
    },
  }
  const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  client = await startProofing(config, scriptedVision(), { 'issuer.key': privateKey })
})
afterAll(async () => {
  await client.app.close()
  for (const simulator of simulators) await simulator.close()
})

const countRequests = (): number => simulators.reduce((sum, { requests }) => sum + requests.length, 0)
const value = (text = '') => ({ value: text })

function getSubmission({ documentType, issuingCountry, issuingState, values }: IssuerRecord) {
  const { documentNumber, dateOfBirth, expiryDate = '2031-01-01' } = values
  if (documentType === 'MEDICARE') {
    const payload = {
      cardNumber: documentNumber,
      cardType: values.medicareColour,
      expiryDate,
      individualReferenceNumber: Number(values.medicareReference),
      personalAttributes: { fullname: value(values.fullName), dateOfBirth: value(dateOfBirth) },
    }
    return { path: 'id-document/aus/medicare', payload }
  }
  const givenNames = [values.givenName, values.middleNames].filter((name) => name).map((name) => value(name))
  const payload = {
    idDocumentType: documentType,
    idDocumentNumber: documentNumber,
    issuingCountry,
    issuingState,
    expiryDate,
    cardNumber: values.cardNumber,
    personalAttributes: { surname: value(values.surname), givenNames, dateOfBirth: value(dateOfBirth) },
  }
  return { path: 'id-documents', payload }
}

async function submit(record: IssuerRecord, consents: readonly string[]) {
  const id = await client.anIdentity([])
  const given = consents.map((type) => ({ type, approved: true }))
  if (given.length > 0)
    await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload: given })
  const { path, payload } = getSubmission(record)
  const before = countRequests()
  await client.ask('SingleStatus', 'POST', `/v1/identities/${id}/${path}`, { payload })
  await client.app.runJobs()
  const [document] = (await client.identity(id)).idDocuments
  return { id, document, asked: countRequests() - before }
}

describe.each(
  DOCUMENTS.map((record) => [`${record.documentType} of ${record.issuingCountry}`, record] as const),
)('a typed %s', (_name, record) => {
  test('is VERIFIED by its government, with its values', async () => {
    const { document, asked } = await submit(record, ['GIV'])
    expect(asked).toBe(1)
    expect(document.evidenceStatus).toMatchObject({
      status: 'VERIFIED',
      blockingIndicators: [],
      errors: [],
    })
    expect(document.evidenceStatus.positiveIndicators).toEqual(
      expect.arrayContaining([
        'GIV_ELIGIBILITY_OK',
        'GIV_VERIFICATION_VERIFIED',
        'SURNAME_COMPARE_OK',
        'FIRSTNAME_COMPARE_OK',
      ]),
    )
    expect(document.idDocumentData?.personalAttributes?.dateOfBirth).toMatchObject({ verified: true })
  })

  test('stays without a verdict if the applicant gives no consent, and no source is asked', async () => {
    const { document, asked } = await submit(record, [])
    expect(asked).toBe(0)
    expect(document.evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      blockingIndicators: [],
      errors: [],
    })
    expect(document.evidenceStatus.unverifiedIndicators).toContain('GIV_VERIFICATION_UNVERIFIED')
  })

  test('is INVALID if a value differs', async () => {
    const values = { ...record.values, dateOfBirth: '1955-05-05' }
    const { document } = await submit({ ...record, values }, ['GIV'])
    expect(document.evidenceStatus).toMatchObject({
      status: 'INVALID',
      blockingIndicators: ['GIV_VERIFICATION_FAILED'],
      errors: [{ code: '1599' }],
    })
  })
})

test('an Australian licence without the number of its card is not asked about', async () => {
  const licence = DOCUMENTS.find(
    ({ documentType, issuingCountry }) => documentType === 'DRIVING_LICENSE' && issuingCountry === 'AUS',
  )
  if (!licence) throw new Error('no licence')
  const values = { ...licence.values, cardNumber: undefined }
  const { document, asked } = await submit({ ...licence, values }, ['GIV'])
  expect(asked).toBe(0)
  expect(document.evidenceStatus).toMatchObject({ status: 'NOT_VERIFIED', blockingIndicators: [] })
})

test('a service that did not answer is asked again with the same number, and its late answer confirms the document', async () => {
  const [australia] = simulators
  const [passport] = DOCUMENTS
  australia.setFault('rate-limit')
  const before = australia.requests.length
  const { id, document } = await submit(passport, ['GIV'])
  expect(document.evidenceStatus).toMatchObject({
    status: 'NOT_VERIFIED',
    blockingIndicators: [],
    errors: [],
  })
  australia.setFault(null)
  await client.passTime(61_000)
  const numbers = australia.requests
    .slice(before)
    .map(({ body }) => /VerificationRequestNumber>([^<]+)</.exec(body)?.[1])
  expect(numbers.length).toBeGreaterThan(3)
  expect(new Set(numbers).size).toBe(1)
  expect((await client.identity(id)).idDocuments[0].evidenceStatus.status).toBe('VERIFIED')
})

test('nothing of a document is in the log', () => {
  expect(client.app.log()).not.toMatch(/Zaphodovaquix|PA1000001|1974-08-12/i)
})
