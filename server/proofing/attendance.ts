/**
 * What staff note who were there when evidence was captured, or had the document in hand afterwards: features by a checklist,
 * and why a capture was done otherwise than usual. Pure: what each type is looked at for is data (resources/attended.json).
 */
import type { Finding } from './judge.ts'

/** AS_IT_SHOULD · DIFFERENT: something speaks against the document · NOT_LOOKED: no lamp, or not on this document. */
export const FEATURE_ANSWERS = ['AS_IT_SHOULD', 'DIFFERENT', 'NOT_LOOKED'] as const
export type FeatureAnswer = (typeof FEATURE_ANSWERS)[number]

export const FEATURE_WEIGHTS = ['ESSENTIAL', 'FURTHER', 'APART'] as const
export const FEATURE_TOOLS = ['HAND', 'LIGHT', 'UV', 'MAGNIFIER', 'EYE'] as const

export interface Feature {
  readonly id: string
  /** ESSENTIAL: without it nothing was inspected. FURTHER: where there is time and a lamp. APART: a check of its own. */
  readonly weight: (typeof FEATURE_WEIGHTS)[number]
  readonly tool: (typeof FEATURE_TOOLS)[number]
  /** Of a feature that is APART: the check that it is. */
  readonly check?: string
}

export interface AttendedRules {
  readonly version: string
  /** One per type of document; `*` for all others. */
  readonly checklists: readonly { readonly type: string; readonly features: readonly Feature[] }[]
  /** Why a capture may be done otherwise than usual. What a check found is set aside by none of them. */
  readonly exceptions: readonly string[]
}

/** Sealed with the evidence: it names a member of staff. */
export interface Attendance {
  readonly staffId: string
  /** UTC, without its Z. */
  readonly at: string
  /** Of the checklist. */
  readonly version: string
  /** As they were asked: a later checklist changes nothing about it. */
  readonly features: readonly (Feature & { readonly answer: FeatureAnswer })[]
  readonly exceptions: readonly string[]
  /**
   * IN_HAND: somebody else captured it before; staff held the document against its pictures and inspected it. That the
   * pictures are of it is their word alone, so the capture was attended by nobody. Absent: they saw it captured.
   */
  readonly seen?: 'IN_HAND'
}

export function checklistFor({ checklists }: AttendedRules, type: string): readonly Feature[] {
  const list = checklists.find((item) => item.type === type) ?? checklists.find((item) => item.type === '*')
  return list?.features ?? []
}

export type TactileOutcome = 'PASSED' | 'FAILED' | 'NOT_MADE'

/** One feature that is wrong outweighs all others; what was not looked at shows nothing. */
export function tactileOutcome({ features }: Pick<Attendance, 'features'>): TactileOutcome {
  const together = features.filter(({ weight }) => weight !== 'APART')
  if (together.some(({ answer }) => answer === 'DIFFERENT')) return 'FAILED'
  const essential = together.filter(({ weight }) => weight === 'ESSENTIAL')
  const isMade = essential.length > 0 && essential.every(({ answer }) => answer === 'AS_IT_SHOULD')
  return isMade ? 'PASSED' : 'NOT_MADE'
}

/** None for a document that nobody had in hand: that nothing was inspected says nothing. */
export function attendanceFindings(attendance: Attendance): readonly Finding[] {
  const { features, staffId, at, exceptions, version } = attendance
  const isAfterwards = attendance.seen === 'IN_HAND'
  const outcome = tactileOutcome(attendance)
  const answers = features
    .filter(({ weight }) => weight !== 'APART')
    .map(({ id, answer }) => [id, answer] as const)
  const measured = {
    checklist: version,
    ...(isAfterwards ? { inspectedBy: staffId, at, pictures: 'COMPARED' } : {}),
    ...Object.fromEntries(answers),
  }
  const attended = {
    attendedBy: staffId,
    at,
    ...(exceptions.length > 0 ? { exceptions: exceptions.join(' ') } : {}),
  }
  const apart = features.flatMap(({ check, answer }): Finding[] =>
    check !== undefined && answer === 'AS_IT_SHOULD' ? [{ check, outcome: 'passed' }] : [],
  )
  return [
    ...(isAfterwards ? [] : [{ check: 'ATTENDED_CAPTURE', outcome: 'passed' as const, measured: attended }]),
    ...(outcome === 'NOT_MADE'
      ? []
      : [
          {
            check: 'TACTILE_INSPECTION',
            outcome: outcome === 'PASSED' ? ('passed' as const) : ('failed' as const),
            measured,
          },
        ]),
    ...apart,
  ]
}
