/** The desk: own eyes first, two acts and half a minute, two people, and a supervisor where they disagree. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Confirmed, DeskCase, DeskQueue, Draft } from '../../../server/counter/contract/desk.ts'
import type { AssistView } from '../../../server/counter/contract/assist.ts'
import type { ProofingDetail } from '../../../server/counter/contract/today.ts'
import { DOCUMENT_TYPES } from '../../../server/proofing/types.ts'
import { verifyDecision } from '../../../server/proof/verify/decision-statement.ts'
import { documentForm } from '../../support/app.ts'
import type { CounterApp, CounterBrowser } from '../../support/counter.ts'
import { HARD_TO_READ } from '../app/adjudicators.ts'
import { picture } from '../app/scripted-vision.ts'
import { anAssisted, sendDocument, startWork } from './work.ts'

let counter: CounterApp
let first: CounterBrowser
let second: CounterBrowser
let supervisor: CounterBrowser
beforeAll(async () => {
  counter = await startWork()
  first = await counter.signedIn('officer')
  second = await counter.signedIn('officer')
  supervisor = await counter.signedIn('supervisor')
})
afterAll(() => counter.close())

const store = () => counter.app.appliance.store

/** A document of a relying service that nothing can be read on, and that waits for a person. */
async function aCase(image = HARD_TO_READ): Promise<string> {
  const { app } = counter
  const { body: made } = await app.json('POST', '/v1/identities', { payload: {} })
  const { id } = made as { id: string }
  const consents = ['ID_DOCUMENT', 'PORTRAIT'].map((type) => ({ type, approved: true }))
  await app.call('POST', `/v1/identities/${id}/consents`, { payload: consents })
  const sent = await app.json('POST', `/v1/identities/${id}/id-documents/capture`, {
    body: documentForm(image),
  })
  const evidenceId = (sent.body as { id: string }).id
  await app.runJobs()
  await app.json('POST', `/v1/identities/${id}/adjudications/${evidenceId}`)
  return store().adjudications.latest(evidenceId)?.id ?? ''
}

const ANSWERS = { documentReal: 'YES', dataAgree: 'YES', features: [], viewedSeconds: 12 }
const NOT_REAL = { ...ANSWERS, documentReal: 'NO' }
const ACCEPT = { decision: 'ACCEPTED', reason: 'DATA_LEGIBLE_TO_EYE' }
const REFUSE = { decision: 'REJECTED', reason: 'DOCUMENT_TAMPERED' }

async function answered(person: CounterBrowser, id: string, answers: object = ANSWERS): Promise<void> {
  await person.call('POST', `desk/${id}/claim`, {})
  const { status } = await person.call('POST', `desk/${id}/answers`, answers)
  expect(status).toBe(200)
}

/** Both acts; not yet carried out. */
async function confirmed(person: CounterBrowser, id: string, decision: object): Promise<Confirmed> {
  const { body: draft } = await person.call<Draft>('POST', `desk/${id}/draft`, decision)
  const { body } = await person.call<Confirmed>('POST', `desk/${id}/confirm`, { token: draft.token })
  return body
}

async function carriedOut(): Promise<void> {
  counter.tick(30_000)
  const { app } = counter
  // Any call that leaves work to do wakes the job runner, which looks at the deadlines first.
  const { body } = await app.json('POST', '/v1/identities', { payload: {} })
  const payload = { surname: { value: 'Bystander' } }
  await app.json('POST', `/v1/identities/${(body as { id: string }).id}/attributes`, { payload })
  await app.runJobs()
}

async function decided(
  person: CounterBrowser,
  id: string,
  decision: object,
  answers = ANSWERS,
): Promise<void> {
  await answered(person, id, answers)
  await confirmed(person, id, decision)
  await carriedOut()
}

const statusOf = (id: string) => store().adjudications.find(id)?.status

