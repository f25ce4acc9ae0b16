/**
 * Asks in whose name a claimed payment card is, while the claim is submitted: the number is not stored, so it cannot be asked later. No
 * transaction is open during the call.
 */
import type { Context } from '../../context.ts'
import { isWithinLimit } from '../../proofing/asked-limit.ts'
import { buildCardQuestion, type AskedCard } from '../../proofing/payment-card.ts'
import type { Unasked } from '../../proofing/source-reply.ts'
import { noteCalls } from '../evidence/outside-calls.ts'
import { createPerContext } from '../per-context.ts'

/** Identities about which a question runs. */
const getRunning = createPerContext(() => new Set<string>())

export type CardNames = Parameters<typeof buildCardQuestion>[1]

/** The caller has checked consent and feature. */
export async function askCardOwner(
  ctx: Context,
  identityId: string,
  cardNumber: string,
  names: CardNames,
): Promise<AskedCard | Unasked> {
  if (!ctx.cardOwnership) return { unasked: 'CONFIGURATION' }
  const question = buildCardQuestion(cardNumber, names)
  if ('unasked' in question) return question
  const running = getRunning(ctx)
  const claim = { family: 'ID_CLAIM', id: null } as const
  if (running.has(identityId) || !isWithinLimit(claim, ctx.store.evidences.list(identityId)))
    return { unasked: 'LIMIT' }
  running.add(identityId)
  try {
    const asked = await ctx.cardOwnership.ask(question, ctx.newId())
    // The call is noted also if the claim is refused afterwards.
    ctx.store.transaction(() => noteCalls(ctx, identityId, null, [asked.call]))
    return asked
  } finally {
    running.delete(identityId)
  }
}
