/**
 * The levels of the policy in force, so that every page can tell one in words.
 * GET levels → LevelsView
 */
import type { LevelView } from './today.ts'

export interface LevelsView {
  readonly policy: { readonly id: string; readonly version: string; readonly title: string }
  /** Lowest first. */
  readonly levels: readonly {
    readonly name: string
    /** As the policy calls it: "substantial", "IAL2". */
    readonly label: string
    /** Sets of submissions, each of which leads there from nothing. Empty: none does. */
    readonly needs: LevelView['upgradePaths'][string]
  }[]
}
