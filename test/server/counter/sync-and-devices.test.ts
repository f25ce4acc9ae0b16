/** Unsent proofs, webhook deliveries, and the parts of the machine: in words that tell staff what to do. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DevicesView, LedgerView, PartView } from '../../../server/counter/contract/devices.ts'
import type {
  DeliveryPage,
  DeliveryView,
  FreezeRule,
  OutboxItem,
  OutboxPage,
  SyncView,
  WebhookView,
} from '../../../server/counter/contract/sync.ts'
import { nameTrouble } from '../../../server/counter/sync.ts'
import { noteSyncState } from '../../../server/workflows/health/sync-state.ts'
import { ADA, BOB, openConsole, type ConsoleBench } from './console-bench.ts'

const HOUR_MS = 3_600_000

let its: ConsoleBench
beforeEach(async () => {
  its = await openConsole({
    config: {
      environment: { inspection: { everyDays: 7 } },
      sync: { freeze: { backlog: 10, ageHours: 48 } },
    },
  })
})
afterEach(() => its.close())

const officer = () => its.as(['officer'])
const supervisor = () => its.as(['supervisor'])
const store = () => its.ctx.store
const problemOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { type: string }).type.replace(/^.*:/, ''),
]

describe('the line to the head office', () => {
  function join(centralUrl = 'https://centre.example'): void {
    store().enrolments.begin({ centralUrl, publicJwk: {}, privateJwk: {} }, its.now())
    const trust = { centreId: 'centre' } as never
    store().enrolments.complete({ certificate: 'PEM', tenantId: 'branch', trust, enrolledAt: its.now() })
  }
  /** Sealed, with its row of the outbox. */
  async function aProof(reference: string | null = null): Promise<{ id: string; sequence: number }> {
    const id = await its.anIdentity()
    if (reference !== null) its.aVisit({ identityId: id, reference })
    await its.workflows.sealProof(its.caller, id)
    return { id, sequence: store().outbox.listByIdentity(id)[0]?.sequence ?? 0 }
  }
  const sync = async () => (await officer().call<SyncView>('GET', 'sync')).body
  const refuse = (sequence: number) => store().outbox.refuse(sequence, 'packet_refused')

  test('is none before a central service was joined', async () => {
    expect(await sync()).toMatchObject({
      line: 'ALONE',
      transport: null,
      state: 'NOT_SET_UP',
      trouble: null,
      since: null,
      waiting: 0,
      refused: 0,
      oldestSince: null,
      lastSuccess: null,
      nextTry: null,
      gapFree: true,
    })
  })

  test('is called http where it is not encrypted', async () => {
    join('http://127.0.0.1:18720')
    expect(await sync()).toMatchObject({ line: 'LINE', transport: 'HTTP' })
  })

  test('tells what waits, since when, and when it is tried next', async () => {
    join()
    expect(await sync()).toMatchObject({ line: 'LINE', transport: 'HTTPS', state: 'WELL', nextTry: null })
    await aProof()
    its.tick(HOUR_MS)
    await aProof()
    noteSyncState({ store: store() }, { lastContactAt: its.now().getTime() })
    expect(await sync()).toMatchObject({
      line: 'LINE',
      state: 'WAITING',
      trouble: null,
      waiting: 2,
      refused: 0,
      oldestSince: '2026-03-01T10:00:00.000Z',
      lastSuccess: '2026-03-01T11:00:00.000Z',
      gapFree: true,
    })
    expect((await sync()).nextTry).not.toBeNull()
  })

  test('that is a stick has no next try, and no trouble of a line', async () => {
    join('')
    await aProof()
    noteSyncState({ store: store() }, { failingSince: its.now().getTime(), lastError: 'no_answer_in_time' })
    expect(await sync()).toMatchObject({ line: 'BY_HAND', state: 'WAITING', trouble: null, nextTry: null })
  })

  test('in trouble says since when, and what kind of trouble', async () => {
    join()
    await aProof()
    noteSyncState({ store: store() }, { failingSince: its.now().getTime(), lastError: 'tls_refused' })
    expect(await sync()).toMatchObject({
      state: 'TROUBLE',
      trouble: 'REFUSED_KEY',
      since: '2026-03-01T10:00:00.000Z',
    })
    // A failure that is over is no trouble any more.
    noteSyncState({ store: store() }, { failingSince: null, lastError: 'tls_refused' })
    expect(await sync()).toMatchObject({ state: 'WAITING', trouble: null, since: null })
  })

  test.each([
    [null, null],
    ['unauthorized', 'REFUSED_KEY'],
    ['forbidden', 'REFUSED_KEY'],
    ['statement_refused', 'REFUSED_KEY'],
    ['tls_refused', 'REFUSED_KEY'],
    ['not_the_centre', 'REFUSED_KEY'],
    ['connection_refused', 'NO_NETWORK'],
    ['name_not_found', 'NO_NETWORK'],
    ['no_answer_in_time', 'NO_NETWORK'],
    ['not_reachable', 'NO_NETWORK'],
    ['centre_busy', 'CENTRE_TROUBLE'],
    ['answer_too_large', 'CENTRE_TROUBLE'],
    ['internal', 'CENTRE_TROUBLE'],
    ['packet_refused', 'REFUSED_DATA'],
  ])('calls %j: %j', (error, trouble) => {
    expect(nameTrouble(error)).toBe(trouble)
  })

  test('with a proof that was refused is in trouble with the data', async () => {
    join()
    const { sequence } = await aProof()
    refuse(sequence)
    expect(await sync()).toMatchObject({
      state: 'TROUBLE',
      trouble: 'REFUSED_DATA',
      waiting: 0,
      refused: 1,
      since: null,
    })
  })

  test('is hurried by a supervisor: what waits is due at once, what was refused is not', async () => {
    join()
    const first = await aProof()
    const refused = await aProof()
    refuse(refused.sequence)
    const retry = new Date(its.now().getTime() + HOUR_MS)
    store().outbox.retry(first.sequence, retry, 'no_answer_in_time')
    const woken = its.woken.sync
    const { status, body } = await supervisor().call<SyncView>('POST', 'sync/try-now', {})
    expect([status, body.line]).toEqual([200, 'LINE'])
    expect(its.woken.sync).toBe(woken + 1)
    expect(its.events('sync.hurried')).toEqual([
      { type: 'sync.hurried', body: { waiting: 2 }, actor: `STAFF:${ADA}` },
    ])
    expect(store().outbox.find(first.sequence)?.nextTryAt.getTime()).toBeLessThan(retry.getTime())
    expect(store().outbox.find(refused.sequence)?.state).toBe('REFUSED')
    expect((await officer().call('POST', 'sync/try-now', {})).status).toBe(403)
  })

  test('lists its items page by page: those that wait, or all', async () => {
    join()
    const first = await aProof('7K4P-2M9X')
    const second = await aProof()
    const third = await aProof()
    store().outbox.acknowledge(second.sequence, 'a.b.c', its.now())
    const page = async (query = '') => (await officer().call<OutboxPage>('GET', `sync/items${query}`)).body
    const sequences = ({ items }: OutboxPage) => items.map(({ sequence }) => sequence)
    expect(sequences(await page())).toEqual([first.sequence, third.sequence])
    expect((await page()).next).toBeNull()
    expect((await page('?limit=1')).next).toBe(first.sequence)
    expect(sequences(await page(`?limit=1&after=${first.sequence}`))).toEqual([third.sequence])
    expect((await page(`?limit=1&after=${first.sequence}`)).next).toBeNull()
    const all = await page('?show=all&limit=2')
    expect([sequences(all), all.next]).toEqual([[first.sequence, second.sequence], second.sequence])
    expect(sequences(await page(`?show=all&after=${second.sequence}`))).toEqual([third.sequence])
    expect((await page()).items[0]).toMatchObject({
      reference: '7K4P-2M9X',
      state: 'QUEUED',
      sealedAt: '2026-03-01T10:00:00.000Z',
      attempts: 0,
      lastError: null,
      trouble: null,
      bytes: null,
    })
    expect((await page()).items[0]?.nextTry).not.toBeNull()
    expect(all.items[1]).toMatchObject({ state: 'ACKNOWLEDGED', nextTry: null, reference: null })
  })

  test('sends refused proofs in new packets, and sends waiting proofs at once', async () => {
    join()
    const { id, sequence } = await aProof()
    const again = (which: number | string, person = supervisor()) =>
      person.call<OutboxItem>('POST', `sync/items/${which}/send-again`, {})
    refuse(sequence)
    const listed = (await officer().call<OutboxPage>('GET', 'sync/items')).body.items[0]
    expect(listed).toMatchObject({ state: 'REFUSED', trouble: 'REFUSED_DATA', nextTry: null })
    expect((await again(sequence)).body).toMatchObject({ sequence, state: 'QUEUED' })
    const [queued] = store()
      .events.after(0, 1000)
      .filter(({ reason }) => reason === 'REQUEUED')
    expect(queued).toMatchObject({ type: 'outbox.queued', identityId: id, actor: `STAFF:${ADA}` })
    expect((await again(sequence)).status).toBe(200)
    expect(its.events('sync.hurried')).toEqual([
      { type: 'sync.hurried', body: { waiting: 1 }, actor: `STAFF:${ADA}` },
    ])
    store().outbox.acknowledge(sequence, 'a.b.c', its.now())
    expect(problemOf(await again(sequence))).toEqual([403, 'transition_refused'])
    for (const other of [sequence + 1, 0, 'x']) expect((await again(other)).status).toBe(404)
    expect((await again(sequence, officer())).status).toBe(403)
  })

  test('says how much more it takes until nothing new may begin', async () => {
    const rules = async () => Object.fromEntries((await sync()).freeze.map((rule) => [rule.reason, rule]))
    expect(Object.keys(await rules())).toEqual(['disk_low', 'clock_unsure'])
    // A clock that was compared with nothing is not called in order.
    expect((await rules()).clock_unsure).toMatchObject({ inForce: false, isKnown: false })
    join()
    await aProof()
    its.tick(5.5 * HOUR_MS)
    its.doubt({
      earliest: new Date(its.now().getTime() - 2 * 60_000),
      latest: new Date(its.now().getTime() + 2 * 60_000),
      source: 'CENTRE',
    })
    const now = await rules()
    const { freeze } = its.ctx.config.sync
    const of = (reason: string): Partial<FreezeRule> => {
      const { inForce, now: counted, limit, left, unit } = now[reason] ?? {}
      return { inForce, now: counted, limit, left, unit }
    }
    expect(of('backlog_full')).toEqual({ inForce: false, now: 1, limit: 10, left: 9, unit: 'PROOFS' })
    expect(of('oldest_too_old')).toEqual({ inForce: false, now: 5, limit: 48, left: 43, unit: 'HOURS' })
    expect(of('proofs_parked')).toEqual({
      inForce: false,
      now: 0,
      limit: freeze.parked,
      left: freeze.parked,
      unit: 'PROOFS',
    })
    // Nothing was restored, and there is no number to come near to.
    expect(now.restore_not_settled).toBeUndefined()
    expect(now.clock_unsure).toMatchObject({
      isKnown: true,
      limit: freeze.clockUncertaintyMinutes,
      unit: 'MINUTES',
    })
    expect([2, 4]).toContain(now.clock_unsure?.now)
    const { now: free, limit, left } = now.disk_low ?? {}
    expect(limit).toBe(freeze.freeMegabytes)
    expect(left).toBe(Math.max(0, (free ?? 0) - (limit ?? 0)))
    // More than the limit leaves nothing, and no less than nothing.
    its.tick(60 * HOUR_MS)
    expect((await rules()).oldest_too_old).toMatchObject({ inForce: true, left: 0 })
  })
})

