/** The operator's actions on releases, rings and rollouts. */
import { z } from 'zod'
import { SYSTEM, type Queries } from '../db/db.ts'
import { noteOperatorAccess } from '../head-office/access-log.ts'
import { getOnlineMs } from '../rollouts/judge.ts'
import { describeRollout, listRollouts, type ListedRollout } from '../rollouts/list.ts'
import { addRelease, listReleases } from '../rollouts/releases.ts'
import {
  assignRing,
  changeRollout,
  readRings,
  setRings,
  startRollout,
  type Rollout,
} from '../rollouts/rollouts.ts'
import type { CentralContext } from '../context.ts'
import { action, name, tenantId } from './action.ts'

const reason = z.string().trim().min(1).max(200)
const ring = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/)
const decision = z.strictObject({ rolloutId: z.uuid(), by: name, reason })
const MAX_LISTED = 100

export const ROLLOUT_ACTIONS = {
  addRelease: action(
    z.strictObject({ packageFile: z.string().min(1), releaseFile: z.string().min(1), by: name }),
    (ctx, order) =>
      addRelease(ctx, order, (queries) =>
        // Releases are for the kiosks of all tenants.
        noteOperatorAccess(queries, null, order.by, 'addRelease', null, ctx.clock.now()),
      ),
  ),
  listReleases: action(z.strictObject({}), async (ctx) => ({ releases: await listReleases(ctx) })),
  setRings: action(
    z.strictObject({
      tenantId,
      rings: z
        .array(z.strictObject({ name: ring, share: z.int().min(0).max(100) }))
        .min(1)
        .max(10),
      by: name,
    }),
    ({ db, clock }, { tenantId: tenant, rings, by }) =>
      db.transaction(SYSTEM, async (queries) => {
        await setRings(queries, tenant, rings)
        await noteOperatorAccess(queries, tenant, by, 'setRings', null, clock.now())
        return { tenantId: tenant, rings }
      }),
  ),
  assignRing: action(
    z.strictObject({ kioskId: z.uuid(), ring: ring.nullable(), by: name }),
    ({ db, clock }, { kioskId, ring: chosen, by }) =>
      db.transaction(SYSTEM, async (queries) => {
        const { tenantId: tenant } = await assignRing(queries, kioskId, chosen)
        await noteOperatorAccess(queries, tenant, by, 'assignRing', kioskId, clock.now())
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
  startRollout: action(
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
      by: name,
      reason,
    }),
    (ctx, { by, reason: why, startsAt, ...order }) =>
      decide(ctx, by, 'startRollout', (queries, at) =>
        startRollout(
          queries,
          { ...order, startsAt: startsAt === undefined ? undefined : new Date(startsAt) },
          { actor: `operator:${by}`, reason: why, at },
        ),
      ),
  ),
  pauseRollout: action(decision, (ctx, order) => change(ctx, order, 'PAUSED')),
  resumeRollout: action(decision, (ctx, order) => change(ctx, order, 'RUNNING')),
  stopRollout: action(decision, (ctx, order) => change(ctx, order, 'STOPPED')),
  listRollouts: action(
    z.strictObject({ tenantId: tenantId.optional() }),
    async ({ db, clock, config }, { tenantId: tenant }) => {
      const page = { sort: 'starts', order: 'desc', after: null, limit: MAX_LISTED } as const
      const present = { now: clock.now().getTime(), onlineMs: getOnlineMs(config) }
      const { rows } = await db.transaction(SYSTEM, (queries) =>
        listRollouts(queries, tenant ?? null, page, present),
      )
      return { rollouts: rows.map(toLine) }
    },
  ),
} as const

const ACTS = { PAUSED: 'pauseRollout', RUNNING: 'resumeRollout', STOPPED: 'stopRollout' } as const

function change(
  ctx: CentralContext,
  { rolloutId, by, reason: why }: z.output<typeof decision>,
  state: keyof typeof ACTS,
) {
  return decide(ctx, by, ACTS[state], (queries, at) =>
    changeRollout(queries, null, rolloutId, state, { actor: `operator:${by}`, reason: why, at }),
  )
}

async function decide(
  { db, clock, config }: CentralContext,
  by: string,
  act: 'startRollout' | (typeof ACTS)[keyof typeof ACTS],
  run: (queries: Queries, at: Date) => Promise<Rollout>,
) {
  const at = clock.now()
  return db.transaction(SYSTEM, async (queries) => {
    const rollout = await run(queries, at)
    await noteOperatorAccess(queries, rollout.tenantId, by, act, rollout.rolloutId, at)
    return toLine(await describeRollout(queries, rollout, at.getTime(), getOnlineMs(config)))
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
