/**
 * Runs the steps of a pipeline on one evidence, outside any transaction. After a failure that stops the
 * checks, the steps that read a document still report its values, so that an officer sees them. Owns the
 * order of the steps and the record of each. Never touches the database and never decides what the result
 * means for the identity.
 */
import type { SideSight } from '../proofing/capture-session.ts'
import { recogniseSide } from './recognise-side.ts'
import type { Pipeline, Pipelines } from '../config/resources.ts'
import { AppError } from '../errors.ts'
import type { ChipAuthenticity } from '../proofing/chip-evidence.ts'
import type { OutsideCall } from '../proofing/disclosure.ts'
import type { DocumentIdentifier } from '../proofing/document-identifier.ts'
import type { AddressAnswer } from '../proofing/address-register.ts'
import type { ClaimAnswer } from '../proofing/claim-source.ts'
import type { IssuerAnswer } from '../proofing/issuer-answer.ts'
import { nameReason, type SourceReason, type SourceReply } from '../proofing/source-reply.ts'
import type { KeptBarcode, ReadLine } from '../proofing/evidence.ts'
import {
  judge,
  findMitigation,
  listRaisedIndicators,
  type CheckRule,
  type Finding,
  type Judgement,
} from '../proofing/judge.ts'
import type { MeasuredCheck, VerificationRecord } from '../proofing/verification-record.ts'
import { formatSpecDateTime } from '../proofing/time.ts'
import {
  groundedValues,
  type ValueOrigin,
  type VerifiableValue,
  type VerifiedGround,
} from '../proofing/verified-values.ts'
import { ImageFaultError, type ModelUse } from '../vision/protocol.ts'
import { measuredSides } from './measured-sides.ts'
import { STEPS } from './registry.ts'
import { createStepTools, type ToolParts } from './step-tools.ts'
import type { DocumentFacts, StepReport, Subject } from './subject.ts'
import { loadVerifiedGrounds } from './verified-grounds.ts'

export interface VerificationOutcome {
  readonly judgement: Judgement
  /** One record per step that ran: "VerificationDetails" of the spec, with measurements and models. */
  readonly records: readonly VerificationRecord[]
  readonly facts: DocumentFacts | null
  /** Null if the document was not read well enough to compute a document fingerprint. */
  readonly documentIdentifier: DocumentIdentifier | null
  readonly documentPortrait: Uint8Array | null
  /** JPEG of the portrait in the chip; null unless the chip confirms the document. */
  readonly chipPortrait: Uint8Array | null
  /** Null if no files of a chip were judged. */
  readonly chip: ChipAuthenticity | null
  /** The stored picture with which the portrait was compared. */
  readonly matchedPictureId: string | null
  /** Raw barcode contents, stored with the evidence. */
  readonly barcodes: readonly KeptBarcode[]
  /** Lines of the document, shown to the officer who inspects the reading. */
  readonly readLines: readonly ReadLine[]
  /** The document with which the portrait or attributes were compared, regardless of the outcome. */
  readonly matchedReferenceId: string | null
  /** Every document with whose portrait the evidence was compared. */
  readonly comparedDocumentIds: readonly string[]
  /** Field "livenessDiagnostic" of the spec. */
  readonly livenessDiagnostic: string | null
  /**
   * For a document: the values that become verified if it is VERIFIED. For submitted data: the verified
   * values.
   */
  readonly groundedValues: readonly VerifiableValue[]
  /** Null: no issuing source was asked. */
  readonly issuer: SourceReply<IssuerAnswer> | null
  /** Null: no register of addresses was asked. */
  readonly addressRegister: SourceReply<AddressAnswer> | null
  /** The sources of attributes that were asked. */
  readonly bureaus: readonly SourceReply<ClaimAnswer>[]
  /** All calls to services outside, including those of an earlier run. */
  readonly calls: readonly OutsideCall[]
}

export interface Verification {
  /** Returns null if the stored picture cannot be measured. */
  run(subject: Subject): Promise<VerificationOutcome | null>
  /**
   * Recognises the side on a picture before it is submitted; `evidenceId` is null if no evidence exists yet.
   * Throws `ImageFaultError` for a picture that cannot be decoded.
   */
  recognise(image: Uint8Array, evidenceId: string | null): Promise<SideSight>
}

/** Checks that compare evidence with an elected document. */
const COMPARISONS: readonly string[] = ['BIOMETRIC_MATCHING_CHECK', 'ATTRIBUTES_MATCH', 'ADDRESS_MATCH']

