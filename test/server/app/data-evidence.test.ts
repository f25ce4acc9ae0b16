import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { readZip } from '../../../server/proof/verify/read-zip.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport } from './scripted-vision.ts'

let client: ProofingClient
beforeAll(async () => {
  // 2 March 2026, a day on which the clock of this client stands.
  client = await startProofing()
})
afterAll(() => client.app.close())

const value = (text: string) => ({ value: text })
const unverified = (text: string) => ({ value: text, verified: false })
const at = (id: string, path: string) => `/v1/identities/${id}/${path}`

async function anIdentity(...consents: readonly string[]): Promise<string> {
  const id = await client.anIdentity()
  const payload = consents.map((type) => ({ type, approved: true }))
  if (payload.length > 0) await client.ask('ConsentList', 'POST', at(id, 'consents'), { payload })
  return id
}

/** The answer to the submission, once its verification has ended. */
async function submitted<Name extends 'SingleStatus' | 'AddressesAnswer' | 'AttributesAnswer'>(
  name: Name,
  path: string,
  payload: object,
) {
  const answer = await client.ask(name, 'POST', path, { payload })
  await client.app.runJobs()
  return answer
}

/** The last typed document as the relying service sees it. */
const lastDocument = async (id: string) => (await client.identity(id)).idDocuments.at(-1)

const LICENCE = {
  idDocumentType: 'DRIVING_LICENSE',
  idDocumentNumber: '12 345 678',
  issuingCountry: 'AUS',
  issuingState: 'VIC',
  issuingDate: '2020-01-31',
  expiryDate: '2030-01-31',
  cardNumber: 'P1234567',
  personalAttributes: {
    dateOfBirth: value('1974-08-12'),
    givenNames: [value('Anna'), value('Maria')],
    surname: value('Zaphodovaquix'),
    fullname: value('Anna Maria Zaphodovaquix'),
    gender: value('F'),
    height: value('170'),
    eyeColor: value('grey'),
  },
  address: {
    streetDetails: { streetLines: ['Unit 5', '12 Example Street', 'Beside the mill'] },
    city: 'Melbourne',
    state: 'VIC',
    postcode: '3000',
  },
}

