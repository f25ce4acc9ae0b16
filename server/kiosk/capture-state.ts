/** Decides the state of the document's or the face's capture from statuses and advice; changes nothing. */
import type { GuidanceCode } from './contract/index.ts'
import type { CaptureFacts, CaptureStepName } from './facts.ts'
import { isPlainFact } from '../proofing/document-fault.ts'
import type { PageFieldName } from '../proofing/visual-zone/page-facts.ts'
import { documentGuidance, portraitGuidance, type GuidanceTable } from './guidance.ts'
import type { EvidenceView } from './port.ts'

/**
 * NONE: nothing was submitted · OPEN: a capture session waits for pictures · CHECKING · AGAIN: other pictures
 * are wanted · DONE: nothing more to do here, whatever was found.
 */
type CaptureStateName = 'NONE' | 'OPEN' | 'CHECKING' | 'AGAIN' | 'DONE'

export interface CaptureState {
  readonly state: CaptureStateName
  /** Most important first, only one for a document; empty unless AGAIN. */
  readonly guidance: readonly GuidanceCode[]
  /** The field of the document that the guidance names, or null. */
  readonly field: PageFieldName | null
  /** Remaining submissions. */
  readonly left: number
  /** The newest try counts as a submission: its pictures were judged, or are being judged. */
  readonly counts: boolean
  /** The newest try was unsuccessful. */
  readonly missed: boolean
  /** The last try is kept although it is not good enough: an officer examines it. */
  readonly keptForPerson: boolean
}

export interface CaptureQuestion {
  readonly step: CaptureStepName
  readonly facts: CaptureFacts
  readonly evidence: EvidenceView | undefined
  /** Its capture session still accepts pictures. */
  readonly isOpen: boolean
  readonly maxSubmissions: number
  /** The document could be used: only then may another photo of the face help. */
  readonly documentUsable: boolean
  /** A face that was prompted for no movement. */
  readonly isStill: boolean
  readonly table: GuidanceTable
}

/**
 * Maximum number of sessions per step: a camera that repeatedly brings no picture needs an officer. Starting
 * value: further sessions do not help beyond five submissions and as many empty ends.
 */
const MAX_OPENED = 12

const NOT_TAKEN: Readonly<Record<CaptureStepName, GuidanceCode>> = {
  document: 'DOCUMENT_NOT_TAKEN',
  portrait: 'PORTRAIT_NOT_DONE',
}

/**
 * Result codes of a session without pictures (spec "Error codes"), and those of them by the applicant's
 * choice.
 */
const EMPTY: Readonly<Record<CaptureStepName, readonly string[]>> = {
  document: ['2401', '2402', '2403'],
  portrait: ['1609', '1610', '1611'],
}
/** A fault of the machine ended it. */
const OURS = '1610'
const GIVEN_UP: readonly string[] = ['2402', '1611']

export function captureState(question: CaptureQuestion): CaptureState {
  const { step, facts, evidence, isOpen, maxSubmissions, isStill, table } = question
  const before = Math.max(0, maxSubmissions - facts.spent)
  const base = { guidance: [], field: null, counts: false, missed: false, keptForPerson: false }
  // Evidence that was deleted or replaced meanwhile no longer belongs to the visit.
  if (facts.current === null || !evidence) return { ...base, state: 'NONE', left: before }
  const { status } = evidence.evidenceStatus
  if (status === 'PROCESSING') {
    return isOpen
      ? { ...base, state: 'OPEN', left: before }
      : { ...base, state: 'CHECKING', left: Math.max(0, before - 1), counts: true }
  }
  const empty = emptyEnd(step, evidence)
  if (empty !== null) return emptyState(question, empty, { ...base, left: before })
  const left = Math.max(0, before - 1)
  const said = step === 'document' ? ofDocument(evidence, table) : ofPortrait(evidence, table, isStill)
  const wanted = wantsAnother(question, evidence, said.guidance)
  if (wanted && left > 0 && facts.opened < MAX_OPENED) {
    return { ...base, ...orUnclear(said), state: 'AGAIN', left, counts: true, missed: true }
  }
  return {
    ...base,
    state: 'DONE',
    left: 0,
    counts: true,
    // Nothing is said about refused evidence: a message would reveal which check refused it.
    keptForPerson: wanted && status === 'NOT_VERIFIED',
  }
}

type Said = Pick<CaptureState, 'guidance' | 'field'>

function ofDocument(evidence: EvidenceView, table: GuidanceTable): Said {
  const fault = documentGuidance(evidence, table)
  return { guidance: fault ? [fault.code] : [], field: fault?.field ?? null }
}

function ofPortrait(evidence: EvidenceView, table: GuidanceTable, isStill: boolean): Said {
  return { guidance: portraitGuidance(evidence, table, isStill), field: null }
}

function orUnclear(said: Said): Said {
  return said.guidance.length > 0 ? said : { ...said, guidance: ['PORTRAIT_UNCLEAR'] }
}

/** The code of a session that ended without pictures; null if pictures were judged. */
function emptyEnd(step: CaptureStepName, { evidenceStatus }: EvidenceView): string | null {
  if (evidenceStatus.status !== 'NOT_VERIFIED') return null
  const { errors = [], warningIndicators = [], unverifiedIndicators = [] } = evidenceStatus
  const code = errors.find((error) => EMPTY[step].includes(error.code))?.code
  const judged = [...warningIndicators, ...unverifiedIndicators, ...(evidenceStatus.blockingIndicators ?? [])]
  // A portrait session that was judged as not live has failed, and counts.
  return code === undefined || judged.some((name) => name.startsWith('BIOMETRIC_LIVENESS_CHALLENGE'))
    ? null
    : code
}

/** Such an end costs no try. An applicant who gave up is not told that the capture failed. */
function emptyState(
  { step, facts, isStill }: CaptureQuestion,
  code: string,
  base: Omit<CaptureState, 'state'>,
): CaptureState {
  if (facts.opened >= MAX_OPENED) return { ...base, state: 'DONE', left: 0, keptForPerson: true }
  if (GIVEN_UP.includes(code)) return { ...base, state: 'NONE' }
  const guidance = code === OURS ? 'PORTRAIT_OURS' : isStill ? 'PORTRAIT_STILL' : NOT_TAKEN[step]
  return { ...base, state: 'AGAIN', guidance: [guidance], missed: true }
}

function wantsAnother(
  { step, documentUsable, table }: CaptureQuestion,
  evidence: EvidenceView,
  guidance: readonly GuidanceCode[],
): boolean {
  const { status } = evidence.evidenceStatus
  if (status === 'INVALID') return step === 'document' && isPlainFact(evidence.evidenceStatus, table.document)
  if (status !== 'NOT_VERIFIED') return false
  // A good portrait stays unverified while there is no document to compare it with: another photo would not
  // help.
  return step === 'document' || documentUsable || guidance.length > 0
}

/** Returns the facts after another session is opened or another file is taken. */
export function withAttempt(
  facts: CaptureFacts,
  before: CaptureState,
  current: CaptureFacts['current'],
): CaptureFacts {
  return {
    current,
    spent: facts.spent + (before.counts ? 1 : 0),
    misses: before.missed ? facts.misses + 1 : before.counts ? 0 : facts.misses,
    opened: facts.opened + 1,
  }
}
