/** Visits at the counter, how they stand in a list, and the signed ledger of what was found of the device. */
import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../../server/context.ts'
import { createKeySigner, generateSigningKeyPem, type KeySigner } from '../../../server/proof/sign.ts'
import type { Identity } from '../../../server/proofing/identity.ts'
import type { Visit } from '../../../server/store/visits.ts'
import {
  attendedVisit,
  beginVisit,
  endVisit,
  enterStep,
  note,
  runningVisit,
  takeOverVisit,
} from '../../../server/workflows/staff/counter-visits.ts'
import type { StaffCaller } from '../../../server/workflows/adjudication/desk-review.ts'
import {
  clearTampering,
  doubtfulEntries,
  inspectionHealth,
  recordInspection,
  recordTampering,
} from '../../../server/workflows/fraud/device-ledger.ts'
import { beginErasure } from '../../../server/workflows/retention/erase-identity.ts'
import { listProofing, listProofings } from '../../../server/workflows/staff/list-proofings.ts'
import { anEvidence, AT, openTestStore, type TestStore } from '../../support/store.ts'

const ADA = '01890a5d-ac96-774b-bcce-b302099a8058'
const BOB = '01890a5d-ac96-774b-bcce-b302099a8059'
const DAY_MS = 86_400_000

let t: TestStore
let now: Date
let latest: Date | null
let identity: Identity
let everyDays: number | undefined
beforeEach(() => {
  t = openTestStore()
  now = AT
  latest = null
  everyDays = undefined
  identity = t.addIdentity()
})
afterEach(() => t.close())

const statement = () => ({
  source: 'SYSTEM' as const,
  earliest: now,
  latest: latest ?? now,
  uncertaintyMs: null,
  steps: 0,
})
const ctx = () =>
  ({
    store: t.store,
    config: {
      dataDir: t.dataDir,
      sync: {
        freeze: { backlog: 9, ageHours: 9, parked: 9, freeMegabytes: 0, clockUncertaintyMinutes: 1 },
      },
      environment: { inspection: everyDays === undefined ? undefined : { everyDays } },
    },
    clock: { now: () => now },
    time: { statement },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    newId: () => uuidv7(),
  }) as unknown as Context
const staff = (staffId: string): StaffCaller =>
  ({ staffId, role: 'RELYING_SERVICE', applicationId: 'counter' }) as StaffCaller
const pass = (ms: number) => {
  now = new Date(now.getTime() + ms)
}
const entries = (prefix: string) =>
  t.store.events
    .after(0, 1000)
    .filter(({ type }) => type.startsWith(prefix))
    .map(({ type, body, actor, identityId }) => ({ type, body, actor, identityId }))
const kept = (id: string) => {
  const visit = t.store.visits.find(id)
  if (!visit) throw new Error('no visit')
  return visit
}
const atKiosk = (over: Partial<Visit> = {}): Visit => {
  const visit: Visit = {
    id: uuidv7(),
    identityId: identity.id,
    channel: 'KIOSK',
    journey: 'kiosk/1',
    language: 'fr',
    reference: '7K4P-2M9X',
    step: 'portrait',
    startedAt: now,
    endedAt: null,
    outcome: null,
    helpAskedAt: null,
    helpAnswer: null,
    takenOverBy: null,
    ...over,
  }
  t.store.visits.add(visit)
  return visit
}
const thrown = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  return null
}

