/** A proofing at the counter, step by step: who may do what in which state, what is noted, and what its page is shown. */
import { UNNAMED_TENANT } from '../../../server/config/tenant-name.ts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { assistSetup } from '../../../server/counter/assist-setup.ts'
import type {
  AssistCountry,
  AssistView,
  Checklist,
  ConsentDisplay,
  ConsentQuestion,
  OpenedCapture,
} from '../../../server/counter/contract/assist.ts'
import type { ProofingDetail, ProofingPage } from '../../../server/counter/contract/today.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { PRODUCT_VERSION } from '../../../server/version.ts'
import { HARD_TO_READ, visionInDoubt } from '../app/adjudicators.ts'
import { aPassport, picture } from '../app/scripted-vision.ts'
import { makeChip } from '../../support/chip-documents.ts'
import { openSimulatedReaders, takenAwayAfter } from '../../support/simulated-readers.ts'
import { ADA, BOB, openConsole, type ConsoleBench } from './console-bench.ts'

const FACE = picture({ shows: 'person', face: 'A' })
const ALL = { approved: true, presentation: { language: 'en', readAll: true, listened: false } }

let its: ConsoleBench
beforeEach(async () => {
  its = await openConsole({ vision: visionInDoubt() })
})
afterEach(() => its.close())

const officer = (staffId = ADA) => its.as(['officer'], staffId)
const store = () => its.ctx.store
const post = async (path: string, body: object = {}, person = officer()) =>
  person.call<AssistView>('POST', `assist/${path}`, body)
const view = async (visitId: string, person = officer()) =>
  (await person.call<AssistView>('GET', `assist/${visitId}`)).body
async function begun(): Promise<string> {
  return (await post('begin', { language: 'fr' })).body.visitId
}
async function asked(visitId: string, display = 'SECOND'): Promise<string> {
  const { body } = await officer().call<ConsentDisplay>('POST', `assist/${visitId}/consent-display`, {
    display,
    language: 'de',
  })
  return body.token
}
async function agreed(optional: readonly string[] = []): Promise<{ visitId: string; identityId: string }> {
  const visitId = await begun()
  await its.onDisplay(await asked(visitId), 'POST', { ...ALL, optional })
  return { visitId, identityId: (await view(visitId)).identityId ?? '' }
}
function formOf(front: Uint8Array, back?: Uint8Array): FormData {
  const form = new FormData()
  const add = (name: string, bytes: Uint8Array) =>
    form.append(name, new Blob([bytes as BlobPart], { type: 'image/jpeg' }), `${name}.jpg`)
  add('front', front)
  if (back) add('back', back)
  return form
}
async function sendDocument(visitId: string, front = aPassport()): Promise<AssistView> {
  const path = `assist/${visitId}/document/file?country=UTO&documentType=PASSPORT`
  const { status } = await officer().send(path, formOf(front))
  expect(status).toBe(200)
  await its.runJobs()
  return view(visitId)
}
async function sendPortrait(visitId: string, face = FACE): Promise<AssistView> {
  const path = `assist/${visitId}/portrait/file`
  const { status } = await officer().send(path, new Blob([face as BlobPart]), 'image/jpeg; charset=x')
  expect(status).toBe(200)
  await its.runJobs()
  return view(visitId)
}
const notes = (visitId: string) =>
  store()
    .visits.notes({ since: new Date(0), until: new Date(its.now().getTime() + 1) })
    .filter((note) => note.visitId === visitId)
    .map(({ step, kind, code }) => `${kind} ${step} ${code}`)
const TAKEN = 'urn:counterproof:problem:visit_taken_over'
/** Simulates that the machine was unsure of the first document. */
function sendToDesk(identityId: string): void {
  const evidence = store().evidences.list(identityId)[0]
  if (!evidence) throw new TypeError('no evidence')
  store().adjudications.add({
    id: its.deps.newId(),
    identityId,
    evidenceId: evidence.id,
    status: 'TO_PROCESS',
    reason: null,
    errors: [],
    requestedAt: its.now(),
    respondedAt: null,
    fourEyes: false,
    claim: null,
  })
}
/** As if this face came from a capture session: these routes have no capture API beside them. */
function takeByCamera(evidenceId: string): void {
  const evidence = store().evidences.find(evidenceId)
  if (!evidence) throw new TypeError('no evidence')
  store().evidences.save({ ...evidence, content: { ...evidence.content, sessionId: its.deps.newId() } })
}
const kept = (visitId: string) => store().visits.find(visitId)

describe('a visit that begins at the counter', () => {
  test('has no identity until the applicant agrees, and asks for the consents of the journey and of typing', async () => {
    const shown = await view(await begun())
    expect(shown).toMatchObject({
      identityId: null,
      reference: null,
      language: 'fr',
      channel: 'COUNTER',
      startedAt: '2026-03-01T10:00:00.000Z',
      ended: false,
      documents: [],
      portrait: null,
      typed: [],
      level: { reached: 'LOA0', confirmedFrom: 'LOA1' },
      checking: false,
      mayFinish: false,
      camera: { available: false },
      result: null,
    })
    expect(shown.consent).toEqual({
      state: 'NEEDED',
      required: ['ID_DOCUMENT', 'PORTRAIT'],
      optional: ['ATTRIBUTES'],
      given: [],
      refused: [],
      display: null,
      attendedBy: null,
    })
  })

  test('is listed for the officer who began it, and for no other', async () => {
    const visitId = await begun()
    its.aVisit({ takenOverBy: ADA })
    const list = async (person = officer()) =>
      (await person.call<{ visits: { visitId: string }[] }>('GET', 'assist')).body.visits.map(
        (visit) => visit.visitId,
      )
    expect(await list()).toEqual([visitId])
    expect(await list(officer(BOB))).toEqual([])
    expect((await officer(BOB).call('GET', `assist/${visitId}`)).status).toBe(404)
  })

  test.each([
    ['document/session', { country: 'UTO', documentType: 'PASSPORT' }],
    ['portrait/session', {}],
    ['typed', { surname: 'Eriksson' }],
    ['finish', {}],
  ])('takes no %s before that', async (path, body) => {
    const { status } = await post(`${await begun()}/${path}`, body)
    expect(status).toBe(403)
  })

  test.each(['auditor', 'administrator'] as const)('is begun by no %s', async (role) => {
    expect((await post('begin', { language: 'fr' }, its.as([role]))).status).toBe(403)
    expect((await its.as([role]).call('GET', 'assist/countries')).status).toBe(403)
  })
})

