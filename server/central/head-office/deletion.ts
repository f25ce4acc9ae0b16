/** Deletion of proofs for head-office systems: the feed of deletions with their receipts, erasure by request, legal holds. */
import { noteAccess } from './access-log.ts'
import type { z } from 'zod'
import { MAX_PAGE, type DeletedProof, type LegalHold, type LegalHoldExportQuery } from './contract.ts'
import { exportList, type Columns } from './export-list.ts'
import type { HeadOfficeDeps, KeptHold } from './deps.ts'
import { nameActor, type Holder } from './guard.ts'
import type { Handlers } from './http.ts'

type DeletionHandlers = Pick<
  Handlers,
  | 'listDeletions'
  | 'eraseProofs'
  | 'listLegalHolds'
  | 'exportLegalHolds'
  | 'placeLegalHold'
  | 'releaseLegalHold'
>

export function deletionHandlers({ db, clock, deletion }: HeadOfficeDeps): DeletionHandlers {
  const readHolds = (
    { tenantId }: Holder,
    {
      state,
      after,
      ...choice
    }: z.output<typeof LegalHoldExportQuery> & {
      readonly after?: string | undefined
      readonly limit: number
    },
  ) =>
    db.transaction({ tenant: tenantId }, (queries) =>
      deletion.listHolds(queries, tenantId, {
        ...choice,
        isReleasedToo: state === 'all',
        after: after ?? null,
      }),
    )
  return {
    listDeletions: async ({ holder, query }) => {
      const rows = await db.transaction({ tenant: holder.tenantId }, (queries) =>
        deletion.list(queries, {
          tenantId: holder.tenantId,
          kioskId: null,
          after: query.after ?? null,
          limit: query.limit + 1,
        }),
      )
      const deletions = rows
        .slice(0, query.limit)
        .map(({ tenantId: _tenantId, deletedAt, ...row }): DeletedProof => {
          return { ...row, deletedAt: deletedAt.toISOString() }
        })
      const next = deletions.at(-1)?.proofId ?? query.after ?? null
      return { deletions, next, more: rows.length > query.limit }
    },

    eraseProofs: async ({ holder, body }) => {
      const order = { ...body, tenantId: holder.tenantId, actor: nameActor(holder) }
      const operation = body.confirmation === undefined ? 'previewErasure' : 'eraseProofs'
      const { proofs, ...rest } = await deletion.erase(order, (queries) =>
        noteAccess(queries, holder, operation, clock.now(), { reason: body.reference }),
      )
      return {
        ...rest,
        proofs: proofs.map(({ tenantId: _tenantId, storedAt, ...proof }) => {
          return { ...proof, storedAt: storedAt.toISOString() }
        }),
      }
    },

    listLegalHolds: async ({ holder, query }) => {
      const { rows, isMore } = await readHolds(holder, query)
      return { holds: rows.map(holdView), next: isMore ? (rows.at(-1)?.holdId ?? null) : null }
    },

    exportLegalHolds: async ({ holder, query }) =>
      exportList('legal-holds', HOLD_EXPORT, async (after) => {
        const { rows, isMore } = await readHolds(holder, { ...query, after, limit: MAX_PAGE })
        return { rows: rows.map(holdView), last: isMore ? rows.at(-1)?.holdId : undefined }
      }),

    placeLegalHold: async ({ holder, body }) => {
      const { reference, ...target } = body
      const at = clock.now()
      const hold = await deletion.placeHold(
        { ...target, tenantId: holder.tenantId },
        { reference, actor: nameActor(holder), at },
        (queries, { holdId }) => noteAccess(queries, holder, 'placeLegalHold', at, { subject: holdId }),
      )
      return holdView(hold)
    },

    releaseLegalHold: async ({ holder, params, body }) => {
      const holdId = params.holdId ?? ''
      const at = clock.now()
      const hold = await deletion.releaseHold(
        holder.tenantId,
        holdId,
        { reference: body.reference, actor: nameActor(holder), at },
        (queries) => noteAccess(queries, holder, 'releaseLegalHold', at, { subject: holdId }),
      )
      return holdView(hold)
    },
  }
}

function holdView({ tenantId: _tenantId, placedAt, releasedAt, ...hold }: KeptHold): LegalHold {
  return { ...hold, placedAt: placedAt.toISOString(), releasedAt: releasedAt?.toISOString() ?? null }
}

const HOLD_EXPORT: Columns<LegalHold> = {
  hold: ({ holdId }) => holdId,
  proof: ({ proofId }) => proofId,
  kiosk: ({ kioskId }) => kioskId,
  'kiosk name': ({ kioskName }) => kioskName,
  reference: ({ reference }) => reference,
  placed: ({ placedAt }) => placedAt,
  'placed by': ({ placedBy }) => placedBy,
  released: ({ releasedAt }) => releasedAt,
  'released by': ({ releasedBy }) => releasedBy,
}
