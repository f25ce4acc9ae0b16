/**
 * Reads pictures from a live camera: a JPEG, a small grey copy, the event of a new picture. It reuses its
 * canvases and empties them on `close`; it keeps no picture.
 */
import { toGrey, measureSharpness, type Grey } from './grey.ts'

interface JpegWish {
  readonly longSidePx: number
  readonly shortSidePx?: number
  readonly quality: number
}

export interface Eyes {
  /** The whole picture, scaled to the given size. Null: there is no picture. */
  grey(width: number, height: number): Grey | null
  /** Sharpness of the middle at full resolution, comparable among pictures of the same scene. */
  sharpness(): number
  /** Upright as the camera sees it, never mirrored or enlarged. Null: there is no picture. */
  jpeg(wish: JpegWish): Promise<Blob | null>
  readonly longSidePx: number
  /** Resolves when the camera has delivered another picture. */
  nextPicture(signal: AbortSignal): Promise<void>
  close(): void
}

/** Starting value: enough lines of print to distinguish sharp from blurred. */
const MIDDLE_PX = 256

export function createEyes(video: HTMLVideoElement): Eyes {
  const small = document.createElement('canvas')
  const large = document.createElement('canvas')
  const hasPicture = () => video.videoWidth > 0 && video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA

  const readGrey = (
    width: number,
    height: number,
    draw: (to: CanvasRenderingContext2D) => void,
  ): Grey | null => {
    const context = small.getContext('2d', { willReadFrequently: true })
    if (!context || !hasPicture()) return null
    if (small.width !== width || small.height !== height) Object.assign(small, { width, height })
    draw(context)
    return toGrey(context.getImageData(0, 0, width, height).data, width, height)
  }
  return {
    get longSidePx() {
      return Math.max(video.videoWidth, video.videoHeight)
    },
    grey: (width, height) => readGrey(width, height, (to) => to.drawImage(video, 0, 0, width, height)),
    sharpness: () => {
      const [x, y] = [(video.videoWidth - MIDDLE_PX) / 2, (video.videoHeight - MIDDLE_PX) / 2]
      const middle = readGrey(MIDDLE_PX, MIDDLE_PX, (to) =>
        to.drawImage(video, x, y, MIDDLE_PX, MIDDLE_PX, 0, 0, MIDDLE_PX, MIDDLE_PX),
      )
      return middle ? measureSharpness(middle) : 0
    },
    jpeg: async (wish) => {
      if (!hasPicture()) return null
      const { width, height } = sizeWithin(video.videoWidth, video.videoHeight, wish)
      if (large.width !== width || large.height !== height) Object.assign(large, { width, height })
      large.getContext('2d')?.drawImage(video, 0, 0, width, height)
      return new Promise((resolve) => large.toBlob(resolve, 'image/jpeg', wish.quality))
    },
    nextPicture: (signal) =>
      new Promise((resolve, reject) => {
        const stop = () => reject(new DOMException('', 'AbortError'))
        if (signal.aborted) return stop()
        signal.addEventListener('abort', stop, { once: true })
        video.requestVideoFrameCallback(() => {
          signal.removeEventListener('abort', stop)
          resolve()
        })
      }),
    close: () => {
      for (const canvas of [small, large]) Object.assign(canvas, { width: 0, height: 0 })
    },
  }
}

function sizeWithin(
  width: number,
  height: number,
  { longSidePx, shortSidePx = longSidePx }: Omit<JpegWish, 'quality'>,
): { readonly width: number; readonly height: number } {
  const shrink = Math.min(1, longSidePx / Math.max(width, height), shortSidePx / Math.min(width, height))
  return { width: Math.round(width * shrink), height: Math.round(height * shrink) }
}
