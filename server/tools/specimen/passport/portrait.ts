/** Makes the holder's picture as a passport shows it: cropped to the head, printed small, slightly pale and screened. */
import sharp from 'sharp'
import { PORTRAIT } from './layout.ts'

/** Place of a face in a picture, pixels: from the brow to the chin, as face detectors mark it. */
export interface FaceBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const ASPECT = PORTRAIT.width / PORTRAIT.height
/** Width of the portrait relative to the face's box: head and shoulders, as Doc 9303 part 3 requires. */
const CROP_WIDTH = 1.95
/** Height of the face's centre in the portrait. */
const FACE_CENTRE = 0.52

/**
 * Printed resolution of the picture. A face takes about half the width: 200 px leave about 100 px for it, like a 250 px
 * photograph, and like a good camera's picture of a real page.
 */
const PRINTED_WIDTH_PX = 200
const SATURATION = 0.72
const CONTRAST = 0.86
const LIFT = 22
/** Depth of the print screen, in 8-bit steps. */
const SCREEN_DEPTH = 5

/** Crops a face. The crop stays inside the picture and has the portrait's shape. */
export function portraitCrop(face: FaceBox, width: number, height: number): FaceBox {
  const cropWidth = Math.min(face.width * CROP_WIDTH, width, height * ASPECT)
  const cropHeight = cropWidth / ASPECT
  const x = face.x + face.width / 2 - cropWidth / 2
  const y = face.y + face.height / 2 - cropHeight * FACE_CENTRE
  return {
    x: Math.max(0, Math.min(width - cropWidth, x)),
    y: Math.max(0, Math.min(height - cropHeight, y)),
    width: cropWidth,
    height: cropHeight,
  }
}

/** Crop of a picture without a face: the largest one of the right shape, slightly above the middle. */
export function centreCrop(width: number, height: number): FaceBox {
  const cropWidth = Math.min(width, height * ASPECT)
  const cropHeight = cropWidth / ASPECT
  return { x: (width - cropWidth) / 2, y: (height - cropHeight) * 0.4, width: cropWidth, height: cropHeight }
}

/** PNG of the crop. */
export async function cropPortrait(image: Uint8Array, crop: FaceBox): Promise<Buffer> {
  const left = Math.round(crop.x)
  const top = Math.round(crop.y)
  return sharp(image)
    .autoOrient()
    .extract({
      left,
      top,
      width: Math.max(1, Math.floor(crop.width)),
      height: Math.max(1, Math.floor(crop.height)),
    })
    .png()
    .toBuffer()
}

/** Prints the portrait at the size of its place on the page, with the losses of printing. */
export async function printPortrait(portrait: Uint8Array, width: number, height: number): Promise<Buffer> {
  const small = await sharp(portrait)
    .resize(PRINTED_WIDTH_PX, Math.round(PRINTED_WIDTH_PX / ASPECT), { fit: 'cover' })
    .flatten({ background: '#ffffff' })
    .modulate({ saturation: SATURATION })
    .linear(CONTRAST, LIFT)
    .png()
    .toBuffer()
  const { data } = await sharp(small)
    .resize(width, height, { kernel: 'cubic' })
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      // A 45° dot screen, two pixels to the dot.
      const dot = SCREEN_DEPTH * Math.sin(((x + y) * Math.PI) / 2.3) * Math.sin(((x - y) * Math.PI) / 2.3)
      for (let c = 0; c < 3; c++) {
        const k = (y * width + x) * 3 + c
        data[k] = Math.max(0, Math.min(255, Math.round(data[k] + dot)))
      }
    }
  return sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}
