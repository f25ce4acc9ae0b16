/** The mode of an identity in the database: what an older version's rows become, and what no statement can do to it. */
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AppError } from '../../../server/errors.ts'
import { MIGRATIONS } from '../../../server/store/migrations/index.ts'
import { migrate } from '../../../server/store/open.ts'
import { anIdentity, AT, openTestStore, type TestStore } from '../../support/store.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'

describe('identities of a version before the mode was theirs', () => {
  const BEFORE = MIGRATIONS.findIndex((sql) => sql.includes('identities ADD COLUMN mode'))
  let db: Database.Database
  beforeEach(() => {
    db = new Database(':memory:')
    migrate(db, MIGRATIONS.slice(0, BEFORE))
  })
  afterEach(() => db.close())

  /** `indicator`: what the pipeline found about its document. */
  function anOldIdentity(id: string, tenantMode: string, indicator: string): void {
    const tenant = `tenant-${tenantMode}`
    db.prepare('INSERT OR IGNORE INTO tenants VALUES (?, ?, ?, ?, 0)').run(tenant, 'T', tenantMode, 'default')
    db.prepare('INSERT OR IGNORE INTO applications VALUES (?, ?, ?, 0)').run(tenant, tenant, 'bank')
    db.prepare(
      `INSERT INTO identities (id, tenant_id, application_id, status, level_of_assurance, upgrade_paths, created_at, evaluated_at)
       VALUES (?, ?, ?, 'EXPECTING_INPUT', 'LOA1', '{}', 0, 0)`,
    ).run(id, tenant, tenant)
    db.prepare(
      `INSERT INTO evidences (id, identity_id, family, type, status, strength, score, evaluation, submitted_at)
       VALUES (?, ?, 'IDDOCUMENT', 'PASSPORT', 'VERIFIED', 'LEVEL3', 'LEVEL3', ?, 0)`,
    ).run(`evidence of ${id}`, id, JSON.stringify({ warningIndicators: [indicator] }))
  }

  test.each([
    ['of a production tenant stay production', 'production', 'MRZ_DEVIATION_WARNING', ['production', 0]],
    [
      'whose specimen was let through are of test mode',
      'production',
      'SPECIMEN_DOCUMENT_WARNING',
      ['test', 1],
    ],
    ['whose specimen was rejected are tests', 'production', 'SPECIMEN_DOCUMENT_FAILED', ['production', 1]],
    ['of a tenant in test mode are of test mode', 'test', 'MRZ_DEVIATION_WARNING', ['test', 1]],
  ])('%s', (_, tenantMode, indicator, expected) => {
    anOldIdentity('an identity', tenantMode, indicator)
    migrate(db)
    expect(db.prepare('SELECT mode, is_test FROM identities').raw().get()).toEqual(expected)
  })

  test('are judged one by one', () => {
    anOldIdentity('a', 'production', 'SPECIMEN_DOCUMENT_WARNING')
    anOldIdentity('b', 'production', 'MRZ_DEVIATION_WARNING')
    anOldIdentity('c', 'test', 'MRZ_DEVIATION_WARNING')
    migrate(db)
    const modes = db.prepare('SELECT id, mode FROM identities ORDER BY id').raw().all()
    expect(modes).toEqual([
      ['a', 'test'],
      ['b', 'production'],
      ['c', 'test'],
    ])
  })

  test('and a row that does not say is a test', () => {
    anOldIdentity('a', 'production', 'MRZ_DEVIATION_WARNING')
    migrate(db)
    db.exec(
      `INSERT INTO identities (id, tenant_id, application_id, status, level_of_assurance, upgrade_paths, created_at, evaluated_at)
       VALUES ('b', 'tenant-production', 'tenant-production', 'EXPECTING_INPUT', 'LOA0', '{}', 0, 0)`,
    )
    expect(db.prepare(`SELECT mode, is_test FROM identities WHERE id = 'b'`).raw().get()).toEqual(['test', 1])
  })
})