describe('the question for consent', () => {
  test('is asked in the words of the journey, and waits for the person', async () => {
    const visitId = await begun()
    const token = await asked(visitId, 'TURNED')
    expect((await view(visitId)).consent).toMatchObject({
      state: 'WAITING',
      display: 'TURNED',
      attendedBy: ADA,
    })
    const question = (await its.onDisplay(token, 'GET')).body as ConsentQuestion
    expect(question).toEqual({
      language: 'de',
      organisation: 'Test',
      disclosures: {},
      required: ['ID_DOCUMENT', 'PORTRAIT'],
      optional: ['ATTRIBUTES'],
      // No service with a key can fetch a proof from here.
      retention: { hoursAfterHandover: null, hasCentre: false, unfinishedHours: 168 },
    })
  })

  test('that is agreed to makes the identity, with what was agreed to and who was there', async () => {
    const visitId = await begun()
    const token = await asked(visitId)
    await its.onDisplay(token, 'GET')
    its.tick(45_400)
    expect((await its.onDisplay(token, 'POST', { ...ALL, optional: ['ATTRIBUTES'] })).status).toBe(204)
    const shown = await view(visitId)
    expect(shown.consent).toMatchObject({
      state: 'GIVEN',
      given: ['ID_DOCUMENT', 'PORTRAIT', 'ATTRIBUTES'],
      display: 'SECOND',
      attendedBy: ADA,
    })
    expect(shown).toMatchObject({ language: 'de', channel: 'COUNTER', mayFinish: false })
    const identityId = shown.identityId ?? ''
    expect(shown.reference).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    expect(store().identities.context(identityId)).toEqual([
      { key: 'CHANNEL', value: 'COUNTER' },
      { key: 'JOURNEY', value: 'counter/1' },
      { key: 'CONSENT_DISPLAY', value: 'SECOND' },
      { key: 'CONSENT_LANGUAGE', value: 'de' },
      { key: 'ATTENDED_BY', value: ADA },
    ])
    expect(its.events('consent.presented')).toEqual([
      {
        type: 'consent.presented',
        body: { visitId, display: 'SECOND', language: 'de', shownSeconds: 45 },
        actor: `STAFF:${ADA}`,
      },
    ])
    // The person's own act.
    expect(its.events('consent.recorded').every(({ actor }) => actor.startsWith('USER_AGENT:'))).toBe(true)
    expect(its.events('consent.recorded').map(({ body }) => body)).toMatchObject([
      { type: 'ID_DOCUMENT', approved: true },
      { type: 'PORTRAIT', approved: true },
      { type: 'ATTRIBUTES', approved: true },
    ])
    expect(kept(visitId)?.step).toBe('document')
  })

  test('tells a type that the person refused from one that was not asked, as at a kiosk', async () => {
    const { visitId, identityId } = await agreed()
    expect((await view(visitId)).consent).toMatchObject({ refused: ['ATTRIBUTES'] })
    const { id } = await its.workflows.createIdentity(its.caller, { context: [] })
    await its.workflows.recordConsents(its.caller, id, [
      { type: 'ID_DOCUMENT', approved: true },
      { type: 'PORTRAIT', approved: true },
    ])
    expect(id).not.toBe(identityId)
    const fromKiosk = its.aVisit({ identityId: id, takenOverBy: ADA, channel: 'COUNTER' })
    expect((await view(fromKiosk.id)).consent).toMatchObject({
      given: ['ID_DOCUMENT', 'PORTRAIT'],
      refused: [],
    })
  })

  test('is answered once, in time, with the token alone, and only for the requested consents', async () => {
    const visitId = await begun()
    const token = await asked(visitId)
    expect((await its.onDisplay(token, 'POST', { ...ALL, optional: ['CREDIT'] })).status).toBe(400)
    expect((await its.onDisplay(token.slice(1), 'POST', ALL)).status).toBe(401)
    expect((await its.onDisplay('', 'POST', ALL)).status).toBe(401)
    expect((await its.onDisplay(token, 'POST', ALL)).status).toBe(204)
    expect((await its.onDisplay(token, 'POST', ALL)).status).toBe(401)
    const late = await asked(visitId)
    its.tick(20 * 60_000)
    expect((await its.onDisplay(late, 'GET')).status).toBe(401)
  })

  test('that is refused ends the visit and stores no identity', async () => {
    const visitId = await begun()
    expect((await its.onDisplay(await asked(visitId), 'POST', { ...ALL, approved: false })).status).toBe(204)
    expect(await view(visitId)).toMatchObject({
      ended: true,
      identityId: null,
      consent: { state: 'REFUSED' },
    })
    expect(kept(visitId)).toMatchObject({ outcome: 'REFUSED', language: 'de', endedAt: its.now() })
    expect(its.events('identity.')).toEqual([])
    expect(its.events('consent.presented')).toMatchObject([{ body: { shownSeconds: null } }])
  })

  test('of a visit that has ended cannot be answered', async () => {
    const visitId = await begun()
    const token = await asked(visitId)
    await post(`${visitId}/stop`, { reason: 'PERSON_LEFT' })
    expect((await its.onDisplay(token, 'POST', ALL)).status).toBe(403)
    expect(its.events('identity.')).toEqual([])
  })
})