describe('who else is told', () => {
  const consoles = () => ({ ...its.caller, applicationId: its.deps.caller.applicationId })
  const register = async (events?: readonly never[]) =>
    (
      await its.workflows.registerWebhook(consoles(), {
        url: 'https://bank.example:8443/hook/s3cret',
        ...(events ? { events } : {}),
      })
    ).webhookId

  test('is listed with the host alone, and how it goes', async () => {
    const webhookId = await register()
    const list = async () =>
      (await officer().call<{ webhooks: WebhookView[] }>('GET', 'webhooks')).body.webhooks
    expect(await list()).toMatchObject([
      {
        webhookId,
        host: 'bank.example:8443',
        health: 'WELL',
        disabledBecause: null,
        pending: 0,
        parked: 0,
        createdAt: '2026-03-01T10:00:00.000Z',
      },
    ])
    expect(JSON.stringify(await list())).not.toContain('s3cret')
    const tested = await supervisor().call<DeliveryView>('POST', `webhooks/${webhookId}/test`, {})
    expect(tested.body).toMatchObject({
      state: 'PENDING',
      attempts: 0,
      createdAt: '2026-03-01T10:00:00.000Z',
      lastTriedAt: null,
      lastStatus: null,
      lastError: null,
      deliveredAt: null,
    })
    expect(await list()).toMatchObject([{ health: 'WAITING', pending: 1 }])
    const page = async (query = '') =>
      (await officer().call<DeliveryPage>('GET', `webhooks/${webhookId}/deliveries${query}`)).body
    expect(await page()).toMatchObject({ deliveries: [{ deliveryId: tested.body.deliveryId }], next: null })
    expect((await page('?state=PARKED')).deliveries).toEqual([])
    await supervisor().call('POST', `webhooks/${webhookId}/test`, {})
    const first = await page('?limit=1')
    expect(first.next).not.toBeNull()
    expect((await page(`?limit=1&after=${first.next ?? ''}`)).deliveries).toHaveLength(1)
  })

  test('is tested, switched on and sent to again by who may, and only where it is there', async () => {
    const webhookId = await register()
    const { body } = await supervisor().call<DeliveryView>('POST', `webhooks/${webhookId}/test`, {})
    const path = `webhooks/${webhookId}/deliveries/${body.deliveryId}/send-again`
    expect((await supervisor().call<DeliveryView>('POST', path, {})).body.state).toBe('PENDING')
    expect(
      (await supervisor().call<WebhookView>('POST', `webhooks/${webhookId}/enable`, {})).body.webhookId,
    ).toBe(webhookId)
    for (const each of [`webhooks/${webhookId}/test`, `webhooks/${webhookId}/enable`, path]) {
      expect((await officer().call('POST', each, {})).status).toBe(403)
      expect((await supervisor().call('POST', each.replace(webhookId, BOB), {})).status).toBe(404)
    }
  })
})

