/** Lists for people: the stored proofs, the deleted ones, and the webhooks of a tenant. Ids, numbers and times; systems walk the feeds. */
import type { z } from 'zod'
import { UUID } from '../../http/parse.ts'
import type { Db } from '../db/db.ts'
import { contains, Filters, readPage, type PageOrder } from '../db/list-page.ts'
import {
  MAX_PAGE,
  type EventType,
  type ListedDeletion,
  type ListedDeletionExportQuery,
  type ListedProof,
  type ListedProofExportQuery,
  type ListedWebhook,
  type ListedWebhookExportQuery,
} from './contract.ts'
import type { HeadOfficeDeps } from './deps.ts'
import { exportList, type Columns } from './export-list.ts'
import type { Handlers } from './http.ts'
import { IS_PARKED, IS_PENDING } from './webhooks/claim.ts'

type RecordHandlers = Pick<
  Handlers,
  | 'listStoredProofs'
  | 'exportStoredProofs'
  | 'listDeletedProofs'
  | 'exportDeletedProofs'
  | 'listAllWebhooks'
  | 'exportAllWebhooks'
>

interface Place {
  readonly after?: string | undefined
  readonly limit: number
}
interface Found<Row> {
  readonly rows: readonly Row[]
  /** Id of the last row; null: no more rows. */
  readonly next: string | null
}

/** Row security separates the tenants; naming the tenant lets the database begin in the index of the feed. */
const SELECT_PROOFS = `
  SELECT p.proof_id AS "proofId", p.kiosk_id AS "kioskId", k.name AS "kioskName", p.sequence, p.line, p.mark,
    p.identity_id AS "identityId", p.level_of_assurance AS "levelOfAssurance", p.test, p.sealed_at AS "sealedAt",
    p.stored_at AS "storedAt", p.deleted_at AS "deletedAt", p.feed_position
  FROM proofs p JOIN kiosks k ON k.id = p.kiosk_id WHERE p.tenant_id = $1`
const PROOF_STATES: Readonly<Record<z.output<typeof ListedProofExportQuery>['state'], readonly string[]>> = {
  all: [],
  kept: ['"deletedAt" IS NULL'],
  deleted: ['"deletedAt" IS NOT NULL'],
  'in-doubt': [`mark = 'IN_DOUBT'`],
}
const SELECT_DELETIONS = `
  SELECT d.proof_id AS "proofId", d.kiosk_id AS "kioskId", k.name AS "kioskName", p.sequence, d.reason, d.actor AS "deletedBy",
    d.reference, d.deleted_at AS "deletedAt", d.feed_position
  FROM deletions d JOIN proofs p ON p.proof_id = d.proof_id JOIN kiosks k ON k.id = d.kiosk_id
  WHERE d.tenant_id = $1 AND d.feed_position IS NOT NULL`
/** A receiver that is away for a day leaves a delivery for each proof. */
const MAX_COUNTED = 100
const countDeliveries = (condition: string): string =>
  `(SELECT count(*)::int FROM (SELECT FROM deliveries d WHERE d.webhook_id = w.id AND ${condition}
    LIMIT ${MAX_COUNTED}) AS counted)`
const SELECT_WEBHOOKS = `
  SELECT w.id, c.name AS system, w.url, w.events, w.created_at AS created, ${countDeliveries(IS_PENDING)} AS pending,
    ${countDeliveries(IS_PARKED)} AS parked
  FROM webhooks w JOIN consumers c ON c.id = w.consumer_id WHERE w.tenant_id = $1`

type ProofRow = Omit<ListedProof, 'sealedAt' | 'storedAt' | 'deletedAt'> & {
  readonly sealedAt: Date
  readonly storedAt: Date
  readonly deletedAt: Date | null
}
type DeletionRow = Omit<ListedDeletion, 'deletedAt'> & { readonly deletedAt: Date }
interface WebhookRow {
  readonly id: string
  readonly system: string
  readonly url: string
  readonly events: EventType[]
  readonly created: Date
  readonly pending: number
  readonly parked: number
}

interface List<Row, Item> {
  readonly select: string
  readonly id: keyof Row & string
  readonly show: (row: Row) => Item
}
const PROOFS: List<ProofRow, ListedProof> = { select: SELECT_PROOFS, id: 'proofId', show: toProof }
const DELETIONS: List<DeletionRow, ListedDeletion> = {
  select: SELECT_DELETIONS,
  id: 'proofId',
  show: toDeletion,
}
const WEBHOOKS: List<WebhookRow, ListedWebhook> = { select: SELECT_WEBHOOKS, id: 'id', show: toWebhook }

