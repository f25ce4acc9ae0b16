/**
 * The levels of the policy in force with their labels and requirements.
 * GET levels → LevelsView
 */
import type { LevelView } from './today.ts'

export interface LevelsView {
  readonly policy: { readonly id: string; readonly version: string; readonly title: string }
  /** Lowest first. */
  readonly levels: readonly {
    readonly name: string
    /** The policy's own label: "substantial", "IAL2". */
    readonly label: string
    /** Sets of submissions, each of which reaches the level from nothing. Empty: it cannot be reached. */
    readonly needs: LevelView['upgradePaths'][string]
  }[]
}
