/**
 * Loads LOA policies from resources/policies or the central service, and lists all problems. Owns their format;
 * proofing/assurance owns their meaning.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError, type FieldProblem } from '../errors.ts'
import { readOwnFile, UnsafeFileError } from '../files/own-files.ts'
import { ABILITIES, PIECE_KINDS } from '../proofing/assurance/facts.ts'
import type { Policy } from '../proofing/assurance/policy.ts'
import { EVIDENCE_TYPES, LEVELS } from '../proofing/types.ts'
import { loadFaultRules } from './degraded.ts'
import { policyProblems, type KnownNames } from './policy-checks.ts'
import { parseResource, parseFile, pipelineChecks, refuse, RESOURCES_DIR } from './resources.ts'
import { CHECK, COUNTRY, NAME, textLike } from './text-forms.ts'

const level = z.enum(LEVELS)
const levelOfAssurance = textLike(/^LOA\d$/, 'must be LOA0 to LOA9')
const name = textLike(/^[A-Za-z0-9-]{1,60}$/, 'must be 1 to 60 letters, digits and hyphens')
const checks = z.array(CHECK)
const types = z.array(z.enum(EVIDENCE_TYPES)).min(1)
const piece = z.enum(PIECE_KINDS)
const pieceOrFraud = z.enum([...PIECE_KINDS, 'ANTIFRAUD'])
const key = textLike(/^[a-z][A-Za-z]{0,30}$/, 'must be 1 to 31 letters, the first one small')
const numbers = z.record(key, z.int().min(0).max(9))

const PolicySchema = z.strictObject({
  id: NAME,
  version: z.string().min(1),
  title: z.string().min(1),
  description: z.string(),
  source: z.string(),
  strength: z.partialRecord(z.enum(EVIDENCE_TYPES), level),
  strengthRules: z.array(z.strictObject({ name, level, types, requires: checks.min(1) })),
  documentScore: z.array(
    z.strictObject({ name, score: level, types: types.optional(), requires: checks.min(1) }),
  ),
  marks: z.array(
    z.strictObject({
      mark: key,
      value: z.int().min(1).max(9),
      evidence: piece,
      types: types.optional(),
      issuers: z.array(COUNTRY).min(1).optional(),
      minimumScore: level.optional(),
      requires: checks.optional(),
    }),
  ),
  scales: z.array(
    z.strictObject({
      scale: key,
      value: z.int().min(1).max(9),
      evidence: pieceOrFraud,
      types: types.optional(),
      requires: checks.optional(),
      marks: numbers.optional(),
      heldForDays: z.int().min(1).optional(),
    }),
  ),
  levels: z.array(z.strictObject({ levelOfAssurance, label: z.string().min(1) })).min(1),
  profiles: z.array(
    z.strictObject({
      name,
      levelOfAssurance,
      pieces: z.array(
        z.strictObject({
          evidence: z.enum([...PIECE_KINDS, 'ANY']),
          types: types.optional(),
          minimumScore: level.optional(),
          minimumStrength: level.optional(),
          marks: numbers.optional(),
          requires: checks.optional(),
        }),
      ),
      scales: numbers.optional(),
    }),
  ),
  caps: z.record(
    textLike(
      /^[A-Z0-9_]+_(WARNING|FAILED|UNVERIFIED)$/,
      'must be an indicator that ends in _WARNING, _FAILED or _UNVERIFIED',
    ),
    levelOfAssurance,
  ),
  adjudication: z.strictObject({ fourEyes: z.boolean(), documentScore: level, portraitScore: level }),
  submissions: z.array(
    z.strictObject({
      name,
      evidence: pieceOrFraud,
      types: types.optional(),
      checks,
      needs: z.array(z.enum(ABILITIES)),
    }),
  ),
  upgradePaths: z.strictObject({ longest: z.int().min(1).max(6), most: z.int().min(1).max(50) }),
})

/** Names that policies may use. Throws `configuration_invalid` if the table of faults is invalid. */
function knownNames(): KnownNames {
  return { checks: pipelineChecks(), faults: loadFaultRules().map(({ indicator }) => indicator) }
}

