/** The proof states at each step how the evidence and the identity were judged by then, also of what was deleted afterwards. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MIGRATIONS } from '../../../server/store/migrations/index.ts'
import { migrate } from '../../../server/store/open.ts'
import { documentForm, portraitForm, type CallOptions } from '../../support/app.ts'
import { openProof, type OpenedProof } from '../../support/opened-proof.ts'
import type { ProofDetailsEntry } from '../../support/proof-details-schema.ts'
import { aPassport, picture } from './scripted-vision.ts'
import { NUMBER, startWholeApp, type WholeApp } from './whole-app.ts'

const MINUTE_MS = 60_000

let whole: WholeApp
beforeAll(async () => {
  whole = await startWholeApp()
})
afterAll(() => whole.close())

const aFace = (face: string) => ({ body: portraitForm(picture({ shows: 'person', face })) })

/** One call that changes the identity, a minute after the last, and the verification that follows from it. */
async function change(id: string, method: string, path: string, options: CallOptions = {}) {
  await whole.passTime(MINUTE_MS)
  const { status, body } = await whole.app.json(method, `/v1/identities/${id}/${path}`, options)
  expect(status, `${path} ${JSON.stringify(body)}`).toBeLessThan(300)
  await whole.endJobs(id)
  return body as Readonly<Record<'id' | 'sessionId', string>>
}
const add = (id: string, path: string, options: CallOptions = {}) => change(id, 'POST', path, options)

/** One line a step: what was done, and how it was judged. */
function toldOf({ details }: OpenedProof): readonly string[] {
  return details.map(({ identityOperation, evaluationDetails, evidenceDetails, verificationDetails }) => {
    const { name, type } = identityOperation
    const [judged] = evaluationDetails?.evidences ?? []
    const scoring = judged && 'statusAndScoring' in judged ? judged.statusAndScoring : undefined
    const errors = judged && 'errors' in judged ? judged.errors.map(({ code }) => code) : []
    const images = (evidenceDetails?.captureImages ?? []).length
    const ran = verificationDetails.map(({ participantType, participantState = 'ended' }) => {
      return `${participantType} ${participantState}`
    })
    return [
      `${type} ${name}`,
      scoring ? `${scoring.status} ${scoring.score}` : 'not judged',
      evaluationDetails?.loaAndUpgradePath.levelOfAssurance,
      ...errors,
      `${images} images`,
      ...new Set(ran),
    ].join(', ')
  })
}

const about = ({ details }: OpenedProof, id: string): readonly ProofDetailsEntry[] =>
  details.filter((entry) => entry.participantContextId === id)
const namesOf = (entries: readonly ProofDetailsEntry[]) =>
  entries.map(({ identityOperation: { name, type } }) => `${type} ${name}`)

