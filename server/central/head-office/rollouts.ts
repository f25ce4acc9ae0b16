/** Rollouts of releases for the fleet page: the list, its export, and the decisions of a person. */
import type { z } from 'zod'
import { noteAccess } from './access-log.ts'
import { MAX_PAGE, type Rollout, type RolloutExportQuery } from './contract.ts'
import { exportList, type Columns } from './export-list.ts'
import type { HeadOfficeDeps, KnownRollout } from './deps.ts'
import { nameActor, type Holder } from './guard.ts'
import type { Handlers } from './http.ts'

type RolloutHandlers = Pick<
  Handlers,
  'listRollouts' | 'exportRollouts' | 'pauseRollout' | 'resumeRollout' | 'stopRollout'
>

const STATES = { pauseRollout: 'PAUSED', resumeRollout: 'RUNNING', stopRollout: 'STOPPED' } as const

export function rolloutHandlers({ db, clock, rollouts }: HeadOfficeDeps): RolloutHandlers {
  const read = (
    { tenantId }: Holder,
    choice: z.output<typeof RolloutExportQuery> & {
      readonly after?: string | undefined
      readonly limit: number
    },
  ) =>
    db.transaction({ tenant: tenantId }, (queries) =>
      rollouts.list(queries, tenantId, { ...choice, after: choice.after ?? null }),
    )
  const decide = (
    holder: Holder,
    operation: keyof typeof STATES,
    rolloutId: string,
    reason: string,
  ): Promise<Rollout> =>
    db.transaction({ tenant: holder.tenantId }, async (queries) => {
      const act = { actor: nameActor(holder), reason, at: clock.now() }
      const changed = await rollouts.change(queries, holder.tenantId, rolloutId, STATES[operation], act)
      if (changed.isNew) await noteAccess(queries, holder, operation, act.at, { subject: rolloutId, reason })
      return rolloutView(changed)
    })
  return {
    listRollouts: async ({ holder, query }) => {
      const { rows, isMore } = await read(holder, query)
      return {
        rollouts: rows.map(rolloutView),
        next: isMore ? (rows.at(-1)?.rollout.rolloutId ?? null) : null,
      }
    },
    exportRollouts: async ({ holder, query }) =>
      exportList('rollouts', RING_EXPORT, async (after) => {
        const { rows, isMore } = await read(holder, { ...query, after, limit: MAX_PAGE })
        const last = isMore ? rows.at(-1)?.rollout.rolloutId : undefined
        return { rows: rows.map(rolloutView).flatMap(listRings), last }
      }),
    pauseRollout: ({ holder, params, body }) =>
      decide(holder, 'pauseRollout', params.rolloutId ?? '', body.reason),
    resumeRollout: ({ holder, params, body }) =>
      decide(holder, 'resumeRollout', params.rolloutId ?? '', body.reason),
    stopRollout: ({ holder, params, body }) =>
      decide(holder, 'stopRollout', params.rolloutId ?? '', body.reason),
  }
}

function rolloutView({ rollout, rings, waits }: KnownRollout): Rollout {
  const { rolloutId, version, state, soakMinutes, maxFailedPercent, startsAt, changedAt, changedBy, reason } =
    rollout
  return {
    rolloutId,
    version,
    state,
    waits,
    soakMinutes,
    maxFailedPercent,
    startsAt: startsAt.toISOString(),
    changedAt: changedAt.toISOString(),
    changedBy,
    reason,
    rings: rings.map((ring) => ({ ...ring })),
  }
}

interface RingRow {
  readonly rollout: Rollout
  readonly ring: Rollout['rings'][number]
}

function listRings(rollout: Rollout): readonly RingRow[] {
  return rollout.rings.map((ring) => ({ rollout, ring }))
}

/** One row for each ring. */
const RING_EXPORT: Columns<RingRow> = {
  rollout: ({ rollout }) => rollout.rolloutId,
  version: ({ rollout }) => rollout.version,
  state: ({ rollout }) => rollout.state,
  starts: ({ rollout }) => rollout.startsAt,
  changed: ({ rollout }) => rollout.changedAt,
  'changed by': ({ rollout }) => rollout.changedBy,
  reason: ({ rollout }) => rollout.reason,
  ring: ({ ring }) => ring.name,
  share: ({ ring }) => ring.share,
  begun: ({ ring }) => String(ring.isReached),
  kiosks: ({ ring }) => ring.kiosks,
  unable: ({ ring }) => ring.unable,
  obstacles: ({ ring }) => ring.obstacles.join(' '),
  offered: ({ ring }) => ring.offered,
  installed: ({ ring }) => ring.installed,
  failed: ({ ring }) => ring.failed,
}