describe('a document that the machine could not read', () => {
  const UNREAD = picture({ shows: 'document', lines: null, face: 'A' })
  const values = {
    idDocumentType: 'PASSPORT',
    idDocumentNumber: 'L898902C3',
    issuingCountry: 'UTO',
    personalAttributes: { surname: { value: 'ERIKSSON' }, dateOfBirth: { value: '1974-08-12' } },
  }

  test('is confirmed by what the reviewer types of it, and not without', async () => {
    const id = await aCase(UNREAD)
    await answered(first, id)
    expect((await first.call<DeskCase>('GET', `desk/${id}`)).body.reading).toMatchObject({
      typed: null,
    })
    expect((await first.call('POST', `desk/${id}/draft`, ACCEPT)).status).toBe(403)
    await confirmed(first, id, { ...ACCEPT, values })
    await carriedOut()
    expect(statusOf(id)).toBe('ACCEPTED')
    const evidence = store().evidences.find(store().adjudications.find(id)?.evidenceId ?? '')
    expect(evidence).toMatchObject({ status: 'VERIFIED', type: 'PASSPORT' })
    expect(evidence?.content.document).toMatchObject({
      idDocumentNumber: 'L898902C3',
      personalAttributes: { surname: { value: 'ERIKSSON', verified: true } },
      readByPerson: ['idDocumentType', 'idDocumentNumber', 'issuingCountry', 'surname', 'dateOfBirth'],
    })
  })

  test('is typed once and kept, also when the decision is taken back; no other officer sees it', async () => {
    const id = await aCase(UNREAD)
    await answered(first, id)
    await confirmed(first, id, { ...ACCEPT, values })
    const undone = await first.call<DeskCase>('POST', `desk/${id}/undo`, {})
    expect(undone.body.reading?.typed).toEqual(values)
    await first.call('POST', `desk/${id}/release`, {})
    await answered(second, id)
    expect((await second.call<DeskCase>('GET', `desk/${id}`)).body.reading?.typed).toBeNull()
    await second.call('POST', `desk/${id}/release`, {})
  })

  test('is read by each who decides, and what a supervisor read who settles it is what counts', async () => {
    const id = await aCase(UNREAD)
    await decided(first, id, REFUSE, NOT_REAL)
    await decided(second, id, { ...ACCEPT, values })
    expect(statusOf(id)).toBe('UNSURE')
    await supervisor.usePasskey()
    await answered(supervisor, id)
    const unread = await supervisor.call<{ errors: { code: string }[] }>('POST', `desk/${id}/draft`, ACCEPT)
    expect([unread.status, unread.body.errors.map(({ code }) => code)]).toEqual([403, ['values_missing']])
    await confirmed(supervisor, id, { ...ACCEPT, values: { ...values, idDocumentNumber: 'L898902C8' } })
    await carriedOut()
    expect(statusOf(id)).toBe('ACCEPTED')
    const evidence = store().evidences.find(store().adjudications.find(id)?.evidenceId ?? '')
    expect(evidence?.content.document?.idDocumentNumber).toBe('L898902C8')
  })

  test('is confirmed by two who read the same by themselves, where the policy asks for two', async () => {
    const tenant = { id: 'default', name: 'Strict', mode: 'test', policy: 'eidas' }
    const strict = await startWork({ tenant })
    const outer = counter
    counter = strict
    try {
      const [one, two] = [await strict.signedIn('officer'), await strict.signedIn('officer')]
      const id = await aCase(UNREAD)
      await decided(one, id, { ...ACCEPT, values })
      expect(statusOf(id)).toBe('UNSURE')
      await answered(two, id)
      const draft = (more: object) =>
        two.call<{ errors?: { code: string }[] }>('POST', `desk/${id}/draft`, { ...ACCEPT, ...more })
      const refusals = [
        await draft({}),
        await draft({ values: { ...values, idDocumentNumber: 'L898902C8' } }),
      ].map(({ status, body }) => [status, body.errors?.[0]?.code])
      expect(refusals).toEqual([
        [403, 'values_missing'],
        [403, 'values_differ'],
      ])
      await confirmed(two, id, { ...ACCEPT, values })
      await carriedOut()
      expect(statusOf(id)).toBe('ACCEPTED')
    } finally {
      counter = outer
      await strict.close()
    }
  })

  test('of a kind that the rules give nothing for, or with days that are over or to come, is refused before the second act', async () => {
    const id = await aCase(UNREAD)
    await answered(first, id)
    const draft = (change: object) =>
      first.call('POST', `desk/${id}/draft`, { ...ACCEPT, values: { ...values, ...change } })
    const reasonOf = async (change: object) => {
      const { status, body } = await draft(change)
      return [status, (body as { errors?: { code: string }[] }).errors?.[0]?.code]
    }
    const personalAttributes = { ...values.personalAttributes, dateOfBirth: { value: '2999-01-01' } }
    expect(await reasonOf({ personalAttributes })).toEqual([403, 'date_to_come'])
    expect(await reasonOf({ issuingDate: '2999-01-01' })).toEqual([403, 'date_to_come'])
    expect(await reasonOf({ expiryDate: '2001-01-01' })).toEqual([403, 'document_ended'])
    expect(await reasonOf({ idDocumentNumber: undefined })).toEqual([403, 'values_missing'])
    const offered = (await first.call<DeskCase>('GET', `desk/${id}`)).body.reading?.kinds ?? []
    for (const idDocumentType of DOCUMENT_TYPES)
      expect([idDocumentType, (await draft({ idDocumentType })).status]).toEqual([
        idDocumentType,
        offered.includes(idDocumentType) ? 200 : 403,
      ])
    await first.call('POST', `desk/${id}/release`, {})
  })

  test('needs no typing where the machine could read it', async () => {
    const id = await aCase()
    await answered(first, id)
    expect((await first.call<DeskCase>('GET', `desk/${id}`)).body.reading).toBeNull()
    await first.call('POST', `desk/${id}/release`, {})
  })
})

