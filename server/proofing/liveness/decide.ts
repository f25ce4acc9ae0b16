/** Decides what a liveness session proves, from its record. Pure: no picture, no clock, no model. */
import type { CheckOutcome, Finding } from '../judge.ts'
import type { LivenessLimits, LivenessPack } from './limits.ts'
import {
  approachFinding,
  continuityFinding,
  challengeFinding,
  depthFinding,
  padFinding,
  reflectionFinding,
  sceneFinding,
  screenFinding,
} from './findings.ts'
import type { LivenessMethod, MethodFinding } from './methods.ts'
import type { ExternalLivenessRecord, LivenessRecord, OwnLivenessRecord, SessionBreach } from './types.ts'

export interface LivenessVerdict {
  readonly outcome: CheckOutcome
  /** Why it did not pass: 1609 timed out, 1610 not measurable, 1611 not live; null if passed. */
  readonly code: '1609' | '1610' | '1611' | null
  /** Methods that decided, for the proof and the relying service (never for the user agent). */
  readonly reasons: readonly string[]
  /** Spec "livenessDiagnostic": for LIVENESS_MLC if inconclusive. */
  readonly diagnostic: string | null
  /** Scores with their thresholds and measured error rates. */
  readonly measured: NonNullable<Finding['measured']>
}

type Ending = Pick<LivenessVerdict, 'outcome' | 'code'>

const PASSED: Ending = { outcome: 'passed', code: null }
const TIMED_OUT: Ending = { outcome: 'failed', code: '1609' }
const UNMEASURED: Ending = { outcome: 'inconclusive', code: '1610' }
const NOT_LIVE: Ending = { outcome: 'failed', code: '1611' }

const OF_BREACH: Readonly<Record<SessionBreach, Ending>> = {
  OTHER_CLIENT: NOT_LIVE,
  REPLAYED: NOT_LIVE,
  DUPLICATE_FRAME: NOT_LIVE,
  LATE_FRAME: TIMED_OUT,
  TECHNICAL: UNMEASURED,
}

const OF_SERVER: Readonly<Record<ExternalLivenessRecord['outcome'], Ending>> = {
  passed: PASSED,
  failed: NOT_LIVE,
  inconclusive: UNMEASURED,
  timeout: TIMED_OUT,
  technical: UNMEASURED,
}

/** Only the challenge sequence can time out. */
const OUT_OF_TIME = 'COURSE_TIMED_OUT'
/** A timed-out session shows too little for these methods, so their failure is no evidence of an attack. */
const SHOWN_IN_TIME: readonly LivenessMethod[] = ['COURSE', 'DEPTH', 'APPROACH', 'REFLECTION']

type Method = (record: OwnLivenessRecord, limits: LivenessLimits, pack: LivenessPack) => MethodFinding | null

/** Null if the method does not apply to this session. */
const METHODS: Readonly<Record<LivenessMethod, Method>> = {
  COURSE: challengeFinding,
  DEPTH: depthFinding,
  APPROACH: approachFinding,
  CONTINUITY: continuityFinding,
  PAD: padFinding,
  REFLECTION: reflectionFinding,
  SCENE: sceneFinding,
  SCREEN: screenFinding,
}

export function decideLiveness(record: LivenessRecord, limits: LivenessLimits): LivenessVerdict {
  if (record.source === 'external') return verdictOfServer(record)
  const { breach } = record
  if (breach !== null) return verdict(record, OF_BREACH[breach], [`SESSION_${breach}`], {})
  const pack = choosePack(record, limits)
  const findings = Object.values(METHODS).flatMap((method) => method(record, limits, pack) ?? [])
  const measured: LivenessVerdict['measured'] = {
    ...Object.fromEntries(findings.flatMap((finding) => Object.entries(finding.measured))),
    ...errorRates(record, limits, pack),
  }
  const { require: always, requireExtended, reject } = limits.methods[record.livenessType]
  const require = pack === 'extended' ? [...new Set([...always, ...requireExtended])] : always
  const against = findings.filter(
    ({ method, outcome }) => outcome === 'failed' && (require.includes(method) || reject.includes(method)),
  )
  if (against.length > 0) {
    const reasons = against.map(readReason)
    const isLate =
      reasons.includes(OUT_OF_TIME) && against.every(({ method }) => SHOWN_IN_TIME.includes(method))
    return verdict(record, isLate ? TIMED_OUT : NOT_LIVE, reasons, measured)
  }
  const missing = require.flatMap((method) => {
    const finding = findings.find((one) => one.method === method)
    if (!finding) return [`${method}_NOT_MEASURED`]
    return finding.outcome === 'passed' ? [] : [readReason(finding)]
  })
  return missing.length > 0
    ? verdict(record, UNMEASURED, missing, measured)
    : verdict(record, PASSED, [...require], measured)
}

function verdictOfServer(record: ExternalLivenessRecord): LivenessVerdict {
  const { outcome, score, threshold, service, serviceVersion } = record
  return verdict(record, OF_SERVER[outcome], [`SERVICE_${outcome.toUpperCase()}`], {
    service,
    serviceVersion,
    ...(score === null ? {} : { score }),
    ...(threshold === null ? {} : { scoreThreshold: threshold }),
  })
}

function verdict(
  { livenessType }: LivenessRecord,
  ending: Ending,
  reasons: readonly string[],
  measured: LivenessVerdict['measured'],
): LivenessVerdict {
  const isDiagnosed = livenessType === 'LIVENESS_MLC' && ending.outcome === 'inconclusive'
  return { ...ending, reasons, diagnostic: isDiagnosed ? (reasons.at(0) ?? null) : null, measured }
}

export function choosePack({ models }: OwnLivenessRecord, { pad }: LivenessLimits): LivenessPack {
  return models.some(({ id }) => pad.models.includes(id)) ? 'extended' : 'core'
}

function readReason({ method, reason }: MethodFinding): string {
  return reason ?? method
}

/** Measured error rates of sessions with this type and pack on the product's own benchmark. */
function errorRates(
  { livenessType }: OwnLivenessRecord,
  { measured }: LivenessLimits,
  pack: LivenessPack,
): LivenessVerdict['measured'] {
  const errors = measured[livenessType]?.[pack]
  if (!errors) return { pack }
  const rates = { bpcer: errors.bpcer, ...prefixed(errors.apcer) }
  const flat = Object.entries(rates).flatMap(([name, { rate, trials, ci95 }]): [string, number][] => [
    [name, rate],
    [`${name}Ci95From`, ci95[0]],
    [`${name}Ci95To`, ci95[1]],
    [`${name}Trials`, trials],
  ])
  return { pack, ...Object.fromEntries(flat), ratesFrom: `${errors.source}, ${errors.date}` }
}

function prefixed<Rate>(rates: Readonly<Record<string, Rate>>): Readonly<Record<string, Rate>> {
  return Object.fromEntries(Object.entries(rates).map(([species, rate]) => [`apcer.${species}`, rate]))
}
