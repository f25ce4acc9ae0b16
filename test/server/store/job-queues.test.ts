/** Whose job runs next: one application never delays another one, and a person who stands before a screen goes first. */
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WAITING_QUEUES } from '../../../server/store/jobs.ts'
import { fairQueue } from '../../../server/store/migrations/0011-fair-queue.ts'
import { MIGRATIONS } from '../../../server/store/migrations/index.ts'
import { migrate } from '../../../server/store/open.ts'
import { KEPT_OF_APPLICATION } from '../../../server/store/usage.ts'
import type { Visit } from '../../../server/store/visits.ts'
import { anEvidence, AT, openTestStore, type TestStore } from '../../support/store.ts'

let t: TestStore
beforeEach(() => {
  t = openTestStore()
})
afterEach(() => {
  t.close()
})

const later = (ms: number): Date => new Date(AT.getTime() + ms)

/** One submission of a new identity; its job is called by the name given. */
function submit(application: string, name: string, atMs = 0): string {
  const { id } = t.addIdentity(application)
  t.store.jobs.add('verify-evidence', id, { evidenceId: name }, later(atMs))
  return id
}

function submitMany(application: string, count: number): void {
  for (let i = 1; i <= count; i++) submit(application, `${application}${i}`, i)
}

function beginVisit(identityId: string, channel: Visit['channel'] = 'KIOSK'): Visit {
  const visit: Visit = {
    id: `visit-of-${identityId}`,
    identityId,
    channel,
    journey: 'default/1',
    language: 'en',
    reference: null,
    step: 'document',
    startedAt: AT,
    endedAt: null,
    outcome: null,
    helpAskedAt: null,
    helpAnswer: null,
    takenOverBy: null,
  }
  t.store.visits.add(visit)
  return visit
}

/** The names of the next jobs, each run to its end before the next one starts. */
function runNext(count: number): string[] {
  const names: string[] = []
  for (let i = 0; i < count; i++) {
    const job = t.store.jobs.claim(later(10_000))
    if (!job) break
    const payload = job.payload as { readonly evidenceId?: string }
    names.push(payload.evidenceId ?? job.kind)
    t.store.jobs.finish(job, 'done', later(10_000))
  }
  return names
}

describe('applications', () => {
  test('one with three hundred jobs lets another one go in between: they take turns', () => {
    submitMany('busy', 300)
    submit('quiet', 'first', 9_000)
    submit('quiet', 'second', 9_001)
    expect(runNext(5)).toEqual(['busy1', 'first', 'busy2', 'second', 'busy3'])
  })

  test('three of them take turns in a circle, each its oldest job first', () => {
    for (const application of ['a', 'b', 'c']) submitMany(application, 3)
    const names = runNext(9)
    expect([1, 2, 3].map((n) => names.slice(3 * n - 3, 3 * n).sort())).toEqual([
      ['a1', 'b1', 'c1'],
      ['a2', 'b2', 'c2'],
      ['a3', 'b3', 'c3'],
    ])
  })

  test('the turn is remembered over a restart: a busy one does not begin again with each', () => {
    submitMany('busy', 10)
    submitMany('quiet', 10)
    const names: string[] = []
    for (let start = 0; start < 6; start++) {
      names.push(...runNext(1))
      t.reopen()
    }
    expect(names.filter((name) => name.startsWith('busy'))).toHaveLength(3)
  })

  test('a job that is put back goes behind the others of its application', () => {
    submit('a', 'waits', 0)
    submit('a', 'next', 1)
    const first = t.store.jobs.claim(later(100))
    if (first) t.store.jobs.defer(first, later(200))
    expect(runNext(2)).toEqual(['next', 'waits'])
  })
})

describe('a visit', () => {
  test.each(['KIOSK', 'COUNTER'] as const)('at the %s goes before all that programs have sent', (channel) => {
    submitMany('busy', 300)
    const { id } = t.addIdentity('screen')
    beginVisit(id, channel)
    t.store.jobs.add('verify-evidence', id, { evidenceId: 'document' }, later(9_000))
    t.store.jobs.add('verify-evidence', id, { evidenceId: 'portrait' }, later(9_001))
    expect(runNext(3)).toEqual(['document', 'portrait', 'busy1'])
  })

  test('that has ended takes turns like any application, because no applicant waits', () => {
    submitMany('busy', 3)
    const { id } = t.addIdentity('screen')
    const visit = beginVisit(id)
    t.store.visits.save({ ...visit, endedAt: AT, outcome: 'LATER' })
    for (const name of ['one', 'two', 'three']) {
      t.store.jobs.add('verify-evidence', id, { evidenceId: name }, AT)
    }
    const names = runNext(4)
    expect(names.filter((name) => name.startsWith('busy'))).toHaveLength(2)
  })

  test('or a row of them never starves the others: the fifth turn is theirs', () => {
    submitMany('busy', 3)
    for (let i = 0; i < 12; i++) {
      const { id } = t.addIdentity('screen')
      beginVisit(id)
      t.store.jobs.add('verify-evidence', id, { evidenceId: 'visit' }, AT)
    }
    expect(runNext(15).flatMap((name, i) => (name === 'visit' ? [] : [i]))).toEqual([4, 9, 14])
  })

  test('owes nothing for turns that it took while no other job waited', () => {
    const { id } = t.addIdentity('screen')
    beginVisit(id)
    for (let i = 0; i < 8; i++) t.store.jobs.add('verify-evidence', id, { evidenceId: 'visit' }, AT)
    runNext(7)
    submitMany('busy', 1)
    expect(runNext(2)).toEqual(['visit', 'busy1'])
  })
})

