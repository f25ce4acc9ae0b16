/** Today at the counter and the list of visits: what is counted, who is waited for, and what an export holds. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type {
  HelpCall,
  ProofingPage,
  TodayView,
  WaitingView,
} from '../../../server/counter/contract/today.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { HARD_TO_READ, visionInDoubt } from '../app/adjudicators.ts'
import { ADA, BOB, openConsole, type ConsoleBench } from './console-bench.ts'

let its: ConsoleBench
beforeEach(async () => {
  its = await openConsole({ vision: visionInDoubt() })
})
afterEach(() => its.close())

const officer = () => its.as(['officer'])
const today = async (person = officer()) => (await person.call<TodayView>('GET', 'today')).body
const waitingFor = async (person = officer()) => (await person.call<WaitingView>('GET', 'waiting')).body

describe('today', () => {
  test('counts the running visits, the unanswered calls and the faulty parts', async () => {
    its.aVisit()
    its.aVisit({ endedAt: its.now(), outcome: 'LATER', helpAskedAt: its.now() })
    its.aVisit({ helpAskedAt: its.now() })
    its.aVisit({ helpAskedAt: its.now(), helpAnswer: 'COMING' })
    const view = await today()
    expect(view.counts).toMatchObject({ waitingForMe: 0, running: 3, helpCalls: 1 })
    const { components } = await its.workflows.health()
    const unwell = Object.values(components).filter(({ status }) => status !== 'UP')
    expect(view.counts.problems).toBe(unwell.length)
    expect((await waitingFor()).calls).toHaveLength(2)
    expect(view.at).toBe('2026-03-01T10:00:00.000Z')
  })

  test('counts a part that fails, and asks all parts again only after a while', async () => {
    let asked = 0
    const { health } = its.workflows
    its.workflows.health = async () => {
      asked++
      const report = await health()
      return {
        ...report,
        components: { a: { status: 'DOWN' }, b: { status: 'DEGRADED' }, c: { status: 'UP' } },
      }
    }
    expect((await today()).counts.problems).toBe(2)
    expect((await today()).counts.problems).toBe(2)
    expect(asked).toBe(1)
  })

  test('shows who has waited longest first, with the seconds of waiting and what was answered', async () => {
    const later = its.aVisit({
      helpAskedAt: its.now(),
      reference: '7K4P-2M9X',
      step: 'portrait',
      language: 'ar',
    })
    const first = its.aVisit({
      helpAskedAt: new Date(its.now().getTime() - 90_400),
      helpAnswer: 'COMING',
      takenOverBy: BOB,
    })
    expect((await waitingFor()).calls).toEqual([
      {
        visitId: first.id,
        kind: 'HELP',
        because: null,
        heldBy: null,
        kiosk: 'Kiosk 1',
        reference: null,
        step: 'document',
        language: 'en',
        askedAt: '2026-03-01T09:58:29.600Z',
        waitingSeconds: 90,
        answer: 'COMING',
        overdue: false,
        mayTakeOver: false,
      },
      {
        visitId: later.id,
        kind: 'HELP',
        because: null,
        heldBy: null,
        kiosk: 'Kiosk 1',
        reference: '7K4P-2M9X',
        step: 'portrait',
        language: 'ar',
        askedAt: '2026-03-01T10:00:00.000Z',
        waitingSeconds: 0,
        answer: null,
        overdue: false,
        mayTakeOver: true,
      },
    ])
  })

  test('shows whom a kiosk sent here, also after their visit at the kiosk has ended, until a colleague continues with them', async () => {
    const at = new Date(its.now().getTime() - 120_000)
    const sent = its.aVisit({ endedAt: its.now(), outcome: 'REFUSED', sent: { at, because: 'NO_CONSENT' } })
    its.aVisit({ sent: { at, because: 'CHOSEN' }, takenOverBy: BOB })
    its.aVisit({ sent: { at, because: 'CHOSEN' }, closedAt: at })
    const { calls } = await waitingFor()
    expect(calls).toMatchObject([
      { visitId: sent.id, kind: 'SENT', because: 'NO_CONSENT', waitingSeconds: 120, mayTakeOver: false },
    ])
    expect((await today()).counts.helpCalls).toBe(1)
  })

  test('shows an applicant whom an officer called to the counter as long as any other who was sent: only this list finds the visit', async () => {
    const at = new Date(its.now().getTime() - 3_600_000)
    const called = its.aVisit({
      ...{ endedAt: at, outcome: 'PERSON', helpAnswer: 'GO_TO_COUNTER', identityId: its.t.addIdentity().id },
      ...{ sent: { at, because: 'CALLED' }, held: { by: ADA, at } },
    })
    expect((await waitingFor()).calls).toMatchObject([
      { visitId: called.id, kind: 'SENT', because: 'CALLED', mayTakeOver: true },
    ])
  })

  test('is seen to by one at a time: a colleague takes it from another only by saying from whom', async () => {
    const visit = its.aVisit({ helpAskedAt: its.now() })
    const [ada, bob] = [its.as(['officer'], ADA), its.as(['officer'], BOB)]
    const answer = (person: typeof ada, heldBy: string | null = null) =>
      person.call<HelpCall>('POST', `help-calls/${visit.id}/answer`, { answer: 'COMING', heldBy })
    const both = await Promise.all([answer(ada), answer(bob)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403])
    const holder = its.ctx.store.visits.find(visit.id)?.held?.by === ADA ? ADA : BOB
    const [first, second] = holder === ADA ? [ada, bob] : [bob, ada]
    expect((await waitingFor(first)).calls[0]?.heldBy).toMatchObject({ staffId: holder, isMe: true })
    expect((await waitingFor(second)).calls[0]?.heldBy).toMatchObject({ staffId: holder, isMe: false })
    expect((await answer(second, holder)).status).toBe(200)
    expect((await answer(first)).status).toBe(403)
  })

  test('shows a screen for the team who waits and how many cases, and nothing else', async () => {
    its.aVisit({ helpAskedAt: its.now() })
    const screen = its.as(['display'])
    expect(await waitingFor(screen)).toMatchObject({ calls: [{ kind: 'HELP' }], cases: 0 })
    for (const path of ['today', 'proofings', 'desk', 'devices', 'sync', 'audit', 'charts'])
      expect([path, (await screen.call('GET', path)).status]).toEqual([path, 403])
  })

  test('counts no second below nothing for a call of a clock that was ahead', async () => {
    its.aVisit({ helpAskedAt: new Date(its.now().getTime() + 60_000) })
    expect((await waitingFor()).calls[0]?.waitingSeconds).toBe(0)
  })

  test.each(['auditor', 'officer', 'supervisor'] as const)('is shown to an %s', async (role) => {
    expect((await its.as([role]).call('GET', 'today')).status).toBe(200)
  })

  test('is not shown to who runs the machine', async () => {
    expect((await its.as(['administrator']).call('GET', 'today')).status).toBe(403)
  })
})

const callsNow = async () => (await waitingFor()).calls

describe('a call for help', () => {
  const answer = (visitId: string, body: object = { answer: 'TWO_MINUTES' }) =>
    officer().call<HelpCall>('POST', `help-calls/${visitId}/answer`, body)

  test('is answered with an event of who did, and the waiting person sees it', async () => {
    const { id: identityId } = its.t.addIdentity()
    const { id } = its.aVisit({ helpAskedAt: its.now(), identityId })
    const answered = await answer(id)
    expect(answered).toMatchObject({
      status: 200,
      body: { visitId: id, answer: 'TWO_MINUTES', mayTakeOver: true },
    })
    expect(its.ctx.store.visits.find(id)).toMatchObject({ helpAnswer: 'TWO_MINUTES', helpAskedAt: its.now() })
    expect(its.events('help.')).toEqual([
      { type: 'help.answered', body: { visitId: id, answer: 'TWO_MINUTES' }, actor: `STAFF:${ADA}` },
    ])
    const [event] = its.ctx.store.events.after(0, 100).filter(({ type }) => type === 'help.answered')
    expect(event.identityId).toBe(identityId)
  })

  test('is not answered when the applicant was sent here: the log says which officer holds the visit', async () => {
    const { id } = its.aVisit({ endedAt: its.now(), sent: { at: its.now(), because: 'RESULT' } })
    expect(await answer(id, { answer: 'COMING' })).toMatchObject({
      status: 200,
      body: { kind: 'SENT', answer: null, heldBy: { isMe: true } },
    })
    expect(its.events('help.')).toEqual([])
    expect(its.events('visit.held')).toEqual([
      { type: 'visit.held', body: { visitId: id }, actor: `STAFF:${ADA}` },
    ])
  })

  test('of a person who was sent here is closed by the officer who sees to it, and says how it ended', async () => {
    const { id } = its.aVisit({ endedAt: its.now(), sent: { at: its.now(), because: 'RESULT' } })
    await answer(id, { answer: 'COMING' })
    const close = (staffId: string, state: string) =>
      its.as(['officer'], staffId).call('POST', `help-calls/${id}/close`, { state })
    expect((await close(BOB, 'DONE')).status).toBe(403)
    expect((await close(ADA, 'ASLEEP')).status).toBe(400)
    expect((await close(ADA, 'DID_NOT_COME')).status).toBe(204)
    expect(await callsNow()).toEqual([])
    expect(its.events('visit.held').at(-1)?.body).toEqual({ visitId: id, state: 'DID_NOT_COME' })
    expect((await close(ADA, 'DONE')).status).toBe(403)
  })

  test('that was closed by mistake is put back by the officer who closed it, for a minute', async () => {
    const { id } = its.aVisit({ endedAt: its.now(), sent: { at: its.now(), because: 'RESULT' } })
    const put = (staffId: string, act: string, body?: object) =>
      its.as(['officer'], staffId).call('POST', `help-calls/${id}/${act}`, body ?? {})
    expect((await put(ADA, 'reopen')).status).toBe(403)
    expect((await put(ADA, 'close', { state: 'DONE' })).status).toBe(204)
    its.tick(30_000)
    expect((await put(BOB, 'reopen')).status).toBe(403)
    expect((await put(ADA, 'reopen')).status).toBe(204)
    expect(await callsNow()).toMatchObject([{ visitId: id, because: 'RESULT', heldBy: { isMe: true } }])
    expect(its.events('visit.held').at(-1)?.body).toEqual({ visitId: id, state: 'REOPENED' })
    expect((await put(ADA, 'close', { state: 'DONE' })).status).toBe(204)
    its.tick(61_000)
    expect((await put(ADA, 'reopen')).status).toBe(403)
    expect(await callsNow()).toEqual([])
  })

  test('stays in the list until it is closed, and is overdue after ten minutes, also for who took care of it', async () => {
    const { id: identityId } = its.t.addIdentity()
    const sent = { at: its.now(), because: 'RESULT' as const }
    const visit = its.aVisit({
      endedAt: its.now(),
      outcome: 'PERSON',
      identityId,
      reference: '7K4P-2M9X',
      sent,
    })
    const { id } = visit
    await answer(id, { answer: 'COMING' })
    const helpCalls = async () => (await today()).counts.helpCalls
    expect([await callsNow(), await helpCalls()]).toMatchObject([[{ visitId: id, overdue: false }], 0])
    its.tick(11 * 60_000)
    expect([await callsNow(), await helpCalls()]).toMatchObject([[{ visitId: id, overdue: true }], 1])
    its.tick(24 * 3_600_000)
    expect(await callsNow()).toMatchObject([{ visitId: id, overdue: true }])
    // Erased: an officer can decide nothing more.
    its.ctx.store.visits.save({ ...visit, identityId: null })
    expect(await callsNow()).toEqual([])
  })

  test('that was taken back, or whose applicant has left, cannot be answered', async () => {
    for (const over of [
      { helpAskedAt: null },
      { helpAskedAt: its.now(), endedAt: its.now(), outcome: 'WALKED_AWAY' as const },
    ]) {
      const { id } = its.aVisit(over)
      expect((await answer(id)).status).toBe(403)
      expect(its.ctx.store.visits.find(id)?.helpAnswer).toBeNull()
    }
    expect((await answer(BOB)).status).toBe(404)
    expect((await answer('no-id')).status).toBe(404)
    expect((await answer(its.aVisit({ helpAskedAt: its.now() }).id, { answer: 'NEVER' })).status).toBe(400)
    expect(its.events('help.')).toEqual([])
  })
})

describe('what waits for me', () => {
  /** An unreadable document that waits for an adjudicator. */
  async function aCase(): Promise<{ id: string; evidenceId: string; adjudicationId: string }> {
    const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
    const upload = { bytes: HARD_TO_READ, declaredType: 'image/jpeg' }
    const submitted = await its.workflows.submitDocument(its.caller, id, { front: upload })
    await its.runJobs()
    const evidenceId = submitted.id
    await its.workflows.requestAdjudication(its.caller, id, evidenceId)
    return { id, evidenceId, adjudicationId: its.ctx.store.adjudications.latest(evidenceId)?.id ?? '' }
  }
  const waiting = async (roles: Parameters<ConsoleBench['as']>[0], staffId = ADA) =>
    (await today(its.as(roles, staffId))).counts.waitingForMe

  test('are the cases that I may take now', async () => {
    const { adjudicationId } = await aCase()
    await aCase()
    expect(await waiting(['officer'])).toBe(2)
    expect(await waiting(['supervisor'], BOB)).toBe(2)
    expect(await waiting(['auditor'])).toBe(0)
    const { status } = await its.as(['officer'], BOB).call('POST', `desk/${adjudicationId}/claim`, {})
    expect(status).toBe(200)
    expect(await waiting(['officer'])).toBe(1)
    // A claim is in force for a while, and mine is mine.
    expect(await waiting(['officer'], BOB)).toBe(2)
    its.tick(3 * 3_600_000)
    expect(await waiting(['officer'])).toBe(2)
  })

  test('are none that I have captured myself', async () => {
    const { evidenceId } = await aCase()
    const evidence = its.ctx.store.evidences.find(evidenceId)
    if (!evidence) throw new Error('no evidence')
    its.ctx.store.transaction(() =>
      its.ctx.store.evidences.save({ ...evidence, content: { ...evidence.content, officer: ADA } }),
    )
    expect(await waiting(['officer'])).toBe(0)
    expect(await waiting(['officer'], BOB)).toBe(1)
  })
})

