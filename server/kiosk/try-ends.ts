/** Lists the tries that have ended, and their ends for staff. Pure. */
import { chooseFault } from '../proofing/document-fault.ts'
import { isFaceMismatch } from '../proofing/face-mismatch.ts'
import type { TryEnd } from '../proofing/visit-words.ts'
import type { StepKind } from './contract/journey.ts'
import type { CaptureStepName } from './facts.ts'
import { portraitGuidance, type GuidanceTable } from './guidance.ts'
import { getCapture, findEvidence, isStillFace, type Known } from './known.ts'
import type { EvidenceView } from './port.ts'

interface EndedTry {
  /** Identifies the try within the visit. */
  readonly key: string
  readonly step: StepKind
  readonly end: TryEnd
}

export function listEndedTries(known: Known): readonly EndedTry[] {
  return [
    ...captureEnds(known, 'document'),
    ...captureEnds(known, 'portrait'),
    ...phoneEnds(known),
    ...loginEnds(known),
  ]
}

function captureEnds(known: Known, step: CaptureStepName): readonly EndedTry[] {
  const key = known.facts[step].current?.evidenceId
  const evidence = findEvidence(known.identity, key)
  if (key === undefined || !evidence) return []
  const { state } = getCapture(known, step)
  if (state === 'OPEN' || state === 'CHECKING') return []
  return [{ key, step, end: state === 'NONE' ? 'GIVEN_UP' : judgeTry(known, step, evidence) }]
}

function judgeTry(known: Known, step: CaptureStepName, evidence: EvidenceView): TryEnd {
  const { guidance } = known
  const { evidenceStatus } = evidence
  if (evidenceStatus.status === 'VERIFIED') return 'GOOD'
  if (evidenceStatus.status === 'ADJUDICATION') return 'UNSURE'
  if (step === 'document') return chooseFault(evidenceStatus, guidance.document)?.code ?? 'DOCUMENT_UNCLEAR'
  return (
    portraitEnd(evidence) ?? portraitGuidance(evidence, guidance, isStillFace(known))[0] ?? 'PORTRAIT_ALONE'
  )
}

/** The end that only staff may know; null: the applicant's advice names it. */
function portraitEnd({ evidenceStatus }: EvidenceView): 'PORTRAIT_DIFFERS' | 'PORTRAIT_COPY' | null {
  const { warningIndicators = [], blockingIndicators = [] } = evidenceStatus
  if (isFaceMismatch(evidenceStatus)) return 'PORTRAIT_DIFFERS'
  const raised = [...warningIndicators, ...blockingIndicators]
  return raised.some((name) => name.startsWith('PORTRAIT_OWN_PICTURE_')) ? 'PORTRAIT_COPY' : null
}

/** Lists why a face was refused, in codes for staff: its end, otherwise the applicant's advice. */
export function listFaceReasons(evidence: EvidenceView, table: GuidanceTable): readonly string[] {
  const end = portraitEnd(evidence)
  return end === null ? portraitGuidance(evidence, table) : [end]
}

/** Messages that could not be delivered; the act that sends the codes records wrong ones. */
function phoneEnds({ facts, identity }: Known): readonly EndedTry[] {
  const status = identity?.contactDetails?.mobile?.otp.status
  const isLost = status === 'ERROR' && facts.phone.wrong === 0
  return isLost && facts.phone.sentAt.length > 0
    ? [{ key: `message ${facts.phone.sentAt.length}`, step: 'phone', end: 'PHONE_NOT_SENT' }]
    : []
}

function loginEnds({ facts, identity }: Known): readonly EndedTry[] {
  const key = facts.login?.evidenceId
  const status = findEvidence(identity, key)?.evidenceStatus.status
  if (key === undefined || status === undefined || status === 'PROCESSING') return []
  return [{ key, step: 'trusted-login', end: status === 'VERIFIED' ? 'GOOD' : 'LOGIN_FAILED' }]
}
