/** Counts and times of a proof for statistics: names of checks and numbers, no value of a document or person. */
import type { Details } from './document.ts'

export interface ProofFigures {
  /** Milliseconds from the first call to the sealing. */
  readonly durationMs: number
  /** Indicators of checks that failed, sorted. */
  readonly failures: readonly string[]
  /** Milliseconds of verification by the name of the step. */
  readonly steps: Readonly<Record<string, number>>
}

const NAME = /^[A-Z][A-Z0-9_]{0,63}$/
const FAILED = '_KO'
/** A hostile archive can have as many names as its JSON has elements. */
const MAX_NAMES = 20
const MAX_MS = 7 * 86_400_000

export function collectFigures(
  { startDateTime, endDateTime }: { readonly startDateTime: string; readonly endDateTime: string },
  details: Details,
): ProofFigures {
  const failures = new Set<string>()
  const steps = new Map<string, number>()
  for (const { identityOperation, verificationDetails = [] } of details) {
    for (const verification of verificationDetails) {
      for (const name of listNames(verification.raisedIndicators))
        if (name.endsWith(FAILED) && failures.size < MAX_NAMES) failures.add(name)
      const { name } = identityOperation
      if (!NAME.test(name) || (steps.size >= MAX_NAMES && !steps.has(name))) continue
      const spent = measureSpan(verification.startDateTime, verification.endDateTime)
      steps.set(name, Math.min(MAX_MS, (steps.get(name) ?? 0) + spent))
    }
  }
  return {
    durationMs: measureSpan(startDateTime, endDateTime),
    failures: [...failures].sort(),
    steps: Object.fromEntries(steps),
  }
}

function listNames(indicators: unknown): string[] {
  if (!Array.isArray(indicators)) return []
  return indicators.filter((name): name is string => typeof name === 'string' && NAME.test(name))
}

/** Both are UTC without a zone. A clock that was set back gives 0. */
function measureSpan(from: string, to: string): number {
  return Math.min(MAX_MS, Math.max(0, Date.parse(`${to}Z`) - Date.parse(`${from}Z`)))
}
