/** The form of a proof: what a reader meets who knows the specification alone, and what the schema says that is served. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentForm, portraitForm, type CallOptions } from '../../support/app.ts'
import { openProof, type OpenedProof } from '../../support/opened-proof.ts'
import { faultsOfProofFile } from '../../support/proof-schema.ts'
import { aPassport, picture } from './scripted-vision.ts'
import { NUMBER, startWholeApp, type WholeApp } from './whole-app.ts'

let whole: WholeApp
let proof: OpenedProof
let id: string

const value = (text: string) => ({ value: text })
const MEDICARE = {
  cardNumber: '2123456701',
  cardType: 'G',
  expiryDate: '2040-08-01',
  fullname2: 'MARIA ERIKSSON',
  personalAttributes: { fullname: value('Anna Eriksson'), dateOfBirth: value('1974-08-12') },
}

async function add(path: string, options: CallOptions): Promise<void> {
  const { status, body } = await whole.app.json('POST', `/v1/identities/${id}/${path}`, options)
  expect(status, `${path} ${JSON.stringify(body)}`).toBeLessThan(300)
  await whole.endJobs(id)
}

beforeAll(async () => {
  whole = await startWholeApp()
  const headers = { 'correlation-id': 'case 12' }
  const payload = [{ key: 'CHANNEL', value: 'KIOSK' }]
  const created = await whole.app.json('POST', '/v1/identities', { payload, headers })
  id = (created.body as { id: string }).id
  const consents = ['ID_DOCUMENT', 'PORTRAIT', 'MOBILE_OTP', 'GIV', 'ID_CLAIM']
  await add('consents', { payload: consents.map((type) => ({ type, approved: true })) })
  await add('id-documents/capture', { body: documentForm(aPassport()) })
  await add('id-documents/capture', {
    body: documentForm(picture({ shows: 'document', lines: null, face: 'A' })),
  })
  await add('id-document/aus/medicare', { payload: MEDICARE })
  await add('attributes/portrait/capture', { body: portraitForm(picture({ shows: 'person', face: 'B' })) })
  await add('attributes/portrait/capture', { body: portraitForm(picture({ shows: 'person', face: 'A' })) })
  await add('attributes', { payload: { surname: value('Andersson') } })
  await add('addresses', { payload: { city: 'Uppsala', country: 'SWE' } })
  await add('claim', { payload: { contactDetails: { mobile: value(NUMBER) } } })
  await add('contact-details/mobile/otp', { payload: value('000000') })
  await add('contact-details/mobile/otp', { payload: value(whole.gateway.lastCode()) })
  await add('antifraud', { payload: [{ type: 'DUPLICATE_DOCUMENT' }] })
  const file = new FormData()
  file.append('File', new Blob(['%PDF-1.7 a contract'], { type: 'application/pdf' }), 'contract.pdf')
  await add('additional-files', { body: file })
  proof = await openProof(whole.app, id)
})
afterAll(() => whole.close())

const read = (path: string): unknown => JSON.parse(Buffer.from(proof.files.get(path) ?? []).toString('utf8'))

/** Members of the specification, section "Proof archive", and of the objects of "Resources and their fields" that GET identity has. */
const PROOF =
  'version proofId identityId tenantId tenantRole tenantUsed transactionId previousProofId ips startDateTime endDateTime componentVersion hashes signature'
const IDENTITY =
  'globalStatus consents attributes addresses idDocuments portrait trustedIdClaim contactDetails claim context'
const STEP =
  'identityOperation participantContextId progress startDateTime sessionId businessId identityOperationParent identityOperationChild additionalFile consentsDetails contactDetails evaluationDetails evidenceDetails processingDetails verificationDetails'
const EVIDENCE = 'evidenceId submitDateTime type evidenceStatus referenceIds'
const DOCUMENT =
  'idDocumentType idDocumentNumber issuingCountry issuingState issuingDate expiryDate personalAttributes address mrz'
