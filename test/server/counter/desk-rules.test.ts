/** The desk of the adjudicators: what a case shows to whom, who may take it, and a decision in two acts with its half minute. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Confirmed, DeskCase, DeskQueue, Draft } from '../../../server/counter/contract/desk.ts'
import type { Authority } from '../../../server/proofing/adjudication-decision.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { dropDecision } from '../../../server/workflows/adjudication/carry-out-decision.ts'
import { confirmDecision, draftDecision } from '../../../server/workflows/adjudication/desk-review.ts'
import { HARD_TO_READ, UNSURE_FACE, visionInDoubt } from '../app/adjudicators.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { ADA, BOB, openConsole, type ConsoleBench } from './console-bench.ts'

const EVE = '01890a5d-ac96-774b-bcce-b302099a805a'

let its: ConsoleBench
beforeEach(async () => {
  its = await openConsole({ vision: visionInDoubt() })
})
afterEach(() => its.close())

const officer = (staffId = ADA) => its.as(['officer'], staffId)
const supervisor = (staffId = EVE, isFresh = true) => its.as(['supervisor'], staffId, isFresh)
const store = () => its.ctx.store
type Who = ReturnType<typeof officer>

interface ACase {
  readonly id: string
  readonly evidenceId: string
  readonly adjudicationId: string
}
const uploadOf = (bytes: Uint8Array) => ({ bytes, declaredType: 'image/jpeg' })
async function aDocumentCase(visit: object = { reference: '7K4P-2M9X' }): Promise<ACase> {
  const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
  its.aVisit({ identityId: id, ...visit })
  const { id: evidenceId } = await its.workflows.submitDocument(its.caller, id, {
    front: uploadOf(HARD_TO_READ),
  })
  await its.runJobs()
  await its.workflows.requestAdjudication(its.caller, id, evidenceId)
  return { id, evidenceId, adjudicationId: store().adjudications.latest(evidenceId)?.id ?? '' }
}
/** A verified passport, and a face between match and no match: the appliance itself asks a person. */
async function aPortraitCase(): Promise<ACase & { documentId: string }> {
  const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
  const { id: documentId } = await its.workflows.submitDocument(its.caller, id, {
    front: uploadOf(aPassport()),
  })
  await its.runJobs()
  await its.workflows.submitPortrait(its.caller, id, uploadOf(UNSURE_FACE))
  await its.runJobs()
  const evidenceId = store().evidences.list(id).at(-1)?.id ?? ''
  return { id, documentId, evidenceId, adjudicationId: store().adjudications.latest(evidenceId)?.id ?? '' }
}
const ask = async <T = DeskCase>(path: string, body?: object, who: Who = officer()) =>
  who.call<T>(body === undefined ? 'GET' : 'POST', `desk${path}`, body)
const DOCUMENT_YES = { documentReal: 'YES', dataAgree: 'YES', viewedSeconds: 5 }
async function decide(
  { adjudicationId }: ACase,
  who: Who,
  decision: string,
  reason: string,
  answers: object = DOCUMENT_YES,
  note?: string,
) {
  await ask(`/${adjudicationId}/claim`, {}, who)
  await ask(`/${adjudicationId}/answers`, answers, who)
  const { body: draft } = await ask<Draft>(`/${adjudicationId}/draft`, { decision, reason }, who)
  const body = { token: draft.token, ...(note === undefined ? {} : { note }) }
  return ask<Confirmed>(`/${adjudicationId}/confirm`, body, who)
}
const problemOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { type: string }).type.replace(/^.*:/, ''),
]
const carryOut = async () => {
  its.tick(30_001)
  await its.runJobs()
}