describe('the reviewer', () => {
  test('is shown the measurements only after answering', async () => {
    const id = await aCase()
    const { body: claimed } = await first.call<DeskCase>('POST', `desk/${id}/claim`, {})
    expect(claimed).toMatchObject({ machine: null, choices: [], answers: null, mine: true })
    expect(claimed.questions).toMatchObject({ samePerson: false, documentReal: true, dataAgree: true })
    expect(JSON.stringify(claimed)).not.toContain('UNVERIFIED')
    const early = await first.call('POST', `desk/${id}/draft`, ACCEPT)
    expect(early.status).toBe(403)
    const { body } = await first.call<DeskCase>('POST', `desk/${id}/answers`, ANSWERS)
    expect(body.machine?.indicators.unverified.length).toBeGreaterThan(0)
    expect(body.choices.find(({ decision }) => decision === 'REJECTED')?.byTwo).toBe(true)
    // After the measurements were shown, answers are refused.
    expect((await first.call('POST', `desk/${id}/answers`, NOT_REAL)).status).toBe(403)
    await first.call('POST', `desk/${id}/release`, {})
  })

  test('has to answer every question', async () => {
    const id = await aCase()
    await first.call('POST', `desk/${id}/claim`, {})
    const { status } = await first.call('POST', `desk/${id}/answers`, { viewedSeconds: 1 })
    expect(status).toBe(400)
    await first.call('POST', `desk/${id}/release`, {})
  })

  test('sees no picture of a case without a claim to it', async () => {
    const id = await aCase()
    const evidenceId = store().adjudications.find(id)?.evidenceId ?? ''
    const [image] = store().images.listByEvidence(evidenceId)
    const path = `desk/${id}/images/${image.id}`
    expect((await first.fetch('GET', path)).status).toBe(409)
    await first.call('POST', `desk/${id}/claim`, {})
    const shown = await first.fetch('GET', path)
    expect(shown.status).toBe(200)
    expect(shown.headers.get('cache-control')).toBe('no-store')
    expect((await second.fetch('GET', path)).status).toBe(409)
    await first.call('POST', `desk/${id}/release`, {})
  })

  test('does not accept a feature that was answered with no', async () => {
    const id = await aCase()
    await answered(first, id, NOT_REAL)
    expect((await first.call('POST', `desk/${id}/draft`, ACCEPT)).status).toBe(403)
    await first.call('POST', `desk/${id}/release`, {})
  })
})

