/**
 * Settings, policies and watchlists from the central service. They are stored with the central service's
 * signature and fully validated before they take effect; the version only increases. A rollback is a higher
 * number with the old content.
 */
import type { JWK } from 'jose'
import type { Context } from '../context.ts'
import type { Config } from '../config/config.ts'
import { judgeBundle } from '../config/bundle-rules.ts'
import { loadTenantPolicies } from '../config/policies.ts'
import { isSameConfig } from '../config/with-bundle.ts'
import { AppError } from '../errors.ts'
import type { Policy } from '../proofing/assurance/policy.ts'
import { readStatement } from '../protocol/statements.ts'
import type { Bundle, CentralTrust } from '../protocol/wire.ts'
import { computeSha256 } from '../protocol/sha256.ts'

type BundleContext = Pick<Context, 'store' | 'clock' | 'log' | 'usePolicies'>

type Validated =
  | { readonly problems: readonly string[] }
  | { readonly problems: null; readonly config: Config; readonly policies: ReadonlyMap<string, Policy> }

/**
 * Stores a bundle and applies it, or refuses it with its problems: then the one before stays. Returns true if
 * its settings need a restart. Throws `statement_refused` if it is not a statement of the central service for
 * this kiosk; a version that is not higher than all before is ignored. @param own the configuration of the
 * machine itself, without any bundle
 */
export async function takeBundle(
  ctx: BundleContext,
  received: { readonly jws: string; readonly tenantId: string; readonly trust: CentralTrust },
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
    log.warn(
      { version, problems },
      'a bundle of the central service is not valid; the previous one stays in force',
    )
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

/** The log entry of an applied bundle: its version and the hash of its bytes. */
export function appliedBody({ bundles }: Bundles, version: number) {
  const kept = bundles.find(version)
  return { version, ...(kept ? { sha256: computeSha256(kept.jws) } : {}) }
}

/** The log entry of a refused bundle: the same, and its problems, which may be long. */
export function refusedBody(store: Bundles, version: number) {
  const problems = store.bundles.find(version)?.problems ?? []
  const problemsSha256 = computeSha256(JSON.stringify(problems))
  return { ...appliedBody(store, version), problems: problems.length, problemsSha256 }
}

/** Returns the problems of a bundle in words, or its result on this machine. */
export function validateBundle(bundle: Pick<Bundle, 'settings' | 'policies'>, own: Config): Validated {
  const judged = judgeBundle(bundle, own, loadTenantPolicies(own))
  if (!judged.problems) return judged
  return { problems: judged.problems.map(({ field, message }) => `${field}: ${message}`.slice(0, 500)) }
}

/**
 * Reads a bundle that was verified on arrival: the central service may have retired the key of its signature
 * since.
 */
export function readContent(jws: string): Bundle {
  const payload = jws.split('.')[1] ?? ''
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Bundle
}
