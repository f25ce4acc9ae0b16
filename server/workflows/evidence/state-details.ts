/**
 * Values that an issuing source needs and that were not read of a photographed document: which ones are missing, and the applicant's
 * statement of them. The statement stays beside the document, whose values never change; only the source learns it. The document is
 * verified again with it.
 */
import type { Context } from '../../context.ts'
import { AppError, fieldProblem } from '../../errors.ts'
import { isDecidedByPerson } from '../../proofing/adjudication-outcome.ts'
import { moveEvidence, type Evidence, type StatedDetails } from '../../proofing/evidence.ts'
import { withStated } from '../../proofing/issuer-question.ts'
import { judgeCardNumber } from '../../proofing/licences/number-form.ts'
import type { Caller } from '../../proofing/types.ts'
import { requireIdentity } from '../access/reach.ts'
import { evaluateIdentity } from '../identity/evaluate-identity.ts'
import { markDone } from '../identity/record-call.ts'
import { requireAllowedFor } from './add-evidence.ts'
import { findIssuerAccess } from './verification-subject.ts'

interface MissingDetails {
  /** Name of the source for people. */
  readonly source: string
  readonly fields: readonly string[]
}

interface DetailProblem {
  readonly field: keyof StatedDetails
  readonly problem: NonNullable<ReturnType<typeof judgeCardNumber>>
}

/** As `findMissing`, for a caller. */
export async function listMissingDetails(
  ctx: Context,
  caller: Caller,
  identityId: string,
  evidenceId: string,
): Promise<MissingDetails | null> {
  const identity = requireIdentity(ctx, caller, identityId, 'READ')
  return findMissing(ctx, ctx.store.evidences.get(identity.id, evidenceId))
}

/** Lists what is unusual about the typed values and should be noticed before they are sent; nothing is stored. */
export async function checkTypedDetails(
  ctx: Context,
  caller: Caller,
  identityId: string,
  evidenceId: string,
  { cardNumber }: StatedDetails,
): Promise<readonly DetailProblem[]> {
  const identity = requireIdentity(ctx, caller, identityId, 'READ')
  const { document } = ctx.store.evidences.get(identity.id, evidenceId).content
  const problem = document && cardNumber !== undefined ? judgeCardNumber(cardNumber, document) : null
  return problem ? [{ field: 'cardNumber', problem }] : []
}

/** Throws `identity_processing` while the document is being verified, `transition_refused` if nothing of it is missing, and `validation_failed` without every missing value. */
export async function stateDetails(
  ctx: Context,
  caller: Caller,
  identityId: string,
  evidenceId: string,
  stated: StatedDetails,
): Promise<void> {
  ctx.store.transaction(() => {
    const identity = requireIdentity(ctx, caller, identityId, 'ACT')
    const evidence = ctx.store.evidences.get(identity.id, evidenceId)
    requireAllowedFor(ctx, identity, evidence)
    if (evidence.status === 'PROCESSING') throw new AppError('identity_processing')
    const missing = findMissing(ctx, evidence)
    if (!missing) throw new AppError('transition_refused', { reason: 'nothing_missing' })
    const lacking = missing.fields.find((field) => stated[field as keyof StatedDetails] === undefined)
    if (lacking)
      throw fieldProblem('required', `values.${lacking}`, 'must be typed, or the question left out')
    const content = { ...evidence.content, stated }
    ctx.store.evidences.save(moveEvidence({ ...evidence, content }, 'PROCESSING'))
    ctx.store.jobs.add('verify-evidence', identity.id, { evidenceId }, ctx.clock.now())
    markDone(ctx, caller)
    evaluateIdentity(ctx, identity.id)
  })
  ctx.wakeJobs()
}

/** Null if nothing is missing, or no source may be asked about the document. */
export function findMissing(ctx: Context, evidence: Evidence): MissingDetails | null {
  const { document, stated } = evidence.content
  const isOpen = evidence.status === 'VERIFIED' || evidence.status === 'NOT_VERIFIED'
  if (!document || !isOpen || isDecidedByPerson(evidence)) return null
  if (findIssuerAccess(ctx, { id: evidence.identityId }) !== 'ALLOWED') return null
  const missing = ctx.issuers.findMissing(withStated(document, stated))
  return missing && { source: nameSource(ctx, missing.source), fields: missing.fields }
}

function nameSource({ config: { connectors } }: Context, id: string): string {
  const { issuers, issuerAu, issuerUs } = connectors
  const named = { 'issuer-au': issuerAu, 'issuer-us': issuerUs }[id] ?? issuers.find((one) => one.id === id)
  return named?.name ?? id
}
