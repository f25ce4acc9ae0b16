/** Notes what a kiosk reports of its updates, and chooses the release that it is to install. Within the transaction of its status. */
import { validate as isUuid } from 'uuid'
import type { KioskStatus, UpdateResult } from '../../protocol/wire.ts'
import type { Queries } from '../db/db.ts'
import { raiseAlarm, resolveAlarms } from '../kiosks/alarms.ts'
import type { Kiosk } from '../kiosks/kiosk.ts'
import { findReleases } from './releases.ts'
import { findCurrentRollout, type Rollout } from './rollouts.ts'
import { chooseRelease, findRing, keepWellSince, type ProgressState } from './rules.ts'

export interface Offer {
  readonly rolloutId: string
  /** The release file. */
  readonly release: string
}

interface Progress {
  readonly state: ProgressState
  readonly changed_at: Date
  readonly well_since: Date | null
}

/** @param kiosk as it was before this status; locked @param onlineMs time without a status after which a kiosk is offline */
export async function noteUpdates(
  queries: Queries,
  kiosk: Pick<Kiosk, 'id' | 'tenantId' | 'statusAt'>,
  { updates, frozen, health }: KioskStatus,
  at: Date,
  onlineMs: number,
): Promise<Offer | null> {
  if (updates?.result && isUuid(updates.result.id)) await noteResult(queries, kiosk, updates.result, at)
  const rollout = await findCurrentRollout(queries, kiosk.tenantId)
  if (rollout === null) return null
  const { rolloutId } = rollout
  const { named, progress: before } = await readPlace(queries, rolloutId, kiosk.id)
  const ring = findRing(rollout.rings, kiosk.id, named)
  const hasVersion = updates?.version === rollout.version
  // A kiosk that was installed by hand, or whose result was lost, counts as well.
  const progress =
    hasVersion && (before === null || before.state === 'OFFERED')
      ? await saveProgress(queries, rollout, kiosk, ring, 'INSTALLED', at)
      : before
  if (progress?.state === 'INSTALLED') {
    const isWell = hasVersion && frozen.length === 0 && !Object.values(health).includes('DOWN')
    const known = {
      wellSince: progress.well_since?.getTime() ?? null,
      seenAt: kiosk.statusAt?.getTime() ?? null,
    }
    const wellSince = keepWellSince(known, isWell, at.getTime(), onlineMs)
    if (wellSince !== known.wellSince)
      await queries.query(
        'UPDATE rollout_kiosks SET well_since = $3 WHERE rollout_id = $1 AND kiosk_id = $2',
        [rolloutId, kiosk.id, wellSince === null ? null : new Date(wellSince)],
      )
  }
  // Most statuses end here: their kiosk has answered.
  if (progress !== null && progress.state !== 'OFFERED') return null
  const release = chooseRelease(rollout, await findReleases(queries, rollout.version), {
    updates: updates ?? null,
    ring,
    progress: progress && { state: progress.state, at: progress.changed_at.getTime(), wellSince: null },
  })
  if (release === null) return null
  if (progress === null) await saveProgress(queries, rollout, kiosk, ring, 'OFFERED', at)
  return { rolloutId, release: release.file }
}

/** Only of a rollout that offered the kiosk a release. A result that was noted changes nothing. */
async function noteResult(
  queries: Queries,
  kiosk: Pick<Kiosk, 'id' | 'tenantId'>,
  { id: rolloutId, state, reason, from }: UpdateResult,
  at: Date,
): Promise<void> {
  const [noted] = await queries.query<{ version: string }>(
    `UPDATE rollout_kiosks p SET state = $3, reason = $4, from_version = $5, changed_at = $6, well_since = NULL
     FROM rollouts r WHERE r.id = p.rollout_id AND p.rollout_id = $1 AND p.kiosk_id = $2 AND p.state <> $3
     RETURNING r.version`,
    [rolloutId, kiosk.id, state, reason, from, at],
  )
  if (!noted) return
  if (state === 'INSTALLED') await resolveAlarms(queries, kiosk.id, 'UPDATE', at)
  else await raiseAlarm(queries, kiosk, 'UPDATE', rolloutId, { version: noted.version, state, reason }, at)
}

/** The ring that an operator has named for the kiosk, and its progress. */
async function readPlace(
  queries: Queries,
  rolloutId: string,
  kioskId: string,
): Promise<{ readonly named: string | null; readonly progress: Progress | null }> {
  const [row] = await queries.query<{
    readonly named: string | null
    readonly state: ProgressState | null
    readonly changed_at: Date | null
    readonly well_since: Date | null
  }>(
    `SELECT n.ring AS named, p.state, p.changed_at, p.well_since
     FROM (SELECT $2::uuid AS id) k LEFT JOIN ring_kiosks n ON n.kiosk_id = k.id
       LEFT JOIN rollout_kiosks p ON p.rollout_id = $1 AND p.kiosk_id = k.id`,
    [rolloutId, kioskId],
  )
  const { named = null, state = null, changed_at = null, well_since = null } = row ?? {}
  return { named, progress: state === null || changed_at === null ? null : { state, changed_at, well_since } }
}

async function saveProgress(
  queries: Queries,
  { rolloutId, tenantId }: Rollout,
  { id: kioskId }: Pick<Kiosk, 'id'>,
  ring: number,
  state: ProgressState,
  at: Date,
): Promise<Progress> {
  await queries.query(
    `INSERT INTO rollout_kiosks (rollout_id, kiosk_id, tenant_id, ring, state, changed_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (rollout_id, kiosk_id) DO UPDATE SET state = excluded.state, changed_at = excluded.changed_at`,
    [rolloutId, kioskId, tenantId, ring, state, at],
  )
  return { state, changed_at: at, well_since: null }
}
