/** Limits of liveness sessions, as resources/liveness.json holds them, each with unit and origin there. */
export interface LivenessLimits {
  /** A session whose next picture does not come within this time has ended. */
  readonly longestGapMs: number
}
