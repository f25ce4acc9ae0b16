/** A document or portrait through the shipped pipelines, with the vision whose pictures say what they show. */
import type { TimeStatement } from '../../../server/clock.ts'
import { loadAddressFormats } from '../../../server/config/address-formats.ts'
import { loadDocumentTemplates } from '../../../server/config/document-templates.ts'
import { loadPipelines, type Pipelines } from '../../../server/config/resources.ts'
import type { Judgement } from '../../../server/proofing/judge.ts'
import { loadLivenessLimits } from '../../../server/verification/liveness-limits.ts'
import {
  createVerification,
  type Verification,
  type VerificationOutcome,
} from '../../../server/verification/pipeline.ts'
import { STEPS } from '../../../server/verification/registry.ts'
import type { DocumentSubject, Subject } from '../../../server/verification/subject.ts'
import { loadThresholds } from '../../../server/verification/thresholds.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import { picture, scriptedVision, type Scene } from '../app/scripted-vision.ts'

export const NOW = new Date('2026-11-21T12:00:00Z')
export const PIPELINES: Pipelines = loadPipelines([...STEPS.keys()])
const loaded = {
  thresholds: loadThresholds(),
  liveness: loadLivenessLimits(),
  knowledge: loadDocumentTemplates(),
  addressFormats: loadAddressFormats(),
}

export interface World {
  readonly vision?: Vision
  readonly pipelines?: Pipelines
  /** The moments that may be now; NOW unless given. */
  readonly earliest?: Date
  readonly latest?: Date
}

export function openVerification(world: World = {}): Verification {
  const { vision = scriptedVision(), pipelines = PIPELINES, earliest = NOW, latest = NOW } = world
  const clock = {
    now: () => NOW,
    statement: (): TimeStatement => ({ source: 'SYSTEM', earliest, latest, uncertaintyMs: null, steps: 0 }),
  }
  return createVerification({ ...loaded, vision, pipelines, clock })
}

/** Null: the stored picture cannot be measured. */
export const runPipeline = (subject: Subject, world: World = {}): Promise<VerificationOutcome | null> =>
  openVerification(world).run(subject)

export async function verify(subject: Subject, world: World = {}): Promise<VerificationOutcome> {
  const outcome = await runPipeline(subject, world)
  if (!outcome) throw new Error('the picture cannot be measured')
  return outcome
}

export function aDocument(front: Uint8Array, more: Partial<DocumentSubject> = {}): DocumentSubject {
  return {
    family: 'IDDOCUMENT',
    evidenceId: 'the document',
    front,
    back: null,
    frames: [[], []],
    scannedBarcode: null,
    declaredType: null,
    jurisdiction: null,
    sidesEnsured: false,
    testMode: false,
    ...more,
  }
}

type DocumentScene = Extract<Scene, { shows: 'document' }>
export const side = (scene: Partial<DocumentScene>): Uint8Array =>
  picture({ shows: 'document', lines: null, face: null, ...scene })

/** Returns everything that was raised about one check, in all lists. */
export function raised(judgement: Judgement, check: string): readonly string[] {
  const { positiveIndicators, warningIndicators, blockingIndicators, unverifiedIndicators } = judgement
  return [...positiveIndicators, ...warningIndicators, ...blockingIndicators, ...unverifiedIndicators].filter(
    (name) => name.startsWith(`${check}_`) && !name.slice(check.length + 1).includes('_'),
  )
}
