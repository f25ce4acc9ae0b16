/**
 * Decodes and encodes images, and limits their formats and sizes. Never trusts a declared type or a header; does not
 * analyse the picture.
 */
import sharp, { type Sharp } from 'sharp'
import { withoutTexts } from './png-chunks.ts'
import type { ImageFormat, ImageInfo } from './protocol.ts'
import { ImageFaultError } from './protocol.ts'
import type { Raster } from './raster.ts'

/** Upload limit: above phone sensors (50 MP), below the worker's memory. */
export const PIXEL_LIMIT = 80_000_000
/** Limit for live pictures, which are frequent: a 4K camera has 8.3 million pixels; this is twice as much. */
const LIVE_PIXEL_LIMIT = 16_800_000
/** 80 megapixels take two seconds on a slow core; a slower file was crafted. */
export const DECODING_LIMIT_S = 20

const TYPE_OF: Readonly<Record<string, ImageFormat>> = {
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/pjpeg': 'jpeg',
  'image/png': 'png',
  'image/x-png': 'png',
  'image/webp': 'webp',
}
const NO_CLAIM = new Set(['', 'application/octet-stream', 'binary/octet-stream'])

type Sniffed = ImageFormat | 'pdf' | 'other' | null

/** TIFF and most raw formats. */
const TIFF_MARKS = ['II*\0', 'MM\0*']

/** Detects TIFF by its first bytes. Most raw formats begin alike and fail as damaged. */
export function isTiff(bytes: Uint8Array): boolean {
  return TIFF_MARKS.includes(Buffer.from(bytes.subarray(0, 4)).toString('latin1'))
}

/** Magic bytes (as Latin-1) of known formats that are not accepted. */
const OTHER_FORMATS: readonly (readonly [offset: number, mark: string])[] = [
  [0, 'GIF87a'],
  [0, 'GIF89a'],
  [0, 'BM'],
  ...TIFF_MARKS.map((mark) => [0, mark] as const), // vision/tiff.ts
  [0, 'II+\0'], // BigTIFF
  [0, 'MM\0+'],
  [0, '8BPS'], // Photoshop
  [4, 'ftyp'], // HEIC, AVIF and the film formats of the same family
  [4, 'jP  '], // JPEG 2000
  [4, 'JXL '],
  [0, '\xff\x0a'], // JPEG XL without its box
]
const SVG_START = /^(\xef\xbb\xbf)?\s*<(\?xml|svg|!DOCTYPE svg)/i

/**
 * Detects the format by its magic bytes: 'pdf' is handled by vision/pdf.ts, 'other' is a known format that is not
 * accepted, null is unknown.
 */
export function sniffFormat(bytes: Uint8Array): Sniffed {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1024)).toString(
    'latin1',
  )
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return 'webp'
  if (OTHER_FORMATS.some(([offset, mark]) => head.startsWith(mark, offset))) return 'other'
  if (head.includes('%PDF-')) return 'pdf' // the marker may be anywhere in the first kilobyte
  return SVG_START.test(head) ? 'other' : null
}

