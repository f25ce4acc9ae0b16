/** Findings of each liveness method on a record. One function per method; none knows the verdict. */
import type { LivenessType } from '../types.ts'
import type { LivenessLimits, LivenessPack } from './limits.ts'
import type { LivenessMethod, MethodFinding } from './methods.ts'
import { isAtOrBeyond } from '../match-zone.ts'
import { getMovementNeed, measureStrength } from './movement.ts'
import { isMovement } from './plan.ts'
import { judgeReflection } from './reflection.ts'
import { judgeScene } from './scene.ts'
import { judgeScreen } from './screen.ts'
import type { LivenessStepKind, OwnLivenessRecord, SessionTrace, StepTrace } from './types.ts'

type Measured = MethodFinding['measured']

function finding(method: LivenessMethod, reason: string | null, measured: Measured): MethodFinding {
  return { method, outcome: reason === null ? 'passed' : 'failed', reason, measured }
}

function notMeasured(method: LivenessMethod, measured: Measured = {}): MethodFinding {
  return { method, outcome: 'inconclusive', reason: `${method}_NOT_MEASURED`, measured }
}

/** Steps without which a sequence of the type proves nothing, whatever its trace states. */
const NEEDED_STEPS: Readonly<Record<LivenessType, readonly (readonly LivenessStepKind[])[]>> = {
  LIVENESS_PASSIVE: [['LOOK_STRAIGHT']],
  LIVENESS_PASSIVE_VIDEO: [['LOOK_STRAIGHT'], ['COME_CLOSER']],
  LIVENESS_ACTIVE: [['LOOK_STRAIGHT'], ['TURN_LEFT', 'TURN_RIGHT']],
  LIVENESS_MLC: [['LOOK_STRAIGHT'], ['TURN_LEFT', 'TURN_RIGHT'], ['COME_CLOSER'], ['SHOW_COLOUR']],
}

export function challengeFinding(record: OwnLivenessRecord, limits: LivenessLimits): MethodFinding {
  const { trace } = record
  const onsets = trace.steps.flatMap((step) =>
    step.onsetAtMs === null ? [] : [step.onsetAtMs - step.promptedAtMs],
  )
  const measured: Measured = {
    courseEnd: trace.end ?? 'BROKEN_OFF',
    stepsMet: trace.steps.filter(({ outcome }) => outcome === 'MET').length,
    stepsPlanned: trace.planned,
    stepsRetried: trace.steps.filter(({ attempts }) => attempts > 1).length,
    ...(onsets.length > 0
      ? { onsetEarliestMs: Math.min(...onsets), onsetLatestMs: Math.max(...onsets) }
      : {}),
    onsetAtLeastMs: limits.course.onsetAtLeastMs,
    onsetAtMostMs: limits.course.onsetAtMostMs,
    courseMs: trace.durationMs,
  }
  return finding('COURSE', courseReason(record, limits), measured)
}

/** Returns null if every step was completed in order and in time. */
function courseReason(record: OwnLivenessRecord, limits: LivenessLimits): string | null {
  const { trace, livenessType } = record
  if (trace.steps.some(({ outcome }) => outcome === 'ANTICIPATED')) return 'COURSE_ANTICIPATED'
  if (trace.steps.some(({ outcome }) => outcome === 'WRONG_DIRECTION')) return 'COURSE_WRONG_DIRECTION'
  if (trace.end === 'FAILED') return 'COURSE_FAILED'
  if (trace.end !== 'COMPLETE') return 'COURSE_TIMED_OUT'
  const isWhole =
    trace.steps.length === trace.planned && trace.steps.every(({ outcome }) => outcome === 'MET')
  const needed = [
    ...NEEDED_STEPS[livenessType],
    ...(livenessType === 'LIVENESS_ACTIVE' && record.securityLevel !== 'LOW' ? [['COME_CLOSER']] : []),
  ]
  const hasNeeded = needed.every((kinds) => trace.steps.some(({ kind }) => kinds.includes(kind)))
  if (!isWhole || !hasNeeded) return 'COURSE_INCOMPLETE'
  return (
    trace.steps.map((step) => movementReason(step, record, limits)).find((reason) => reason !== null) ?? null
  )
}

