/** Proofs for head-office systems: the feed, single proofs, archives, search, acknowledgement, keys. */
import { fieldProblem, AppError } from '../../errors.ts'
import type { Queries } from '../db/db.ts'
import { BELOW_HORIZON } from '../db/feed-order.ts'
import { noteAccess } from './access-log.ts'
import type { Proof } from './contract.ts'
import type { HeadOfficeDeps } from './deps.ts'
import type { FeedWatch } from './feed-watch.ts'
import type { Handlers } from './http.ts'

type ProofHandlers = Pick<
  Handlers,
  'listProofs' | 'getProof' | 'getArchive' | 'searchProofs' | 'acknowledgeProof' | 'jwks'
>

interface ProofRow {
  readonly proof_id: string
  readonly kiosk_id: string
  readonly sequence: number
  readonly line: number
  readonly mark: Proof['mark']
  readonly identity_id: string
  readonly sha256: string
  readonly level_of_assurance: string
  readonly test: boolean
  readonly sealed_at: Date
  readonly stored_at: Date
  readonly acknowledged_at: Date | null
  readonly deleted_at: Date | null
}

/** An entry of the feed: a proof, or a changed mark of a proof. */
interface FeedRow extends ProofRow {
  readonly cursor: string
}

const ACKNOWLEDGED =
  'SELECT a.at FROM acknowledgements a WHERE a.proof_id = p.proof_id AND a.consumer_id = $1'
/**
 * $1 is always the consumer. Subqueries per proof: the plan of a join would depend on the number of
 * acknowledged proofs.
 */
const COLUMNS = `p.proof_id, p.kiosk_id, p.sequence, p.line, p.mark, p.identity_id, p.sha256, p.level_of_assurance, p.test, p.sealed_at,
  p.stored_at, p.deleted_at, (${ACKNOWLEDGED}) AS acknowledged_at`
const SELECT_PROOFS = `SELECT ${COLUMNS} FROM proofs p`
const MAX_FOUND = 100

