/**
 * `npm run policy`: lists the level-of-assurance policies, checks one, and explains the level of an identity.
 */
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DATABASE } from '../files/database-files.ts'
import { loadFaultRules } from '../config/degraded.ts'
import { loadPolicies, loadPolicy, loadTenantPolicies } from '../config/policies.ts'
import { policyWarnings } from '../config/policy-warnings.ts'
import { checksNotPerformed } from '../config/resources.ts'
import { AppError, type FieldProblem } from '../errors.ts'
import { explain } from '../proofing/assurance/explain.ts'
import { INSTALLATIONS } from '../proofing/assurance/installations.ts'
import type { Policy } from '../proofing/assurance/policy.ts'
import { highestReach } from '../proofing/assurance/reach.ts'
import { readBasis } from '../reassess/reassess.ts'
import { readIdentity } from '../reassess/identity-facts.ts'
import { listAbilities } from '../workflows/identity/assurance-facts.ts'
import { printResult, readConfig, withPresentStore } from './appliance.ts'
import { explanationWords } from './explain-words.ts'
import { listWords, policyWords, reachWords, warningWords } from './policy-words.ts'
import { readAction } from './read-action.ts'
import { getAction, refuseMore, UsageError } from './usage.ts'

const HELP = `Policies for the level of assurance (LOA): their rules, and why an identity has its level.

  npm run policy -- list [--data DIR] [--json]
  npm run policy -- show ID [--data DIR] [--json]
  npm run policy -- check [FILE] [--data DIR] [--json]
  npm run policy -- reach [FILE] [--data DIR] [--json]
  npm run policy -- explain FILE [--policy ID] [--data DIR] [--json]

  list      lists the policies that come with the product, with their levels
  show      describes one policy in words; with --json prints its file unchanged
  check     checks a policy (all policies without FILE) and lists every problem with its field. Also prints warnings about
            unusual rules; a warning does not refuse the policy
  reach     prints the highest level that each kind of installation reaches by a policy (by all policies without FILE). Each row
            adds a part to the row above it. With --data the last row is the appliance there, without its present faults
  explain   explains for each level and profile why it was reached or not. FILE is the answer of
            GET /v1/identities/{id}?detailed=true, identityDetails.json of a proof, or a whole proof (.zip; its signature
            is not checked here, see npm run verify-proof). Prints ids and names of rules, never a value of a document
  --data    also reads the tenant's policies in policies/ of this data folder; they override ours of the same id
  --policy  evaluates by this policy instead of the one that gave the level

Exit status: 0 done, 1 refused or with problems, 2 wrong use.

Example: npm run policy -- reach
Example: npm run policy -- explain proof.zip --policy eidas
`

interface Asked {
  readonly target: string | undefined
  readonly policy: string | undefined
  readonly data: string | undefined
  readonly policies: () => ReadonlyMap<string, Policy>
}
interface Told {
  readonly result: unknown
  readonly words: string
  readonly status?: number
}

const ACTIONS: Readonly<Record<string, (asked: Asked) => Told | Promise<Told>>> = {
  list,
  show,
  check,
  reach,
  explain: explainFile,
}

