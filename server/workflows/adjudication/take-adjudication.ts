/**
 * Takes the answer of an outside adjudication service from a signed callback. The signature must be valid, and an answer
 * counts once. The service counts as one adjudicator. It claims and decides in one act; a case that an adjudicator of the
 * tenant has claimed stays with them.
 */
import { z } from 'zod'
import { ADJUDICATION_ANSWERED, AdjudicationAnswered } from '../../connectors/adjudication/protocol.ts'
import type { CallbackHeaders } from '../../connectors/biometrics/biometric-server.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { moveAdjudication } from '../../proofing/adjudication.ts'
import { requireFree, type Adjudicator } from '../../proofing/adjudication-decision.ts'
import { applyAdjudication } from '../../proofing/adjudication-outcome.ts'
import { resultError } from '../../proofing/error-codes.ts'
import type { Author } from '../../store/events.ts'
import type { Scope } from '../../store/scope.ts'
import { saveEnded } from './request-adjudication.ts'
import { nameActor } from '../access/author.ts'
import { decide } from './decide-adjudication.ts'
import { announceDecision, evaluateIdentity } from '../identity/evaluate-identity.ts'
import { findCase, requireOpenCase } from './find-adjudication.ts'
import { resume } from '../identity/pause-identity.ts'
import { scopeOfTenant } from '../access/reach.ts'

const Envelope = z.object({ type: z.string() })

/**
 * Throws `callback_refused`, `malformed_body`, `callback_repeated` for an id that was carried out before,
 * `adjudication_ended` for a late answer, and the errors of every decision. Then nothing has changed, and the
 * same callback may be sent again.
 */
export async function takeAdjudicationAnswer(
  ctx: Context,
  headers: CallbackHeaders,
  body: Uint8Array,
): Promise<void> {
  const { id } = headers
  if (!ctx.adjudication.isSignedAnswer?.(headers, body) || id === undefined) {
    throw new AppError('callback_refused')
  }
  const answer = parseAnswer(body)
  // This version ignores unknown events.
  if (!answer) return
  await carryOut(ctx, id, answer.data)
  ctx.wakeJobs()
}

function parseAnswer(body: Uint8Array): AdjudicationAnswered | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'))
    return Envelope.parse(value).type === ADJUDICATION_ANSWERED ? AdjudicationAnswered.parse(value) : null
  } catch {
    // Drop the parser's message, because it quotes the text.
    throw new AppError('malformed_body')
  }
}

async function carryOut(ctx: Context, callbackId: string, data: AdjudicationAnswered['data']): Promise<void> {
  // The signature is the credential, and it belongs to the tenant.
  const scope = scopeOfTenant(ctx.config.tenant.id)
  const { serviceApplicationId } = ctx.adjudication
  const author: Author =
    serviceApplicationId === null
      ? {}
      : { actor: nameActor({ role: 'RELYING_SERVICE', applicationId: serviceApplicationId }) }
  if (data.decision === 'ERROR') {
    ctx.store.transaction(() => {
      takeOnce(ctx, callbackId)
      endInError(ctx, scope, data.adjudicationId, author)
    })
    return
  }
  const { adjudicationId, decision, reason, adjudicator } = data
  ctx.store.transaction(() => refuseRepeated(ctx, callbackId))
  const answer = { decision, reason, adjudicator: { id: adjudicator, kind: 'SERVICE' } as const }
  await decide(ctx, adjudicationId, answer, {
    scope,
    author,
    claimFirst: false,
    alongside: ({ adjudication: { status, identityId, evidenceId } }) => {
      takeOnce(ctx, callbackId)
      if (status === 'PROCESSING') return
      ctx.store.events.append(
        'adjudication.claimed',
        identityId,
        { evidenceId, adjudicationId },
        ctx.clock.now(),
        author,
      )
    },
  })
}

/** Runs first: a repeated answer is reported as such, whatever happened to its case. */
function refuseRepeated(ctx: Context, callbackId: string): void {
  if (ctx.store.adjudicationDecisions.wasTaken(callbackId)) throw new AppError('callback_repeated')
}

/** Must run inside a transaction. */
function takeOnce(ctx: Context, callbackId: string): void {
  const isNew = ctx.store.adjudicationDecisions.takeCallback(callbackId, ctx.clock.now())
  if (!isNew) throw new AppError('callback_repeated')
}

/** The service itself: there is no adjudicator's id if it could not answer. */
const NOBODY: Adjudicator = { id: '', kind: 'SERVICE' }

/** Must run inside a transaction: the service could not examine the case. The machine's findings stay. */
function endInError(ctx: Context, scope: Scope, adjudicationId: string, author: Author): void {
  const found = findCase(ctx, scope, adjudicationId)
  requireOpenCase(found)
  const { identity, evidence, adjudication } = found
  const now = ctx.clock.now()
  requireFree(adjudication.claim, NOBODY, now)
  const claimed =
    adjudication.status === 'PROCESSING' ? adjudication : moveAdjudication(adjudication, 'PROCESSING')
  const ended = {
    ...moveAdjudication(claimed, 'ERROR'),
    claim: null,
    respondedAt: now,
    errors: [resultError('1597')],
  }
  saveEnded(ctx, ended)
  const body = { evidenceId: evidence.id, adjudicationId, status: ended.status }
  ctx.store.events.append('adjudication.ended', identity.id, body, now, author)
  const after = applyAdjudication(ctx.policy(identity.tenantId), evidence, 'ERROR', null)
  ctx.store.evidences.save(after)
  announceDecision(ctx, after)
  if (identity.status === 'PAUSED') resume(ctx, author, identity)
  evaluateIdentity(ctx, identity.id)
}