describe('a document typed in', () => {
  const path = (id: string) => at(id, 'id-documents')
  const afterChecks = async (change: object) => {
    const id = await anIdentity('GIV')
    await submitted('SingleStatus', path(id), { ...LICENCE, ...change })
    return (await lastDocument(id))?.evidenceStatus
  }

  test('is kept as it was written, and ends without a verdict because no issuer is asked', async () => {
    const id = await anIdentity('GIV')
    const answer = await submitted('SingleStatus', path(id), LICENCE)
    expect(answer).toMatchObject({ status: 'PROCESSING', type: 'DRIVING_LICENSE' })
    const document = await lastDocument(id)
    expect(document).toMatchObject({
      evidenceId: answer.id,
      type: 'DRIVING_LICENSE',
      evidenceStatus: {
        status: 'NOT_VERIFIED',
        score: 'LEVEL0',
        errors: [],
        positiveIndicators: [
          'DOCUMENT_EXPIRY_OK',
          'LICENCE_NUMBER_FORM_OK',
          'LICENCE_CARD_NUMBER_FORM_OK',
          'GIV_ELIGIBILITY_OK',
        ],
        warningIndicators: [],
        blockingIndicators: [],
        unverifiedIndicators: ['GIV_VERIFICATION_UNVERIFIED', 'SOURCE_CONFIGURATION_UNVERIFIED'],
      },
    })
    const { personalAttributes, address, cardNumber, ...fields } = LICENCE
    expect((await client.identity(id)).counterproof?.documents?.[answer.id]).toMatchObject({ cardNumber })
    expect(document?.idDocumentData).toEqual({
      ...fields,
      personalAttributes: {
        ...Object.fromEntries(
          Object.entries(personalAttributes).map(([name, sent]) => [
            name,
            Array.isArray(sent) ? sent.map((one) => unverified(one.value)) : unverified(sent.value),
          ]),
        ),
      },
      // Spec: "only the first two lines are used".
      address: {
        ...address,
        streetDetails: { streetLines: ['Unit 5', '12 Example Street'], verified: false },
        verified: false,
      },
    })
    const poll = await client.ask('SingleStatus', 'GET', at(id, `status/${answer.id}`))
    expect(poll).toEqual({ status: 'NOT_VERIFIED', type: 'DRIVING_LICENSE', id: answer.id })
    expect((await client.identity(id)).globalStatus).toMatchObject({
      status: 'EXPECTING_INPUT',
      levelOfAssurance: 'LOA0',
    })
  })

  test('is accepted without the consent to issuer verification, and refused if the applicant refused documents', async () => {
    const id = await anIdentity()
    expect((await submitted('SingleStatus', path(id), LICENCE)).status).toBe('PROCESSING')
    expect(await lastDocument(id)).toMatchObject({ evidenceStatus: { status: 'NOT_VERIFIED' } })
    const payload = [{ type: 'ID_DOCUMENT', approved: false }]
    await client.ask('ConsentList', 'POST', at(id, 'consents'), { payload })
    expect(await client.refusal('POST', path(id), { payload: LICENCE })).toEqual({
      status: 403,
      code: 'consent_missing',
      errors: [{ code: 'consent_missing', field: 'ID_DOCUMENT' }],
    })
  })

  test('that has expired is INVALID; one of which no last day was given is not known to be in force', async () => {
    expect(await afterChecks({ expiryDate: '2026-03-01' })).toMatchObject({
      status: 'INVALID',
      blockingIndicators: ['DOCUMENT_EXPIRY_FAILED'],
    })
    expect(await afterChecks({ expiryDate: '2026-03-02' })).toMatchObject({ status: 'NOT_VERIFIED' })
    const open = await afterChecks({ expiryDate: undefined })
    expect(open?.unverifiedIndicators).toContain('DOCUMENT_EXPIRY_UNVERIFIED')
  })

  test('with a number of another form is warned of and no more', async () => {
    const found = await afterChecks({ idDocumentNumber: 'AB1234567890', cardNumber: '12' })
    expect(found).toMatchObject({
      status: 'NOT_VERIFIED',
      warningIndicators: ['LICENCE_NUMBER_FORM_WARNING', 'LICENCE_CARD_NUMBER_FORM_WARNING'],
    })
  })

  test('says whether any issuing source could confirm it', async () => {
    const licence = (issuingState: string) => ({
      issuingCountry: 'USA',
      issuingState,
      // A form that both New York and Oklahoma give their numbers.
      idDocumentNumber: '123456789',
      cardNumber: undefined,
    })
    expect((await afterChecks(licence('TX')))?.positiveIndicators).toContain('GIV_ELIGIBILITY_OK')
    expect((await afterChecks(licence('NY')))?.warningIndicators).toEqual(['GIV_ELIGIBILITY_WARNING'])
    expect((await afterChecks(licence('OK')))?.unverifiedIndicators).toEqual([
      'GIV_ELIGIBILITY_UNVERIFIED',
      'GIV_VERIFICATION_UNVERIFIED',
      'SOURCE_CONFIGURATION_UNVERIFIED',
    ])
    const passport = await afterChecks({ idDocumentType: 'PASSPORT', issuingCountry: 'FRA' })
    expect(passport).toMatchObject({
      positiveIndicators: ['DOCUMENT_EXPIRY_OK'],
      warningIndicators: ['GIV_ELIGIBILITY_WARNING'],
    })
  })
})