describe('the parts of the machine', () => {
  const devices = async () => (await officer().call<DevicesView>('GET', 'devices')).body

  test('are told with what each means for people, since when, and what would be noted now', async () => {
    const health = its.workflows.health
    its.workflows.health = async () => {
      const report = await health()
      const since = '2026-03-01T09:00:00.000'
      return {
        ...report,
        status: 'DOWN',
        components: {
          disk: { status: 'UP', since },
          database: { status: 'DOWN', since, detail: 'cannot be looked at' },
          'vision-face-matching': { status: 'DEGRADED', since },
        },
      }
    }
    const view = await devices()
    expect(view).toMatchObject({ status: 'DOWN', at: '2026-03-01T10:00:00.000Z' })
    expect(view.parts).toEqual([
      {
        name: 'disk',
        state: 'UP',
        word: 'WORKS',
        since: '2026-03-01T09:00:00.000Z',
        meaning: 'device.well',
        cost: null,
        detail: null,
        lastSelfTest: null,
        fetching: null,
        actions: [],
      },
      {
        name: 'database',
        state: 'DOWN',
        word: 'PROBLEM',
        since: '2026-03-01T09:00:00.000Z',
        meaning: 'device.database.DOWN',
        cost: null,
        detail: 'cannot be looked at',
        lastSelfTest: null,
        fetching: null,
        actions: [],
      },
      {
        name: 'vision-face-matching',
        state: 'DEGRADED',
        word: 'PROBLEM',
        since: '2026-03-01T09:00:00.000Z',
        meaning: 'device.ability.DEGRADED',
        cost: null,
        detail: null,
        lastSelfTest: null,
        fetching: null,
        actions: [],
      },
    ])
    const touches = view.faults.flatMap((fault) => fault.touches)
    expect(
      touches.every((touched) => ['IDDOCUMENT', 'PORTRAIT', 'CONTACT', 'ANTIFRAUD'].includes(touched)),
    ).toBe(true)
  })

  test('with tampering say which evidence would carry the fault', async () => {
    await officer().call('POST', 'devices/ledger/tampering', { kind: 'SEAL_BROKEN' })
    const { faults } = await devices()
    expect(faults.length).toBeGreaterThan(0)
    expect(faults.every(({ touches }) => new Set(touches).size === touches.length)).toBe(true)
  })

  test('that can be tested are tested by who may, with an event and the result beside the part', async () => {
    const outcomes = [
      { kind: 'tested', test: { findings: [] } },
      { kind: 'tested', test: { findings: ['TOO_DARK', 'BLURRED'] } },
      { kind: 'fault', fault: 'not_plugged_in' },
    ]
    const camera = its.ctx.documentCamera
    Object.assign(its.ctx, {
      documentCamera: {
        ...camera,
        isConfigured: true,
        health: () => camera.health(),
        selfTest: async () => outcomes.shift(),
      },
    })
    const run = () => officer().call<PartView>('POST', 'devices/parts/cameras/self-test', {})
    const at = '2026-03-01T10:00:00.000Z'
    expect((await run()).body).toMatchObject({
      name: 'cameras',
      actions: ['SELF_TEST'],
      lastSelfTest: { at, passed: true, step: null },
    })
    expect((await run()).body.lastSelfTest).toEqual({ at, passed: false, step: 'TOO_DARK' })
    expect((await run()).body.lastSelfTest).toEqual({ at, passed: false, step: 'not_plugged_in' })
    const parts = (await devices()).parts.filter(({ lastSelfTest }) => lastSelfTest !== null)
    expect(parts.map(({ name }) => name)).toEqual(['cameras'])
    expect(its.events('device.tested').map(({ body }) => body)).toEqual([
      { part: 'cameras', passed: true },
      { part: 'cameras', passed: false },
      { part: 'cameras', passed: false },
    ])
    expect((await officer().call('POST', 'devices/parts/disk/self-test', {})).status).toBe(404)
    expect((await its.as(['auditor']).call('POST', 'devices/parts/cameras/self-test', {})).status).toBe(403)
  })
})

