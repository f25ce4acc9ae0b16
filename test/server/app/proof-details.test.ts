/** verificationAndEvaluationDetails.json of identities with every kind of evidence, deletions and a person in the loop. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { verifyProof } from '../../../server/proof/verify.ts'
import { readZip } from '../../../server/proof/verify/read-zip.ts'
import { reassess } from '../../../server/reassess/reassess.ts'
import { documentForm, portraitForm, type CallOptions } from '../../support/app.ts'
import { walkLogin } from '../../../server/tools/simulator/oidc.ts'
import { ProofDetailsEntry } from '../../support/proof-details-schema.ts'
import { aPassport, picture } from './scripted-vision.ts'
import { NUMBER, OTHER_NUMBER, startWholeApp, type WholeApp } from './whole-app.ts'

let whole: WholeApp
beforeAll(async () => {
  whole = await startWholeApp()
})
afterAll(() => whole.close())

const value = (text: string) => ({ value: text })
const unverified = (text: string) => ({ value: text, verified: false })
const aFace = (face: string) => ({ body: portraitForm(picture({ shows: 'person', face })) })

/** One call that changes the identity, and the verification that follows from it. Returns what it was answered. */
async function change(id: string, method: string, path: string, options: CallOptions = {}) {
  const { status, body } = await whole.app.json(method, `/v1/identities/${id}/${path}`, options)
  expect(status, `${path} ${JSON.stringify(body)}`).toBeLessThan(300)
  await whole.endJobs(id)
  return body as Readonly<Record<'id' | 'sessionId' | 'idpAuthorizeEndpoint', string>>
}
const add = (id: string, path: string, options: CallOptions = {}) => change(id, 'POST', path, options)

function aFile(): { body: FormData } {
  const body = new FormData()
  body.append('File', new Blob(['%PDF-1.7 a contract'], { type: 'application/pdf' }), 'contract.pdf')
  body.append('Metadata', JSON.stringify([{ key: 'kind', value: 'contract' }]))
  return { body }
}

const LICENCE = {
  idDocumentType: 'DRIVING_LICENSE',
  idDocumentNumber: '12345678',
  issuingCountry: 'AUS',
  issuingState: 'VIC',
  issuingDate: '2020-01-31',
  expiryDate: '2040-01-31',
  personalAttributes: {
    dateOfBirth: value('1974-08-12'),
    givenNames: [value('Anna')],
    surname: value('Eriksson'),
    gender: value('F'),
  },
}
const MEDICARE = {
  cardNumber: '2123456701',
  cardType: 'G',
  expiryDate: '2040-08-01',
  fullname2: 'MARIA ERIKSSON',
  individualReferenceNumber: 1,
  personalAttributes: { fullname: value('Anna Eriksson'), dateOfBirth: value('1974-08-12') },
}

