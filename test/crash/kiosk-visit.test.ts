/**
 * The server process is killed (SIGKILL) in a visit at the kiosk: while a document is chosen, while pictures are measured, and at
 * the result. Started again on the same folder, it continues with the visit of the page, which has its cookie and nothing else.
 * Real processes, real pictures of specimens.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startServerProcess, type ServerProcess } from '../../server/tools/demo/server-process.ts'
import { defaultSpecimen } from '../../server/tools/demo/specimens.ts'
import type { VisitView } from '../../server/kiosk/contract/index.ts'
import { aJourney, CHECK, CONSENT, DOCUMENT, PORTRAIT } from '../server/kiosk/kiosk-app.ts'

// A machine that also runs other tests needs six times the 20 seconds of a quiet one.
const VISIT_MS = 420_000
const CHECKS_MS = 150_000

let dataDir: string
let server: ServerProcess
let cookie = ''

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-crash-'))
  mkdirSync(join(dataDir, 'journeys'))
  const journey = aJourney({ steps: [CONSENT, DOCUMENT, CHECK, PORTRAIT] })
  writeFileSync(join(dataDir, 'journeys/of-a-test.json'), JSON.stringify(journey))
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ kiosk: { journey: 'of-a-test' } }))
  server = await startServerProcess(dataDir)
}, VISIT_MS)
afterEach(async () => {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

async function kill(): Promise<void> {
  process.kill(server.pid, 'SIGKILL')
  await new Promise((resolve) => setTimeout(resolve, 100))
  server = await startServerProcess(dataDir)
}

/** Calls like the page; returns the new state of the visit. */
async function call(method: string, path: string, body?: object | Uint8Array): Promise<VisitView> {
  const isFile = body instanceof Uint8Array
  const response = await fetch(`${server.url}/kiosk/api/${path}`, {
    method,
    headers: {
      Origin: server.url,
      Cookie: cookie,
      'Content-Type': isFile ? 'image/jpeg' : 'application/json',
    },
    ...(body === undefined ? {} : { body: isFile ? Buffer.from(body) : JSON.stringify(body) }),
  })
  cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
  if (response.status !== 200)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as VisitView
}
const view = () => call('GET', 'visit')
async function until(holds: (visit: VisitView) => boolean): Promise<VisitView> {
  const end = Date.now() + CHECKS_MS
  for (;;) {
    const visit = await view()
    if (holds(visit)) return visit
    if (Date.now() > end)
      throw new Error(`the visit stays at ${JSON.stringify(visit.step)}\n${server.logTail()}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
/** Killed, and asked again by the same page. */
async function expectSame(before: VisitView): Promise<void> {
  await kill()
  expect(await view()).toEqual(before)
}

test(
  'a visit whose server is killed again and again comes to its result, with one document and one portrait',
  async () => {
    const specimen = defaultSpecimen()
    await call('POST', 'session', { language: 'en' })
    await call('POST', 'consent', { approved: true })
    await expectSame(await call('POST', 'document/choice', { country: 'UTO', documentType: 'PASSPORT' }))
    await call('POST', 'document/file', readFileSync(specimen.document))
    // While the worker measures.
    await kill()
    await until(({ step }) => step.kind === 'check')
    await call('POST', 'check', {})
    await call('POST', 'portrait/file', readFileSync(specimen.portrait))
    await kill()
    await until(({ step }) => step.kind === 'waiting' && step.ready)
    const told = await call('POST', 'finish')
    expect(told.step.kind).toBe('result')
    await expectSame(told)

    const db = new Database(join(dataDir, 'appliance.sqlite'), { readonly: true })
    const count = (sql: string) => db.prepare<[], { n: number }>(sql).get()?.n
    expect(count('SELECT count(*) n FROM visits')).toBe(1)
    expect(count('SELECT count(*) n FROM visits WHERE ended_at IS NULL AND outcome IS NOT NULL')).toBe(1)
    expect(count('SELECT count(*) n FROM identities')).toBe(1)
    expect(count(`SELECT count(*) n FROM evidences WHERE family = 'IDDOCUMENT'`)).toBe(1)
    expect(count(`SELECT count(*) n FROM evidences WHERE family = 'PORTRAIT'`)).toBe(1)
    db.close()
  },
  VISIT_MS,
)
