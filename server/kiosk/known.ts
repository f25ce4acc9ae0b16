/**
 * Everything that the present step depends on: the journey, the visit, the identity and the connected
 * services.
 */
import type { LivenessType } from '../proofing/types.ts'
import type { Journey, JourneyStep } from './contract/journey.ts'
import { captureState, type CaptureState } from './capture-state.ts'
import type { CaptureStepName, VisitFacts } from './facts.ts'
import type { GuidanceTable } from './guidance.ts'
import type { DetailName } from '../api/contract/stated.ts'
import type { CheckField } from './contract/visit.ts'
import { isStill, livenessTypeFor } from './liveness-wish.ts'
import type { ChipQuestion } from '../workflows/capture/find-chip-question.ts'
import type { AddressQuestion } from '../workflows/evidence/state-address.ts'
import type { EvidenceView, IdentityView, KioskSettings } from './port.ts'

export interface MissingDetails {
  /** Name of the source for people. */
  readonly source: string
  readonly fields: readonly DetailName[]
}

export interface Known {
  readonly journey: Journey
  readonly guidance: GuidanceTable
  readonly settings: KioskSettings
  readonly language: string
  readonly facts: VisitFacts
  /** Null before the applicant has agreed. */
  readonly identity: IdentityView | null
  /** Whether the newest session of each capture step still accepts pictures. */
  readonly open: Readonly<Record<CaptureStepName, boolean>>
  /** The values read of the newest document; empty: none, or no document yet. */
  readonly fields: readonly CheckField[]
  /** Values that the issuing source of the newest document needs and the document did not give; null: none. */
  readonly missing: MissingDetails | null
  /** The question to a register of addresses; null: none is configured, or the applicant did not consent. */
  readonly address: AddressQuestion | null
  /** The chip of the newest document; null: none may be read here, or the journey does not ask for it. */
  readonly chip: ChipQuestion | null
  /** The central service cannot be reached now. */
  readonly offline: boolean
  /** An officer has a screen open that shows calls for help. */
  readonly isStaffed: boolean
  /** Whether this machine can judge a type of liveness: without it every try would fail. */
  readonly judgesLiveness: (type: LivenessType) => boolean
  readonly now: Date
}

export type StepOf<K extends JourneyStep['kind']> = Extract<JourneyStep, { kind: K }>

export function findStep<K extends JourneyStep['kind']>({ journey }: Known, kind: K): StepOf<K> | undefined {
  return journey.steps.find((step): step is StepOf<K> => step.kind === kind)
}

export function findEvidence(
  identity: IdentityView | null,
  id: string | undefined,
): EvidenceView | undefined {
  if (!identity || id === undefined) return undefined
  const all: readonly (EvidenceView | null | undefined)[] = [
    ...(identity.idDocuments ?? []),
    identity.portrait,
    identity.trustedIdClaim,
  ]
  return all.find((evidence) => evidence?.evidenceId === id) ?? undefined
}

/** Tells whether the newest face was filmed without any movement. */
export function isStillFace(known: Known): boolean {
  const step = findStep(known, 'portrait')
  const { portrait, portraitWish } = known.facts
  return (
    step !== undefined &&
    (portrait.current?.sessionId ?? null) !== null &&
    isStill(livenessTypeFor(step, portraitWish))
  )
}

export function getCapture(known: Known, step: CaptureStepName): CaptureState {
  const { facts, identity, open, guidance: table } = known
  const document = findEvidence(identity, facts.document.current?.evidenceId)
  return captureState({
    step,
    facts: facts[step],
    evidence: findEvidence(identity, facts[step].current?.evidenceId),
    isOpen: open[step],
    maxSubmissions: findStep(known, step)?.maxSubmissions ?? 1,
    documentUsable: document?.evidenceStatus.status === 'VERIFIED',
    isStill: step === 'portrait' && isStillFace(known),
    table,
  })
}