describe('the steps of a proof', () => {
  test('state the answer that the caller had: a number that is dropped is 204', async () => {
    const id = await whole.anIdentity()
    await add(id, 'contact-details/mobile', { payload: { value: NUMBER } })
    await whole.app.call('DELETE', `/v1/identities/${id}/contact-details/mobile`)
    const { details } = await openProof(whole.app, id)
    expect(details.at(-1)).toMatchObject({
      identityOperation: { type: 'DELETE' },
      processingDetails: { httpCode: 204, method: 'DELETE' },
    })
  })

  test('accept nothing where a check had nothing to look at: a passport has no barcode', async () => {
    const id = await whole.anIdentity()
    await add(id, 'id-documents/capture', { body: documentForm(aPassport()) })
    const { details } = await openProof(whole.app, id)
    const [document] = details.filter(({ identityOperation: { name } }) => name === 'ID_DOCUMENT_CAPTURE')
    const states = document.verificationDetails.map(({ participantState }, i) => ({
      participantState,
      measured: document.counterproof?.verifications?.[i]?.measurements.length ?? 0,
    }))
    const idle = states.filter(({ measured }) => measured === 0)
    expect(idle.length).toBeGreaterThan(0)
    expect(idle.map(({ participantState }) => participantState)).not.toContain('ACCEPTED')
    expect(states.map(({ participantState }) => participantState)).toContain('ACCEPTED')
  })

  test('state what was verified by then, not what another piece verified later', async () => {
    const id = await whole.anIdentity()
    await add(id, 'attributes', {
      payload: { surname: { value: 'Eriksson' }, dateOfBirth: { value: '1974-08-12' } },
    })
    await add(id, 'id-documents/capture', { body: documentForm(aPassport()) })
    const { details } = await openProof(whole.app, id)
    const holders = details.map(({ evidenceDetails }) => evidenceDetails?.data?.holderInformation?.[0])
    const born = holders.flatMap((holder) => (holder?.dateOfBirth ? [holder.dateOfBirth.verified] : []))
    // The attributes came first and had no document to agree with; the passport is VERIFIED by its zone.
    expect(born).toEqual([false, true])
  })

  test('keep the portrait of an impostor that was rejected and replaced', async () => {
    const id = await whole.anIdentity(['ID_DOCUMENT', 'PORTRAIT'])
    const { id: passport } = await add(id, 'id-documents/capture', { body: documentForm(aPassport()) })
    const { id: impostor } = await add(id, 'attributes/portrait/capture', aFace('B'))
    await add(id, 'attributes/portrait/capture', aFace('A'))
    const proof = await openProof(whole.app, id)
    expect(toldOf(proof)).toEqual([
      'ADD CONSENTS, not judged, LOA0, 0 images',
      'ADD CONSENTS, not judged, LOA0, 0 images',
      expect.stringMatching(/^ADD ID_DOCUMENT_CAPTURE, VERIFIED LEVEL2, LOA0, 1 images, /),
      expect.stringMatching(
        /^ADD PORTRAIT_CAPTURE, INVALID LEVEL0, LOA0, 1600, 0 images, .*BIOMETRIC_MATCHING REJECTED$/,
      ),
      'DELETE PORTRAIT_CAPTURE, not judged, LOA0, 0 images',
      expect.stringMatching(
        /^ADD PORTRAIT_CAPTURE, VERIFIED LEVEL2, LOA1, 1 images, .*BIOMETRIC_MATCHING ACCEPTED\b/,
      ),
    ])
    const [added, deleted] = about(proof, impostor)
    expect(added.evaluationDetails?.evidences).toMatchObject([
      {
        id: impostor,
        errors: [{ code: '1600' }],
        statusAndScoring: {
          status: 'INVALID',
          score: 'LEVEL0',
          blockingIndicators: ['BIOMETRIC_MATCHING_CHECK_FAILED'],
          isBlockingindicatorFound: true,
        },
      },
    ])
    const match = added.verificationDetails.find(
      ({ participantType }) => participantType === 'BIOMETRIC_MATCHING',
    )
    expect(match).toMatchObject({
      participantState: 'REJECTED',
      candidateId: impostor,
      referenceId: passport,
      errors: [{ code: '1600' }],
    })
    // Without images and read values.
    const named = { id: impostor, family: 'IDENTIFICATION', type: 'PORTRAIT' }
    expect(added.evidenceDetails).toEqual(named)
    expect(deleted).toMatchObject({ evidenceDetails: named, verificationDetails: [] })
    expect(deleted.evaluationDetails?.evidences).toEqual([{ id: impostor, type: 'PORTRAIT' }])
    // GET identity has nothing of what was deleted.
    const { body } = await whole.app.json('GET', `/v1/identities/${id}`)
    expect(JSON.stringify(body)).not.toContain(impostor)
  })

  test('are two for a claim that another claim replaced', async () => {
    const id = await whole.anIdentity(['ID_CLAIM'])
    const claiming = (familyName: string) => ({
      payload: { attributesData: { familyName: { value: familyName } } },
    })
    const { id: first } = await add(id, 'claim', claiming('Earlier'))
    const { id: second } = await add(id, 'claim', claiming('Later'))
    const proof = await openProof(whole.app, id)
    const [added, deleted] = about(proof, first)
    expect(namesOf(about(proof, first))).toEqual(['ADD ID_CLAIM', 'DELETE ID_CLAIM'])
    expect(added.evaluationDetails?.evidences).toMatchObject([
      { id: first, statusAndScoring: { status: 'NOT_VERIFIED', score: 'LEVEL0' } },
    ])
    expect(deleted).toMatchObject({ verificationDetails: [] })
    expect(namesOf(about(proof, second))).toEqual(['ADD ID_CLAIM'])
    expect(JSON.stringify(proof.details)).not.toContain('Earlier')
  })

  test('state the time and the level of their own evaluation, not of the last one', async () => {
    const id = await whole.anIdentity(['ID_DOCUMENT', 'PORTRAIT'])
    await add(id, 'id-documents/capture', { body: documentForm(aPassport()) })
    await add(id, 'attributes/portrait/capture', aFace('A'))
    await add(id, 'consents', { payload: [{ type: 'ID_DOCUMENT', approved: false }] })
    const { details } = await openProof(whole.app, id)
    const evaluated = details.map(({ evaluationDetails }) => evaluationDetails)
    expect(evaluated.map((one) => one?.loaAndUpgradePath.levelOfAssurance)).toEqual([
      'LOA0',
      'LOA0',
      'LOA0',
      'LOA1',
      'LOA0',
    ])
    const times = evaluated.map((one) => one?.evaluationDateTime ?? '')
    expect(times).toEqual([...times].sort())
    // Both consents were recorded by one call.
    expect(new Set(times).size).toBe(4)
    for (const [index, { processingDetails }] of details.entries()) {
      expect(times[index] >= processingDetails.startDateTime).toBe(true)
    }
  })

  test('state evidence that was judged again in the step that made it so', async () => {
    const id = await whole.anIdentity(['ID_DOCUMENT', 'PORTRAIT'])
    const { id: portrait } = await add(id, 'attributes/portrait/capture', aFace('A'))
    const { id: passport } = await add(id, 'id-documents/capture', { body: documentForm(aPassport()) })
    const { details } = await openProof(whole.app, id)
    const judged = details.map(({ identityOperation: { name }, evaluationDetails }) => [
      name,
      evaluationDetails?.loaAndUpgradePath.levelOfAssurance,
      ...(evaluationDetails?.evidences ?? []).map((one) => [
        one.id,
        'statusAndScoring' in one ? one.statusAndScoring.status : null,
      ]),
    ])
    expect(judged.slice(2)).toEqual([
      ['PORTRAIT_CAPTURE', 'LOA0', [portrait, 'NOT_VERIFIED']],
      ['ID_DOCUMENT_CAPTURE', 'LOA1', [passport, 'VERIFIED'], [portrait, 'VERIFIED']],
    ])
    const [first, second] = details.slice(2)
    const matches = second.verificationDetails.filter(
      ({ participantType }) => participantType === 'BIOMETRIC_MATCHING',
    )
    expect(matches).toMatchObject([
      {
        participantState: 'ACCEPTED',
        linkedIdentityOperation: first.identityOperation,
        referenceId: passport,
      },
    ])
  })

  test('tell a wrong passcode from the right one', async () => {
    const id = await whole.anIdentity()
    await add(id, 'contact-details/mobile', { payload: { value: NUMBER } })
    const otp = 'contact-details/mobile/otp'
    await add(id, otp, { payload: { value: '000000' } })
    await add(id, otp, { payload: { value: whole.gateway.lastCode() } })
    const { details } = await openProof(whole.app, id)
    const steps = details.filter(({ contactDetails }) => contactDetails)
    const stated = steps.map(({ contactDetails, evaluationDetails, verificationDetails }) => {
      const [judged] = evaluationDetails?.evidences ?? []
      return [
        contactDetails?.mobile.otp.status,
        judged && 'statusAndScoring' in judged ? judged.statusAndScoring.status : null,
        ...verificationDetails.map(({ participantState, raisedIndicators }) => [
          participantState,
          ...raisedIndicators,
        ]),
      ]
    })
    expect(stated).toEqual([
      ['PENDING', 'PROCESSING'],
      ['PENDING', 'PROCESSING', ['REJECTED', 'MOBILE_OTP_FAILED']],
      ['DONE', 'VERIFIED', ['ACCEPTED', 'MOBILE_OTP_OK']],
    ])
    expect(steps.map(({ progress }) => progress)).toEqual(['DONE', 'DONE', 'DONE'])
    // Each is evaluated at its own time, the wrong try too.
    for (const { startDateTime, evaluationDetails } of steps)
      expect(String(evaluationDetails?.evaluationDateTime) >= startDateTime).toBe(true)
  })

  test('state a document that another one contradicts in the step of the other one', async () => {
    const id = await whole.anIdentity(['ID_DOCUMENT', 'PORTRAIT'])
    const { id: first } = await add(id, 'id-documents/capture', { body: documentForm(aPassport()) })
    await add(id, 'attributes/portrait/capture', aFace('A'))
    const another = aPassport({ surname: 'LINDQVIST', documentNumber: 'X12345678', birthDate: '900101' }, 'B')
    const { id: second } = await add(id, 'id-documents/capture', { body: documentForm(another) })
    const { details } = await openProof(whole.app, id)
    const judged = details.at(-1)?.evaluationDetails?.evidences ?? []
    const standing = judged.flatMap((one) =>
      'attributesReferenceAndConsistency' in one ? [[one.id, one.attributesReferenceAndConsistency]] : [],
    )
    expect(Object.fromEntries(standing)).toMatchObject({
      [first]: { isReference: false, mismatchedAttributes: ['dateOfBirth', 'surname'] },
      [second]: { isReference: true, mismatchedAttributes: [] },
    })
  })

  test('state a session that was cancelled as open in its addition, and as ended in its deletion', async () => {
    const id = await whole.anIdentity()
    const session = await add(id, 'attributes/portrait/capture-session')
    await change(id, 'DELETE', `attributes/portrait/live-capture-session/${session.sessionId}`)
    const proof = await openProof(whole.app, id)
    const states = about(proof, session.id).map(
      ({ identityOperation, evaluationDetails, verificationDetails }) => {
        const [judged] = evaluationDetails?.evidences ?? []
        return [
          identityOperation.type,
          judged && 'statusAndScoring' in judged ? judged.statusAndScoring.status : null,
          verificationDetails.length,
        ]
      },
    )
    expect(states).toEqual([
      ['ADD', 'PROCESSING', 0],
      ['DELETE', 'NOT_VERIFIED', 0],
    ])
  })

  test('are two where a session was cancelled and another portrait took its place', async () => {
    const id = await whole.anIdentity()
    const session = await add(id, 'attributes/portrait/capture-session')
    await change(id, 'DELETE', `attributes/portrait/live-capture-session/${session.sessionId}`)
    await add(id, 'attributes/portrait/capture', aFace('A'))
    const proof = await openProof(whole.app, id)
    expect(namesOf(about(proof, session.id))).toEqual(['ADD LIVENESS_VIDEO', 'DELETE LIVENESS_VIDEO'])
  })

  test('name the deletion of a live portrait as its addition', async () => {
    const id = await whole.anIdentity()
    const session = await add(id, 'attributes/portrait/capture-session')
    await whole.app.call('DELETE', `/capture/sessions/${session.sessionId}`, { key: null })
    await change(id, 'DELETE', 'attributes/portrait')
    const proof = await openProof(whole.app, id)
    expect(namesOf(about(proof, session.id))).toEqual(['ADD LIVENESS_VIDEO', 'DELETE LIVENESS_VIDEO'])
  })

  test('hold the antifraud checks that looked at their evidence', async () => {
    const id = await whole.anIdentity(['ID_DOCUMENT', 'PORTRAIT'])
    const { id: passport } = await add(id, 'id-documents/capture', { body: documentForm(aPassport()) })
    await add(id, 'attributes/portrait/capture', aFace('A'))
    await add(id, 'antifraud', { payload: [{ type: 'DUPLICATE_DOCUMENT' }, { type: 'VELOCITY' }] })
    const proof = await openProof(whole.app, id)
    const checks = proof.details
      .flatMap(({ verificationDetails }) => verificationDetails)
      .filter(({ verificationServices: [{ serviceName }] }) => serviceName.startsWith('antifraud/'))
    expect(checks).toMatchObject([
      {
        participantType: 'ANTIFRAUD',
        candidateId: passport,
        linkedIdentityOperation: { name: 'ID_DOCUMENT_CAPTURE' },
        raisedIndicators: [expect.stringMatching(/^DUPLICATE_DOCUMENT_/)],
        verificationServices: [{ serviceName: 'antifraud/duplicate-document', isTechnicalError: false }],
      },
      { candidateId: passport, verificationServices: [{ serviceName: 'antifraud/velocity' }] },
    ])
  })

  test('name the document that others came with, and not the one beside it', async () => {
    const known = { documentNumber: 'DUPL12345' }
    const earlier = await whole.anIdentity(['ID_DOCUMENT'])
    await add(earlier, 'id-documents/capture', { body: documentForm(aPassport(known)) })
    const id = await whole.anIdentity(['ID_DOCUMENT'])
    const { id: duplicate } = await add(id, 'id-documents/capture', { body: documentForm(aPassport(known)) })
    const fresh = documentForm(aPassport({ documentNumber: 'NEVERSEEN' }))
    await add(id, 'id-documents/capture', { body: fresh })
    await add(id, 'antifraud', { payload: [{ type: 'DUPLICATE_DOCUMENT' }] })
    const { details } = await openProof(whole.app, id)
    const named = details
      .flatMap(({ verificationDetails }) => verificationDetails)
      .filter(({ participantType }) => participantType === 'ANTIFRAUD')
    expect(named.map(({ candidateId, raisedIndicators }) => [candidateId, raisedIndicators])).toEqual([
      [duplicate, ['DUPLICATE_DOCUMENT_WARNING']],
    ])
  })

  test('hold no record that is still being made', async () => {
    const id = await whole.anIdentity()
    const unread = picture({ shows: 'document', lines: null, face: 'A' })
    await add(id, 'id-documents/capture', { body: documentForm(unread) })
    await add(id, 'attributes', { payload: { surname: { value: 'Eriksson' } } })
    const { details } = await openProof(whole.app, id)
    const states = details.flatMap(({ verificationDetails }) =>
      verificationDetails.map(({ participantState }) => participantState),
    )
    expect(states.length).toBeGreaterThan(2)
    expect(states).not.toContain('PROCESSING')
    expect(states).toContain(undefined)
  })

  test('that an earlier version recorded say nothing that is not known any more', async () => {
    const id = await whole.anIdentity(['ID_DOCUMENT', 'PORTRAIT'])
    const { id: impostor } = await add(id, 'attributes/portrait/capture', aFace('B'))
    const { id: portrait } = await add(id, 'attributes/portrait/capture', aFace('A'))
    // The database as that version left it.
    const db = new Database(join(whole.app.dataDir, 'appliance.sqlite'))
    db.exec('DROP TABLE steps')
    db.pragma('user_version = 14')
    migrate(db, MIGRATIONS.slice(0, 15))
    db.pragma(`user_version = ${MIGRATIONS.length}`)
    db.close()
    const proof = await openProof(whole.app, id)
    const [added, deleted] = about(proof, impostor)
    for (const entry of [added, deleted]) {
      expect(entry).not.toHaveProperty('evaluationDetails')
      expect(entry.verificationDetails).toEqual([])
    }
    // The last step about what is there states how it stands.
    expect(about(proof, portrait)).toMatchObject([
      { evaluationDetails: { evidences: [{ statusAndScoring: { status: 'NOT_VERIFIED' } }] } },
    ])
  })
})