test('an administrator has the watchlists fetched, reads how many have come and then the outcome, and no officer may', async () => {
  let finish: (isWhole: boolean) => void = () => undefined
  const done = new Promise<boolean>((resolve) => (finish = resolve))
  let progress: { done: number; total: number } | null = { done: 1, total: 2 }
  Object.assign(its.ctx, {
    listUpdates: () => ({ count: 2, progress: () => progress, fetchNow: () => done }),
  })
  const administrator = its.as(['administrator'])
  const path = 'devices/parts/watchlists/fetch'
  expect((await administrator.call<PartView>('POST', path, {})).body).toMatchObject({
    actions: ['FETCH'],
    fetching: { done: 1, total: 2 },
    lastSelfTest: null,
  })
  progress = null
  finish(false)
  await done
  const { parts } = (await administrator.call<DevicesView>('GET', 'devices')).body
  expect(parts.find(({ name }) => name === 'watchlists')).toMatchObject({
    fetching: null,
    lastSelfTest: { passed: false },
  })
  expect(its.events('device.tested').map(({ body }) => body)).toEqual([{ part: 'watchlists', passed: false }])
  expect((await officer().call('POST', path, {})).status).toBe(403)
  expect((await administrator.call('POST', 'devices/parts/disk/fetch', {})).status).toBe(404)
})

