/**
 * Durable job queues. A job ends done, skipped or failed; a failed one stays visible until an operator handles it.
 * `job-queues.ts` selects the queue; the turns are rows, saved with the claim.
 */
import { v7 as uuidv7 } from 'uuid'
import { nextTurn, chooseQueue, VISIT_QUEUE, type JobQueue } from './job-queues.ts'
import type { Db } from './db.ts'

/** Job kinds and their payloads. Parsed again when claimed, because stored data is untrusted input. */
interface JobPayloads {
  'verify-evidence': { readonly evidenceId: string }
  /** Puts a question again that an issuing source did not answer. */
  'ask-issuer': { readonly evidenceId: string }
  /** Puts a question again that a register of addresses did not answer. */
  'ask-address-register': { readonly evidenceId: string }
  /** Puts questions again that sources of attributes did not answer. */
  'ask-bureaus': { readonly evidenceId: string }
  /** Creates the face template of a decided portrait. */
  'make-face-template': { readonly evidenceId: string }
  /** Fetches result and picture of a session that an external biometric server has ended. */
  'fetch-liveness': { readonly evidenceId: string }
  /** Sends the passcode of a contact evidence; the code is created when it is sent and stored as a hash. */
  'deliver-otp': { readonly evidenceId: string }
  /** Asks the mobile operator whether a confirmed number belongs to the verified person. */
  'ask-operator': { readonly evidenceId: string }
  /** Runs the open antifraud checks of an identity. */
  'run-fraud-checks': Readonly<Record<string, never>>
  /** Completes an erasure that was begun but interrupted. */
  'finish-erasure': Readonly<Record<string, never>>
  /** Carries out a decision of the desk after the undo period. */
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
  /**
   * Takes the next job: within the selected queue the one that has been due longest. An identity never has two running
   * jobs.
   */
  claim(at: Date): Job | null
  /** Deletes the row of a job whose identity was erased meanwhile. */
  finish(job: Job, state: 'done' | 'skipped', at: Date): void
  /** Puts it back without counting the attempt, because it waits for another job. */
  defer(job: Job, runAfter: Date): void
  /** `errorCode` is a code, never a message. */
  retry(job: Job, runAfter: Date, errorCode: string): void
  fail(job: Job, at: Date, errorCode: string): void
  /** After a crash: makes running jobs ready again. Returns their number. */
  recover(): number
  /** Ready or running jobs of one identity or of all. */
  open(identityId?: string): number
  /** Ready or running jobs in this application's queue, without visits and housekeeping. */
  countOpen(applicationId: string): number
  failed(): number
  /** When the next ready job is due; null if there is none. */
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

/** All queues with their next job: one look-up in `jobs_by_queue` per queue, independent of its length. */
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
  const countOpen = db.prepare<[string], { n: number }>(
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
  /** Selects the next job and records the turn. Call inside a transaction. */
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
      const queue = chooseQueue(kind, findOwner(identityId))
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
    open: (identityId) => (identityId === undefined ? openAll.get() : countOpen.get(identityId))?.n ?? 0,
    countOpen: (applicationId) => openOfQueue.get({ queue: applicationId })?.n ?? 0,
    failed: () => failedAll.get()?.n ?? 0,
    nextDue: () => {
      const at = next.get()?.at
      return at === null || at === undefined ? null : new Date(at)
    },
  }
}
