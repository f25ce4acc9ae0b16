/** Repeat keys on the whole appliance: real SQLite, real transactions, a restart in between. */
import { readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CONTRACT, ProblemDocument } from '../../../server/api/contract/index.ts'
import { documentForm, portraitForm, startTestApp } from '../../support/app.ts'
import type { CallOptions, TestApp } from '../../support/app.ts'
import { aPassport, picture, scriptedVision } from './scripted-vision.ts'

const KEY = 'ticket-ZAPHODOVAQUIX-7731'
const CONTEXT = [{ key: 'PID', value: 'account-QX73901ZW' }]
const CONSENTS = [{ type: 'PORTRAIT', approved: true }]

let app: TestApp
/** The key that was used before a restart continues being used: a new one would be another caller. */
let apikey: string
const start = () => startTestApp({ vision: scriptedVision() })
beforeEach(async () => {
  app = await start()
  apikey = app.relyingServiceKey
})
afterEach(() => app.close())

interface Answer {
  readonly status: number
  readonly text: string
  readonly replayed: boolean
}

async function post(path: string, key: string, options: CallOptions): Promise<Answer> {
  const headers = { ...options.headers, 'Idempotency-Key': key }
  const response = await app.call('POST', path, { ...options, key: apikey, headers })
  const replayed = response.headers.get('idempotency-replayed') === 'true'
  return { status: response.status, text: await response.text(), replayed }
}

const create = (key = KEY, context = CONTEXT) => post('/v1/identities', key, { payload: context })
const idIn = ({ text }: Answer) => CONTRACT.GlobalStatus.parse(JSON.parse(text)).id
const refusalIn = ({ status, text }: Answer) => [
  status,
  ProblemDocument.parse(JSON.parse(text)).type.split(':').at(-1),
]

/** Ends the appliance, does something to its database, and starts it again on its folder. */
async function restart(meanwhile: (db: Database.Database) => void = () => undefined): Promise<void> {
  await app.stop()
  const db = new Database(join(app.dataDir, 'appliance.sqlite'))
  meanwhile(db)
  db.close()
  app = await startTestApp({ vision: scriptedVision(), dataDir: app.dataDir })
}

async function openEvidence(id: string) {
  const { body } = await app.json('GET', `/v1/identities/${id}`, { key: apikey })
  return CONTRACT.Identity.parse(body).idDocuments
}

describe('sent twice, done once', () => {
  test('a creation makes one identity, after a restart too', async () => {
    const first = await create()
    const second = await create()
    await restart()
    const third = await create()
    expect([first.status, first.replayed, second.replayed, third.replayed]).toEqual([200, false, true, true])
    expect([second.text, third.text]).toEqual([first.text, first.text])
    expect((await create('another key')).text).not.toBe(first.text)
  })

  test('a document makes one evidence, though every attempt is another multipart body', async () => {
    const id = idIn(await create())
    const submit = () =>
      post(`/v1/identities/${id}/id-documents/capture`, KEY, { body: documentForm(aPassport()) })
    const first = await submit()
    const second = await submit()
    expect([first.status, second.text, second.replayed]).toEqual([200, first.text, true])
    await app.runJobs()
    expect(await openEvidence(id)).toHaveLength(1)
  })

  test('a document that is sent twice at the same moment makes one evidence', async () => {
    const id = idIn(await create())
    const submit = () =>
      post(`/v1/identities/${id}/id-documents/capture`, KEY, { body: documentForm(aPassport()) })
    const attempts = await Promise.all([submit(), submit(), submit()])
    const done = attempts.filter(({ status, replayed }) => status === 200 && !replayed)
    const others = attempts.filter((attempt) => !done.includes(attempt))
    expect(done).toHaveLength(1)
    for (const other of others) {
      if (other.status === 200) expect(other.text).toBe(done[0]?.text)
      else expect(refusalIn(other)).toEqual([409, 'idempotency_in_progress'])
    }
    expect((await submit()).text).toBe(done[0]?.text)
    await app.runJobs()
    expect(await openEvidence(id)).toHaveLength(1)
  })

  test('a consent that was withdrawn meanwhile is not given again by a repeated request', async () => {
    const id = idIn(await create())
    const path = `/v1/identities/${id}/consents`
    await post(path, 'given', { payload: CONSENTS })
    await post(path, 'withdrawn', { payload: [{ type: 'PORTRAIT', approved: false }] })
    expect((await post(path, 'given', { payload: CONSENTS })).replayed).toBe(true)
    const portrait = await post(`/v1/identities/${id}/attributes/portrait/capture`, 'portrait', {
      body: portraitForm(picture({ shows: 'person', face: 'A' })),
    })
    expect(refusalIn(portrait)).toEqual([403, 'consent_missing'])
  })
})