describe('the document', () => {
  test('from a file is read, and its page shows the pictures and the values', async () => {
    const { visitId, identityId } = await agreed()
    const shown = await sendDocument(visitId)
    expect(shown).toMatchObject({ checking: false, mayFinish: true, portrait: null, typed: [] })
    const [document] = shown.documents
    expect(document).toMatchObject({
      type: 'PASSPORT',
      status: 'VERIFIED',
      guidance: [],
      capturedHere: true,
      attendance: null,
    })
    expect(document?.values).toContainEqual(
      expect.objectContaining({ field: 'familyName', value: 'ERIKSSON' }),
    )
    expect(document?.images.map(({ kind }) => kind)).toEqual(['FRONT', 'DOCUMENT_PORTRAIT'])
    expect(document?.checklist?.features.length).toBeGreaterThan(0)
    expect(notes(visitId)).toEqual([
      'STEP consent consent',
      'STEP document document',
      'TRY document DOCUMENT_FILE',
    ])
    const [evidence] = store().evidences.list(identityId)
    expect(evidence.content).toMatchObject({ officer: ADA })
    expect(evidence.content.captureDetails).toMatchObject({
      channel: 'webSDK',
      sdkInfo: { sdkVersion: PRODUCT_VERSION },
      jurisdiction: 'UTO',
      documentType: 'PASSPORT',
      source: 'OTHER',
    })
    const href = document?.images[0]?.href ?? ''
    const image = await officer().call('GET', href)
    expect([image.status, image.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect((await officer(BOB).call('GET', href)).status).toBe(404)
    expect((await officer().call('GET', `assist/${visitId}/images/${BOB}`)).status).toBe(404)
  })

  test('that no picture was taken of is no document that was hard to read', async () => {
    const { visitId } = await agreed()
    const wish = { country: 'UTO', documentType: 'PASSPORT' }
    const { body } = await officer().call<OpenedCapture>('POST', `assist/${visitId}/document/session`, wish)
    await its.workflows.abandonCaptureSession(body.sessionId)
    const flags = async () =>
      (await officer().call<ProofingPage>('GET', 'proofings')).body.rows.find(
        (row) => row.visitId === visitId,
      )?.flags
    expect(await flags()).not.toContain('HARD_TO_READ')
    await sendDocument(visitId, HARD_TO_READ)
    expect(await flags()).toContain('HARD_TO_READ')
  })

  test('that cannot be read is told how to do better', async () => {
    const { visitId } = await agreed()
    const { documents } = await sendDocument(visitId, HARD_TO_READ)
    expect(documents[0]).toMatchObject({ status: 'NOT_VERIFIED' })
    expect(documents[0]?.guidance.length).toBeGreaterThan(0)
  })

  test('without a front is no document', async () => {
    const { visitId } = await agreed()
    const path = `assist/${visitId}/document/file?country=UTO&documentType=PASSPORT`
    const form = new FormData()
    form.append('back', new Blob([aPassport() as BlobPart], { type: 'image/jpeg' }), 'back.jpg')
    const { status, body } = await officer().send<{ errors: { field: string }[] }>(path, form)
    expect([status, body.errors[0]?.field]).toEqual([400, 'front'])
    expect(
      (await officer().send(`assist/${visitId}/document/file?country=U`, formOf(aPassport()))).status,
    ).toBe(400)
  })

  test('by a capture element opens a session that ends by itself', async () => {
    const { visitId, identityId } = await agreed()
    const { status, body } = await officer().call<OpenedCapture>(
      'POST',
      `assist/${visitId}/document/session`,
      {
        country: 'UTO',
        documentType: 'IDENTITY_CARD',
      },
    )
    expect(status).toBe(200)
    expect(body.sides).toEqual(['FRONT', 'BACK'])
    expect(Date.parse(body.expiresAt)).toBeGreaterThan(its.now().getTime())
    expect(store().captureSessions.find(body.sessionId)).toMatchObject({ identityId, state: 'OPEN' })
    expect(notes(visitId).filter((note) => note.startsWith('TRY'))).toEqual([])
    expect(await view(visitId)).toMatchObject({ checking: false, mayFinish: false })
  })

  test('that staff typed is evidence of its own, beside the reading', async () => {
    const { visitId, identityId } = await agreed(['ATTRIBUTES'])
    const { status, body } = await post(`${visitId}/document/typed`, {
      documentType: 'PASSPORT',
      country: 'UTO',
      number: 'L898902C3',
      issued: '2019-01-01',
      expires: '2039-12-31',
      givenNames: ['ANNA', 'MARIA'],
      surname: 'ERIKSSON',
      birthDate: '1974-08-12',
    })
    expect(status).toBe(200)
    expect(kept(visitId)?.step).toBe('check')
    expect(body.typed.map(({ type }) => type)).toEqual(['PASSPORT'])
    expect(body.documents).toEqual([])
    await its.runJobs()
    const [evidence] = store().evidences.list(identityId)
    expect(evidence.content).toMatchObject({ submittedAsText: true })
    expect(JSON.stringify(evidence.content)).toContain('L898902C3')
    expect(JSON.stringify(evidence.content)).toContain('2019-01-01')
    expect(JSON.stringify(evidence.content)).toContain('2039-12-31')
    expect(JSON.stringify(evidence.content)).toContain('1974-08-12')
  })

  test('whose single values staff typed are held beside those that were read', async () => {
    const { visitId } = await agreed(['ATTRIBUTES'])
    await sendDocument(visitId)
    const { status } = await post(`${visitId}/typed`, {
      givenNames: ['ANNA', 'MARIA'],
      surname: 'SMITH',
      birthDate: '1974-08-12',
      nationality: 'UTO',
    })
    expect(status).toBe(200)
    await its.runJobs()
    const shown = await view(visitId)
    expect(shown.typed).toHaveLength(1)
    const values = shown.typed[0]?.values.map(({ field, value }) => [field, value])
    expect(values).toEqual(
      expect.arrayContaining([
        ['familyName', 'SMITH'],
        ['birthDate', '1974-08-12'],
      ]),
    )
    expect(JSON.stringify(shown.documents[0]?.compared)).toContain('SMITH')
    expect((await post(`${visitId}/typed`, {})).status).toBe(400)
  })

  test('is photographed by no camera where none is configured, and the fault is noted', async () => {
    const { visitId } = await agreed()
    const { status } = await post(`${visitId}/document/photo`, { side: 'FRONT' })
    expect(status).toBe(403)
    expect(notes(visitId).at(-1)).toMatch(/^FAULT document /)
    expect((await officer().call('GET', `assist/${visitId}/document/photo/${BOB}`)).status).toBe(404)
    const body = { country: 'UTO', documentType: 'PASSPORT', front: BOB }
    expect((await post(`${visitId}/document/photos`, body)).status).toBe(404)
  })
})

describe('the face', () => {
  test('by a file is compared with the document', async () => {
    const { visitId } = await agreed()
    await sendDocument(visitId)
    const shown = await sendPortrait(visitId)
    expect(shown.portrait).toMatchObject({
      type: 'PORTRAIT',
      status: 'VERIFIED',
      checklist: null,
      capturedHere: true,
    })
    expect(notes(visitId).slice(-2)).toEqual(['STEP portrait portrait', 'TRY portrait PORTRAIT_FILE'])
  })

  test.each([
    [{}, undefined],
    [{ withoutColours: true, exceptions: ['CANNOT_LOOK'] }, 'LIVENESS_PASSIVE'],
    [{ withoutTurning: true, exceptions: ['CANNOT_TURN'] }, 'LIVENESS_PASSIVE'],
  ])(
    'by a session that is asked for with %j is captured as %s',
    async (body: { exceptions?: string[] }, type) => {
      const { visitId, identityId } = await agreed()
      const answered = await officer().call<OpenedCapture>('POST', `assist/${visitId}/portrait/session`, body)
      expect(answered.status).toBe(200)
      expect(answered.body.sides).toEqual([])
      // Opening a session is no try; the picture that is handed in is.
      expect(notes(visitId).filter((note) => note.startsWith('TRY'))).toEqual([])
      const { portrait } = await view(visitId)
      expect(portrait).toMatchObject({ awaitsPicture: true, exceptions: body.exceptions ?? [] })
      expect((await view(visitId)).checking).toBe(false)
      const session = store().captureSessions.find(answered.body.sessionId)
      expect(session?.identityId).toBe(identityId)
      if (type !== undefined) expect(JSON.stringify(session)).toContain(type)
    },
  )

  test('is captured otherwise only with a reason', async () => {
    const { visitId } = await agreed()
    for (const body of [{ withoutColours: true }, { withoutTurning: true }]) {
      const { status, body: problem } = await officer().call<{ errors: { field: string }[] }>(
        'POST',
        `assist/${visitId}/portrait/session`,
        body,
      )
      expect([status, problem.errors[0]?.field]).toEqual([400, 'exceptions'])
    }
    const reason = { withoutColours: true, exceptions: ['NO_TIME'] }
    expect((await post(`${visitId}/portrait/session`, reason)).status).toBe(400)
  })
})

describe('a document from a file', () => {
  const aStatement = async (visitId: string, body: object) => {
    const { documents } = await view(visitId)
    const answered = await post(`${visitId}/evidences/${documents[0]?.evidenceId ?? ''}/attendance`, body)
    await its.runJobs()
    return answered.status
  }
  const indicatorsOf = (evidenceId: string) => {
    const { positiveIndicators = [], blockingIndicators = [] } =
      store().evidences.find(evidenceId)?.evaluation ?? {}
    return [...positiveIndicators, ...blockingIndicators].filter((name) => /^(ATTENDED|TACTILE)/.test(name))
  }

  // @clause NIST-63A-4/3.13-live
  test('is attested by no officer, and inspected by the one who holds the original', async () => {
    const { visitId } = await agreed()
    const { documents } = await sendDocument(visitId)
    const evidenceId = documents[0]?.evidenceId ?? ''
    const essential = documents[0]?.checklist?.features.filter(({ weight }) => weight === 'ESSENTIAL') ?? []
    const answers = Object.fromEntries(essential.map(({ id }) => [id, 'AS_IT_SHOULD']))
    expect(documents[0]).toMatchObject({ fromFile: true, capturedHere: true })
    expect(await aStatement(visitId, { present: true, answers })).toBe(403)
    expect(its.events('evidence.attended')).toEqual([])

    const inHand = { present: false, sameDocument: true }
    expect(await aStatement(visitId, { ...inHand, answers: { UNKNOWN_FEATURE: 'AS_IT_SHOULD' } })).toBe(400)
    expect(await aStatement(visitId, { ...inHand, answers })).toBe(200)
    const { attendance } = (await view(visitId)).documents[0] ?? {}
    expect(attendance).toMatchObject({ staffId: ADA, seen: 'IN_HAND', exceptions: [] })
    expect(indicatorsOf(evidenceId)).toEqual(['TACTILE_INSPECTION_OK'])
    expect(await aStatement(visitId, { ...inHand, answers: { ...answers, EDGES: 'DIFFERENT' } })).toBe(200)
    expect((await view(visitId)).documents[0]?.status).toBe('NOT_VERIFIED')
  })

  test('that an earlier version let an officer attest counts as inspected by hand once it is judged again', async () => {
    const { visitId, identityId } = await agreed()
    const { documents } = await sendDocument(visitId)
    const evidence = store().evidences.find(documents[0]?.evidenceId ?? '')
    if (!evidence) throw new TypeError('no evidence')
    const features = (documents[0]?.checklist?.features ?? []).map((feature) => ({
      ...feature,
      answer: 'AS_IT_SHOULD' as const,
    }))
    const attendance = { staffId: ADA, at: '2026-03-01T10:00:00.000', version: '1', features, exceptions: [] }
    const content = { ...evidence.content, attendance }
    store().evidences.save({ ...evidence, status: 'PROCESSING', content })
    store().jobs.add('verify-evidence', identityId, { evidenceId: evidence.id }, its.now())
    await its.runJobs()
    expect(indicatorsOf(evidence.id)).toEqual(['TACTILE_INSPECTION_OK'])
  })
})

describe('a face from a file', () => {
  test('is attested by no officer, whatever the caller sends, and reaches LOA1 at most', async () => {
    const { visitId } = await agreed()
    await sendDocument(visitId)
    const { portrait } = await sendPortrait(visitId)
    const evidenceId = portrait?.evidenceId ?? ''
    const answered = await post(`${visitId}/evidences/${evidenceId}/attendance`, { present: true })
    expect(answered.status).toBe(403)
    await its.runJobs()
    expect(await view(visitId)).toMatchObject({
      portrait: { status: 'VERIFIED', fromFile: true, attendance: null },
      level: { reached: 'LOA1', presenceShown: false },
    })
    expect(its.events('evidence.attended')).toEqual([])
  })

  test('that an earlier version let an officer attest counts no longer once it is judged again', async () => {
    const { visitId, identityId } = await agreed()
    await sendDocument(visitId)
    const { portrait } = await sendPortrait(visitId)
    const evidence = store().evidences.find(portrait?.evidenceId ?? '')
    if (!evidence) throw new TypeError('no evidence')
    const attendance = {
      staffId: ADA,
      at: '2026-03-01T10:00:00.000',
      version: '1',
      features: [],
      exceptions: [],
    }
    const content = { ...evidence.content, attendance }
    store().evidences.save({ ...evidence, status: 'PROCESSING', content })
    store().jobs.add('verify-evidence', identityId, { evidenceId: evidence.id }, its.now())
    await its.runJobs()
    expect((await view(visitId)).level).toMatchObject({ reached: 'LOA1', presenceShown: false })
  })
})

describe('a face that does not match the document', () => {
  const OTHER = picture({ shows: 'person', face: 'B' })
  const rowOf = async (visitId: string) =>
    (await officer().call<ProofingPage>('GET', 'proofings')).body.rows.find((row) => row.visitId === visitId)

  test('is refused with its reason, and the try stays in the case and in the list after another face', async () => {
    const { visitId, identityId } = await agreed()
    await sendDocument(visitId)
    const { portrait } = await sendPortrait(visitId, OTHER)
    expect(portrait).toMatchObject({ status: 'INVALID', guidance: ['PORTRAIT_DIFFERS'] })
    await sendPortrait(visitId)
    const { body } = await officer().call<ProofingDetail>('GET', `proofings/${identityId}`)
    const faces = body.evidences.filter(({ family }) => family === 'PORTRAIT')
    expect(faces.map(({ deleted, errors }) => [deleted, errors.map(({ code }) => code)])).toEqual([
      [true, ['1600']],
      [false, []],
    ])
    expect((await rowOf(visitId))?.flags).toContain('FACE_DIFFERS')
  })

  test('keeps its badge in the list after the officer has erased the case', async () => {
    const { visitId } = await agreed()
    await sendDocument(visitId)
    await sendPortrait(visitId, OTHER)
    expect((await post(`${visitId}/stop`, { reason: 'CANNOT_BE_DONE' })).status).toBe(204)
    expect(await rowOf(visitId)).toMatchObject({
      identityId: null,
      flags: expect.arrayContaining(['FACE_DIFFERS']) as unknown,
    })
  })
})

describe('the end of a visit', () => {
  test('comes when all is checked: sealed, with a code that is told once', async () => {
    const { visitId, identityId } = await agreed()
    await sendDocument(visitId)
    const { portrait, level } = await sendPortrait(visitId)
    expect(level).toMatchObject({ reached: 'LOA1', presenceShown: false })
    takeByCamera(portrait?.evidenceId ?? '')
    await post(`${visitId}/evidences/${portrait?.evidenceId ?? ''}/attendance`, { present: true })
    await its.runJobs()
    expect((await view(visitId)).level.presenceShown).toBe(true)
    const { status, body } = await post(`${visitId}/finish`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ ended: true, mayFinish: false, result: { outcome: 'CONFIRMED' } })
    expect(body.result?.reference).toBe(body.reference)
    expect(body.result?.code).toMatch(/^[0-9A-Z]{5}-[0-9A-Z]{5}-[0-9A-Z]{5}$/)
    expect(body.result?.qr.rows.length).toBeGreaterThan(20)
    expect(body.result?.issuedAt).toMatch(/^2026-03-01T\d{2}:00$/)
    expect(store().visits.findByCode(body.result?.code ?? '')?.id).toBe(visitId)
    expect(kept(visitId)).toMatchObject({ outcome: 'CONFIRMED', step: 'result', endedAt: its.now() })
    expect(store().identities.find(APPLIANCE, identityId)?.status).toBe('CLOSED')
    expect(its.events('visit.ended')).toMatchObject([{ body: { visitId, outcome: 'CONFIRMED' } }])
    expect((await view(visitId)).result).toBeNull()
    expect((await post(`${visitId}/finish`)).status).toBe(403)
  })

  test('confirms no face from a file that no officer attended, and says so on its card and in its history', async () => {
    const { visitId, identityId } = await agreed()
    await sendDocument(visitId)
    const { portrait, level } = await sendPortrait(visitId)
    expect(portrait).toMatchObject({ status: 'VERIFIED', fromFile: true })
    expect(level.reached).toBe(level.confirmedFrom)
    const { body: ended } = await post(`${visitId}/finish`, { notConfirmed: true })
    expect(ended.result?.outcome).toBe('NOT_CONFIRMED')
    expect(kept(visitId)).toMatchObject({ outcome: 'NOT_CONFIRMED' })
    const { body } = await officer().call<ProofingDetail>('GET', `proofings/${identityId}`)
    expect(body.evidences.map(({ family, fromFile }) => [family, fromFile])).toEqual([
      ['IDDOCUMENT', false],
      ['PORTRAIT', true],
    ])
    const told = body.timeline.filter(({ details }) => details.some(({ value }) => value === 'PICTURE_FILE'))
    expect(told.map(({ what }) => what)).toEqual(['evidence.submitted'])
  })

  test('is not there while nothing was captured', async () => {
    const { visitId } = await agreed()
    expect((await post(`${visitId}/finish`)).status).toBe(403)
    expect(kept(visitId)?.endedAt).toBeNull()
  })

  test('below the level of a confirmed identity asks the officer first, because a sealed proof cannot be adjudicated', async () => {
    const { visitId } = await agreed()
    await sendDocument(visitId, HARD_TO_READ)
    expect((await post(`${visitId}/finish`)).status).toBe(403)
    expect(kept(visitId)).toMatchObject({ outcome: null, endedAt: null })
    const { body } = await post(`${visitId}/finish`, { notConfirmed: true })
    expect(body.result?.outcome).toBe('NOT_CONFIRMED')
    expect(kept(visitId)).toMatchObject({ outcome: 'NOT_CONFIRMED', endedAt: its.now() })
  })

  test('with a case at the desk is not sealed, and continues later', async () => {
    const { visitId, identityId } = await agreed()
    const { documents } = await sendDocument(visitId, HARD_TO_READ)
    const evidenceId = documents[0]?.evidenceId ?? ''
    const application = { ...its.caller, applicationId: its.deps.caller.applicationId }
    await its.workflows.requestAdjudication(application, identityId, evidenceId)
    const { status, body } = await post(`${visitId}/finish`)
    expect([status, body.result?.outcome]).toEqual([200, 'PERSON'])
    expect(kept(visitId)).toMatchObject({ outcome: 'PERSON', step: 'result', endedAt: null })
    expect(store().identities.find(APPLIANCE, identityId)?.status).not.toBe('CLOSED')
  })

  test.each([
    ['PERSON_LEFT', 'WALKED_AWAY'],
    ['PERSON_STOPPED', 'STOPPED'],
    ['CANNOT_BE_DONE', 'STOPPED'],
  ])('because %s is %s, and leaves no identity', async (reason, outcome) => {
    const { visitId, identityId } = await agreed()
    await sendDocument(visitId)
    expect((await post(`${visitId}/stop`, { reason })).status).toBe(204)
    expect(kept(visitId)).toMatchObject({ outcome, endedAt: its.now() })
    expect(store().identities.find(APPLIANCE, identityId)).toBeNull()
    expect(its.events('visit.ended')).toMatchObject([{ body: { visitId, outcome }, actor: `STAFF:${ADA}` }])
    expect((await post(`${visitId}/stop`, { reason })).status).toBe(403)
  })

  test('by a colleague is no end', async () => {
    const { visitId } = await agreed()
    expect((await post(`${visitId}/stop`, { reason: 'PERSON_LEFT' }, officer(BOB))).status).toBe(404)
    expect((await post(`${visitId}/stop`, { reason: 'BORED' })).status).toBe(400)
    expect(kept(visitId)?.endedAt).toBeNull()
  })

  test('erases no sealed identity', async () => {
    const { visitId, identityId } = await agreed()
    await sendDocument(visitId)
    await its.workflows.sealProof({ ...its.caller, ...its.deps.caller }, identityId)
    expect((await post(`${visitId}/stop`, { reason: 'PERSON_LEFT' })).status).toBe(204)
    expect(store().identities.find(APPLIANCE, identityId)?.status).toBe('CLOSED')
  })
})

describe('a visit from the kiosk', () => {
  const fromKiosk = async (over = {}) => {
    const kiosk = store().apiKeys.ensureApplication('tenant', 'kiosk', its.now())
    const caller = { ...its.caller, applicationId: kiosk }
    const { id } = await its.workflows.createIdentity(caller, {
      context: [{ key: 'CHANNEL', value: 'KIOSK' }],
    })
    const consents = ['ID_DOCUMENT', 'PORTRAIT'].map((type) => ({ type: type as 'PORTRAIT', approved: true }))
    await its.workflows.recordConsents(caller, id, consents)
    await its.workflows.submitDocument(caller, id, {
      front: { bytes: aPassport(), declaredType: 'image/jpeg' },
    })
    await its.runJobs()
    return its.aVisit({ identityId: id, reference: '7K4P-2M9X', ...over })
  }

  // @clause TR-03135/supervision NIST-63A-4/3.15-exceptions
  test('is taken over by its call for help, and was not captured here', async () => {
    const visit = await fromKiosk({ helpAskedAt: its.now() })
    const { status, body } = await post('take-over', { helpCall: visit.id })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      identityId: visit.identityId,
      reference: '7K4P-2M9X',
      channel: 'KIOSK',
      consent: { state: 'GIVEN', display: 'KIOSK', attendedBy: null },
    })
    expect(body.visitId).not.toBe(visit.id)
    expect(body.documents[0]).toMatchObject({ status: 'VERIFIED', capturedHere: false })
    expect(kept(visit.id)?.takenOverBy).toBe(ADA)
    expect((await post('take-over', { helpCall: visit.id }, officer(BOB))).status).not.toBe(200)
  })

  test('that went to the desk continues with a colleague who says from whom, and the log names both', async () => {
    const visit = await fromKiosk({ helpAskedAt: its.now() })
    const mine = (await post('take-over', { helpCall: visit.id })).body
    const take = { visitId: mine.visitId, from: ADA }
    const opened = async () =>
      (await officer(BOB).call<ProofingDetail>('GET', `proofings/${mine.identityId}`)).body
    // A colleague attends it: it cannot be taken over.
    expect(await opened()).toMatchObject({ goOn: 'COLLEAGUE', takeFrom: null })
    expect((await post('take-over', take, officer(BOB))).body).toMatchObject({ type: TAKEN })
    sendToDesk(String(mine.identityId))
    expect(await opened()).toMatchObject({ goOn: 'COLLEAGUE', takeFrom: { staffId: ADA } })
    expect((await post('take-over', { ...take, from: BOB }, officer(BOB))).status).toBe(404)
    const { status, body } = await post('take-over', take, officer(BOB))
    expect([status, body.identityId]).toEqual([200, mine.identityId])
    expect(its.events('visit.taken_over').at(-1)).toMatchObject({
      actor: `STAFF:${BOB}`,
      body: { visitId: mine.visitId, from: ADA },
    })
    expect((await officer().call('GET', `assist/${mine.visitId}`)).status).toBe(404)
    expect((await post('take-over', { ...take, visitId: body.visitId, from: BOB })).status).toBe(200)
  })

  test('that an officer has ended opens to any officer who has its receipt', async () => {
    const visit = await fromKiosk({ helpAskedAt: its.now() })
    const mine = (await post('take-over', { helpCall: visit.id })).body
    const open = kept(mine.visitId)
    if (!open) throw new TypeError('no visit')
    store().visits.setCode(open.id, '4T7NC-Q0HWZ-3M8KG')
    expect((await post('take-over', { code: '4T7NC-Q0HWZ-3M8KG' }, officer(BOB))).status).not.toBe(200)
    store().visits.save({ ...open, endedAt: its.now(), outcome: 'PERSON' })
    const { status, body } = await post('take-over', { code: '4T7NC-Q0HWZ-3M8KG' }, officer(BOB))
    expect([status, body.identityId]).toEqual([200, mine.identityId])
  })

  test('whose applicant was called to the counter and left the kiosk is taken over without a code, once', async () => {
    const ended = { endedAt: its.now(), outcome: 'PERSON', helpAnswer: 'GO_TO_COUNTER' } as const
    const visit = await fromKiosk({ ...ended, sent: { at: its.now(), because: 'CALLED' } })
    const { status, body } = await post('take-over', { helpCall: visit.id })
    expect([status, body.identityId]).toEqual([200, visit.identityId])
    expect((await post('take-over', { helpCall: visit.id }, officer(BOB))).status).toBe(404)
  })

  test('cannot be taken over by its id without a call for help, or after its end', async () => {
    const silent = await fromKiosk()
    const left = await fromKiosk({ helpAskedAt: its.now(), endedAt: its.now(), outcome: 'WALKED_AWAY' })
    for (const helpCall of [silent.id, left.id, BOB]) {
      expect((await post('take-over', { helpCall })).status).toBe(404)
    }
  })

  test('is taken over by the code of its receipt, typed or scanned', async () => {
    const visit = await fromKiosk()
    store().visits.setCode(visit.id, '4T7NC-Q0HWZ-3M8KD')
    expect((await post('take-over', { code: '4T7NC-Q0HWZ-3M8KE' })).status).toBe(404)
    expect((await post('take-over', { text: 'no receipt' })).status).toBe(404)
    expect((await post('take-over', { text: '7K4P-2M9X 4T7NC-Q0HWZ-3M8KD' })).body.identityId).toBe(
      visit.identityId,
    )
    const again = await fromKiosk()
    store().visits.setCode(again.id, '4T7NC-Q0HWZ-3M8KF')
    expect((await post('take-over', { code: '4T7NC-Q0HWZ-3M8KF' })).body.identityId).toBe(again.identityId)
  })
})

