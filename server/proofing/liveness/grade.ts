/**
 * Grades of liveness: the attacks that the type of a passed session was measured to stop. Pure. A grade is a check of its own, so that a policy
 * can require it: `LIVENESS_STOPS_REPLAYS` passed means that the measured error rates of this type, model pack and
 * strictness meet the limit for every PAI species of the grade. A type without a measurement has no grade.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Finding } from '../judge.ts'
import { SECURITY_LEVELS, type LivenessType } from '../types.ts'
import { choosePack } from './decide.ts'
import {
  LIVENESS_PACKS,
  type GradeRule,
  type LivenessLimits,
  type LivenessPack,
  type MeasuredErrors,
} from './limits.ts'
import { LIVENESS_GRADES, type LivenessGrade, type LivenessRecord, type OwnLivenessRecord } from './types.ts'

/**
 * The grades of a session that passed, as passed checks. A missing grade says nothing against the person, so it is no
 * finding.
 */
export function gradeSession(record: LivenessRecord, limits: LivenessLimits): readonly Finding[] {
  const errors = record.source === 'appliance' ? findErrors(record, limits) : undefined
  const isStopped = (grade: LivenessGrade): boolean =>
    record.source === 'external' ? (record.stops ?? []).includes(grade) : meets(limits.grades[grade], errors)
  return untilUnmet(isStopped).map((check) => ({
    check,
    outcome: 'passed',
    ...(errors ? { measured: describe(limits.grades[check], errors) } : {}),
  }))
}

function untilUnmet(isMet: (grade: LivenessGrade) => boolean): readonly LivenessGrade[] {
  const unmet = LIVENESS_GRADES.findIndex((grade) => !isMet(grade))
  return unmet === -1 ? LIVENESS_GRADES : LIVENESS_GRADES.slice(0, unmet)
}

/** True if the type has fewer grades than the other one with any model pack. */
export function isWeaker(type: LivenessType, other: LivenessType, limits: LivenessLimits): boolean {
  return LIVENESS_PACKS.some((pack) => {
    const [count, otherCount] = [type, other].map((one) =>
      countGrades(ratesOfPack(one, pack, limits), limits),
    )
    return count < otherCount
  })
}

function countGrades(errors: MeasuredErrors | undefined, limits: LivenessLimits): number {
  return untilUnmet((grade) => meets(limits.grades[grade], errors)).length
}

/**
 * The extended pack requires its networks in addition to the core pack's methods. With the same limits it lets no more
 * attacks pass, so the core pack's rates hold for it, too.
 */
function ratesOfPack(
  type: LivenessType,
  pack: LivenessPack,
  { measured, depth }: LivenessLimits,
): MeasuredErrors | undefined {
  const { core, extended } = depth[type]
  const own = measured[type]?.[pack]
  return own ?? (isDeepStrictEqual(core, extended) ? measured[type]?.core : undefined)
}

/** The rates apply to sessions that are at least as strict as the measured ones. */
function findErrors(record: OwnLivenessRecord, limits: LivenessLimits): MeasuredErrors | undefined {
  const errors = ratesOfPack(record.livenessType, choosePack(record, limits), limits)
  if (!errors) return undefined
  const isAsStrict =
    SECURITY_LEVELS.indexOf(record.securityLevel) >= SECURITY_LEVELS.indexOf(errors.securityLevel) &&
    record.trace.planned >= errors.steps
  return isAsStrict ? errors : undefined
}

function meets({ species, apcerCi95AtMost }: GradeRule, errors: MeasuredErrors | undefined): boolean {
  return species.every((name) => (errors?.apcer[name]?.ci95[1] ?? 1) <= apcerCi95AtMost)
}

function describe(
  { species, apcerCi95AtMost }: GradeRule,
  errors: MeasuredErrors,
): NonNullable<Finding['measured']> {
  const rates = species.flatMap((name): [string, number][] => {
    const rate = errors.apcer[name]
    return rate ? [[`apcer.${name}Ci95To`, rate.ci95[1]]] : []
  })
  return { ...Object.fromEntries(rates), apcerCi95AtMost, ratesFrom: `${errors.source}, ${errors.date}` }
}
