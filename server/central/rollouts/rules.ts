/**
 * Decides which kiosk gets which release now, and when a rollout goes to its next ring or pauses. Pure rules. What is not
 * known of a kiosk never counts as good.
 */
import { createHash } from 'node:crypto'
import { ROLLOUT_WAITS, type ROLLOUT_STATES } from '../head-office/contract.ts'
import { compareDebianVersions } from '../../updates/debian-version.ts'

export type RolloutState = (typeof ROLLOUT_STATES)[number]

/** The states that a person or the service may choose from each state. */
export const NEXT_STATES: Readonly<Record<RolloutState, readonly RolloutState[]>> = {
  PLANNED: ['RUNNING', 'STOPPED'],
  RUNNING: ['PAUSED', 'DONE', 'STOPPED'],
  PAUSED: ['RUNNING', 'STOPPED'],
  // Kiosks that were offline still get the release.
  DONE: ['STOPPED'],
  STOPPED: [],
}

export interface Ring {
  readonly name: string
  /** Percent of the kiosks in this ring and the ones before, by the hash of their id. */
  readonly share: number
}

export const DEFAULT_RINGS: readonly Ring[] = [
  { name: 'canary', share: 5 },
  { name: 'early', share: 25 },
  { name: 'all', share: 100 },
]

export const PROGRESS_STATES = ['OFFERED', 'INSTALLED', 'ROLLED_BACK', 'REFUSED', 'FAILED'] as const
export type ProgressState = (typeof PROGRESS_STATES)[number]
const FAILED: readonly ProgressState[] = ['ROLLED_BACK', 'REFUSED', 'FAILED']

/** The release of a rollout for one architecture. */
export interface Release {
  readonly version: string
  readonly architecture: string
  readonly minimumFrom: string
}

export interface KioskFacts {
  readonly kioskId: string
  /** Place in the rings of the rollout. */
  readonly ring: number
  /** Milliseconds since 1970 of the last status; null: none. */
  readonly seenAt: number | null
  /** As the kiosk reports it of its package; null: its version reports nothing. */
  readonly updates: {
    readonly enabled: boolean
    readonly version: string | null
    readonly architecture: string | null
  } | null
  /** The last status: no part is DOWN, and new proofings may begin. */
  readonly isWell: boolean
  /** Progress in this rollout; null: it was not offered the release. */
  readonly progress: {
    readonly state: ProgressState
    readonly at: number
    readonly wellSince: number | null
  } | null
}

export interface RolloutFacts {
  readonly state: RolloutState
  readonly rings: readonly Ring[]
  /** The last ring that gets the release. */
  readonly ring: number
  readonly soakMs: number
  readonly maxFailedPercent: number
  /** Failures before do not count. */
  readonly judgedFrom: number
}

/** Why a kiosk gets no release of a rollout. CURRENT: it has this version or a newer one. */
export const OBSTACLES = ['UNKNOWN', 'DISABLED', 'ARCHITECTURE', 'CURRENT', 'TOO_OLD'] as const
export type Obstacle = (typeof OBSTACLES)[number]

/** @param named ring that an operator has chosen for the kiosk; one that the rollout does not have is ignored */
export function findRing(rings: readonly Ring[], kioskId: string, named: string | null): number {
  const chosen = rings.findIndex(({ name }) => name === named)
  if (chosen >= 0) return chosen
  const place = computePlace(kioskId)
  const found = rings.findIndex(({ share }) => place < share)
  return found >= 0 ? found : rings.length - 1
}

/** A number from 0 to less than 100 that stays the same for the kiosk. */
function computePlace(kioskId: string): number {
  const hash = createHash('sha256').update(`ring ${kioskId}`).digest()
  return (hash.readUInt32BE(0) / 2 ** 32) * 100
}

export function findRelease<R extends Release>(
  releases: readonly R[],
  { updates }: Pick<KioskFacts, 'updates'>,
): R | Obstacle {
  if (updates === null) return 'UNKNOWN'
  const { enabled, version, architecture } = updates
  if (!enabled) return 'DISABLED'
  if (version === null) return 'UNKNOWN'
  const release = releases.find((one) => one.architecture === architecture)
  if (!release) return 'ARCHITECTURE'
  if (compareDebianVersions(version, release.version) >= 0) return 'CURRENT'
  return compareDebianVersions(version, release.minimumFrom) < 0 ? 'TOO_OLD' : release
}

