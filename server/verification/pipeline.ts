/**
 * Runs the steps of a pipeline over one piece of evidence, slowly and with no transaction open. After a failure that stops the
 * checks, the steps that read a document still tell its values, so that a person sees them.
 * Owns: order, the record of each step. Never: the database, or what the result means for the
 * identity.
 */
import type { SideSight } from '../proofing/capture-session.ts'
import { recogniseSide } from './recognise-side.ts'
import type { Pipeline, Pipelines } from '../config/resources.ts'
import { AppError } from '../errors.ts'
import type { DocumentKey } from '../proofing/document-key.ts'
import type { KeptBarcode, ReadLine } from '../proofing/evidence.ts'
import {
  judge,
  mitigationOf,
  raisedIndicators,
  type CheckRule,
  type Finding,
  type Judgement,
} from '../proofing/judge.ts'
import type { VerificationRecord } from '../proofing/verification-record.ts'
import { specDateTime } from '../proofing/time.ts'
import {
  groundedValues,
  type ValueOrigin,
  type VerifiableValue,
  type VerifiedGround,
} from '../proofing/verified-values.ts'
import { ImageFaultError, type ModelUse } from '../vision/protocol.ts'
import { measuredSides } from './measured-sides.ts'
import { STEPS } from './registry.ts'
import { toolsFor, type ToolParts } from './step-tools.ts'
import type { DocumentFacts, StepReport, Subject } from './subject.ts'
import { loadVerifiedGrounds } from './verified-grounds.ts'

export interface VerificationOutcome {
  readonly judgement: Judgement
  /** One per step that ran: spec "VerificationDetails", with the measurements and models behind it. */
  readonly records: readonly VerificationRecord[]
  readonly facts: DocumentFacts | null
  /** Null where the document was not read well enough to be known again. */
  readonly documentKey: DocumentKey | null
  readonly documentPortrait: Uint8Array | null
  /** Raw, to be kept with the evidence. */
  readonly barcodes: readonly KeptBarcode[]
  /** Of a document: for the person who looks at what was read. */
  readonly readLines: readonly ReadLine[]
  /** The document that the portrait or the attributes were compared with, whatever came of it. */
  readonly matchedReferenceId: string | null
  /** Every document whose portrait it was compared with. */
  readonly comparedDocumentIds: readonly string[]
  /** Spec "livenessDiagnostic". */
  readonly livenessDiagnostic: string | null
  /** Of a document: values that are verified where it is VERIFIED. Of what was submitted: those that are. */
  readonly groundedValues: readonly VerifiableValue[]
}

export interface Verification {
  /** Null when the stored picture cannot be measured at all. */
  run(subject: Subject): Promise<VerificationOutcome | null>
  /** Before a picture is handed in as evidence; null: it is not known as which. Throws `ImageFaultError` for one that cannot be decoded. */
  recognise(image: Uint8Array, evidenceId: string | null): Promise<SideSight>
}

/** The checks that compare an evidence with an elected document. */
const COMPARISONS: readonly string[] = ['BIOMETRIC_MATCHING_CHECK', 'ATTRIBUTES_MATCH', 'ADDRESS_MATCH']

export interface VerificationParts extends Omit<ToolParts, 'measured'> {
  readonly pipelines: Pipelines
}
type Parts = VerificationParts & ToolParts

export function createVerification(given: VerificationParts): Verification {
  const parts: Parts = { ...given, measured: measuredSides() }
  return {
    run: async (subject) => {
      try {
        return await runPipeline(subject, parts)
      } catch (error) {
        if (!(error instanceof ImageFaultError)) throw error
        // The upload was decoded when it came in. Too slow now says something about the machine: it is tried again.
        if (error.fault === 'too_complex')
          throw new AppError('vision_unavailable', { reason: 'decoding_too_slow' }, { cause: error })
        // Rare: one decoder takes it and another refuses.
        return null
      }
    },
    recognise: (image, evidenceId) => recogniseSide(image, evidenceId, parts),
  }
}

