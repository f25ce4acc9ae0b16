/** Limits of callers that hold over all instances: the count in the database, and two instances that share it. */
import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { dropEndedCounts, SharedCallWindow } from '../../server/central/call-counts.ts'
import { createDb, SYSTEM, type Db } from '../../server/central/db/db.ts'
import { migrate } from '../../server/central/db/migrate.ts'
import { AppError } from '../../server/errors.ts'
import { codeFor, joinedKiosk } from '../support/central.ts'
import { openNewEmbedded } from '../support/embedded-database.ts'
import { enrolmentRequest, postEnrolment } from '../support/kiosk-client.ts'
import { pgbouncerReason, startPgbouncer } from '../support/pgbouncer.ts'
import { onPostgres } from './head-office/databases.ts'
import { addKey, addTenant, startOffice, type OfficeOptions, type TestOffice } from './head-office/support.ts'

if (pgbouncerReason !== null) process.stderr.write(`skipped: ${pgbouncerReason}\n`)

describe('a count that instances share', () => {
  let db: Db
  let statements = 0
  let isAway = false
  beforeAll(async () => {
    db = createDb(await openNewEmbedded())
    await migrate(db)
  })
  afterAll(() => db?.close())
  afterEach(() => db.query(SYSTEM, 'DELETE FROM call_counts'))

  /** Each one has a memory of its own, as in another process. */
  const newInstance = (windowMs?: number, name = 'limit') => {
    statements = 0
    isAway = false
    const counted: Pick<Db, 'query'> = {
      query: (...statement) => {
        statements++
        return isAway
          ? Promise.reject(new AppError('centre_unavailable', { part: 'database' }))
          : db.query(...statement)
      },
    }
    const hash = (caller: string) => createHmac('sha256', 'key').update(`${name}\n${caller}`).digest()
    return new SharedCallWindow(counted, hash, windowMs)
  }
  const countAccepted = async (calls: readonly Promise<{ isRefused: boolean }>[]) =>
    (await Promise.all(calls)).filter(({ isRefused }) => !isRefused).length

  test.each([1, 7, 20, 39, 60, 600])(
    'accepts %i calls of a caller in sum, in parallel or one after the other',
    async (limit) => {
      const instances = [newInstance(), newInstance(), newInstance()]
      const parallel = Array.from({ length: limit + 5 }, (_, at) => instances[at % 3].hit('busy', limit))
      let accepted = await countAccepted(parallel)
      for (let at = 0; at < limit + 60; at++) {
        if (!(await instances[at % 3].hit('busy', limit)).isRefused) accepted++
      }
      expect(accepted).toBe(limit)
      expect(await newInstance().hit('busy', limit)).toMatchObject({ isRefused: true, remaining: 0 })
      expect(await instances[0].hit('calm', limit)).toMatchObject({ isRefused: false, remaining: limit - 1 })
    },
  )

  test('refuses a caller of one of two instances at most a twentieth of its limit too early', async () => {
    const [one, two] = [newInstance(), newInstance()]
    await two.hit('busy', 600)
    expect(await countAccepted(Array.from({ length: 700 }, () => one.hit('busy', 600)))).toBe(570)
  })

  test('costs 21 statements for a minute of a caller at its limit of 600, however often it calls', async () => {
    const instance = newInstance()
    for (let count = 0; count < 2_000; count++) await instance.hit('busy', 600)
    expect(statements).toBe(20)
    await instance.hit('another', 600)
    expect(statements).toBe(21)
  })

  test('begins again when its window has ended, and the upkeep removes it', async () => {
    const [one, two] = [newInstance(300), newInstance(300)]
    expect(await countAccepted([one, one, two, two].map((instance) => instance.hit('busy', 2)))).toBe(2)
    await dropEndedCounts(db)
    expect(await db.query(SYSTEM, 'SELECT 1 FROM call_counts')).toHaveLength(1)
    const { resetMs } = await two.hit('busy', 2)
    expect(resetMs).toBeLessThanOrEqual(300)
    await new Promise((resolve) => setTimeout(resolve, resetMs + 50))
    expect(await countAccepted([one, one, two, two].map((instance) => instance.hit('busy', 2)))).toBe(2)
    await new Promise((resolve) => setTimeout(resolve, 350))
    await dropEndedCounts(db)
    expect(await db.query(SYSTEM, 'SELECT 1 FROM call_counts')).toEqual([])
  })

  test('accepts no call beyond the share of the instance while the database is away, and no share is lost', async () => {
    const instance = newInstance()
    await instance.hit('busy', 40)
    isAway = true
    expect((await instance.hit('busy', 40)).isRefused).toBe(false)
    await expect(instance.hit('busy', 40)).rejects.toMatchObject({ code: 'centre_unavailable' })
    await expect(instance.hit('new', 40)).rejects.toMatchObject({ code: 'centre_unavailable' })
    isAway = false
    expect(await countAccepted(Array.from({ length: 50 }, () => instance.hit('busy', 40)))).toBe(38)
  })

  test('does not name the caller, and counts one caller of two limits apart', async () => {
    await newInstance().hit('192.0.2.7', 1)
    expect((await newInstance(undefined, 'another limit').hit('192.0.2.7', 1)).isRefused).toBe(false)
    const rows = await db.query<{ row: string }>(SYSTEM, 'SELECT to_jsonb(c)::text AS row FROM call_counts c')
    expect(rows).toHaveLength(2)
    const hex = Buffer.from('192.0.2.7').toString('hex')
    expect(rows.some(({ row }) => row.includes('192.0.2.7') || row.includes(hex))).toBe(false)
  })
})