describe('the mode of an identity', () => {
  let t: TestStore
  let db: Database.Database
  beforeEach(() => {
    t = openTestStore()
    db = new Database(`${t.dataDir}/appliance.sqlite`)
  })
  afterEach(() => {
    db.close()
    t.close()
  })

  function add(over: Parameters<typeof anIdentity>[1]) {
    const identity = anIdentity(t.store.apiKeys.ensureApplication('tenant', 'bank', AT), over)
    t.store.transaction(() => t.store.identities.add(identity, []))
    return identity
  }
  const PRODUCTION = { mode: 'production', isTest: false } as const
  const TENANT = { id: 'tenant', name: 'Test', policyId: 'default' }

  test('is kept when an identity with another mode is saved', () => {
    const { id } = add(PRODUCTION)
    expect(t.store.identities.find(APPLIANCE, id)).toMatchObject(PRODUCTION)
    t.store.identities.save({ ...t.store.identities.find(APPLIANCE, id)!, mode: 'test', isTest: true })
    expect(t.store.identities.find(APPLIANCE, id)).toMatchObject(PRODUCTION)
  })

  test('turns into a test once, which makes what was loaded before out of date', () => {
    const identity = add(PRODUCTION)
    expect(t.store.identities.markTest(identity.id)).toBe(true)
    expect(t.store.identities.markTest(identity.id)).toBe(false)
    expect(t.store.identities.find(APPLIANCE, identity.id)).toMatchObject({
      mode: 'production',
      isTest: true,
    })
    expect(() => t.store.identities.save(identity)).toThrow('revision_conflict')
  })

  test.each([
    ['another mode', 'production', `UPDATE identities SET mode = 'test', is_test = 1`],
    ['another mode', 'test', `UPDATE identities SET mode = 'production'`],
    ['no test any more', 'test', 'UPDATE identities SET is_test = 0'],
  ] as const)('is %s by no statement (%s)', (_, mode, sql) => {
    add({ mode, isTest: mode === 'test' })
    expect(() => db.exec(sql)).toThrow('an identity keeps its mode, and a test stays a test')
  })

  test('of the test kind is never without its mark', () => {
    expect(() => add({ mode: 'test', isTest: false })).toThrow()
    add({ mode: 'test', isTest: true })
  })

  test('holds the tenant in it while the identity is open, and no longer when it is closed or being erased', () => {
    const [open, closed, erased] = [
      add(PRODUCTION),
      add({ ...PRODUCTION, status: 'CLOSED' }),
      add(PRODUCTION),
    ]
    t.store.erasures.begin({
      identityId: erased.id,
      tenantId: 'tenant',
      applicationId: erased.applicationId,
      reason: 'DELETE',
      actor: 'operator',
      proofId: null,
      begunAt: AT,
    })
    const switching = () => t.store.tenants.ensure({ ...TENANT, mode: 'test' }, AT)
    expect(switching).toThrow(AppError)
    expect(t.store.identities.listOpenOfMode('tenant', 'production').map(({ id }) => id)).toEqual([open.id])
    t.store.identities.save({ ...open, status: 'CLOSED' })
    switching()
    expect(t.store.tenants.get('tenant').mode).toBe('test')
    expect(t.store.identities.find(APPLIANCE, closed.id)).toMatchObject(PRODUCTION)
  })

  test('is no matter of another tenant', () => {
    add(PRODUCTION)
    t.store.tenants.ensure({ ...TENANT, id: 'other', mode: 'test' }, AT)
    expect(t.store.tenants.get('other').mode).toBe('test')
  })

  test('a tenant that is there stays as it is when a command adds it', () => {
    t.store.tenants.addMissing({ ...TENANT, mode: 'production', name: 'Another' }, AT)
    expect(t.store.tenants.get('tenant')).toMatchObject({ name: 'Test', mode: 'test' })
    t.store.tenants.addMissing({ ...TENANT, id: 'new', mode: 'production' }, AT)
    expect(t.store.tenants.get('new').mode).toBe('production')
  })
})