async function runPipeline(subject: Subject, parts: Parts): Promise<VerificationOutcome> {
  const pipeline = parts.pipelines.pipelines[subject.family === 'DATA' ? subject.kind : subject.family]
  const rules = rulesFor(pipeline, subject.testMode)
  const tools = toolsFor(subject, parts)
  const findings: Finding[] = []
  const records: VerificationRecord[] = []
  let facts: DocumentFacts | null = null
  let documentKey: DocumentKey | null = null
  let documentPortrait: Uint8Array | null = null
  let barcodes: readonly KeptBarcode[] = []
  let readLines: readonly ReadLine[] = []
  let livenessDiagnostic: string | null = null
  let origins: readonly ValueOrigin[] = []
  let confirmed: readonly VerifiableValue[] = []

  let isStopped = false
  // In a live capture the next picture is taken at once: reading this one would only make the person wait.
  const readsOn = subject.family === 'IDDOCUMENT' && subject.isLive !== true
  for (const { step: name, participantType, stopOnFailure, readsAfterStop } of pipeline.steps) {
    if (isStopped && !(readsAfterStop === true && readsOn)) continue
    const step = STEPS.get(name)
    if (!step) throw new TypeError(`no step ${name}`)
    if (step.appliesTo?.(subject) === false) continue
    const startedAt = parts.clock.now()
    const report = await step.run(subject, tools)
    facts = report.facts ?? facts
    readLines = report.readLines ?? readLines
    if (isStopped) continue
    const found = [...findings, ...report.findings]
    const blocked = report.findings.some(
      (finding) =>
        finding.outcome === 'failed' &&
        rules[finding.check].onFailure !== 'warn' &&
        mitigationOf(finding, rules[finding.check], found) === null,
    )
    const withheld = report.findings.some(({ withholds }) => withholds === true)
    records.push(
      toRecord({
        name,
        participantType,
        stopOnFailure,
        report,
        rules,
        blocked,
        startedAt,
        endedAt: parts.clock.now(),
      }),
    )
    findings.push(...report.findings)
    documentKey = report.documentKey ?? documentKey
    documentPortrait = report.documentPortrait ?? documentPortrait
    barcodes = report.barcodes ?? barcodes
    livenessDiagnostic = report.livenessDiagnostic ?? livenessDiagnostic
    origins = report.origins ?? origins
    confirmed = report.confirmed ?? confirmed
    isStopped = (blocked || withheld) && stopOnFailure
  }
  for (const check of pipeline.notPerformed) findings.push({ check, outcome: 'inconclusive' })

  const matchRan = findings.some(({ check }) => COMPARISONS.includes(check))
  const reference = subject.family === 'IDDOCUMENT' ? null : subject.reference
  const furtherRan = findings.some(({ check }) => check === 'BIOMETRIC_MATCHING_FURTHER')
  const further = subject.family === 'PORTRAIT' && furtherRan ? (subject.further ?? []) : []
  const judgement = judge(findings, rules)
  return {
    judgement,
    records,
    facts,
    documentKey,
    documentPortrait,
    barcodes,
    readLines,
    matchedReferenceId: matchRan ? (reference?.evidenceId ?? null) : null,
    comparedDocumentIds: [...(matchRan && reference ? [reference] : []), ...further].map(
      ({ evidenceId }) => evidenceId,
    ),
    livenessDiagnostic,
    groundedValues: [
      ...groundedValues((grounds ??= loadVerifiedGrounds()), origins, judgement.positiveIndicators),
      ...confirmed,
    ],
  }
}

let grounds: readonly VerifiedGround[] | null = null

function rulesFor(pipeline: Pipeline, testMode: boolean): Readonly<Record<string, CheckRule>> {
  return Object.fromEntries(
    Object.entries(pipeline.checks).map(([check, rule]) => [
      check,
      {
        mandatory: rule.mandatory,
        onFailure: testMode ? (rule.onFailureInTestMode ?? rule.onFailure) : rule.onFailure,
        ...(rule.mitigatedBy ? { mitigatedBy: rule.mitigatedBy } : {}),
      },
    ]),
  )
}

/** One step's work as the proof keeps it; also for what is verified outside a pipeline. */
export function toRecord(fields: {
  name: string
  participantType: string
  stopOnFailure: boolean
  report: StepReport
  rules: Readonly<Record<string, CheckRule>>
  blocked: boolean
  /** It failed for a reason that lies with a machine. */
  isTechnicalError?: boolean
  startedAt: Date
  endedAt: Date
}): VerificationRecord {
  const { report, rules, startedAt, endedAt } = fields
  const judged = judge(report.findings, rules)
  // A step that looked at nothing has accepted nothing.
  const passedAll =
    report.findings.length > 0 && report.findings.every((finding) => finding.outcome === 'passed')
  return {
    startDateTime: specDateTime(startedAt),
    endDateTime: specDateTime(endedAt),
    sessionCreationTime: specDateTime(startedAt),
    participantType: fields.participantType,
    ...stateOf(fields.blocked, judged.refers === true, passedAll),
    isBlockingParticipant: fields.stopOnFailure,
    errors: judged.errors,
    raisedIndicators: raisedIndicators(judged),
    verificationServices: [
      {
        serviceName: fields.name,
        isTechnicalError: fields.isTechnicalError ?? false,
        responseTimeMS: endedAt.getTime() - startedAt.getTime(),
      },
    ],
    measurements: report.findings.map((finding) => ({
      check: finding.check,
      outcome: finding.outcome,
      measured: finding.measured ?? {},
    })),
    models: distinctModels(report.models),
  }
}

/** Nothing where a check warned or gave no answer: the step has ended, neither accepted nor rejected. */
function stateOf(
  blocked: boolean,
  refers: boolean,
  passedAll: boolean,
): Pick<VerificationRecord, 'participantState'> {
  if (blocked) return { participantState: 'REJECTED' }
  if (refers) return { participantState: 'ADJUDICATION' }
  return passedAll ? { participantState: 'ACCEPTED' } : {}
}

function distinctModels(models: readonly ModelUse[]): readonly ModelUse[] {
  return models.filter((model, index) => models.findIndex((other) => other.id === model.id) === index)
}