/** The proof as retrieved: its details, compared with the spec; the archive passes `verify-proof`. */
async function sealed(id: string) {
  const response = await whole.app.call('GET', `/v1/identities/${id}/proof`)
  expect(response.status).toBe(200)
  const archive = extractArchive(new Uint8Array(await response.arrayBuffer())) ?? new Uint8Array()
  const jwks = await whole.ask('PublicKeySet', 'GET', '/.well-known/jwks.json')
  expect(await verifyProof(archive, { jwks })).toMatchObject({ valid: true, identityId: id })
  expect(reassess(archive)).toMatchObject({ possible: true, differences: [] })
  const { files } = readZip(archive)
  const read = (name: string): unknown => {
    const file = files.find(({ path }) => path.endsWith(`/${name}`))
    return JSON.parse(Buffer.from(file?.bytes ?? []).toString('utf8'))
  }
  return {
    details: z.array(ProofDetailsEntry).parse(read('verificationAndEvaluationDetails.json')),
    identity: read('identityDetails.json'),
    media: files.map(({ path }) => path).filter((path) => /\/(images|additionalFiles)\//.test(path)),
  }
}
type Details = readonly ProofDetailsEntry[]

const step = ({ identityOperation: { name, type } }: ProofDetailsEntry) => `${type} ${name}`
const about = (details: Details, id: string) => details.filter((entry) => entry.participantContextId === id)
const only = (details: Details, id: string): ProofDetailsEntry => {
  const [entry, ...more] = about(details, id)
  expect(more).toEqual([])
  return entry
}

describe('a proof with every kind of evidence', () => {
  const ids: Record<string, string> = {}
  let proof: Awaited<ReturnType<typeof sealed>>

  beforeAll(async () => {
    const id = await whole.anIdentity()
    ids.identity = id
    ids.passport = (await add(id, 'id-documents/capture', { body: documentForm(aPassport()) })).id
    ids.licence = (await add(id, 'id-documents', { payload: LICENCE })).id
    ids.medicare = (await add(id, 'id-document/aus/medicare', { payload: MEDICARE })).id
    ids.portrait = (await add(id, 'attributes/portrait/capture', aFace('A'))).id
    await add(id, 'attributes', { payload: { surname: value('Andersson') } })
    const address = { city: 'Uppsala', country: 'SWE', referenceIds: [ids.passport] }
    await add(id, 'addresses', { payload: address })
    ids.claim = (await add(id, 'claim', { payload: { contactDetails: { mobile: value(NUMBER) } } })).id
    const otp = 'contact-details/mobile/otp'
    await add(id, otp, { payload: value('000000') })
    await add(id, otp, { payload: value(whole.gateway.lastCode()) })
    const begun = await add(id, 'trusted-id-claim/oidc', { payload: { idpIdentifier: 'bank' } })
    ids.trusted = begun.id
    await fetch(await walkLogin(begun.idpAuthorizeEndpoint), { redirect: 'manual' })
    ids.file = (await add(id, 'additional-files', aFile())).id
    proof = await sealed(id)
  })

  test('has an entry for each evidence and consent that identityDetails.json shows', () => {
    const shown = [...JSON.stringify(proof.identity).matchAll(/"(?:evidenceId|consentId)":"([^"]+)"/g)]
    expect(shown.length).toBeGreaterThan(12)
    for (const [, id = ''] of shown) expect([id, about(proof.details, id).length > 0]).toEqual([id, true])
  })

  test('shows in identityDetails.json what GET identity answers the back end', async () => {
    const { body } = await whole.app.json('GET', `/v1/identities/${ids.identity}`)
    expect(proof.identity).toEqual(body)
  })

  test('names operations, families and types by the words of the spec', () => {
    const named = proof.details
      .filter((entry) => entry.evidenceDetails)
      .map((entry) => [step(entry), entry.evidenceDetails?.family, entry.evidenceDetails?.type].join(' '))
    expect(named).toEqual([
      'ADD ID_DOCUMENT_CAPTURE IDDOCUMENT PASSPORT',
      'ADD ID_DOCUMENT IDDOCUMENT DRIVING_LICENSE',
      'ADD MEDICARE IDDOCUMENT MEDICARE',
      'ADD PORTRAIT_CAPTURE IDENTIFICATION PORTRAIT',
      'ADD ATTRIBUTES ATTRIBUTES ATTRIBUTES',
      'ADD ATTRIBUTES ADDRESS ADDRESS',
      'ADD ID_CLAIM ID_CLAIM ID_CLAIM',
      'ADD MOBILE_OTP CONTACT MOBILE_OTP',
      'ADD OTP_VERIFICATION CONTACT MOBILE_OTP',
      'ADD OTP_VERIFICATION CONTACT MOBILE_OTP',
      'ADD TRUSTED_ID_CLAIM TRUSTED_ID_CLAIM TRUSTED_ID_CLAIM',
      'ADD ADDITIONAL_FILE DOCUMENT ADDITIONAL_FILE',
    ])
  })

  test('states for a document the read values, their image and the checks that ran', () => {
    const { evidenceDetails, verificationDetails, evaluationDetails } = only(proof.details, ids.passport)
    expect(evidenceDetails).toMatchObject({
      captureImages: [{ source: 'OTHER', side: 'FRONT' }],
      photoCrops: [{ originalCaptureId: evidenceDetails?.captureImages?.[0]?.id }],
      data: { documentNumber: 'L898902C3', issuingCountry: 'UTO', mrz: [/^P</, /^L898902C3/].map(matching) },
    })
    expect(verificationDetails.map(({ participantType }) => participantType)).toContain('IMAGE_OCR')
    expect(evaluationDetails?.evidences[0]).toMatchObject({
      statusAndScoring: { status: 'VERIFIED' },
      extracted: true,
      consentApproved: true,
      attributesReferenceAndConsistency: { isReference: true },
      portraitMatchingReference: { isReference: true },
    })
  })

  test('tells of typed documents what was typed, the state and the card beside', () => {
    expect(only(proof.details, ids.licence).evidenceDetails?.data).toEqual({
      documentNumber: '12345678',
      issuingCountry: 'AUS',
      issuingDate: '2020-01-31',
      expiryDate: '2040-01-31',
      holderInformation: [
        {
          dateOfBirth: unverified('1974-08-12'),
          givenNames: [unverified('Anna')],
          surname: unverified('Eriksson'),
          gender: unverified('F'),
        },
      ],
      metadata: [{ key: 'issuingState', value: 'VIC' }],
    })
    const { evidenceDetails, evaluationDetails } = only(proof.details, ids.medicare)
    expect(evidenceDetails?.data).toMatchObject({
      documentNumber: '2123456701',
      holderInformation: [
        { fullname: unverified('Anna Eriksson') },
        { fullname: unverified('MARIA ERIKSSON') },
      ],
      metadata: [
        { key: 'cardType', value: 'G' },
        { key: 'individualReferenceNumber', value: '1' },
      ],
    })
    expect(evaluationDetails?.evidences[0]).toMatchObject({ extracted: false, consentApproved: true })
  })

  test('tells which attributes differ from which document, and where an address comes from', () => {
    const entryOf = (family: string) =>
      proof.details.find((entry) => entry.evidenceDetails?.family === family)
    expect(entryOf('ATTRIBUTES')).toMatchObject({
      evidenceDetails: { attributesReferenceId: ids.passport },
      evaluationDetails: {
        evidences: [{ attributesReferenceAndConsistency: { mismatchedAttributes: ['surname'] } }],
      },
    })
    expect(entryOf('ADDRESS')?.evidenceDetails?.addressReferenceId).toBe(ids.passport)
  })

  test('tells of a phone what became of its passcode, at every step', () => {
    const steps = proof.details.filter(({ contactDetails }) => contactDetails)
    expect(steps.map(step)).toEqual(['ADD MOBILE_OTP', 'ADD OTP_VERIFICATION', 'ADD OTP_VERIFICATION'])
    expect(steps.map(({ contactDetails }) => contactDetails?.mobile.otp.status)).toEqual([
      'PENDING',
      'PENDING',
      'DONE',
    ])
    for (const { contactDetails, participantContextId } of steps) {
      expect(contactDetails?.mobile).toMatchObject({ value: NUMBER, errors: [] })
      expect(participantContextId).toBe(steps[0]?.participantContextId)
    }
    expect(new Set(proof.details.map(({ identityOperation }) => identityOperation.id)).size).toBe(
      proof.details.length,
    )
  })

  test('lists a file with its metadata, and its bytes in the archive', () => {
    expect(only(proof.details, ids.file)).toMatchObject({
      additionalFile: { id: ids.file, metadata: [{ key: 'kind', value: 'contract' }] },
      verificationDetails: [],
    })
    expect(proof.media.filter((path) => path.includes(ids.file ?? ''))).toHaveLength(1)
  })
})

function matching(pattern: RegExp): unknown {
  return expect.stringMatching(pattern)
}

describe('a proof of what was deleted', () => {
  test('shows a portrait in two steps: added, without its image; deleted, with nothing but its name', async () => {
    const id = await whole.anIdentity()
    const { id: portrait } = await add(id, 'attributes/portrait/capture', aFace('A'))
    await change(id, 'DELETE', 'attributes/portrait')
    const { details, media } = await sealed(id)
    const [added, deleted, ...more] = about(details, portrait)
    expect(more).toEqual([])
    expect([added, deleted].map((entry) => entry && step(entry))).toEqual([
      'ADD PORTRAIT_CAPTURE',
      'DELETE PORTRAIT_CAPTURE',
    ])
    expect(media).toEqual([])
    const named = { id: portrait, type: 'PORTRAIT', family: 'IDENTIFICATION' }
    for (const entry of [added, deleted]) {
      expect(entry).toMatchObject({ evaluationDetails: { evidences: [{ id: portrait }] } })
      expect(entry?.evidenceDetails).toEqual(named)
    }
    expect(added?.verificationDetails.map(({ participantType }) => participantType)).toContain(
      'BIOMETRIC_QUALITY_CHECK',
    )
    expect(deleted?.verificationDetails).toEqual([])
    expect(deleted?.processingDetails).toMatchObject({ method: 'DELETE', httpCode: 204 })
  })

  test('calls a deleted portrait verified where it was added, and judges it no more where it was deleted', async () => {
    const id = await whole.anIdentity()
    await add(id, 'id-documents/capture', { body: documentForm(aPassport()) })
    const { id: portrait } = await add(id, 'attributes/portrait/capture', aFace('A'))
    await change(id, 'DELETE', 'attributes/portrait')
    const entries = about((await sealed(id)).details, portrait)
    const evaluations = entries.map(({ evaluationDetails }) => evaluationDetails)
    expect(evaluations).toMatchObject([
      {
        evidences: [{ statusAndScoring: { status: 'VERIFIED', score: 'LEVEL2' } }],
        loaAndUpgradePath: { levelOfAssurance: 'LOA1' },
      },
      { loaAndUpgradePath: { levelOfAssurance: 'LOA0' } },
    ])
    expect(evaluations[1]?.evidences).toEqual([{ id: portrait, type: 'PORTRAIT' }])
  })

  test('shows the earlier of two portraits as replaced by the call that brought the later', async () => {
    const id = await whole.anIdentity()
    const { id: first } = await add(id, 'attributes/portrait/capture', aFace('A'))
    const { id: second } = await add(id, 'attributes/portrait/capture', aFace('B'))
    const { details, media } = await sealed(id)
    expect(about(details, first).map(step)).toEqual(['ADD PORTRAIT_CAPTURE', 'DELETE PORTRAIT_CAPTURE'])
    const later = only(details, second)
    expect(media).toHaveLength(1)
    expect(media[0]).toContain(later.evidenceDetails?.captureImages?.[0]?.id)
    expect(about(details, first)[1]?.processingDetails).toMatchObject({ method: 'POST', httpCode: 200 })
  })

  test('shows a phone number that took the place of another', async () => {
    const id = await whole.anIdentity()
    const { id: first } = await add(id, 'contact-details/mobile', { payload: value(OTHER_NUMBER) })
    await add(id, 'contact-details/mobile', { payload: value(NUMBER) })
    // The passcode's time runs out, so that nothing is in work any more.
    await whole.passTime(3_600_000)
    const { details } = await sealed(id)
    expect(about(details, first).map(step)).toEqual(['ADD MOBILE_OTP', 'DELETE MOBILE_OTP'])
    expect(JSON.stringify(details)).not.toContain(OTHER_NUMBER)
  })

  test('shows a deleted file by its id alone', async () => {
    const id = await whole.anIdentity()
    const { id: file } = await add(id, 'additional-files', aFile())
    await change(id, 'DELETE', `additional-files/${file}`)
    const { details, media } = await sealed(id)
    expect(about(details, file).map((entry) => [step(entry), entry.additionalFile])).toEqual([
      ['ADD ADDITIONAL_FILE', { id: file, metadata: [] }],
      ['DELETE ADDITIONAL_FILE', undefined],
    ])
    expect(about(details, file)[1]).toMatchObject({
      evidenceDetails: { id: file, family: 'DOCUMENT', type: 'ADDITIONAL_FILE' },
      evaluationDetails: { evidences: [{ id: file, type: 'ADDITIONAL_FILE' }] },
      verificationDetails: [],
    })
    expect(media).toEqual([])
  })
})

describe('a proof of what is not decided', () => {
  test('says in the entries of the evidence and of the request that no adjudication is awaited any more', async () => {
    const id = await whole.anIdentity()
    const unread = picture({ shows: 'document', lines: null, face: 'A' })
    const { id: document } = await add(id, 'id-documents/capture', { body: documentForm(unread) })
    await add(id, `adjudications/${document}`)
    const entries = about((await sealed(id)).details, document)
    expect(entries.map((entry) => [step(entry), entry.progress])).toEqual([
      ['ADD ID_DOCUMENT_CAPTURE', 'DONE'],
      ['ADD ADJUDICATION', 'DONE'],
    ])
  })

  test('says ERROR where our machine ended it, and technical error beside the evidence', async () => {
    const id = await whole.anIdentity()
    whole.see({ measureDocument: async () => Promise.reject(new Error('the network broke')) })
    const { id: document } = await add(id, 'id-documents/capture', { body: documentForm(aPassport()) })
    whole.see()
    expect(only((await sealed(id)).details, document)).toMatchObject({
      progress: 'ERROR',
      evaluationDetails: { evidences: [{ statusAndScoring: { isTechnicalError: true } }] },
    })
  })

  test('names the capture session that brought nothing, and its channel', async () => {
    const id = await whole.anIdentity()
    const session = await add(id, 'attributes/portrait/capture-session?mode=nativeSDK')
    await whole.app.call('DELETE', `/capture/sessions/${session.sessionId}`, { key: null })
    const entry = only((await sealed(id)).details, session.id)
    expect([step(entry), entry.sessionId, entry.progress]).toEqual([
      'ADD LIVENESS_VIDEO',
      session.sessionId,
      'DONE',
    ])
  })

  test('says at each step whether the consent was in force by then', async () => {
    const id = await whole.anIdentity()
    const { id: portrait } = await add(id, 'attributes/portrait/capture', aFace('A'))
    await add(id, 'consents', { payload: [{ type: 'PORTRAIT', approved: false }] })
    const { details } = await sealed(id)
    const [entry] = about(details, portrait)
    expect(entry?.evaluationDetails?.evidences).toMatchObject([{ consentApproved: true }])
    expect(details.at(-1)).toMatchObject({ consentsDetails: { consents: [{ approved: false }] } })
  })
})
