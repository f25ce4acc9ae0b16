/**
 * Scheduling of jobs: classes, the queue that a job joins, and the pure rule that selects the next queue. Reads and
 * writes nothing; `jobs.ts` stores the turns in the database, so that a restart keeps the order.
 */
import type { JobKind } from './jobs.ts'

/**
 * Classes of jobs, and the reason for each priority.
 *
 * | class        | jobs                                                   | priority                        | reason |
 * |--------------|--------------------------------------------------------|---------------------------------|--------|
 * | visit        | all jobs of an identity with an open visit             | first, at most 4 turns in a row | an applicant is waiting; one applicant per screen cannot fill the queue |
 * | application  | all other jobs of an identity, a queue per application | takes turns                     | programs poll; a busy one must not delay another one |
 * | housekeeping | the kinds below                                        | takes turns                     | not urgent, but erasures and decisions of the desk must be carried out |
 *
 * Retention, signing and sync need no class: the runner checks deadlines in every cycle, a proof is signed in the
 * request that asks for it, and sync has its own loop.
 */

/** The appliance's own duties. They do not use the vision worker, and API callers cannot create many of them. */
const HOUSEKEEPING: readonly JobKind[] = ['finish-erasure', 'carry-out-decision']

export const VISIT_QUEUE = 'visit'
const HOUSEKEEPING_QUEUE = 'housekeeping'

/** Four jobs are a visit's document and portrait, each read again once: a visit does not notice the fifth turn. */
const MAX_OVERTAKES = 4

/** Owner of a job. Null if the identity has been erased. */
interface JobOwner {
  readonly applicationId: string
  /** True if a visit of this identity has not ended. */
  readonly isVisiting: boolean
}

/** Id of the queue that a job joins: `visit`, `housekeeping`, or the id of its application. */
export function chooseQueue(kind: JobKind, owner: JobOwner | null): string {
  if (HOUSEKEEPING.includes(kind) || owner === null) return HOUSEKEEPING_QUEUE
  return owner.isVisiting ? VISIT_QUEUE : owner.applicationId
}

export interface JobQueue {
  readonly id: string
  /** Number of its last turn; 0 if there was none. */
  readonly lastTurn: number
  /** Consecutive turns of the visit queue while another queue waited. 0 for all other queues. */
  readonly overtakes: number
}

/** The queue whose turn it is, as it will be stored; null if none is waiting. */
interface NextTurn<Q extends JobQueue> {
  readonly queue: Q
  readonly turn: number
  /** Value for the visit queue. */
  readonly overtakes: number
}

/**
 * Selects the next queue: visits first, except after MAX_OVERTAKES turns in a row; otherwise the queue whose last turn
 * was longest ago.
 *
 * @param waiting queues with a job that may start now
 * @param lastTurn number of the last turn overall
 */
export function nextTurn<Q extends JobQueue>(waiting: readonly Q[], lastTurn: number): NextTurn<Q> | null {
  const turn = lastTurn + 1
  const visits = waiting.find(({ id }) => id === VISIT_QUEUE)
  const [longestAgo] = waiting
    .filter((queue) => queue !== visits)
    .toSorted((a, b) => a.lastTurn - b.lastTurn || (a.id < b.id ? -1 : 1))
  if (visits && (!longestAgo || visits.overtakes < MAX_OVERTAKES)) {
    return { queue: visits, turn, overtakes: longestAgo ? visits.overtakes + 1 : 0 }
  }
  return longestAgo ? { queue: longestAgo, turn, overtakes: 0 } : null
}