describe('a visit at the counter', () => {
  test('begins with the consent and is attended by the officer who began it', () => {
    const visit = beginVisit(ctx(), staff(ADA), 'de')
    expect(kept(visit.id)).toEqual({
      id: visit.id,
      identityId: null,
      channel: 'COUNTER',
      journey: 'counter/1',
      language: 'de',
      reference: null,
      step: 'consent',
      startedAt: AT,
      endedAt: null,
      closedAt: null,
      outcome: null,
      helpAskedAt: null,
      helpAnswer: null,
      takenOverBy: ADA,
      sent: null,
      held: null,
    })
    expect(entries('visit.')).toEqual([
      {
        type: 'visit.begun',
        body: { visitId: visit.id, channel: 'COUNTER' },
        actor: `STAFF:${ADA}`,
        identityId: null,
      },
    ])
    expect(t.store.visits.listNotes(visit.id)).toMatchObject([
      { kind: 'STEP', step: 'consent', code: 'consent' },
    ])
  })

  test('is not begun while nothing new may begin', () => {
    latest = new Date(now.getTime() + 10 * 60_000)
    expect(thrown(() => beginVisit(ctx(), staff(ADA), 'de'))).toMatchObject({ code: 'proofings_frozen' })
    expect(entries('visit.')).toEqual([])
  })

  test('is visible only to the officer who attends it', () => {
    const { id } = beginVisit(ctx(), staff(ADA), 'de')
    const kiosk = atKiosk({ takenOverBy: ADA })
    expect(attendedVisit(ctx(), staff(ADA), id).id).toBe(id)
    for (const [who, which] of [
      [BOB, id],
      [ADA, kiosk.id],
      [ADA, 'unknown'],
    ]) {
      expect(thrown(() => attendedVisit(ctx(), staff(who), which))).toMatchObject({
        code: 'not_found',
        details: { resource: 'visit' },
      })
    }
  })

  test('goes from step to step, and a step that it is at already is not noted again', () => {
    const visit = beginVisit(ctx(), staff(ADA), 'de')
    const moved = enterStep(ctx(), visit, 'document')
    expect(enterStep(ctx(), moved, 'document')).toBe(moved)
    expect(kept(visit.id).step).toBe('document')
    expect(t.store.visits.listNotes(visit.id).map(({ code }) => code)).toEqual(['consent', 'document'])
  })

  test('ends with its outcome, and does not continue', () => {
    const visit = beginVisit(ctx(), staff(ADA), 'de')
    expect(runningVisit(ctx(), staff(ADA), visit.id).id).toBe(visit.id)
    pass(5_000)
    endVisit(ctx(), staff(ADA), visit, 'STOPPED')
    expect(kept(visit.id)).toMatchObject({ outcome: 'STOPPED', endedAt: now })
    expect(entries('visit.ended')).toEqual([
      {
        type: 'visit.ended',
        body: { visitId: visit.id, outcome: 'STOPPED' },
        actor: `STAFF:${ADA}`,
        identityId: null,
      },
    ])
    expect(thrown(() => runningVisit(ctx(), staff(ADA), visit.id))).toMatchObject({
      code: 'transition_refused',
      details: { reason: 'visit_ended' },
    })
    expect(attendedVisit(ctx(), staff(ADA), visit.id).id).toBe(visit.id)
  })

  test('is put down to its identity', () => {
    const mine = takeOverVisit(ctx(), staff(ADA), atKiosk())
    endVisit(ctx(), staff(ADA), mine, 'CONFIRMED')
    expect(entries('visit.ended').map(({ identityId }) => identityId)).toEqual([identity.id])
  })

  test('is recorded without its identity after the erasure of that identity has begun', () => {
    const mine = takeOverVisit(ctx(), staff(ADA), atKiosk())
    const context = { ...ctx(), live: { forgetIdentity: () => undefined } } as unknown as Context
    t.store.transaction(() => beginErasure(context, identity, 'DELETE', 'operator'))
    endVisit(ctx(), staff(ADA), mine, 'STOPPED')
    expect(entries('visit.ended')).toMatchObject([
      { identityId: null, body: { visitId: mine.id, outcome: 'STOPPED' } },
    ])
  })
})