describe('housekeeping', () => {
  test('is not starved by a busy application, and does not starve it', () => {
    submitMany('busy', 300)
    for (let i = 0; i < 3; i++) t.store.jobs.add('finish-erasure', t.addIdentity('busy').id, {}, later(9_000))
    const erasures = runNext(6).filter((name) => name === 'finish-erasure')
    expect(erasures).toHaveLength(3)
  })

  test('of an identity whose row is gone still runs', () => {
    t.store.jobs.add('finish-erasure', 'erased', {}, AT)
    expect(runNext(1)).toEqual(['finish-erasure'])
  })
})

test('no job of an application is starved, whatever the others and the visits send', () => {
  submit('victim', 'victim')
  for (const application of ['a', 'b', 'c', 'd']) submitMany(application, 50)
  for (let i = 0; i < 50; i++) {
    const { id } = t.addIdentity('screen')
    beginVisit(id)
    t.store.jobs.add('verify-evidence', id, { evidenceId: 'visit' }, AT)
  }
  // Five applications, each of whose turns comes after at most four of visits.
  expect(runNext(25)).toContain('victim')
})

describe('the database', () => {
  const planOf = (sql: string): string[] => {
    const db = new Database(':memory:')
    migrate(db)
    const plan = db
      .prepare<[string], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all('1')
      .map(({ detail }) => detail)
    db.close()
    return plan
  }

  test('finds whose turn it is by an index, however long the queues are', () => {
    const plan = planOf(WAITING_QUEUES)
    expect(plan).toContain('SEARCH j USING INDEX jobs_by_queue (queue=? AND run_after<?)')
    expect(plan).toContain('SEARCH r USING COVERING INDEX jobs_running (identity_id=?)')
    // The queues themselves: one row per application.
    expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual(['SCAN q'])
    expect(plan.join()).not.toContain('TEMP B-TREE')
  })

  test('sums what an application keeps from an index alone', () => {
    expect(planOf(KEPT_OF_APPLICATION)).toEqual([
      'SEARCH identities USING COVERING INDEX identities_by_usage (application_id=?)',
    ])
  })

  test('of the version before gets the queues of its open jobs and the counts of what it keeps', () => {
    const db = new Database(':memory:')
    migrate(db, MIGRATIONS.slice(0, MIGRATIONS.indexOf(fairQueue)))
    db.pragma('foreign_keys = OFF')
    db.exec(`
      INSERT INTO identities (id, tenant_id, application_id, status, level_of_assurance, upgrade_paths, created_at,
        evaluated_at) VALUES ('i', 't', 'a', 'PROCESSING', 'LOA0', '{}', 0, 0);
      INSERT INTO evidences (id, identity_id, family, type, status, strength, score, evaluation, submitted_at)
        VALUES ('e', 'i', 'PORTRAIT', 'PORTRAIT', 'PROCESSING', 'LEVEL0', 'LEVEL0', '{}', 0);
      INSERT INTO videos (id, identity_id, evidence_id, media_type, bytes, created_at)
        VALUES ('v', 'i', 'e', 'video/webm', 1234, 0);
      INSERT INTO jobs (id, kind, identity_id, payload, state, run_after, created_at) VALUES
        ('1', 'verify-evidence', 'i', '{}', 'ready', 0, 0),
        ('2', 'finish-erasure', 'i', '{}', 'ready', 0, 0),
        ('3', 'verify-evidence', 'gone', '{}', 'running', 0, 0);`)
    migrate(db)
    expect(db.prepare('SELECT id, queue FROM jobs ORDER BY id').raw().all()).toEqual([
      ['1', 'a'],
      ['2', 'housekeeping'],
      ['3', 'housekeeping'],
    ])
    expect(db.prepare('SELECT id FROM job_queues ORDER BY id').pluck().all()).toEqual(['a', 'housekeeping'])
    expect(db.prepare('SELECT pieces, kept_bytes FROM identities').raw().get()).toEqual([1, 1234])
    db.close()
  })
})

describe('what is kept of an identity', () => {
  test('is counted by piece and byte, and goes with what is dropped and with the identity', () => {
    const { store } = t
    const { id, applicationId } = t.addIdentity()
    const before = store.usage.ofIdentity(id)
    const evidence = anEvidence(id)
    store.evidences.add(evidence)
    const piece = store.usage.ofIdentity(id)
    expect(piece.pieces).toBe(1)
    const image = {
      id: 'image',
      identityId: id,
      evidenceId: evidence.id,
      kind: 'FRONT' as const,
      mediaType: 'image/jpeg',
      createdAt: AT,
    }
    store.images.put(image, Buffer.alloc(50_000))
    store.images.addRow(image)
    const video = { ...image, id: 'video', mediaType: 'video/webm', bytes: 7_000 }
    store.videos.addRow(video)
    const full = store.usage.ofIdentity(id)
    expect(full.bytes - piece.bytes).toBe(7_000 + store.images.measureSize(image))
    expect(store.usage.ofApplication(applicationId)).toEqual({ identities: 1, ...full })

    store.images.dropRows(evidence.id)
    store.videos.dropRows(evidence.id)
    expect(store.usage.ofIdentity(id)).toEqual(piece)
    expect(piece.bytes).toBeGreaterThan(before.bytes)
    store.identities.erase(id)
    expect(store.usage.ofApplication(applicationId)).toEqual({ identities: 0, pieces: 0, bytes: 0 })
  })
})
