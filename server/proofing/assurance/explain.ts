/** Why a level was reached or not, profile by profile: for auditors, `npm run policy -- explain` and staff. */
import type { Assessment } from './assess.ts'
import type { AssuranceFacts } from './facts.ts'
import type { Policy } from './policy.ts'

export interface Explanation {
  readonly policy: { readonly id: string; readonly version: string; readonly title: string }
  readonly assessment: Omit<Assessment, 'upgradePaths'>
  /** One per piece of evidence, counted or not, and why not. */
  readonly evidences: readonly {
    readonly id: string
    readonly type: string
    readonly marks: Readonly<Record<string, number>>
    readonly counted: boolean
    /** NOT_VERIFIED, CONSENT, DISAGREES; null where it counts. */
    readonly leftOut: 'NOT_VERIFIED' | 'CONSENT' | 'DISAGREES' | null
  }[]
  /** One per profile of the policy, lowest level first. */
  readonly profiles: readonly {
    readonly name: string
    readonly levelOfAssurance: string
    readonly met: boolean
    /** What is missing, each a code and what it is about: a piece, a check, a scale, a cap. */
    readonly missing: readonly Missing[]
  }[]
}

export type Missing =
  | { readonly what: 'PIECE'; readonly piece: number; readonly evidence: string }
  | {
      readonly what: 'MARK'
      readonly piece: number
      readonly mark: string
      readonly needed: number
      readonly reached: number
    }
  | {
      readonly what: 'SCORE' | 'STRENGTH'
      readonly piece: number
      readonly needed: string
      readonly reached: string
    }
  | { readonly what: 'CHECK'; readonly piece: number; readonly check: string }
  | { readonly what: 'SCALE'; readonly scale: string; readonly needed: number; readonly reached: number }
  | { readonly what: 'CAP'; readonly indicator: string; readonly maximum: string }

export function explain(_policy: Policy, _facts: AssuranceFacts): Explanation {
  throw new TypeError('not written yet')
}
