/** Proofing at the counter: who may consent, what is kept when a kiosk's visit is taken over, what hands and eyes found. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { run as verifyProofCommand } from '../../../server/commands/verify-proof.ts'
import type { AssistView, ConsentDisplay } from '../../../server/counter/contract/assist.ts'
import type { ProofingDetail, SealCheck } from '../../../server/counter/contract/today.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import type { Visit } from '../../../server/store/visits.ts'
import type { CounterApp, CounterBrowser } from '../../support/counter.ts'
import { toTakeOverBody } from '../../../renderer/counter/shell/scanner.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { anAssisted, onDisplay, photographFace, sendDocument, startWork, YES } from './work.ts'

let counter: CounterApp
let officer: CounterBrowser
let other: CounterBrowser
beforeAll(async () => {
  counter = await startWork()
  officer = await counter.signedIn('officer')
  other = await counter.signedIn('officer')
})
afterAll(() => counter.close())

const get = async (visitId: string): Promise<AssistView> =>
  (await officer.call<AssistView>('GET', `assist/${visitId}`)).body

const ESSENTIAL = ['EDGES', 'BINDING', 'PHOTO_SURFACE', 'TILT_IMAGE']
const handled = { present: true, answers: Object.fromEntries(ESSENTIAL.map((id) => [id, 'AS_IT_SHOULD'])) }

describe('the consent at the counter', () => {
  const aQuestion = async () => {
    const { body: begun } = await officer.call<AssistView>('POST', 'assist/begin', { language: 'fr' })
    const { body } = await officer.call<ConsentDisplay>('POST', `assist/${begun.visitId}/consent-display`, {
      display: 'TURNED',
      language: 'fr',
    })
    return { visitId: begun.visitId, token: body.token }
  }

  test('is asked on a display and answered there once; then the identity exists', async () => {
    const { visitId, token } = await aQuestion()
    expect((await get(visitId)).consent.state).toBe('WAITING')
    expect((await onDisplay(counter, token, 'GET')).body).toMatchObject({
      language: 'fr',
      required: ['ID_DOCUMENT', 'PORTRAIT'],
    })
    counter.tick(42_000)
    expect((await onDisplay(counter, token, 'POST', YES)).status).toBe(204)
    expect((await onDisplay(counter, token, 'POST', YES)).status).toBe(401)
    const view = await get(visitId)
    expect(view.consent).toMatchObject({
      state: 'GIVEN',
      display: 'TURNED',
      given: ['ID_DOCUMENT', 'PORTRAIT'],
    })
    expect(view.reference).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    const events = counter.app.appliance.store.eventPages.page({
      ...(view.identityId ? { identityId: view.identityId } : {}),
      limit: 50,
    })
    const presented = events.find(({ type }) => type === 'consent.presented')
    expect(presented).toMatchObject({
      body: { visitId, display: 'TURNED', language: 'fr', shownSeconds: 42 },
    })
    expect(presented?.actor).toMatch(/^STAFF:/)
    const recorded = events.filter(({ type }) => type === 'consent.recorded')
    expect(recorded.every(({ actor }) => actor.startsWith('USER_AGENT:'))).toBe(true)
  })

  test('is not given by staff: their session is refused together with the token', async () => {
    const { visitId, token } = await aQuestion()
    const asStaff = await onDisplay(counter, token, 'POST', YES, { cookie: officer.cookie ?? '' })
    expect(asStaff.status).toBe(403)
    expect((await get(visitId)).consent.state).toBe('WAITING')
  })

  test('needs a token that was made, and not too long ago', async () => {
    expect((await onDisplay(counter, 'x'.repeat(43), 'POST', YES)).status).toBe(401)
    const { token } = await aQuestion()
    counter.tick(20 * 60_000)
    expect((await onDisplay(counter, token, 'POST', YES)).status).toBe(401)
    await officer.usePasskey()
    await other.usePasskey()
  })

  test('stores no identity if it is refused', async () => {
    const { visitId, token } = await aQuestion()
    const no = { ...YES, approved: false }
    expect((await onDisplay(counter, token, 'POST', no)).status).toBe(204)
    expect(await get(visitId)).toMatchObject({ ended: true, identityId: null, consent: { state: 'REFUSED' } })
  })

  test('comes before every capture', async () => {
    const { visitId } = await aQuestion()
    const wish = { country: 'UTO', documentType: 'PASSPORT' }
    expect((await officer.call('POST', `assist/${visitId}/document/session`, wish)).status).toBe(403)
  })
})

describe('a document in the hands of staff', () => {
  test('and a face before them reach a level that stands in the proof and follows from it alone', async () => {
    const { visitId } = await anAssisted(counter, officer)
    await sendDocument(counter, officer, visitId, aPassport())
    const [document] = (await get(visitId)).documents
    expect(document.status).toBe('VERIFIED')
    const attended = `assist/${visitId}/evidences/${document.evidenceId}/attendance`
    expect((await officer.call('POST', attended, handled)).status).toBe(200)
    await counter.app.runJobs()
    const { portrait } = await photographFace(counter, officer, visitId)
    const there = { present: true, exceptions: ['SAME_SEX_STAFF'] }
    const path = `assist/${visitId}/evidences/${portrait?.evidenceId ?? ''}/attendance`
    expect((await officer.call('POST', path, there)).status).toBe(200)
    await counter.app.runJobs()

    const view = await get(visitId)
    expect(view.documents[0].attendance?.answers).toContainEqual({ feature: 'EDGES', answer: 'AS_IT_SHOULD' })
    const { store } = counter.app.appliance
    const of = (id: string | undefined) => store.evidences.find(id ?? '')?.evaluation.positiveIndicators
    expect(of(document.evidenceId)).toEqual(
      expect.arrayContaining(['ATTENDED_CAPTURE_OK', 'TACTILE_INSPECTION_OK', 'DOCUMENT_READING_OK']),
    )
    expect(of(portrait?.evidenceId)).toContain('ATTENDED_CAPTURE_OK')
    expect(
      store.images.listByEvidence(document.evidenceId).filter(({ kind }) => kind === 'DOCUMENT_CROP'),
    ).toHaveLength(1)

    const finished = await officer.call<AssistView>('POST', `assist/${visitId}/finish`, {})
    expect(finished.status).toBe(200)
    expect(finished.body.result?.code).toMatch(/^[0-9A-Z]{5}(-[0-9A-Z]{5}){2}$/)
    const sealed = await officer.call<SealCheck>('POST', `proofings/${view.identityId ?? ''}/seal-check`, {})
    expect(sealed.body).toMatchObject({ state: 'GOOD', problems: [], sameLevel: true })

    const archive: Uint8Array[] = []
    const proof = store.proofs.find(view.identityId ?? '')
    if (!proof) throw new Error('nothing was sealed')
    for await (const piece of store.proofs.read(proof)) archive.push(piece)
    const [file, keys] = ['proof.zip', 'keys.json'].map((name) => join(counter.app.dataDir, name))
    writeFileSync(file ?? '', Buffer.concat(archive))
    writeFileSync(keys ?? '', JSON.stringify({ keys: store.signingKeys.publicKeys() }))
    expect(await verifyProofCommand([file ?? '', '--key', keys ?? '', '--re-evaluate'])).toBe(0)
    expect(readFileSync(file ?? '').length).toBeGreaterThan(1000)

    const { body: opened } = await officer.call<ProofingDetail>('GET', `proofings/${view.identityId ?? ''}`)
    const findings = opened.evidences.flatMap((evidence) => evidence.findings)
    expect(findings.find(({ check }) => check === 'TACTILE_INSPECTION')).toMatchObject({ outcome: 'passed' })
  })

  test('is not verified if the officer marks a feature as different, even if its lines are valid', async () => {
    const { visitId } = await anAssisted(counter, officer)
    await sendDocument(counter, officer, visitId, aPassport())
    const [document] = (await get(visitId)).documents
    const wrong = { ...handled, answers: { ...handled.answers, TILT_IMAGE: 'DIFFERENT' } }
    await officer.call('POST', `assist/${visitId}/evidences/${document.evidenceId}/attendance`, wrong)
    await counter.app.runJobs()
    expect((await get(visitId)).documents[0].status).toBe('NOT_VERIFIED')
  })

  test('is not attested where the camera took nothing, and the visit continues', async () => {
    const { visitId } = await anAssisted(counter, officer)
    const opened = await officer.call<{ sessionId: string }>('POST', `assist/${visitId}/portrait/session`, {})
    expect(opened.status).toBe(200)
    const ended = await fetch(`${counter.app.url}/capture/sessions/${opened.body.sessionId}`, {
      method: 'DELETE',
    })
    expect(ended.status).toBe(204)
    await counter.app.runJobs()
    const evidenceId = (await get(visitId)).portrait?.evidenceId ?? ''
    const path = `assist/${visitId}/evidences/${evidenceId}/attendance`
    expect(await officer.call('POST', path, { present: true })).toMatchObject({ status: 403 })
    await counter.app.runJobs()
    expect((await get(visitId)).portrait?.status).toBe('NOT_VERIFIED')
  })

  test('is not attested by a colleague who did not capture it', async () => {
    const { visitId } = await anAssisted(counter, officer)
    await sendDocument(counter, officer, visitId, aPassport())
    const [document] = (await get(visitId)).documents
    const path = `assist/${visitId}/evidences/${document.evidenceId}/attendance`
    expect((await other.call('POST', path, handled)).status).toBe(404)
  })

  test.each([
    [{ present: false, answers: {} }, 400],
    [{ present: true, answers: { SMELL: 'AS_IT_SHOULD' } }, 400],
    [{ present: true, answers: { EDGES: 'FINE, I THINK' } }, 400],
    [{ present: true, exceptions: ['I felt like it'] }, 400],
    [{ present: true, result: 'VERIFIED' }, 400],
    ['no object', 400],
  ])('%j is no attendance', async (body, status) => {
    const { visitId } = await anAssisted(counter, officer)
    await sendDocument(counter, officer, visitId, aPassport())
    const [document] = (await get(visitId)).documents
    const path = `assist/${visitId}/evidences/${document.evidenceId}/attendance`
    expect((await officer.call('POST', path, body)).status).toBe(status)
  })
})

describe('a visit at a kiosk', () => {
  const aKioskVisit = async (over: Partial<Visit> = {}): Promise<Visit> => {
    const { store } = counter.app.appliance
    const begun = await anAssisted(counter, officer)
    const visit: Visit = {
      id: uuidv7(),
      identityId: begun.identityId,
      channel: 'KIOSK',
      journey: 'default/1',
      language: 'ar',
      reference: begun.reference,
      step: 'document',
      startedAt: counter.now(),
      endedAt: null,
      outcome: null,
      helpAskedAt: counter.now(),
      helpAnswer: null,
      takenOverBy: null,
      ...over,
    }
    const own = store.visits.find(begun.visitId)
    if (own) store.visits.save({ ...own, identityId: null, endedAt: counter.now() })
    store.visits.add(visit)
    return visit
  }

  test('is taken over by its call for help while it runs, and continues with the same person', async () => {
    const visit = await aKioskVisit()
    const taken = await officer.call<AssistView>('POST', 'assist/take-over', { helpCall: visit.id })
    expect(taken.body).toMatchObject({
      identityId: visit.identityId,
      language: 'ar',
      consent: { state: 'GIVEN' },
    })
    const { store } = counter.app.appliance
    const kiosk = store.visits.find(visit.id)
    expect(kiosk?.takenOverBy).not.toBeNull()
    expect(store.identities.find(APPLIANCE, visit.identityId ?? '')).not.toBeNull()
    // Twice is once, and a colleague comes too late.
    const again = await officer.call<AssistView>('POST', 'assist/take-over', { helpCall: visit.id })
    expect(again.status).toBe(404)
    const late = await other.call('GET', `assist/${taken.body.visitId}`)
    expect(late.status).toBe(404)
  })

  test('is taken over by its code, however it was typed', async () => {
    const visit = await aKioskVisit({ helpAskedAt: null })
    counter.app.appliance.store.visits.setCode(visit.id, '4T7NC-Q0HWZ-3M8KD')
    const taken = await officer.call<AssistView>('POST', 'assist/take-over', { code: '4t7nc qohwz 3m8kd' })
    expect(taken.body.identityId).toBe(visit.identityId)
    const again = await officer.call<AssistView>('POST', 'assist/take-over', { code: '4T7NC-Q0HWZ-3M8KD' })
    expect(again.body.visitId).toBe(taken.body.visitId)
    expect((await other.call('POST', 'assist/take-over', { code: '4T7NC-Q0HWZ-3M8KD' })).status).toBe(403)
  })

  test.each([
    ['4T7NC-Q0HWZ-3M8KE', '4T7NC-Q0HWZ-3M8KE'],
    ['4t7ncq0hwz3m8kf', '4T7NC-Q0HWZ-3M8KF'],
    ['7K4P-2M9X 4T7NC-Q0HWZ-3M8KG', '4T7NC-Q0HWZ-3M8KG'],
  ])('is taken over by what stands on its receipt, as the page sends “%s”', async (typed, code) => {
    const visit = await aKioskVisit({ helpAskedAt: null })
    counter.app.appliance.store.visits.setCode(visit.id, code)
    const taken = await officer.call<AssistView>('POST', 'assist/take-over', toTakeOverBody(typed))
    expect(taken.body.identityId).toBe(visit.identityId)
  })

  test('is not taken over by its reference, and the answer says that the code is needed', async () => {
    const visit = await aKioskVisit({ helpAskedAt: null })
    const taken = await officer.call('POST', 'assist/take-over', toTakeOverBody(visit.reference ?? ''))
    expect(taken).toMatchObject({ status: 404, body: { errors: [{ code: 'reference_only' }] } })
    const found = await officer.call('POST', 'search', { reference: visit.reference })
    expect(found.body).toMatchObject({ mayTakeOver: false, needsCode: true })
  })

  test('cannot be taken over by its id without a call for help', async () => {
    const visit = await aKioskVisit({ helpAskedAt: null })
    expect((await officer.call('POST', 'assist/take-over', { helpCall: visit.id })).status).toBe(404)
  })

  test('wrong codes are counted, stopped and written down', async () => {
    for (let i = 0; i < 10; i++) {
      const code = `00000-0000${i}`
      expect((await officer.call('POST', 'search', { code })).status).toBe(200)
    }
    expect((await officer.call('POST', 'assist/take-over', { code: 'AAAAA-AAAAA' })).status).toBe(429)
    // A colleague still finds what the receipt says.
    expect((await other.call('POST', 'search', { code: '00000-00000' })).status).toBe(200)
    const [refused] = counter.app.appliance.store.eventPages.page({ type: 'search.refused', limit: 1 })
    expect(refused).toMatchObject({ body: { wrongCodes: 10 } })
  })
})

test('an opened proofing names the staff who acted, in place of their ids', async () => {
  const { identityId } = await anAssisted(counter, officer)
  const { body } = await officer.call<ProofingDetail>('GET', `proofings/${identityId ?? ''}`)
  const acted = [...new Set(body.timeline.map(({ who }) => who).filter((who) => who.startsWith('STAFF:')))]
  expect(acted).toHaveLength(1)
  const [id = ''] = acted.map((who) => who.slice('STAFF:'.length))
  expect(body.staffNames).toEqual({ [id]: counter.app.appliance.store.staff.find(id)?.name })
})

test('a visit that is stopped leaves no identity', async () => {
  const { visitId, identityId } = await anAssisted(counter, officer)
  expect((await officer.call('POST', `assist/${visitId}/stop`, { reason: 'PERSON_STOPPED' })).status).toBe(
    204,
  )
  const { store } = counter.app.appliance
  expect(store.identities.find(APPLIANCE, identityId ?? '')).toBeNull()
  expect(store.visits.find(visitId)).toMatchObject({ outcome: 'STOPPED', identityId: null })
})

test('an auditor and an administrator cannot assist an applicant', async () => {
  for (const role of ['auditor', 'administrator'] as const) {
    const person = await counter.signedIn(role)
    expect((await person.call('POST', 'assist/begin', { language: 'en' })).status).toBe(403)
  }
})
