/** When the automatic shutter releases. Pure: it is told what is ready and when, and takes no picture itself. */

export interface ShutterLimits {
  readonly readyForMs: number
  readonly goodPictures: number
  readonly onePictureAfterMs: number
  readonly brokenFromShare: number
}

export interface Shutter {
  readonly readySinceMs: number | null
}
export const OPEN_SHUTTER: Shutter = { readySinceMs: null }

export interface ShutterStep {
  readonly shutter: Shutter
  /** Of the ring. */
  readonly share: number
  readonly releases: boolean
  /** The ring was well on its way and broke off: a try that came to nothing. */
  readonly broke: boolean
}

export interface Seen {
  /** The last answer about a picture says so, and it is not too old. */
  readonly ready: boolean
  readonly moving: boolean
  /** Taken since it became ready, and found good. */
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
    const share = since === null ? 0 : shareOf(nowMs - since, limits)
    return { shutter: OPEN_SHUTTER, share: 0, releases: false, broke: share >= limits.brokenFromShare }
  }
  const readySinceMs = since ?? nowMs
  const readyForMs = nowMs - readySinceMs
  const hasPicture =
    goodPictures >= limits.goodPictures || (goodPictures > 0 && readyForMs >= limits.onePictureAfterMs)
  return {
    shutter: { readySinceMs },
    share: shareOf(readyForMs, limits),
    releases: readyForMs >= limits.readyForMs && hasPicture,
    broke: false,
  }
}

function shareOf(ms: number, { readyForMs }: ShutterLimits): number {
  return Math.min(1, ms / readyForMs)
}
