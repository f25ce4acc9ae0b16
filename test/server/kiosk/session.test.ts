/** Permissions at the kiosk, data that is left afterwards, help, take-over and a crash. */
import { get } from 'node:http'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isOpenedByCall, visitsWaiting } from '../../../server/counter/waiting.ts'
import { SESSION_LIFETIME_MS, SESSION_SILENT_MS } from '../../../server/kiosk/sessions.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { SHARING_TENANT } from '../../support/app.ts'
import { aPassport, picture } from '../app/scripted-vision.ts'
import { CHECK, CONSENT, DOCUMENT, PORTRAIT, startKioskApp, type KioskApp, type Page } from './kiosk-app.ts'

const PROBLEM = 'urn:counterproof:problem:'
const HOUR_MS = 3_600_000
const WITH_PHONE = [
  { ...CONSENT, optional: ['MOBILE_OTP'] },
  DOCUMENT,
  CHECK,
  PORTRAIT,
  { kind: 'phone', when: [{ connected: 'sms' }] },
]
const SOON = { timeout: 20_000, interval: 20 }

let kiosk: KioskApp
let page: Page
beforeEach(async () => {
  kiosk = await startKioskApp()
  page = kiosk.page()
})
afterEach(async () => {
  await kiosk.close()
  vi.useRealTimers()
})

const storeOf = () => kiosk.app.appliance.store
const visitOf = () => {
  const [visit] = kiosk.visits()
  if (!visit) throw new TypeError('no visit was written')
  return visit
}
const identityOfVisit = () => visitOf().identityId ?? ''
/** The page asks again and again, as long as it is there. */
const stayFor = async (ms: number) => {
  for (let passed = 0; passed <= ms; passed += SESSION_SILENT_MS / 2) {
    await page.call('GET', 'visit')
    kiosk.tick(SESSION_SILENT_MS / 2)
  }
}
/** An appliance whose own timers, which look every few seconds, run when the test says. */
const startWithTimersOfTheTest = async () => {
  await kiosk.close()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  kiosk = await startKioskApp()
  page = kiosk.page()
}
const runTimers = () => vi.advanceTimersByTimeAsync(15_000)
/** The timer's task, which runs every few seconds. */
const sweep = async () => {
  await kiosk.restart()
}

describe('the session', () => {
  test('lives in a cookie that scripts and other sites cannot use', async () => {
    const { headers } = await page.call('POST', 'session', { language: 'en' })
    expect(headers.get('set-cookie')).toMatch(/HttpOnly/)
    expect(headers.get('set-cookie')).toMatch(/SameSite=Strict/)
    expect(headers.get('set-cookie')).toMatch(/Path=\/kiosk\/api/)
  })

  test('ends with the browser: who stands here after a power cut is not shown who stood here before', async () => {
    const { headers } = await page.call('POST', 'session', { language: 'en' })
    expect(headers.get('set-cookie')).not.toMatch(/Max-Age|Expires/)
  })

  test('ends soon after its page has gone, a call for help with it', async () => {
    await page.begin()
    await page.do('POST', 'help')
    kiosk.tick(SESSION_SILENT_MS + 1)
    expect((await page.call('GET', 'visit')).status).toBe(204)
  })

  test('whose page has gone keeps no place and leaves no call for help', async () => {
    await startWithTimersOfTheTest()
    for (let opened = 0; opened < 8; opened++) {
      const other = kiosk.page()
      await other.begin()
      await other.do('POST', 'help')
    }
    expect((await page.call('POST', 'session', { language: 'en' })).status).toBe(429)
    kiosk.tick(SESSION_SILENT_MS + 1)
    await page.begin()
    const calls = () => kiosk.visits().filter(({ helpAskedAt }) => helpAskedAt !== null)
    expect(calls()).not.toHaveLength(0)
    await runTimers()
    await vi.waitFor(() => expect(calls()).toHaveLength(0), SOON)
  })

  test('expires after half an hour however busy', async () => {
    await page.begin()
    await stayFor(SESSION_LIFETIME_MS)
    expect((await page.call('GET', 'visit')).status).toBe(204)
  })

  test('of who waits for help continues', async () => {
    await page.begin()
    expect((await page.do('POST', 'help')).help).toMatchObject({ asked: true, answer: null })
    await stayFor(SESSION_LIFETIME_MS)
    expect((await page.call('GET', 'visit')).status).toBe(200)
    await page.do('DELETE', 'help')
    kiosk.tick(1)
    expect((await page.call('GET', 'visit')).status).toBe(204)
  })

  test('speaks another language from now on', async () => {
    await page.begin()
    expect((await page.call('PUT', 'session/language', { language: 'xx' })).status).toBe(400)
    expect((await page.do('PUT', 'session/language', { language: 'en' })).language).toBe('en')
  })

  test('sessions are few: a flood is refused, the open ones continue', async () => {
    await page.begin()
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => kiosk.page().call('POST', 'session', { language: 'en' })),
    )
    expect(answers.filter(({ status }) => status === 429).length).toBe(5)
    expect((await page.call('GET', 'visit')).status).toBe(200)
  })

  test('takes one change at a time', async () => {
    await page.begin()
    const choice = { country: 'UTO', documentType: 'PASSPORT' }
    await page.do('POST', 'document/choice', choice)
    const both = await Promise.all([
      page.call('POST', 'document/file', aPassport()),
      page.call('POST', 'document/file', aPassport()),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403])
    expect(storeOf().evidences.list(identityOfVisit())).toHaveLength(1)
  })
})