describe('a visit that is taken over', () => {
  test('from a kiosk continues as one of the counter, with the same identity', () => {
    const kiosk = atKiosk({ helpAskedAt: now })
    pass(1_000)
    const mine = takeOverVisit(ctx(), staff(ADA), kiosk)
    expect(kept(mine.id)).toMatchObject({
      channel: 'COUNTER',
      identityId: identity.id,
      language: 'fr',
      reference: '7K4P-2M9X',
      step: 'document',
      startedAt: now,
      takenOverBy: ADA,
    })
    // The kiosk ends its own session when it reads this.
    expect(kept(kiosk.id)).toMatchObject({
      takenOverBy: ADA,
      helpAskedAt: null,
      endedAt: null,
      outcome: null,
    })
    expect(entries('visit.taken_over')).toEqual([
      {
        type: 'visit.taken_over',
        body: { visitId: kiosk.id, channel: 'KIOSK' },
        actor: `STAFF:${ADA}`,
        identityId: identity.id,
      },
    ])
  })

  test('a second time by the same person is the one that runs', () => {
    const kiosk = atKiosk()
    const mine = takeOverVisit(ctx(), staff(ADA), kiosk)
    expect(takeOverVisit(ctx(), staff(ADA), kiosk).id).toBe(mine.id)
    expect(entries('visit.taken_over')).toHaveLength(1)
  })

  test('by a colleague is theirs', () => {
    const kiosk = atKiosk()
    takeOverVisit(ctx(), staff(ADA), kiosk)
    expect(thrown(() => takeOverVisit(ctx(), staff(BOB), kiosk))).toMatchObject({ code: 'visit_taken_over' })
  })

  test('of the counter itself ends where it was', () => {
    const counter = atKiosk({ channel: 'COUNTER' })
    const mine = takeOverVisit(ctx(), staff(ADA), counter)
    expect(mine.id).not.toBe(counter.id)
    expect(kept(counter.id)).toMatchObject({ endedAt: now, outcome: 'TAKEN_OVER' })
    const ended = atKiosk({ channel: 'COUNTER', endedAt: AT, outcome: 'WALKED_AWAY', identityId: null })
    expect(thrown(() => takeOverVisit(ctx(), staff(ADA), ended))).toMatchObject({
      code: 'transition_refused',
      details: { reason: 'visit_ended' },
    })
  })

  test('starts again with the consent if no identity exists yet', () => {
    const mine = takeOverVisit(ctx(), staff(ADA), atKiosk({ identityId: null, reference: null }))
    expect(kept(mine.id)).toMatchObject({ identityId: null, step: 'consent' })
  })

  test('has to be of an identity that is there and open', () => {
    t.store.transaction(() => t.store.identities.save({ ...identity, status: 'CLOSED' }))
    expect(thrown(() => takeOverVisit(ctx(), staff(ADA), atKiosk()))).toMatchObject({
      code: 'identity_closed',
    })
    const gone = { ...atKiosk(), id: 'not kept', identityId: '01890a5d-ac96-774b-bcce-b302099a8057' }
    expect(thrown(() => takeOverVisit(ctx(), staff(ADA), gone))).toMatchObject({
      code: 'not_found',
      details: { resource: 'identity' },
    })
  })
})

