/**
 * Creates address evidence from a verified document or an identity provider. It names its source, scores no higher than the
 * source, and is deleted with it. No call submitted it, so the proof refers to the call that brought the source.
 */
import type { Context } from '../../context.ts'
import { statedAddress } from '../../proofing/address-agreement.ts'
import { pickLower, ruleStrength } from '../../proofing/assurance/scores.ts'
import {
  moveEvidence,
  createEvidence,
  NOT_YET_EVALUATED,
  type AddressData,
  type Evaluation,
  type Evidence,
} from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'
import type { Level } from '../../proofing/types.ts'
import { createConsentFilter } from './consent-filter.ts'

/**
 * Must run inside a transaction, before the level is assessed. Does nothing if all derived addresses are up
 * to date.
 */
export function deriveAddresses(ctx: Context, identity: Identity): void {
  const evidences = ctx.store.evidences.list(identity.id)
  const mayUse = createConsentFilter(ctx, identity.id)
  const sources = evidences.filter((evidence) => statedAddress(evidence) !== undefined)
  const derived = evidences.filter(({ content, deletedAt }) => content.derived && deletedAt === null)
  for (const address of derived) {
    const source = sources.find(({ id }) => id === findSourceId(address))
    if (!source || source.deletedAt !== null) drop(ctx, address)
  }
  for (const source of sources.filter(({ deletedAt }) => deletedAt === null)) {
    const stated = statedAddress(source) as AddressData
    const present = derived.find((address) => findSourceId(address) === source.id)
    const stands = source.status === 'VERIFIED' && mayUse(source) && mayUse(ADDRESS)
    if (present) follow(ctx, identity, { present, source, stated, stands })
    else if (stands) add(ctx, identity, source, stated)
  }
}

const ADDRESS = { family: 'ADDRESS', type: 'ADDRESS', content: {} } as const

const findSourceId = ({ content }: Evidence): string | undefined => content.referenceIds?.[0]

function add(ctx: Context, identity: Identity, source: Evidence, address: AddressData): void {
  const now = ctx.clock.now()
  const { strength } = worth(ctx, identity, source)
  const made = createEvidence({
    id: ctx.newId(),
    identityId: identity.id,
    family: 'ADDRESS',
    type: 'ADDRESS',
    strength,
    submittedAt: now,
    content: { address, referenceIds: [source.id], derived: true },
  })
  ctx.store.evidences.add(made)
  recordWith(ctx, source, made.id, 'ADD')
  const body = { evidenceId: made.id, type: made.type }
  ctx.store.events.append('evidence.submitted', identity.id, body, now)
  decide(ctx, identity, made, source, true)
}

interface Following {
  readonly present: Evidence
  readonly source: Evidence
  readonly stated: AddressData
  readonly stands: boolean
}

/** A changed status, score or address of the source changes the derived one. */
function follow(ctx: Context, identity: Identity, { present, source, stated, stands }: Following): void {
  const { score } = worth(ctx, identity, source)
  const isSame =
    (present.status === 'VERIFIED') === stands &&
    present.score === (stands ? score : 'LEVEL0') &&
    JSON.stringify(present.content.address) === JSON.stringify(stated)
  if (isSame) return
  const again = { ...moveEvidence(present, 'PROCESSING'), content: { ...present.content, address: stated } }
  ctx.store.evidences.save(again)
  decide(ctx, identity, { ...again, revision: again.revision + 1 }, source, stands)
}

/** Runs in the transaction in which the address becomes PROCESSING, so that this state is never visible. */
function decide(
  ctx: Context,
  identity: Identity,
  address: Evidence,
  source: Evidence,
  stands: boolean,
): void {
  const now = ctx.clock.now()
  const { strength, score, evaluation } = worth(ctx, identity, source)
  const decided: Evidence = {
    ...moveEvidence(address, stands ? 'VERIFIED' : 'NOT_VERIFIED'),
    strength,
    score: stands ? score : 'LEVEL0',
    matchedReferenceId: source.id,
    evaluatedAt: now,
    evaluation: stands
      ? { ...evaluation, positiveIndicators: ['ADDRESS_DERIVED_OK'] }
      : { ...evaluation, unverifiedIndicators: ['ADDRESS_DERIVED_UNVERIFIED'] },
  }
  ctx.store.evidences.save(decided)
  const { id, identityId, type, status } = decided
  const body = { evidenceId: id, type, status, score: decided.score }
  ctx.store.events.append('evidence.decided', identityId, body, now)
}

/** Never more than its source (spec "Scoring rules" has no rule for addresses: this one is ours). */
function worth(
  ctx: Context,
  identity: Identity,
  source: Evidence,
): { strength: Level; score: Level; evaluation: Evaluation } {
  const policy = ctx.policy(identity.tenantId)
  const strength = ruleStrength(policy, 'ADDRESS')
  const evaluation = {
    ...NOT_YET_EVALUATED,
    strengthRule: strength.rule,
    scoreRule: `${policy.id}/${policy.version}:score-of-source`,
  }
  return { strength: strength.level, score: pickLower(strength.level, source.score), evaluation }
}

/** A shell stays for the proof, as for all deleted evidence. */
function drop(ctx: Context, address: Evidence): void {
  const now = ctx.clock.now()
  const source = ctx.store.evidences.find(findSourceId(address) ?? '')
  if (source) recordWith(ctx, source, address.id, 'DELETE')
  ctx.store.evidences.save({
    ...address,
    status: 'NOT_VERIFIED',
    score: 'LEVEL0',
    evaluation: NOT_YET_EVALUATED,
    deletedAt: now,
    // Not submitted: it does not count in the limit of questions.
    content: { derived: true },
  })
  ctx.store.events.append('evidence.deleted', address.identityId, { evidenceId: address.id }, now)
}

/** Records it under the call that added or deleted the source. */
function recordWith(ctx: Context, source: Evidence, subjectId: string, kind: 'ADD' | 'DELETE'): void {
  const call = ctx.store.operations
    .list(source.identityId)
    .findLast((operation) => operation.subjectId === source.id && operation.kind === kind)
  // The spec has no operation name for addresses (`submit-data`), so it uses ATTRIBUTES.
  if (call) ctx.store.operations.add({ ...call, id: ctx.newId(), subjectId, name: 'ATTRIBUTES', kind })
}
