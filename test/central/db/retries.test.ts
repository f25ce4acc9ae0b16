/** The database layer's use of a driver: the role, and the number of retries. */
import { describe, expect, test } from 'vitest'
import { createDb, SYSTEM, type Calls, type Driver } from '../../../server/central/db/db.ts'
import { CommitUnknown } from '../../../server/central/db/faults.ts'

/** A driver that fails so often with this, and then answers. */
function driver(
  failures: number,
  error: Error = Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
  calls?: Calls,
) {
  const openings: string[] = []
  const asked: [string, readonly unknown[] | undefined][] = []
  const made: Driver = {
    kind: 'postgres',
    ...(calls ? { calls } : {}),
    attempt: async (opening, work) => {
      openings.push(opening)
      if (openings.length <= failures) throw error
      return work({
        query: async (sql, parameters) => {
          asked.push([sql, parameters])
          return []
        },
        script: async () => undefined,
      })
    },
    close: async () => undefined,
  }
  return { db: createDb(made), openings, asked }
}

describe('a transaction', () => {
  test('is in the role of its tenant, or of the service itself, and within limits of time', async () => {
    const { db, openings, asked } = driver(0)
    await db.query({ tenant: 'acme-2' }, 'SELECT $1', ['a'])
    await db.query(SYSTEM, 'SELECT 2')
    await db.asOwner(async () => undefined)
    const limits =
      "SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '60s'; " +
      "SET LOCAL idle_in_transaction_session_timeout = '60s';"
    expect(openings).toEqual([
      `BEGIN; ${limits} SET LOCAL ROLE counterproof_app; ` +
        "SELECT set_config('app.tenant', 'acme-2', true), set_config('app.feed', 'horizon', true)",
      `BEGIN; ${limits} SET LOCAL ROLE counterproof_system`,
      'BEGIN',
    ])
    expect(asked).toEqual([
      ['SELECT $1', ['a']],
      ['SELECT 2', []],
    ])
  })

  test.each(['', 'A', 'a b', "a', true); --", 'a'.repeat(41), 'ä'])(
    'for the tenant %j is not begun: that is no id of one',
    async (tenant) => {
      const { db, openings } = driver(0)
      // The id stands in the text of a statement.
      await expect(async () => db.query({ tenant }, 'SELECT 1')).rejects.toThrow(TypeError)
      expect(openings).toEqual([])
    },
  )

  test('is tried four times more while the database is away, and then said to be unavailable', async () => {
    const recovering = driver(4)
    await recovering.db.query(SYSTEM, 'SELECT 1')
    expect(recovering.openings).toHaveLength(5)
    const away = driver(5)
    await expect(away.db.query(SYSTEM, 'SELECT 1')).rejects.toMatchObject({
      code: 'centre_unavailable',
      details: { part: 'database' },
    })
    expect(away.openings).toHaveLength(5)
  })

  test('is not retried when it is unknown whether its commit arrived', async () => {
    const { db, openings } = driver(1, new CommitUnknown())
    await expect(db.query(SYSTEM, 'SELECT 1')).rejects.toMatchObject({ code: 'centre_unavailable' })
    expect(openings).toHaveLength(1)
  })

  test('ends with a fault of ours as it is', async () => {
    const { db, openings } = driver(1, Object.assign(new Error('syntax'), { code: '42601' }))
    await expect(db.query(SYSTEM, 'SELECT 1')).rejects.toThrow('syntax')
    expect(openings).toHaveLength(1)
  })
})

test('connections are told of where the driver has some', async () => {
  const counts = { total: 3, idle: 1, waiting: 2 }
  const bare: Driver = {
    kind: 'embedded',
    attempt: async () => undefined as never,
    close: async () => undefined,
  }
  expect(createDb(bare).connections()).toBeNull()
  expect(createDb({ ...bare, connections: () => counts }).connections()).toEqual(counts)
  expect(createDb(bare).kind).toBe('embedded')
})

describe('work that a transaction announced', () => {
  /** A database whose first attempts fail, with the calls that it sent to other instances. */
  const announcing = (failures: number, error?: Error) => {
    const sent: string[] = []
    const { db } = driver(failures, error, { send: (work) => void sent.push(work), listen: () => undefined })
    const store = () => db.transaction(SYSTEM, async (queries) => queries.announce('deliveries'))
    return { db, sent, store }
  }

  test('is begun by the worker of this instance once, after the commit, also if the transaction ran twice', async () => {
    const { db, sent, store } = announcing(1)
    let begun = 0
    db.onWork('deliveries', () => {
      begun++
      return true
    })
    await db.transaction(SYSTEM, async (queries) => {
      queries.announce('deliveries')
      queries.announce('deliveries')
      await Promise.resolve()
      expect(begun).toBe(0)
    })
    expect([begun, sent]).toEqual([1, []])
    await store()
    expect(begun).toBe(2)
  })

  test('is for the other instances if this one is busy, or has no worker', async () => {
    const { db, sent, store } = announcing(0)
    await store()
    expect(sent).toEqual(['deliveries'])
    db.onWork('deliveries', () => false)
    await store()
    expect(sent).toEqual(['deliveries', 'deliveries'])
  })

  test('is not begun if the transaction failed, and a transaction without work calls no instance', async () => {
    const { db, sent, store } = announcing(1, new Error('a bug'))
    await expect(store()).rejects.toThrow('a bug')
    await db.query(SYSTEM, 'SELECT 1')
    expect(sent).toEqual([])
  })
})
