/** The report of the doctor: one result for each check. Contains no personal value and no secret. */

export const CHECKS = [
  'configuration',
  'appliance',
  'permissions',
  'keys',
  'database',
  'models',
  'disk',
  'clock',
  'cameras',
  'reader',
  'network',
  'certificates',
  'sandbox',
  'speech',
  'printer',
  'power',
  'updates',
] as const
export type CheckName = (typeof CHECKS)[number]

/** Best first. A check that could not run is NOT_CHECKED, never OK. */
const STATES = ['OK', 'NOT_CHECKED', 'WARNING', 'WRONG'] as const
export type CheckState = (typeof STATES)[number]

export interface Finding {
  readonly state: CheckState
  /** Sentences in English, for the person who repairs the machine. */
  readonly what: string
  /** The cost for the applicant or the proof; null: none. */
  readonly cost: string | null
  readonly remedy: string | null
}

export interface CheckResult {
  readonly check: CheckName
  /** The worst state of the findings. */
  readonly state: CheckState
  readonly findings: readonly Finding[]
}

export interface DoctorReport {
  readonly state: CheckState
  readonly version: string
  /** ISO 8601. */
  readonly at: string
  readonly checks: readonly CheckResult[]
}

export function findWorstState(states: readonly CheckState[]): CheckState {
  return STATES[Math.max(0, ...states.map((state) => STATES.indexOf(state)))]
}

export const ok = (what: string): Finding => ({ state: 'OK', what, cost: null, remedy: null })

export const notChecked = (what: string, remedy: string | null = null): Finding => ({
  state: 'NOT_CHECKED',
  what,
  cost: null,
  remedy,
})

export const warning = (what: string, cost: string | null, remedy: string): Finding => ({
  state: 'WARNING',
  what,
  cost,
  remedy,
})

export const wrong = (what: string, cost: string | null, remedy: string): Finding => ({
  state: 'WRONG',
  what,
  cost,
  remedy,
})
