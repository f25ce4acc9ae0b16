/**
 * The feed: every proof once per walk, in one order for all, with simultaneous writers and on any instance.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../../server/central/db/db.ts'
import { onEachDatabase, onPostgres } from './databases.ts'
import { addKey, addKiosk, addProof, addTenant, collectLog, startOffice, type TestOffice } from './support.ts'

interface Walk {
  readonly seen: string[]
  /** Walks until this many were seen and nothing more comes. */
  until(count: number): Promise<void>
}

function walk(office: () => TestOffice, key: string, limit: number): Walk {
  const seen: string[] = []
  let cursor: string | null = null
  return {
    seen,
    until: async (count) => {
      for (let idle = 0; seen.length < count && idle < 40;) {
        const after: string = cursor === null ? '' : `&after=${cursor}`
        const { body } = await office().call(key, 'GET', `/proofs?limit=${limit}&wait=1${after}`)
        seen.push(...body.proofs.map(({ proofId }) => proofId))
        cursor = body.next
        idle = body.proofs.length === 0 ? idle + 1 : 0
      }
    },
  }
}

onEachDatabase('the feed', (newDatabase) => {
  let office: TestOffice
  let key: string
  let kiosk: string
  beforeAll(async () => {
    office = await startOffice({ databaseUrl: newDatabase(), options: { callsPerMinute: 10_000 } })
    await addTenant(office, 'a')
    key = await addKey(office, 'a')
    kiosk = await addKiosk(office, 'a')
  })
  afterAll(() => office.stop())

  test('pages follow one another, and the end is told', async () => {
    const stored: string[] = []
    for (let sequence = 1; sequence <= 5; sequence++) {
      stored.push((await addProof(office, 'a', kiosk, sequence)).proofId)
    }
    const first = await office.call(key, 'GET', '/proofs?limit=2')
    const second = await office.call(key, 'GET', `/proofs?limit=2&after=${first.body.next}`)
    const third = await office.call(key, 'GET', `/proofs?limit=2&after=${second.body.next}`)
    const end = await office.call(key, 'GET', `/proofs?limit=2&after=${third.body.next}`)
    const idsOf = (page: typeof first) => page.body.proofs.map(({ proofId }) => proofId)
    expect([first, second, third].flatMap(idsOf)).toEqual(stored)
    expect([first, second, third, end].map(({ body }) => body.more)).toEqual([true, true, false, false])
    expect(end.body).toEqual({ proofs: [], next: third.body.next, more: false })
  })

  test('an unknown cursor is refused with the code cursor_unknown', async () => {
    const answer = await office.call(key, 'GET', `/proofs?after=${randomUUID()}`)
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toMatchObject([{ code: 'cursor_unknown', field: 'after' }])
  })

  test('a consumer may leave out the proofs that it has acknowledged; the time of the first acknowledgement stays', async () => {
    const { body } = await office.call(key, 'GET', '/proofs?limit=1')
    const proofId = body.proofs[0]?.proofId ?? ''
    const other = await addKey(office, 'a', undefined, 'other system')
    const first = await office.call(key, 'POST', `/proofs/${proofId}/acknowledgement`)
    const again = await office.call(key, 'POST', `/proofs/${proofId}/acknowledgement`)
    expect(again.body).toEqual(first.body)
    const left = await office.call(key, 'GET', '/proofs?acknowledged=false')
    expect(left.body.proofs.map(({ proofId: id }) => id)).not.toContain(proofId)
    expect((await office.call(other, 'GET', '/proofs?acknowledged=false')).body.proofs).toHaveLength(5)
    expect((await office.call(key, 'GET', `/proofs/${proofId}`)).body.acknowledgedAt).toBe(
      first.body.acknowledgedAt,
    )
  })

  test('a long poll ends when something is stored, and else when its time is over', async () => {
    const all = await office.call(key, 'GET', '/proofs')
    const empty = performance.now()
    const nothing = await office.call(key, 'GET', `/proofs?wait=1&after=${all.body.next}`)
    expect(nothing.body.proofs).toEqual([])
    expect(performance.now() - empty).toBeGreaterThan(900)

    const waiting = office.call(key, 'GET', `/proofs?wait=30&after=${all.body.next}`)
    await sleep(400)
    const from = performance.now()
    const { proofId } = await addProof(office, 'a', kiosk, 6)
    expect((await waiting).body.proofs).toMatchObject([{ proofId, sequence: 6 }])
    expect(performance.now() - from).toBeLessThan(25_000)
  })

  test('the archive comes byte for byte with its hash, and who fetched it is kept', async () => {
    const { proofId, archive, sha256 } = await addProof(office, 'a', kiosk, 7)
    const url = `${office.url}/head-office/v1/proofs/${proofId}/archive`
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(url, { headers })
    expect(Buffer.from(await answer.arrayBuffer()).equals(archive)).toBe(true)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(archive.byteLength),
      'cache-control': 'no-store',
      etag: `"${sha256}"`,
    })
    const known = await fetch(url, { headers: { ...headers, 'if-none-match': `"${sha256}"` } })
    expect([known.status, await known.text()]).toEqual([304, ''])
    const head = await fetch(url, { method: 'HEAD', headers })
    expect([head.status, head.headers.get('etag')]).toEqual([200, `"${sha256}"`])
    const rows = await office.context.db.query(
      { tenant: 'a' },
      `SELECT operation, consumer_id FROM access_log WHERE subject = $1`,
      [proofId],
    )
    expect(rows).toMatchObject([{ operation: 'getArchive' }])
  })

  test('an archive that was damaged in the store is never answered as if it were whole', async () => {
    const { proofId } = await addProof(office, 'a', kiosk, 8, { archive: Buffer.alloc(3 * 1024 * 1024, 7) })
    const { db } = office.context
    await db.query(
      SYSTEM,
      `SELECT lo_put(substr(location, 4)::oid, packet_bytes - 100, '\\x00112233'::bytea) FROM proofs WHERE proof_id = $1`,
      [proofId],
    )
    const response = fetch(`${office.url}/head-office/v1/proofs/${proofId}/archive`, {
      headers: { authorization: `Bearer ${key}` },
    })
    await expect(response.then((answer) => answer.arrayBuffer())).rejects.toThrow()
  })

  test('a proof is found by each of its ids', async () => {
    const { proofId, identityId } = await addProof(office, 'a', kiosk, 9, {
      correlationId: 'Bestellung ä/4711',
    })
    for (const search of [{ proofId }, { identityId }, { correlationId: 'Bestellung ä/4711' }]) {
      const { body } = await office.call(key, 'POST', '/proofs/search', search)
      expect(body.proofs.map(({ proofId: id }) => id)).toEqual([proofId])
    }
    expect(
      (await office.call(key, 'POST', '/proofs/search', { correlationId: 'other' })).body.proofs,
    ).toEqual([])
    expect((await office.call(key, 'POST', '/proofs/search', {})).status).toBe(400)
    expect((await office.call(key, 'POST', '/proofs/search', { proofId, identityId })).status).toBe(400)
  })
})

