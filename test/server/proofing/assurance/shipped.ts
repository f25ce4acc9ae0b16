/** Evidence as the shipped policies see it, put together by what was done with it. */
import { loadPolicies } from '../../../../server/config/policies.ts'
import { assess, type Assessment } from '../../../../server/proofing/assurance/assess.ts'
import {
  type AssuranceFacts,
  type EvidenceFacts,
  type FraudFacts,
} from '../../../../server/proofing/assurance/facts.ts'
import type { Policy } from '../../../../server/proofing/assurance/policy.ts'
import { documentScore, ruleStrength } from '../../../../server/proofing/assurance/scores.ts'
import type { EvidenceType } from '../../../../server/proofing/types.ts'
import { someEvidence } from '../../../support/assurance.ts'

export const POLICIES = loadPolicies()

export function policyOf(id: string): Policy {
  const policy = POLICIES.get(id)
  if (!policy) throw new TypeError(`no policy ${id}`)
  return policy
}

/** Findings for the picture of a genuine document. */
export const SEEN = [
  'DOCUMENT_READING',
  'MRZ_READING',
  'MRZ_CHECK_DIGITS',
  'MRZ_WITNESS_AGREEMENT',
  'VISUAL_ZONE_MATCH',
  'DOCUMENT_AUTHENTICITY',
  'DOCUMENT_EXPIRY',
] as const
/** A chip with a key of its own, read by the appliance, whose signer is on no revocation list. */
export const CHIP = ['NFC_PASSIVE_AUTHENTICATION', 'NFC_CHIP_AUTHENTICATION', 'CHIP_REVOCATION'] as const
export const ISSUER = 'GIV_VERIFICATION'
export const COUNTER = ['ATTENDED_CAPTURE', 'TACTILE_INSPECTION', 'CHIP_SYMBOL'] as const
/** A live face of the highest grade. */
export const LIVE = [
  'BIOMETRIC_MATCHING_CHECK',
  'BIOMETRIC_LIVENESS',
  'LIVENESS_STOPS_PRINTS',
  'LIVENESS_STOPS_REPLAYS',
  'LIVENESS_STOPS_OPERATORS',
] as const

interface Case {
  readonly documents: readonly EvidenceFacts[]
  /** Checks that the portrait passed; it shows the holder of every document. Absent: there is none. */
  readonly portrait?: readonly string[]
  readonly others?: readonly EvidenceFacts[]
  /** Fraud checks that passed and covered everything. */
  readonly fraud?: readonly string[]
}

export function aDocument(
  type: EvidenceType,
  more: readonly string[] = [],
  over: Partial<EvidenceFacts> = {},
): EvidenceFacts {
  return someEvidence({ id: type, type, passed: [...SEEN, ...more], issuer: 'GBR', ...over })
}

export function aClaim(score: EvidenceFacts['score']): EvidenceFacts {
  const passed = ['OIDC_AUTHENTICATION', 'OIDC_ATTRIBUTE_SHARING']
  return someEvidence({ id: 'claim', kind: 'TRUSTED_ID_CLAIM', strength: 'LEVEL3', score, passed })
}

/** Scored by the policy, as the appliance does before it assesses. */
export function factsIn(policy: Policy, { documents, portrait, others = [], fraud }: Case): AssuranceFacts {
  const scored = documents.map((document) => ({
    ...document,
    strength: ruleStrength(policy, document.type, document.passed).level,
    score: documentScore(policy, document.type, document.passed).level,
  }))
  const best = scored.map(({ score }) => score).sort()
  const face = someEvidence({
    id: 'portrait',
    kind: 'PORTRAIT',
    passed: portrait ?? [],
    matches: documents.map(({ id }) => id),
    score: best.at(-1) ?? 'LEVEL0',
  })
  const evidences = [...scored, ...(portrait ? [face] : []), ...others]
  const subjects = evidences.map(({ id }) => id)
  const check = (type: FraudFacts['type'], passed: readonly string[]): FraudFacts => ({
    type,
    passed,
    raised: [],
    subjects,
  })
  return { evidences, fraudChecks: fraud ? [check('DOCUMENT_STATUS', fraud)] : [] }
}

export function assessed(id: string, given: Case): Assessment {
  const policy = policyOf(id)
  return assess(policy, factsIn(policy, given), [])
}

export const levelOf = (id: string, given: Case): string => assessed(id, given).levelOfAssurance
