/**
 * Builds the view of a proofing at the counter: consents, captured and typed evidence, and possible next
 * acts.
 */
import { areDetailNames } from '../api/contract/stated.ts'
import { checklistFor } from '../proofing/attendance.ts'
import type { Evidence } from '../proofing/evidence.ts'
import { deriveKind } from '../proofing/evidence.ts'
import { isFromFile, showsAttendance, showsPresence } from '../proofing/presence.ts'
import type { Visit } from '../store/visits.ts'
import { isCapturedBy } from '../workflows/staff/attend-evidence.ts'
import { levelNeeds } from '../workflows/health/level-needs.ts'
import { viewAttendance, documentFault, listImages, kindOfImage } from '../workflows/staff/shown-evidence.ts'
import { describeChipQuestion } from '../workflows/capture/find-chip-question.ts'
import { isCaptured } from '../workflows/evidence/verification-subject.ts'
import { describeAddressQuestion } from '../workflows/evidence/state-address.ts'
import { findMissing } from '../workflows/evidence/state-details.ts'
import { listValues } from '../workflows/staff/evidence-values.ts'
import { findWithin } from '../workflows/access/reach.ts'
import { OFFICERS_TYPES, type AssistSetup } from './assist-setup.ts'
import { comparedRows } from './compared-rows.ts'
import type { ConsentDisplays } from './consent-displays.ts'
import { EXCEPTION_REASONS } from './contract/assist.ts'
import type {
  AssistEvidence,
  AssistResult,
  AssistView,
  Checklist,
  ConsentState,
  ExceptionReason,
} from './contract/assist.ts'
import type { CounterDeps } from './deps.ts'

export interface AssistKit {
  readonly deps: CounterDeps
  readonly setup: AssistSetup
  readonly displays: ConsentDisplays
}

export function assistView(kit: AssistKit, visit: Visit, result: AssistResult | null = null): AssistView {
  const { deps, setup } = kit
  const { store, ctx } = deps
  const identity = visit.identityId === null ? null : findWithin(ctx, deps.caller, visit.identityId)
  const evidences = identity ? store.evidences.list(identity.id).filter(({ deletedAt }) => !deletedAt) : []
  const captured = evidences.filter((evidence) => deriveKind(evidence) === 'IDDOCUMENT')
  const portrait = evidences.findLast(({ family }) => family === 'PORTRAIT') ?? null
  const typed = evidences.filter(
    ({ family, content }) => family === 'ATTRIBUTES' || content.submittedAsText === true,
  )
  const consent = describeConsent(kit, visit)
  const isBeingChecked = (evidence: Evidence): boolean =>
    evidence.status === 'PROCESSING' && !awaitsPicture(deps, evidence)
  const checking = evidences.some(isBeingChecked)
  const policy = ctx.policy(deps.caller.tenantId)
  const view = (evidence: Evidence): AssistEvidence => evidenceView(kit, visit, evidence, evidences)
  return {
    visitId: visit.id,
    identityId: identity?.id ?? null,
    reference: visit.reference,
    language: visit.language,
    channel: cameFrom(deps, visit),
    startedAt: visit.startedAt.toISOString(),
    ended: visit.endedAt !== null,
    sealed: identity?.status === 'CLOSED',
    consent,
    documents: captured.map(view),
    portrait: portrait && view(portrait),
    typed: typed.map(view),
    sources: {
      document: findDocumentQuestion(deps, evidences),
      address: identity && consent.state === 'GIVEN' ? describeAddressQuestion(ctx, identity) : null,
    },
    level: {
      reached: identity?.levelOfAssurance ?? policy.levels[0].levelOfAssurance,
      confirmedFrom: setup.confirmedFrom,
      presenceShown: isPresenceShown(kit, portrait),
      needs: (identity?.upgradePaths ?? levelNeeds(policy))[setup.confirmedFrom] ?? [],
    },
    checking,
    mayFinish:
      visit.endedAt === null &&
      consent.state === 'GIVEN' &&
      !checking &&
      evidences.length > 0 &&
      identity?.status === 'EXPECTING_INPUT',
    camera: { available: ctx.documentCamera.isConfigured },
    officerTakes: {
      withoutColours: setup.withoutColours === 'OFFICER',
      withoutTurning: setup.withoutTurning === 'OFFICER',
    },
    result,
  }
}

/** The first document whose issuing source needs a value that staff can find on it. */
export function findDocumentQuestion(
  { ctx }: CounterDeps,
  evidences: readonly Evidence[],
): AssistView['sources']['document'] {
  for (const evidence of evidences) {
    const missing = findMissing(ctx, evidence)
    if (missing && areDetailNames(missing.fields))
      return { evidenceId: evidence.id, source: missing.source, fields: missing.fields }
  }
  return null
}

/** As at the kiosk: a document alone, or a picture file of the face, confirms no person. */
export function isPresenceShown(kit: AssistKit, portrait: Evidence | null): boolean {
  if (portrait?.status !== 'VERIFIED') return false
  const shows = needsStatement(kit, portrait) ? showsAttendance : showsPresence
  return shows(portrait.evaluation.positiveIndicators)
}