function movementReason(
  { kind, onsetAtMs, promptedAtMs, peak }: StepTrace,
  { livenessType }: OwnLivenessRecord,
  { course: challenge }: LivenessLimits,
): string | null {
  if (!isMovement(kind)) return null
  const need = getMovementNeed(challenge, livenessType !== 'LIVENESS_ACTIVE')
  if (!(measureStrength(kind, peak, need) >= 1)) return 'COURSE_TOO_LITTLE_MOVEMENT'
  if (onsetAtMs === null) return 'COURSE_INCOMPLETE'
  const onsetMs = onsetAtMs - promptedAtMs
  if (!(onsetMs >= challenge.onsetAtLeastMs)) return 'COURSE_ANTICIPATED'
  return onsetMs <= challenge.onsetAtMostMs ? null : 'COURSE_LATE_ONSET'
}

export function depthFinding(
  { depth, livenessType }: OwnLivenessRecord,
  limits: LivenessLimits,
  pack: LivenessPack,
): MethodFinding {
  const needed = limits.depth[livenessType][pack]
  const { depthAtLeast, depthAtMost, explainedShareAtLeast, evidenceAtLeast } = needed
  const thresholds: Measured = {
    depthAtLeast,
    depthAtMost,
    explainedShareAtLeast,
    depthEvidenceAtLeast: evidenceAtLeast,
  }
  // The applicant did not show the face as prompted. A fault of the appliance ends a session by a breach instead.
  const notFollowed = (measured: Measured): MethodFinding =>
    livenessType === 'LIVENESS_MLC'
      ? notMeasured('DEPTH', measured)
      : finding('DEPTH', 'DEPTH_NOT_MEASURED', measured)
  if (depth === null) return notFollowed(thresholds)
  const { explainedShare, residualPx, views, points } = depth
  const evidence = depth.depth + needed.explainedShareWeight * explainedShare
  if (!Number.isFinite(evidence)) return notMeasured('DEPTH', thresholds)
  const measured: Measured = {
    ...thresholds,
    depth: depth.depth,
    explainedShare,
    depthEvidence: evidence,
    depthResidualPx: residualPx,
    views,
    points,
  }
  if (!(views >= needed.viewsAtLeast && points >= needed.pointsAtLeast)) return notFollowed(measured)
  if (explainedShare < needed.explainedShareAtLeast) return finding('DEPTH', 'DEPTH_NOT_SHOWN', measured)
  if (depth.depth < needed.depthAtLeast) return finding('DEPTH', 'DEPTH_TOO_FLAT', measured)
  if (depth.depth > needed.depthAtMost) return finding('DEPTH', 'DEPTH_TOO_DEEP', measured)
  return finding('DEPTH', evidence < needed.evidenceAtLeast ? 'DEPTH_TOO_LITTLE' : null, measured)
}

/** Returns null if no approach was prompted. */
export function approachFinding(record: OwnLivenessRecord, limits: LivenessLimits): MethodFinding | null {
  if (!record.trace.steps.some(({ kind }) => kind === 'COME_CLOSER')) return null
  const approach =
    record.livenessType === 'LIVENESS_PASSIVE_VIDEO' ? record.depth?.approach : peakApproach(record.trace)
  const thresholds: Measured = { approachAtLeast: limits.approachAtLeastLog }
  if (approach === undefined || !Number.isFinite(approach)) return notMeasured('APPROACH', thresholds)
  const isEnough = approach >= limits.approachAtLeastLog
  return finding('APPROACH', isEnough ? null : 'APPROACH_TOO_SMALL', { ...thresholds, approach })
}

function peakApproach({ steps }: SessionTrace): number | undefined {
  const logs = steps.filter(({ kind }) => kind === 'COME_CLOSER').map(({ peak }) => Math.log(peak.nearer))
  return logs.length > 0 ? Math.min(...logs) : undefined
}

