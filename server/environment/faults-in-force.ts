/**
 * Determines the present faults of the appliance, and the indicators that evidence carries because of them.
 * Owns: the check of every part. Never: the level that such evidence may reach (the policy's caps), or the
 * name of a fault (resources/degraded.json).
 */
import { setTimeout as wait } from 'node:timers/promises'
import { loadFaultRules } from '../config/degraded.ts'
import type { Context } from '../context.ts'
import { KIND_OF_FAMILY } from '../proofing/assurance/build-facts.ts'
import { faultIndicators, type Fault, type FaultRule } from '../proofing/assurance/faults.ts'
import type { PieceKind } from '../proofing/assurance/facts.ts'
import type { SubmissionRule } from '../proofing/assurance/policy.ts'
import { cameraStateHere, type CameraState } from '../proofing/antifraud/device-integrity.ts'
import {
  findFaults,
  type AbilityState,
  type ConnectorName,
  type EnvironmentFacts,
  type Touching,
} from '../proofing/antifraud/faults.ts'
import { deviceState, inspectionState } from '../proofing/antifraud/ledger.ts'
import { currentOn, isOlderThan } from '../proofing/antifraud/watchlist.ts'
import { deriveKind, type Evidence, type EvidenceFamily } from '../proofing/evidence.ts'
import { formatSpecDateTime, getToday } from '../proofing/time.ts'
import { FRAUD_CHECK_TYPES, type FraudCheckType } from '../proofing/types.ts'
import type { VerificationRecord } from '../proofing/verification-record.ts'

/**
 * A busy worker answers between two measurements; a verdict does not wait longer than this for the answer.
 */
const PATIENCE_MS = 2_000
/** The worker's abilities change only when it restarts. */
const KNOWN_FOR_MS = 30_000

/** Facts that are not in the context itself. */
export interface Contact {
  /** Time of the last contact with the central service, milliseconds since 1970; null: never. */
  readonly lastContactAt: number | null
}

/** Call it before the transaction that needs it: it asks the vision worker. */
export async function environmentFacts(ctx: Context, contact: Contact): Promise<EnvironmentFacts> {
  return { ...factsWithoutVision(ctx, contact), abilities: await abilitiesOfWorker(ctx) }
}

/** Returns immediately, for evidence without pictures. */
export function factsWithoutVision(ctx: Context, contact: Contact): EnvironmentFacts {
  const { antifraud, environment } = ctx.config
  const statement = ctx.time.statement()
  const [, today] = getToday(statement)
  const state = deviceState(ctx.store.deviceLedger.list())
  const register = ctx.store.documentRegisters.current()
  return {
    abilities: [],
    clock: statement.source,
    connectorsDown: connectorsDown(ctx),
    silentForMs: silentForMs(ctx, contact),
    offlineHours: environment.offlineHours,
    inspection: inspectionState(state, environment.inspection?.everyDays, statement.latest),
    tampered: state.open.length > 0,
    watchlistOutdated: watchlistDates(ctx).some((date) =>
      isOlderThan(date, antifraud.watchlist.listDays, today),
    ),
    registerOutdated:
      register !== null && isOlderThan(register.date, antifraud.documentStatus.registerDays, today),
  }
}

/** Returns the indicators of faults that affect an evidence, with their record for the proof; null: none. */
export function faultsTouching(
  ctx: Context,
  facts: EnvironmentFacts,
  evidence: Evidence,
): { readonly indicators: readonly string[]; readonly record: VerificationRecord } | null {
  const about: Touching = {
    touched: evidence.family,
    ...findCamera(ctx, evidence),
    live: evidence.content.liveness !== undefined,
  }
  const rules = rulesFor(findFaults(facts, about), about)
  if (rules.length === 0) return null
  return { indicators: rules.map(({ indicator }) => indicator), record: buildRecord(ctx, rules) }
}

/**
 * Returns the indicators that this submission would carry now. @param camera state of the camera that takes
 * its pictures; absent: our own
 */
export function faultsTouchingSubmission(
  facts: EnvironmentFacts,
  { evidence, checks }: SubmissionRule,
  camera?: CameraState,
): readonly string[] {
  if (evidence === 'ANTIFRAUD') {
    return checks.flatMap((name) => {
      const check = FRAUD_CHECK_OF[name]
      return listIndicators(facts, { touched: 'ANTIFRAUD', ...(check ? { check } : {}) })
    })
  }
  const touched = FAMILY_OF[evidence]
  return listIndicators(facts, {
    touched,
    live: checks.includes('BIOMETRIC_LIVENESS'),
    ...(camera && hasPictures(touched) ? { camera } : {}),
  })
}

const hasPictures = (touched: Touching['touched']): boolean =>
  touched === 'IDDOCUMENT' || touched === 'PORTRAIT'

