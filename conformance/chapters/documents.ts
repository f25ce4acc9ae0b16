import { at, field, unless } from '../kit.ts'
import type { Kit } from '../kit.ts'
import { readMultipart } from '../multipart.ts'
import { documentSession, identity, buildStatusShape } from '../spec.ts'
import type { OperationName } from '../spec.ts'
import { oneOf } from '../shapes.ts'
import { MEDICARE, PICTURES, TEXT_DOCUMENT, newIdentity } from './common.ts'
import type { Chapter } from './common.ts'

const PROCESSING = { status: 200, shape: buildStatusShape() }
const details = (value: object): Blob =>
  new File([JSON.stringify(value)], 'details.json', { type: 'application/json' })

export const photographedDocuments: Chapter = async (kit) => {
  const capture = 'POST /v1/identities/{id}/id-documents/capture'
  const id = await newIdentity(kit, ['ID_DOCUMENT'])
  const params = { id }
  const form = {
    DocumentFront: PICTURES.passport,
    DocumentCaptureDetails: details({
      jurisdiction: 'UTO',
      documentType: 'PASSPORT',
      source: 'LIVE_CAPTURE_IMAGE',
    }),
  }
  const submitted = await kit.must(
    capture,
    'a passport with details',
    { params, form, key: 'user-agent' },
    PROCESSING,
  )
  kit.claim(
    capture,
    'answers PROCESSING',
    unless(at(submitted.json, 'status') === 'PROCESSING', 'another status came'),
  )
  const evidenceId = field(submitted, 'id')
  const status = 'GET /v1/identities/{id}/status/{evidenceId}'
  await kit.call(status, 'while it is read', { params: { id, evidenceId }, key: 'user-agent' }, PROCESSING)
  const verdict = await kit.untilDecided(id, evidenceId)
  kit.claim(
    capture,
    'the specimen passport is verified',
    unless(!kit.target.own || verdict === 'VERIFIED', `it ended as ${verdict}`),
    { ours: true },
  )
  const read = await kit.call(
    'GET /v1/identities/{id}',
    'with a document',
    { params, query: { detailed: 'true' } },
    { status: 200, shape: identity },
  )
  kit.claim(
    'GET /v1/identities/{id}',
    'shows the document',
    unless(at(read.json, 'idDocuments', 0, 'evidenceId') === evidenceId, 'the document is not there'),
  )

  const person = at(read.json, 'idDocuments', 0, 'idDocumentData', 'personalAttributes')
  const unconfirmed = (['surname', 'dateOfBirth', 'gender', 'nationality'] as const).filter(
    (name) => at(person, name, 'verified') !== true,
  )
  kit.claim(
    'GET /v1/identities/{id}',
    'values of a verified document that several checks stand behind are verified',
    unless(!kit.target.own || unconfirmed.length === 0, `not verified: ${unconfirmed.join(', ')}`),
    { spec: 'Personal data value objects' },
  )

  const asked = { params, query: { detailed: 'true' }, key: 'user-agent' as const }
  const told = await kit.call('GET /v1/identities/{id}', 'detailed, with the user-agent key', asked, {
    status: 200,
    shape: identity,
  })
  const isTold = Buffer.from(told.bytes).includes('verificationDetails')
  kit.claim(
    'GET /v1/identities/{id}',
    'tells a user agent no verification details',
    unless(!isTold, 'it does'),
    {
      ours: true,
    },
  )

  const lists = [
    'errors',
    'positiveIndicators',
    'warningIndicators',
    'blockingIndicators',
    'unverifiedIndicators',
  ]
  const evidenceStatus = at(told.json, 'idDocuments', 0, 'evidenceStatus')
  kit.claim(
    'GET /v1/identities/{id}',
    'a user agent gets errors and all four lists of indicators',
    lists.filter((name) => !Array.isArray(at(evidenceStatus, name))).map((name) => `${name} is missing`),
    { spec: 'evidenceStatus' },
  )

  const picture = 'GET /v1/identities/{id}/id-documents/{evidenceId}/capture'
  const shown = await kit.call(picture, 'the photograph', { params: { id, evidenceId } }, { status: 200 })
  const parts = readMultipart(shown.headers.get('content-type') ?? '', shown.bytes)
  const same = parts?.[0]?.bytes.byteLength === PICTURES.passport.size && parts[0].name === 'DocumentFront'
  kit.claim(
    picture,
    'is the one that was sent',
    unless(same, 'the part DocumentFront is missing or another picture'),
  )

  await kit.call(
    capture,
    'a picture that is none',
    { params, form: { DocumentFront: PICTURES.notAPicture } },
    { status: 400 },
  )
  await kit.call(
    capture,
    'half a picture',
    { params, form: { DocumentFront: PICTURES.damaged } },
    { status: 400 },
  )
  await kit.call(capture, 'no picture', { params, form: { Other: 'x' } }, { status: 400 })
  const back = { DocumentBack: PICTURES.passport }
  const sides = await kit.call(capture, 'a back without a front', { params, form: back }, { status: 400 })
  kit.claim(
    capture,
    'a back without a front is error 1508',
    unless(JSON.stringify(sides.json).includes('"1508"'), 'the code is another'),
    { spec: 'Error codes' },
  )
  for (const [title, wrong] of [
    ['a document type that is none', { documentType: 'LIBRARY_CARD' }],
    ['a jurisdiction of two letters', { jurisdiction: 'FR' }],
    ['a source that is none', { source: 'FAX' }],
  ] as const) {
    const wrongForm = { DocumentFront: PICTURES.passport, DocumentCaptureDetails: details(wrong) }
    await kit.call(
      capture,
      title,
      { params, form: wrongForm },
      { status: 400, spec: 'Document capture details' },
    )
  }
}

