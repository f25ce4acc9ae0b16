/**
 * The bundles of kiosks: settings, policies and watchlists as signed statements with an increasing number per
 * tenant. A rollback is a higher number with the old content, so that a kiosk never accepts a lower number.
 */
import { decodeJwt } from 'jose'
import { requireValidBundle } from '../../config/bundle-rules.ts'
import { AppError } from '../../errors.ts'
import { signStatement } from '../../protocol/statements.ts'
import { StatementSchemas, type Bundle } from '../../protocol/wire.ts'
import type { Queries } from '../db/db.ts'
import { noteAccess } from './access-log.ts'
import type { BundleContent } from './contract.ts'
import type { HeadOfficeDeps, Secrets } from './deps.ts'
import type { SystemHolder } from './guard.ts'
import type { Handlers } from './http.ts'

type BundleHandlers = Pick<Handlers, 'publishBundle' | 'listBundles' | 'getBundle' | 'rollBackBundle'>

const LISTED = 100

interface BundleRow {
  readonly version: number
  readonly created_at: Date
  readonly rolled_back_to: number | null
  readonly names: { readonly settings: string[]; readonly policies: string[]; readonly watchlists: string[] }
  readonly kiosks: number
}

type StatementRow = Pick<BundleRow, 'version' | 'created_at' | 'rolled_back_to'> & {
  readonly statement: Uint8Array
}

/** $1 is the tenant. */
const SELECT_BUNDLES = `
  SELECT b.version, b.created_at, b.rolled_back_to, b.names,
    (SELECT count(*)::int FROM kiosks k WHERE k.tenant_id = b.tenant_id AND k.revoked_at IS NULL
       AND (k.status ->> 'bundleVersion')::int = b.version) AS kiosks
  FROM bundles b WHERE b.tenant_id = $1`

/** The version that the tenant's kiosks should run; 0: none. For the answer to a status. */
export async function newestVersion(queries: Queries, tenantId: string): Promise<number> {
  const [row] = await queries.query<{ version: number }>(
    'SELECT coalesce(max(version), 0)::int AS version FROM bundles WHERE tenant_id = $1',
    [tenantId],
  )
  return row?.version ?? 0
}

/** The newest statement, for `GET /kiosk/v1/bundle`; null if there is none. Works under either role. */
export async function newestBundle(
  queries: Queries,
  tenantId: string,
  secrets: Pick<Secrets, 'open'>,
): Promise<string | null> {
  const [row] = await queries.query<{ version: number; statement: Uint8Array }>(
    'SELECT version, statement FROM bundles WHERE tenant_id = $1 ORDER BY version DESC LIMIT 1',
    [tenantId],
  )
  return row ? openStatement(secrets, tenantId, row) : null
}

export function bundleHandlers(deps: HeadOfficeDeps): BundleHandlers {
  const { db, clock, secrets } = deps

  const publish = async (
    queries: Queries,
    holder: SystemHolder,
    content: BundleContent,
    rolledBackTo: number | null,
    expectedVersion: number | undefined,
  ) => {
    const { tenantId } = holder
    await lockBundles(queries, tenantId)
    const newest = await newestVersion(queries, tenantId)
    requireExpectedVersion(newest, expectedVersion)
    const version = newest + 1
    const at = clock.now()
    const bundle: Bundle = { tenantId, version, createdAt: at.getTime(), ...content }
    const statement = await signStatement('bundle', bundle, deps.statementKey())
    const names = {
      settings: Object.keys(content.settings),
      policies: Object.keys(content.policies),
      watchlists: Object.keys(content.watchlists),
    }
    await queries.query(
      `INSERT INTO bundles (tenant_id, version, created_at, created_by, rolled_back_to, names, statement)
       VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7)`,
      [
        tenantId,
        version,
        at,
        holder.consumerId,
        rolledBackTo,
        JSON.stringify(names),
        secrets.seal(buildSealContext(tenantId, version), Buffer.from(statement, 'utf8')),
      ],
    )
    await noteAccess(queries, holder, rolledBackTo === null ? 'publishBundle' : 'rollBackBundle', at, {
      subject: String(version),
    })
    return toBundleView({ version, created_at: at, rolled_back_to: rolledBackTo, names, kiosks: 0 })
  }

  /** Throws `not_found`. */
  const readVersion = async (queries: Queries, tenantId: string, wanted: number) => {
    const [row] = await queries.query<StatementRow>(
      'SELECT version, created_at, rolled_back_to, statement FROM bundles WHERE tenant_id = $1 AND version = $2',
      [tenantId, wanted],
    )
    if (!row) throw new AppError('not_found')
    const { settings, policies, watchlists } = StatementSchemas.bundle.parse(
      decodeJwt(openStatement(secrets, tenantId, row)),
    )
    return { ...row, content: { settings, policies, watchlists } as BundleContent }
  }

  return {
    publishBundle: async ({ holder, body: { expectedVersion, ...content } }) => {
      requireValidBundle(content)
      return db.transaction({ tenant: holder.tenantId }, (queries) =>
        publish(queries, holder, content, null, expectedVersion),
      )
    },

    listBundles: async ({ holder }) => {
      const rows = await db.query<BundleRow>(
        { tenant: holder.tenantId },
        `${SELECT_BUNDLES} ORDER BY b.version DESC LIMIT ${LISTED}`,
        [holder.tenantId],
      )
      return { bundles: rows.map(toBundleView) }
    },

    getBundle: async ({ holder, params }) =>
      db.transaction({ tenant: holder.tenantId }, async (queries) => {
        const row = await readVersion(queries, holder.tenantId, Number(params.version))
        await noteAccess(queries, holder, 'getBundle', clock.now(), { subject: String(row.version) })
        return {
          version: row.version,
          createdAt: row.created_at.toISOString(),
          rolledBackTo: row.rolled_back_to,
          content: row.content,
        }
      }),

    rollBackBundle: async ({ holder, params, body }) =>
      db.transaction({ tenant: holder.tenantId }, async (queries) => {
        const { version, content } = await readVersion(queries, holder.tenantId, Number(params.version))
        requireValidBundle(content)
        return publish(queries, holder, content, version, body.expectedVersion)
      }),
  }
}

/** Throws `transition_refused`, so that a caller does not replace a version that it has not seen. */
function requireExpectedVersion(newest: number, expected: number | undefined): void {
  if (expected === undefined || expected === newest) return
  const message = `the newest version is ${newest}`
  const problem = { code: 'version_changed', field: 'expectedVersion', message }
  throw new AppError('transition_refused', { reason: message }, { problems: [problem] })
}

/** Versions have no gaps, even with simultaneous publishers. */
async function lockBundles(queries: Queries, tenantId: string): Promise<void> {
  await queries.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`bundles:${tenantId}`])
}

function openStatement(
  secrets: Pick<Secrets, 'open'>,
  tenantId: string,
  row: { readonly version: number; readonly statement: Uint8Array },
): string {
  return Buffer.from(secrets.open(buildSealContext(tenantId, row.version), row.statement)).toString('utf8')
}

function buildSealContext(tenantId: string, version: number): string {
  return `bundle:${tenantId}:${version}`
}

function toBundleView(row: BundleRow) {
  return {
    version: row.version,
    createdAt: row.created_at.toISOString(),
    rolledBackTo: row.rolled_back_to,
    ...row.names,
    kiosks: row.kiosks,
  }
}