/** Throws `type_mismatch` if the declared type differs from the actual one. */
function checkDeclaredType(declared: string | undefined, actual: ImageFormat): void {
  const claim = (declared ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (!NO_CLAIM.has(claim) && TYPE_OF[claim] !== actual) throw new ImageFaultError('type_mismatch')
}

/** Reads the PNG's size from IHDR, because libpng rejects absurd sizes with an unspecific error. */
function pngPixels(bytes: Uint8Array): number {
  if (bytes.byteLength < 24) throw new ImageFaultError('damaged')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return view.getUint32(16) * view.getUint32(20)
}

/** Reads the header without decoding, so the pixels may still be damaged. Throws ImageFaultError. */
export async function inspectImage(
  bytes: Uint8Array,
  options: { declaredType?: string } = {},
): Promise<ImageInfo> {
  const format = sniffFormat(bytes)
  if (format === null) throw new ImageFaultError('not_an_image')
  if (format === 'other' || format === 'pdf') throw new ImageFaultError('unsupported_format')
  checkDeclaredType(options.declaredType, format)
  if (format === 'png' && pngPixels(bytes) > PIXEL_LIMIT) throw new ImageFaultError('too_many_pixels')

  const header = await sharp(format === 'png' ? withoutTexts(bytes) : bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => {
      throw new ImageFaultError('damaged')
    })
  if (header.format !== format) throw new ImageFaultError('damaged')
  if (header.width * header.height > PIXEL_LIMIT) throw new ImageFaultError('too_many_pixels')
  const exifOrientation = header.orientation ?? 1
  const turned = exifOrientation >= 5 // 5 to 8 swap width and height (EXIF 2.32, tag 274)
  return {
    format,
    widthPx: turned ? header.height : header.width,
    heightPx: turned ? header.width : header.height,
    exifOrientation,
  }
}

/**
 * Decodes to an upright 8-bit sRGB picture: applies the EXIF orientation and flattens transparency on white. Throws
 * ImageFaultError; a truncated file is `damaged`.
 */
export async function decodeImage(
  bytes: Uint8Array,
  options: { declaredType?: string } = {},
): Promise<{ raster: Raster; info: ImageInfo }> {
  const info = await inspectImage(bytes, options)
  const raster = await decodePixels(openPicture(bytes))
  if (raster.width !== info.widthPx || raster.height !== info.heightPx) throw new ImageFaultError('damaged')
  return { raster, info }
}

/**
 * The same for a live picture, at most `longestSidePx`; JPEG is reduced during decoding. Sizes in the result are those of
 * the copy; `sent` describes the original.
 */
export async function decodeSmall(
  bytes: Uint8Array,
  longestSidePx: number,
): Promise<{ raster: Raster; info: ImageInfo; sent: ImageInfo; factor: number }> {
  const info = await inspectImage(bytes)
  if (info.widthPx * info.heightPx > LIVE_PIXEL_LIMIT) throw new ImageFaultError('too_many_pixels')
  const longest = Math.max(info.widthPx, info.heightPx)
  if (longest <= longestSidePx) return { ...(await decodeImage(bytes)), sent: info, factor: 1 }
  const raster = await decodePixels(
    openPicture(bytes).resize(longestSidePx, longestSidePx, { fit: 'inside', withoutEnlargement: true }),
  )
  const factor = longest / Math.max(raster.width, raster.height)
  return { raster, info: { ...info, widthPx: raster.width, heightPx: raster.height }, sent: info, factor }
}

function openPicture(bytes: Uint8Array): Sharp {
  const needed = sniffFormat(bytes) === 'png' ? withoutTexts(bytes) : bytes
  return sharp(needed, { failOn: 'truncated', limitInputPixels: PIXEL_LIMIT })
    .timeout({ seconds: DECODING_LIMIT_S })
    .autoOrient()
}

async function decodePixels(picture: Sharp): Promise<Raster> {
  const { data, info } = await picture
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
    .catch((error: unknown) => {
      const isLate = error instanceof Error && error.message.startsWith('timeout')
      throw new ImageFaultError(isLate ? 'too_complex' : 'damaged')
    })
  return { data: threeChannels(data, info.channels), width: info.width, height: info.height }
}

function threeChannels(data: Uint8Array, channels: number): Uint8Array {
  if (channels === 3) return data
  const pixels = data.length / channels
  const rgb = new Uint8Array(pixels * 3)
  const grey = channels < 3
  for (let i = 0; i < pixels; i++)
    for (let c = 0; c < 3; c++) rgb[i * 3 + c] = data[i * channels + (grey ? 0 : c)]
  return rgb
}

/** JPEG without metadata; quality 1–100. */
export async function encodeJpeg(raster: Raster, quality: number): Promise<Uint8Array> {
  const { data, width, height } = raster
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality, chromaSubsampling: '4:4:4' })
    .toBuffer()
}
