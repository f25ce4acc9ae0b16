/** The audit log on the console, and the figures of the branch: what is read, by which names, and what is taken out. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AuditPage, ChainState } from '../../../server/counter/contract/audit.ts'
import type { ChartsView } from '../../../server/counter/contract/charts.ts'
import type { FailuresView } from '../../../server/counter/contract/failures.ts'
import { openAccounts } from '../../../server/counter/staff/accounts.ts'
import { ADA, BOB, openConsole, type ConsoleBench } from './console-bench.ts'

let its: ConsoleBench
beforeEach(async () => {
  its = await openConsole()
})
afterEach(() => its.close())

const auditor = (isFresh = true) => its.as(['auditor'], ADA, isFresh)
const store = () => its.ctx.store
const note = (version: string, actor = 'appliance') =>
  store().events.append('appliance.stopped', null, { version }, its.now(), { actor })
const pageOf = async (query = '') => (await auditor().call<AuditPage>('GET', `audit${query}`)).body
const chain = async () => (await auditor().call<ChainState>('GET', 'audit/chain')).body

describe('the audit log', () => {
  test('is read newest first, a page at a time', async () => {
    const before = store().events.head().seq
    for (const version of ['1.0.0', '1.0.1', '1.0.2']) note(version)
    const first = await pageOf('?limit=2&type=appliance.')
    expect(first.rows.map(({ seq }) => seq)).toEqual([before + 3, before + 2])
    expect(first.next).toBe(before + 2)
    const second = await pageOf(`?limit=2&type=appliance.&before=${first.next ?? 0}`)
    expect(second.rows.map(({ seq, body }) => [seq, body])).toEqual([[before + 1, { version: '1.0.0' }]])
    expect(second.next).toBeNull()
    expect(second.types).toContain('appliance.stopped')
    expect((await pageOf('?limit=3&type=appliance.stopped')).next).toBeNull()
  })

  test('is filtered by time, kind, person and reference', async () => {
    const { id } = its.t.addIdentity()
    its.aVisit({ identityId: id, reference: '7K4P-2M9X' })
    note('1.0.0', 'operator')
    its.tick(60_000)
    note('1.0.1', `STAFF:${ADA}`)
    store().events.append('identity.created', id, { status: 'EXPECTING_INPUT' }, its.now(), {
      actor: `RELYING_SERVICE:${its.t.applicationId}`,
    })
    const found = async (query: string) =>
      (await pageOf(`?${query}`)).rows.map(({ type, body }) => [type, body])
    const created = [['identity.created', { status: 'EXPECTING_INPUT' }]]
    for (const reference of [id, '7K4P-2M9X', '7k4p2m9x']) {
      expect(await found(`reference=${reference}`)).toEqual(created)
    }
    expect(await found('reference=0000-0000')).toEqual([])
    expect(await found(`actor=${its.t.applicationId}`)).toEqual(created)
    expect(await found(`actor=${ADA}`)).toEqual([['appliance.stopped', { version: '1.0.1' }]])
    expect(await found('actor=operator')).toEqual([['appliance.stopped', { version: '1.0.0' }]])
    expect(await found('type=appliance.stopped&since=2026-03-01T10:00:30Z')).toEqual([
      ['appliance.stopped', { version: '1.0.1' }],
    ])
    expect(await found('type=appliance.stopped&until=2026-03-01T10:00:30Z')).toEqual([
      ['appliance.stopped', { version: '1.0.0' }],
    ])
    expect((await auditor().call('GET', 'audit?actor=somebody')).status).toBe(400)
  })

  test('names who acted, by what they are called now', async () => {
    const accounts = openAccounts({ store: store(), clock: its.ctx.clock, newId: its.deps.newId })
    const given = { login: 'ada', name: 'Ada Example', roles: ['officer'] as const, language: 'en' }
    const { account } = accounts.create(given, { author: { actor: 'operator' }, staffId: null })
    const gone = `STAFF:${BOB}`
    for (const actor of [
      'appliance',
      'operator',
      'centre',
      `STAFF:${account.id}`,
      gone,
      `RELYING_SERVICE:${its.t.applicationId}`,
      `USER_AGENT:${its.t.applicationId}`,
    ])
      note('1.0.0', actor)
    const { rows } = await pageOf('?type=appliance.stopped')
    expect(rows.map(({ actor, from }) => [actor, from]).reverse()).toEqual([
      [{ kind: 'APPLIANCE', id: null, name: null }, null],
      [{ kind: 'OPERATOR', id: null, name: null }, null],
      [{ kind: 'CENTRE', id: null, name: null }, null],
      [{ kind: 'STAFF', id: account.id, name: 'Ada Example' }, null],
      [{ kind: 'STAFF', id: BOB, name: null }, null],
      [{ kind: 'APPLICATION', id: its.t.applicationId, name: 'test' }, 'test'],
      [{ kind: 'APPLICATION', id: its.t.applicationId, name: 'test' }, 'test'],
    ])
  })

  test('tells the reference of the visit, the address of a sign-in and the second person of an act of two', async () => {
    const { id } = its.t.addIdentity()
    its.aVisit({ identityId: id, reference: '7K4P-2M9X' })
    store().events.append('identity.created', id, { status: 'EXPECTING_INPUT' }, its.now())
    const author = { actor: `STAFF:${ADA}` }
    store().events.append(
      'apikey.created',
      null,
      { keyIds: [], expiresAt: null, confirmedBy: BOB },
      its.now(),
      author,
    )
    const { rows } = await pageOf('?limit=2')
    expect(rows).toMatchObject([
      {
        type: 'apikey.created',
        actor: { kind: 'STAFF', id: ADA },
        confirmedBy: { kind: 'STAFF', id: BOB, name: null },
        identityId: null,
        reference: null,
      },
      { type: 'identity.created', confirmedBy: null, identityId: id, reference: '7K4P-2M9X', reason: null },
    ])
    expect(rows[0]?.at).toBe('2026-03-01T10:00:00.000Z')
  })

  test('is whole as it was written, and says where it is not', async () => {
    note('1.0.0')
    note('1.0.1')
    const { seq, hash } = store().events.head()
    expect(await chain()).toEqual({
      state: 'WHOLE',
      findings: [],
      checked: seq,
      total: seq,
      checkedAt: '2026-03-01T10:00:00.000Z',
      setBack: false,
      headHash: hash,
      checkpoints: [],
    })
    const db = new Database(join(its.t.dataDir, 'appliance.sqlite'))
    db.prepare(`UPDATE events SET body = '{"version":"6.6.6"}' WHERE seq = ?`).run(seq)
    db.close()
    // The answer is kept for half a minute while nothing is added.
    its.tick(29_999)
    expect((await chain()).state).toBe('WHOLE')
    its.tick(1)
    expect(await chain()).toMatchObject({
      state: 'BROKEN',
      findings: [{ seq, through: null, problem: 'changed' }],
      checkedAt: '2026-03-01T10:00:30.000Z',
    })
  })

  test('is looked at again as soon as something was added, and says that it was set back', async () => {
    await chain()
    its.tick(1000)
    store().meta.setJson('audit-set-back', true)
    note('1.0.0')
    expect(await chain()).toMatchObject({ checkedAt: '2026-03-01T10:00:01.000Z', setBack: true })
  })

  test('has its last twenty checkpoints, newest first', async () => {
    for (let seq = 1; seq <= 22; seq++)
      store().checkpoints.add({ eventSeq: seq, jws: 'a.b.c', at: its.now() })
    const { checkpoints } = await chain()
    expect(checkpoints).toHaveLength(20)
    expect(checkpoints[0]).toEqual({ seq: 22, at: '2026-03-01T10:00:00.000Z' })
    expect(checkpoints.at(-1)?.seq).toBe(3)
  })

  test('gets a checkpoint by who may export it, has just shown a second factor, and sees it at once', async () => {
    note('1.0.0')
    await chain()
    expect((await auditor(false).call('POST', 'audit/checkpoint', {})).status).toBe(403)
    expect((await its.as(['supervisor']).call('POST', 'audit/checkpoint', {})).status).toBe(403)
    const seq = store().events.head().seq
    const { body } = await auditor().call<ChainState>('POST', 'audit/checkpoint', {})
    expect(body.checkpoints.map((checkpoint) => checkpoint.seq)).toEqual([seq])
    expect(its.events('audit.checkpointed')).toEqual([
      { type: 'audit.checkpointed', body: { seq }, actor: `STAFF:${ADA}` },
    ])
  })
})

describe('an export of the audit log', () => {
  const take = (body: object, person = auditor()) => person.call<string>('POST', 'audit/export', body)
  const seqsIn = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { seq?: number }).seq)
      .filter((seq) => seq !== undefined)

  test('holds the rows between both ends, of numbers or of moments, and is itself an event', async () => {
    const before = store().events.head().seq
    note('1.0.0')
    its.tick(60_000)
    note('1.0.1')
    its.tick(60_000)
    note('1.0.2')
    const whole = await take({})
    expect(whole.status).toBe(200)
    expect(whole.headers.get('content-type')).toBe('application/jsonl; charset=utf-8')
    expect(whole.headers.get('content-disposition')).toBe(`attachment; filename=audit-1-${before + 3}.jsonl`)
    expect(seqsIn(whole.body).slice(-3)).toEqual([before + 1, before + 2, before + 3])
    const some = await take({ from: before + 2, to: before + 2 })
    expect(seqsIn(some.body)).toEqual([before + 2])
    const byTime = await take({ from: '2026-03-01T10:00:30Z', to: '2026-03-01T10:01:30Z' })
    expect(seqsIn(byTime.body)).toEqual([before + 2])
    const [first] = its.events('audit.exported')
    expect(first).toMatchObject({ body: { from: 1, to: before + 3 }, actor: `STAFF:${ADA}` })
  })

  test('is for who may, with a second factor of the last minutes', async () => {
    note('1.0.0')
    expect((await take({}, auditor(false))).status).toBe(403)
    expect((await take({}, its.as(['administrator']))).status).toBe(403)
    expect((await take({ from: 'yesterday' })).status).toBe(400)
    expect(its.events('audit.exported')).toEqual([])
  })
})

describe('the figures of the branch', () => {
  const charts = async (query = '', person = its.as(['administrator'])) =>
    (await person.call<ChartsView>('GET', `charts${query}`)).body
  const chartOf = async (name: string, query = '') =>
    (await charts(query)).charts.find((chart) => chart.name === name)
  const visits = (count: number, over = {}) => {
    for (let index = 0; index < count; index++) its.aVisit(over)
  }

  test('split no fewer than five visits', async () => {
    visits(4)
    for (const name of ['proofings-per-hour', 'leaving-by-step', 'outcome-share', 'time-to-finish']) {
      expect(await chartOf(name)).toMatchObject({ tooFew: true, rows: [] })
    }
    expect(await chartOf('outbox-age')).toMatchObject({ tooFew: false })
    visits(1)
    const hour = its.now().getHours()
    expect(await chartOf('proofings-per-hour')).toMatchObject({
      tooFew: false,
      title: 'chart.proofings-per-hour',
    })
    const rows = (await chartOf('proofings-per-hour'))?.rows ?? []
    expect(rows.map((row) => row.at(-1))).toEqual([5])
    expect(String(rows[0]?.[0])).toContain(String(hour))
  })

  test('tell how visits ended, with the interval of each share', async () => {
    visits(4, { endedAt: its.now(), outcome: 'CONFIRMED' })
    visits(1, { endedAt: its.now(), outcome: 'STOPPED' })
    const chart = await chartOf('outcome-share')
    expect(chart?.columns.map(({ name, unit, type }) => [name, unit, type])).toEqual([
      ['outcome', null, 'WORD'],
      ['visits', 'COUNT', 'NUMBER'],
      ['share', 'SHARE', 'NUMBER'],
      ['low', 'SHARE', 'NUMBER'],
      ['high', 'SHARE', 'NUMBER'],
    ])
    expect(chart?.rows.find(([outcome]) => outcome === 'CONFIRMED')?.slice(0, 3)).toEqual([
      'CONFIRMED',
      4,
      0.8,
    ])
  })

  test('have a row of columns each, with the key of the locale that names it', async () => {
    const columns = Object.fromEntries(
      (await charts()).charts.map((chart) => [
        chart.name,
        `${chart.columns.map(({ name, unit, type }) => `${name}:${unit ?? type}`).join(' ')}`,
      ]),
    )
    expect(columns).toEqual({
      'proofings-per-hour': 'hour:TIME visits:COUNT',
      'leaving-by-step': 'step:WORD left:COUNT share:SHARE',
      'guidance-per-day': 'day:TIME guidance:WORD times:COUNT',
      'time-to-finish': 'visits:COUNT median:SECONDS p90:SECONDS',
      'time-per-step': 'step:WORD visits:COUNT median:SECONDS p90:SECONDS',
      'tries-per-step': 'step:WORD visits:COUNT one:COUNT two:COUNT three:COUNT more:COUNT',
      'desk-waiting-age': 'age:WORD cases:COUNT',
      'outbox-age': 'age:WORD proofs:COUNT',
      'outcome-share': 'outcome:WORD visits:COUNT share:SHARE low:SHARE high:SHARE',
    })
    for (const { columns: all } of (await charts()).charts)
      for (const { name, label } of all) expect(label).toBe(`chart.column.${name}`)
  })

  test('count what happened in the visits: steps, tries and advice', async () => {
    const at = its.now()
    for (let index = 0; index < 5; index++) {
      const { id } = its.aVisit({
        endedAt: new Date(at.getTime() + 90_000),
        outcome: 'CONFIRMED',
        step: 'result',
      })
      const note = (kind: 'STEP' | 'END' | 'GUIDANCE', step: string, code: string, seconds: number) =>
        store().visits.note({ visitId: id, at: new Date(at.getTime() + seconds * 1000), step, kind, code })
      note('STEP', 'document', 'document', 0)
      note('END', 'document', 'DOCUMENT_GLARE', 10)
      note('END', 'document', 'GOOD', 20)
      note('GUIDANCE', 'document', 'GLARE', 20)
      note('STEP', 'portrait', 'portrait', 30)
      // No face was good, so there is no number of tries until one was.
      note('END', 'portrait', 'PORTRAIT_NOT_DONE', 40)
      note('STEP', 'result', 'result', 90)
    }
    its.tick(120_000)
    expect((await chartOf('time-to-finish'))?.rows).toEqual([[5, 90, 90]])
    expect((await chartOf('time-per-step'))?.rows).toContainEqual(['document', 5, 30, 30])
    expect((await chartOf('tries-per-step'))?.rows).toEqual([['document', 5, 0, 5, 0, 0]])
    expect((await chartOf('guidance-per-day'))?.rows).toEqual([['2026-03-01', 'GLARE', 5]])
  })

  test('are of the days that were asked for', async () => {
    visits(5)
    expect(await charts('?from=2026-02-01&to=2026-02-03')).toMatchObject({
      from: '2026-02-01',
      to: '2026-02-03',
    })
    expect((await chartOf('proofings-per-hour', '?from=2026-02-01&to=2026-02-03'))?.tooFew).toBe(true)
    expect((await chartOf('proofings-per-hour', '?from=2026-02-01&to=2026-03-01'))?.tooFew).toBe(false)
  })

  test('are taken out as a table, with an event that names it', async () => {
    visits(5, { endedAt: its.now(), outcome: 'STOPPED', step: 'portrait' })
    const csv = await its.as(['auditor']).call<string>('GET', 'charts/leaving-by-step.csv')
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="leaving-by-step.csv"')
    expect(csv.body).toBe('\uFEFF"step","left","share"\r\n"portrait",5,1\r\n')
    expect(its.events('charts.exported')).toEqual([
      { type: 'charts.exported', body: { chart: 'leaving-by-step' }, actor: `STAFF:${ADA}` },
    ])
    expect((await its.as(['auditor']).call('GET', 'charts/leaving-by-step')).status).toBe(404)
    expect((await its.as(['auditor']).call('GET', 'charts/people.csv')).status).toBe(404)
    expect((await its.as(['administrator']).call('GET', 'charts/outbox-age.csv')).status).toBe(403)
    expect((await its.as(['officer']).call('GET', 'charts')).status).toBe(403)
  })
})

describe('why people fail', () => {
  type Noted = readonly [seconds: number, step: string, kind: 'STEP' | 'END' | 'ACT', code: string]
  const visit = (over: Parameters<ConsoleBench['aVisit']>[0], noted: readonly Noted[]) => {
    const { id, startedAt } = its.aVisit({ endedAt: its.now(), ...over })
    for (const [seconds, step, kind, code] of noted)
      store().visits.note({
        visitId: id,
        at: new Date(startedAt.getTime() + seconds * 1000),
        step,
        kind,
        code,
      })
  }
  const GLARE: readonly Noted[] = [
    [0, 'document', 'STEP', 'document'],
    [20, 'document', 'END', 'DOCUMENT_GLARE'],
  ]
  const failures = async (query = '') => (await auditor().call<FailuresView>('GET', `failures${query}`)).body

  test('tells what was noted of the kiosk, and nothing of the counter', async () => {
    for (let count = 0; count < 5; count++) visit({ outcome: 'WALKED_AWAY' }, GLARE)
    for (let count = 0; count < 6; count++) visit({ outcome: 'STOPPED', channel: 'COUNTER' }, GLARE)
    const view = await failures()
    expect(view).toMatchObject({
      from: '2026-03-01',
      to: '2026-03-01',
      visits: 5,
      uncounted: 0,
      leastVisits: 5,
    })
    expect(view.reasons).toEqual([
      {
        step: 'document',
        reason: 'DOCUMENT_GLARE',
        tries: 5,
        visits: 5,
        left: 5,
        medianSeconds: 20,
        next: { WALKED_AWAY: 5 },
      },
    ])
  })

  test('keeps a visit whole that goes past midnight', async () => {
    const late = new Date('2026-02-28T23:59:50')
    for (let count = 0; count < 5; count++)
      visit({ startedAt: late, endedAt: its.now(), outcome: 'STOPPED' }, GLARE)
    expect(await failures('?from=2026-02-28&to=2026-02-28')).toMatchObject({
      visits: 5,
      reasons: [{ reason: 'DOCUMENT_GLARE', tries: 5 }],
    })
  })

  test('says that four visits are too few, and not what they were', async () => {
    for (let count = 0; count < 4; count++) visit({ outcome: 'STOPPED' }, GLARE)
    expect(await failures()).toMatchObject({ visits: 0, uncounted: 4, days: [], steps: [], reasons: [] })
  })

  test('is taken out as a table, with an event that names it', async () => {
    for (let count = 0; count < 5; count++) visit({ outcome: 'STOPPED' }, GLARE)
    const csv = await auditor().call<string>('GET', 'failures.csv')
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="why-people-fail.csv"')
    const [head, row] = csv.body.split('\r\n')
    expect(head).toContain('"step","reason","tries","visits","left","median_seconds","then_tried_again"')
    expect(row).toBe('"document","DOCUMENT_GLARE",5,5,5,20,0,0,0,0,0,0,0,5,0,0,0,0,0')
    expect(its.events('charts.exported')).toEqual([
      { type: 'charts.exported', body: { chart: 'why-people-fail' }, actor: `STAFF:${ADA}` },
    ])
    expect((await its.as(['administrator']).call('GET', 'failures.csv')).status).toBe(403)
    expect((await its.as(['officer']).call('GET', 'failures')).status).toBe(403)
  })
})