describe('the ledger of the device', () => {
  const ledger = async () => (await officer().call<LedgerView>('GET', 'devices/ledger')).body
  const CHECKLIST = [
    ['CASE_CLOSED', 'CASE_OPENED'],
    ['SEALS_WHOLE', 'SEAL_BROKEN'],
    ['PLUGS_AS_LEFT', 'USB_CHANGED'],
    ['CAMERAS_IN_PLACE', 'CAMERA_MOVED'],
    ['CAMERAS_OUR_OWN', 'CAMERA_REPLACED'],
    ['SCANNER_OUR_OWN', 'SCANNER_REPLACED'],
    ['SCREEN_AS_USUAL', 'SOFTWARE_CHANGED'],
    ['NOTHING_ADDED', 'OTHER_TAMPERING'],
  ] as const
  const inspect = (items: object) =>
    officer().call<LedgerView>('POST', 'devices/ledger/inspections', { items })
  const all = (...wrong: readonly string[]) =>
    Object.fromEntries(CHECKLIST.map(([id]) => [id, !wrong.includes(id)]))

  test('begins empty, overdue where inspections are demanded, with the list of what is looked at', async () => {
    expect(await ledger()).toEqual({
      entries: [],
      openTampering: [],
      mayClear: false,
      inspection: { state: 'OVERDUE', everyDays: 7, lastPassedAt: null },
      checklist: CHECKLIST.map(([id, tamperKind]) => ({ id, tamperKind })),
    })
  })

  test.each(CHECKLIST)('notes an inspection without %s as failed, and %s', async (id, kind) => {
    const { body } = await inspect(all(id))
    expect(body.entries.map(({ entry, detail, doubtful }) => [entry, detail, doubtful])).toEqual([
      ['TAMPERED', kind, false],
      ['INSPECTED', 'FAILED', false],
    ])
    expect(body).toMatchObject({ openTampering: [kind], mayClear: false })
  })

  test('takes an inspection that answers every item and no other', async () => {
    expect((await inspect({})).status).toBe(400)
    const lacking = Object.fromEntries(Object.entries(all()).filter(([id]) => id !== 'CASE_CLOSED'))
    expect((await inspect(lacking)).status).toBe(400)
    expect((await inspect({ ...all(), SOMETHING_ELSE: true })).status).toBe(400)
    expect((await inspect({ ...lacking, SOMETHING_ELSE: true })).status).toBe(400)
    expect((await ledger()).entries).toEqual([])
    const { body } = await inspect(all())
    expect(body.inspection).toEqual({
      state: 'IN_DATE',
      everyDays: 7,
      lastPassedAt: '2026-03-01T10:00:00.000Z',
    })
    its.tick(7 * 24 * HOUR_MS + 1)
    expect((await ledger()).inspection.state).toBe('OVERDUE')
  })

  test('is cleared by a supervisor after an inspection that was passed since', async () => {
    const { body: found } = await officer().call<LedgerView>('POST', 'devices/ledger/tampering', {
      kind: 'CASE_OPENED',
    })
    expect(found).toMatchObject({ openTampering: ['CASE_OPENED'], mayClear: false })
    expect(problemOf(await supervisor().call('POST', 'devices/ledger/clear', {}))).toEqual([
      403,
      'transition_refused',
    ])
    its.tick(1000)
    const { body: inspected } = await inspect(all())
    expect(inspected.mayClear).toBe(true)
    expect((await officer().call('POST', 'devices/ledger/clear', {})).status).toBe(403)
    its.tick(1000)
    const { body } = await supervisor().call<LedgerView>('POST', 'devices/ledger/clear', {})
    expect(body).toMatchObject({ openTampering: [], mayClear: false })
    expect(body.entries[0]).toMatchObject({ entry: 'CLEARED', detail: inspected.entries[0]?.id })
    expect(its.events('device.').map(({ type, actor }) => [type, actor])).toEqual(
      ['device.tampered', 'device.inspected', 'device.cleared'].map((type) => [type, `STAFF:${ADA}`]),
    )
    expect((await officer().call('POST', 'devices/ledger/tampering', { kind: 'RAIN' })).status).toBe(400)
    expect(
      (await its.as(['auditor']).call('POST', 'devices/ledger/tampering', { kind: 'CASE_OPENED' })).status,
    ).toBe(403)
  })
})
