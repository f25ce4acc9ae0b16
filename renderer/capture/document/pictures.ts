/** The pictures of one capture: the live picture that is sent, and the same in the camera's full size. */
import type { Eyes } from '../eyes.ts'
import type { Grey } from '../grey.ts'
import { CAPTURE_LIMITS } from '../limits.ts'
import type { SidePictures } from '../protocol.ts'

export interface Picture {
  readonly frame: Blob
  /** Picture in the camera's full size, or the frame itself if there is no larger one. Null: not requested. */
  readonly full: Blob | null
  readonly sharpness: number
  readonly small: Grey | null
  readonly flat: Float64Array | null
  readonly atMs: number
}

const { frames: FRAMES, photo: PHOTO, shiny: SMALL } = CAPTURE_LIMITS
/** A frame that exceeds the size limit is encoded again with this quality (starting value). */
const SMALLER_QUALITY = 0.7

/** Null if the camera has no picture. `large`: the full size is requested too. */
export async function takePicture(eyes: Eyes, large: boolean, atMs = 0): Promise<Picture | null> {
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

/** The first picture is the evidence; the others accompany it as further frames. */
export function toSidePictures([first, ...others]: readonly Picture[]): SidePictures {
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