export const documentsAsText: Chapter = async (kit) => {
  const text = 'POST /v1/identities/{id}/id-documents'
  const medicare = 'POST /v1/identities/{id}/id-document/aus/medicare'
  const without = { id: await newIdentity(kit) }
  // "GIV precedes issuer verification", which a server may lack.
  const taken = { status: kit.target.own ? 200 : [200, 403], spec: 'Consents' }
  await kit.call(text, 'without the consent GIV', { params: without, json: TEXT_DOCUMENT }, taken)
  await kit.call(medicare, 'without the consent GIV', { params: without, json: MEDICARE }, taken)

  const id = await newIdentity(kit, ['GIV'])
  const params = { id }
  await submitText(kit, text, id, TEXT_DOCUMENT, 'PASSPORT')
  const licence = { ...TEXT_DOCUMENT, idDocumentType: 'DRIVING_LICENSE', idDocumentNumber: '12345678' }
  for (const [country, good, bad] of [
    ['USA', 'CA', 'California'],
    ['AUS', 'NSW', 'New South Wales'],
  ]) {
    const ofCountry = { ...licence, issuingCountry: country }
    const here = { spec: 'Identity documents: text submission' }
    await kit.call(
      text,
      `a licence of ${country} with its state`,
      { params, json: { ...ofCountry, issuingState: good } },
      PROCESSING,
    )
    await kit.call(
      text,
      `a licence of ${country} without a state`,
      { params, json: ofCountry },
      { status: 400, ...here },
    )
    await kit.call(
      text,
      `a licence of ${country} with a state in full`,
      { params, json: { ...ofCountry, issuingState: bad } },
      { status: 400, ours: true },
    )
  }
  for (const name of [
    'idDocumentType',
    'idDocumentNumber',
    'issuingCountry',
    'personalAttributes',
  ] as const) {
    await kit.call(
      text,
      `without ${name}`,
      { params, json: { ...TEXT_DOCUMENT, [name]: undefined } },
      { status: 400 },
    )
  }
  for (const name of ['dateOfBirth', 'givenNames', 'surname'] as const) {
    const personalAttributes = { ...TEXT_DOCUMENT.personalAttributes, [name]: undefined }
    await kit.call(
      text,
      `without ${name}`,
      { params, json: { ...TEXT_DOCUMENT, personalAttributes } },
      { status: 400 },
    )
  }
  await kit.call(
    text,
    'a country of two letters',
    { params, json: { ...TEXT_DOCUMENT, issuingCountry: 'FR' } },
    { status: 400 },
  )
  const nothing = Object.fromEntries(['issuingState', 'issuingDate', 'address'].map((name) => [name, null]))
  await kit.call(
    text,
    'null for what is not given',
    { params, json: { ...TEXT_DOCUMENT, ...nothing } },
    { status: 200, ours: true },
  )

  await submitText(kit, medicare, id, MEDICARE, 'MEDICARE')
  for (const [title, wrong] of [
    ['a card type beside B, G and Y', { cardType: 'R' }],
    ['without a card number', { cardNumber: undefined }],
    ['without an expiry date', { expiryDate: undefined }],
    ['without a name', { personalAttributes: { dateOfBirth: { value: '1974-08-12' } } }],
  ] as const)
    await kit.call(medicare, title, { params, json: { ...MEDICARE, ...wrong } }, { status: 400 })
}

