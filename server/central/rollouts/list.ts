/** Lists the rollouts of a tenant, each with its rings and their numbers of kiosks. */
import type { Queries } from '../db/db.ts'
import { contains, Filters, readPage, type PageOrder } from '../db/list-page.ts'
import { findReleases } from './releases.ts'
import { readKioskFacts, ROLLOUT_COLUMNS, toRollout, type Rollout, type RolloutRow } from './rollouts.ts'
import {
  findRelease,
  judgeRollout,
  OBSTACLES,
  type Obstacle,
  type Present,
  type RolloutState,
  type Wait,
} from './rules.ts'

export interface RingCounts {
  readonly name: string
  readonly share: number
  /** The ring gets the release. */
  readonly isReached: boolean
  /** Number of kiosks in the ring, and of those that cannot take the release; null: the rollout has ended. */
  readonly kiosks: number | null
  readonly unable: number | null
  /** Why they cannot, each cause once. */
  readonly obstacles: Exclude<Obstacle, 'CURRENT'>[]
  readonly offered: number
  readonly installed: number
  readonly failed: number
}

export interface ListedRollout {
  readonly rollout: Rollout
  readonly rings: readonly RingCounts[]
  /** Why the next ring does not begin yet; null: it may, or the rollout does not run. */
  readonly waits: Wait | null
}

interface Choice extends Omit<PageOrder, 'columns'> {
  readonly search?: string | undefined
  readonly state?: RolloutState | undefined
  readonly sort: 'starts' | 'version' | 'state'
}

const SORTS = { starts: ['starts_at'], version: ['version'], state: ['state', 'starts_at'] } as const

/** @param tenantId null: of every tenant */
export async function listRollouts(
  queries: Queries,
  tenantId: string | null,
  { search, state, sort, ...page }: Choice,
  present: Present,
): Promise<{ readonly rows: readonly ListedRollout[]; readonly isMore: boolean }> {
  const filters = new Filters()
    .add(tenantId ?? undefined, (value) => `tenant_id = ${value}`)
    .add(search, (value) => contains(value, ['version']))
    .add(state, (value) => `state = ${value}`)
  const list = { rows: `SELECT ${ROLLOUT_COLUMNS} FROM rollouts`, key: 'id', ...filters }
  const found = await readPage<RolloutRow>(queries, list, {
    columns: SORTS[sort],
    ...page,
  })
  const rows: ListedRollout[] = []
  for (const row of found.rows) rows.push(await describeRollout(queries, toRollout(row), present))
  return { rows, isMore: found.isMore }
}

export async function describeRollout(
  queries: Queries,
  rollout: Rollout,
  present: Present,
): Promise<ListedRollout> {
  const counted = await queries.query<{ ring: number; offered: number; installed: number; failed: number }>(
    `SELECT ring, count(*) FILTER (WHERE state = 'OFFERED')::int AS offered,
       count(*) FILTER (WHERE state = 'INSTALLED')::int AS installed,
       count(*) FILTER (WHERE state NOT IN ('OFFERED', 'INSTALLED'))::int AS failed
     FROM rollout_kiosks WHERE rollout_id = $1 GROUP BY ring`,
    [rollout.rolloutId],
  )
  const isOpen = ['PLANNED', 'RUNNING', 'PAUSED'].includes(rollout.state)
  const kiosks = isOpen ? await readKioskFacts(queries, rollout) : null
  const releases = isOpen ? await findReleases(queries, rollout.version) : []
  const verdict =
    rollout.state === 'RUNNING' && kiosks ? judgeRollout(rollout, releases, kiosks, present) : null
  const rings = rollout.rings.map(({ name, share }, ring) => {
    const members = kiosks?.filter((kiosk) => kiosk.ring === ring) ?? null
    const found = members?.map((kiosk) => findRelease(releases, kiosk)) ?? []
    const { offered = 0, installed = 0, failed = 0 } = counted.find((row) => row.ring === ring) ?? {}
    return {
      name,
      share,
      isReached: rollout.state !== 'PLANNED' && ring <= rollout.ring,
      kiosks: members?.length ?? null,
      unable: members && found.filter((one) => typeof one === 'string' && one !== 'CURRENT').length,
      obstacles: OBSTACLES.filter((one) => one !== 'CURRENT').filter((one) => found.includes(one)),
      offered,
      installed,
      failed,
    }
  })
  return { rollout, rings, waits: verdict?.act === 'WAIT' ? verdict.waits : null }
}