describe('what the page asks for', () => {
  test('are the countries with their documents and sides, and Utopia where it is a test', async () => {
    const { body } = await officer().call<{ countries: AssistCountry[] }>('GET', 'assist/countries')
    const germany = body.countries.find(({ iso3 }) => iso3 === 'DEU')
    expect(germany?.iso2).toBe('DE')
    expect(germany?.documents).toContainEqual({ type: 'PASSPORT', sides: ['FRONT'] })
    expect(germany?.documents).toContainEqual({ type: 'IDENTITY_CARD', sides: ['FRONT', 'BACK'] })
    const utopia = body.countries.at(-1)
    expect(utopia).toMatchObject({ iso3: 'UTO', iso2: null })
    const types = new Set(body.countries.flatMap(({ documents }) => documents.map(({ type }) => type)))
    expect(utopia?.documents.map(({ type }) => type).sort()).toEqual([...types].sort())
    expect(new Set(germany?.documents.map(({ type }) => type)).size).toBe(germany?.documents.length)
  })

  test('are the checklists and the reasons of exceptions', async () => {
    const { body } = await officer().call<{ checklists: Checklist[]; exceptions: string[] }>(
      'GET',
      'assist/features',
    )
    expect(body.exceptions).toEqual([
      'NO_HAND',
      'CANNOT_TURN',
      'CANNOT_LOOK',
      'VEIL_PRIVATE_ROOM',
      'SAME_SEX_STAFF',
      'HELPER_PRESENT',
      'DOCUMENT_TOO_WORN',
      'CAMERA_DOES_NOT_SUIT',
    ])
    expect(body.checklists.map(({ type }) => type)).toContain('PASSPORT')
    for (const { features } of body.checklists) {
      expect(Object.keys(features[0] ?? {}).sort()).toEqual(['id', 'tool', 'weight'])
    }
  })
})