describe('the queue', () => {
  test('holds what waits, oldest first, with the reference and what it takes', async () => {
    const first = await aDocumentCase()
    its.tick(1000)
    const second = await aPortraitCase()
    const { body } = await ask<DeskQueue>('')
    expect(body.next).toBeNull()
    expect(body.lastDecision).toBeNull()
    expect(body.cases.map(({ adjudicationId }) => adjudicationId)).toEqual([
      first.adjudicationId,
      second.adjudicationId,
    ])
    expect(body.cases[0]).toMatchObject({
      reference: '7K4P-2M9X',
      status: 'TO_PROCESS',
      requestedAt: '2026-03-01T10:00:00.000Z',
      reviewers: { done: 0 },
      disagreement: false,
      mine: false,
      refusedBecause: null,
    })
    expect(body.cases[0]?.dueAt).not.toBeNull()
    // Without a visit the case has its own number.
    expect(body.cases[1]).toMatchObject({ type: 'PORTRAIT', reviewers: { done: 0 } })
    expect(body.cases[1]?.reference).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
  })

  test('has pages', async () => {
    for (let count = 0; count < 26; count++) {
      await aDocumentCase()
      its.tick(1)
    }
    const { body } = await ask<DeskQueue>('')
    expect(body.cases).toHaveLength(25)
    const rest = await ask<DeskQueue>(`?after=${body.next ?? ''}`)
    expect(rest.body.cases).toHaveLength(1)
    expect(rest.body.next).toBeNull()
    expect((await ask('?after=somewhere')).status).toBe(400)
  })

  test.each(['auditor', 'administrator'] as const)('is for no %s', async (role) => {
    expect((await ask('', undefined, its.as([role]))).status).toBe(403)
  })
})

describe('the next case', () => {
  test('is the one that this officer holds already, or the oldest that they may take', async () => {
    expect((await ask('/next', {})).status).toBe(204)
    const first = await aDocumentCase()
    its.tick(1000)
    const second = await aDocumentCase()
    const mine = await ask('/next', {})
    expect(mine).toMatchObject({ status: 200, body: { adjudicationId: first.adjudicationId, mine: true } })
    expect((await ask('/next', {}, officer(BOB))).body).toMatchObject({
      adjudicationId: second.adjudicationId,
    })
    expect((await ask('/next', {})).body).toMatchObject({ adjudicationId: first.adjudicationId })
    expect((await ask('/next', {}, supervisor())).status).toBe(204)
  })

  test('is never one that was captured by this person', async () => {
    const { evidenceId, adjudicationId } = await aDocumentCase()
    const evidence = store().evidences.find(evidenceId)
    if (!evidence) throw new Error('no evidence')
    const content = { ...evidence.content, officer: ADA.toUpperCase() }
    store().transaction(() => store().evidences.save({ ...evidence, content }))
    expect((await ask('/next', {})).status).toBe(204)
    const { body } = await ask<DeskQueue>('')
    expect(body.cases[0]?.refusedBecause).toBe('CAPTURED')
    expect(problemOf(await ask(`/${adjudicationId}/claim`, {}))[0]).toBe(403)
  })
})

