import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Finding } from '../../../server/audit/findings.ts'
import { verifyAudit, type AuditOptions } from '../../../server/audit/verify.ts'
import { openStore } from '../../../server/store/open.ts'
import { AT } from '../../support/store.ts'
import { EARLIER, makeLog, type ALog, type Copy } from './a-log.ts'

let log: ALog
beforeAll(async () => {
  log = await makeLog()
})
afterAll(() => log.close())

type Options = Partial<AuditOptions>
const check = (dataDir: string, options: Options = {}) => verifyAudit({ dataDir, kek: log.kek, ...options })
const findingsAfter = async (work: (copy: Copy) => void, options?: Options): Promise<readonly Finding[]> => {
  using copy = log.copy()
  work(copy)
  const { findings, valid } = await check(copy.dataDir, options)
  expect(valid).toBe(findings.length === 0)
  return findings
}
const tampered = (sql: string) => findingsAfter((copy) => copy.tamper((db) => void db.exec(sql)))
const kinds = (findings: readonly Finding[]) =>
  findings.map(({ table, problem, row }) => `${table} ${row} ${problem}`)

test('an unchanged log has no findings', async () => {
  const report = await check(log.dataDir)
  expect(report.findings).toEqual([])
  expect(report).toMatchObject({
    valid: true,
    checked: { checkpoints: 3, proofs: 5, outbox: 6, erasures: 1, given: 0 },
  })
})

describe('the log', () => {
  test.each([
    ['a row deleted', 'DELETE FROM events WHERE seq = 5', 'events 5 missing'],
    ['rows deleted', 'DELETE FROM events WHERE seq BETWEEN 5 AND 8', 'events 5-8 missing'],
    [
      'the newest row deleted',
      'DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)',
      /^events \d+ cut_off$/,
    ],
    ['who did it changed', `UPDATE events SET actor = 'operator' WHERE seq = 5`, 'events 5 changed'],
    ['when it was changed', 'UPDATE events SET at = at + 1 WHERE seq = 5', 'events 5 changed'],
    [
      'a row made up',
      `INSERT INTO events SELECT seq + 1, 'x' || id, type, identity_id, actor, reason, body, at, hash, mac FROM events
       ORDER BY seq DESC LIMIT 1`,
      /^events \d+ changed$/,
    ],
    [
      'an old head put back',
      `UPDATE meta SET value = (SELECT value FROM earlier.meta WHERE name = 'audit-head') WHERE name = 'audit-head'`,
      /^events \d+ head_changed$/,
    ],
    [
      'the head made up',
      `UPDATE meta SET value = x'7b7d' WHERE name = 'audit-head'`,
      /^events \d+ head_changed$/,
    ],
    [
      'the head not even JSON',
      `UPDATE meta SET value = x'78' WHERE name = 'audit-head'`,
      /^events \d+ head_changed$/,
    ],
  ])('%s', async (_, sql, expected) => {
    expect(kinds(await tampered(sql))).toContainEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    )
  })

  test('two rows swapped are both named, and no other event is', async () => {
    const findings = await tampered(
      `UPDATE events SET seq = -1 WHERE seq = 4; UPDATE events SET seq = 4 WHERE seq = 9;
       UPDATE events SET seq = 9 WHERE seq = -1`,
    )
    expect(kinds(findings).filter((kind) => kind.startsWith('events'))).toEqual([
      'events 4 changed',
      'events 9 changed',
    ])
  })

  test('a row of another copy of this log is named, although this appliance wrote it', async () => {
    // The same folder goes two ways; a row of the other one comes over.
    using other = log.copy()
    other.tamper((db) => void db.exec(`DELETE FROM checkpoints`))
    const { openStore } = await import('../../../server/store/open.ts')
    const [ours, theirs] = [log.copy(), other]
    for (const [copy, version] of [
      [ours, '1.0.1'],
      [theirs, '1.0.2'],
    ] as const) {
      const store = openStore(copy.dataDir, log.kek)
      store.events.append('appliance.stopped', null, { version }, new Date())
      store.events.append('appliance.stopped', null, { version: '2.0.0' }, new Date())
      store.close()
    }
    ours.tamper((db) => {
      db.prepare('ATTACH ? AS theirs').run(join(theirs.dataDir, 'appliance.sqlite'))
      db.exec(`DELETE FROM events WHERE seq = (SELECT max(seq) FROM events);
               INSERT INTO events SELECT * FROM theirs.events WHERE seq = (SELECT max(seq) FROM theirs.events)`)
    })
    const { findings, head } = await check(ours.dataDir)
    ours[Symbol.dispose]()
    expect(kinds(findings)).toContainEqual(`events ${head.seq} replayed`)
  })
})

