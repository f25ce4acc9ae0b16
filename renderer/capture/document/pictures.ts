/** The pictures of one moment: what is sent as a live picture, and the same in the camera's full size. */
import type { Eyes } from '../eyes.ts'
import type { Grey } from '../grey.ts'
import { CAPTURE_LIMITS } from '../limits.ts'
import type { SidePictures } from '../protocol.ts'

export interface Picture {
  readonly frame: Blob
  /** In the camera's own size; the frame itself where the camera has no more. Null: was not wanted. */
  readonly full: Blob | null
  readonly sharpness: number
  readonly small: Grey | null
  readonly flat: Float64Array | null
  readonly atMs: number
}

const { frames: FRAMES, photo: PHOTO, shiny: SMALL } = CAPTURE_LIMITS
/** A frame that is too large is made once more with this (starting value). */
const SMALLER_QUALITY = 0.7

/** Null while the camera shows nothing. `large`: the full size is wanted too. */
export async function pictureOf(eyes: Eyes, large: boolean, atMs = 0): Promise<Picture | null> {
  const isSmallCamera = eyes.longSidePx <= FRAMES.longSidePx
  const sharpness = eyes.sharpness()
  const small = eyes.grey(SMALL.widthPx, SMALL.heightPx)
  const wantsOwn = large && !isSmallCamera
  const [made, own] = await Promise.all([
    eyes.jpeg({ longSidePx: FRAMES.longSidePx, quality: FRAMES.quality }),
    wantsOwn ? eyes.jpeg({ longSidePx: Infinity, quality: PHOTO.quality }) : Promise.resolve(null),
  ])
  if (!made) return null
  const frame =
    made.size <= FRAMES.mostBytes
      ? made
      : await eyes.jpeg({ longSidePx: FRAMES.longSidePx, quality: SMALLER_QUALITY })
  if (!frame) return null
  return { frame, full: isSmallCamera ? made : own, sharpness, small, flat: null, atMs }
}

/** The first is the one that counts; the others go along as frames of it. */
export function tidied([first, ...others]: readonly Picture[]): SidePictures {
  return {
    best: first.full ?? first.frame,
    further: others
      .map(({ frame }) => frame)
      .filter(({ size }) => size <= FRAMES.mostBytes)
      .slice(0, FRAMES.mostFurther),
  }
}

export function sharpestFirst(pictures: readonly Picture[]): Picture[] {
  return pictures.toSorted((a, b) => b.sharpness - a.sharpness)
}
