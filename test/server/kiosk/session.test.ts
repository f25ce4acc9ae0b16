/** The kiosk's session API over real HTTP: who may do what, and what is left afterwards. */
import { get } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SESSION_IDLE_MS, SESSION_LIFETIME_MS } from '../../../server/kiosk/sessions.ts'
import { OTHER_FACE, PHOTO, ScriptedWorkflows, TOO_DARK, TestPage, VERIFIED, startKiosk } from './support.ts'
import type { TestKiosk } from './support.ts'

let kiosk: TestKiosk
let page: TestPage
beforeEach(async () => {
  kiosk = await startKiosk()
  page = new TestPage(kiosk)
})
afterEach(() => kiosk.close())

const WITH_SESSION = [
  ['POST', 'consent', { approved: true }],
  ['POST', 'document', PHOTO],
  ['POST', 'portrait', PHOTO],
  ['GET', 'progress', undefined],
  ['POST', 'finish', {}],
] as const

describe('a visit', () => {
  test('ends with a sealed proof and a receipt that says nothing about the person', async () => {
    await page.begin()
    await page.call('POST', 'document', PHOTO)
    const checked = await page.call('POST', 'portrait', PHOTO)
    expect(checked.body).toEqual({
      document: { state: 'DONE', guidance: [], left: 0 },
      portrait: { state: 'DONE', guidance: [], left: 0 },
      ready: true,
    })
    const finished = await page.call('POST', 'finish', {})
    expect(finished.body).toEqual({
      reference: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/) as string,
      outcome: 'CONFIRMED',
    })
    expect(kiosk.workflows.sealed).toHaveLength(1)
  })

  test('stays sealed when the session ends: the appliance keeps the proof', async () => {
    await visit(page)
    await page.call('DELETE', 'session')
    await kiosk.kiosk.sweep()
    expect(kiosk.workflows.erased).toEqual([])
  })

  test('finished twice is sealed once and gives the same receipt', async () => {
    const first = await visit(page)
    const second = await page.call('POST', 'finish', {})
    expect(second.body).toEqual(first.body)
    expect(kiosk.workflows.sealed).toHaveLength(1)
  })

  test('says of its pictures which capture component sent them, and nothing of a camera that it does not know', async () => {
    await visit(page)
    const ours = {
      channel: 'webSDK',
      sdkInfo: { sdkVersion: expect.stringMatching(/^\d+\.\d+\.\d+/) as string },
    }
    expect(kiosk.workflows.devices).toEqual([ours, ours])
  })

  test('records exactly the consents that the journey names', async () => {
    await page.begin()
    const [held] = kiosk.workflows.identities.values()
    expect(held?.consents).toEqual([
      { type: 'ID_DOCUMENT', approved: true },
      { type: 'PORTRAIT', approved: true },
    ])
  })

  test('acts as the relying service of its own tenant', async () => {
    await page.begin()
    expect(kiosk.workflows.callers[0]).toMatchObject({
      tenantId: 'tenant-1',
      applicationId: 'kiosk',
      role: 'RELYING_SERVICE',
      method: 'POST',
      uri: '/kiosk/api/consent',
    })
  })

  test('hands over the very bytes of the photo with their declared type', async () => {
    await page.begin()
    await page.call('POST', 'document', PHOTO, { 'Content-Type': 'image/png' })
    expect([...(kiosk.workflows.uploads[0]?.bytes ?? [])]).toEqual([...PHOTO])
    expect(kiosk.workflows.uploads[0]?.declaredType).toBe('image/png')
  })
})