describe('a Medicare card', () => {
  const CARD = {
    cardNumber: '3278 85119 5 2',
    cardType: 'G',
    expiryDate: '2026-03-01',
    fullname2: 'Second Line',
    fullname4: 'Fourth Line',
    individualReferenceNumber: 2,
    personalAttributes: { fullname: value('Anna M Zaphodovaquix'), dateOfBirth: value('1974-08-12') },
  }
  const path = (id: string) => at(id, 'id-document/aus/medicare')
  const afterChecks = async (change: object) => {
    const id = await anIdentity('GIV')
    await submitted('SingleStatus', path(id), { ...CARD, ...change })
    return (await lastDocument(id))?.evidenceStatus
  }

  test('is kept as it was written, and ends without a verdict because Medicare is not asked', async () => {
    const id = await anIdentity('GIV')
    expect(await submitted('SingleStatus', path(id), CARD)).toMatchObject({
      status: 'PROCESSING',
      type: 'MEDICARE',
    })
    expect(await lastDocument(id)).toMatchObject({
      type: 'MEDICARE',
      evidenceStatus: {
        status: 'NOT_VERIFIED',
        score: 'LEVEL0',
        positiveIndicators: [
          'MEDICARE_NUMBER_OK',
          // A green card is good until the end of its month.
          'DOCUMENT_EXPIRY_OK',
          'MEDICARE_REFERENCE_NUMBER_OK',
          'GIV_ELIGIBILITY_OK',
        ],
        unverifiedIndicators: ['GIV_VERIFICATION_UNVERIFIED', 'SOURCE_CONFIGURATION_UNVERIFIED'],
      },
      idDocumentData: {
        idDocumentType: 'MEDICARE',
        idDocumentNumber: '32788511952',
        issuingCountry: 'AUS',
        expiryDate: '2026-03-01',
        personalAttributes: {
          fullname: unverified('Anna M Zaphodovaquix'),
          dateOfBirth: unverified('1974-08-12'),
        },
      },
    })
    const { counterproof } = await client.identity(id)
    expect(Object.values(counterproof?.documents ?? {})).toMatchObject([
      {
        medicare: {
          cardType: 'G',
          individualReferenceNumber: 2,
          furtherNames: ['Second Line', 'Fourth Line'],
        },
      },
    ])
  })

  test('is taken without the consent to issuer verification', async () => {
    const id = await anIdentity()
    expect((await submitted('SingleStatus', path(id), CARD)).status).toBe('PROCESSING')
  })

  test('whose check digit does not fit is INVALID', async () => {
    expect(await afterChecks({ cardNumber: '3278851185' })).toMatchObject({
      status: 'INVALID',
      blockingIndicators: ['MEDICARE_NUMBER_FAILED'],
    })
  })

  test('with two different reference numbers cannot be decided', async () => {
    expect(await afterChecks({ individualReferenceNumber: 3 })).toMatchObject({
      status: 'NOT_VERIFIED',
      warningIndicators: ['MEDICARE_REFERENCE_NUMBER_WARNING'],
      blockingIndicators: [],
    })
  })

  test('of another colour has expired when its day is over', async () => {
    expect(await afterChecks({ cardType: 'B' })).toMatchObject({
      status: 'INVALID',
      blockingIndicators: ['DOCUMENT_EXPIRY_FAILED'],
    })
  })
})

