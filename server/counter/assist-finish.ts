/**
 * Ends a proofing at the counter: sealed, left to the desk, or stopped; and issues the receipt, whose code is
 * shown once.
 */
import type { Router } from 'express'
import { AppError } from '../errors.ts'
import type { Evidence } from '../proofing/evidence.ts'
import { createReceiptCode, qrCode, receiptText, toReference } from '../screens/receipt.ts'
import type { Visit, VisitOutcome } from '../store/visits.ts'
import { endVisit, enterStep, runningVisit } from '../workflows/staff/counter-visits.ts'
import type { StaffCaller } from '../workflows/adjudication/desk-review.ts'
import { findWithin, requireIdentity } from '../workflows/access/reach.ts'
import { needs } from './access.ts'
import { assistView, isPresenceShown, type AssistKit } from './assist-view.ts'
import { requireAgreedVisit, VISIT } from './assist-visit.ts'
import { staffCaller } from './caller.ts'
import { FinishBody, StopBody, type AssistResult, type AssistView } from './contract/assist.ts'
import type { CounterPhotos } from './counter-photos.ts'
import type { CounterDeps } from './deps.ts'
import { idParam } from '../http/parse.ts'
import { parseJsonBody } from './guard.ts'

export function addEnds(router: Router, kit: AssistKit, photos: CounterPhotos): void {
  const { deps } = kit
  const { ctx, workflows } = deps
  const may = needs('proofings:assist')

  router.post(`${VISIT}/finish`, may, async (req, res) => {
    const { notConfirmed } = await parseJsonBody(req, FinishBody)
    const { caller, visit, identityId } = requireAgreedVisit(kit, req)
    const view = assistView(kit, visit)
    if (!view.mayFinish) throw new AppError('transition_refused', { reason: 'not_ready' })
    if (!notConfirmed && !isAwaited(listPresent(kit, identityId)) && !isEnough(view.level)) {
      throw new AppError('transition_refused', { reason: 'not_confirmed' })
    }
    photos.forget(visit.id)
    await stopChips(kit, caller, identityId)
    const { outcome, visit: done } = await finish(kit, caller, visit, identityId)
    res.json(assistView(kit, done, issueReceipt(deps, done, identityId, outcome)))
  })

  router.post(`${VISIT}/stop`, may, async (req, res) => {
    const { reason } = await parseJsonBody(req, StopBody)
    const caller = staffCaller(deps, req)
    const visit = runningVisit(ctx, caller, idParam(req, 'visitId'))
    photos.forget(visit.id)
    const identity = visit.identityId === null ? null : findWithin(ctx, caller, visit.identityId)
    const outcome: VisitOutcome = reason === 'PERSON_LEFT' ? 'WALKED_AWAY' : 'STOPPED'
    endVisit(ctx, caller, visit, outcome)
    if (identity) await stopChips(kit, caller, identity.id)
    // A sealed proof cannot be withdrawn here: that is a separate erasure with a reason.
    if (identity && identity.status !== 'CLOSED') await workflows.eraseIdentity(caller, identity.id)
    res.status(204).end()
  })
}

/** The reader must not read the document of the next applicant for this one. */
async function stopChips(kit: AssistKit, caller: StaffCaller, identityId: string): Promise<void> {
  for (const { id } of listPresent(kit, identityId))
    await kit.deps.workflows.stopChipReading(caller, identityId, id)
}

/** Seals the proof. If a case waits at the desk, it does not seal, because no decision would be possible afterwards. */
async function finish(
  kit: AssistKit,
  caller: StaffCaller,
  visit: Visit,
  identityId: string,
): Promise<{ readonly outcome: AssistResult['outcome']; readonly visit: Visit }> {
  const { ctx, store, workflows } = kit.deps
  const evidences = listPresent(kit, identityId)
  if (isAwaited(evidences)) {
    const waiting = { ...visit, step: 'result', outcome: 'PERSON' as const }
    store.visits.save(waiting)
    return { outcome: 'PERSON', visit: waiting }
  }
  await workflows.sealProof(caller, identityId)
  const { levelOfAssurance: reached } = requireIdentity(ctx, caller, identityId, 'READ')
  const portrait = evidences.findLast(({ family }) => family === 'PORTRAIT') ?? null
  const { confirmedFrom } = kit.setup
  const isConfirmed = isEnough({ reached, confirmedFrom, presenceShown: isPresenceShown(kit, portrait) })
  const outcome = isConfirmed ? 'CONFIRMED' : 'NOT_CONFIRMED'
  return { outcome, visit: endVisit(ctx, caller, enterStep(ctx, visit, 'result'), outcome) }
}

function listPresent({ deps }: AssistKit, identityId: string): readonly Evidence[] {
  return deps.store.evidences.list(identityId).filter(({ deletedAt }) => deletedAt === null)
}

const isAwaited = (evidences: readonly Evidence[]): boolean =>
  evidences.some(({ status }) => status === 'ADJUDICATION')

/** True if the level is at least `confirmedFrom` and the portrait shows that the applicant was present. */
function isEnough({
  reached,
  confirmedFrom,
  presenceShown,
}: Pick<AssistView['level'], 'reached' | 'confirmedFrom' | 'presenceShown'>): boolean {
  return presenceShown && levelNumber(reached) >= levelNumber(confirmedFrom)
}

function levelNumber(level: string): number {
  return Number(level.replace(/^LOA/, ''))
}

/** The code is shown only now; a second finish creates another one. */
function issueReceipt(
  { store, clock }: CounterDeps,
  { id }: Visit,
  identityId: string,
  outcome: AssistResult['outcome'],
): AssistResult {
  const reference = toReference(identityId)
  const code = createReceiptCode()
  store.visits.setCode(id, code)
  const at = clock.now()
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  const issuedAt = local.toISOString().slice(0, 'yyyy-MM-ddTHH:mm'.length)
  return { outcome, reference, code, qr: qrCode(receiptText({ reference, code })), issuedAt }
}