/**
 * An officer took this face by a session without movement and colours, which the journey leaves to officers: only the
 * officer's statement shows the person, unless every face of this appliance is taken so.
 */
function needsStatement({ deps, setup }: Pick<AssistKit, 'deps' | 'setup'>, { content }: Evidence): boolean {
  const { officer, liveness } = content
  const isOfficers = setup.withoutColours === 'OFFICER' || setup.withoutTurning === 'OFFICER'
  const isUsual = deps.ctx.config.liveness.type === liveness?.livenessType
  return (
    isOfficers &&
    !isUsual &&
    officer !== undefined &&
    liveness !== undefined &&
    OFFICERS_TYPES.includes(liveness.livenessType)
  )
}

/** Returns the channel in which the visit began. */
function cameFrom({ store }: CounterDeps, { identityId }: Visit): AssistView['channel'] {
  if (identityId === null) return 'COUNTER'
  const context = store.identities.context(identityId)
  return context.some(({ key, value }) => key === 'CHANNEL' && value === 'KIOSK') ? 'KIOSK' : 'COUNTER'
}

function describeConsent({ deps, setup, displays }: AssistKit, visit: Visit): ConsentState {
  const { required, optional } = setup
  const recorded = visit.identityId === null ? [] : deps.store.consents.list(visit.identityId)
  const answered = (approved: boolean) =>
    [...required, ...optional].filter(
      (type) => recorded.findLast((consent) => consent.type === type)?.approved === approved,
    )
  const given = answered(true)
  const open = displays.of(visit.id)
  const context = visit.identityId === null ? [] : deps.store.identities.context(visit.identityId)
  const of = (key: string): string | null => context.find((entry) => entry.key === key)?.value ?? null
  const display = open?.display ?? of('CONSENT_DISPLAY') ?? (of('CHANNEL') === 'KIOSK' ? 'KIOSK' : null)
  const isGiven = required.every((type) => given.includes(type))
  return {
    state: isGiven
      ? 'GIVEN'
      : visit.outcome === 'REFUSED' || recorded.some(({ approved }) => !approved)
        ? 'REFUSED'
        : open
          ? 'WAITING'
          : 'NEEDED',
    required,
    optional,
    given,
    refused: answered(false),
    display: display === 'SECOND' || display === 'TURNED' || display === 'KIOSK' ? display : null,
    attendedBy: open?.attendant.staffId ?? of('ATTENDED_BY'),
  }
}

function evidenceView(
  { deps, setup }: AssistKit,
  visit: Visit,
  evidence: Evidence,
  all: readonly Evidence[],
): AssistEvidence {
  const isDocument = deriveKind(evidence) === 'IDDOCUMENT'
  const fault = documentFault(deps.ctx, evidence)
  return {
    evidenceId: evidence.id,
    type: evidence.type,
    status: evidence.status,
    awaitsPicture: awaitsPicture(deps, evidence),
    guidance: fault ? [fault.code] : (deps.listFaceReasons?.(evidence) ?? []),
    guidanceField: fault?.field ?? null,
    images: listImages(deps.ctx, evidence.id).map((image) => ({
      imageId: image.id,
      kind: kindOfImage(image),
      href: `assist/${visit.id}/images/${image.id}`,
    })),
    values: listValues(evidence),
    chip: isDocument ? describeChipQuestion(deps.ctx, evidence) : null,
    compared: comparedRows(evidence, all, deps.clock.now()),
    exceptions: evidence.family === 'PORTRAIT' ? statedExceptions(deps, visit, evidence) : [],
    capturedHere: visit.takenOverBy !== null && isCapturedBy(visit.takenOverBy, evidence),
    fromFile: isFromFile(evidence),
    needsStatement: needsStatement({ deps, setup }, evidence),
    attendance: viewAttendance(evidence),
    checklist: isDocument ? checklistView(setup, evidence.type) : null,
  }
}

/** An open capture session is evidence with the status PROCESSING, even before it has a picture. */
function awaitsPicture({ ctx }: CounterDeps, evidence: Evidence): boolean {
  const isCapture = ['IDDOCUMENT', 'PORTRAIT'].includes(deriveKind(evidence))
  return isCapture && evidence.status === 'PROCESSING' && !isCaptured(ctx, evidence)
}

/** The officer states them at the start of the capture, which is the start of its evidence. */
function statedExceptions(
  { store }: CounterDeps,
  { id }: Visit,
  { submittedAt }: Evidence,
): readonly ExceptionReason[] {
  const stated = store.visits
    .listNotes(id)
    .filter(({ kind, at }) => kind === 'EXCEPTION' && at >= submittedAt)
  return EXCEPTION_REASONS.filter((reason) => stated.some(({ code }) => code === reason))
}

export function checklistView({ attended }: AssistSetup, type: string): Checklist {
  return {
    type,
    features: checklistFor(attended, type).map(({ id, weight, tool }) => ({ id, weight, tool })),
  }
}
