/**
 * Issues short-lived tokens for applications that run on the applicant's device. A token is valid for one identity. The back
 * end requests it. It ends with its time, with its identity (closed or erased) and with the API key that requested it.
 */
import type { Context } from '../../context.ts'
import { AppError, fieldProblem } from '../../errors.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { Caller } from '../../proofing/types.ts'
import { toActor } from './author.ts'
import { requireTakingMore } from '../identity/lifetime.ts'
import { requireIdentity } from './reach.ts'
import { markDone } from '../identity/record-call.ts'

interface TokenRequest {
  readonly lifetimeSeconds?: number | undefined
}

/**
 * Only this answer contains the token. Throws the errors of `requireTakingMore`, and `validation_failed` for
 * a lifetime beyond the tenant's maximum; a lifetime beyond the identity's is shortened to it.
 */
export async function issueUserAgentToken(
  ctx: Context,
  caller: Caller,
  identityId: string,
  { lifetimeSeconds }: TokenRequest,
) {
  const { seconds, mostSeconds, perIdentity } = ctx.config.tenant.userAgentTokens
  if (lifetimeSeconds !== undefined && lifetimeSeconds > mostSeconds) {
    throw fieldProblem('too_large', 'lifetimeSeconds', `must be at most ${mostSeconds}`)
  }
  const { keyId: apiKeyId } = caller
  // A token stands for the key that requested it, so a call without a key cannot get one.
  if (apiKeyId === undefined) throw new AppError('forbidden')
  return ctx.store.transaction(() => {
    const identity = requireIdentity(ctx, caller, identityId, 'ACT')
    requireTakingMore(ctx, identity)
    const createdAt = ctx.clock.now()
    const wanted = new Date(createdAt.getTime() + (lifetimeSeconds ?? seconds) * 1000)
    const end = ctx.store.deadlines.find('transaction', identity.id)
    const expiresAt = end && end < wanted ? end : wanted
    ctx.store.userAgentTokens.purge(createdAt)
    const issued = { identityId: identity.id, apiKeyId, createdAt, expiresAt }
    const { tokenId, token } = ctx.store.userAgentTokens.issue(issued, perIdentity)
    const body = { tokenId, expiresAt: expiresAt.getTime() }
    ctx.store.events.append('token.issued', identity.id, body, createdAt, toActor(caller))
    markDone(ctx, caller)
    return { token, expiresAt: formatSpecDateTime(expiresAt) }
  })
}
