/** The order of the feed with transactions that commit in any order, after a restore, and beside instances of the version before. */
import { execFileSync } from 'node:child_process'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../../../server/central/db/db.ts'
import { startPostgres } from '../../support/postgres.ts'
import { onEachDatabase, onPostgres } from './databases.ts'
import { addKey, addKiosk, addProof, addTenant, startOffice, type TestOffice } from './support.ts'

/** Fetches pages until one is the last, from a cursor or from the start. */
async function walk(office: TestOffice, key: string, from: string | null = null): Promise<string[]> {
  const seen: string[] = []
  for (let after = from, more = true; more;) {
    const query = after === null ? '' : `&after=${after}`
    const { body } = await office.call(key, 'GET', `/proofs?limit=7${query}`)
    seen.push(...body.proofs.map(({ proofId }) => proofId))
    after = body.next
    more = body.more
  }
  return seen
}

/** Calls until the feed has this many proofs: the horizon also waits for transactions of the database itself. */
async function walkUntil(office: TestOffice, key: string, count: number): Promise<string[]> {
  for (let turn = 0; ; turn++) {
    const seen = await walk(office, key)
    if (seen.length >= count || turn === 200) return seen
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

onPostgres('transactions that store proofs in parallel', (newDatabase) => {
  let one: TestOffice
  let two: TestOffice
  let key: string
  beforeAll(async () => {
    const databaseUrl = newDatabase()
    one = await startOffice({ databaseUrl, options: { callsPerMinute: 100_000 } })
    two = await startOffice({ databaseUrl, dataDir: one.dataDir, options: { callsPerMinute: 100_000 } })
    await addTenant(one, 'a')
    key = await addKey(one, 'a')
  })
  afterAll(async () => {
    await two?.stop()
    await one?.stop()
  })

  test('do not wait for a slow one, and no reader passes its place before it has ended', async () => {
    const kiosks = await Promise.all(Array.from({ length: 6 }, () => addKiosk(one, 'a')))
    const first = await addProof(one, 'a', kiosks[0], 1)
    expect(await walkUntil(one, key, 1)).toEqual([first.proofId])
    let endSlow = (): void => undefined
    const slowEnds = new Promise<void>((resolve) => {
      endSlow = resolve
    })
    let isInserted = (): void => undefined
    const slowBegan = new Promise<void>((resolve) => {
      isInserted = resolve
    })
    const slow = addProof(one, 'a', kiosks[0], 2, {
      beforeCommit: () => {
        isInserted()
        return slowEnds
      },
    })
    await slowBegan
    const committed = await Promise.all(
      kiosks
        .slice(1)
        .flatMap((kiosk, index) =>
          [1, 2, 3].map((sequence) => addProof(index % 2 ? one : two, 'a', kiosk, sequence)),
        ),
    )
    // All of them are stored and can be fetched. A feed that listed them now would have to pass over the slow one.
    const known = await one.call(key, 'GET', `/proofs/${committed[0].proofId}`)
    expect(known.status).toBe(200)
    expect(await walk(one, key)).toEqual([first.proofId])
    const cursor = first.proofId
    endSlow()
    const { proofId } = await slow
    const all = await walkUntil(one, key, 17)
    expect(new Set(all)).toEqual(new Set([first.proofId, proofId, ...committed.map((each) => each.proofId)]))
    expect(all).toHaveLength(17)
    expect(await walk(two, key)).toEqual(all)
    expect(await walk(two, key, cursor)).toEqual(all.slice(1))
  })

  test('that end without a commit hold nothing back', async () => {
    const before = await walk(one, key)
    const kiosk = await addKiosk(one, 'a')
    await expect(
      addProof(one, 'a', kiosk, 1, {
        beforeCommit: () => Promise.reject(new RangeError('the instance failed')),
      }),
    ).rejects.toThrow(RangeError)
    const { proofId } = await addProof(two, 'a', kiosk, 1)
    expect(await walkUntil(one, key, before.length + 1)).toEqual([...before, proofId])
  })
})

onPostgres('a database that pg_dump moved to a server with lower transaction ids', (newDatabase) => {
  test('keeps the order and every cursor, and new proofs follow the old ones', async () => {
    const url = newDatabase()
    const before = await startOffice({ databaseUrl: url })
    await addTenant(before, 'a')
    const key = await addKey(before, 'a')
    const kiosk = await addKiosk(before, 'a')
    await spendTransactions(url)
    const old: string[] = []
    for (let sequence = 1; sequence <= 3; sequence++) {
      old.push((await addProof(before, 'a', kiosk, sequence)).proofId)
    }
    const other = await startPostgres()
    try {
      other.sql('CREATE ROLE counterproof_app NOLOGIN; CREATE ROLE counterproof_system NOLOGIN')
      const moved = other.createDatabase()
      execFileSync(
        '/bin/sh',
        ['-c', 'pg_dump -d "$0" | psql -q -v ON_ERROR_STOP=1 -o /dev/null -d "$1"', url, moved],
        {
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      )
      const after = await startOffice({ databaseUrl: moved, dataDir: before.dataDir })
      expect(await walkUntil(after, key, 3)).toEqual(old)
      const fresh = await addProof(after, 'a', kiosk, 4)
      expect(await walkUntil(after, key, 4)).toEqual([...old, fresh.proofId])
      expect(await walk(after, key, old[1])).toEqual([old[2], fresh.proofId])
      await after.close()
    } finally {
      other.close()
      await before.stop()
    }
  })
})

/** Moves the transaction ids of this server far ahead of those of a new one. */
async function spendTransactions(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `DO $$ BEGIN FOR i IN 1..3000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`,
  )
  await client.end()
}

onEachDatabase('a database that was restored under a running instance', (newDatabase) => {
  test('takes no proof until the upkeep has continued the feed, and then shows all', async () => {
    const office = await startOffice({ databaseUrl: newDatabase() })
    await addTenant(office, 'a')
    const key = await addKey(office, 'a')
    const kiosk = await addKiosk(office, 'a')
    const { proofId } = await addProof(office, 'a', kiosk, 1)
    await office.db.query(SYSTEM, 'UPDATE proofs SET feed_position = feed_position + 1000000000')
    expect(await walk(office, key)).toEqual([])
    await expect(addProof(office, 'a', kiosk, 2)).rejects.toMatchObject({ code: 'centre_unavailable' })
    await office.upkeep.run()
    const next = await addProof(office, 'a', kiosk, 2)
    expect(await walkUntil(office, key, 2)).toEqual([proofId, next.proofId])
    // The base is raised once.
    const base = await office.db.query(SYSTEM, 'SELECT base FROM feed_clock')
    await office.upkeep.run()
    expect(await office.db.query(SYSTEM, 'SELECT base FROM feed_clock')).toEqual(base)
    await office.stop()
  })
})

onPostgres('an instance of the version before, beside this one', (newDatabase) => {
  test('stores proofs at places that the database chooses, and its readers pass over none', async () => {
    const databaseUrl = newDatabase()
    const office = await startOffice({ databaseUrl })
    await addTenant(office, 'a')
    const key = await addKey(office, 'a')
    const kiosk = await addKiosk(office, 'a')
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    // The statements of version 7.
    const storeAsBefore = async (sequence: number): Promise<string> => {
      await client.query('BEGIN; SET LOCAL ROLE counterproof_system')
      await client.query('SELECT pg_advisory_xact_lock(7226002)')
      const { rows } = await client.query<{ proof_id: string }>(
        `INSERT INTO proofs (proof_id, tenant_id, kiosk_id, sequence, identity_id, sha256, previous_hash, hash,
           level_of_assurance, test, signed_by, archive_bytes, sealed_at, stored_at, packet_sha256, packet_bytes, location,
           receipt, feed_position)
         VALUES (gen_random_uuid(), 'a', $1, $2, gen_random_uuid(), '', '', '', 'LOA2', true, 'k1', 1, now(), now(), '', 1,
           'lo:1', 'r', nextval('feed_positions')) RETURNING proof_id`,
        [kiosk, sequence],
      )
      await client.query('COMMIT')
      return rows[0].proof_id
    }
    const listAsBefore = async (): Promise<string[]> => {
      await client.query(`BEGIN; SET LOCAL ROLE counterproof_app; SELECT set_config('app.tenant', 'a', true)`)
      const { rows } = await client.query<{ proof_id: string }>(
        `SELECT proof_id FROM proofs p WHERE p.tenant_id = 'a' AND p.feed_position > 0 ORDER BY p.feed_position LIMIT 10`,
      )
      await client.query('COMMIT')
      return rows.map((row) => row.proof_id)
    }
    const stored = [
      await storeAsBefore(1),
      (await addProof(office, 'a', kiosk, 2)).proofId,
      await storeAsBefore(3),
    ]
    expect(await walkUntil(office, key, 3)).toEqual(stored)
    expect(await listAsBefore()).toEqual(stored)
    await addProof(office, 'a', kiosk, 4, {
      beforeCommit: async () => {
        const later = await storeAsBefore(5)
        expect(await listAsBefore()).not.toContain(later)
        stored.push(later)
      },
    }).then(({ proofId }) => stored.splice(3, 0, proofId))
    expect(await walkUntil(office, key, 5)).toEqual(stored)
    expect(await listAsBefore()).toEqual(stored)
    await client.end()
    await office.stop()
  })
})
