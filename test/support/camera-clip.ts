/** Makes a clip for a browser's fake camera (Chromium: --use-file-for-fake-video-capture), without any video tool. */
import sharp from 'sharp'
import { writeFileWhole } from '../../server/files/write-file.ts'

interface ClipOptions {
  /** Even, like `height`, because two pixels share a colour. */
  readonly width: number
  readonly height: number
  /** Pictures in the clip, which the browser repeats. */
  readonly frames: number
}

/** The rate of a document camera at full size over USB 2. */
const FRAMES_PER_SECOND = 10
/** Every frame is shifted by this many pixels, because a camera never delivers two equal pictures. */
const SWAY_PX = 2

/**
 * Writes `outPath` (.y4m) from one picture or several in turn. Each fills the frame and is cropped if its shape differs.
 * Throws if a picture cannot be read.
 */
export async function writeCameraClip(
  imagePath: string | readonly string[],
  outPath: string,
  { width, height, frames }: ClipOptions,
): Promise<void> {
  const paths = typeof imagePath === 'string' ? [imagePath] : imagePath
  const parts: Buffer[] = [
    Buffer.from(`YUV4MPEG2 W${width} H${height} F${FRAMES_PER_SECOND}:1 Ip A1:1 C420\n`),
  ]
  for (let i = 0; i < frames; i++) {
    const path = paths[Math.floor((i * paths.length) / frames)]
    const angle = (2 * Math.PI * i) / frames
    const framed = await sharp(path)
      .autoOrient()
      .resize(width + 2 * SWAY_PX, height + 2 * SWAY_PX, { fit: 'cover' })
      .toBuffer()
    const shifted = await sharp(framed)
      .extract({
        left: Math.round(SWAY_PX + SWAY_PX * Math.cos(angle)),
        top: Math.round(SWAY_PX + SWAY_PX * Math.sin(angle)),
        width,
        height,
      })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer()
    parts.push(Buffer.from('FRAME\n'), toYuv420(shifted, width, height))
  }
  writeFileWhole(outPath, Buffer.concat(parts))
}

/**
 * Studio-range BT.601 (ITU-R BT.601, 2.5.3), the format that the browser reads: all of Y, then U and V, one value for two
 * by two pixels.
 */
function toYuv420(rgb: Buffer, width: number, height: number): Buffer {
  const pixels = width * height
  const yuv = Buffer.alloc(pixels + pixels / 2)
  let colourAt = pixels
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3
      const [r, g, b] = [rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0]
      yuv[y * width + x] = 16.5 + 0.257 * r + 0.504 * g + 0.098 * b
      if (x % 2 === 1 || y % 2 === 1) continue
      yuv[colourAt] = 128.5 - 0.148 * r - 0.291 * g + 0.439 * b
      yuv[colourAt + pixels / 4] = 128.5 + 0.439 * r - 0.368 * g - 0.071 * b
      colourAt++
    }
  }
  return yuv
}
