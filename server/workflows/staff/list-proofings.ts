/** Lists the visits of a period for staff: times, steps, outcomes and flags, without names. Changes nothing. */
import type { Context } from '../../context.ts'
import { isHardToRead } from '../../proofing/document-fault.ts'
import { isUndecided, type Evidence } from '../../proofing/evidence.ts'
import { APPLIANCE } from '../../store/scope.ts'
import type { Visit, VisitNote } from '../../store/visits.ts'
import { isCaptured } from '../evidence/verification-subject.ts'
import { documentFault } from './shown-evidence.ts'

/** More tries than this need attention: ux counts three failed attempts before the way is changed. */
const MANY_TRIES = 3

type ListedFlag =
  | 'HELP'
  | 'HARD_TO_READ'
  | 'FACE_DIFFERS'
  | 'FOR_A_PERSON'
  | 'FAULT'
  | 'MANY_TRIES'
  | 'TAKEN_OVER'
  | 'GOES_ON'
  | 'CHECK_STOPPED'

export interface ListedProofing {
  readonly visit: Visit
  readonly durationSeconds: number
  readonly tries: number
  readonly flags: readonly ListedFlag[]
}

type Listing = Pick<Context, 'store' | 'clock' | 'documentFaults'>

/** Newest first. The evidence that is loaded for the flags is not returned. */
export function listProofings(
  ctx: Listing,
  span: { readonly since: Date; readonly until: Date },
): readonly ListedProofing[] {
  return ctx.store.visits.list(span).map((visit) => listProofing(ctx, visit))
}

export function listProofing(ctx: Listing, visit: Visit): ListedProofing {
  const notes = ctx.store.visits.listNotes(visit.id)
  const end = visit.endedAt ?? ctx.clock.now()
  const tries = notes.filter(({ kind }) => kind === 'TRY').length
  return {
    visit,
    durationSeconds: Math.max(0, Math.round((end.getTime() - visit.startedAt.getTime()) / 1000)),
    tries,
    flags: listFlags(ctx, visit, notes, tries),
  }
}

/** True for a sealed or erased proof; without an identity there was none to finish. */
export function isFinished({ store }: Pick<Context, 'store'>, { identityId, reference }: Visit): boolean {
  if (identityId === null) return reference !== null
  return store.identities.find(APPLIANCE, identityId)?.status === 'CLOSED'
}

/** False for a sealed or erased identity, which cannot be decided. */
function isOpen({ store }: Listing, { identityId }: Visit): boolean {
  const identity = identityId === null ? null : store.identities.find(APPLIANCE, identityId)
  return identity !== null && identity.status !== 'CLOSED'
}

/** Empty for an identity that is being erased. */
function listEvidences({ store }: Listing, { identityId }: Visit): readonly Evidence[] {
  if (identityId === null || !store.identities.find(APPLIANCE, identityId)) return []
  return store.evidences.list(identityId).filter(({ deletedAt }) => deletedAt === null)
}

function listFlags(
  ctx: Listing,
  visit: Visit,
  notes: readonly VisitNote[],
  tries: number,
): readonly ListedFlag[] {
  const { channel, helpAskedAt, outcome, takenOverBy } = visit
  const evidences = listEvidences(ctx, visit)
  const did = (act: string): boolean => notes.some(({ kind, code }) => kind === 'ACT' && code === act)
  // A capture that ended without a picture is no document that was hard to read.
  const documents = evidences.filter(
    (evidence) => evidence.family === 'IDDOCUMENT' && isCaptured(ctx, evidence),
  )
  const holds: Readonly<Record<ListedFlag, boolean>> = {
    HELP: helpAskedAt !== null || did('HELP'),
    HARD_TO_READ: documents.some(
      (evidence) => evidence.status === 'NOT_VERIFIED' && isHardToRead(documentFault(ctx, evidence)),
    ),
    FACE_DIFFERS: notes.some(({ kind, code }) => kind === 'END' && code === 'PORTRAIT_DIFFERS'),
    FOR_A_PERSON:
      (outcome === 'PERSON' && isOpen(ctx, visit) && !(channel === 'KIOSK' && takenOverBy !== null)) ||
      evidences.some(({ status }) => status === 'ADJUDICATION'),
    FAULT: notes.some(({ kind }) => kind === 'FAULT'),
    MANY_TRIES: tries > MANY_TRIES,
    TAKEN_OVER: channel === 'KIOSK' && takenOverBy !== null,
    GOES_ON: did('TAKEN_OVER'),
    CHECK_STOPPED: evidences.some(
      ({ status, evaluation }) =>
        !isUndecided(status) && evaluation.unverifiedIndicators.includes('VERIFICATION_UNVERIFIED'),
    ),
  }
  return (Object.keys(holds) as ListedFlag[]).filter((flag) => holds[flag])
}