export function recordHandlers({ db }: Pick<HeadOfficeDeps, 'db'>): RecordHandlers {
  const readProofs = async (
    tenantId: string,
    { search, state, order, ...place }: z.output<typeof ListedProofExportQuery> & Place,
  ): Promise<Found<ListedProof>> => {
    const filters = new Filters([tenantId]).add(search, (value) =>
      UUID.test(search ?? '')
        ? `("proofId" = ${value}::uuid OR "identityId" = ${value}::uuid)`
        : contains(value, ['"kioskName"']),
    )
    filters.conditions.push(...PROOF_STATES[state])
    return read(db, tenantId, PROOFS, filters, { columns: ['feed_position'], order, ...place })
  }
  const readDeletions = async (
    tenantId: string,
    { search, state, order, ...place }: z.output<typeof ListedDeletionExportQuery> & Place,
  ): Promise<Found<ListedDeletion>> => {
    const filters = new Filters([tenantId])
      .add(state === 'all' ? undefined : state, (value) => `reason = ${value}`)
      .add(search, (value) =>
        UUID.test(search ?? '') ? `"proofId" = ${value}::uuid` : contains(value, ["coalesce(reference, '')"]),
      )
    return read(db, tenantId, DELETIONS, filters, { columns: ['feed_position'], order, ...place })
  }
  const readWebhooks = async (
    tenantId: string,
    { search, state, sort, order, ...place }: z.output<typeof ListedWebhookExportQuery> & Place,
  ): Promise<Found<ListedWebhook>> => {
    const filters = new Filters([tenantId]).add(search, (value) => contains(value, ['system']))
    if (state === 'parked') filters.conditions.push('parked > 0')
    return read(db, tenantId, WEBHOOKS, filters, { columns: [sort], order, ...place })
  }

  return {
    listStoredProofs: async ({ holder, query }) => {
      const { rows, next } = await readProofs(holder.tenantId, query)
      return { proofs: [...rows], next }
    },
    exportStoredProofs: async ({ holder, query }) =>
      exportList('proofs', PROOF_EXPORT, (after) =>
        readAll(readProofs(holder.tenantId, { ...query, ...whole(after) })),
      ),

    listDeletedProofs: async ({ holder, query }) => {
      const { rows, next } = await readDeletions(holder.tenantId, query)
      return { deletions: [...rows], next }
    },
    exportDeletedProofs: async ({ holder, query }) =>
      exportList('deletions', DELETION_EXPORT, (after) =>
        readAll(readDeletions(holder.tenantId, { ...query, ...whole(after) })),
      ),

    listAllWebhooks: async ({ holder, query }) => {
      const { rows, next } = await readWebhooks(holder.tenantId, query)
      return { webhooks: [...rows], next }
    },
    exportAllWebhooks: async ({ holder, query }) =>
      exportList('webhooks', WEBHOOK_EXPORT, (after) =>
        readAll(readWebhooks(holder.tenantId, { ...query, ...whole(after) })),
      ),
  }
}

async function read<Row extends object, Item>(
  db: Db,
  tenantId: string,
  { select, id, show }: List<Row, Item>,
  filters: Filters,
  { after, ...page }: Omit<PageOrder, 'after'> & { readonly after?: string | undefined },
): Promise<Found<Item>> {
  const { rows, isMore } = await db.transaction({ tenant: tenantId }, (queries) =>
    readPage<Row>(queries, { rows: select, key: `"${id}"`, ...filters }, { ...page, after: after ?? null }),
  )
  const last = rows.at(-1)
  return { rows: rows.map(show), next: isMore && last ? String(last[id]) : null }
}

const whole = (after: string | undefined): Place => ({ after, limit: MAX_PAGE })

async function readAll<Row>(found: Promise<Found<Row>>) {
  const { rows, next } = await found
  return { rows, last: next }
}

function toProof({
  proofId,
  kioskId,
  kioskName,
  sequence,
  line,
  mark,
  identityId,
  levelOfAssurance,
  test,
  ...row
}: ProofRow): ListedProof {
  return {
    proofId,
    kioskId,
    kioskName,
    sequence,
    line,
    mark,
    identityId,
    levelOfAssurance,
    test,
    sealedAt: row.sealedAt.toISOString(),
    storedAt: row.storedAt.toISOString(),
    deletedAt: row.deletedAt?.toISOString() ?? null,
  }
}

function toDeletion({
  proofId,
  kioskId,
  kioskName,
  sequence,
  reason,
  deletedBy,
  reference,
  deletedAt,
}: DeletionRow): ListedDeletion {
  return {
    proofId,
    kioskId,
    kioskName,
    sequence,
    reason,
    deletedBy,
    reference,
    deletedAt: deletedAt.toISOString(),
  }
}

function toWebhook({ id, system, url, events, created, pending, parked }: WebhookRow): ListedWebhook {
  return {
    webhookId: id,
    system,
    origin: new URL(url).origin,
    events,
    createdAt: created.toISOString(),
    pending,
    parked,
  }
}

const PROOF_EXPORT: Columns<ListedProof> = {
  proof: ({ proofId }) => proofId,
  kiosk: ({ kioskId }) => kioskId,
  'kiosk name': ({ kioskName }) => kioskName,
  number: ({ sequence }) => sequence,
  line: ({ line }) => line,
  mark: ({ mark }) => mark,
  identity: ({ identityId }) => identityId,
  level: ({ levelOfAssurance }) => levelOfAssurance,
  test: ({ test }) => (test ? 'yes' : 'no'),
  sealed: ({ sealedAt }) => sealedAt,
  stored: ({ storedAt }) => storedAt,
  deleted: ({ deletedAt }) => deletedAt,
}

const DELETION_EXPORT: Columns<ListedDeletion> = {
  proof: ({ proofId }) => proofId,
  kiosk: ({ kioskId }) => kioskId,
  'kiosk name': ({ kioskName }) => kioskName,
  number: ({ sequence }) => sequence,
  reason: ({ reason }) => reason,
  'deleted by': ({ deletedBy }) => deletedBy,
  reference: ({ reference }) => reference,
  deleted: ({ deletedAt }) => deletedAt,
}

const WEBHOOK_EXPORT: Columns<ListedWebhook> = {
  webhook: ({ webhookId }) => webhookId,
  system: ({ system }) => system,
  origin: ({ origin }) => origin,
  events: ({ events }) => events.join(' '),
  created: ({ createdAt }) => createdAt,
  pending: ({ pending }) => pending,
  parked: ({ parked }) => parked,
}