describe('attributes', () => {
  const path = (id: string) => at(id, 'attributes')
  const RIGHT = {
    givenNames: [value('Anna'), value('Maria')],
    surname: value('Eriksson'),
    dateOfBirth: value('1974-08-12'),
    gender: value('F'),
  }
  const attributesOf = async (id: string) => (await client.identity(id)).attributes
  const decisionsOf = (id: string, evidenceId: string | undefined) =>
    client
      .events(id)
      .filter(
        ([type, body]) =>
          type === 'evidence.decided' && 'evidenceId' in body && body.evidenceId === evidenceId,
      )

  test('that agree with the document are said to; beside one that it does not show they are not confirmed as a whole', async () => {
    const id = await anIdentity()
    await client.document(id, aPassport())
    const answer = await submitted('AttributesAnswer', path(id), { ...RIGHT, eyeColor: value('grey') })
    expect(answer.globalStatus.status).toBe('PROCESSING')
    expect(answer.attributes).toMatchObject([
      { type: 'ATTRIBUTES', evidenceStatus: { status: 'PROCESSING' } },
    ])
    expect(await attributesOf(id)).toMatchObject([
      {
        type: 'ATTRIBUTES',
        evidenceStatus: {
          status: 'NOT_VERIFIED',
          score: 'LEVEL0',
          errors: [],
          positiveIndicators: ['ATTRIBUTES_MATCH_OK'],
          unverifiedIndicators: [
            'ATTRIBUTES_CORRECTION_UNVERIFIED',
            'ATTRIBUTES_SOURCE_UNVERIFIED',
            'SOURCE_CONFIGURATION_UNVERIFIED',
          ],
        },
        attributesData: { surname: unverified('Eriksson'), eyeColor: unverified('grey') },
      },
    ])
  })

  test('that differ are warned of with 1131 for each field, and the document keeps what it says', async () => {
    const id = await anIdentity()
    await client.document(id, aPassport())
    const wrong = { ...RIGHT, surname: value('Erikson'), dateOfBirth: value('1974-12-08') }
    await submitted('AttributesAnswer', path(id), wrong)
    const [attributes] = await attributesOf(id)
    expect(attributes.evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      errors: [
        { code: '1131', field: 'surname' },
        { code: '1131', field: 'dateOfBirth' },
      ],
      warningIndicators: ['ATTRIBUTES_MATCH_WARNING'],
      blockingIndicators: [],
    })
    expect((await client.identity(id)).idDocuments[0]).toMatchObject({
      evidenceStatus: { status: 'VERIFIED' },
      idDocumentData: { personalAttributes: { surname: { value: 'ERIKSSON' } } },
    })
  })

  test('wait for a document, and are compared again when another one is elected', async () => {
    const id = await anIdentity()
    const { attributes } = await submitted('AttributesAnswer', path(id), RIGHT)
    const evidenceId = attributes.at(0)?.evidenceId
    const found = async () => (await attributesOf(id))[0].evidenceStatus
    expect((await found()).unverifiedIndicators).toContain('ATTRIBUTES_MATCH_UNVERIFIED')
    await client.document(id, aPassport())
    expect((await found()).positiveIndicators).toEqual(['ATTRIBUTES_MATCH_OK', 'ATTRIBUTES_CORRECTION_OK'])
    await client.passTime(1000)
    const other = await client.document(id, aPassport({ documentNumber: 'X12345678', surname: 'SVENSSON' }))
    expect((await client.identity(id)).globalStatus.nameReferenceEvidenceId).toBe(other)
    expect((await found()).warningIndicators).toEqual(['ATTRIBUTES_MATCH_WARNING'])
    // Once for each document that was elected, and never for anything else.
    await submitted('AddressesAnswer', at(id, 'addresses'), { city: 'Uppsala' })
    expect(decisionsOf(id, evidenceId)).toHaveLength(3)
  })

  test('that only correct how the document was read are confirmed by it, and become those of the identity', async () => {
    const id = await anIdentity()
    const document = await client.document(id, aPassport({ surname: 'MUELLER' }))
    const { attributes } = await submitted('AttributesAnswer', path(id), { surname: value('Müller') })
    const evidenceId = attributes[0].evidenceId
    const identity = await client.identity(id)
    expect(identity.attributes[0].evidenceStatus).toMatchObject({
      status: 'VERIFIED',
      strength: 'LEVEL1',
      score: 'LEVEL1',
      errors: [],
      positiveIndicators: ['ATTRIBUTES_MATCH_OK', 'ATTRIBUTES_CORRECTION_OK'],
      unverifiedIndicators: ['ATTRIBUTES_SOURCE_UNVERIFIED', 'SOURCE_CONFIGURATION_UNVERIFIED'],
    })
    const surname = { attribute: 'surname', values: ['Müller'], evidenceId, how: 'CORRECTED' }
    const givenNames = {
      attribute: 'givenNames',
      values: ['ANNA', 'MARIA'],
      evidenceId: document,
      how: 'DOCUMENT',
    }
    expect(identity.counterproof?.electedAttributes?.slice(0, 2)).toEqual([
      givenNames,
      { ...surname, basis: 'SPELLING' },
    ])
    expect(identity.globalStatus.nameReferenceEvidenceId).toBe(document)
    const listed = await client.ask('AttributesAnswer', 'GET', path(id))
    expect(listed.electedAttributes).toEqual(identity.counterproof?.electedAttributes)

    // A user agent may fill a form with it, and is not told how it was found.
    const asUserAgent = { key: client.app.userAgentKey }
    const filled = await client.ask('AttributesAnswer', 'GET', path(id), asUserAgent)
    expect(filled.electedAttributes?.slice(0, 2)).toEqual([givenNames, surname])
    expect(await client.identity(id, asUserAgent)).not.toHaveProperty('counterproof.electedAttributes')

    // It corrects nothing of another document.
    await client.passTime(1000)
    await client.document(id, aPassport({ documentNumber: 'X12345678', surname: 'SVENSSON' }))
    const after = await client.identity(id)
    expect(after.attributes[0].evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      errors: [{ code: '1131', field: 'surname' }],
    })
    expect(after.counterproof?.electedAttributes).toContainEqual(
      expect.objectContaining({ values: ['SVENSSON'] }),
    )
  })

  test('may be several, and are listed with their details for the relying service', async () => {
    const id = await anIdentity()
    await client.document(id, aPassport())
    await submitted('AttributesAnswer', path(id), RIGHT)
    await submitted('AttributesAnswer', path(id), { surname: value('山田') })
    const listed = await client.ask('AttributesAnswer', 'GET', `${path(id)}?detailed=true`)
    expect(listed.attributes.map(({ verificationDetails }) => verificationDetails)).toMatchObject([
      [
        {
          participantType: 'CLAIM_VERIFICATION',
          verificationServices: [{ serviceName: 'attributes-match' }],
          measurements: [
            { outcome: 'passed', measured: { compared: 4, same: 4, different: 0 } },
            { check: 'ATTRIBUTES_CORRECTION', outcome: 'passed', measured: {} },
          ],
        },
      ],
      [
        {
          raisedIndicators: ['ATTRIBUTES_MATCH_UNVERIFIED', 'ATTRIBUTES_CORRECTION_UNVERIFIED'],
          measurements: [{ measured: { compared: 1, same: 0, different: 0 } }, { outcome: 'inconclusive' }],
        },
      ],
    ])
    const short = await client.ask('AttributesAnswer', 'GET', path(id))
    expect(short.attributes.every((one) => one.verificationDetails === undefined)).toBe(true)
  })

  test('tell a user agent nothing of how the comparison went', async () => {
    const id = await anIdentity()
    await client.document(id, aPassport())
    await submitted('AttributesAnswer', path(id), { ...RIGHT, surname: value('Erikson') })
    const key = client.app.userAgentKey
    const { body } = await client.app.json('GET', `${path(id)}?detailed=true`, { key })
    const { attributes } = body as { attributes: readonly { evidenceStatus: object }[] }
    expect(attributes).toHaveLength(1)
    expect(attributes[0]).not.toHaveProperty('verificationDetails')
    // That something differs, and not what.
    expect(attributes[0].evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      errors: [{ code: '1131', message: 'the identity attributes do not match the evidence' }],
      warningIndicators: [],
    })
    expect(JSON.stringify(body)).not.toMatch(/_(OK|WARNING|FAILED|UNVERIFIED)"|"field"/)
  })

  test('are not taken from a person who refused it', async () => {
    const id = await anIdentity()
    const payload = [{ type: 'ATTRIBUTES', approved: false }]
    await client.ask('ConsentList', 'POST', at(id, 'consents'), { payload })
    expect(await client.refusal('POST', path(id), { payload: RIGHT })).toMatchObject({
      status: 403,
      errors: [{ code: 'consent_missing', field: 'ATTRIBUTES' }],
    })
  })
})

