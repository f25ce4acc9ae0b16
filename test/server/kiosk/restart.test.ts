/**
 * The server was dead and is there again: the same page, by its cookie alone, continues at the step it was at, and nothing is
 * asked again that had been answered. Who does not come back is sealed or erased, as if the power had been cut.
 */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { VisitView } from '../../../server/kiosk/contract/index.ts'
import { RETURN_GRACE_MS, SESSION_LIFETIME_MS } from '../../../server/kiosk/sessions.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { aPassport, picture } from '../app/scripted-vision.ts'
import {
  CHECK,
  CONSENT,
  DOCUMENT,
  PORTRAIT,
  startKioskApp,
  type KioskApp,
  type Page,
  type StepOf,
} from './kiosk-app.ts'
import { SOON } from '../../support/soon.ts'

const MINUTE_MS = 60_000
/** More often than the kiosk looks for visits whose time is over. */
const SWEEP_MS = 15_000
const FRONT = picture({ shows: 'person', face: 'A' })

let kiosk: KioskApp
let page: Page
beforeEach(() => {
  // The kiosk looks when the test says so.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await kiosk.close()
  vi.useRealTimers()
})
const start = async (options: Parameters<typeof startKioskApp>[0] = {}) => {
  kiosk = await startKioskApp(options)
  page = kiosk.page()
}

