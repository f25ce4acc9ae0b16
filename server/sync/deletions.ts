/** Takes the signed receipts of proofs that the central service has deleted into the audit log of this kiosk. */
import { createHash } from 'node:crypto'
import type { JWK } from 'jose'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { readStatement } from '../protocol/statements.ts'
import { MAX_DELETIONS, type CentralTrust, type Statement } from '../protocol/wire.ts'
import type { CentralClient } from './central-client.ts'

/** The proof of the newest receipt in the log. */
const CURSOR = 'sync-last-deletion'
/** Pages after one status; the next status continues. */
const MAX_PAGES = 20

interface ReadReceipt {
  readonly statement: Statement<'deletion'>
  readonly receiptSha256: string
}

/**
 * Returns the number of new receipts. Throws CentralTroubleError, and `statement_refused` for a receipt that is not the
 * central service's statement about a proof of this kiosk; the receipts before it stay in the log.
 * @param newest proof of the newest deletion, as the answer to a status names it; undefined: none
 */
export async function takeDeletions(
  ctx: Pick<Context, 'store' | 'clock'>,
  { client, trust }: { readonly client: CentralClient; readonly trust: CentralTrust },
  newest: string | undefined,
  signal?: AbortSignal,
): Promise<number> {
  const { store } = ctx
  let taken = 0
  for (let page = 0; page < MAX_PAGES && newest !== undefined; page++) {
    const after = store.meta.getJson(CURSOR) as string | null
    if (after === newest) break
    const receipts = await client.deletions(after, signal)
    const read = await Promise.all(receipts.map((jws) => readReceipt(jws, store.applianceId, trust)))
    taken += record(ctx, read)
    if (receipts.length < MAX_DELETIONS) break
  }
  return taken
}

async function readReceipt(jws: string, kioskId: string, trust: CentralTrust): Promise<ReadReceipt> {
  const statement = await readStatement('deletion', jws, trust.statementKeys.keys as JWK[])
  if (statement.kioskId !== kioskId) throw new AppError('statement_refused', { kind: 'deletion' })
  return { statement, receiptSha256: createHash('sha256').update(jws, 'ascii').digest('hex') }
}

/** A restored central service names receipts again: each is in the log once. */
function record({ store, clock }: Pick<Context, 'store' | 'clock'>, read: readonly ReadReceipt[]): number {
  let recorded = 0
  store.transaction(() => {
    for (const { statement, receiptSha256 } of read) {
      const { proofId, sequence, hash, reason } = statement
      const entry = store.outbox.findByProof(proofId)
      if (entry && (entry.hash !== hash || entry.sequence !== sequence)) {
        throw new AppError('statement_refused', { kind: 'deletion' })
      }
      store.meta.setJson(CURSOR, proofId)
      if (store.outbox.isDeletedThere(proofId)) continue
      const body = { proofId, sequence, receiptSha256 }
      const author = { actor: 'centre', reason: reason === 'RETENTION' ? reason : 'DELETE' } as const
      // A kiosk whose backup was restored may not know the proof.
      store.events.append('outbox.deleted', entry?.identityId ?? null, body, clock.now(), author)
      recorded++
    }
  })
  return recorded
}
