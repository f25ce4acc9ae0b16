/**
 * The durable queues of jobs. A job ends done, skipped or failed; a failed one stays visible until a person deals with it.
 * Which queue goes next is decided in `job-queues.ts`; the turns are rows, saved with the claim.
 */
import { v7 as uuidv7 } from 'uuid'
import { nextTurn, queueOf, VISIT_QUEUE, type JobQueue } from './job-queues.ts'
import type { Db } from './open.ts'

/** Job kinds and what each one carries. Parsed again when it is claimed: stored data is untrusted input. */
export interface JobPayloads {
  'verify-evidence': { readonly evidenceId: string }
  /** Makes the face template of a portrait that was decided. */
  'make-face-template': { readonly evidenceId: string }
  /** Fetches result and picture of a session that an external biometric server has ended. */
  'fetch-liveness': { readonly evidenceId: string }
  /** Sends the passcode of a contact evidence; the code is made when it is sent and kept as a hash. */
  'deliver-otp': { readonly evidenceId: string }
  /** Carries out the antifraud checks of an identity that are open. */
  'run-fraud-checks': Readonly<Record<string, never>>
  /** Carries an erasure that was begun to its end, should whoever began it not do so. */
  'finish-erasure': Readonly<Record<string, never>>
  /** A decision of the desk that nobody has taken back in time. */
  'carry-out-decision': { readonly adjudicationId: string }
}
export type JobKind = keyof JobPayloads

export interface Job {
  readonly id: string
  readonly kind: string
  readonly identityId: string
  readonly payload: unknown
  readonly attempts: number
}

export interface Jobs {
  add<K extends JobKind>(kind: K, identityId: string, payload: JobPayloads[K], at: Date): void
  /** Takes the job whose turn it is: within its queue the one that is due the longest. No identity has two at once. */
  claim(at: Date): Job | null
  /** One of an identity that was erased meanwhile leaves no row behind. */
  finish(job: Job, state: 'done' | 'skipped', at: Date): void
  /** Puts it back without counting the attempt: it waits for another job. */
  defer(job: Job, runAfter: Date): void
  /** `errorCode` is a code, never a message. */
  retry(job: Job, runAfter: Date, errorCode: string): void
  fail(job: Job, at: Date, errorCode: string): void
  /** After a crash: what was running is ready again. Returns how many. */
  recover(): number
  /** Ready or running, for one identity or all. */
  open(identityId?: string): number
  /** Ready or running in the queue of this application. Jobs of visits and housekeeping are not among them. */
  openOf(applicationId: string): number
  failed(): number
  /** When the next ready job is due; null when there is none. */
  nextDue(): Date | null
}

interface Row {
  id: string
  kind: string
  identity_id: string
  payload: string
  attempts: number
}

interface QueueRow {
  id: string
  last_turn: number
  overtakes: number
  next_job: string | null
}

interface Waiting extends JobQueue {
  readonly nextJob: string
}

/** Every queue with the job of it that would run next: one look into `jobs_by_queue` per queue, however long they are. */
export const WAITING_QUEUES = `
  SELECT q.id, q.last_turn, q.overtakes, (
    SELECT j.id FROM jobs j
    WHERE j.queue = q.id AND j.state = 'ready' AND j.run_after <= ?
      AND NOT EXISTS (SELECT 1 FROM jobs r WHERE r.identity_id = j.identity_id AND r.state = 'running')
    ORDER BY j.run_after, j.id LIMIT 1
  ) AS next_job FROM job_queues q`