describe('help', () => {
  // @clause TR-03135/supervision
  test('is answered by the counter through the row of the visit, and the page sees it', async () => {
    await page.begin()
    await page.do('POST', 'help')
    expect(visitOf().helpAskedAt).not.toBeNull()
    const held = { by: 'somebody', at: kiosk.now() }
    storeOf().visits.save({ ...visitOf(), helpAnswer: 'TWO_MINUTES', held })
    expect((await page.view()).help).toMatchObject({ asked: true, answer: 'TWO_MINUTES', minutes: 0 })
    const minutes = []
    for (let passed = 0; passed < 4; passed++) {
      kiosk.tick(30_000)
      minutes.push((await page.view()).help.minutes)
    }
    expect(minutes).toEqual([0, 1, 1, 2])
    expect((await page.do('DELETE', 'help')).help).toMatchObject({
      asked: false,
      answer: null,
      minutes: null,
    })
    expect(visitOf()).toMatchObject({ helpAskedAt: null, helpAnswer: null })
  })
})

describe('an applicant whom an officer called to the counter', () => {
  const call = async () => {
    await page.begin()
    await page.showDocument(aPassport())
    await page.do('POST', 'help')
    const held = { by: 'somebody', at: kiosk.now() }
    storeOf().visits.save({ ...visitOf(), helpAnswer: 'GO_TO_COUNTER', held })
  }
  const statusOf = (id: string) => storeOf().identities.find(APPLIANCE, id)?.status
  const waiting = () => {
    const { store } = kiosk.app.appliance
    return visitsWaiting({ store, clock: { now: () => kiosk.now() } })
  }

  test('leaves the screen, and the visit waits at the counter, for hours and through a restart', async () => {
    await call()
    const id = identityOfVisit()
    await page.call('DELETE', 'session?why=WALKED_AWAY')
    expect((await page.call('GET', 'visit')).status).toBe(204)
    expect(visitOf()).toMatchObject({ outcome: 'PERSON', helpAskedAt: null, sent: { because: 'CALLED' } })
    kiosk.tick(HOUR_MS)
    expect(waiting()).toMatchObject([{ identityId: id }])
    await kiosk.restart()
    expect(statusOf(id)).toBe('EXPECTING_INPUT')
    kiosk.tick(23 * HOUR_MS + 1)
    await sweep()
    expect(statusOf(id)).toBe('CLOSED')
  })

  test('whose page is gone is found there, too', async () => {
    await startWithTimersOfTheTest()
    await call()
    const id = identityOfVisit()
    kiosk.tick(SESSION_SILENT_MS + 1)
    expect(visitOf().endedAt).toBeNull()
    await runTimers()
    await vi.waitFor(() => expect(visitOf().endedAt).not.toBeNull(), SOON)
    expect(statusOf(id)).toBe('EXPECTING_INPUT')
  })

  test.each([
    ['needs no help any more and leaves', 'WALKED_AWAY', true],
    ['stops', 'STOPPED', false],
  ] as const)('who %s is forgotten', async (_who, why, isWithdrawn) => {
    await call()
    const id = identityOfVisit()
    if (isWithdrawn) await page.do('DELETE', 'help')
    await page.call('DELETE', `session?why=${why}`)
    expect(statusOf(id)).toBeUndefined()
    expect(waiting()).toEqual([])
  })
})