describe('a case', () => {
  test('shows its pictures to who holds it alone, and what the machine found only after the answers', async () => {
    const { adjudicationId, id } = await aDocumentCase()
    const before = (await ask(`/${adjudicationId}`)).body
    expect(before).toMatchObject({
      identityId: id,
      claimedUntil: null,
      images: [],
      rows: [],
      questions: { samePerson: false, documentReal: true, dataAgree: true, features: [] },
      answers: null,
      machine: null,
      choices: [],
      pending: null,
      reviewers: { done: 0 },
    })
    const claimed = (await ask(`/${adjudicationId}/claim`, {})).body
    expect(Date.parse(claimed.claimedUntil ?? '')).toBeGreaterThan(its.now().getTime())
    expect(claimed.images.map(({ kind }) => kind)).toEqual(['FRONT', 'DOCUMENT_PORTRAIT'])
    expect(claimed).toMatchObject({ mine: true, machine: null, choices: [], answers: null })
    const picture = await officer().call('GET', claimed.images[0]?.href ?? '')
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect((await officer(BOB).call('GET', claimed.images[0]?.href ?? '')).status).not.toBe(200)
    expect((await ask(`/${adjudicationId}/images/${BOB}`)).status).toBe(404)
    // A colleague sees only that the case is claimed.
    const theirs = (await ask(`/${adjudicationId}`, undefined, officer(BOB))).body
    expect(theirs).toMatchObject({ mine: false, images: [], refusedBecause: 'TAKEN' })
    expect(theirs.claimedUntil).toBe(claimed.claimedUntil)

    const answered = (await ask(`/${adjudicationId}/answers`, DOCUMENT_YES)).body
    expect(answered.answers).toEqual({ ...DOCUMENT_YES, features: [] })
    expect(answered.machine?.indicators.positive).toEqual(expect.any(Array))
    expect(answered.machine?.findings.length).toBeGreaterThan(0)
    expect(answered.choices.map(({ decision }) => decision)).toEqual(['ACCEPTED', 'REJECTED', 'UNSURE'])
    expect(answered.choices.map(({ byTwo }) => byTwo)).toEqual([answered.reviewers.needed === 2, true, false])
    for (const { reasons } of answered.choices) expect(reasons.length).toBeGreaterThan(0)
    expect((await ask(`/${adjudicationId}`, undefined, officer(BOB))).body.machine).toBeNull()
    expect(problemOf(await ask(`/${adjudicationId}/answers`, DOCUMENT_YES))).toEqual([
      403,
      'transition_refused',
    ])
    expect(its.events('desk.answered')).toMatchObject([{ body: { adjudicationId }, actor: `STAFF:${ADA}` }])
  })

  test('of a face asks whether it is the same person, and shows where the eyes are', async () => {
    const { adjudicationId, documentId, evidenceId } = await aPortraitCase()
    const { body } = await ask(`/${adjudicationId}/claim`, {})
    expect(body.questions).toEqual({
      samePerson: true,
      documentReal: false,
      dataAgree: false,
      features: ['HAIRLINE', 'BROW', 'EYES', 'EARS', 'NOSE', 'MOUTH', 'CHIN', 'SCARS'],
    })
    expect(body.images.map((image) => [image.kind, image.evidenceId])).toEqual([
      ['PORTRAIT', evidenceId],
      ['FRONT', documentId],
      ['DOCUMENT_PORTRAIT', documentId],
    ])
    expect(body.images[0]?.eyes).toEqual({ left: { x: 2, y: 0 }, right: { x: 2, y: 0 } })
    expect(body.images[1]?.eyes).toBeNull()
    expect(body.images[2]?.eyes).toEqual({ left: { x: 1, y: 0 }, right: { x: 1, y: 0 } })
    const href = body.images[2]?.href ?? ''
    expect((await officer().call('GET', href)).status).toBe(200)
    expect((await ask(`/${adjudicationId}/answers`, { viewedSeconds: 1 })).status).toBe(400)
    const features = ['NOSE', 'BROW']
    const answered = await ask(`/${adjudicationId}/answers`, {
      samePerson: 'YES',
      features,
      viewedSeconds: 1,
    })
    // Sorted in the order of the list, whatever the order of the answer.
    expect(answered.body.answers?.features).toEqual(['BROW', 'NOSE'])
  })

  test('places a reading as an upright rectangle of its picture', async () => {
    const { adjudicationId, evidenceId } = await aDocumentCase()
    const evidence = store().evidences.find(evidenceId)
    if (!evidence) throw new Error('no evidence')
    const frame = [
      { x: 100, y: 200 },
      { x: 300, y: 220 },
      { x: 280, y: 420 },
      { x: 80, y: 400 },
    ]
    const place = (side: string) => ({ side, frame, box: { x: 0, y: 0.5, width: 0.5, height: 0.5 } })
    const line = { printed: 'ERIKSSON', hardToRead: false }
    const readLines = [
      { ...line, field: 'surname', place: place('FRONT') },
      { ...line, field: 'number', place: place('BACK') },
      { ...line, field: 'sex', place: null },
    ]
    const content = { ...evidence.content, readLines: readLines as never }
    store().transaction(() => store().evidences.save({ ...evidence, content }))
    const { body } = await ask(`/${adjudicationId}/claim`, {})
    // Computed by hand: the lower left quarter of that quadrangle, and the rectangle around its corners.
    const [field, ...others] = body.images[0]?.fields ?? []
    expect(others).toEqual([])
    expect(field?.field).toBe('surname')
    expect(field?.box.x).toBeCloseTo(80)
    expect(field?.box.y).toBeCloseTo(300)
    expect(field?.box.width).toBeCloseTo(110)
    expect(field?.box.height).toBeCloseTo(110)
  })

  test('is given back only by its holder', async () => {
    const { adjudicationId } = await aDocumentCase()
    await ask(`/${adjudicationId}/claim`, {})
    expect((await ask(`/${adjudicationId}/release`, {}, officer(BOB))).status).not.toBe(204)
    expect((await ask(`/${adjudicationId}/release`, {})).status).toBe(204)
    expect((await ask(`/${adjudicationId}/claim`, {}, officer(BOB))).body.mine).toBe(true)
  })

  test('is free when the time of the claim is over', async () => {
    const { adjudicationId } = await aDocumentCase()
    const { body } = await ask(`/${adjudicationId}/claim`, {})
    its.tick(Date.parse(body.claimedUntil ?? '') - its.now().getTime())
    expect((await ask(`/${adjudicationId}`)).body).toMatchObject({
      mine: false,
      claimedUntil: null,
      images: [],
    })
    expect((await ask(`/${adjudicationId}/answers`, DOCUMENT_YES)).status).not.toBe(200)
  })

  test('that is not there is not found', async () => {
    for (const path of [`/${BOB}`, '/no-id']) expect((await ask(path)).status).toBe(404)
    const { adjudicationId, id } = await aDocumentCase()
    await its.workflows.eraseIdentity(its.caller, id)
    expect((await ask(`/${adjudicationId}`)).status).toBe(404)
    expect((await ask<DeskQueue>('')).body.cases).toEqual([])
  })
})

