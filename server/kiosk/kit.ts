/** The parts that every act of a visit needs: the visit as it is now, and the caller. Decides nothing. */
import type { Request } from 'express'
import { clientAddress } from '../http/client-address.ts'
import { areDetailNames } from '../api/contract/stated.ts'
import { AppError } from '../errors.ts'
import { PRODUCT_VERSION } from '../version.ts'
import type { CaptureDevice } from '../proofing/evidence.ts'
import type { Caller } from '../proofing/types.ts'
import { readFields } from './check-fields.ts'
import type { CheckField, StepKind, VisitView } from './contract/index.ts'
import type { CaptureStepName, VisitFacts } from './facts.ts'
import type { Known, MissingDetails } from './known.ts'
import { listSteps } from './steps.ts'
import type { KioskDeps } from './port.ts'
import type { SessionKeeper } from './session-keeper.ts'
import type { KioskSession } from './sessions.ts'
import { listEndedTries } from './try-ends.ts'
import type { VisitRecord } from './visit-record.ts'
import { visitView } from './visit-view.ts'

/** Names the capture component of our own screens as the source of pictures. The camera model is unknown. */
export const OUR_SCREENS: CaptureDevice = {
  channel: 'webSDK',
  sdkInfo: { sdkVersion: PRODUCT_VERSION },
}

export interface Kit {
  readonly deps: KioskDeps
  readonly record: VisitRecord
  readonly keeper: SessionKeeper
}

/** One request of one visit. */
export interface Turn {
  readonly kit: Kit
  readonly session: KioskSession
  readonly caller: Caller
}

/** Changes the facts and stores them immediately, so that they survive a restart. */
export function change({ kit, session }: Pick<Turn, 'kit' | 'session'>, facts: Partial<VisitFacts>): void {
  session.facts = { ...session.facts, beginsAnew: null, ...facts }
  kit.keeper.keep(session)
}

/** Throws `consent_missing` before the applicant has agreed. */
export function requireIdentity({ session }: Pick<Turn, 'session'>): string {
  if (session.identityId === null || !session.facts.consented) throw new AppError('consent_missing')
  return session.identityId
}

/** Reads everything that the present step depends on. */
export async function readKnownFacts(turn: Turn): Promise<Known> {
  const { kit, session, caller } = turn
  const { workflows, journey, guidance, settings, isOffline, isStaffed, clock } = kit.deps
  const { facts, identityId, language } = session
  const identity =
    identityId !== null && facts.consented
      ? await workflows.getIdentity(caller, identityId, { detailed: false })
      : null
  const isOpen = async (step: CaptureStepName): Promise<boolean> => {
    const { current } = facts[step]
    return current?.sessionId ? isCaptureOpen(kit.deps, current.sessionId) : false
  }
  const open = { document: await isOpen('document'), portrait: await isOpen('portrait') }
  const documentId = facts.document.current?.evidenceId
  const document = identity?.idDocuments?.find(({ evidenceId }) => evidenceId === documentId)
  const isRead = document?.idDocumentData !== undefined && identityId !== null
  const asksDetails = journey.steps.some(({ kind }) => kind === 'details')
  const lines = isRead ? await workflows.readLines(caller, identityId, document.evidenceId) : []
  const asksChip = journey.steps.some(({ kind }) => kind === 'chip')
  const refusesAddress = identity?.consents.findLast(({ type }) => type === 'ADDRESS')?.approved === false
  // An address of its own is not stored against the applicant's refusal.
  const mayCorrect = (field: CheckField): CheckField =>
    field.name === 'address' && refusesAddress ? { ...field, editable: false } : field
  return {
    journey,
    guidance,
    settings,
    language,
    facts,
    identity,
    open,
    fields: document?.idDocumentData ? readFields(document.idDocumentData, lines).map(mayCorrect) : [],
    missing: isRead && asksDetails ? await findMissing(turn, document.evidenceId) : null,
    address:
      identity && identityId !== null && asksDetails
        ? await workflows.findAddressQuestion(caller, identityId)
        : null,
    chip:
      identity && identityId !== null && asksChip && document
        ? await workflows.findChipQuestion(caller, identityId, document.evidenceId)
        : null,
    offline: isOffline?.() ?? false,
    isStaffed: isStaffed(),
    judgesLiveness: await kit.deps.livenessJudge(),
    now: clock.now(),
  }
}

async function findMissing(
  { kit, session, caller }: Turn,
  evidenceId: string,
): Promise<MissingDetails | null> {
  const identityId = session.identityId ?? ''
  const missing = await kit.deps.workflows.listMissingDetails(caller, identityId, evidenceId)
  return missing && areDetailNames(missing.fields) ? { source: missing.source, fields: missing.fields } : null
}

async function isCaptureOpen({ workflows }: KioskDeps, sessionId: string): Promise<boolean> {
  try {
    await workflows.getCaptureSession(sessionId)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return false
    throw error
  }
}

/** Records each ended try once. */
function noteEnds({ kit, session }: Turn, known: Known): void {
  const { told } = session.facts
  const ended = listEndedTries(known).filter(({ key }) => !told.includes(key))
  if (ended.length === 0) return
  for (const { step, end } of ended) {
    kit.record.tryEnded(session, step, end)
    if (end === 'PORTRAIT_OURS') kit.record.note(session, 'FAULT', end, step)
  }
  session.facts = { ...session.facts, told: [...told, ...ended.map(({ key }) => key)] }
  kit.keeper.keep(session)
}

/** Returns the visit for the page. Records the step that was entered. */
export async function viewVisit(turn: Turn): Promise<VisitView> {
  const { kit, session } = turn
  const known = await readKnownFacts(turn)
  noteEnds(turn, known)
  const line = listSteps(known)
  const { present } = line
  const { seen } = session.facts
  if (!seen.includes(present)) change(turn, { seen: [...seen, present] })
  kit.record.enter(session, present)
  const row = kit.record.find(session) ?? {
    reference: null,
    helpAskedAt: null,
    helpAnswer: null,
    held: null,
    takenOverBy: null,
  }
  return visitView({ ...known, facts: session.facts }, line, row)
}

/** Returns the visit if its present step is one of these. Throws `transition_refused` otherwise. */
export async function requireStep(turn: Turn, ...steps: readonly StepKind[]): Promise<Known> {
  const known = await readKnownFacts(turn)
  noteEnds(turn, known)
  const { present } = listSteps(known)
  if (!steps.includes(present)) throw new AppError('transition_refused', { step: present })
  return known
}

/** Returns the caller: the kiosk's own application, by this request (null: by the clock). */
export function callerFor({ deps }: Kit, req: Request | null): Caller {
  return {
    ...deps.kioskCaller(),
    correlationId: deps.newId(),
    method: req?.method === 'GET' || req?.method === 'DELETE' ? req.method : req ? 'POST' : 'DELETE',
    // The route, never its parameters.
    uri: req ? `${req.baseUrl}${readRoute(req)}` : '/kiosk/api/session',
    remoteAddress: req ? clientAddress(req) || null : null,
    startedAt: deps.clock.now(),
  }
}

function readRoute(req: Request): string {
  const route = req.route as { readonly path?: unknown } | undefined
  return typeof route?.path === 'string' ? route.path : req.path
}