/** Throws `configuration_invalid` and lists every problem of every file. */
export function loadPolicies(
  folder = join(RESOURCES_DIR, 'policies'),
  kind: 'shipped' | 'settings' = 'shipped',
): ReadonlyMap<string, Policy> {
  const problems: FieldProblem[] = []
  const policies = new Map<string, Policy>()
  const known = knownNames()
  for (const file of readdirSync(folder).filter((found) => found.endsWith('.json'))) {
    if (kind === 'settings' && !isOurWord(join(folder, file), `policies/${file}`, problems)) continue
    const policy = loadPolicy(join(folder, file), `policies/${file}`, problems, known)
    if (policy && policies.has(policy.id)) {
      const message = `another file is the policy '${policy.id}', too`
      problems.push({ code: 'listed_twice', field: `policies/${file}:id`, message })
    }
    if (policy) policies.set(policy.id, policy)
  }
  refuse(problems)
  return policies
}

/** The tenant's own policies in the data folder. */
export const OWN_POLICIES = 'policies'

/**
 * Policies of this appliance: the shipped ones and the tenant's own from the folder policies/ of the data folder, which
 * replace shipped ones with the same id. Throws `configuration_invalid` and lists every problem of every file.
 */
export function loadTenantPolicies({ dataDir }: { readonly dataDir: string }): ReadonlyMap<string, Policy> {
  const own = join(dataDir, OWN_POLICIES)
  return new Map([...loadPolicies(), ...(existsSync(own) ? loadPolicies(own, 'settings') : [])])
}

/** Throws `configuration_invalid` if there is no policy with the id. */
export function requirePolicy(policies: ReadonlyMap<string, Policy>, id: string): Policy {
  const policy = policies.get(id)
  if (policy) return policy
  const known = [...policies.keys()].join(', ')
  const message = `there is no policy of this name; take one of ${known} (npm run policy -- list)`
  throw new AppError(
    'configuration_invalid',
    { field: 'tenant.policy' },
    { problems: [{ code: 'unknown_policy', field: 'tenant.policy', message }] },
  )
}

/** Lists every problem of a policy file's contents. */
export function checkPolicy(value: unknown): {
  readonly policy: Policy | null
  readonly problems: readonly FieldProblem[]
} {
  const problems: FieldProblem[] = []
  const policy = fitting(
    parseResource(value, 'policy', PolicySchema, problems),
    'policy',
    problems,
    knownNames(),
  )
  return { policy, problems }
}

/** Returns null after adding to `problems`, also for an inconsistent policy. */
export function loadPolicy(
  path: string,
  shown: string,
  problems: FieldProblem[],
  known = knownNames(),
): Policy | null {
  return fitting(parseFile(path, shown, PolicySchema, problems), shown, problems, known)
}

/** Rejects a policy file that others may write. Returns false after adding to `problems`. */
function isOurWord(path: string, shown: string, problems: FieldProblem[]): boolean {
  try {
    readOwnFile(path, 'public')
    return true
  } catch (error) {
    if (!(error instanceof UnsafeFileError)) throw error
    problems.push({ code: 'unsafe_file', field: shown, message: error.message })
    return false
  }
}

function fitting(
  policy: Policy | null,
  shown: string,
  problems: FieldProblem[],
  known: KnownNames | null,
): Policy | null {
  const found = policy ? policyProblems(policy, shown, known) : []
  problems.push(...found)
  return found.length > 0 ? null : policy
}

/**
 * Policies by id from another source than a file, each in the format of resources/policies.
 *
 * @param known null for a policy that was in force elsewhere or earlier: the names that it uses need not exist here
 */
export function parsePolicies(
  given: Readonly<Record<string, unknown>>,
  known: KnownNames | null = knownNames(),
): {
  readonly policies: ReadonlyMap<string, Policy>
  readonly problems: readonly FieldProblem[]
} {
  const problems: FieldProblem[] = []
  const policies = new Map<string, Policy>()
  for (const [id, value] of Object.entries(given)) {
    const shown = `policies/${id}`
    const policy = fitting(parseResource(value, shown, PolicySchema, problems), shown, problems, known)
    if (policy?.id === id) policies.set(id, policy)
    else if (policy)
      problems.push({ code: 'wrong_id', field: shown, message: 'does not equal the id inside the file' })
  }
  return { policies, problems }
}