interface VerificationParts extends Omit<ToolParts, 'measured'> {
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
        // The upload was decodable on arrival, so a slow decoder indicates an overloaded machine: the job
        // retries.
        if (error.fault === 'too_complex')
          throw new AppError('vision_unavailable', { reason: 'decoding_too_slow' }, { cause: error })
        // Rare: one decoder accepts the file and another rejects it.
        return null
      }
    },
    recognise: (image, evidenceId) => recogniseSide(image, evidenceId, parts),
  }
}

async function runPipeline(subject: Subject, parts: Parts): Promise<VerificationOutcome> {
  const pipeline = parts.pipelines.pipelines[subject.family === 'DATA' ? subject.kind : subject.family]
  const rules = rulesFor(pipeline, subject.testMode)
  const { findings, records, reported, hasFailed } = await runSteps(subject, parts, pipeline, rules)
  const reason: SourceReason = hasFailed ? 'NEED' : 'CONFIGURATION'
  const judgement = judge(
    [
      ...findings,
      ...pipeline.notPerformed
        .filter((check) => !findings.some((finding) => finding.check === check))
        .map((check) => ({ check, outcome: 'inconclusive' as const, reason })),
    ],
    rules,
  )
  const { origins, confirmed, ...kept } = reported
  grounds ??= loadVerifiedGrounds()
  return {
    ...kept,
    judgement,
    records,
    ...listCompared(subject, findings),
    groundedValues: [...groundedValues(grounds, origins, judgement.positiveIndicators), ...confirmed],
  }
}

type Rules = Readonly<Record<string, CheckRule>>

interface StepResults {
  readonly findings: readonly Finding[]
  readonly records: readonly VerificationRecord[]
  readonly reported: Reported
  /** A step rejected or withheld the verdict. */
  readonly hasFailed: boolean
}

/** After a step that stops the checks, only the steps that read the document run, without findings. */
async function runSteps(
  subject: Subject,
  parts: Parts,
  pipeline: Pipeline,
  rules: Rules,
): Promise<StepResults> {
  const tools = createStepTools(subject, parts)
  const findings: Finding[] = []
  const records: VerificationRecord[] = []
  let reported: Reported = NOTHING_REPORTED
  let isStopped = false
  let hasFailed = false
  // In a live capture the applicant retakes the picture immediately, so reading a failed one would only delay
  // the applicant.
  const readsOn = subject.family === 'IDDOCUMENT' && subject.isLive !== true
  for (const definition of pipeline.steps) {
    const { step: name, participantType, stopOnFailure, readsAfterStop, onlyIfNothingFailed } = definition
    if (isStopped && !(readsAfterStop === true && readsOn)) continue
    const step = STEPS.get(name)
    if (!step) throw new TypeError(`no step ${name}`)
    if (onlyIfNothingFailed === true && hasFailed) continue
    if (step.appliesTo?.(subject) === false) continue
    const startedAt = parts.clock.now()
    const report = await step.run(subject, tools)
    reported = mergeReport(reported, isStopped ? onlyReading(report) : report)
    if (isStopped) continue
    const blocked = isBlocked(report.findings, findings, rules)
    const endedAt = parts.clock.now()
    records.push(
      toRecord({ name, participantType, stopOnFailure, report, rules, blocked, startedAt, endedAt }),
    )
    findings.push(...report.findings)
    const withheld = report.findings.some(({ withholds }) => withholds === true)
    hasFailed ||= blocked || withheld
    isStopped = (blocked || withheld) && stopOnFailure
  }
  return { findings, records, reported, hasFailed }
}

/** True if a check of the step failed, its rule is stricter than a warning, and no finding so far mitigates it. */
function isBlocked(present: readonly Finding[], earlier: readonly Finding[], rules: Rules): boolean {
  const found = [...earlier, ...present]
  return present.some(
    (finding) =>
      finding.outcome === 'failed' &&
      rules[finding.check].onFailure !== 'warn' &&
      findMitigation(finding, rules[finding.check], found) === null,
  )
}

function listCompared(
  subject: Subject,
  findings: readonly Finding[],
): Pick<VerificationOutcome, 'matchedReferenceId' | 'matchedPictureId' | 'comparedDocumentIds'> {
  const matchRan = findings.some(({ check }) => COMPARISONS.includes(check))
  const reference = matchRan && subject.family !== 'IDDOCUMENT' ? subject.reference : null
  const furtherRan = findings.some(({ check }) => check === 'BIOMETRIC_MATCHING_FURTHER')
  const further = subject.family === 'PORTRAIT' && furtherRan ? (subject.further ?? []) : []
  return {
    matchedReferenceId: reference?.evidenceId ?? null,
    matchedPictureId: reference && 'pictureId' in reference ? reference.pictureId : null,
    comparedDocumentIds: [...(reference ? [reference] : []), ...further].map(({ evidenceId }) => evidenceId),
  }
}

