/** Which proofs a retention rule covers, as a pure table. A tenant without a rule and without a default keeps every proof. */

export interface RetentionRule {
  readonly tenantId: string
  /** Empty: every policy without a rule of its own. */
  readonly policyId: string
  /** Counted from the storage of the proof; null: kept without end. */
  readonly days: number | null
}

/** Proofs that are deleted after the same time. */
export interface RetentionGroup {
  readonly tenantId: string
  /** Null: every policy except those of `otherThan`, and proofs whose policy is not known. */
  readonly policyId: string | null
  readonly otherThan: readonly string[]
  readonly days: number
}

/** @param defaultDays of the configuration; null: none */
export function groupByRetention(
  tenants: readonly string[],
  rules: readonly RetentionRule[],
  defaultDays: number | null,
): RetentionGroup[] {
  return tenants.flatMap((tenantId) => {
    const own = rules.filter((rule) => rule.tenantId === tenantId)
    const ofPolicies = own.filter(({ policyId }) => policyId !== '')
    const ofTenant = own.find(({ policyId }) => policyId === '')
    const otherThan = ofPolicies.map(({ policyId }) => policyId)
    const days = ofTenant === undefined ? defaultDays : ofTenant.days
    return [
      ...ofPolicies.flatMap((rule) =>
        rule.days === null ? [] : [{ tenantId, policyId: rule.policyId, otherThan: [], days: rule.days }],
      ),
      ...(days === null ? [] : [{ tenantId, policyId: null, otherThan, days }]),
    ]
  })
}