describe('a decision', () => {
  test('takes the answers first, then a draft, then its token, and is carried out after half a minute', async () => {
    const found = await aDocumentCase()
    const { adjudicationId, evidenceId } = found
    await ask(`/${adjudicationId}/claim`, {})
    const accepted = { decision: 'ACCEPTED', reason: 'DATA_LEGIBLE_TO_EYE' }
    expect(problemOf(await ask(`/${adjudicationId}/draft`, accepted))).toEqual([403, 'transition_refused'])
    await ask(`/${adjudicationId}/answers`, DOCUMENT_YES)
    expect((await ask(`/${adjudicationId}/draft`, { ...accepted, reason: 'NO_SUCH_REASON' })).status).toBe(
      400,
    )
    const { body: draft } = await ask<Draft>(`/${adjudicationId}/draft`, accepted)
    expect(draft).toMatchObject({ ...accepted, expiresAt: '2026-03-01T10:05:00.000Z' })
    expect((await ask(`/${adjudicationId}/confirm`, { token: `x${draft.token}` })).status).toBe(403)
    const confirmed = await ask<Confirmed>(`/${adjudicationId}/confirm`, { token: draft.token })
    expect(confirmed.body).toEqual({ undoUntil: '2026-03-01T10:00:30.000Z' })
    expect((await ask(`/${adjudicationId}/confirm`, { token: draft.token })).status).toBe(403)
    expect((await ask(`/${adjudicationId}/release`, {})).status).toBe(403)
    expect((await ask(`/${adjudicationId}`)).body.pending).toEqual({
      ...accepted,
      undoUntil: '2026-03-01T10:00:30.000Z',
    })
    const seen = (await ask<DeskQueue>('', undefined, officer(BOB))).body.cases[0]
    expect(seen?.refusedBecause).toBe('UNDER_WAY')
    expect(store().adjudicationDecisions.list(adjudicationId)).toEqual([])
    await carryOut()
    const [decision] = store().adjudicationDecisions.list(adjudicationId)
    expect(decision).toMatchObject({ decision: 'ACCEPTED', adjudicator: { id: ADA, kind: 'STAFF' } })
    expect(store().evidences.find(evidenceId)?.status).not.toBe('PROCESSING')
    const last = (await ask<DeskQueue>('')).body.lastDecision
    expect(last?.reference).toBe('7K4P-2M9X')
    expect((await ask<DeskQueue>('', undefined, officer(BOB))).body.lastDecision).toBeNull()
  })

  test('of a draft that is five minutes old is to be drafted again', async () => {
    const { adjudicationId } = await aDocumentCase()
    await ask(`/${adjudicationId}/claim`, {})
    await ask(`/${adjudicationId}/answers`, DOCUMENT_YES)
    const reasons = (await ask(`/${adjudicationId}`)).body.choices.find(
      ({ decision }) => decision === 'UNSURE',
    )
    const reason = reasons?.reasons[0]?.code ?? ''
    const { body: draft } = await ask<Draft>(`/${adjudicationId}/draft`, { decision: 'UNSURE', reason })
    its.tick(5 * 60_000)
    expect((await ask(`/${adjudicationId}/confirm`, { token: draft.token })).status).toBe(403)
  })

  test('is taken back within half a minute, by who made it', async () => {
    const found = await aDocumentCase()
    await decide(found, officer(), 'ACCEPTED', 'DATA_LEGIBLE_TO_EYE')
    expect((await ask(`/${found.adjudicationId}/undo`, {}, officer(BOB))).status).toBe(403)
    its.tick(29_999)
    expect((await ask(`/${found.adjudicationId}/undo`, {})).body.pending).toBeNull()
    expect((await ask(`/${found.adjudicationId}/undo`, {})).status).toBe(403)
    await carryOut()
    expect(store().adjudicationDecisions.list(found.adjudicationId)).toEqual([])
    expect(its.events('desk.').map(({ type }) => type)).toEqual([
      'desk.answered',
      'desk.confirmed',
      'desk.undone',
    ])
  })

  test('is not taken back when the half minute is over', async () => {
    const found = await aDocumentCase()
    await decide(found, officer(), 'ACCEPTED', 'DATA_LEGIBLE_TO_EYE')
    its.tick(30_000)
    expect((await ask(`/${found.adjudicationId}/undo`, {})).status).toBe(403)
  })

  test('is not against one’s own answers', async () => {
    const found = await aDocumentCase()
    const answers = { ...DOCUMENT_YES, documentReal: 'NO' }
    await ask(`/${found.adjudicationId}/claim`, {})
    await ask(`/${found.adjudicationId}/answers`, answers)
    const draft = { decision: 'ACCEPTED', reason: 'DATA_LEGIBLE_TO_EYE' }
    expect(problemOf(await ask(`/${found.adjudicationId}/draft`, draft))).toEqual([403, 'decision_refused'])
  })

  test('with words keeps them sealed with the case, and says in the log that there are some', async () => {
    const found = await aDocumentCase()
    await decide(found, officer(), 'ACCEPTED', 'DATA_LEGIBLE_TO_EYE', DOCUMENT_YES, 'Seen under the lamp.')
    await carryOut()
    expect(its.events('desk.noted')).toMatchObject([
      { body: { adjudicationId: found.adjudicationId, evidenceId: found.evidenceId }, actor: `STAFF:${ADA}` },
    ])
    expect(store().adjudicationDecisions.notes(found.adjudicationId)).toMatchObject([
      { note: 'Seen under the lamp.' },
    ])
    expect(JSON.stringify(its.events())).not.toContain('lamp')
  })

  test('to reject takes two; where they disagree, a supervisor has the last word', async () => {
    const found = await aDocumentCase()
    const { adjudicationId } = found
    const rejection = async (who: Who) => {
      await ask(`/${adjudicationId}/claim`, {}, who)
      await ask(`/${adjudicationId}/answers`, { ...DOCUMENT_YES, documentReal: 'NO' }, who)
      const { body } = await ask(`/${adjudicationId}`, undefined, who)
      const reason = body.choices.find(({ decision }) => decision === 'REJECTED')?.reasons[0]?.code ?? ''
      const { body: draft } = await ask<Draft>(
        `/${adjudicationId}/draft`,
        { decision: 'REJECTED', reason },
        who,
      )
      await ask(`/${adjudicationId}/confirm`, { token: draft.token }, who)
      return draft
    }
    expect((await rejection(officer())).isLast).toBe(false)
    await carryOut()
    expect((await ask(`/${adjudicationId}`)).body).toMatchObject({
      reviewers: { done: 1 },
      refusedBecause: 'DECIDED',
      disagreement: false,
    })
    expect((await ask('/next', {})).status).toBe(204)
    expect((await decide(found, officer(BOB), 'ACCEPTED', 'DATA_LEGIBLE_TO_EYE')).status).toBe(200)
    await carryOut()
    const carl = officer('01890a5d-ac96-774b-bcce-b302099a805b')
    expect((await ask(`/${adjudicationId}`, undefined, carl)).body).toMatchObject({
      disagreement: true,
      refusedBecause: 'SUPERVISOR',
    })
    expect(problemOf(await ask(`/${adjudicationId}/claim`, {}, carl))).toEqual([403, 'forbidden'])
    expect((await ask(`/${adjudicationId}`, undefined, supervisor())).body.refusedBecause).toBeNull()
    // Decisions of other adjudicators are not among the machine's findings.
    await ask(`/${adjudicationId}/claim`, {}, supervisor())
    const { body } = await ask(`/${adjudicationId}/answers`, DOCUMENT_YES, supervisor())
    expect(body.machine?.findings.map(({ check }) => check)).not.toContain('ADJUDICATION')
    expect(body.choices.every(({ byTwo }) => !byTwo)).toBe(true)
    const draft = { decision: 'ACCEPTED', reason: 'DATA_LEGIBLE_TO_EYE' }
    expect(problemOf(await ask(`/${adjudicationId}/draft`, draft, supervisor(EVE, false)))).toEqual([
      403,
      'fresh_factor_needed',
    ])
    // The workflow asks for itself, whatever its caller has asked.
    const eve = (authority: Authority) => ({ ...its.caller, staffId: EVE, officer: EVE, authority })
    const asNoSupervisor = eve({ mayOverrule: false, isFresh: true })
    const asStale = eve({ mayOverrule: true, isFresh: false })
    const decision = { decision: 'ACCEPTED', reason: 'DATA_LEGIBLE_TO_EYE' } as const
    expect(() => draftDecision(its.ctx, asNoSupervisor, adjudicationId, decision)).toThrow('forbidden')
    expect(() => draftDecision(its.ctx, asStale, adjudicationId, decision)).toThrow('fresh_factor_needed')
    const { body: drafted } = await ask<Draft>(`/${adjudicationId}/draft`, draft, supervisor())
    expect(drafted.isLast).toBe(true)
    const { token } = drafted
    expect(() => confirmDecision(its.ctx, asNoSupervisor, adjudicationId, token)).toThrow('forbidden')
    expect(() => confirmDecision(its.ctx, asStale, adjudicationId, token)).toThrow('fresh_factor_needed')
    await ask(`/${adjudicationId}/confirm`, { token: drafted.token }, supervisor())
    await carryOut()
    expect(its.events('desk.overruled')).toMatchObject([{ actor: `STAFF:${EVE}` }])
    expect(store().adjudications.find(adjudicationId)?.status).toBe('ACCEPTED')
  })

  test('that can no longer be made is dropped, and the case waits again', async () => {
    const found = await aDocumentCase()
    await decide(found, officer(), 'ACCEPTED', 'DATA_LEGIBLE_TO_EYE')
    const evidence = store().evidences.find(found.evidenceId)
    if (!evidence) throw new Error('no evidence')
    // It turns out that this person has captured it.
    const content = { ...evidence.content, officer: ADA }
    store().transaction(() => store().evidences.save({ ...evidence, content }))
    await carryOut()
    expect(store().adjudicationDecisions.list(found.adjudicationId)).toEqual([])
    expect(its.events('desk.dropped')).toMatchObject([
      {
        body: {
          adjudicationId: found.adjudicationId,
          evidenceId: found.evidenceId,
          because: 'adjudicator_captured',
        },
        actor: 'appliance',
      },
    ])
    expect(store().deskWork.findPending(found.adjudicationId)).toBeNull()
  })

  test('a decision that an internal error prevents is dropped under that error code', async () => {
    const { adjudicationId, evidenceId, id } = await aDocumentCase()
    await decide({ adjudicationId, evidenceId, id }, officer(), 'ACCEPTED', 'DATA_LEGIBLE_TO_EYE')
    store().transaction(() => {
      dropDecision(its.ctx, id, adjudicationId, 'internal')
    })
    expect(its.events('desk.dropped')).toMatchObject([
      { body: { adjudicationId, evidenceId, because: 'internal' } },
    ])
  })

  test('about an erased identity is dropped', async () => {
    const found = await aDocumentCase()
    await decide(found, officer(), 'ACCEPTED', 'DATA_LEGIBLE_TO_EYE')
    await its.workflows.eraseIdentity(its.caller, found.id)
    await carryOut()
    expect(store().identities.find(APPLIANCE, found.id)).toBeNull()
    expect(its.events('desk.dropped', 'adjudication.decided')).toEqual([])
  })
})
