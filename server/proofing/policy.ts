/**
 * A level-of-assurance policy is data (resources/policies). This file says what it may hold and what it means:
 * evidence strength, score from the checks passed, level from the scores, and what is missing for a higher level.
 */
import type { Evaluation, Evidence } from './evidence.ts'
import type { UpgradePaths, UpgradeStep } from './identity.ts'
import { LEVELS, type EvidenceType, type Level } from './types.ts'

export interface ScoreRule {
  readonly name: string
  readonly score: Level
  /** Indicator stems that must all be OK. */
  readonly requires: readonly string[]
}

export interface LevelRule {
  readonly levelOfAssurance: string
  readonly document?: { readonly minimumScore: Level; readonly requires?: readonly string[] }
  readonly portrait?: { readonly minimumScore: Level; readonly requires?: readonly string[] }
}

export interface Policy {
  readonly id: string
  readonly version: string
  readonly description: string
  readonly source: string
  /** The most a type of evidence can reach, whatever is checked. */
  readonly strength: Readonly<Partial<Record<EvidenceType, Level>>>
  readonly documentScore: readonly ScoreRule[]
  /** Lowest first; the first entry is what an identity starts with and requires nothing. */
  readonly levels: readonly LevelRule[]
}

const rank = (level: Level): number => LEVELS.indexOf(level)
export const atLeast = (level: Level, minimum: Level): boolean => rank(level) >= rank(minimum)
const lower = (a: Level, b: Level): Level => (rank(a) <= rank(b) ? a : b)

export function strengthOf(policy: Policy, type: EvidenceType): { level: Level; rule: string } {
  const level = policy.strength[type] ?? 'LEVEL0'
  return { level, rule: `${policy.id}/${policy.version}:strength.${type}` }
}

/** The score of a verified document: the best rule whose checks all passed, never above the type's strength. */
export function documentScore(
  policy: Policy,
  type: EvidenceType,
  positiveIndicators: readonly string[],
): { level: Level; rule: string } {
  const strength = strengthOf(policy, type).level
  let reached: { level: Level; rule: string } = {
    level: 'LEVEL0',
    rule: `${policy.id}/${policy.version}:none`,
  }
  for (const rule of policy.documentScore) {
    const passed = rule.requires.every((check) => positiveIndicators.includes(`${check}_OK`))
    if (passed && rank(rule.score) > rank(reached.level)) {
      reached = {
        level: lower(rule.score, strength),
        rule: `${policy.id}/${policy.version}:score.${rule.name}`,
      }
    }
  }
  return reached
}

export interface Assessment {
  readonly levelOfAssurance: string
  readonly upgradePaths: UpgradePaths
}

/** The highest level whose requirements are met, and for each one above it what would have to be submitted. */
export function assess(policy: Policy, evidences: readonly Evidence[]): Assessment {
  const counted = evidences.filter((evidence) => !evidence.deletedAt && evidence.status === 'VERIFIED')
  const missing = policy.levels.map((level) => missingFor(level, counted))
  let reached = 0
  missing.forEach((steps, index) => {
    if (steps.length === 0) reached = index
  })
  const above = policy.levels.slice(reached + 1)
  return {
    levelOfAssurance: policy.levels[reached].levelOfAssurance,
    upgradePaths: Object.fromEntries(
      above.map((level, offset) => [level.levelOfAssurance, [missing[reached + 1 + offset]]]),
    ),
  }
}

function missingFor(level: LevelRule, verified: readonly Evidence[]): readonly UpgradeStep[] {
  const steps: UpgradeStep[] = []
  for (const [evidence, family, need] of [
    ['ID_DOCUMENT', 'IDDOCUMENT', level.document],
    ['PORTRAIT', 'PORTRAIT', level.portrait],
  ] as const) {
    if (!need) continue
    const checks = need.requires ?? []
    const met = verified.some(
      (item) =>
        item.family === family &&
        atLeast(item.score, need.minimumScore) &&
        passedAll(item.evaluation, checks),
    )
    if (!met) steps.push({ evidence, minimumScore: need.minimumScore, checks })
  }
  return steps
}

function passedAll(evaluation: Evaluation, checks: readonly string[]): boolean {
  return checks.every((check) => evaluation.positiveIndicators.includes(`${check}_OK`))
}