describe('a visit in a list', () => {
  const flags = (over: Partial<Visit> = {}) => listProofing(ctx(), atKiosk(over)).flags

  test('has the time that it took, or has taken until now, and its tries', () => {
    const visit = atKiosk({ endedAt: new Date(AT.getTime() + 61_499) })
    expect(listProofing(ctx(), visit)).toEqual({ visit, durationSeconds: 61, tries: 0, flags: [] })
    const running = atKiosk()
    pass(2_500)
    for (let count = 0; count < 3; count++) note(ctx(), running, 'TRY', 'PASSED')
    note(ctx(), running, 'GUIDANCE', 'HOLD_STILL')
    expect(listProofing(ctx(), running)).toMatchObject({ durationSeconds: 3, tries: 3, flags: [] })
    note(ctx(), running, 'TRY', 'PASSED')
    expect(listProofing(ctx(), running)).toMatchObject({ tries: 4, flags: ['MANY_TRIES'] })
    expect(listProofing(ctx(), atKiosk({ startedAt: new Date(now.getTime() + 9_000) })).durationSeconds).toBe(
      0,
    )
  })

  test.each<[Partial<Visit>, string[]]>([
    [{ helpAskedAt: AT }, ['HELP']],
    [{ helpAnswer: 'COMING' }, []],
    [{ outcome: 'PERSON' }, ['FOR_A_PERSON']],
    [{ outcome: 'PERSON', takenOverBy: ADA }, ['TAKEN_OVER']],
    // A sealed or erased case cannot be decided.
    [{ outcome: 'PERSON', identityId: null }, []],
    [{ outcome: 'CONFIRMED' }, []],
    [{ takenOverBy: ADA }, ['TAKEN_OVER']],
    [{ takenOverBy: ADA, channel: 'COUNTER' }, []],
  ])('with %j has the flags %j', (over, expected) => {
    expect(flags(over)).toEqual(expected)
  })

  test('has the help flag after the applicant called for help', () => {
    const visit = atKiosk()
    note(ctx(), visit, 'ACT', 'HELP')
    expect(listProofing(ctx(), visit).flags).toEqual(['HELP'])
  })

  test('says that it continues at the counter with what was begun at a kiosk', () => {
    const kiosk = atKiosk({ helpAskedAt: AT })
    const here = takeOverVisit(ctx(), staff(ADA), kiosk)
    expect(listProofing(ctx(), here).flags).toEqual(['GOES_ON'])
  })

  test('has a flag for a fault of ours', () => {
    const visit = atKiosk()
    note(ctx(), visit, 'FAULT', 'CAMERA')
    expect(listProofing(ctx(), visit).flags).toEqual(['FAULT'])
  })

  test.each<[string, Parameters<typeof anEvidence>[1], string[]]>([
    ['has no picture', { status: 'NOT_VERIFIED' }, []],
    ['is no document and not verified', { status: 'NOT_VERIFIED', family: 'PORTRAIT' } as never, []],
    ['waits for a person', { status: 'ADJUDICATION' }, ['FOR_A_PERSON']],
    ['was withdrawn', { status: 'ADJUDICATION', deletedAt: AT }, []],
    ['is well', { status: 'VERIFIED' }, []],
  ])('whose evidence %s is shown as such', (_, over, expected) => {
    t.store.evidences.add(anEvidence(identity.id, over))
    expect(flags()).toEqual(expected)
    expect(flags({ identityId: null })).toEqual([])
  })

  test('whose check was stopped is shown as such once it is decided', () => {
    const evidence = anEvidence(identity.id)
    const evaluation = { ...evidence.evaluation, unverifiedIndicators: ['VERIFICATION_UNVERIFIED'] }
    t.store.evidences.add({ ...evidence, status: 'VERIFIED', evaluation } as never)
    expect(flags()).toEqual(['CHECK_STOPPED'])
  })

  test('is in the list of its span, the newest first', () => {
    const first = atKiosk()
    pass(1_000)
    const second = atKiosk()
    const span = { since: AT, until: new Date(AT.getTime() + 60_000) }
    expect(listProofings(ctx(), span).map(({ visit }) => visit.id)).toEqual([second.id, first.id])
  })
})

