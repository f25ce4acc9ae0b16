/**
 * Sends again the proofs that the central service has acknowledged and does not have any more, because its database was
 * restored to an earlier state. A proof that this kiosk has erased since is reported as lost.
 */
import type { JWK } from 'jose'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { readStatement } from '../protocol/statements.ts'
import type { CentralTrust, Statement } from '../protocol/wire.ts'
import type { OutboxEntry } from '../store/outbox.ts'
import { APPLIANCE } from '../store/scope.ts'

/** Rows of one transaction; the next statement names the rest. */
const MAX_ROWS = 1_000

type MissingContext = Pick<Context, 'store' | 'clock'>

interface SentAgain {
  readonly queued: number
  /** The proof is not here any more. */
  readonly lost: number
  /** Withdrawn and lost numbers, which are reported again. */
  readonly numbers: number
}

/**
 * Throws `statement_refused` unless it is the central service's statement for this kiosk and this nonce. @param nonce empty
 * on a USB stick
 */
export async function readMissing(
  { store }: Pick<Context, 'store'>,
  jws: string,
  nonce: string,
  trust: CentralTrust,
): Promise<Statement<'missing-proofs'>> {
  const statement = await readStatement('missing-proofs', jws, trust.statementKeys.keys as JWK[])
  if (statement.nonce !== nonce || statement.kioskId !== store.applianceId) {
    throw new AppError('statement_refused', { kind: 'missing-proofs' })
  }
  return statement
}

/**
 * Queues the rows of these numbers again.
 * @param before only receipts of an earlier time count: a proof that arrived since is not missing
 */
export function sendAgain(
  { store, clock }: MissingContext,
  { ranges }: Pick<Statement<'missing-proofs'>, 'ranges'>,
  before: Date,
): SentAgain {
  const counts = { queued: 0, lost: 0, numbers: 0 }
  store.transaction(() => {
    let room = MAX_ROWS
    for (const range of ranges) {
      const entries = room > 0 ? store.outbox.settledBefore(range, before, room) : []
      room -= entries.length
      for (const entry of entries) counts[reopen({ store, clock }, entry)]++
    }
  })
  return counts
}

/** Must run inside a transaction. Events say the new state of the row, because only they confirm it. */
function reopen(
  { store, clock }: MissingContext,
  { sequence, proofId, identityId, state }: OutboxEntry,
): keyof SentAgain {
  const author = { actor: 'centre', reason: 'REQUEUED' } as const
  const body = { proofId, sequence }
  // A proof that was deleted there must not return by this kiosk: its number is reported as withdrawn.
  const given = store.outbox.isDeletedThere(proofId) ? 'WITHDRAWN' : state
  if (given === 'WITHDRAWN' || given === 'LOST') {
    store.outbox.reopen(sequence, given)
    const type = given === 'LOST' ? 'outbox.lost' : 'outbox.withdrawn'
    store.events.append(type, identityId, body, clock.now(), author)
    return 'numbers'
  }
  const isHere = store.proofs.get(proofId) !== null && !store.erasures.find(APPLIANCE, identityId)
  store.outbox.reopen(sequence, isHere ? 'QUEUED' : 'LOST')
  store.events.append(isHere ? 'outbox.queued' : 'outbox.lost', identityId, body, clock.now(), author)
  return isHere ? 'queued' : 'lost'
}
