/**
 * Settings, policies and watchlists that the central service sends down. Kept under the central service's signature, validated in full
 * before anything of them counts; the version only counts up. Going back is a higher number with the old content.
 */
import { createHash } from 'node:crypto'
import type { JWK } from 'jose'
import type { Context } from '../context.ts'
import type { Config } from '../config/config.ts'
import { parsePolicies, policiesHere } from '../config/policies.ts'
import { isSameConfig, withSettings } from '../config/with-bundle.ts'
import { AppError } from '../errors.ts'
import type { Policy } from '../proofing/assurance/policy.ts'
import { readStatement } from '../protocol/statements.ts'
import type { Bundle, CentreTrust } from '../protocol/wire.ts'

type BundleContext = Pick<Context, 'store' | 'clock' | 'log' | 'usePolicies'>

export type Validated =
  | { readonly problems: readonly string[] }
  | { readonly problems: null; readonly config: Config; readonly policies: ReadonlyMap<string, Policy> }

/**
 * Keeps what the central service sent and puts it in force, or refuses it with its problems: then the one before stays.
 * @param own the configuration of the machine itself, without any bundle
 * Returns true when its settings wait for a restart. Throws `statement_refused` when it is not the central service's word for
 * this kiosk; a version that is not higher than every one before is passed over.
 */
export async function takeBundle(
  ctx: BundleContext,
  received: { readonly jws: string; readonly tenantId: string; readonly trust: CentreTrust },
  own: Config,
  running: Config,
): Promise<boolean> {
  const { store, clock, log } = ctx
  const bundle = await readStatement('bundle', received.jws, received.trust.statementKeys.keys as JWK[])
  if (bundle.tenantId !== received.tenantId) throw new AppError('statement_refused', { kind: 'bundle' })
  const { version } = bundle
  if (version <= (store.bundles.latest()?.version ?? 0)) return false
  const validated = validateBundle(bundle, own)
  const now = clock.now()
  const author = { actor: 'centre' }
  if (validated.problems) {
    const { problems } = validated
    store.transaction(() => {
      store.bundles.add(version, received.jws, now)
      store.bundles.refuse(version, problems)
      store.events.append('bundle.refused', null, refusedBody(store, version), now, author)
    })
    log.warn({ version, problems }, 'a bundle of the central service does not fit; the one before stays')
    return false
  }
  store.transaction(() => {
    store.bundles.add(version, received.jws, now)
    store.bundles.apply(version, now)
    store.events.append('bundle.applied', null, appliedBody(store, version), now, author)
  })
  ctx.usePolicies(validated.policies)
  log.info({ version }, 'a bundle of the central service is in force')
  return !isSameConfig(validated.config, running)
}

type Bundles = Pick<Context['store'], 'bundles'>

/** What the log notes of a bundle that is in force now: which version, and its very bytes. */
export function appliedBody({ bundles }: Bundles, version: number) {
  const kept = bundles.find(version)
  return { version, ...(kept ? { sha256: sha256Of(kept.jws) } : {}) }
}

/** Of one that does not fit: the same, and its problems, which may be long. */
export function refusedBody(store: Bundles, version: number) {
  const problems = store.bundles.find(version)?.problems ?? []
  const problemsSha256 = sha256Of(JSON.stringify(problems))
  return { ...appliedBody(store, version), problems: problems.length, problemsSha256 }
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/** What is wrong with it, or what it comes to on this machine. */
export function validateBundle(bundle: Pick<Bundle, 'settings' | 'policies'>, own: Config): Validated {
  const { policies, problems } = parsePolicies(bundle.policies)
  const words = problems.map(({ field, message }) => `${field}: ${message}`)
  const all = new Map([...policiesHere(own), ...policies])
  if (!all.has(own.tenant.policy)) words.push(`policies: the policy in use is not among them`)
  try {
    const config = withSettings(own, bundle.settings)
    if (words.length === 0) return { problems: null, config, policies: all }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    words.push(...error.problems.map(({ field, message }) => `settings.${field}: ${message}`))
  }
  return { problems: words.map((word) => word.slice(0, 500)).slice(0, 50) }
}

/** The content of what was verified when it came: its signature may be by a key that the central service has retired since. */
export function contentOf(jws: string): Bundle {
  const payload = jws.split('.')[1] ?? ''
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Bundle
}