const FAMILY_OF = Object.fromEntries(
  Object.entries(KIND_OF_FAMILY).map(([family, kind]) => [kind, family]),
) as Readonly<Record<PieceKind, EvidenceFamily>>

/** The fraud check for each requirement of a policy: one check answers four of them. */
const FRAUD_CHECK_OF: Readonly<Record<string, FraudCheckType>> = {
  ...Object.fromEntries(FRAUD_CHECK_TYPES.map((type) => [type, type])),
  DOCUMENT_STATUS_ISSUER: 'DOCUMENT_STATUS',
  DEATH_RECORD: 'DOCUMENT_STATUS',
  KNOWN_FRAUD: 'DOCUMENT_STATUS',
}

/** Returns the indicators of faults that affect a fraud check. */
export function faultsTouchingCheck(
  facts: EnvironmentFacts,
  check: NonNullable<Touching['check']>,
): readonly string[] {
  return listIndicators(facts, { touched: 'ANTIFRAUD', check })
}

function listIndicators(facts: EnvironmentFacts, about: Touching): readonly string[] {
  return rulesFor(findFaults(facts, about), about).map(({ indicator }) => indicator)
}

let table: readonly FaultRule[] | null = null

/** resources/degraded.json. */
export function faultRules(): readonly FaultRule[] {
  return (table ??= loadFaultRules())
}

function rulesFor(inForce: readonly Fault[], { touched }: Touching): readonly FaultRule[] {
  const raised = faultIndicators(faultRules(), inForce, touched)
  return faultRules().filter(({ indicator }) => raised.includes(indicator))
}

/** Only for camera pictures: a typed document and a claim have none. */
function findCamera(ctx: Context, evidence: Evidence): Pick<Touching, 'camera'> {
  const { captureDetails, submittedAsText } = evidence.content
  const hasPictures = deriveKind(evidence) === 'IDDOCUMENT' || evidence.family === 'PORTRAIT'
  if (!hasPictures || submittedAsText) return {}
  return { camera: cameraStateHere(ctx.config, captureDetails?.camera) }
}

function buildRecord(ctx: Context, rules: readonly FaultRule[]): VerificationRecord {
  const at = formatSpecDateTime(ctx.clock.now())
  return {
    startDateTime: at,
    endDateTime: at,
    sessionCreationTime: at,
    participantType: 'ANTIFRAUD',
    participantState: 'ACCEPTED',
    isBlockingParticipant: false,
    errors: [],
    raisedIndicators: rules.map(({ indicator }) => indicator),
    verificationServices: [{ serviceName: 'environment', isTechnicalError: false, responseTimeMS: 0 }],
    measurements: rules.map(({ indicator, fault }) => ({
      check: indicator.replace(/_UNVERIFIED$/, ''),
      outcome: 'inconclusive',
      measured: { fault },
    })),
    models: [],
  }
}

const known = new WeakMap<Context['vision'], { at: number; abilities: readonly AbilityState[] }>()

/** Cached for a short time; empty: the worker has not answered yet. */
export async function abilitiesOfWorker({
  vision,
}: Pick<Context, 'vision'>): Promise<readonly AbilityState[]> {
  const before = known.get(vision)
  if (before && performance.now() - before.at < KNOWN_FOR_MS) return before.abilities
  const asked = vision.health({}).then(
    ({ capabilities }) => capabilities,
    () => null,
  )
  const patience = new AbortController()
  const late = wait(PATIENCE_MS, null, { signal: patience.signal }).catch(() => null)
  const answered = await Promise.race([asked, late])
  patience.abort()
  if (answered === null) return before?.abilities ?? []
  const abilities = answered.map(({ name, state }) => ({ name, state }))
  known.set(vision, { at: performance.now(), abilities })
  return abilities
}

function connectorsDown(ctx: Context): readonly ConnectorName[] {
  const health = {
    sms: ctx.carriers.mobile.health(),
    smtp: ctx.carriers.email.health(),
    voice: ctx.carriers.landline.health(),
    biometrics: ctx.biometrics?.health(),
    documentStatus: ctx.documentRegister?.health(),
    fraudRegister: ctx.fraudRegister?.health(),
  }
  return (Object.keys(health) as ConnectorName[]).filter((name) => health[name]?.status === 'DEGRADED')
}

/** A kiosk that exports packets to a USB stick has no connection that could fail. */
function silentForMs({ store, clock }: Context, { lastContactAt }: Contact): number | null {
  const enrolment = store.enrolments.find()
  if (!enrolment?.membership || enrolment.centralUrl === '') return null
  return clock.now().getTime() - Math.max(lastContactAt ?? 0, enrolment.membership.enrolledAt.getTime())
}

function watchlistDates({ store }: Context): readonly string[] {
  return store.watchlists.list().map(currentOn)
}
