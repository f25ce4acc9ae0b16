/** Explains the level of a proofing: the evidence that counts, the profile that is met, and what the other profiles lack. */
import type { Context } from '../../context.ts'
import { explain } from '../../proofing/assurance/explain.ts'
import { describeCheck } from '../../proofing/assurance/known-checks.ts'
import type { Missing } from '../../proofing/assurance/closest.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'
import { readAssuranceFacts } from '../identity/assurance-facts.ts'

export function explainLevel(ctx: Context, identity: Identity, evidences: readonly Evidence[]) {
  const policy = ctx.policy(identity.tenantId)
  const explained = explain(policy, readAssuranceFacts(ctx, identity.id, evidences))
  return {
    levelOfAssurance: identity.levelOfAssurance,
    policy: explained.policy,
    profile: identity.assessment?.profile ?? null,
    heldDownBy: identity.assessment?.heldDownBy ?? [],
    evidences: explained.evidences.map(({ id, type, counted, leftOut }) => ({
      evidenceId: id,
      type,
      counted,
      leftOut,
    })),
    profiles: explained.profiles.map(({ name, levelOfAssurance, met, missing }) => ({
      name,
      levelOfAssurance,
      met,
      missing: missing.map(explainMissing),
    })),
    upgradePaths: identity.upgradePaths,
  }
}

function explainMissing(missing: Missing) {
  const of = (name: string, needed?: string | number, reached?: string | number, words?: string) => ({
    what: missing.what,
    name,
    needed: needed === undefined ? null : String(needed),
    reached: reached === undefined ? null : String(reached),
    words: words ?? null,
  })
  switch (missing.what) {
    case 'PIECE':
      return of(missing.evidence)
    case 'MARK':
      return of(missing.mark, missing.needed, missing.reached)
    case 'SCALE':
      return of(missing.scale, missing.needed, missing.reached)
    case 'SCORE':
    case 'STRENGTH':
      return of(missing.what, missing.needed, missing.reached)
    case 'CHECK':
      return of(missing.check, undefined, undefined, describeCheck(missing.check))
    case 'CAP':
      return of(missing.indicator, undefined, missing.maximum)
  }
}