const storeOf = () => kiosk.app.appliance.store
const onlyVisit = () => {
  const visits = kiosk.visits()
  expect(visits).toHaveLength(1)
  return visits[0]
}
const identityId = () => onlyVisit().identityId ?? ''
const kept = () => storeOf().kioskSessions.list()
const sweepUntil = async (holds: () => void) => {
  vi.advanceTimersByTime(SWEEP_MS)
  await vi.waitFor(holds, SOON)
}
/** Works directly on the file, beside the appliance. */
function inDatabase<T>(work: (db: Database.Database) => T): T {
  const db = new Database(join(kiosk.app.dataDir, 'appliance.sqlite'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}
/** Dead for a while; what the page is told then is what it was told before. */
async function expectSame(before: VisitView, page: Page): Promise<void> {
  await kiosk.restart()
  expect(await page.view()).toEqual(before)
}

describe('at each step', () => {
  test('the same visit continues to its result, and nothing is asked twice', async () => {
    await start({
      sms: true,
      login: true,
      journey: {
        steps: [
          { ...CONSENT, optional: ['MOBILE_OTP'] },
          { kind: 'trusted-login', providers: [] },
          DOCUMENT,
          CHECK,
          PORTRAIT,
          { kind: 'phone', mayBeSkipped: true },
        ],
      },
    })
    await expectSame(await page.do('POST', 'session', { language: 'en' }), page)
    await expectSame(await page.do('POST', 'consent', { approved: true, optional: ['MOBILE_OTP'] }), page)
    const login = await page.do('POST', 'trusted-login', { id: 'bank' })
    expect(login.step).toMatchObject({ kind: 'trusted-login', state: 'WAITING' })
    await expectSame(login, page)
    await expectSame(await page.do('POST', 'skip', { step: 'trusted-login' }), page)
    const choice = { country: 'UTO', documentType: 'PASSPORT' }
    await expectSame(await page.do('POST', 'document/choice', choice), page)
    const { sessionId } = await page.open('document/session')
    await expectSame(await page.view(), page)
    // The session that the camera is in is the same, too.
    const form = new FormData()
    form.append('DocumentFront', new Blob([Buffer.from(aPassport())], { type: 'image/jpeg' }), 'front.jpg')
    const shown = { key: null, body: form }
    expect((await kiosk.app.call('POST', `/capture/sessions/${sessionId}/document`, shown)).ok).toBe(true)
    await kiosk.app.runJobs()
    const read = await page.view()
    expect(read.step.kind).toBe('check')
    await expectSame(read, page)
    await expectSame(await page.do('POST', 'check', { corrections: { familyName: 'Erikson' } }), page)
    await expectSame(await page.showFace(), page)
    await page.do('POST', 'phone', { number: '+33639980001' })
    await kiosk.app.runJobs()
    const wrong = await page.do('POST', 'phone/code', { code: '0000' })
    expect(wrong.step).toMatchObject({ kind: 'phone', state: 'CODE', triesLeft: 4, mismatch: true })
    await expectSame(wrong, page)
    const done = await page.do('POST', 'phone/code', { code: kiosk.gateway?.lastCode() })
    expect(done.step).toMatchObject({ kind: 'waiting', ready: true })
    await expectSame(done, page)
    const told = await page.do('POST', 'finish')
    expect(told.step).toMatchObject({ kind: 'result', outcome: 'CONFIRMED' })
    await expectSame(told, page)
    const { receipt } = told.step as StepOf<'result'>
    expect(storeOf().visits.findByCode(receipt.code)?.id).toBe(onlyVisit().id)
    await page.call('DELETE', 'session?why=FINISHED')
    expect(onlyVisit()).toMatchObject({ outcome: 'CONFIRMED', step: 'result' })
    expect(kept()).toEqual([])
    const steps = storeOf()
      .visits.listNotes(onlyVisit().id)
      .filter(({ kind }) => kind === 'STEP')
    expect(steps.map(({ code }) => code)).toEqual([
      'consent',
      'trusted-login',
      'document',
      'check',
      'portrait',
      'phone',
      'waiting',
      'result',
    ])
  }, 60_000)

  test('an unfinished liveness session begins again: no try is lost, and no failure is shown', async () => {
    await start()
    await page.begin()
    await page.showDocument(aPassport())
    const before = await page.do('POST', 'check', {})
    await page.open('portrait/session')
    await kiosk.restart()
    const after = await page.view()
    expect(after).toEqual({ ...before, notice: 'BEGINS_ANEW' })
    // Told until something is done there, through another restart, too.
    await expectSame(after, page)
    const { step, notice } = await page.showFace()
    expect([step.kind, notice]).toEqual(['waiting', null])
    expect((await page.do('POST', 'finish')).step).toMatchObject({ outcome: 'CONFIRMED' })
  })

  test('a front that waited for its back as a file is asked for again, and the page says why', async () => {
    await start()
    await page.begin()
    const choice = { country: 'UTO', documentType: 'IDENTITY_CARD' }
    const before = await page.do('POST', 'document/choice', choice)
    await page.do('POST', 'document/file', FRONT)
    await kiosk.restart()
    expect(await page.view()).toEqual({ ...before, notice: 'BEGINS_ANEW' })
    expect((await page.do('POST', 'document/file', FRONT)).notice).toBeNull()
  })

  test('a call for help still stands, and who waits is not hurried', async () => {
    await start()
    await page.begin()
    await page.do('POST', 'help')
    kiosk.tick(SESSION_LIFETIME_MS + 1)
    await kiosk.restart()
    expect((await page.view()).help).toMatchObject({ asked: true, answer: null })
  })

  test('twenty minutes without the server do not count against the applicant', async () => {
    await start()
    const before = await page.begin()
    kiosk.tick(20 * MINUTE_MS)
    await expectSame(before, page)
  })

  test('a visit that staff took over meanwhile is theirs, and the page is told', async () => {
    await start()
    await page.begin()
    const id = identityId()
    storeOf().visits.save({ ...onlyVisit(), takenOverBy: 'staff-7' })
    await kiosk.restart()
    expect((await page.view()).takenOver).toBe(true)
    await page.call('DELETE', 'session?why=FINISHED')
    expect(storeOf().identities.find(APPLIANCE, id)?.status).toBe('EXPECTING_INPUT')
    expect(kept()).toEqual([])
  })
})

describe('killed in the middle of an act', () => {
  test('sealed, and not told yet: the result is told', async () => {
    await start()
    await page.begin()
    await page.showDocument(aPassport())
    await page.do('POST', 'check', {})
    await page.showFace()
    vi.spyOn(storeOf().visits, 'setCode').mockImplementation(() => {
      throw new Error('killed')
    })
    expect((await page.call('POST', 'finish')).status).toBe(500)
    expect(storeOf().identities.find(APPLIANCE, identityId())?.status).toBe('CLOSED')
    const proof = storeOf().proofs.find(identityId())?.id
    await kiosk.restart()
    expect((await page.view()).step.kind).toBe('waiting')
    expect((await page.do('POST', 'finish')).step).toMatchObject({ kind: 'result', outcome: 'CONFIRMED' })
    expect(storeOf().proofs.find(identityId())?.id).toBe(proof)
  })

  test('agreed, and not noted: it is asked again, and what was begun is erased', async () => {
    await start()
    await page.do('POST', 'session', { language: 'en' })
    vi.spyOn(storeOf().kioskSessions, 'keep').mockImplementation(() => {
      throw new Error('killed')
    })
    vi.spyOn(storeOf().visits, 'save').mockImplementation(() => {
      throw new Error('killed')
    })
    vi.spyOn(storeOf().consents, 'add').mockImplementation(() => {
      throw new Error('killed')
    })
    expect((await page.call('POST', 'consent', { approved: true })).status).toBe(500)
    const [orphan = ''] = storeOf().identities.listIds()
    await kiosk.restart()
    expect(storeOf().identities.find(APPLIANCE, orphan)).toBeNull()
    expect((await page.view()).step.kind).toBe('consent')
    expect((await page.do('POST', 'consent', { approved: true })).step.kind).toBe('document')
    expect(onlyVisit()).toMatchObject({ outcome: null, endedAt: null })
  })

  test('stopped by the person, and not erased yet: it is erased, face or not', async () => {
    await start()
    await page.begin()
    await page.showDocument(aPassport())
    await page.do('POST', 'check', {})
    await page.showFace()
    const id = identityId()
    storeOf().visits.save({ ...onlyVisit(), outcome: 'STOPPED', endedAt: kiosk.now() })
    await kiosk.restart()
    expect(storeOf().identities.find(APPLIANCE, id)).toBeNull()
    expect((await page.call('GET', 'visit')).status).toBe(204)
    expect(onlyVisit()).toMatchObject({ outcome: 'STOPPED' })
    expect(kept()).toEqual([])
  })
})

/** Closed at the start already: nothing is left to continue with. */
async function restartErases(id: string): Promise<void> {
  await kiosk.restart()
  expect((await page.call('GET', 'visit')).status).toBe(204)
  expect(storeOf().identities.find(APPLIANCE, id)).toBeNull()
  expect(kept()).toEqual([])
}

describe('a page that does not come back', () => {
  const isOver = async () => {
    await kiosk.restart()
    kiosk.tick(RETURN_GRACE_MS)
    vi.advanceTimersByTime(SWEEP_MS)
    // Not yet.
    expect(onlyVisit().outcome).not.toBe('INTERRUPTED')
    kiosk.tick(1)
    await sweepUntil(() => expect(kept()).toEqual([]))
  }

  test('within three minutes has its visit erased, and counted as interrupted', async () => {
    await start()
    await page.begin()
    await page.showDocument(aPassport())
    const id = identityId()
    await isOver()
    await vi.waitFor(() => expect(storeOf().identities.find(APPLIANCE, id)).toBeNull(), SOON)
    expect(storeOf().vault.has(id)).toBe(false)
    await vi.waitFor(
      () => expect(onlyVisit()).toMatchObject({ outcome: 'INTERRUPTED', identityId: null }),
      SOON,
    )
    expect(onlyVisit().endedAt).not.toBeNull()
    expect((await page.call('GET', 'visit')).status).toBe(204)
    expect((await page.call('POST', 'check', {})).status).toBe(401)
  })

  test('has it sealed once the face was handed in', async () => {
    await start()
    await page.begin()
    await page.showDocument(aPassport())
    await page.do('POST', 'check', {})
    await page.showFace()
    const id = identityId()
    await isOver()
    await vi.waitFor(() => expect(storeOf().identities.find(APPLIANCE, id)?.status).toBe('CLOSED'), SOON)
    expect(storeOf().proofs.find(id)).not.toBeNull()
    expect(onlyVisit()).toMatchObject({ outcome: 'INTERRUPTED' })
  })

  test('from its result leaves what was said', async () => {
    await start()
    await page.begin()
    await page.do('POST', 'skip', { step: 'document', person: true })
    await page.do('POST', 'finish')
    const id = identityId()
    await kiosk.restart()
    kiosk.tick(RETURN_GRACE_MS + 1)
    await sweepUntil(() => expect(kept()).toEqual([]))
    expect(onlyVisit()).toMatchObject({ outcome: 'PERSON' })
    // It waits for the counter, as its receipt says.
    expect(storeOf().identities.find(APPLIANCE, id)?.status).toBe('EXPECTING_INPUT')
  })

  test('before the consent leaves nothing but a count', async () => {
    await start()
    await page.do('POST', 'session', { language: 'en' })
    await isOver()
    expect(onlyVisit()).toMatchObject({ outcome: 'INTERRUPTED', identityId: null })
    expect(storeOf().identities.listIds()).toEqual([])
  })

  test('in its half hour finds its visit closed at the start already', async () => {
    await start()
    await page.begin()
    const id = identityId()
    kiosk.tick(SESSION_LIFETIME_MS + 1)
    await restartErases(id)
  })

  test('however long the machine was off, a face that was handed in is sealed', async () => {
    await start()
    await page.begin()
    await page.showDocument(aPassport())
    await page.do('POST', 'check', {})
    await page.showFace()
    const id = identityId()
    kiosk.tick(3 * 24 * 60 * MINUTE_MS)
    await kiosk.restart()
    expect(storeOf().identities.find(APPLIANCE, id)?.status).toBe('CLOSED')
  })
})

describe('what is kept of a session', () => {
  test('is neither its token nor anything in clear, and before the consent nothing but a language', async () => {
    await start()
    await page.do('POST', 'session', { language: 'en' })
    const rows = () => inDatabase((db) => db.prepare('SELECT * FROM kiosk_sessions').all())
    expect(rows()).toMatchObject([{ identity_id: null, facts_ct: null, language: 'en' }])
    await page.do('POST', 'consent', { approved: true })
    await page.do('POST', 'document/choice', { country: 'UTO', documentType: 'PASSPORT' })
    expect(kept()[0]?.facts).toMatchObject({ facts: { choice: { country: 'UTO' } } })
    const [row] = rows() as { facts_ct: Buffer; token_hash: Buffer }[]
    expect(row?.facts_ct.toString('latin1')).not.toMatch(/UTO|choice|consented/)
    const token = page.cookie?.split('=')[1] ?? '?'
    expect(JSON.stringify(kept())).not.toContain(token)
    expect(row?.token_hash.equals(Buffer.from(token, 'base64url'))).toBe(false)
  })

  test('opens for its own token alone, and still opens after a wrong one', async () => {
    await start()
    const before = await page.begin()
    await kiosk.restart()
    const stranger = kiosk.page()
    for (const token of ['x', storeOf().kioskSessions.list()[0]?.tokenHash ?? '', 'A'.repeat(43)]) {
      stranger.cookie = `counterproof-kiosk=${token}`
      expect((await stranger.call('GET', 'visit')).status).toBe(204)
      expect((await stranger.call('POST', 'help')).status).toBe(401)
    }
    expect(await page.view()).toEqual(before)
  })

  test('goes with the identity, and what a copy still holds cannot be opened', async () => {
    await start()
    await page.begin()
    const id = identityId()
    const facts = () =>
      inDatabase((db) => db.prepare<[], { facts_ct: Buffer }>('SELECT facts_ct FROM kiosk_sessions').get())
    const copy = facts()?.facts_ct ?? Buffer.alloc(0)
    const context = `kiosk_sessions:${kept()[0]?.id}`
    expect(storeOf().vault.unsealJson(id, context, copy)).toMatchObject({ facts: { consented: true } })
    expect((await kiosk.app.json('DELETE', `/v1/identities/${id}`)).status).toBeLessThan(300)
    expect(facts()).toBeUndefined()
    expect(() => storeOf().vault.unsealJson(id, context, copy)).toThrow('not_found')
    await kiosk.restart()
    expect((await page.call('GET', 'visit')).status).toBe(204)
  })

  test('is of no use once it was altered: the visit is closed like one whose page is gone', async () => {
    await start()
    await page.begin()
    const id = identityId()
    inDatabase((db) => db.exec('UPDATE kiosk_sessions SET facts_ct = zeroblob(80)'))
    await restartErases(id)
  })

  test('is written later by a disk that takes nothing now, and the visit continues meanwhile', async () => {
    await start()
    await page.begin()
    inDatabase((db) => {
      for (const act of ['INSERT', 'UPDATE'])
        db.exec(
          `CREATE TRIGGER full_${act} BEFORE ${act} ON kiosk_sessions BEGIN SELECT RAISE(ABORT, 'full'); END`,
        )
    })
    const choice = { country: 'UTO', documentType: 'PASSPORT' }
    const chosen = await page.do('POST', 'document/choice', choice)
    expect(chosen.step).toMatchObject({ kind: 'document', state: 'CAPTURE' })
    expect(kiosk.app.log()).toContain('a kiosk session could not be stored')
    vi.advanceTimersByTime(SWEEP_MS)
    expect(kept()[0]?.facts).toMatchObject({ facts: { choice: null } })
    inDatabase((db) => db.exec('DROP TRIGGER full_INSERT; DROP TRIGGER full_UPDATE'))
    await sweepUntil(() => expect(kept()[0]?.facts).toMatchObject({ facts: { choice } }))
    await expectSame(chosen, page)
  })

  test('is not there where the disk never took it: the visit ends with the server', async () => {
    await start()
    inDatabase((db) =>
      db.exec(`CREATE TRIGGER full BEFORE INSERT ON kiosk_sessions BEGIN SELECT RAISE(ABORT, 'full'); END`),
    )
    await page.begin()
    const id = identityId()
    await kiosk.restart()
    expect((await page.call('GET', 'visit')).status).toBe(204)
    expect(storeOf().identities.find(APPLIANCE, id)).toBeNull()
    expect(onlyVisit()).toMatchObject({ outcome: 'INTERRUPTED' })
  })
})