const EVALUATION = 'evaluationDateTime evidences loaAndUpgradePath updateOnIdentitySuccess'
const VERIFICATION =
  'startDateTime endDateTime sessionCreationTime participantType participantState isBlockingParticipant errors raisedIndicators referenceId referenceType candidateId candidateType verificationId sessionId mainOcrService linkedIdentityOperation verificationServices'

function unknownTo(known: string, objects: readonly unknown[]): readonly string[] {
  const names = new Set(known.split(' '))
  const all = objects.flatMap((object) => Object.keys(object ?? {}))
  return [...new Set(all.filter((name) => !names.has(name)))]
}

describe('a reader who knows the specification alone', () => {
  test('meets one member in proof.json that it does not know', () => {
    expect(unknownTo(PROOF, [read('proof.json')])).toEqual(['counterproof'])
  })

  test('meets one in identityDetails.json, and none within', () => {
    const identity = read('identityDetails.json') as Record<string, readonly Record<string, object>[]>
    expect(unknownTo(IDENTITY, [identity])).toEqual(['counterproof'])
    expect(identity.idDocuments).toHaveLength(3)
    const { idDocuments, attributes, addresses } = identity
    expect(unknownTo(`${EVIDENCE} idDocumentData`, idDocuments)).toEqual([])
    expect(
      unknownTo(
        DOCUMENT,
        idDocuments.map(({ idDocumentData }) => idDocumentData),
      ),
    ).toEqual([])
    expect(unknownTo(`${EVIDENCE} attributesData`, attributes)).toEqual([])
    expect(unknownTo(`${EVIDENCE} addressData`, addresses)).toEqual([])
  })

  test('meets one in each step, and none within', () => {
    const { details } = proof
    expect(unknownTo(STEP, details)).toEqual(['counterproof'])
    expect(
      unknownTo(
        EVALUATION,
        details.map(({ evaluationDetails }) => evaluationDetails),
      ),
    ).toEqual([])
    const verifications = details.flatMap(({ verificationDetails }) => verificationDetails)
    expect(verifications.length).toBeGreaterThan(10)
    expect(unknownTo(VERIFICATION, verifications)).toEqual([])
  })
})

describe('members of ours', () => {
  test('are where the schema says', () => {
    expect(read('proof.json')).toMatchObject({
      version: '1.1',
      counterproof: { test: true, correlationId: 'case 12', time: {}, audit: {}, evaluation: { policy: {} } },
    })
    expect(read('identityDetails.json')).toMatchObject({
      counterproof: {
        documents: {},
        electedAttributes: expect.any(Array) as unknown,
        assessment: { policy: {} },
        antifraud: [{ type: 'DUPLICATE_DOCUMENT' }],
        additionalFiles: [{}],
      },
    })
    const reasons = Object.values(
      (read('identityDetails.json') as { counterproof: { documents: Record<string, object> } }).counterproof
        .documents,
    )
    expect(reasons).toContainEqual(expect.objectContaining({ medicare: expect.anything() as unknown }))
    for (const { verificationDetails, counterproof } of proof.details) {
      expect(counterproof?.verifications ?? []).toHaveLength(verificationDetails.length)
    }
  })
})

describe('the schema', () => {
  test('is served without a key, and describes every JSON file', async () => {
    const { status, body } = await whole.app.json('GET', '/proof-schema', { key: null })
    expect(status).toBe(200)
    expect(Object.keys((body as { $defs: object }).$defs).sort()).toEqual([
      'identityDetails.json',
      'longTermValidation.json',
      'proof.json',
      'verificationAndEvaluationDetails.json',
    ])
    for (const path of [...proof.files.keys()].filter((name) => !name.includes('/'))) {
      expect([path, faultsOfProofFile(path, read(path))]).toEqual([path, []])
    }
  })

  test('refuses a member that it does not describe', () => {
    const { details } = proof
    expect(faultsOfProofFile('proof.json', { ...(read('proof.json') as object), extra: 1 })).not.toEqual([])
    const altered = [{ ...details[0], measured: 1 }, ...details.slice(1)]
    expect(faultsOfProofFile('verificationAndEvaluationDetails.json', altered)).not.toEqual([])
  })
})