export async function run(argv: string[]): Promise<number> {
  const command = readAction(argv, HELP, {
    policy: { type: 'string' },
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if ('status' in command) return command.status
  const { name, positionals, values } = command
  const [, target, ...more] = positionals
  const action = getAction(ACTIONS, name)
  refuseMore(name === 'list' && target !== undefined ? [target, ...more] : more)
  if (values.policy !== undefined && name !== 'explain') throw new UsageError('--policy belongs to explain')
  const {
    result,
    words,
    status = 0,
  } = await action({
    target,
    policy: values.policy,
    data: values.data,
    policies: () => loadDataPolicies(values.data),
  })
  printResult(values.json, result, words)
  return status
}

function loadDataPolicies(dataDir: string | undefined): ReadonlyMap<string, Policy> {
  if (dataDir === undefined) return loadPolicies()
  if (!existsSync(dataDir)) throw new UsageError(`--data: there is no folder ${dataDir}`)
  return loadTenantPolicies({ dataDir })
}

function list({ policies: all }: Asked): Told {
  const policies = byId(all())
  const result = policies.map(({ id, version, title, levels }) => ({ id, version, title, levels }))
  return { result: { policies: result }, words: listWords(policies) }
}

function show({ target, policies }: Asked): Told {
  const policy = policyNamed(policies(), required(target, 'show needs the ID of a policy'))
  return { result: policy, words: policyWords(policy) }
}

function check({ target, policies: all }: Asked): Told {
  const problems: FieldProblem[] = []
  const policies = target === undefined ? collectPolicies(all, problems) : given(target, problems)
  const notPerformed = checksNotPerformed()
  const checked = policies.map((policy) => ({ policy, warnings: policyWarnings(policy, notPerformed) }))
  const words = [
    ...problems.map(({ field, message }) => `${field ?? ''}: ${message}`),
    ...(problems.length > 0 ? ['The appliance would not take it.'] : []),
    ...checked.flatMap(({ policy: { id, version }, warnings }) => [
      `${id}, version ${version}: sound${warnings.length > 0 ? '; to know:' : ''}`,
      ...warnings.map(warningWords),
    ]),
  ]
  const sound = checked.map(({ policy: { id, version }, warnings }) => ({ id, version, warnings }))
  return {
    result: { problems, policies: sound },
    words: `${words.join('\n')}\n`,
    status: problems.length > 0 ? 1 : 0,
  }
}

async function reach({ target, data, policies: all }: Asked): Promise<Told> {
  const problems: FieldProblem[] = []
  const policies = target === undefined ? byId(all()) : given(target, problems)
  if (problems.length > 0) throw new AppError('configuration_invalid', {}, { problems })
  const here = data === undefined ? [] : await readAbilities(data)
  const installations = [...INSTALLATIONS, ...here].map(({ title, abilities }) => ({
    title,
    levels: Object.fromEntries(
      policies.map((policy) => [policy.id, highestReach(policy, abilities, () => [])]),
    ),
  }))
  return { result: { installations }, words: reachWords(policies, installations) }
}

/** Those of the appliance in this folder. Empty: it holds none yet. */
async function readAbilities(data: string): Promise<typeof INSTALLATIONS> {
  const config = readConfig({ data })
  if (!existsSync(join(config.dataDir, DATABASE))) return []
  const abilities = await withPresentStore(config, (store) => listAbilities({ config, store }))
  return [{ title: 'this appliance', abilities }]
}

function collectPolicies(all: Asked['policies'], problems: FieldProblem[]): readonly Policy[] {
  try {
    return byId(all())
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    problems.push(...error.problems)
    return []
  }
}

function given(file: string, problems: FieldProblem[]): readonly Policy[] {
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`)
  const policy = loadPolicy(file, basename(file), problems)
  return policy ? [policy] : []
}

function explainFile({ target, policy: wanted, policies }: Asked): Told {
  const file = required(target, 'explain needs a FILE')
  const basis =
    readFileSync(file).subarray(0, 2).toString('latin1') === 'PK'
      ? ofArchive(file)
      : ofIdentity(file, policies)
  if ('reason' in basis) {
    return { result: basis, words: `It cannot be explained. ${basis.reason}\n`, status: 1 }
  }
  const policy = wanted === undefined ? basis.policy() : policyNamed(policies(), wanted)
  const explanation = explain(policy, basis.facts)
  // A different policy may give a different level.
  const claimed = wanted === undefined ? basis.levelOfAssurance : null
  return { result: explanation, words: explanationWords(explanation, policy, loadFaultRules(), claimed) }
}

interface Basis {
  readonly facts: Parameters<typeof explain>[1]
  /** The level in the file; null: it is not compared. */
  readonly levelOfAssurance: string | null
  policy(): Policy
}

/** Uses the policy in the archive. */
function ofArchive(file: string): Basis | { readonly reason: string } {
  const basis = readBasis(readFileSync(file))
  if (!basis)
    return { reason: 'The proof does not hold what its level rests on: an earlier version sealed it.' }
  return { facts: basis.facts, levelOfAssurance: null, policy: () => basis.policy }
}

function ofIdentity(file: string, policies: Asked['policies']): Basis | { readonly reason: string } {
  const read = readIdentity(parsed(file))
  if ('reason' in read) return read
  const { facts, levelOfAssurance, policyId } = read
  return { facts, levelOfAssurance, policy: () => policyNamed(policies(), policyId ?? 'default') }
}

/** Throws `malformed_body`, because a parser's message would quote the file. */
function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new AppError('malformed_body', { file })
  }
}

function policyNamed(policies: ReadonlyMap<string, Policy>, id: string): Policy {
  const policy = policies.get(id)
  if (!policy) throw new UsageError(`there is no policy '${id}': ${[...policies.keys()].sort().join(', ')}`)
  return policy
}

function byId(policies: ReadonlyMap<string, Policy>): readonly Policy[] {
  return [...policies.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function required(value: string | undefined, message: string): string {
  if (value === undefined) throw new UsageError(message)
  return value
}
