/**
 * Re-evaluates the LOA of a proof from the policy and the evidence in the archive, and reports differences from the stated
 * result. `proof/verify` has already checked that the file is authentic; this checks that the judgement is right. Reads no
 * database, configuration or network.
 */
import { z } from 'zod'
import { parsePolicies } from '../config/policies.ts'
import { assess, type Assessment } from '../proofing/assurance/assess.ts'
import type { Policy } from '../proofing/assurance/policy.ts'
import { readZip, withoutRoot } from '../proof/verify/read-zip.ts'
import { readArchivedEvidences, readArchivedFacts, type ArchivedParts } from './archive-facts.ts'
import { Details, Identity, Proof } from './archive-parts.ts'
import type { Difference } from './difference.ts'
import { findWrongChips } from './chips.ts'
import { findHiddenTest } from './hidden-test.ts'
import { findWrongScores } from './scores.ts'

export type Reassessment =
  | {
      readonly possible: true
      readonly agrees: boolean
      readonly policy: { readonly id: string; readonly version: string; readonly title: string }
      readonly levelOfAssurance: string
      readonly profile: string | null
      readonly assessment: Assessment
      readonly differences: readonly Difference[]
    }
  /** The archive is of an earlier version, or a part of it cannot be read. */
  | { readonly possible: false; readonly reason: string }

/** @param zip the bare archive */
export function reassess(zip: Uint8Array): Reassessment {
  const files = readFiles(zip)
  const parts = readParts(files)
  if ('reason' in parts) return { possible: false, reason: parts.reason }
  const { policy: written } = parts.proof.evaluation
  const { policies, problems } = parsePolicies({ [written.id]: written }, null)
  const policy = policies.get(written.id)
  if (!policy || problems.length > 0) return { possible: false, reason: 'Its policy is not valid.' }

  const evidences = readArchivedEvidences(parts)
  const assessment = assess(policy, readArchivedFacts(parts, evidences), parts.proof.evaluation.abilities)
  const differences = [
    ...findHiddenTest(parts),
    ...findDifferences(parts.identity, assessment),
    ...findWrongScores(policy, evidences),
    ...findWrongChips(parts, evidences, files),
  ]
  const { id, version, title } = policy
  return {
    possible: true,
    agrees: differences.length === 0,
    policy: { id, version, title },
    levelOfAssurance: assessment.levelOfAssurance,
    profile: assessment.profile,
    assessment,
    differences,
  }
}

/** Returns the policy and the facts of an archive, to explain its LOA. Null if it contains none. */
export function readBasis(zip: Uint8Array) {
  const parts = readParts(readFiles(zip))
  if ('reason' in parts) return null
  const { policy: written, abilities } = parts.proof.evaluation
  const policy: Policy | undefined = parsePolicies({ [written.id]: written }, null).policies.get(written.id)
  return policy ? { policy, facts: readArchivedFacts(parts), abilities } : null
}

function findDifferences(identity: Identity, assessment: Assessment): readonly Difference[] {
  const { globalStatus, assessment: claimed } = identity
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['levelOfAssurance', globalStatus.levelOfAssurance, assessment.levelOfAssurance],
    ['nameReference', globalStatus.nameReferenceEvidenceId ?? null, assessment.nameReferenceId],
    ['upgradePaths', globalStatus.upgradePaths ?? {}, assessment.upgradePaths],
    ['profile', claimed?.profile ?? null, assessment.profile],
    ['countedIds', claimed?.countedIds ?? [], assessment.countedIds],
    ['disagreements', claimed?.disagreements ?? [], assessment.disagreements],
    ['scales', claimed?.scales ?? {}, assessment.scales],
    ['heldDownBy', claimed?.heldDownBy ?? [], assessment.heldDownBy],
  ]
  return pairs.flatMap(([what, said, found]) => {
    const [first, second] = [stable(said), stable(found)]
    return first === second ? [] : [{ what, claimed: first, derived: second }]
  })
}

/** Returns the same text for equal values, regardless of the order of members. */
function stable(value: unknown): string {
  if (typeof value === 'string') return value
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

type Files = ReadonlyMap<string, Uint8Array>

const readFiles = (zip: Uint8Array): Files =>
  new Map(readZip(zip).files.map(({ path, bytes }) => [withoutRoot(path), bytes]))

function readParts(files: Files): ArchivedParts | { readonly reason: string } {
  const json = (path: string): unknown => {
    try {
      return JSON.parse(new TextDecoder().decode(files.get(path)))
    } catch {
      return undefined
    }
  }
  const parts = z.object({ proof: Proof, identity: Identity, details: Details }).safeParse({
    proof: json('proof.json'),
    identity: json('identityDetails.json'),
    details: json('verificationAndEvaluationDetails.json'),
  })
  if (parts.success) return parts.data
  const where = [...new Set(parts.error.issues.map(({ path }) => path.slice(0, 3).join('.')))]
  return {
    reason: where.some((path) => path.startsWith('proof.evaluation'))
      ? 'It does not hold the policy that its level was given by: it was sealed by an earlier version.'
      : `Its parts cannot be read: ${where.join(', ')}.`,
  }
}