describe('an applicant who called for help and left before an officer came', () => {
  const waiting = () => {
    const { store } = kiosk.app.appliance
    return visitsWaiting({ store, clock: { now: () => kiosk.now() } })
  }

  test('is no walk away: the visit and its call wait at the counter until an officer closes them', async () => {
    await page.begin()
    await page.showDocument(aPassport())
    await page.do('POST', 'help')
    const id = identityOfVisit()
    await page.call('DELETE', 'session?why=WALKED_AWAY')
    expect((await page.call('GET', 'visit')).status).toBe(204)
    expect(visitOf()).toMatchObject({
      outcome: 'UNATTENDED',
      helpAskedAt: null,
      sent: { because: 'UNATTENDED' },
    })
    expect(storeOf().identities.find(APPLIANCE, id)?.status).toBe('EXPECTING_INPUT')
    kiosk.tick(3 * HOUR_MS)
    expect(waiting()).toMatchObject([{ identityId: id }])
    expect(waiting().map(isOpenedByCall)).toEqual([true])
    await kiosk.restart()
    expect(storeOf().identities.find(APPLIANCE, id)?.status).toBe('EXPECTING_INPUT')
    expect(waiting()).toMatchObject([{ identityId: id }])
  })

  test('stays in the list before the consent, too, without a visit to continue with', async () => {
    await page.do('POST', 'session', { language: 'en' })
    await page.do('POST', 'help')
    await page.call('DELETE', 'session?why=WALKED_AWAY')
    expect(visitOf()).toMatchObject({ outcome: 'UNATTENDED', identityId: null })
    expect(waiting().map(isOpenedByCall)).toEqual([false])
  })

  test('is in no list after taking the call back or stopping', async () => {
    await page.begin()
    await page.do('POST', 'help')
    await page.call('DELETE', 'session?why=STOPPED')
    expect(visitOf().outcome).toBe('STOPPED')
    expect(waiting()).toEqual([])
  })
})

test('a call for help that no screen of the staff shows is told as such', async () => {
  await page.begin()
  // This appliance has no account yet.
  expect((await page.do('POST', 'help')).help).toMatchObject({ asked: true, seen: false })
})

describe('a visit that staff take over', () => {
  beforeEach(async () => {
    await page.begin()
    await page.showDocument(aPassport())
    storeOf().visits.save({ ...visitOf(), takenOverBy: 'staff-7' })
  })

  test('tells the page, and takes no change any more', async () => {
    expect((await page.view()).takenOver).toBe(true)
    for (const [method, path, body] of [
      ['POST', 'check', {}],
      ['POST', 'help', undefined],
      ['POST', 'finish', undefined],
      ['PUT', 'session/language', { language: 'en' }],
    ] as const) {
      const answer = await page.call(method, path, body)
      expect([path, answer.status, answer.body.type]).toEqual([path, 403, `${PROBLEM}visit_taken_over`])
    }
  })

  test('is neither erased nor sealed when the page leaves it', async () => {
    const id = identityOfVisit()
    await page.call('DELETE', 'session?why=FINISHED')
    expect(storeOf().identities.find(APPLIANCE, id)?.status).toBe('EXPECTING_INPUT')
    expect(visitOf()).toMatchObject({ outcome: 'TAKEN_OVER', takenOverBy: 'staff-7', identityId: id })
  })

  test('is left alone after a crash, too', async () => {
    const id = identityOfVisit()
    await kiosk.restart()
    expect(storeOf().identities.find(APPLIANCE, id)?.status).toBe('EXPECTING_INPUT')
  })
})

