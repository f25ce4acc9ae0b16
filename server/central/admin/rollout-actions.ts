/** The operator's actions on releases, rings and rollouts. */
import { z } from 'zod'
import { SYSTEM, type Queries } from '../db/db.ts'
import { getPresent } from '../rollouts/judge.ts'
import { describeRollout, listRollouts, type ListedRollout } from '../rollouts/list.ts'
import { addRelease, listReleases } from '../rollouts/releases.ts'
import { assignRing, changeRollout, readRings, setRings, startRollout } from '../rollouts/rollouts.ts'
import type { CentralContext } from '../context.ts'
import { act, action, reason, tenantId, type Operator } from './action.ts'

const ring = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/)
const decision = z.strictObject({ rolloutId: z.uuid(), reason })
const MAX_LISTED = 100

export const ROLLOUT_ACTIONS = {
  addRelease: act(
    z.strictObject({ packageFile: z.string().min(1), releaseFile: z.string().min(1) }),
    (ctx, order, { name: by, note }) =>
      // Releases are for the kiosks of all tenants.
      addRelease(ctx, { ...order, by }, (queries) => note(queries, null)),
  ),
  listReleases: action(z.strictObject({}), async (ctx) => ({ releases: await listReleases(ctx) })),
  setRings: act(
    z.strictObject({
      tenantId,
      rings: z
        .array(z.strictObject({ name: ring, share: z.int().min(0).max(100) }))
        .min(1)
        .max(10),
    }),
    ({ db }, { tenantId: tenant, rings }, { note }) =>
      db.transaction(SYSTEM, async (queries) => {
        await setRings(queries, tenant, rings)
        await note(queries, tenant)
        return { tenantId: tenant, rings }
      }),
  ),
  assignRing: act(
    z.strictObject({ kioskId: z.uuid(), ring: ring.nullable() }),
    ({ db }, { kioskId, ring: chosen }, { note }) =>
      db.transaction(SYSTEM, async (queries) => {
        const { tenantId: tenant } = await assignRing(queries, kioskId, chosen)
        await note(queries, tenant, { subject: kioskId })
        return { kioskId, tenantId: tenant, ring: chosen ?? 'by share' }
      }),
  ),
  listRings: action(z.strictObject({ tenantId }), ({ db }, { tenantId: tenant }) =>
    db.transaction(SYSTEM, async (queries) => ({
      rings: await readRings(queries, tenant),
      named: await queries.query(
        'SELECT kiosk_id AS "kioskId", ring FROM ring_kiosks WHERE tenant_id = $1 ORDER BY ring, kiosk_id',
        [tenant],
      ),
    })),
  ),
  startRollout: act(
    z.strictObject({
      tenantId,
      version: z.string().min(1).max(100),
      soakMinutes: z
        .int()
        .min(1)
        .max(100_000)
        .default(24 * 60),
      maxFailedPercent: z.int().min(1).max(100).default(5),
      startsAt: z.iso.datetime({ offset: true }).optional(),
      reason,
    }),
    (ctx, { reason: why, startsAt, ...order }, operator) =>
      decide(ctx, operator, why, async (queries, at) => {
        const start = { ...order, startsAt: startsAt === undefined ? undefined : new Date(startsAt) }
        const rollout = await startRollout(queries, start, { actor: operator.actor, reason: why, at })
        return { rollout, isNew: true }
      }),
  ),
  pauseRollout: act(decision, (ctx, order, operator) => change(ctx, order, operator, 'PAUSED')),
  resumeRollout: act(decision, (ctx, order, operator) => change(ctx, order, operator, 'RUNNING')),
  stopRollout: act(decision, (ctx, order, operator) => change(ctx, order, operator, 'STOPPED')),
  listRollouts: action(
    z.strictObject({ tenantId: tenantId.optional() }),
    async (ctx, { tenantId: tenant }) => {
      const page = { sort: 'starts', order: 'desc', after: null, limit: MAX_LISTED } as const
      const { rows } = await ctx.db.transaction(SYSTEM, (queries) =>
        listRollouts(queries, tenant ?? null, page, getPresent(ctx)),
      )
      return { rollouts: rows.map(toLine) }
    },
  ),
} as const

function change(
  ctx: CentralContext,
  { rolloutId, reason: why }: z.output<typeof decision>,
  operator: Operator,
  state: 'PAUSED' | 'RUNNING' | 'STOPPED',
) {
  return decide(ctx, operator, why, (queries, at) =>
    changeRollout(queries, null, rolloutId, state, { actor: operator.actor, reason: why, at }),
  )
}

async function decide(
  ctx: CentralContext,
  { note }: Operator,
  why: string,
  run: (queries: Queries, at: Date) => ReturnType<typeof changeRollout>,
) {
  const at = ctx.clock.now()
  return ctx.db.transaction(SYSTEM, async (queries) => {
    const { rollout, isNew } = await run(queries, at)
    if (isNew) await note(queries, rollout.tenantId, { subject: rollout.rolloutId, reason: why })
    return toLine(await describeRollout(queries, rollout, getPresent(ctx)))
  })
}

/** Names the ring that gets the release last. */
function toLine({ rollout, rings, waits }: ListedRollout) {
  const { rolloutId, tenantId: tenant, version, state, startsAt, changedAt, changedBy, reason: why } = rollout
  const reached = rollout.rings[rollout.ring]?.name ?? ''
  return {
    rolloutId,
    tenantId: tenant,
    version,
    state,
    ring: reached,
    waits,
    startsAt,
    changedAt,
    changedBy,
    reason: why,
    rings,
  }
}