export function proofHandlers(deps: HeadOfficeDeps, watch: FeedWatch): ProofHandlers {
  const { db, clock } = deps

  const findProof = async (queries: Queries, consumerId: string, proofId: string): Promise<Proof> => {
    const [row] = await queries.query<ProofRow>(`${SELECT_PROOFS} WHERE p.proof_id = $2`, [
      consumerId,
      proofId,
    ])
    if (!row) throw new AppError('not_found')
    return toProof(row)
  }

  return {
    listProofs: async ({ holder, query, signal }) => {
      const { after, limit, wait, acknowledged } = query
      const page = async () =>
        db.transaction({ tenant: holder.tenantId }, async (queries) => {
          const position = after === undefined ? 0 : await findFeedPosition(queries, after)
          return queries.query<FeedRow>(
            // Row security separates tenants; naming the tenant tells the planner the number of rows.
            `(SELECT ${COLUMNS}, p.proof_id AS cursor, p.feed_position AS position FROM proofs p
               WHERE p.tenant_id = $4 AND p.feed_position > $2 AND p.${BELOW_HORIZON}
               ${acknowledged ? `AND NOT EXISTS (${ACKNOWLEDGED})` : ''}
               ORDER BY p.feed_position LIMIT $3)
             UNION ALL
             (SELECT ${COLUMNS}, m.id, m.feed_position FROM feed_marks m JOIN proofs p ON p.proof_id = m.proof_id
               WHERE m.tenant_id = $4 AND m.feed_position > $2 AND m.${BELOW_HORIZON}
               ORDER BY m.feed_position LIMIT $3)
             ORDER BY position LIMIT $3`,
            [holder.consumerId, position, limit + 1, holder.tenantId],
          )
        })
      const until = performance.now() + wait * 1000
      // Take the mark before the query: a proof stored between the two ends the wait immediately.
      let mark = watch.mark()
      let rows = await page()
      const goesOn = () => watch.isOpen() && !signal.aborted && performance.now() < until
      while (rows.length === 0 && goesOn()) {
        await watch.changed(mark, until - performance.now(), signal)
        mark = watch.mark()
        rows = await page()
      }
      const shown = rows.slice(0, limit)
      return {
        proofs: shown.map(toProof),
        next: shown.at(-1)?.cursor ?? after ?? null,
        more: rows.length > limit,
      }
    },

    getProof: async ({ holder, params }) =>
      db.transaction({ tenant: holder.tenantId }, (queries) =>
        findProof(queries, holder.consumerId, params.proofId ?? ''),
      ),

    getArchive: async ({ holder, params, isHead }) => {
      const proofId = params.proofId ?? ''
      const [row] = await db.query<
        ProofRow & { location: string; archive_bytes: number; packet_bytes: number }
      >(
        { tenant: holder.tenantId },
        'SELECT proof_id, kiosk_id, sha256, location, archive_bytes, packet_bytes, deleted_at FROM proofs WHERE proof_id = $1',
        [proofId],
      )
      if (!row) throw new AppError('not_found')
      if (row.deleted_at !== null) throw new AppError('proof_not_found')
      return {
        sha256: row.sha256,
        bytes: row.archive_bytes,
        open: async () => {
          if (!isHead) {
            await db.transaction({ tenant: holder.tenantId }, (queries) =>
              noteAccess(queries, holder, 'getArchive', clock.now(), { subject: proofId }),
            )
          }
          return deps.openArchive({
            tenantId: holder.tenantId,
            kioskId: row.kiosk_id,
            proofId: row.proof_id,
            sha256: row.sha256,
            location: row.location,
            packetBytes: row.packet_bytes,
          })
        },
      }
    },

    searchProofs: async ({ holder, body }) => {
      const { proofId, identityId, correlationId } = body
      const correlationHash =
        correlationId === undefined ? null : deps.hashCorrelationId(holder.tenantId, correlationId)
      const rows = await db.transaction({ tenant: holder.tenantId }, async (queries) => {
        await noteAccess(queries, holder, 'searchProofs', clock.now())
        return queries.query<ProofRow>(
          `${SELECT_PROOFS} WHERE ${proofId ? 'p.proof_id' : identityId ? 'p.identity_id' : 'p.correlation_hash'} = $2
           ORDER BY p.feed_position DESC LIMIT ${MAX_FOUND}`,
          [holder.consumerId, proofId ?? identityId ?? correlationHash],
        )
      })
      return { proofs: rows.map(toProof) }
    },

    acknowledgeProof: async ({ holder, params }) =>
      db.transaction({ tenant: holder.tenantId }, async (queries) => {
        const { proofId } = await findProof(queries, holder.consumerId, params.proofId ?? '')
        await queries.query(
          `INSERT INTO acknowledgements (proof_id, consumer_id, tenant_id, at) VALUES ($1, $2, $3, $4)
           ON CONFLICT (proof_id, consumer_id) DO NOTHING`,
          [proofId, holder.consumerId, holder.tenantId, clock.now()],
        )
        const [row] = await queries.query<{ at: Date }>(
          'SELECT at FROM acknowledgements WHERE proof_id = $1 AND consumer_id = $2',
          [proofId, holder.consumerId],
        )
        return { proofId, acknowledgedAt: (row?.at ?? clock.now()).toISOString() }
      }),

    jwks: async ({ holder, params }) => {
      const [row] = await db.query<KeysRow>(
        { tenant: holder.tenantId },
        'SELECT proof_keys, revoked_keys FROM kiosks WHERE id = $1',
        [params.kioskId ?? ''],
      )
      if (!row) throw new AppError('not_found')
      return buildJwks(row)
    },
  }
}

interface KeysRow {
  readonly proof_keys: Record<string, unknown>[]
  readonly revoked_keys: Record<string, number>
}

/** A reader that does not know `revoked` finds no key for signatures of a revoked one. */
function buildJwks({ proof_keys: all, revoked_keys: revoked }: KeysRow) {
  const findRevocationTime = (key: Record<string, unknown>): number | undefined => revoked[String(key.kid)]
  return {
    keys: all.filter((key) => findRevocationTime(key) === undefined),
    revoked: all.flatMap((key) => {
      const since = findRevocationTime(key)
      return since === undefined ? [] : [{ kid: String(key.kid), since: new Date(since).toISOString(), key }]
    }),
  }
}

/**
 * A cursor is the id of the last entry: it reveals nothing about other tenants, and is meaningless to them.
 */
async function findFeedPosition(queries: Queries, cursor: string): Promise<number> {
  const [row] = await queries.query<{ feed_position: number }>(
    `SELECT feed_position FROM proofs WHERE proof_id = $1
     UNION ALL SELECT feed_position FROM feed_marks WHERE id = $1`,
    [cursor],
  )
  if (!row) throw fieldProblem('cursor_unknown', 'after', 'is no cursor that was given to this consumer')
  return row.feed_position
}

function toProof(row: ProofRow): Proof {
  return {
    proofId: row.proof_id,
    kioskId: row.kiosk_id,
    sequence: row.sequence,
    line: row.line,
    mark: row.mark,
    identityId: row.identity_id,
    sha256: row.sha256,
    levelOfAssurance: row.level_of_assurance,
    test: row.test,
    sealedAt: row.sealed_at.toISOString(),
    storedAt: row.stored_at.toISOString(),
    acknowledgedAt: row.acknowledged_at?.toISOString() ?? null,
    deletedAt: row.deleted_at?.toISOString() ?? null,
  }
}