onPostgres('two instances', (newDatabase) => {
  let one: TestOffice
  let two: TestOffice
  let turn = 0
  const startBoth = async (databaseUrl: string, options: OfficeOptions['options'] = {}) => {
    const config = { trustedProxies: ['127.0.0.1'] }
    one = await startOffice({ databaseUrl, options, config })
    two = await startOffice({ databaseUrl, dataDir: one.dataDir, options, config })
    await addTenant(one, 'a')
  }
  afterEach(async () => {
    await two?.close()
    await one?.stop()
  })
  /** A load balancer sends each call to the next instance. */
  const next = () => (turn++ % 2 === 0 ? one : two)
  const repeat = async (times: number, call: (count: number) => Promise<number>) => {
    const statuses: Record<number, number> = {}
    for (let count = 0; count < times; count++) {
      const status = await call(count)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
    return statuses
  }
  const me = async (key: string) => (await next().call(key, 'GET', '/me')).status
  const joinFrom = async (code: string, address: string) => {
    const answer = await fetch(`${next().url}/kiosk/v1/enrolments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify(await enrolmentRequest(code)),
    })
    await answer.text()
    return answer.status
  }
  const verify = async () => {
    const answer = await fetch(`${next().url}/verify`, { method: 'POST', body: 'x' })
    await answer.text()
    return answer.status
  }

  test('accept as many calls of a key and of an address as one, and lock no other caller out', async () => {
    await startBoth(newDatabase(), { callsPerMinute: 6, openCallsPerMinute: 6 })
    const [busy, calm] = [await addKey(one, 'a'), await addKey(one, 'a')]
    expect(await repeat(14, () => me(busy))).toEqual({ 200: 6, 429: 8 })
    expect(await repeat(14, () => me('cph_wrong'))).toEqual({ 401: 6, 429: 8 })
    expect(await repeat(14, verify)).toEqual({ 200: 6, 429: 8 })
    expect(await repeat(2, () => me(calm))).toEqual({ 200: 2 })
    const kiosk = await joinedKiosk(one, 'a')
    kiosk.url = two.url
    expect((await kiosk.deliver(await kiosk.makeProof())).state).toBe('STORED')
  })

  test('count the tries of a code and refused enrolments together, and accept a valid code of the same address', async () => {
    await startBoth(newDatabase())
    const code = await codeFor(one, 'a')
    expect((await postEnrolment(one.url, await enrolmentRequest(code))).status).toBe(200)
    expect(await repeat(14, (count) => joinFrom(code, `203.0.113.${count}`))).toEqual({ 403: 9, 429: 5 })
    const guess = (count: number) => `${String(count).padStart(16, '0')}${code.replaceAll('-', '').slice(16)}`
    expect(await repeat(26, (count) => joinFrom(guess(count), '198.51.100.1'))).toEqual({ 403: 20, 429: 6 })
    // 35 refusals were counted until here.
    const statuses = await repeat(181, (count) => joinFrom(guess(count), `192.0.${count % 50}.1`))
    expect(statuses[403]).toBeLessThanOrEqual(165)
    expect(statuses[403]).toBeGreaterThanOrEqual(155)
    expect(await joinFrom(await codeFor(one, 'a'), '198.51.100.1')).toBe(200)
  })

  test.skipIf(pgbouncerReason !== null)(
    'accept as many calls of a key as one through pgbouncer, over three shared connections',
    async () => {
      const pgbouncer = await startPgbouncer(newDatabase(), 3)
      await startBoth(pgbouncer.url, { callsPerMinute: 40 })
      const key = await addKey(one, 'a')
      const statuses = await Promise.all(Array.from({ length: 100 }, () => me(key)))
      expect(statuses.filter((status) => status === 200)).toHaveLength(40)
      expect(statuses.filter((status) => status === 429)).toHaveLength(60)
      await two.close()
      await one.close()
      await pgbouncer.close()
    },
  )
})