describe('what a proofing at the counter asks for', () => {
  const NO_SOURCES = { issuers: [], addressRegisters: [], bureaus: [] }
  const config = (retention: object, name = 'Bank', issuerVerification = false) =>
    ({
      tenant: {
        name,
        sharing: [{ application: 'bank', of: ['counter'], may: 'read' }],
        features: { issuerVerification },
      },
      connectors: {
        ...NO_SOURCES,
        issuers: [{ name: 'Licence office', sends: ['documentNumber'] }],
      },
      retention: { afterProof: 'erase', proofRepeatHours: 24, abandonedHours: 168, ...retention },
    }) as never
  const clock = { now: () => new Date('2026-03-01T10:00:00Z') }
  /** A relying service with a key, unless `hasService` is false. */
  const joined = (membership: object | null, hasService = true) => {
    const key = { application: 'bank', role: 'RELYING_SERVICE', expiresAt: null, revokedAt: null }
    const apiKeys = { list: () => (hasService ? [key] : []) }
    return { enrolments: { find: () => ({ membership }) }, apiKeys } as never
  }
  const consent = (over: object) => ({ steps: [{ kind: 'consent', required: ['ID_DOCUMENT'], ...over }] })

  test.each<[string, object, object]>([
    ['without a journey', {}, { required: ['ID_DOCUMENT', 'PORTRAIT'], optional: ['ATTRIBUTES'] }],
    ['', { journey: consent({ optional: ['MOBILE_OTP'] }) }, { optional: ['PORTRAIT', 'ATTRIBUTES'] }],
    [
      'that demands what no step at the counter uses',
      { journey: { steps: [{ kind: 'consent', required: ['PORTRAIT', 'GIV', 'ID_CLAIM'] }] } },
      { required: ['PORTRAIT'], optional: ['ID_DOCUMENT', 'ATTRIBUTES'] },
    ],
    [
      'of a tenant who demands a consent for typed documents',
      {
        config: {
          tenant: {
            name: 'Bank',
            sharing: [],
            requiredConsents: { IDDOCUMENT_TEXT: ['GIV'] },
            features: { issuerVerification: false },
          },
          connectors: NO_SOURCES,
          retention: { afterProof: 'erase', proofRepeatHours: 24, abandonedHours: 168 },
        },
      },
      { required: ['ID_DOCUMENT', 'PORTRAIT'], optional: ['GIV', 'ATTRIBUTES'] },
    ],
    [
      'of a tenant who has issuers asked, which are named with the values that they receive',
      { config: config({}, 'Bank', true) },
      {
        optional: ['ATTRIBUTES', 'GIV'],
        disclosures: {
          GIV: [
            {
              name: 'Licence office',
              values: ['documentType', 'issuingCountry', 'issuingState', 'documentNumber'],
            },
          ],
        },
      },
    ],
    ['without a level', {}, { confirmedFrom: 'LOA1', organisation: 'Bank' }],
    [
      'of an organisation',
      { journey: { steps: [], confirmedFrom: 'LOA3', organisation: 'Post' } },
      { confirmedFrom: 'LOA3', organisation: 'Post' },
    ],
    ['without a face', {}, { withoutColours: 'OFFICER', withoutTurning: 'OFFICER' }],
    [
      'with a face',
      {
        journey: { steps: [{ kind: 'portrait', withoutColours: 'LIVENESS_ACTIVE', withoutTurning: 'NONE' }] },
      },
      { withoutColours: 'LIVENESS_ACTIVE', withoutTurning: 'NONE' },
    ],
  ])('follows a journey %s', (_, over, wanted) => {
    expect(assistSetup({ config: config({}), store: joined(null), clock, ...over })).toMatchObject(wanted)
  })

  test('names no organisation on a machine without a name', () => {
    const setup = assistSetup({ config: config({}, UNNAMED_TENANT), store: joined(null), clock })
    expect(setup.organisation).toBeNull()
  })

  test.each([
    [{ proofRepeatHours: 24 }, null, { hoursAfterHandover: 24, unfinishedHours: 168 }],
    [
      { proofRepeatHours: 25, abandonedHours: 0 },
      { kioskId: 'k' },
      { hoursAfterHandover: 25, unfinishedHours: null },
    ],
    [{ afterProof: 'keep' }, null, { hoursAfterHandover: null, unfinishedHours: 168 }],
  ])('says for how long %j keeps the data, by the membership %j', (retention, membership, promise) => {
    const setup = assistSetup({ config: config(retention), store: joined(membership), clock })
    expect(setup.retention).toEqual({ ...promise, hasCentre: membership !== null })
  })

  test('promises no deletion where nothing takes the proofs', () => {
    const setup = assistSetup({ config: config({}), store: joined(null, false), clock })
    expect(setup.retention).toMatchObject({ hoursAfterHandover: null })
  })
})

