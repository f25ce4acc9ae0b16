/** Converts the first two pages of a TIFF scan (front and back) to pictures. Drops the file's metadata. */
import sharp, { type Metadata } from 'sharp'
import { DECODING_LIMIT_S, isTiff, PIXEL_LIMIT } from './image.ts'
import { ImageFaultError } from './protocol.ts'

/** Front and back. */
const MAX_PAGES = 2
/** High enough that JPEG artefacts do not add to those of the scan. */
const JPEG_QUALITY = 95
const DECLARED_TYPES = new Set(['image/tiff', 'image/x-tiff', 'image/tif', 'application/octet-stream'])

/** Returns JPEG pages in order. Throws ImageFaultError. */
export async function rasteriseTiff(
  bytes: Uint8Array,
  { declaredType }: { declaredType?: string } = {},
): Promise<readonly Uint8Array[]> {
  if (!isTiff(bytes)) throw new ImageFaultError('not_an_image')
  const declared = declaredType?.split(';')[0]?.trim().toLowerCase()
  if (declared && !DECLARED_TYPES.has(declared)) throw new ImageFaultError('type_mismatch')
  const { pages = 1 } = await readMetadata(bytes, 0)
  const drawn: Uint8Array[] = []
  for (let page = 0; page < Math.min(pages, MAX_PAGES); page++) drawn.push(await drawPage(bytes, page))
  return drawn
}

async function readMetadata(bytes: Uint8Array, page: number): Promise<Metadata> {
  const header = await sharp(bytes, { page, limitInputPixels: false })
    .metadata()
    .catch(() => {
      throw new ImageFaultError('damaged')
    })
  if (header.format !== 'tiff') throw new ImageFaultError('damaged')
  if (header.width * header.height > PIXEL_LIMIT) throw new ImageFaultError('too_many_pixels')
  return header
}

async function drawPage(bytes: Uint8Array, page: number): Promise<Uint8Array> {
  await readMetadata(bytes, page)
  return sharp(bytes, { page, failOn: 'truncated', limitInputPixels: PIXEL_LIMIT })
    .timeout({ seconds: DECODING_LIMIT_S })
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:4:4' })
    .toBuffer()
    .catch((error: unknown) => {
      const isLate = error instanceof Error && error.message.startsWith('timeout')
      throw new ImageFaultError(isLate ? 'too_complex' : 'damaged')
    })
}