describe('an older log put back', () => {
  const restoreEarlier = (copy: Copy) => {
    for (const suffix of ['-wal', '-shm'])
      rmSync(join(copy.dataDir, `appliance.sqlite${suffix}`), { force: true })
    copyFileSync(join(copy.dataDir, EARLIER), join(copy.dataDir, 'appliance.sqlite'))
  }

  test('is behind the head that is kept beside the database', async () => {
    expect(kinds(await findingsAfter(restoreEarlier))).toEqual(['audit-head.json audit-head.json set_back'])
  })

  test('is behind a checkpoint that was taken elsewhere, even where the head beside it was put back, too', async () => {
    const work = (copy: Copy) => {
      restoreEarlier(copy)
      rmSync(join(copy.dataDir, 'audit-head.json'))
    }
    expect(kinds(await findingsAfter(work))).toEqual(['audit-head.json audit-head.json missing'])
    using folder = log.copy()
    const file = join(folder.dataDir, 'checkpoints.txt')
    writeFileSync(file, log.checkpoints.join('\n'))
    const findings = await findingsAfter(work, { checkpointFiles: [file] })
    expect(kinds(findings)).toContainEqual('file checkpoints.txt set_back')
  })

  test('cut off with its old head is found by what the database itself counts', async () => {
    const findings = await findingsAfter((copy) => {
      rmSync(join(copy.dataDir, 'audit-head.json'))
      copy.tamper((db) => {
        const { seq } = db.prepare('SELECT max(seq) seq FROM earlier.events').get() as { seq: number }
        for (const table of ['events', 'proofs', 'outbox', 'checkpoints', 'erasures']) {
          db.exec(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM earlier.${table}`)
        }
        db.exec(`UPDATE meta SET value = (SELECT value FROM earlier.meta WHERE name = 'audit-head')
                 WHERE name = 'audit-head'`)
        expect(seq).toBeGreaterThan(10)
      })
    })
    expect(kinds(findings)).toContainEqual(expect.stringMatching(/^events .* cut_off$/))
  })

  test('a head beside the database that this appliance did not write is refused', async () => {
    const findings = await findingsAfter((copy) => {
      writeFileSync(join(copy.dataDir, 'audit-head.json'), '{"seq":1,"hash":"00","mac":"00"}')
    })
    expect(kinds(findings)).toEqual(['audit-head.json audit-head.json changed'])
  })
})

describe('proofs', () => {
  test('a file that is gone, cut, or another proof’s', async () => {
    const [first, , third, fourth] = log.proofs
    const path = (copy: Copy, id: string) => join(copy.dataDir, 'proofs', `${id}.sealed`)
    const gone = await findingsAfter((copy) => rmSync(path(copy, first.id)))
    const cut = await findingsAfter((copy) => writeFileSync(path(copy, third.id), 'x'))
    const swapped = await findingsAfter((copy) => copyFileSync(path(copy, first.id), path(copy, fourth.id)))
    expect([gone, cut, swapped].map(kinds)).toEqual([
      [`proofs ${first.id} unreadable`],
      [`proofs ${third.id} unreadable`],
      [`proofs ${fourth.id} unreadable`],
    ])
  })

  test('the row of an erased identity that was put back', async () => {
    const erased = log.proofs[1]
    const findings = await findingsAfter((copy) =>
      copy.tamper((db) => {
        db.prepare(
          `INSERT INTO proofs SELECT ?, ?, file_name, sha256, bytes, level_of_assurance, sealed_at, expires_at,
           retrieved_at FROM proofs LIMIT 1`,
        ).run(erased.id, erased.identityId)
      }),
    )
    expect(kinds(findings)).toEqual([`proofs ${erased.id} replayed`])
  })
})

describe('whatever row is deleted, changed, swapped, replayed or made up, it is named', () => {
  interface Table {
    readonly name: 'events' | 'outbox' | 'proofs' | 'checkpoints' | 'erasures'
    readonly key: string
    /** The content of a row; the number of tries of a packet is ignored. */
    readonly columns: readonly string[]
  }
  const tables: readonly Table[] = [
    {
      name: 'events',
      key: 'seq',
      columns: ['id', 'type', 'identity_id', 'actor', 'reason', 'body', 'at', 'hash', 'mac'],
    },
    {
      name: 'outbox',
      key: 'sequence',
      columns: [
        'proof_id',
        'identity_id',
        'tenant_id',
        'sha256',
        'sealed_at',
        'hash',
        'mac',
        'state',
        'receipt',
      ],
    },
    {
      name: 'proofs',
      key: 'id',
      columns: [
        'identity_id',
        'file_name',
        'sha256',
        'bytes',
        'level_of_assurance',
        'sealed_at',
        'expires_at',
        'retrieved_at',
      ],
    },
    { name: 'checkpoints', key: 'event_seq', columns: ['jws', 'at'] },
    {
      name: 'erasures',
      key: 'identity_id',
      columns: ['tenant_id', 'reason', 'actor', 'begun_at', 'erased_at', 'receipt'],
    },
  ]
  type Value = string | number | Buffer | null
  type Row = Record<string, Value>

  const rowsOf = (db: Database.Database, name: string, key: string): Row[] =>
    db.prepare(`SELECT * FROM ${name} ORDER BY ${key}`).all() as Row[]
  const put = (db: Database.Database, { name }: Table, row: Row): void => {
    const columns = Object.keys(row)
    db.prepare(
      `INSERT OR REPLACE INTO ${name} (${columns.join()}) VALUES (${columns.map((column) => `@${column}`).join()})`,
    ).run(row)
  }
  const another = (column: string, value: Value): Value => {
    if (column === 'state') return value === 'QUEUED' ? 'ACKNOWLEDGED' : 'QUEUED'
    if (value === null) return column.endsWith('_at') ? 1 : 'x'
    if (typeof value === 'number') return value + 1
    if (typeof value === 'string') return (value.startsWith('0') ? '1' : '0') + value.slice(1)
    const bytes = Buffer.from(value)
    bytes[0] ^= 1
    return bytes
  }
  const isNamed = (findings: readonly Finding[], { name }: Table, key: Value): boolean =>
    findings.some(({ table, row }) => {
      if (table !== name) return false
      const range = /^(\d+)-(\d+)$/.exec(row)
      return range ? Number(key) >= Number(range[1]) && Number(key) <= Number(range[2]) : row === String(key)
    })

  const deeds = ['delete', 'change', 'swap', 'replay', 'make up'] as const
  test('at random', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...tables),
        fc.constantFrom(...deeds),
        fc.nat(10_000),
        fc.nat(10_000),
        fc.nat(10_000),
        async (table, deed, i, j, k) => {
          using copy = log.copy()
          const touched: Value[] = []
          copy.tamper((db) => {
            const rows = rowsOf(db, table.name, table.key)
            const row = rows[i % rows.length]
            const other = rows[j % rows.length]
            const key = row[table.key]
            if (deed === 'delete') {
              db.prepare(`DELETE FROM ${table.name} WHERE ${table.key} = ?`).run(key)
              touched.push(key)
            } else if (deed === 'change') {
              const column = table.columns[k % table.columns.length]
              put(db, table, { ...row, [column]: another(column, row[column]) })
              touched.push(key)
            } else if (deed === 'swap' && row !== other) {
              const del = db.prepare(`DELETE FROM ${table.name} WHERE ${table.key} = ?`)
              del.run(key)
              del.run(other[table.key])
              put(db, table, { ...row, [table.key]: other[table.key] })
              put(db, table, { ...other, [table.key]: key })
              touched.push(key, other[table.key])
            } else if (deed === 'replay') {
              // Rows that changed since the copy return to their older form.
              const older = rowsOf(db, `earlier.${table.name}`, table.key)
              const same = (a: Row, b: Row) => JSON.stringify(a) === JSON.stringify(b)
              const changed = older.filter((old) =>
                rows.some((now) => now[table.key] === old[table.key] && !same(now, old)),
              )
              if (changed.length === 0) return
              const old = changed[i % changed.length]
              put(db, table, old)
              touched.push(old[table.key])
            } else if (deed === 'make up') {
              const made =
                typeof key === 'number'
                  ? Math.max(...rows.map((r) => Number(r[table.key]))) + 1
                  : `${String(key)}x`
              const unique: Row = table.name === 'events' ? { id: `x${String(row.id)}` } : {}
              const proof: Row = table.name === 'outbox' ? { proof_id: `x${String(row.proof_id)}` } : {}
              put(db, table, { ...row, ...unique, ...proof, [table.key]: made })
              touched.push(made)
            }
          })
          const { findings } = await check(copy.dataDir)
          for (const key of touched) {
            if (!isNamed(findings, table, key)) {
              throw new Error(
                `${deed} in ${table.name} ${String(key)} is not named: ${kinds(findings).join('; ')}`,
              )
            }
          }
        },
      ),
      {
        numRuns: Number(process.env.AUDIT_RUNS ?? 150),
        ...(process.env.AUDIT_SEED ? { seed: Number(process.env.AUDIT_SEED) } : {}),
      },
    )
  })
})

test('a proof that was taken elsewhere and that the log does not know is named', async () => {
  using folder = log.copy()
  const dir = join(folder.dataDir, 'given')
  mkdirSync(dir)
  writeFileSync(join(dir, 'broken.zip'), 'no archive')
  const { findings } = await check(log.dataDir, { proofsDir: dir, keys: { jwks: { keys: [log.publicJwk] } } })
  expect(kinds(findings)).toEqual(['file broken.zip unreadable'])
})

test('an identity that a version before 0.3 erased, which kept no row of it, is no finding', async () => {
  using copy = log.copy()
  const store = openStore(copy.dataDir, log.kek)
  store.events.append('identity.erased', randomUUID(), {}, AT)
  store.close()
  expect((await check(copy.dataDir)).findings).toEqual([])
})

describe('what only events speak for', () => {
  const column = (name: string, to: string, where = '1 = 1') =>
    `UPDATE ${name.split('.')[0]} SET ${name.split('.')[1]} = ${to} WHERE ${where}`
  const FIRST_KEY = 'kid = (SELECT kid FROM signing_keys ORDER BY created_at LIMIT 1)'
  const HELD = 'identity_id = (SELECT identity_id FROM legal_holds LIMIT 1)'

  test.each([
    [
      'the date of a revocation made up',
      column('signing_keys.revoked_at', '1', FIRST_KEY),
      /^signing_keys \S+ changed$/,
    ],
    [
      'the end of the use of a key taken away',
      column('signing_keys.retired_at', 'NULL'),
      /^signing_keys \S+ changed$/,
    ],
    [
      'the first day of a key moved',
      column('signing_keys.active_from', 'active_from - 1'),
      /^signing_keys \S+ changed$/,
    ],
    [
      'a certificate chain taken away',
      column('signing_keys.certificate_chain', 'NULL'),
      /^signing_keys \S+ changed$/,
    ],
    [
      'a private half taken away',
      column('signing_keys.wrapped_private', 'NULL'),
      /^signing_keys \S+ changed$/,
    ],
    ['a public half that is no key', column('signing_keys.public_jwk', `'{'`), /^signing_keys \S+ changed$/],
    ['all keys deleted', 'DELETE FROM signing_keys', /^signing_keys \S+ missing$/],
    [
      'a key made up',
      `INSERT INTO signing_keys SELECT 'x' || kid, algorithm, 'pkcs11', public_jwk, NULL, NULL, created_at, active_from,
       NULL, NULL FROM signing_keys LIMIT 1`,
      /^signing_keys x\S+ made_up$/,
    ],
    ['a hold deleted', `DELETE FROM legal_holds WHERE ${HELD}`, /^legal_holds \S+ missing$/],
    ['a hold that ends', column('legal_holds.until_at', '1', HELD), /^legal_holds \S+ changed$/],
    [
      'the reference of a hold changed',
      column('legal_holds.reference_ct', `x'00'`, HELD),
      /^legal_holds \S+ changed$/,
    ],
    [
      'a lifted hold put back',
      'INSERT OR IGNORE INTO legal_holds SELECT * FROM earlier.legal_holds',
      /^legal_holds \S+ made_up$/,
    ],
    [
      'an older hold put back',
      'INSERT OR REPLACE INTO legal_holds SELECT * FROM earlier.legal_holds',
      /^legal_holds \S+ changed$/,
    ],
    ['the membership deleted', 'DELETE FROM enrolment', 'enrolment 1 missing'],
    [
      'the address of the central service changed',
      column('enrolment.centre_url', `'https://elsewhere'`),
      'enrolment 1 changed',
    ],
    ['the keys of the central service changed', column('enrolment.trust', `'{}'`), 'enrolment 1 changed'],
    ['the key of the kiosk changed', column('enrolment.wrapped_private', `x'00'`), 'enrolment 1 changed'],
    [
      'the content of a bundle changed',
      column('bundles.jws', `jws || 'x'`, 'version = 3'),
      'bundles 3 changed',
    ],
    [
      'an older bundle put in force',
      column('bundles.state', `'APPLIED'`, 'version = 1'),
      'bundles 1 changed',
    ],
    [
      'the problems of a bundle changed',
      column('bundles.problems', `'[]'`, 'version = 4'),
      'bundles 4 changed',
    ],
    ['a bundle deleted', 'DELETE FROM bundles WHERE version = 2', 'bundles 2 missing'],
    [
      'a restore made up',
      `INSERT INTO meta VALUES ('restored', CAST('{"at":1}' AS BLOB))`,
      'meta restored made_up',
    ],
    [
      'the mark of the master key deleted',
      `DELETE FROM meta WHERE name = 'kek-check'`,
      'meta kek-check changed',
    ],
    [
      'an erasure without a request',
      `INSERT INTO erasures SELECT identity_id, 'tenant', 'DELETE', 'operator', id, 1, NULL, NULL, NULL FROM proofs LIMIT 1`,
      /^erasures \S+ made_up$/,
    ],
    ['the proof of an erasure changed', column('erasures.proof_id', 'NULL'), /^erasures \S+ replayed$/],
    [
      'an event that is no JSON',
      column('events.body', `'{'`, `type = 'outbox.queued'`),
      /^events \d+ changed$/,
    ],
    [
      'a checkpoint whose text is another of the same bytes',
      `UPDATE checkpoints SET jws = substr(jws, 1, length(jws) - 1) || char(unicode(substr(jws, -1)) + 1) WHERE event_seq = (SELECT max(event_seq) FROM checkpoints)`,
      /^checkpoints \d+ changed$/,
    ],
    ['an attempt that was not made', column('outbox.attempts', '7', 'sequence = 4'), 'outbox 4 changed'],
    [
      'a row of the outbox put off',
      column('outbox.next_try_at', '900000000000000', 'sequence = 5'),
      'outbox 5 changed',
    ],
    [
      'another packet',
      column('outbox.packet_sha256', `'${'a'.repeat(64)}'`, 'sequence = 4'),
      'outbox 4 changed',
    ],
    ['another end', column('outbox.ended_at', '1', 'sequence = 1'), 'outbox 1 changed'],
    [
      'a number of the outbox that may be any',
      'UPDATE outbox SET sequence = 9007199254740990 WHERE sequence = 6',
      'outbox 6 missing',
    ],
  ])('%s is named', async (_, sql, expected) => {
    const found = kinds(await tampered(sql))
    expect(found).toContainEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected))
  })
})
