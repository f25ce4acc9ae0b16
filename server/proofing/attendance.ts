/**
 * An officer's observations: captured in the officer's presence, or inspected by hand later. Contains checklist answers
 * and reasons for unusual captures. Pure; the checklists are data (resources/attended.json).
 */
import type { Finding } from './judge.ts'

/** DIFFERENT: speaks against the document. NOT_LOOKED: no lamp, or not applicable to this document. */
export const FEATURE_ANSWERS = ['AS_IT_SHOULD', 'DIFFERENT', 'NOT_LOOKED'] as const
export type FeatureAnswer = (typeof FEATURE_ANSWERS)[number]

export const FEATURE_WEIGHTS = ['ESSENTIAL', 'FURTHER', 'APART'] as const
export const FEATURE_TOOLS = ['HAND', 'LIGHT', 'UV', 'MAGNIFIER', 'EYE'] as const

export interface Feature {
  readonly id: string
  /** ESSENTIAL: required for an inspection. FURTHER: optional. APART: a separate check. */
  readonly weight: (typeof FEATURE_WEIGHTS)[number]
  readonly tool: (typeof FEATURE_TOOLS)[number]
  /** For an APART feature: its check. */
  readonly check?: string
}

export interface AttendedRules {
  readonly version: string
  /** One list per type of document; `*` for all others. */
  readonly checklists: readonly { readonly type: string; readonly features: readonly Feature[] }[]
  /** Reasons for an unusual capture. None of them overrides a failed check. */
  readonly exceptions: readonly string[]
}

/** Stored encrypted with the evidence, because it names an officer. */
export interface Attendance {
  readonly staffId: string
  /** UTC, without the final Z. */
  readonly at: string
  /** Version of the checklist. */
  readonly version: string
  /** A copy of the features as asked, so that later checklists do not change it. */
  readonly features: readonly (Feature & { readonly answer: FeatureAnswer })[]
  readonly exceptions: readonly string[]
  /**
   * IN_HAND: the picture is a file, or another party captured the document; the officer compared it with its pictures and inspected it. Only the
   * officer's statement links both, so the capture does not count as attended. Absent: the officer attended the capture.
   */
  readonly seen?: 'IN_HAND'
}

export function checklistFor({ checklists }: AttendedRules, type: string): readonly Feature[] {
  const list = checklists.find((item) => item.type === type) ?? checklists.find((item) => item.type === '*')
  return list?.features ?? []
}

type TactileOutcome = 'PASSED' | 'FAILED' | 'NOT_MADE'

/** One wrong feature outweighs all others; features that were not examined show nothing. */
export function tactileOutcome({ features }: Pick<Attendance, 'features'>): TactileOutcome {
  const together = features.filter(({ weight }) => weight !== 'APART')
  if (together.some(({ answer }) => answer === 'DIFFERENT')) return 'FAILED'
  const essential = together.filter(({ weight }) => weight === 'ESSENTIAL')
  const isMade = essential.length > 0 && essential.every(({ answer }) => answer === 'AS_IT_SHOULD')
  return isMade ? 'PASSED' : 'NOT_MADE'
}

/** Returns no tactile finding for a document that no officer examined. */
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
