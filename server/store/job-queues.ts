/**
 * Whose job runs next: the classes of jobs, the queue that a job joins, and the pure rule that picks a queue. Reads and
 * writes nothing; `jobs.ts` keeps the turns in the database, so that a restart does not begin the order again.
 */
import type { JobKind } from './jobs.ts'

/**
 * Classes of jobs, and the reason for the place of each.
 *
 * | class        | jobs                                               | place                           | reason |
 * |--------------|----------------------------------------------------|---------------------------------|--------|
 * | visit        | all of an identity whose visit is open             | first, at most 4 turns in a row | a person stands before the kiosk or the counter and waits; one person at each screen cannot fill the queue |
 * | application  | all other jobs of an identity, a queue per application | takes turns                 | programs poll; a busy one must not delay another one |
 * | housekeeping | the kinds below                                    | takes turns like an application | nobody waits, but an erasure is owed and a decision of the desk must be carried out |
 *
 * Retention, sealing and sync need no class: deadlines are passed at every look of the runner, a proof is sealed in the
 * request that asks for it, and sync has a loop of its own.
 */
export type JobClass = 'visit' | 'application' | 'housekeeping'

/** The appliance's own duties. They use no image reader and no key can add many of them. */
const HOUSEKEEPING: readonly JobKind[] = ['finish-erasure', 'carry-out-decision']

export const VISIT_QUEUE = 'visit'
export const HOUSEKEEPING_QUEUE = 'housekeeping'

/** Four jobs of a visit are its document and its portrait, each read again once: no visit notices the fifth turn. */
const MAX_OVERTAKES = 4

/** Whose job it is. Null: the identity has been erased. */
export interface JobOwner {
  readonly applicationId: string
  /** A visit of this identity has not ended. */
  readonly isVisiting: boolean
}

/** The id of the queue that a job joins: `visit`, `housekeeping`, or the id of its application. */
export function queueOf(kind: JobKind, owner: JobOwner | null): string {
  if (HOUSEKEEPING.includes(kind) || owner === null) return HOUSEKEEPING_QUEUE
  return owner.isVisiting ? VISIT_QUEUE : owner.applicationId
}

export interface JobQueue {
  readonly id: string
  /** Number of the turn that it took last; 0: none yet. */
  readonly lastTurn: number
  /** Turns in a row that visits took while another queue waited. 0 for every other queue. */
  readonly overtakes: number
}

/** The queue whose turn it is, as it is to be saved; null when none waits. */
export interface NextTurn<Q extends JobQueue> {
  readonly queue: Q
  readonly turn: number
  /** Of the queue of visits. */
  readonly overtakes: number
}

/**
 * Picks the queue that goes next: visits first, except after MAX_OVERTAKES turns in a row; otherwise the queue whose last
 * turn is the longest ago.
 *
 * @param waiting the queues that have a job which may start now
 * @param lastTurn number of the last turn of all
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
