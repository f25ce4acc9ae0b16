/** Simulates a photograph printed small on an identity document and photographed again. Only for measuring. */
import sharp from 'sharp'
import type { DetectedFace } from '../../vision/faces/detect.ts'
import type { Raster } from '../../vision/raster.ts'

/** Face width in pixels of a 35 mm portrait, printed at 300 dots per inch or photographed at arm's length. */
const FACE_WIDTH_PX = 72
const BLUR_SIGMA_PX = 0.9
/** Faded print: reduces contrast to this gain, around the luminance that the offset keeps in place. */
const CONTRAST = { gain: 0.72, offset: 38 }
const JPEG_QUALITY = 45
/** Laser-engraved cards are grey; printed pages keep about half of the colour. */
const SATURATIONS = { grey: 0, faded: 0.55 } as const

/** Returns JPEG bytes. */
export async function simulateIdPortrait(
  raster: Raster,
  face: DetectedFace,
  tone: keyof typeof SATURATIONS,
): Promise<Uint8Array> {
  const { data, width, height } = raster
  const scaled = Math.max(16, Math.round((width * FACE_WIDTH_PX) / face.box.width))
  return sharp(data, { raw: { width, height, channels: 3 } })
    .resize({ width: scaled })
    .blur(BLUR_SIGMA_PX)
    .modulate({ saturation: SATURATIONS[tone] })
    .linear(CONTRAST.gain, CONTRAST.offset)
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer()
}