describe('a decision', () => {
  test('takes two acts, waits half a minute, and stands signed with the answers', async () => {
    const id = await aCase()
    await answered(first, id)
    const { body: draft } = await first.call<Draft>('POST', `desk/${id}/draft`, ACCEPT)
    expect(draft).toMatchObject({ ...ACCEPT, isLast: true })
    expect((await first.call('POST', `desk/${id}/confirm`, { token: 'x'.repeat(32) })).status).toBe(403)
    await first.call('POST', `desk/${id}/confirm`, { token: draft.token })
    expect(statusOf(id)).toBe('PROCESSING')
    await carriedOut()
    expect(statusOf(id)).toBe('ACCEPTED')
    const [decision] = store().adjudicationDecisions.list(id)
    expect(decision.examination).toEqual(ANSWERS)
    const keys = { jwks: { keys: [...store().signingKeys.publicKeys()] } }
    expect(verifyDecision(decision.signature, keys)).toMatchObject({
      valid: true,
      statement: { decision: 'ACCEPTED', examination: ANSWERS, adjudicator: { kind: 'STAFF' } },
    })
    const [event] = store().eventPages.page({ type: 'adjudication.decided', limit: 1 })
    expect(event.actor).toBe(`STAFF:${decision.adjudicator.id}`)
  })

  test('is taken back within half a minute, and not after', async () => {
    const id = await aCase()
    await answered(first, id)
    await confirmed(first, id, ACCEPT)
    expect((await second.call('POST', `desk/${id}/undo`, {})).status).toBe(403)
    const undone = await first.call<DeskCase>('POST', `desk/${id}/undo`, {})
    expect(undone.body).toMatchObject({ pending: null, mine: true })
    await carriedOut()
    expect(statusOf(id)).toBe('PROCESSING')
    expect(store().adjudicationDecisions.list(id)).toEqual([])
    await confirmed(first, id, ACCEPT)
    counter.tick(30_000)
    expect((await first.call('POST', `desk/${id}/undo`, {})).status).toBe(403)
    await carriedOut()
    expect(statusOf(id)).toBe('ACCEPTED')
    expect(store().adjudicationDecisions.list(id)).toHaveLength(1)
  })

  test('is confirmed once', async () => {
    const id = await aCase()
    await answered(first, id)
    const { body: draft } = await first.call<Draft>('POST', `desk/${id}/draft`, ACCEPT)
    const both = await Promise.all(
      [1, 2].map(() => first.call('POST', `desk/${id}/confirm`, { token: draft.token })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403])
    await carriedOut()
    expect(store().adjudicationDecisions.list(id)).toHaveLength(1)
  })

  test('to refuse takes two people, and the second one sees nothing of the first', async () => {
    const id = await aCase()
    await decided(first, id, REFUSE, NOT_REAL)
    expect(statusOf(id)).toBe('UNSURE')
    expect((await first.call('POST', `desk/${id}/claim`, {})).status).toBe(403)
    await second.call('POST', `desk/${id}/claim`, {})
    const { body } = await second.call<DeskCase>('POST', `desk/${id}/answers`, NOT_REAL)
    expect(JSON.stringify(body)).not.toContain('"DOCUMENT_TAMPERED","decided')
    expect(body.machine?.findings.map(({ check }) => check)).not.toContain('ADJUDICATION')
    await confirmed(second, id, REFUSE)
    await carriedOut()
    expect(statusOf(id)).toBe('REJECTED')
  })

  test('that two disagree about is a supervisor’s', async () => {
    const id = await aCase()
    await decided(first, id, REFUSE, NOT_REAL)
    await decided(second, id, ACCEPT)
    expect(statusOf(id)).toBe('UNSURE')
    const third = await counter.signedIn('officer')
    expect((await third.call('POST', `desk/${id}/claim`, {})).status).toBe(403)
    await answered(supervisor, id)
    // An older second factor may be another person's act.
    counter.tick(5 * 60_000)
    expect(await supervisor.call('POST', `desk/${id}/draft`, ACCEPT)).toMatchObject({
      status: 403,
      body: { type: 'urn:counterproof:problem:fresh_factor_needed' },
    })
    await supervisor.usePasskey()
    await confirmed(supervisor, id, ACCEPT)
    await carriedOut()
    expect(statusOf(id)).toBe('ACCEPTED')
    const [overruled] = store().eventPages.page({ type: 'desk.overruled', limit: 1 })
    expect(overruled.body).toMatchObject({ adjudicationId: id })
  })
})

