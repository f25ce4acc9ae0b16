/** Deletion of proofs for head-office systems: the feed of deletions with their receipts, erasure by request, legal holds. */
import { noteAccess } from './access-log.ts'
import type { DeletedProof, LegalHold } from './contract.ts'
import type { HeadOfficeDeps, KeptHold } from './deps.ts'
import { nameActor } from './guard.ts'
import type { Handlers } from './http.ts'

type DeletionHandlers = Pick<
  Handlers,
  'listDeletions' | 'eraseProofs' | 'listLegalHolds' | 'placeLegalHold' | 'releaseLegalHold'
>

export function deletionHandlers({ db, clock, deletion }: HeadOfficeDeps): DeletionHandlers {
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
      const { proofs, ...rest } = await deletion.erase(order, (queries) =>
        noteAccess(queries, holder, 'eraseProofs', clock.now(), { reason: body.reference }),
      )
      return {
        ...rest,
        proofs: proofs.map(({ tenantId: _tenantId, storedAt, ...proof }) => {
          return { ...proof, storedAt: storedAt.toISOString() }
        }),
      }
    },

    listLegalHolds: async ({ holder, query }) => {
      const holds = await db.transaction({ tenant: holder.tenantId }, (queries) =>
        deletion.listHolds(queries, holder.tenantId, { isReleasedToo: query.state === 'all' }),
      )
      return { holds: holds.map(holdView) }
    },

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
