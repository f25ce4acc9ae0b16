/**
 * The branch's pages: today without names, exports without formulas, sync, devices and charts, each by its
 * role.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChartsView } from '../../../server/counter/contract/charts.ts'
import type { DevicesView, LedgerView } from '../../../server/counter/contract/devices.ts'
import type { SyncView, WebhookView } from '../../../server/counter/contract/sync.ts'
import type {
  HelpCall,
  ProofingDetail,
  ProofingPage,
  WaitingView,
} from '../../../server/counter/contract/today.ts'
import { toCsv } from '../../../server/http/csv.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import type { Visit } from '../../../server/store/visits.ts'
import type { CounterApp, CounterBrowser } from '../../support/counter.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { anAssisted, sendDocument, startWork } from './work.ts'
import { buildVisit } from '../../support/a-visit.ts'

let counter: CounterApp
let officer: CounterBrowser
let supervisor: CounterBrowser
let auditor: CounterBrowser
let administrator: CounterBrowser
beforeAll(async () => {
  // Lists and charts are of one day, and the tests move the clock by minutes.
  const noon = new Date()
  noon.setHours(12, 0, 0, 0)
  counter = await startWork({}, noon)
  officer = await counter.signedIn('officer')
  supervisor = await counter.signedIn('supervisor')
  auditor = await counter.signedIn('auditor')
  administrator = await counter.signedIn('administrator')
})
afterAll(() => counter.close())

const store = () => counter.app.appliance.store

function aVisit(over: Partial<Visit> = {}): Visit {
  const visit = buildVisit(counter.now(), over)
  store().visits.add(visit)
  return visit
}

describe('today', () => {
  test('shows who calls for help, who has waited longest first, and takes an answer', async () => {
    const later = aVisit({ helpAskedAt: counter.now() })
    const first = aVisit({ helpAskedAt: new Date(counter.now().getTime() - 60_000) })
    const { body } = await officer.call<WaitingView>('GET', 'waiting')
    expect(body.calls.map(({ visitId }) => visitId)).toEqual([first.id, later.id])
    expect(body.calls[0]).toMatchObject({ kiosk: 'Kiosk 1', step: 'document', waitingSeconds: 60 })
    const answered = await officer.call<HelpCall>('POST', `help-calls/${first.id}/answer`, {
      answer: 'TWO_MINUTES',
    })
    expect(answered.body.answer).toBe('TWO_MINUTES')
    expect(store().visits.find(first.id)?.helpAnswer).toBe('TWO_MINUTES')
    const [event] = store().eventPages.page({ type: 'help.answered', limit: 1 })
    expect(event.actor).toMatch(/^STAFF:/)
    for (const { id } of [first, later]) {
      const visit = store().visits.find(id)
      if (visit) store().visits.save({ ...visit, helpAskedAt: null, endedAt: counter.now() })
    }
    expect((await officer.call('POST', `help-calls/${first.id}/answer`, { answer: 'COMING' })).status).toBe(
      403,
    )
  })

  test('lists page by page and sorts, filters by outcome, and names no applicant', async () => {
    for (let i = 0; i < 30; i++) {
      const startedAt = new Date(counter.now().getTime() - i * 1000)
      aVisit({ outcome: 'WALKED_AWAY', startedAt, endedAt: counter.now() })
    }
    const seen: string[] = []
    let after = ''
    for (let page = 0; page < 4 && after !== 'end'; page++) {
      const query = `outcome=WALKED_AWAY&sort=durationSeconds&order=asc${after && `&after=${after}`}`
      const { body } = await officer.call<ProofingPage>('GET', `proofings?${query}`)
      expect(body.rows.length).toBeLessThanOrEqual(25)
      seen.push(...body.rows.map(({ visitId }) => visitId))
      after = body.next ?? 'end'
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toHaveLength(30)
    expect((await officer.call('GET', 'proofings?sort=name')).status).toBe(400)
    expect((await officer.call('GET', "proofings?after=1' OR 1=1")).status).toBe(400)
  })

  test('opens a proofing with its name, and that it was opened stands in the log', async () => {
    const { visitId, identityId } = await anAssisted(counter, officer)
    await sendDocument(counter, officer, visitId, aPassport())
    const listed = await officer.call<ProofingPage>('GET', 'proofings?channel=COUNTER')
    expect(JSON.stringify(listed.body)).not.toMatch(/ERIKSSON/i)
    const { body } = await officer.call<ProofingDetail>('GET', `proofings/${identityId ?? ''}`)
    expect(body.name).toMatch(/eriksson/i)
    expect(body.level.policy.id).toBe('default')
    expect(
      body.timeline.some(({ what, who }) => what === 'proofing.opened' && who.startsWith('STAFF:')),
    ).toBe(true)
    const front = body.evidences[0].images[0]
    const picture = await officer.fetch('GET', front.href)
    expect([picture.status, picture.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect((await auditor.call('GET', `proofings/${identityId ?? ''}`)).status).toBe(403)
    expect(counter.app.log()).not.toMatch(/eriksson/i)
  })

  test('a supervisor erases with a reason and the reference of the case, an officer does not', async () => {
    const { identityId, reference } = await anAssisted(counter, officer)
    const path = `proofings/${identityId ?? ''}/erase`
    const wanted = { reason: 'PERSON_ASKED', reference: reference ?? '' }
    expect((await officer.call('POST', path, wanted)).status).toBe(403)
    expect((await supervisor.call('POST', path, { ...wanted, reference: '0000-0000' })).status).toBe(400)
    expect((await supervisor.call('POST', path, { ...wanted, reason: 'because I want to' })).status).toBe(400)
    // An older second factor may be another person's act.
    counter.tick(5 * 60_000)
    expect(await supervisor.call('POST', path, wanted)).toMatchObject({
      status: 403,
      body: { type: 'urn:counterproof:problem:fresh_factor_needed' },
    })
    expect(store().identities.find(APPLIANCE, identityId ?? '')).not.toBeNull()
    await supervisor.usePasskey()
    const { status, body } = await supervisor.call<{ receipt: string }>('POST', path, wanted)
    expect(status).toBe(200)
    expect(body.receipt.split('.')).toHaveLength(3)
    expect(store().identities.find(APPLIANCE, identityId ?? '')).toBeNull()
  })
})

describe('an export', () => {
  test('is a table, and never a formula', () => {
    const text = toCsv(
      ['a', 'b'],
      [
        ['=HYPERLINK("x")', '+1'],
        ['say "no"', -3],
        ['@x', null],
      ],
    )
    expect(text).toBe(['"a","b"', `"'=HYPERLINK(""x"")","'+1"`, '"say ""no""",-3', `"'@x",`, ''].join('\r\n'))
  })

  test('of proofings and charts is for supervisors and auditors', async () => {
    expect((await officer.call('GET', 'proofings.csv')).status).toBe(403)
    const csv = await supervisor.fetch('GET', 'proofings.csv')
    expect(csv.headers.get('content-type')).toContain('text/csv')
    expect(await csv.text()).toContain('"WALKED_AWAY"')
    expect((await auditor.fetch('GET', 'charts/outcome-share.csv')).status).toBe(200)
    expect((await administrator.fetch('GET', 'charts/outcome-share.csv')).status).toBe(403)
    expect((await auditor.call('GET', 'charts/..%2Fstaff.csv')).status).toBe(404)
  })
})

test('charts say how visits ended, with an interval', async () => {
  const { body } = await supervisor.call<ChartsView>('GET', 'charts')
  const shares = body.charts.find(({ name }) => name === 'outcome-share')
  const row = shares?.rows.find(([outcome]) => outcome === 'WALKED_AWAY')
  const [, count, share, low, high] = row ?? []
  expect(count).toBe(30)
  expect(Number(low)).toBeLessThan(Number(share))
  expect(Number(high)).toBeGreaterThanOrEqual(Number(share))
  const empty = await supervisor.call<ChartsView>('GET', 'charts?from=2001-01-01&to=2001-01-02')
  expect(empty.body.charts.find(({ name }) => name === 'outcome-share')).toMatchObject({
    tooFew: true,
    rows: [],
  })
  expect((await supervisor.call('GET', 'charts?from=2026-02-31')).status).toBe(400)
})

describe('sync', () => {
  test('says that no central service is joined, and what is left until new proofings stop', async () => {
    const { body } = await officer.call<SyncView>('GET', 'sync')
    expect(body).toMatchObject({ line: 'ALONE', state: 'NOT_SET_UP', trouble: null, gapFree: true })
    const disk = body.freeze.find(({ reason }) => reason === 'disk_low')
    expect(disk).toMatchObject({ inForce: false, unit: 'MEGABYTES' })
    expect(disk?.left).toBeGreaterThan(0)
  })

  test('is hurried by a supervisor, whose id stands in the log', async () => {
    expect((await officer.call('POST', 'sync/try-now', {})).status).toBe(403)
    expect((await supervisor.call('POST', 'sync/try-now', {})).status).toBe(200)
    expect(store().eventPages.page({ type: 'sync.hurried', limit: 1 })[0].actor).toMatch(/^STAFF:/)
    expect((await supervisor.call('POST', 'sync/items/1/send-again', {})).status).toBe(404)
  })

  test('shows the host of a webhook and nothing more of its address', async () => {
    await counter.app.json('POST', '/v1/webhooks', { payload: { url: 'https://bank.example/hook/s3cret' } })
    const { body } = await officer.call<{ webhooks: WebhookView[] }>('GET', 'webhooks')
    expect(body.webhooks).toHaveLength(1)
    expect(body.webhooks[0]).toMatchObject({ host: 'bank.example' })
    expect(JSON.stringify(body)).not.toContain('s3cret')
  })
})

describe('devices', () => {
  test('say of each part how it is and what that means', async () => {
    const { body } = await administrator.call<DevicesView>('GET', 'devices')
    const names = body.parts.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['database', 'disk', 'cameras', 'clock', 'inspection']))
    expect(body.parts.every(({ meaning }) => meaning.startsWith('device.'))).toBe(true)
  })

  test('are called working only where a check ran and passed, and not where there is nothing', async () => {
    const words = async () => {
      const { body } = await administrator.call<DevicesView>('GET', 'devices')
      return Object.fromEntries(body.parts.map(({ name, word }) => [name, word]))
    }
    const fresh = await words()
    expect(fresh).toMatchObject({
      database: 'WORKS',
      disk: 'WORKS',
      sms: 'NOT_SET_UP',
      oidc: 'NOT_SET_UP',
      documentStatus: 'NOT_SET_UP',
      fraudRegister: 'NOT_SET_UP',
      watchlists: 'NOT_SET_UP',
      sync: 'NOT_SET_UP',
      inspection: 'NOT_SET_UP',
      backup: 'NOT_SET_UP',
      clock: 'NOT_KNOWN',
      cameras: 'NOT_KNOWN',
    })
  })

  test('that were found open are cleared after a new inspection, and not by an officer', async () => {
    const { body: ledger } = await officer.call<LedgerView>('GET', 'devices/ledger')
    const all = (broken: string | null) =>
      Object.fromEntries(ledger.checklist.map(({ id }) => [id, id !== broken]))
    const inspect = (broken: string | null) =>
      officer.call<LedgerView>('POST', 'devices/ledger/inspections', { items: all(broken) })
    expect((await officer.call('POST', 'devices/ledger/inspections', { items: {} })).status).toBe(400)
    const found = await inspect('SEALS_WHOLE')
    expect(found.body).toMatchObject({ openTampering: ['SEAL_BROKEN'], mayClear: false })
    expect((await supervisor.call('POST', 'devices/ledger/clear', {})).status).toBe(403)
    expect((await inspect(null)).body.mayClear).toBe(true)
    expect((await officer.call('POST', 'devices/ledger/clear', {})).status).toBe(403)
    const cleared = await supervisor.call<LedgerView>('POST', 'devices/ledger/clear', {})
    expect(cleared.body).toMatchObject({ openTampering: [], mayClear: false })
    expect(cleared.body.entries.map(({ doubtful }) => doubtful)).not.toContain(true)
  })
})

test.each(['today', 'proofings', 'desk', 'sync', 'devices', 'charts', 'assist'])(
  '%s needs a session',
  async (path) => {
    expect((await counter.browser().call('GET', path)).status).toBe(401)
  },
)