describe('the ledger of the device', () => {
  let signer: KeySigner
  beforeAll(async () => {
    signer = createKeySigner(await generateSigningKeyPem())
  })
  const AUTHOR = { actor: `STAFF:${ADA}` }
  const ledger = (by = signer) => ({
    store: t.store,
    signer: by,
    time: statement(),
    author: AUTHOR,
    newId: () => uuidv7(),
  })
  const health = () => inspectionHealth(ctx())
  /** Verifies with the public key that is published for the proofs. */
  const doubtful = async () => {
    const keys = [await signer.publicJwk()]
    const store = { ...t.store, signingKeys: { ...t.store.signingKeys, publicKeys: () => keys } }
    return doubtfulEntries({ store } as never)
  }

  test('holds each entry with its moment and who made it', async () => {
    const inspected = await recordInspection(ledger(), 'FAILED')
    pass(1_000)
    const tampered = await recordTampering(ledger(), 'CASE_OPENED')
    pass(1_000)
    const passed = await recordInspection(ledger(), 'PASSED')
    pass(1_000)
    const cleared = await clearTampering(ledger())
    expect(t.store.deviceLedger.list()).toEqual([inspected, tampered, passed, cleared])
    expect(cleared).toMatchObject({ entry: 'CLEARED', inspectionId: passed.id })
    const about = { actor: AUTHOR.actor, identityId: null }
    expect(entries('device.')).toEqual([
      { type: 'device.inspected', body: { inspectionId: inspected.id, outcome: 'FAILED' }, ...about },
      { type: 'device.tampered', body: { kind: 'CASE_OPENED' }, ...about },
      { type: 'device.inspected', body: { inspectionId: passed.id, outcome: 'PASSED' }, ...about },
      { type: 'device.cleared', body: { inspectionId: passed.id }, ...about },
    ])
    expect(await doubtful()).toEqual([])
  })

  test('clears tampering only where there is some, and by an inspection that was passed since', async () => {
    await recordInspection(ledger(), 'PASSED')
    await expect(clearTampering(ledger())).rejects.toMatchObject({ details: { reason: 'nothing_to_clear' } })
    pass(1_000)
    await recordTampering(ledger(), 'SEAL_BROKEN')
    await expect(clearTampering(ledger())).rejects.toMatchObject({
      code: 'transition_refused',
      details: { reason: 'no_inspection_passed_since' },
    })
  })

  test('puts an entry at the last moment that it may be', async () => {
    latest = new Date(now.getTime() + 500)
    expect((await recordInspection(ledger(), 'PASSED')).at).toEqual(latest)
  })

  test('writes nothing that cannot be signed', async () => {
    const broken = { ...signer, sign: async () => Promise.reject(new Error('no key')) }
    await expect(recordTampering(ledger(broken as never), 'CASE_OPENED')).rejects.toThrow('no key')
    expect(t.store.deviceLedger.list()).toEqual([])
    expect(entries('device.')).toEqual([])
  })

  test('doubts an entry by another key, with another content, and without a statement', async () => {
    const stranger = createKeySigner(await generateSigningKeyPem())
    const good = await recordInspection(ledger(), 'PASSED')
    const byOther = await recordInspection(ledger(stranger), 'PASSED')
    const said = t.store.deviceLedger.statement(good.id) ?? ''
    const add = (over: object, jws: string) => {
      const entry = { ...good, id: uuidv7(), ...over } as typeof good
      t.store.deviceLedger.add(entry, jws)
      return entry.id
    }
    // The statement of another entry, and none at all.
    const borrowed = add({}, said)
    const bare = add({}, '')
    expect([...(await doubtful())].sort()).toEqual([byOther.id, borrowed, bare].sort())
  })

  test('has nothing to doubt while it is empty', async () => {
    expect(await doubtful()).toEqual([])
  })

  test('is told in the health report: tampering, and whether an inspection is due', async () => {
    expect(health()).toEqual({ status: 'UP', detail: 'no open tampering; no inspection is demanded' })
    everyDays = 7
    expect(health()).toEqual({ status: 'DEGRADED', detail: 'no open tampering; an inspection is due' })
    await recordInspection(ledger(), 'PASSED')
    const passed = 'last passed 2026-03-01T10:00:00.000 UTC'
    expect(health()).toEqual({ status: 'UP', detail: `no open tampering; ${passed}` })
    pass(7 * DAY_MS)
    expect(health().status).toBe('UP')
    latest = new Date(now.getTime() + 1)
    expect(health()).toEqual({
      status: 'DEGRADED',
      detail: `no open tampering; an inspection is due; ${passed}`,
    })
    latest = null
    await recordTampering(ledger(), 'CASE_OPENED')
    await recordTampering(ledger(), 'USB_CHANGED')
    expect(health()).toMatchObject({
      status: 'DEGRADED',
      detail: expect.stringMatching(
        /^tampering not cleared: (CASE_OPENED, USB_CHANGED|USB_CHANGED, CASE_OPENED)/,
      ) as unknown,
    })
  })
})