/** Null: the kiosk gets none now. */
export function chooseRelease<R extends Release>(
  { state, ring }: Pick<RolloutFacts, 'state' | 'ring'>,
  releases: readonly R[],
  kiosk: Pick<KioskFacts, 'updates' | 'ring' | 'progress'>,
): R | null {
  if (state !== 'RUNNING' && state !== 'DONE') return null
  if (kiosk.ring > ring) return null
  // A second try in the same rollout would end the same way.
  if (kiosk.progress && kiosk.progress.state !== 'OFFERED') return null
  const release = findRelease(releases, kiosk)
  return typeof release === 'string' ? null : release
}

/** Why a ring is not complete. NO_KIOSK: no kiosk has shown that the release works. */
export type Wait = (typeof ROLLOUT_WAITS)[number]

export interface Present {
  readonly now: number
  /** Time without a status after which a kiosk is offline. */
  readonly onlineMs: number
}

export type Verdict =
  | { readonly act: 'ADVANCE' | 'FINISH' }
  | { readonly act: 'WAIT'; readonly waits: Wait }
  /** Kiosks whose failures exceed the limit. */
  | { readonly act: 'PAUSE'; readonly failed: readonly string[] }

/**
 * Judges a RUNNING rollout. A kiosk that was offered the release counts until it has answered, also while it is offline:
 * the release may be the cause.
 */
export function judgeRollout(
  rollout: Omit<RolloutFacts, 'state'>,
  releases: readonly Release[],
  kiosks: readonly KioskFacts[],
  { now, onlineMs }: Present,
): Verdict {
  const taking = kiosks.filter(
    (kiosk) =>
      kiosk.ring <= rollout.ring &&
      (kiosk.progress !== null || typeof findRelease(releases, kiosk) !== 'string'),
  )
  const failed = findFailed(rollout, taking)
  if (failed.length > 0) return { act: 'PAUSE', failed }

  const standings = taking.map((kiosk) => ({
    ring: kiosk.ring,
    standing: judgeKiosk(kiosk, rollout.soakMs, now, onlineMs),
  }))
  const present: readonly string[] = standings
    .filter(({ ring }) => ring === rollout.ring)
    .map(({ standing }) => standing)
  const waits = ROLLOUT_WAITS.find((wait) => present.includes(wait))
  if (waits !== undefined && (waits !== 'OFFLINE' || present.every((one) => one === 'OFFLINE')))
    return { act: 'WAIT', waits }
  if (!standings.some(({ standing }) => standing === 'GOOD')) return { act: 'WAIT', waits: 'NO_KIOSK' }
  return { act: rollout.ring + 1 < rollout.rings.length ? 'ADVANCE' : 'FINISH' }
}

/** Kiosks that failed since the rollout was last continued, of rings whose share of them reaches the limit. */
function findFailed(
  { rings, maxFailedPercent, judgedFrom }: Omit<RolloutFacts, 'state'>,
  taking: readonly KioskFacts[],
): readonly string[] {
  return rings.flatMap((_, ring) => {
    const members = taking.filter((kiosk) => kiosk.ring === ring)
    const failed = members.filter(
      ({ progress }) => progress !== null && FAILED.includes(progress.state) && progress.at >= judgedFrom,
    )
    return failed.length * 100 >= maxFailedPercent * members.length
      ? failed.map(({ kioskId }) => kioskId)
      : []
  })
}

function judgeKiosk(
  { progress, seenAt, isWell }: KioskFacts,
  soakMs: number,
  now: number,
  onlineMs: number,
): Exclude<Wait, 'NO_KIOSK'> | 'GOOD' | 'FAILED' {
  const isOnline = seenAt !== null && now - seenAt <= onlineMs
  if (progress === null) return isOnline ? 'INSTALL' : 'OFFLINE'
  if (FAILED.includes(progress.state)) return 'FAILED'
  if (progress.state === 'OFFERED') return 'INSTALL'
  if (!isOnline || !isWell || progress.wellSince === null) return 'UNWELL'
  return now - progress.wellSince >= soakMs ? 'GOOD' : 'SOAK'
}

/**
 * Since when every status says that the kiosk is well. A silence longer than `onlineMs` begins the time again.
 * @param before the value and the last status before this one
 */
export function keepWellSince(
  before: { readonly wellSince: number | null; readonly seenAt: number | null },
  isWell: boolean,
  now: number,
  onlineMs: number,
): number | null {
  if (!isWell) return null
  const isContinued = before.seenAt !== null && now - before.seenAt <= onlineMs
  return isContinued ? (before.wellSince ?? now) : now
}
