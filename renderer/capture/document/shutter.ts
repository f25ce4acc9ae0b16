/**
 * Decides when the automatic shutter releases. Pure: it gets times and states as arguments, and captures
 * nothing.
 */

interface ShutterLimits {
  readonly readyForMs: number
  readonly goodPictures: number
  readonly onePictureAfterMs: number
  readonly brokenFromShare: number
}

interface Shutter {
  readonly readySinceMs: number | null
}
export const OPEN_SHUTTER: Shutter = { readySinceMs: null }

interface ShutterStep {
  readonly shutter: Shutter
  /** Filled share of the ring, 0–1. */
  readonly share: number
  readonly releases: boolean
  /** The ring was more than half full and broke off: a failed try. */
  readonly broke: boolean
}

export interface Seen {
  /** The last answer about a picture is `ready` and recent enough. */
  readonly ready: boolean
  readonly moving: boolean
  /** Good pictures since the document became ready. */
  readonly goodPictures: number
}

export function stepShutter(
  shutter: Shutter,
  { ready, moving, goodPictures }: Seen,
  nowMs: number,
  limits: ShutterLimits,
): ShutterStep {
  const since = shutter.readySinceMs
  if (!ready || moving) {
    const share = since === null ? 0 : computeShare(nowMs - since, limits)
    return { shutter: OPEN_SHUTTER, share: 0, releases: false, broke: share >= limits.brokenFromShare }
  }
  const readySinceMs = since ?? nowMs
  const readyForMs = nowMs - readySinceMs
  const hasPicture =
    goodPictures >= limits.goodPictures || (goodPictures > 0 && readyForMs >= limits.onePictureAfterMs)
  return {
    shutter: { readySinceMs },
    share: computeShare(readyForMs, limits),
    releases: readyForMs >= limits.readyForMs && hasPicture,
    broke: false,
  }
}

function computeShare(ms: number, { readyForMs }: ShutterLimits): number {
  return Math.min(1, ms / readyForMs)
}
