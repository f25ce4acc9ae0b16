/** A clip for a browser's pretended camera (Chromium: --use-file-for-fake-video-capture), made without any video tool. */
import sharp from 'sharp'
import { writeFileWhole } from '../files/write-file.ts'

export interface ClipOptions {
  readonly width: number
  readonly height: number
  /** Pictures in the clip; the browser plays it over and over. */
  readonly frames: number
}

/** Chromium reads Motion JPEG as JPEG pictures one after the other. */
const JPEG_QUALITY = 92
/** Every frame is moved by this many pixels: a camera never delivers two equal pictures. */
const SWAY_PX = 2

/**
 * Writes `outPath` (.mjpeg) from one picture or several shown in turn. Each fills the frame, cropped at the sides where
 * the shape differs. Throws when a picture cannot be read.
 */
export async function writeCameraClip(
  imagePath: string | readonly string[],
  outPath: string,
  { width, height, frames }: ClipOptions,
): Promise<void> {
  const paths = typeof imagePath === 'string' ? [imagePath] : imagePath
  const parts: Buffer[] = []
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
      // Baseline with 4:2:0 is what the browser's decoder takes.
      .jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:2:0' })
      .toBuffer()
    parts.push(shifted)
  }
  writeFileWhole(outPath, Buffer.concat(parts))
}
