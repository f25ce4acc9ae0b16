/** Names of the indicators that a passed check raises: its own name with `_OK`, unless the spec names another one. */

/** Spec "Scoring rules": "Issuer verification result indicators". */
const NAMED_BY_SPEC: Readonly<Record<string, string>> = { GIV_VERIFICATION: 'GIV_VERIFICATION_VERIFIED' }
const CHECKS = new Map(Object.entries(NAMED_BY_SPEC).map(([check, indicator]) => [indicator, check]))
const SUFFIX = '_OK'

export const namePassed = (check: string): string => NAMED_BY_SPEC[check] ?? check + SUFFIX

/** The check that raised this indicator by passing; null for an indicator of another kind. */
export function findPassedCheck(indicator: string): string | null {
  return CHECKS.get(indicator) ?? (indicator.endsWith(SUFFIX) ? indicator.slice(0, -SUFFIX.length) : null)
}
