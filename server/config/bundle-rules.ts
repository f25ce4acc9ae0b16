/** The rules for settings and policies of a bundle: the kiosk applies them before a bundle takes effect, and the central service before it publishes one. */
import { AppError, type FieldProblem } from '../errors.ts'
import type { Policy } from '../proofing/assurance/policy.ts'
import { checkConfig, type Config } from './config.ts'
import { loadPolicies, parsePolicies } from './policies.ts'
import { withSettings } from './with-bundle.ts'

const MAX_PROBLEMS = 50

interface BundleContent {
  readonly settings: Readonly<Record<string, unknown>>
  readonly policies: Readonly<Record<string, unknown>>
}

type Judged =
  | { readonly problems: readonly FieldProblem[] }
  | { readonly problems: null; readonly config: Config; readonly policies: ReadonlyMap<string, Policy> }

/** Returns the problems of a bundle, or its result over this configuration and its policies. */
export function judgeBundle(
  { settings, policies: given }: BundleContent,
  own: Config,
  ownPolicies: ReadonlyMap<string, Policy>,
): Judged {
  const { policies, problems: found } = parsePolicies(given)
  const problems: FieldProblem[] = [...found]
  const all = new Map([...ownPolicies, ...policies])
  if (!all.has(own.tenant.policy)) {
    const message = 'the policy in use is not among them'
    problems.push({ code: 'policy_missing', field: 'policies', message })
  }
  try {
    const config = withSettings(own, settings)
    if (problems.length === 0) return { problems: null, config, policies: all }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    problems.push(...error.problems.map((problem) => ({ ...problem, field: `settings.${problem.field}` })))
  }
  return { problems: problems.slice(0, MAX_PROBLEMS) }
}

/**
 * Throws `validation_failed` with everything that every kiosk of this version refuses. A kiosk may refuse more, because its own
 * config.json takes part: a tenant in test mode may set more than another one.
 */
export function requireValidBundle(content: BundleContent): void {
  const defaults = checkConfig(
    { tenant: { id: 'any', name: 'any', mode: 'test', policy: 'default' } },
    '',
    'bundle',
  )
  const { problems } = judgeBundle(content, defaults, loadPolicies())
  if (problems) throw new AppError('validation_failed', {}, { problems })
}