export function createJobs(db: Db): Jobs {
  const insert = db.prepare(
    `INSERT INTO jobs (id, kind, identity_id, payload, state, run_after, created_at, queue)
     VALUES (?, ?, ?, ?, 'ready', ?, ?, ?)`,
  )
  const openQueue = db.prepare('INSERT INTO job_queues (id) VALUES (?) ON CONFLICT DO NOTHING')
  const ownerOf = db.prepare<[string], { application_id: string; is_visiting: number }>(
    `SELECT application_id, EXISTS (
       SELECT 1 FROM visits WHERE identity_id = identities.id AND ended_at IS NULL
     ) AS is_visiting FROM identities WHERE id = ?`,
  )
  const waitingQueues = db.prepare<[number], QueueRow>(WAITING_QUEUES)
  const tookTurn = db.prepare('UPDATE job_queues SET last_turn = ? WHERE id = ?')
  const overtook = db.prepare('UPDATE job_queues SET overtakes = ? WHERE id = ?')
  const byId = db.prepare<[string], Row>(
    'SELECT id, kind, identity_id, payload, attempts FROM jobs WHERE id = ?',
  )
  const start = db.prepare(`UPDATE jobs SET state = 'running', attempts = attempts + 1 WHERE id = ?`)
  const end = db.prepare(`UPDATE jobs SET state = ?, ended_at = ?, last_error = ? WHERE id = ?`)
  const forget = db.prepare(
    'DELETE FROM jobs WHERE id = ? AND identity_id IN (SELECT identity_id FROM erasures WHERE erased_at IS NOT NULL)',
  )
  const endAs = (job: Job, state: string, at: Date, errorCode: string | null): void => {
    end.run(state, at.getTime(), errorCode, job.id)
    forget.run(job.id)
  }
  const again = db.prepare(`UPDATE jobs SET state = 'ready', run_after = ?, last_error = ? WHERE id = ?`)
  const later = db.prepare(
    `UPDATE jobs SET state = 'ready', attempts = attempts - 1, run_after = ? WHERE id = ?`,
  )
  const reset = db.prepare(`UPDATE jobs SET state = 'ready' WHERE state = 'running'`)
  const openAll = db.prepare<[], { n: number }>(
    `SELECT count(*) n FROM jobs WHERE state IN ('ready', 'running')`,
  )
  const openOf = db.prepare<[string], { n: number }>(
    `SELECT count(*) n FROM jobs WHERE identity_id = ? AND state IN ('ready', 'running')`,
  )
  const openOfQueue = db.prepare<[{ queue: string }], { n: number }>(
    `SELECT (SELECT count(*) FROM jobs WHERE queue = @queue AND state = 'ready')
          + (SELECT count(*) FROM jobs WHERE queue = @queue AND state = 'running') AS n`,
  )
  const failedAll = db.prepare<[], { n: number }>(`SELECT count(*) n FROM jobs WHERE state = 'failed'`)
  const next = db.prepare<[], { at: number | null }>(
    `SELECT min(run_after) at FROM jobs WHERE state = 'ready'`,
  )

  const findOwner = (identityId: string) => {
    const row = ownerOf.get(identityId)
    return row ? { applicationId: row.application_id, isVisiting: row.is_visiting === 1 } : null
  }
  /** Inside a transaction: the job whose turn it is, and the turn noted. */
  const takeTurn = (at: Date): Row | undefined => {
    const queues = waitingQueues.all(at.getTime())
    const waiting = queues.flatMap(({ id, last_turn: lastTurn, overtakes, next_job: nextJob }): Waiting[] =>
      nextJob === null ? [] : [{ id, lastTurn, overtakes, nextJob }],
    )
    const next = nextTurn(waiting, Math.max(0, ...queues.map(({ last_turn }) => last_turn)))
    if (!next) return undefined
    tookTurn.run(next.turn, next.queue.id)
    overtook.run(next.overtakes, VISIT_QUEUE)
    return byId.get(next.queue.nextJob)
  }

  return {
    add: (kind, identityId, payload, at) => {
      const queue = queueOf(kind, findOwner(identityId))
      openQueue.run(queue)
      insert.run(uuidv7(), kind, identityId, JSON.stringify(payload), at.getTime(), at.getTime(), queue)
    },
    claim: (at) =>
      db
        .transaction((): Job | null => {
          const row = takeTurn(at)
          if (!row) return null
          start.run(row.id)
          return {
            id: row.id,
            kind: row.kind,
            identityId: row.identity_id,
            payload: JSON.parse(row.payload) as unknown,
            attempts: row.attempts + 1,
          }
        })
        .immediate(),
    finish: (job, state, at) => {
      endAs(job, state, at, null)
    },
    defer: (job, runAfter) => void later.run(runAfter.getTime(), job.id),
    retry: (job, runAfter, errorCode) => void again.run(runAfter.getTime(), errorCode, job.id),
    fail: (job, at, errorCode) => {
      endAs(job, 'failed', at, errorCode)
    },
    recover: () => reset.run().changes,
    open: (identityId) => (identityId === undefined ? openAll.get() : openOf.get(identityId))?.n ?? 0,
    openOf: (applicationId) => openOfQueue.get({ queue: applicationId })?.n ?? 0,
    failed: () => failedAll.get()?.n ?? 0,
    nextDue: () => {
      const at = next.get()?.at
      return at === null || at === undefined ? null : new Date(at)
    },
  }
}