describe('what the page may know', () => {
  test('a dark document is told as advice, without code, score or indicator', async () => {
    kiosk.workflows.verdicts.document = [TOO_DARK, VERIFIED]
    await page.begin()
    const { body } = await page.call('POST', 'document', PHOTO)
    expect(body.document).toEqual({ state: 'AGAIN', guidance: ['DOCUMENT_DARK'], left: 2 })
  })

  test('another face goes on like any other and ends at the counter, the reason untold', async () => {
    kiosk.workflows.verdicts.portrait = [OTHER_FACE]
    kiosk.workflows.level = 'LOA0'
    await page.begin()
    await page.call('POST', 'document', PHOTO)
    const { body } = await page.call('POST', 'portrait', PHOTO)
    expect(body.portrait).toEqual({ state: 'DONE', guidance: [], left: 0 })
    const finished = await page.call('POST', 'finish', {})
    expect(finished.body.outcome).toBe('PERSON')
    expect(page.answers.join()).not.toMatch(/1600|MATCHING|INVALID|LOA|LEVEL/)
  })

  test('after the last try the photo is kept and the visit goes on', async () => {
    kiosk.workflows.verdicts.document = [TOO_DARK]
    await page.begin()
    await page.call('POST', 'document', PHOTO)
    await page.call('POST', 'document', PHOTO)
    const third = await page.call('POST', 'document', PHOTO)
    expect(third.body.document).toEqual({ state: 'DONE', guidance: [], left: 0 })
    const fourth = await page.call('POST', 'document', PHOTO)
    expect([fourth.status, fourth.body.type]).toEqual([403, 'urn:counterproof:problem:transition_refused'])
  })

  test('the journey tells the screens nothing of policies and consent types', async () => {
    const { body } = await page.call('GET', 'journey')
    expect(Object.keys(body).sort()).toEqual(
      ['document', 'id', 'idleSeconds', 'languages', 'mode', 'organisation', 'portrait', 'version'].sort(),
    )
    expect(body.mode).toBe('test')
  })

  test('no answer of a whole visit holds the session, the identity, the tenant or the application', async () => {
    await visit(page)
    await page.call('GET', 'nowhere')
    const [identity] = kiosk.workflows.identities.keys()
    const told = page.answers.join('\n')
    for (const secret of [identity, 'tenant-1', page.cookie?.split('=')[1]]) {
      expect(secret).toBeTruthy()
      const bodies = page.answers.filter((_, index) => index % 2 === 0).join('\n')
      expect(bodies).not.toContain(secret)
    }
    expect(told).not.toMatch(/apikey/i)
  })
})

describe('the session', () => {
  test.each(WITH_SESSION)('%s %s without one is refused', async (method, path, body) => {
    const { status, body: problem } = await page.call(method, path, body)
    expect([status, problem.type]).toEqual([401, 'urn:counterproof:problem:unauthorized'])
  })

  test.each(WITH_SESSION)('%s %s with an invented one is refused', async (method, path, body) => {
    page.cookie = `counterproof-kiosk=${'A'.repeat(43)}`
    expect((await page.call(method, path, body)).status).toBe(401)
  })

  test('lives in a cookie that scripts and other sites cannot use', async () => {
    const { headers, body } = await page.call('POST', 'session', { language: 'en' })
    expect(headers.get('set-cookie')).toMatch(/HttpOnly/)
    expect(headers.get('set-cookie')).toMatch(/SameSite=Strict/)
    expect(headers.get('set-cookie')).toMatch(/Path=\/kiosk\/api/)
    expect(body).toBeNull()
  })

  test('expires after ten idle minutes, and what was not finished is erased', async () => {
    await page.begin()
    later(SESSION_IDLE_MS + 1)
    expect((await page.call('GET', 'progress')).status).toBe(401)
    await kiosk.kiosk.sweep()
    expect(kiosk.workflows.erased).toHaveLength(1)
    expect(kiosk.workflows.identities.size).toBe(0)
  })

  test('expires after half an hour however busy', async () => {
    await page.begin()
    for (let passed = 0; passed <= SESSION_LIFETIME_MS; passed += SESSION_IDLE_MS / 2) {
      await page.call('GET', 'progress')
      later(SESSION_IDLE_MS / 2)
    }
    expect((await page.call('GET', 'progress')).status).toBe(401)
  })

  test('stopped by the person erases everything at once', async () => {
    await page.begin()
    await page.call('POST', 'document', PHOTO)
    expect((await page.call('DELETE', 'session')).status).toBe(204)
    expect(kiosk.workflows.identities.size).toBe(0)
    expect((await page.call('GET', 'progress')).status).toBe(401)
  })

  test('a refused consent stores nothing at all', async () => {
    await page.call('POST', 'session', { language: 'en' })
    await page.call('POST', 'consent', { approved: false })
    expect(kiosk.workflows.callers).toEqual([])
    expect((await page.call('POST', 'document', PHOTO)).status).toBe(401)
  })

  test('a new one on the same screen ends and erases the former', async () => {
    await page.begin()
    await page.begin()
    expect(kiosk.workflows.erased).toHaveLength(1)
    expect(kiosk.workflows.identities.size).toBe(1)
  })

  test('an erasure that does not work is tried again until it does', async () => {
    await page.begin()
    kiosk.workflows.eraseFails = true
    await page.call('DELETE', 'session')
    expect((await page.call('GET', 'progress')).status).toBe(401)
    kiosk.workflows.eraseFails = false
    await kiosk.kiosk.sweep()
    expect(kiosk.workflows.identities.size).toBe(0)
  })

  test('that a crash left open is erased without a portrait, and sealed with one', async () => {
    await page.begin()
    const finished = new TestPage(kiosk)
    await finished.begin()
    await finished.call('POST', 'document', PHOTO)
    await finished.call('POST', 'portrait', PHOTO)
    const [unfinishedId, finishedId] = [...kiosk.workflows.identities.keys()]
    // Another run over the same identities: the sessions of this one are not known to it.
    const next = await startKiosk({ workflows: kiosk.workflows })
    await next.kiosk.recover()
    expect(kiosk.workflows.erased).toEqual([unfinishedId])
    expect(kiosk.workflows.sealed).toEqual([finishedId])
    await next.close()
  })

  test('sessions are few: a flood is refused, the open ones go on', async () => {
    await page.begin()
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => new TestPage(kiosk).call('POST', 'session', { language: 'en' })),
    )
    expect(answers.filter(({ status }) => status === 429).length).toBe(5)
    expect((await page.call('GET', 'progress')).status).toBe(200)
  })

  test('a shut-down erases what was not finished', async () => {
    await page.begin()
    await kiosk.kiosk.close()
    expect(kiosk.workflows.identities.size).toBe(0)
  })
})