/** Submits, waits, and compares the verdict with the checks that cannot have been done. */
async function submitText(
  kit: Kit,
  operation: OperationName,
  id: string,
  json: object,
  type: string,
): Promise<void> {
  const shape = buildStatusShape(oneOf(type))
  const submitted = await kit.must(
    operation,
    `a ${type} as text`,
    { params: { id }, json, key: 'user-agent' },
    { status: 200, shape },
  )
  const evidenceId = field(submitted, 'id')
  const verdict = await kit.untilDecided(id, evidenceId)
  const picture = 'GET /v1/identities/{id}/id-documents/{evidenceId}/capture'
  await kit.call(picture, `a ${type} as text`, { params: { id, evidenceId } }, { status: 404, ours: true })
  const seen = await kit.call(
    'GET /v1/identities/{id}',
    `a ${type} as text`,
    { params: { id } },
    { status: 200 },
  )
  const listed = at(seen.json, 'idDocuments')
  const entry = Array.isArray(listed)
    ? (listed as unknown[]).find((one) => at(one, 'evidenceId') === evidenceId)
    : undefined
  kit.claim(
    'GET /v1/identities/{id}',
    `a ${type} as text is nothing that a person could look at`,
    unless(at(entry, 'evidenceStatus', 'isAdjudicable') !== true, 'isAdjudicable is true'),
    { spec: 'evidenceStatus' },
  )
  const { own } = kit.target
  const holds = own ? verdict === 'NOT_VERIFIED' : ['VERIFIED', 'INVALID', 'NOT_VERIFIED'].includes(verdict)
  kit.claim(
    operation,
    `a ${type} that no issuer confirmed is not verified`,
    unless(holds, `it ended as ${verdict}`),
    { ours: true },
  )
}

export const documentSessions: Chapter = async (kit) => {
  const open = 'POST /v1/identities/{id}/id-documents/live-capture-session'
  const params = { id: await newIdentity(kit, ['ID_DOCUMENT']) }
  const ofSession = { status: 200, shape: documentSession }
  const json = { issuingCountry: 'UTO', idDocumentType: 'PASSPORT', sidesToCapture: ['FRONT'] }
  const opened = await kit.must(open, 'all fields', { params, json }, ofSession)
  kit.claim(
    open,
    'is PROCESSING',
    unless(at(opened.json, 'status') === 'PROCESSING', 'another status came'),
    { spec: 'States and transitions' },
  )
  const echoed = JSON.stringify(at(opened.json, 'sidesToCapture'))
  kit.claim(
    open,
    'captures the sides that were asked for',
    unless(echoed === '["FRONT"]', 'other sides came'),
  )
  const status = 'GET /v1/identities/{id}/status/{evidenceId}'
  await kit.call(
    status,
    'while it is captured',
    { params: { ...params, evidenceId: field(opened, 'id') } },
    PROCESSING,
  )
  await kit.call(
    open,
    'no body: all fields are optional',
    { params: { id: await newIdentity(kit) } },
    ofSession,
  )
  for (const [title, wrong] of [
    ['a side that is none', { sidesToCapture: ['TOP'] }],
    ['a document type that is none', { idDocumentType: 'LIBRARY_CARD' }],
    ['a country of two letters', { issuingCountry: 'FR' }],
  ] as const)
    await kit.call(open, title, { params, json: wrong }, { status: 400, spec: 'Identity documents' })
}
