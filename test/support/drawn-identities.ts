/** Random evidence of several people in one identity: each piece shows random words of a policy. */
import fc from 'fast-check'
import { loadPolicies } from '../../server/config/policies.ts'
import { DERIVED_CHECKS, type Policy } from '../../server/proofing/assurance/policy.ts'
import type { Evidence } from '../../server/proofing/evidence.ts'
import {
  FRAUD_CHECK_TYPES,
  type ConsentType,
  type EvidenceStatus,
  type FraudCheckType,
} from '../../server/proofing/types.ts'

export interface DrawnEvidence {
  readonly family: 'IDDOCUMENT' | 'PORTRAIT' | 'ATTRIBUTES' | 'ADDRESS' | 'TRUSTED_ID_CLAIM'
  readonly type: Evidence['type']
  readonly status: EvidenceStatus
  readonly passed: readonly string[]
  readonly raised: readonly string[]
  /** The person of the evidence: one identity may contain evidence of several people. */
  readonly person: number
  readonly issuedDaysAgo: number
}
export interface DrawnConsent {
  readonly type: ConsentType
  readonly approved: boolean
  readonly endsInDays: number | null
}
export interface DrawnFraudCheck {
  readonly type: FraudCheckType
  readonly indicators: readonly string[]
}
export interface DrawnIdentity {
  readonly evidences: readonly DrawnEvidence[]
  readonly fraudChecks: readonly DrawnFraudCheck[]
  readonly consents: readonly DrawnConsent[]
}

/** Checks and indicators that the rules of the policy mention. */
function wordsOf(policy: Policy): {
  readonly checks: readonly string[]
  readonly indicators: readonly string[]
} {
  const checks = [
    'BIOMETRIC_MATCHING_CHECK',
    ...Object.values(DERIVED_CHECKS).flat(),
    ...policy.documentScore.flatMap(({ requires }) => requires),
    ...policy.strengthRules.flatMap(({ requires }) => requires),
    ...policy.marks.flatMap(({ requires }) => requires ?? []),
    ...policy.scales.flatMap(({ requires }) => requires ?? []),
    ...policy.profiles.flatMap(({ pieces }) => pieces.flatMap(({ requires }) => requires ?? [])),
  ]
  const known = [...new Set(checks)].filter((check) => !(check in DERIVED_CHECKS))
  return {
    checks: known.filter((check) => check !== 'ADJUDICATION').sort(),
    indicators: Object.keys(policy.caps)
      .filter((name) => name.endsWith('_UNVERIFIED'))
      .sort(),
  }
}

/** All possible findings of a check of this type; the register's answers are under the type that asks it. */
function found(policy: Policy, type: FraudCheckType): readonly string[] {
  const stems = type === 'DOCUMENT_STATUS' ? [type, 'DOCUMENT_STATUS_ISSUER', 'DEATH_RECORD'] : [type]
  const capped = Object.keys(policy.caps).filter((name) => stems.some((stem) => name.startsWith(stem)))
  return [...stems.map((stem) => `${stem}_OK`), ...capped]
}

function goodEvidence(checks: readonly string[]): readonly DrawnEvidence[] {
  const shown = { status: 'VERIFIED', passed: checks, raised: [], person: 0, issuedDaysAgo: 300 } as const
  return [
    { family: 'IDDOCUMENT', type: 'PASSPORT', ...shown },
    { family: 'PORTRAIT', type: 'PORTRAIT', ...shown },
  ]
}

export function drawnIdentities(policy: Policy): fc.Arbitrary<DrawnIdentity> {
  const { checks, indicators } = wordsOf(policy)
  const evidence = fc.record({
    kind: fc.constantFrom(
      ...(['PASSPORT', 'IDENTITY_CARD', 'DRIVING_LICENSE', 'TAX_CARD', 'VOTER_CARD'] as const).map(
        (type) => ({ family: 'IDDOCUMENT' as const, type }),
      ),
      { family: 'PORTRAIT' as const, type: 'PORTRAIT' as const },
      { family: 'PORTRAIT' as const, type: 'PORTRAIT' as const },
      { family: 'ATTRIBUTES' as const, type: 'ATTRIBUTES' as const },
      { family: 'ADDRESS' as const, type: 'ADDRESS' as const },
      { family: 'TRUSTED_ID_CLAIM' as const, type: 'TRUSTED_ID_CLAIM' as const },
    ),
    status: fc.constantFrom<EvidenceStatus>('VERIFIED', 'VERIFIED', 'VERIFIED', 'NOT_VERIFIED', 'INVALID'),
    // Usually all of them, because otherwise no level would be reached.
    passed: fc.oneof(fc.constant(checks), fc.subarray([...checks])),
    raised: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.subarray([...indicators]) },
    ),
    person: fc.constantFrom(0, 0, 0, 0, 1, 2),
    issuedDaysAgo: fc.integer({ min: 0, max: 400 }),
  })
  const consent = fc.record({
    type: fc.constantFrom<ConsentType>('PORTRAIT', 'ID_DOCUMENT', 'ATTRIBUTES', 'ADDRESS'),
    approved: fc.constantFrom(true, true, true, false),
    endsInDays: fc.constantFrom(null, null, 5, -1, 0),
  })
  const fraudCheck = fc.constantFrom(...FRAUD_CHECK_TYPES).chain((type) => {
    const clear = found(policy, type).filter((name) => name.endsWith('_OK'))
    const anything = fc.subarray([...found(policy, type)])
    return fc
      .oneof({ weight: 4, arbitrary: fc.constant(clear) }, { weight: 1, arbitrary: anything })
      .map((indicators) => ({ type, indicators }))
  })
  const everyCheck = fc.tuple(
    ...FRAUD_CHECK_TYPES.map((type) =>
      fc.constant({ type, indicators: found(policy, type).filter((name) => name.endsWith('_OK')) }),
    ),
  )
  return fc.record({
    fraudChecks: fc.oneof(everyCheck, fc.uniqueArray(fraudCheck, { selector: ({ type }) => type })),
    evidences: fc
      .tuple(
        fc.boolean(),
        fc.array(
          evidence.map(({ kind, ...rest }) => ({ ...kind, ...rest })),
          { maxLength: 5 },
        ),
      )
      // Half of them begin with a person whose evidence is good, because otherwise few would reach a level.
      .map(([isGood, more]) => (isGood ? [...goodEvidence(checks), ...more] : more)),
    consents: fc.array(consent, { maxLength: 4 }),
  })
}

export const POLICIES = [...loadPolicies().values()]