describe('the list of visits', () => {
  const page = async (query = '', person = officer()) =>
    (await person.call<ProofingPage>('GET', `proofings${query}`)).body

  test('is of today, newest first, page by page, and opens only what is still there', async () => {
    const { id: identityId } = its.t.addIdentity()
    const first = its.aVisit({ identityId, reference: '7K4P-2M9X' })
    its.tick(60_000)
    const second = its.aVisit({ endedAt: its.now(), outcome: 'LATER' })
    const { rows, total, next } = await page('?limit=1')
    expect([rows.map(({ visitId }) => visitId), total]).toEqual([[second.id], 2])
    expect(rows[0]).toMatchObject({ identityId: null, outcome: 'LATER', kiosk: 'Kiosk 1' })
    const rest = await page(`?limit=1&after=${next ?? ''}`)
    expect(rest.rows).toMatchObject([{ visitId: first.id, identityId, reference: '7K4P-2M9X' }])
    expect(rest.next).toBeNull()
    expect((await page('?state=running')).rows.map(({ visitId }) => visitId)).toEqual([first.id])
    expect((await page('?from=2026-02-01&to=2026-02-02')).total).toBe(0)
    expect((await officer().call('GET', 'proofings?limit=x')).status).toBe(400)
  })

  test('is taken out as a table by who may, with an event that says how many rows', async () => {
    its.aVisit({ reference: '7K4P-2M9X' })
    const csv = await its.as(['supervisor']).call<string>('GET', 'proofings.csv')
    expect(csv.status).toBe(200)
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="proofings.csv"')
    const [head, row, end] = csv.body.split('\r\n')
    expect(head).toBe(
      '\uFEFF"reference","channel","kiosk","language","startedAt","endedAt","step","outcome","durationSeconds","tries","flags"',
    )
    expect(row).toBe('"7K4P-2M9X","KIOSK","Kiosk 1","en","2026-03-01T10:00:00.000Z",,"document",,0,0,""')
    expect(end).toBe('')
    expect(its.events('proofings.exported')).toEqual([
      { type: 'proofings.exported', body: { rows: 1 }, actor: `STAFF:${ADA}` },
    ])
    expect((await officer().call('GET', 'proofings.csv')).status).toBe(403)
  })

  test('of flags puts them into one cell', async () => {
    its.aVisit({ helpAskedAt: its.now() })
    const { rows } = await page('?flag=HELP')
    const csv = await its.as(['auditor']).call<string>('GET', 'proofings.csv?flag=HELP')
    expect(csv.body).toContain(`,"${rows[0]?.flags.join(' ') ?? 'none'}"\r\n`)
    expect(rows[0]?.flags).toContain('HELP')
  })
})

test('an erased identity is not listed by its id', async () => {
  const { id } = its.t.addIdentity()
  its.aVisit({ identityId: id })
  expect(its.ctx.store.identities.find(APPLIANCE, id)).not.toBeNull()
  await its.workflows.eraseIdentity(its.caller, id)
  const { body } = await officer().call<ProofingPage>('GET', 'proofings')
  expect(body.rows.every(({ identityId }) => identityId === null)).toBe(true)
})
