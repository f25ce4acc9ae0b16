/** What the page may know about the checks: states and guidance. Scores, levels and verdicts stay on this side. */
import type { CaptureProgress, GuidanceCode, Outcome, Progress } from './contract.ts'
import { guidanceFor, isPlainFact } from './guidance.ts'
import type { CaptureStepName, GuidanceTable } from './guidance.ts'
import type { EvidenceView, IdentityView } from './port.ts'

/** How far a session got: the evidence submitted last, and how many submissions there were. */
export interface CaptureCount {
  readonly evidenceId: string | null
  readonly submissions: number
}
export type CaptureCounts = Readonly<Record<CaptureStepName, CaptureCount>>

const FALLBACK: Record<CaptureStepName, GuidanceCode> = {
  document: 'DOCUMENT_UNCLEAR',
  portrait: 'PORTRAIT_UNCLEAR',
}

export function progressOf(
  identity: IdentityView,
  counts: CaptureCounts,
  maxSubmissions: Readonly<Record<CaptureStepName, number>>,
  table: GuidanceTable,
): Progress {
  const evidence = {
    document: findEvidence(identity, counts.document.evidenceId),
    portrait: findEvidence(identity, counts.portrait.evidenceId),
  }
  const documentUsable = evidence.document?.evidenceStatus.status === 'VERIFIED'
  const stateOf = (step: CaptureStepName): CaptureProgress => {
    const { evidenceId, submissions } = counts[step]
    const left = Math.max(0, maxSubmissions[step] - submissions)
    const found = evidence[step]
    if (evidenceId === null) return { state: 'NONE', guidance: [], left }
    if (!found || found.evidenceStatus.status === 'PROCESSING')
      return { state: 'CHECKING', guidance: [], left }
    const guidance = guidanceFor(step, found, table)
    return left > 0 && wantsAnother(step, found, guidance, documentUsable, table)
      ? { state: 'AGAIN', guidance: guidance.length > 0 ? guidance : [FALLBACK[step]], left }
      : { state: 'DONE', guidance: [], left: 0 }
  }
  const document = stateOf('document')
  const portrait = stateOf('portrait')
  return { document, portrait, ready: document.state === 'DONE' && portrait.state === 'DONE' }
}

function wantsAnother(
  step: CaptureStepName,
  evidence: EvidenceView,
  guidance: readonly GuidanceCode[],
  documentUsable: boolean,
  table: GuidanceTable,
): boolean {
  const { status } = evidence.evidenceStatus
  if (status === 'INVALID') return isPlainFact(step, evidence, table)
  if (status !== 'NOT_VERIFIED') return false
  // A good portrait stays unverified while there is no document to compare it with: no other photo would help.
  return step === 'document' || documentUsable || guidance.length > 0
}

/** The plain outcome. Everything that is not fully confirmed goes to a person, and does not say why. */
export function outcomeOf(
  identity: IdentityView,
  counts: CaptureCounts,
  confirmedFrom: string,
): Exclude<Outcome, 'LATER'> {
  const verified = (step: CaptureStepName) =>
    findEvidence(identity, counts[step].evidenceId)?.evidenceStatus.status === 'VERIFIED'
  const level = levelNumber(identity.globalStatus.levelOfAssurance)
  return verified('document') && verified('portrait') && level >= levelNumber(confirmedFrom)
    ? 'CONFIRMED'
    : 'PERSON'
}

function findEvidence(identity: IdentityView, evidenceId: string | null): EvidenceView | undefined {
  if (evidenceId === null) return undefined
  const all = [...(identity.idDocuments ?? []), ...(identity.portrait ? [identity.portrait] : [])]
  return all.find((evidence) => evidence.evidenceId === evidenceId)
}

/** LOA3 → 3; anything else counts as none. */
function levelNumber(level: string): number {
  const digits = /^LOA(\d)$/.exec(level)?.[1]
  return digits === undefined ? -1 : Number(digits)
}