describe('addresses', () => {
  const path = (id: string, rest = '') => at(id, `addresses${rest}`)
  const HOME = {
    streetDetails: { streetLines: ['12 rue des Lilas'] },
    postcode: '75020',
    city: 'Paris',
    country: 'FRA',
  }

  test('are all listed, each shown by its id, and looked up nowhere', async () => {
    const id = await anIdentity()
    const document = await client.document(id, aPassport())
    await submitted('AddressesAnswer', path(id), { ...HOME, referenceIds: [document] })
    const { addresses } = await submitted('AddressesAnswer', path(id), { fullAddress: 'Upstairs' })
    expect(addresses).toHaveLength(2)
    const [home] = (await client.ask('AddressesAnswer', 'GET', path(id))).addresses
    expect(home).toMatchObject({
      type: 'ADDRESS',
      referenceIds: [document],
      evidenceStatus: {
        status: 'NOT_VERIFIED',
        score: 'LEVEL0',
        unverifiedIndicators: [
          'ADDRESS_MATCH_UNVERIFIED',
          'ADDRESS_SOURCE_UNVERIFIED',
          'SOURCE_CONFIGURATION_UNVERIFIED',
        ],
      },
      addressData: {
        ...HOME,
        verified: false,
        streetDetails: { streetLines: ['12 rue des Lilas'], verified: false },
      },
    })
    const one = await client.ask('AddressAnswer', 'GET', path(id, `/${home.evidenceId}`))
    expect(one.address).toEqual(home)
    expect((await client.identity(id)).addresses).toHaveLength(2)
  })

  test('derive from evidence of this identity and of no other', async () => {
    const id = await anIdentity()
    const [own, others] = [
      await client.document(id, aPassport()),
      await client.document(await anIdentity(), aPassport()),
    ]
    const payload = { ...HOME, referenceIds: [own, others, 'nothing'] }
    expect(await client.refusal('POST', path(id), { payload })).toEqual({
      status: 400,
      code: 'validation_failed',
      errors: [
        { code: 'unknown_evidence', field: 'referenceIds[1]' },
        { code: 'unknown_evidence', field: 'referenceIds[2]' },
      ],
    })
    expect((await client.identity(id)).addresses).toEqual([])
  })

  test('are not found under the id of evidence of another kind', async () => {
    const id = await anIdentity()
    const document = await client.document(id, aPassport())
    expect(await client.refusal('GET', path(id, `/${document}`))).toMatchObject({ status: 404 })
  })
})