describe('the order of steps', () => {
  test('no photo before the consent', async () => {
    await page.call('POST', 'session', { language: 'en' })
    const { status, body } = await page.call('POST', 'document', PHOTO)
    expect([status, body.type]).toEqual([403, 'urn:counterproof:problem:consent_missing'])
  })

  test('no portrait before the document, no end before the portrait', async () => {
    await page.begin()
    expect((await page.call('POST', 'portrait', PHOTO)).status).toBe(403)
    expect((await page.call('POST', 'finish', {})).status).toBe(403)
    expect(kiosk.workflows.uploads).toEqual([])
  })

  test('one consent, one answer', async () => {
    await page.begin()
    expect((await page.call('POST', 'consent', { approved: false })).status).toBe(403)
  })

  test('two photos at once: one is taken', async () => {
    await page.begin()
    kiosk.workflows.checkMs = 5_000
    const both = await Promise.all([
      page.call('POST', 'document', PHOTO),
      page.call('POST', 'document', PHOTO),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([202, 403])
    expect(kiosk.workflows.uploads).toHaveLength(1)
  })

  test('who leaves while the checks run gets a reference, and the proof is sealed when they are done', async () => {
    kiosk.workflows.checkMs = 0
    await page.begin()
    await page.call('POST', 'document', PHOTO)
    kiosk.workflows.checkMs = 300
    await page.call('POST', 'portrait', PHOTO)
    const { body } = await page.call('POST', 'finish', {})
    expect(body.outcome).toBe('LATER')
    await page.call('DELETE', 'session')
    expect(kiosk.workflows.sealed).toEqual([])
    await new Promise((resolve) => setTimeout(resolve, 350))
    await kiosk.kiosk.sweep()
    expect(kiosk.workflows.sealed).toHaveLength(1)
    expect(kiosk.workflows.erased).toEqual([])
  })
})

describe('a proof that cannot be sealed just now', () => {
  test.each(['timestamp_unavailable', 'proof_not_stored'] as const)(
    'because of %s is sealed later: the visit is neither refused nor erased',
    async (fault) => {
      kiosk.workflows.sealFault = fault
      const { status, body } = await visit(page)
      expect([status, typeof body.reference]).toEqual([200, 'string'])
      await page.call('DELETE', 'session')
      expect([kiosk.workflows.sealed, kiosk.workflows.erased]).toEqual([[], []])
      kiosk.workflows.sealFault = null
      await kiosk.kiosk.sweep()
      expect(kiosk.workflows.sealed).toHaveLength(1)
      expect(kiosk.workflows.erased).toEqual([])
    },
  )
})

describe('hostile input', () => {
  test.each([
    ['another page', { Origin: 'https://evil.example' }],
    ['a sandboxed page', { Origin: 'null' }],
    ['the same host on another port', { Origin: 'http://127.0.0.1:1' }],
    ['another site, says the browser', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('%s may not start a session', async (_who, headers) => {
    const { status, body } = await page.call('POST', 'session', { language: 'en' }, headers)
    expect([status, body.type]).toEqual([403, 'urn:counterproof:problem:host_refused'])
  })

  test('a request without Origin may not change anything', async () => {
    const response = await fetch(`${kiosk.url}/kiosk/api/session`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(403)
  })

  test('a name that was rebound to this machine is refused', async () => {
    expect(await rawGet(kiosk.port, 'kiosk.evil.example')).toBe(403)
    expect(await rawGet(kiosk.port, `127.0.0.1:${kiosk.port}`)).toBe(200)
  })

  test.each([
    ['no JSON', 'session', '{"language":', 400],
    ['a wrong type', 'session', { language: 7 }, 400],
    ['an unknown language', 'session', { language: 'xx' }, 400],
    ['a field too many', 'session', { language: 'en', admin: true }, 400],
    ['a long text', 'session', { language: 'e'.repeat(9_000) }, 413],
    ['no answer', 'consent', {}, 400],
    ['a consent in words', 'consent', { approved: 'yes' }, 400],
  ])('%s is refused with a problem document', async (_what, path, body, status) => {
    await page.call('POST', 'session', { language: 'en' })
    const answer = await page.call('POST', path, body)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  })

  test('a refused value does not come back in the problem', async () => {
    await page.call('POST', 'session', { language: 'ANNA-MARIA' })
    expect(page.answers.join() + kiosk.logged.join()).not.toContain('ANNA-MARIA')
  })

  test('a photo of more than 20 MB is refused', async () => {
    await page.begin()
    const { status } = await page.call('POST', 'document', new Uint8Array(20 * 1024 * 1024 + 1))
    expect(status).toBe(413)
    expect(kiosk.workflows.uploads).toEqual([])
  })

  test.each(['text/html', 'application/pdf', 'image/svg+xml', 'application/json'])(
    '%s is no photo',
    async (type) => {
      await page.begin()
      expect((await page.call('POST', 'document', PHOTO, { 'Content-Type': type })).status).toBe(400)
      expect(kiosk.workflows.uploads).toEqual([])
    },
  )

  test('an empty photo is refused', async () => {
    await page.begin()
    expect((await page.call('POST', 'document', new Uint8Array(0))).status).toBe(400)
  })
})

describe('the screens', () => {
  test('come with a policy that forbids inline code and every other origin', async () => {
    const response = await fetch(`${kiosk.url}/kiosk/`)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(response.status).toBe(200)
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  })

  test('cannot be left for the files beside them', async () => {
    for (const path of ['/kiosk/../package.json', '/kiosk/%2e%2e/package.json', '/kiosk/..%2fpackage.json']) {
      expect(await rawGet(kiosk.port, `127.0.0.1:${kiosk.port}`, path)).toBeGreaterThanOrEqual(400)
    }
  })
})

test('a production tenant is told as such', async () => {
  const other = await startKiosk({ tenantMode: 'production', workflows: new ScriptedWorkflows() })
  const { body } = await new TestPage(other).call('GET', 'journey')
  expect(body.mode).toBe('production')
  await other.close()
})

async function visit(by: TestPage) {
  await by.begin()
  await by.call('POST', 'document', PHOTO)
  await by.call('POST', 'portrait', PHOTO)
  return by.call('POST', 'finish', {})
}

function later(ms: number) {
  kiosk.time.now = new Date(kiosk.time.now.getTime() + ms)
}

/** The status of a GET whose Host header and path go out as given, which fetch does not allow. */
function rawGet(port: number, host: string, path = '/kiosk/api/journey'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1', path, headers: { Host: host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('error', reject)
  })
}