describe('a service that is stopped', () => {
  test('answers a consumer that waits for a proof before its wait is over', async () => {
    const office = await startOffice()
    await addTenant(office, 'a')
    const key = await addKey(office, 'a')
    const waiting = office.call(key, 'GET', '/proofs?wait=30')
    await sleep(300)
    const from = performance.now()
    const stopping = office.stop()
    expect((await waiting).body.proofs).toEqual([])
    await stopping
    expect(performance.now() - from).toBeLessThan(25_000)
  })
})

describe('what is searched for', () => {
  test('stands in no log, no table and no answer', async () => {
    const { log, text } = collectLog()
    const office = await startOffice({ log })
    await addTenant(office, 'a')
    const key = await addKey(office, 'a')
    const kiosk = await addKiosk(office, 'a')
    const canary = 'canary-4f6d-correlation'
    await addProof(office, 'a', kiosk, 1, { correlationId: canary })
    const { text: answer } = await office.call(key, 'POST', '/proofs/search', { correlationId: canary })
    expect(answer).not.toContain(canary)
    expect(text()).toContain('searchProofs')
    expect(text()).not.toContain(canary)
    const rows = await office.context.db.query<{ row: string }>(
      SYSTEM,
      `SELECT to_jsonb(a)::text AS row FROM access_log a UNION ALL SELECT to_jsonb(p)::text FROM proofs p`,
    )
    const hash = createHash('sha256').update(canary).digest('hex')
    expect(rows.some(({ row }) => row.includes(canary) || row.includes(hash))).toBe(false)
    await office.stop()
  })
})

onPostgres('two instances and writers that commit in any order', (newDatabase) => {
  test('no walk misses or repeats a proof, and all walks see the same order', async () => {
    const databaseUrl = newDatabase()
    const one = await startOffice({ databaseUrl, options: { callsPerMinute: 100_000 } })
    const two = await startOffice({ databaseUrl, dataDir: one.dataDir, options: { callsPerMinute: 100_000 } })
    await addTenant(one, 'a')
    await addTenant(one, 'b')
    const key = await addKey(one, 'a')
    const kiosks = await Promise.all(
      Array.from({ length: 8 }, (_, at) => addKiosk(one, at < 6 ? 'a' : 'b', { name: `k${at}` })),
    )
    const PER_KIOSK = 40
    const stored = new Set<string>()
    const write = async (kiosk: string, at: number) => {
      for (let sequence = 1; sequence <= PER_KIOSK; sequence++) {
        const { proofId } = await addProof(at % 2 ? one : two, at < 6 ? 'a' : 'b', kiosk, sequence, {
          // Some transactions are held open for a while: their place must not be passed over.
          ...(Math.random() < 0.2 ? { beforeCommit: () => sleep(Math.random() * 20) } : {}),
        })
        if (at < 6) stored.add(proofId)
      }
    }
    let turn = 0
    const walks = [
      walk(() => one, key, 7),
      walk(() => two, key, 1),
      walk(() => (turn++ % 2 ? one : two), key, 100),
    ]
    const expected = 6 * PER_KIOSK
    await Promise.all([...kiosks.map(write), ...walks.map((each) => each.until(expected))])
    for (const { seen } of walks) {
      expect(seen).toHaveLength(expected)
      expect(new Set(seen)).toEqual(stored)
      expect(seen).toEqual(walks[0]?.seen)
    }
    await two.stop()
    await one.stop()
  })
})