test('a typed document that contradicts the verified one is refused with 1131 for each field', async () => {
  const id = await anIdentity()
  await client.document(id, aPassport())
  await submitted('SingleStatus', at(id, 'id-documents'), LICENCE)
  expect(await lastDocument(id)).toMatchObject({
    evidenceStatus: { status: 'NOT_VERIFIED', errors: [{ code: '1131', field: 'surname' }] },
  })
  const born = { ...LICENCE.personalAttributes, surname: value('Eriksson'), dateOfBirth: value('1974-08-13') }
  await submitted('SingleStatus', at(id, 'id-documents'), { ...LICENCE, personalAttributes: born })
  expect(await lastDocument(id)).toMatchObject({
    evidenceStatus: { errors: [{ code: '1131', field: 'dateOfBirth' }] },
  })
})

test('the proof tells of each kind what was checked, and says what was typed, not read', async () => {
  const id = await anIdentity('GIV', 'ATTRIBUTES')
  const document = await client.document(id, aPassport())
  await submitted('SingleStatus', at(id, 'id-documents'), LICENCE)
  const medicare = {
    cardNumber: '2123456701',
    cardType: 'B',
    expiryDate: '2030-01-01',
    personalAttributes: { fullname: value('A Eriksson'), dateOfBirth: value('1974-08-12') },
  }
  await submitted('SingleStatus', at(id, 'id-document/aus/medicare'), medicare)
  await submitted('AttributesAnswer', at(id, 'attributes'), { surname: value('Erikson'), gender: value('F') })
  await submitted('AddressesAnswer', at(id, 'addresses'), { city: 'Uppsala', referenceIds: [document] })

  const response = await client.app.call('GET', at(id, 'proof'))
  expect(response.status).toBe(200)
  const archive = extractArchive(new Uint8Array(await response.arrayBuffer())) ?? new Uint8Array()
  const file = readZip(archive).files.find(({ path }) =>
    path.endsWith('verificationAndEvaluationDetails.json'),
  )
  const steps = JSON.parse(Buffer.from(file?.bytes ?? []).toString('utf8')) as readonly Step[]
  const typed = steps.filter(({ evidenceDetails }) => evidenceDetails && evidenceDetails.type !== 'PASSPORT')
  expect(typed.map(summary)).toEqual([
    {
      operation: 'ID_DOCUMENT',
      family: 'IDDOCUMENT',
      type: 'DRIVING_LICENSE',
      services: ['text-document', 'issuer-eligibility'],
      extracted: false,
      consentApproved: true,
      mismatchedAttributes: ['surname'],
    },
    {
      operation: 'MEDICARE',
      family: 'IDDOCUMENT',
      type: 'MEDICARE',
      services: ['medicare-card', 'issuer-eligibility'],
      extracted: false,
      consentApproved: true,
      mismatchedAttributes: [],
    },
    {
      operation: 'ATTRIBUTES',
      family: 'ATTRIBUTES',
      type: 'ATTRIBUTES',
      services: ['attributes-match'],
      extracted: false,
      consentApproved: true,
      mismatchedAttributes: ['surname'],
    },
    {
      operation: 'ATTRIBUTES',
      family: 'ADDRESS',
      type: 'ADDRESS',
      services: ['address-form', 'address-match', 'address-register'],
      extracted: false,
      consentApproved: false,
      mismatchedAttributes: [],
    },
  ])
  expect(typed[2].evidenceDetails).toMatchObject({ attributesReferenceId: document })
  expect(typed[3].evidenceDetails).toMatchObject({ addressReferenceId: document })
})