describe('a note', () => {
  const SECRET = 'The lower line is smudged; compare it with the stamp.'
  const withNote = async (person: CounterBrowser, id: string, decision: object, note: string) => {
    const { body: draft } = await person.call<Draft>('POST', `desk/${id}/draft`, decision)
    return person.call('POST', `desk/${id}/confirm`, { token: draft.token, note })
  }
  const cardOf = async (id: string) => {
    const { identityId = '', evidenceId } = store().adjudications.find(id) ?? {}
    const { body } = await supervisor.call<ProofingDetail>('GET', `proofings/${identityId}`)
    return { identityId, card: body.evidences.find((one) => one.evidenceId === evidenceId), detail: body }
  }

  test('is read in the case once it is decided, and not before by who decides next', async () => {
    const id = await aCase()
    await answered(first, id, NOT_REAL)
    expect((await withNote(first, id, REFUSE, `  ${SECRET}\n`)).status).toBe(200)
    await carriedOut()
    expect(statusOf(id)).toBe('UNSURE')
    expect((await cardOf(id)).card?.notes).toEqual([])
    await second.call('POST', `desk/${id}/claim`, {})
    expect(JSON.stringify((await second.call('GET', `desk/${id}`)).body)).not.toContain('smudged')
    await second.call('POST', `desk/${id}/answers`, NOT_REAL)
    await confirmed(second, id, REFUSE)
    await carriedOut()
    const { card, detail } = await cardOf(id)
    expect(card?.notes).toEqual([
      expect.objectContaining({
        decision: 'REJECTED',
        note: SECRET,
        who: expect.stringMatching(/^STAFF:/) as string,
      }),
    ])
    expect(detail.timeline.filter(({ what }) => what === 'desk.noted')).toHaveLength(1)
  })

  test('stands in no event, no log, no signature and no proof, and nowhere in clear', async () => {
    const id = await aCase()
    await answered(first, id)
    expect((await withNote(first, id, ACCEPT, SECRET)).status).toBe(200)
    await carriedOut()
    const { identityId, card } = await cardOf(id)
    expect(card?.notes.map(({ note }) => note)).toEqual([SECRET])
    const events = store().events.after(0, 100_000)
    expect(JSON.stringify(events)).not.toContain('smudged')
    expect(counter.app.log()).not.toContain('smudged')
    expect(JSON.stringify(store().adjudicationDecisions.list(id))).not.toContain('smudged')
    const evidence = store().evidences.list(identityId)[0]
    expect(JSON.stringify(store().evidences.verification(evidence))).not.toContain('smudged')
    const files = readdirSync(counter.app.dataDir).filter((name) => name.includes('.sqlite'))
    expect(files.length).toBeGreaterThan(0)
    for (const name of files)
      expect(readFileSync(join(counter.app.dataDir, name)).includes('smudged')).toBe(false)
  })

  test('is left out when there is nothing in it, and taken back with the decision', async () => {
    const id = await aCase()
    await answered(first, id)
    expect((await withNote(first, id, ACCEPT, SECRET)).status).toBe(200)
    await first.call('POST', `desk/${id}/undo`, {})
    expect((await withNote(first, id, ACCEPT, '  \n ')).status).toBe(200)
    await carriedOut()
    expect((await cardOf(id)).card?.notes).toEqual([])
  })

  test.each([
    ['too long', 'x'.repeat(501)],
    ['with a sign that steers a terminal', 'fine\u001b[2J'],
    ['that turns its words around', 'fine \u202e enif'],
    ['that is no text', 7],
  ])('%s is refused, and the decision can still be confirmed', async (_, note) => {
    const id = await aCase()
    await answered(first, id)
    const { body: draft } = await first.call<Draft>('POST', `desk/${id}/draft`, ACCEPT)
    const { token } = draft
    expect((await first.call('POST', `desk/${id}/confirm`, { token, note })).status).toBe(400)
    expect((await first.call('POST', `desk/${id}/confirm`, { token })).status).toBe(200)
  })
})

describe('the queue', () => {
  test('hands out the oldest case, and never one’s own capture', async () => {
    const { visitId } = await anAssisted(counter, first)
    const sent = await sendDocument(counter, first, visitId, HARD_TO_READ)
    const [document] = (await first.call<AssistView>('GET', `assist/${visitId}`)).body.documents
    await counter.app.json(
      'POST',
      `/v1/identities/${sent.identityId ?? ''}/adjudications/${document.evidenceId}`,
    )
    const own = store().adjudications.latest(document.evidenceId)?.id ?? ''
    expect((await first.call('POST', `desk/${own}/claim`, {})).status).toBe(403)
    const { body } = await first.call<DeskQueue>('GET', 'desk')
    expect(body.cases.find(({ adjudicationId }) => adjudicationId === own)?.refusedBecause).toBe('CAPTURED')
    const next = await second.call<DeskCase>('POST', 'desk/next', {})
    expect(next.status === 204 || next.body.mine).toBe(true)
  })

  test('names no applicant', async () => {
    const { body } = await supervisor.call<DeskQueue>('GET', 'desk')
    expect(body.cases.length).toBeGreaterThan(0)
    expect(JSON.stringify(body)).not.toMatch(/SAMPLE|MUSTER|ERIKSSON/i)
  })

  test.each(['auditor', 'administrator'] as const)('is not for an %s', async (role) => {
    const person = await counter.signedIn(role)
    expect((await person.call('GET', 'desk')).status).toBe(403)
  })
})