/** The values of the steps so far. The last step that reports a value determines it. */
type Reported = Pick<
  VerificationOutcome,
  | 'facts'
  | 'documentIdentifier'
  | 'documentPortrait'
  | 'chipPortrait'
  | 'chip'
  | 'barcodes'
  | 'readLines'
  | 'livenessDiagnostic'
  | 'issuer'
  | 'addressRegister'
  | 'bureaus'
  | 'calls'
> & { readonly origins: readonly ValueOrigin[]; readonly confirmed: readonly VerifiableValue[] }

const NOTHING_REPORTED: Reported = {
  facts: null,
  documentIdentifier: null,
  documentPortrait: null,
  chipPortrait: null,
  chip: null,
  barcodes: [],
  readLines: [],
  livenessDiagnostic: null,
  issuer: null,
  addressRegister: null,
  bureaus: [],
  calls: [],
  origins: [],
  confirmed: [],
}

function mergeReport(before: Reported, report: Partial<Reported>): Reported {
  return {
    facts: report.facts ?? before.facts,
    documentIdentifier: report.documentIdentifier ?? before.documentIdentifier,
    documentPortrait: report.documentPortrait ?? before.documentPortrait,
    chipPortrait: report.chipPortrait ?? before.chipPortrait,
    chip: report.chip ?? before.chip,
    barcodes: report.barcodes ?? before.barcodes,
    readLines: report.readLines ?? before.readLines,
    livenessDiagnostic: report.livenessDiagnostic ?? before.livenessDiagnostic,
    issuer: report.issuer ?? before.issuer,
    addressRegister: report.addressRegister ?? before.addressRegister,
    bureaus: report.bureaus ?? before.bureaus,
    calls: [...before.calls, ...(report.calls ?? [])],
    origins: report.origins ?? before.origins,
    confirmed: [...before.confirmed, ...(report.confirmed ?? [])],
  }
}

/** The values of a step that ran after the stop, for the officer who inspects the document. */
function onlyReading({ facts, readLines }: StepReport): Partial<Reported> {
  return { facts, readLines }
}

let grounds: readonly VerifiedGround[] | null = null

function rulesFor(pipeline: Pipeline, testMode: boolean): Rules {
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

/** Builds the record that the proof stores for one step. Also used for verification outside a pipeline. */
export function toRecord(fields: {
  name: string
  participantType: string
  stopOnFailure: boolean
  report: StepReport
  rules: Rules
  blocked: boolean
  /** The step failed for a technical reason. */
  isTechnicalError?: boolean
  startedAt: Date
  endedAt: Date
}): VerificationRecord {
  const { report, rules, startedAt, endedAt } = fields
  const judged = judge(report.findings, rules)
  // A step without findings did not check anything, so it has not accepted anything.
  const passedAll =
    report.findings.length > 0 && report.findings.every((finding) => finding.outcome === 'passed')
  return {
    startDateTime: formatSpecDateTime(startedAt),
    endDateTime: formatSpecDateTime(endedAt),
    sessionCreationTime: formatSpecDateTime(startedAt),
    participantType: fields.participantType,
    ...chooseState(fields.blocked, judged.refers === true, passedAll),
    isBlockingParticipant: fields.stopOnFailure,
    errors: judged.errors,
    raisedIndicators: listRaisedIndicators(judged),
    verificationServices: [
      {
        serviceName: fields.name,
        isTechnicalError: fields.isTechnicalError ?? false,
        responseTimeMS: endedAt.getTime() - startedAt.getTime(),
      },
      ...(report.calls ?? []).map(toService),
    ],
    measurements: listMeasurements(report.findings),
    models: distinctModels(report.models),
  }
}

/** The reason of a source follows the checks that it left open, once. */
function listMeasurements(findings: readonly Finding[]): readonly MeasuredCheck[] {
  const reasons = new Set(findings.flatMap(({ reason }) => (reason ? [nameReason(reason)] : [])))
  return [
    ...findings.map(({ check, outcome, measured = {} }) => ({ check, outcome, measured })),
    ...[...reasons].map((name) => ({
      check: name.replace(/_UNVERIFIED$/, ''),
      outcome: 'inconclusive' as const,
      measured: {},
    })),
  ]
}

/** A service outside beside the step that called it. */
function toService({ connector, source, trouble, durationMs, requestId }: OutsideCall) {
  return {
    serviceName: source === undefined ? connector : `${connector}/${source}`,
    isTechnicalError: trouble !== null,
    responseTimeMS: durationMs,
    ...(requestId === undefined ? {} : { serviceRequestId: requestId }),
  }
}

/** Empty if a check warned or was inconclusive: the step ended without accepting or rejecting. */
function chooseState(
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
