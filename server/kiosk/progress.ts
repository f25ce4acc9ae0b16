/** What the page may know about the checks: states and guidance. Scores, levels and verdicts stay on this side. */
import type { CaptureProgress, Outcome, Progress } from './contract.ts'
import { guidanceFor } from './guidance.ts'
import type { CaptureStepName, GuidanceTable } from './guidance.ts'
import type { EvidenceView, IdentityView } from './port.ts'

/** How far a session got: the evidence submitted last, and how many submissions there were. */
export interface CaptureCount {
  readonly evidenceId: string | null
  readonly submissions: number
}
export type CaptureCounts = Readonly<Record<CaptureStepName, CaptureCount>>

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
  const stateOf = (step: CaptureStepName): CaptureProgress => {
    const { evidenceId, submissions } = counts[step]
    const left = Math.max(0, maxSubmissions[step] - submissions)
    if (evidenceId === null) return { state: 'NONE', guidance: [], left }
    const found = evidence[step]
    const status = found?.evidenceStatus.status ?? 'PROCESSING'
    if (status === 'PROCESSING') return { state: 'CHECKING', guidance: [], left }
    if (found && status === 'NOT_VERIFIED' && left > 0) {
      return { state: 'AGAIN', guidance: guidanceFor(step, found, table), left }
    }
    return { state: 'DONE', guidance: [], left: 0 }
  }
  const document = stateOf('document')
  let portrait = stateOf('portrait')
  // Without a verified document nothing will ever be compared with the portrait: waiting would have no end.
  const documentUsable = evidence.document?.evidenceStatus.status === 'VERIFIED'
  if (portrait.state === 'CHECKING' && document.state === 'DONE' && !documentUsable)
    portrait = { ...portrait, state: 'DONE', left: 0 }
  return { document, portrait, ready: document.state === 'DONE' && portrait.state === 'DONE' }
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
