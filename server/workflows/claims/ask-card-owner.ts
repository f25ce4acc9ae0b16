/**
 * Asks in whose name a claimed payment card is, while the claim is submitted: the number is not stored, so it cannot be asked later. No
 * transaction is open during the call.
 */
import type { Context } from '../../context.ts'
import { buildCardQuestion, type ClaimedCard } from '../../proofing/payment-card.ts'
import { noteCalls } from '../evidence/outside-calls.ts'
import { createPerContext } from '../per-context.ts'

/** Claims of one identity whose cards are asked about: the answer must not serve to try out numbers and names. */
const MAX_CARDS = 5

/** Identities about which a question runs. */
const getRunning = createPerContext(() => new Set<string>())

type Names = Parameters<typeof buildCardQuestion>[1]

/** Undefined: the question was not put. The caller has checked consent and feature. */
export async function askCardOwner(
  ctx: Context,
  identityId: string,
  cardNumber: string,
  names: Names,
): Promise<ClaimedCard['asked']> {
  const question = buildCardQuestion(cardNumber, names)
  const running = getRunning(ctx)
  if (!ctx.cardOwnership || !question || running.has(identityId) || hasAskedEnough(ctx, identityId))
    return undefined
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

function hasAskedEnough({ store }: Context, identityId: string): boolean {
  const claims = store.operations
    .list(identityId)
    .filter(({ name, kind }) => name === 'ID_CLAIM' && kind === 'ADD')
  return claims.length >= MAX_CARDS
}