describe('the chip', () => {
  test('without a reader is not offered, and not read', async () => {
    const { visitId } = await agreed()
    const { documents } = await sendDocument(visitId)
    expect(documents[0]?.chip).toBeNull()
    const { evidenceId } = documents[0] ?? {}
    expect((await post(`${visitId}/chip`, { evidenceId })).status).not.toBe(200)
  })

  test('is read by the reader of the counter, and continues after the document was taken away', async () => {
    its.close()
    const readers = openSimulatedReaders()
    const config = { readers: { enabled: true } }
    its = await openConsole({ vision: visionInDoubt(), config, parts: { chipReaders: readers } })
    const { visitId } = await agreed()
    const { evidenceId, chip } = (await sendDocument(visitId)).documents[0] ?? {}
    expect(chip).toEqual({ documentType: 'PASSPORT', reading: null, isBegun: false, isOver: false })
    its.tick(1000)
    expect((await post(`${visitId}/chip`, { evidenceId }, its.as(['auditor'], BOB))).status).toBe(403)
    const { body } = await post(`${visitId}/chip`, { evidenceId })
    expect(body.documents[0]?.chip?.reading).toMatchObject({ state: 'WAITING' })
    const { card } = makeChip('eacpace')
    const reaches = (state: string) =>
      vi.waitFor(async () => expect((await view(visitId)).documents[0]?.chip?.reading?.state).toBe(state), {
        timeout: 20_000,
      })
    readers.place(takenAwayAfter(readers, card, 25))
    await reaches('LOST')
    readers.place(card)
    await reaches('ENDED')
    await its.runJobs()
    expect((await view(visitId)).documents[0]).toMatchObject({ status: 'VERIFIED', chip: { isOver: true } })
  })
})