export function continuityFinding(
  { continuity, trace, livenessType }: OwnLivenessRecord,
  limits: LivenessLimits,
): MethodFinding {
  const { comparedAtLeast, jumpsAtMost } = limits.continuity
  const moved: Measured = { jumps: trace.jumps, jumpsAtMost }
  if (trace.jumps > jumpsAtMost) return finding('CONTINUITY', 'CONTINUITY_JUMPED', moved)
  const limit = continuity?.thresholds?.[limits.continuity.point[livenessType]]
  if (continuity === null || limit === undefined || !Number.isFinite(continuity.worst))
    return notMeasured('CONTINUITY', moved)
  const { measure, worst, compared } = continuity
  const measured: Measured = {
    ...moved,
    continuityMeasure: measure,
    continuityWorst: worst,
    continuityLimit: limit,
    continuityCompared: compared,
  }
  if (!isAtOrBeyond(measure, worst, limit)) return finding('CONTINUITY', 'CONTINUITY_ANOTHER_FACE', measured)
  return compared >= comparedAtLeast
    ? finding('CONTINUITY', null, measured)
    : notMeasured('CONTINUITY', measured)
}

/** Returns null if the networks are neither installed nor required by the type. */
export function padFinding(
  { trace, livenessType }: OwnLivenessRecord,
  { pad: limits }: LivenessLimits,
  pack: LivenessPack,
): MethodFinding | null {
  const thresholds: Measured = {
    padAtLeast: limits.atLeast[livenessType],
    padFramesAtLeast: limits.framesAtLeast,
  }
  const { pad } = trace
  // Installed but never measurable: holding the face too near must not be an advantage.
  if (pad === null || !Number.isFinite(pad.median))
    return pack === 'extended' ? notMeasured('PAD', thresholds) : null
  const measured: Measured = { ...thresholds, pad: pad.median, padFrames: pad.frames }
  if (pad.median < limits.atLeast[livenessType]) return finding('PAD', 'PAD_BELOW_LIMIT', measured)
  return pad.frames >= limits.framesAtLeast ? finding('PAD', null, measured) : notMeasured('PAD', measured)
}

/** Returns null if no colours were shown. */
export function reflectionFinding(
  { trace, livenessType }: OwnLivenessRecord,
  { reflection: limits }: LivenessLimits,
): MethodFinding | null {
  if (livenessType !== 'LIVENESS_MLC') return null
  const { outcome, reason, score, strength, besideShare, evenness } = judgeReflection(
    trace.colours,
    limits,
    trace.colourSet,
  )
  const measured: Measured = {
    reflectionColours: trace.colourSet ?? 'FULL',
    reflectionAtLeast: limits.leastScore,
    reflectionStrengthAtLeast: limits.leastStrength,
    ...(score === null ? {} : { reflection: score }),
    ...(strength === null ? {} : { reflectionStrength: strength }),
    ...(besideShare === null ? {} : { reflectionBesideShare: besideShare }),
    ...(evenness === null ? {} : { reflectionEvenness: evenness }),
  }
  return { method: 'REFLECTION', outcome, reason, measured }
}

/** Returns null if the camera's empty scene is unknown. */
export function sceneFinding(
  { sceneChange }: OwnLivenessRecord,
  { scene: limits }: LivenessLimits,
): MethodFinding | null {
  if (sceneChange === null) return null
  const { outcome, reason } = judgeScene(sceneChange, limits)
  return {
    method: 'SCENE',
    outcome,
    reason,
    measured: { sceneChange, sceneChangeBelow: limits.failFromChange },
  }
}

/** Returns null if the pictures were not compared. */
export function screenFinding(
  { screen }: OwnLivenessRecord,
  { screen: limits }: LivenessLimits,
): MethodFinding | null {
  if (!screen) return null
  const { outcome, reason } = judgeScreen(screen, limits)
  const { sceneMoved, frontEdge } = screen
  return {
    method: 'SCREEN',
    outcome,
    reason,
    measured: {
      ...(sceneMoved === null ? {} : { sceneMoved, sceneMovedBelow: limits.failFromMoved }),
      ...(frontEdge === null ? {} : { frontEdge, frontEdgeBelow: limits.failFromEdge }),
    },
  }
}