describe('after a restart', () => {
  test('one that waits for the counter keeps waiting, and is sealed when its time is over', async () => {
    await page.begin()
    await page.do('POST', 'skip', { step: 'document', person: true })
    await page.do('POST', 'finish')
    const id = identityOfVisit()
    await kiosk.restart()
    expect(storeOf().identities.find(APPLIANCE, id)?.status).toBe('EXPECTING_INPUT')
    kiosk.tick(24 * HOUR_MS + 1)
    await sweep()
    expect(storeOf().identities.find(APPLIANCE, id)?.status).toBe('CLOSED')
    expect(visitOf()).toMatchObject({ outcome: 'PERSON' })
  })
})

describe('hostile input', () => {
  test.each([
    ['another page', { Origin: 'https://evil.example' }],
    ['a sandboxed page', { Origin: 'null' }],
    ['the same host on another port', { Origin: 'http://127.0.0.1:1' }],
    ['another site, says the browser', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('%s may not start a session', async (_who, headers) => {
    const { status, body } = await page.call('POST', 'session', { language: 'en' }, headers)
    expect([status, body.type]).toEqual([403, `${PROBLEM}host_refused`])
  })

  test('a request without Origin may not change anything', async () => {
    const response = await fetch(`${kiosk.app.url}/kiosk/api/session`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(403)
  })

  test('a name that was rebound to this machine is refused', async () => {
    expect(await rawGet('kiosk.evil.example')).toBe(403)
    expect(await rawGet(new URL(kiosk.app.url).host)).toBe(200)
  })

  test.each([
    ['no JSON', 'session', '{"language":', 400],
    ['a wrong type', 'session', { language: 7 }, 400],
    ['an unknown language', 'session', { language: 'xx' }, 400],
    ['a field too many', 'session', { language: 'en', admin: true }, 400],
    ['a long text', 'session', { language: 'e'.repeat(20_000) }, 413],
    ['no answer', 'consent', {}, 400],
    ['a consent in words', 'consent', { approved: 'yes' }, 400],
    ['a consent that was not asked for', 'consent', { approved: true, optional: ['GIV'] }, 400],
    ['a note in words', 'notes', { notes: [{ kind: 'FAULT', code: 'Anna Maria was here' }] }, 400],
    ['a step of our own making', 'skip', { step: 'consent' }, 400],
    ['a number that is none', 'phone', { number: '+49' }, 400],
    ['a code in letters', 'phone/code', { code: 'abcdef' }, 400],
  ])('%s is refused with a problem document', async (_what, path, body, status) => {
    await page.call('POST', 'session', { language: 'en' })
    const answer = await page.call('POST', path, body)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  })

  test('a refused value comes back neither in the problem nor in the log', async () => {
    await page.call('POST', 'session', { language: 'ANNA-MARIA' })
    await page.call('GET', 'check/crop/ANNA-MARIA')
    await page.call('DELETE', 'session?why=ANNA-MARIA')
    expect(page.answers.join() + kiosk.app.log()).not.toContain('ANNA-MARIA')
  })

  test('files that are none leave the visit where it was', async () => {
    await page.begin()
    await page.do('POST', 'document/choice', { country: 'UTO', documentType: 'PASSPORT' })
    const send = (body: Uint8Array, type: string) =>
      page.call('POST', 'document/file', body, { 'Content-Type': type })
    expect((await send(aPassport(), 'text/html')).status).toBe(400)
    expect((await send(aPassport(), 'image/svg+xml')).status).toBe(400)
    expect((await send(new Uint8Array(0), 'image/jpeg')).status).toBe(400)
    expect((await send(new Uint8Array(20 * 1024 * 1024 + 1), 'image/jpeg')).status).toBe(413)
    expect((await send(picture({ shows: 'garbage' }), 'image/jpeg')).status).toBe(400)
    expect(await page.at('document')).toMatchObject({ state: 'CAPTURE', left: 3 })
    expect(storeOf().evidences.list(identityOfVisit())).toEqual([])
  })

  test('a page gone wild fills no disk with notes', async () => {
    await page.begin()
    const notes = Array.from({ length: 50 }, () => ({ kind: 'GUIDANCE', code: 'AGAIN' }))
    for (let sent = 0; sent < 12; sent++) await page.call('POST', 'notes', { notes })
    expect(
      storeOf()
        .visits.listNotes(visitOf().id)
        .filter(({ kind }) => kind === 'GUIDANCE'),
    ).toHaveLength(500)
  })
})

describe('the journey', () => {
  test('names the tenant as the receiver of the result where the journey names none', async () => {
    const named = { ...SHARING_TENANT, name: 'Bank of Utopia' }
    for (const [config, organisation] of [
      [{ tenant: named }, 'Bank of Utopia'],
      // As delivered: a placeholder name receives nothing.
      [{ tenant: { ...SHARING_TENANT, name: 'First run' } }, null],
    ] as const) {
      const other = await startKioskApp({ journey: { organisation: undefined }, config })
      try {
        const answer = await fetch(`${other.app.url}/kiosk/api/journey`, {
          headers: { origin: other.app.url },
        })
        expect(await answer.json()).toMatchObject({ organisation })
      } finally {
        await other.close()
      }
    }
  })

  test.each([
    [
      'without a face',
      { journey: { steps: [{ ...CONSENT, required: ['ID_DOCUMENT'] }, DOCUMENT, CHECK] } },
      3,
    ],
    ['of a document and a face', {}, 4],
    ['with a phone that no gateway reaches', { journey: { steps: WITH_PHONE } }, 4],
    ['with a phone', { journey: { steps: WITH_PHONE }, sms: true }, 5],
  ] as const)('%s says how long it takes', async (_, options, minutes) => {
    const other = await startKioskApp(options)
    try {
      const answer = await fetch(`${other.app.url}/kiosk/api/journey`, { headers: { origin: other.app.url } })
      expect(await answer.json()).toMatchObject({ minutes })
    } finally {
      await other.close()
    }
  })

  test('tells the screens what they show, and keeps steps, conditions and levels to itself', async () => {
    const { body } = await page.call('GET', 'journey')
    expect(body).toMatchObject({
      kiosk: 'Hall 1',
      ownWindow: false,
      mode: 'test',
      display: { diagonalInch: 27, camera: { edge: 'top', atPercent: 50 } },
    })
    expect(Object.keys(body).sort()).toEqual(
      [
        'brand',
        'display',
        'id',
        'idleSeconds',
        'kiosk',
        'ownWindow',
        'languages',
        'minutes',
        'mode',
        'organisation',
        'receipt',
        'texts',
        'version',
      ].sort(),
    )
  })
})

describe('the screens', () => {
  test('come with a policy that forbids inline code and every other origin', async () => {
    const response = await fetch(`${kiosk.app.url}/kiosk/`)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(response.status).toBe(200)
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  })

  test('cannot be left for the files beside them', async () => {
    for (const path of ['/kiosk/../package.json', '/kiosk/%2e%2e/package.json', '/kiosk/..%2fpackage.json']) {
      expect(await rawGet(new URL(kiosk.app.url).host, path)).toBeGreaterThanOrEqual(400)
    }
  })
})

/** The status of a GET whose Host header and path go out as given, which fetch does not allow. */
function rawGet(host: string, path = '/kiosk/api/journey'): Promise<number | undefined> {
  const { port } = new URL(kiosk.app.url)
  return new Promise((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1', path, headers: { Host: host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('error', reject)
  })
}