test('another request under the key is refused', async () => {
  await create()
  expect(refusalIn(await create(KEY, []))).toEqual([422, 'idempotency_key_reused'])
})

test('a refused request leaves the key free for the corrected one', async () => {
  const id = idIn(await create())
  const submit = () =>
    post(`/v1/identities/${id}/attributes/portrait/capture`, KEY, {
      body: portraitForm(picture({ shows: 'person', face: 'A' })),
    })
  expect(refusalIn(await submit())).toEqual([403, 'consent_missing'])
  await post(`/v1/identities/${id}/consents`, KEY, { payload: CONSENTS })
  const submitted = await submit()
  expect([submitted.status, submitted.replayed]).toEqual([200, false])
})

describe('a crash', () => {
  test('before the work was committed leaves nothing, and the request is carried out when it comes again', async () => {
    await create()
    await restart((db) => {
      // The state of the database while a request runs.
      db.exec(`UPDATE idempotency_keys SET state = 'running', answer_ct = NULL, identity_id = NULL`)
    })
    expect(app.log()).toContain('requests that a crash interrupted may be repeated')
    const again = await create()
    expect([again.status, again.replayed]).toEqual([200, false])
  })

  test('between the commit and the answer is told, and the work is not done again', async () => {
    const id = idIn(await create())
    const path = `/v1/identities/${id}/consents`
    await post(path, KEY, { payload: CONSENTS })
    await restart((db) => {
      db.exec(`UPDATE idempotency_keys SET state = 'committed', answer_ct = NULL, identity_id = NULL`)
    })
    expect(refusalIn(await post(path, KEY, { payload: CONSENTS }))).toEqual([409, 'idempotency_answer_lost'])
    const { body } = await app.json('GET', `/v1/identities/${id}`, { key: apikey })
    expect(CONTRACT.Identity.parse(body).consents).toHaveLength(1)
  })

  test('that rolls the work back rolls its mark back too: the key is free', () => {
    const { store } = app.appliance
    const now = new Date()
    const reserve = () =>
      store.idempotency.reserve(
        { apiKeyId: 'k', route: 'r', key: 'k', request: 'x' },
        now,
        new Date(now.getTime() + 1000),
      )
    const reservation = reserve()
    if (reservation.outcome !== 'reserved') throw new Error('not reserved')
    expect(() =>
      store.transaction(() => {
        store.idempotency.commit(reservation.id)
        throw new Error('rolled back')
      }),
    ).toThrow('rolled back')
    expect(reserve().outcome).toBe('running')
    store.idempotency.release(reservation.id)
    expect(reserve().outcome).toBe('reserved')
  })
})

test('erasing an identity takes the kept answers along', async () => {
  const id = idIn(await create())
  await post(`/v1/identities/${id}/consents`, KEY, { payload: CONSENTS })
  expect((await app.call('DELETE', `/v1/identities/${id}`, { key: apikey })).status).toBe(204)
  await restart((db) => {
    expect(db.prepare('SELECT count(*) AS rows FROM idempotency_keys').get()).toEqual({ rows: 0 })
  })
  const again = await create()
  expect([again.replayed, idIn(again) === id]).toEqual([false, false])
})

test('neither keys nor bodies nor answers lie in clear in the data folder or the log', async () => {
  const id = idIn(await create())
  await post(`/v1/identities/${id}/attributes`, KEY, { payload: { surname: { value: 'Zaphodovaquix' } } })
  await app.runJobs()
  const log = app.log()
  await app.stop()
  const files = readdirSync(app.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(
      (entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name)).toString('latin1')] as const,
    )
  expect(files.map(([name]) => name)).toContain('appliance.sqlite')
  for (const canary of [KEY, 'QX73901ZW', 'Zaphodovaquix', 'creationDateTime']) {
    const found = [...files, ['log', log] as const].filter(([, text]) => text.includes(canary))
    expect([canary, found.map(([name]) => name)]).toEqual([canary, []])
  }
  rmSync(app.dataDir, { recursive: true, force: true })
  app = await start()
})
