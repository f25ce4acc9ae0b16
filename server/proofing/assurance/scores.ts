/** Computes strength and score of an evidence from the policy and its passed checks. Knows no identity. */
import { findPassedCheck } from '../indicator-names.ts'
import type { Evidence } from '../evidence.ts'
import { LEVELS, type EvidenceType, type Level } from '../types.ts'
import type { Policy } from './policy.ts'

/** A level with the rule that assigned it, for the proof. */
export interface RuledLevel {
  readonly level: Level
  readonly rule: string
}

const rank = (level: Level): number => LEVELS.indexOf(level)
export const isAtLeast = (level: Level, minimum: Level): boolean => rank(level) >= rank(minimum)
export const pickLower = (a: Level, b: Level): Level => (rank(a) <= rank(b) ? a : b)
export const pickHigher = (a: Level, b: Level): Level => (rank(a) >= rank(b) ? a : b)

/** @param passed stems of its passed checks */
export function ruleStrength(policy: Policy, type: EvidenceType, passed: readonly string[] = []): RuledLevel {
  const named = (rule: string): string => `${policy.id}/${policy.version}:${rule}`
  let reached: RuledLevel = { level: policy.strength[type] ?? 'LEVEL0', rule: named(`strength.${type}`) }
  for (const { name, level, types, requires } of policy.strengthRules) {
    const applies = types.includes(type) && requires.every((check) => passed.includes(check))
    if (applies && rank(level) > rank(reached.level)) reached = { level, rule: named(`strength.${name}`) }
  }
  return reached
}

/** Score of a verified document: the best rule whose checks all passed, limited by its strength. */
export function documentScore(policy: Policy, type: EvidenceType, passed: readonly string[]): RuledLevel {
  const strength = ruleStrength(policy, type, passed).level
  let reached: RuledLevel = { level: 'LEVEL0', rule: `${policy.id}/${policy.version}:none` }
  for (const { name, score, types, requires } of policy.documentScore) {
    const applies = (types?.includes(type) ?? true) && requires.every((check) => passed.includes(check))
    const level = pickLower(score, strength)
    if (applies && rank(level) > rank(reached.level)) {
      reached = { level, rule: `${policy.id}/${policy.version}:score.${name}` }
    }
  }
  return reached
}

/** Inputs for an evidence's score. */
export type Scorable = Pick<Evidence, 'family' | 'type' | 'status' | 'score'> & {
  readonly positiveIndicators: readonly string[]
}

/**
 * Strength and score of decided evidence under this policy, which may differ from the original one.
 * @param reference score of the document that a portrait matched
 */
export function scoredBy(
  policy: Policy,
  { family, type, status, score, positiveIndicators }: Scorable,
  reference: Level | null,
): { readonly strength: RuledLevel; readonly score: RuledLevel } {
  const passed = listPassedChecks(positiveIndicators)
  const strength = ruleStrength(policy, type, passed)
  const named = (rule: string): string => `${policy.id}/${policy.version}:${rule}`
  if (status !== 'VERIFIED') return { strength, score: { level: 'LEVEL0', rule: named('not-verified') } }
  const isAdjudicated = passed.includes('ADJUDICATION')
  const capped = (reached: RuledLevel, cap: 'documentScore' | 'portraitScore'): RuledLevel => {
    const level = isAdjudicated ? pickLower(reached.level, policy.adjudication[cap]) : reached.level
    return level === reached.level ? reached : { level, rule: named(`adjudication.${cap}`) }
  }
  if (family === 'IDDOCUMENT') {
    return { strength, score: capped(documentScore(policy, type, passed), 'documentScore') }
  }
  if (family === 'PORTRAIT') {
    const ofReference = { level: reference ?? 'LEVEL0', rule: named('score-of-reference') }
    return { strength, score: capped(ofReference, 'portraitScore') }
  }
  // The score comes from outside the policy (an identity provider's configured score), limited by the strength of its
  // kind.
  return { strength, score: { level: pickLower(score, strength.level), rule: strength.rule } }
}

/** The checks that passed. */
export function listPassedChecks(positiveIndicators: readonly string[]): readonly string[] {
  return positiveIndicators.flatMap((name) => findPassedCheck(name) ?? [])
}