test('nothing of what was typed is in the log or in an event', () => {
  const events = JSON.stringify(client.app.appliance.store.events.after(0, 100_000))
  for (const personal of ['Zaphodovaquix', '32788511952', 'P1234567', 'rue des Lilas', 'Erikson"']) {
    expect(client.app.log()).not.toContain(personal)
    expect(events).not.toContain(personal)
  }
})

interface Step {
  readonly identityOperation: { readonly name: string }
  readonly evidenceDetails?: { readonly family: string; readonly type: string }
  readonly verificationDetails?: readonly {
    readonly verificationServices: readonly { readonly serviceName: string }[]
  }[]
  readonly evaluationDetails?: {
    readonly evidences: readonly {
      readonly extracted: boolean
      readonly consentApproved: boolean
      readonly attributesReferenceAndConsistency: { readonly mismatchedAttributes: readonly string[] }
    }[]
  }
}

function summary(step: Step) {
  const [evidence] = step.evaluationDetails?.evidences ?? []
  return {
    operation: step.identityOperation.name,
    family: step.evidenceDetails?.family,
    type: step.evidenceDetails?.type,
    services: step.verificationDetails?.flatMap(({ verificationServices }) =>
      verificationServices.map(({ serviceName }) => serviceName),
    ),
    extracted: evidence.extracted,
    consentApproved: evidence.consentApproved,
    mismatchedAttributes: evidence.attributesReferenceAndConsistency.mismatchedAttributes,
  }
}
