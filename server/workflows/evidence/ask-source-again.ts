/**
 * Asks issuing sources, registers of addresses and sources of attributes again that did not answer (`next-try.ts` decides when). The question goes out with
 * no transaction open. An answer that comes late is saved, then judged with the evidence, and changes the result; until then, and
 * after the last try, the check is `…_UNVERIFIED`. `claims/ask-operator.ts` puts the operator's question.
 */
import type { Context } from '../../context.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import { withStated } from '../../proofing/issuer-question.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { judgeStanding, planNextTry } from './next-try.ts'
import { keepReplies, listNewCalls, noteCalls, type SourceReplies } from './outside-calls.ts'
import { findResident } from './verification-subject.ts'
import { verifyAgain, type VerifyResult } from './verify-evidence.ts'

type Asked = 'issuer' | 'addressRegister' | 'bureaus'

/** Jobs `ask-issuer`, `ask-address-register` and `ask-bureaus`. */
export async function askSourceAgain(
  ctx: Context,
  kind: Asked,
  identityId: string,
  evidenceId: string,
): Promise<VerifyResult> {
  const evidence = ctx.store.evidences.find(evidenceId)
  if (!evidence || judgeStanding(ctx, kind, evidence) !== 'ASK') return 'skipped'
  // A source whose answer was saved before the job was killed is not asked again.
  const replies = await ASK[kind](ctx, evidence)
  const isAnswered = ctx.store.transaction(() => save(ctx, kind, evidence, replies))
  return isAnswered ? verifyAgain(ctx, identityId, evidenceId) : 'done'
}

const NONE_ASKED: SourceReplies = { issuer: null, addressRegister: null, bureaus: [] }

const ASK: Readonly<Record<Asked, (ctx: Context, evidence: Evidence) => Promise<SourceReplies>>> = {
  issuer: async (ctx, { id, content: { document, stated, issuer } }) => {
    const reply = document ? await ctx.issuers.ask(id, withStated(document, stated), issuer) : null
    return { ...NONE_ASKED, issuer: reply && 'outcome' in reply ? reply : null }
  },
  addressRegister: async (ctx, { id, identityId, content: { address, addressRegister } }) => {
    const identity = ctx.store.identities.find(APPLIANCE, identityId)
    const resident = identity && findResident(ctx, identity)
    const asked = address ? await ctx.addressRegisters.ask(id, address, resident, addressRegister) : null
    return { ...NONE_ASKED, addressRegister: asked && 'outcome' in asked ? asked : null }
  },
  bureaus: async (ctx, { id, content: { claim, bureaus } }) => {
    const asked = claim ? await ctx.bureaus.ask(id, claim, bureaus ? { replies: bureaus } : {}) : []
    return { ...NONE_ASKED, bureaus: 'unasked' in asked ? [] : asked }
  },
}

/** Must run inside a transaction. True if an answer is to be judged. */
function save(ctx: Context, kind: Asked, { id, identityId }: Evidence, replies: SourceReplies): boolean {
  noteCalls(ctx, identityId, id, listNewCalls(replies))
  const evidence = ctx.store.evidences.find(id)
  // The evidence was erased in the meantime, or may no longer be asked about.
  if (!evidence || judgeStanding(ctx, kind, evidence) === 'OVER') return false
  const kept = keepReplies(evidence.content, replies, { areJudged: false })
  const noted = { ...evidence, content: { ...evidence.content, ...kept } }
  ctx.store.evidences.save(noted)
  planNextTry(ctx, kind, noted)
  return [kept.issuer, kept.addressRegister, ...Object.values(kept.bureaus ?? {})].some(
    (asked) => asked?.isUnjudged === true,
  )
}
