/**
 * Converts the portrait of a chip, JPEG or JPEG 2000 (ICAO Doc 9303-10, 4.7.2), to a JPEG without metadata. OpenJPEG decodes in a thread
 * with limits on time and memory.
 */
import sharp from 'sharp'
import { drawingThread, type DrawingLimits } from './drawing-thread.ts'
import type { Jpeg2000Reply, Jpeg2000Request } from './jpeg2000-thread.ts'
import { readJpeg2000Size } from './jpeg2000-size.ts'
import { ImageFaultError } from './protocol.ts'

/** Issuers store 413 × 531 to 600 × 800 pixels. */
const MAX_PIXELS = 4_000_000
/** High enough that JPEG artefacts do not add to those of the source. */
const JPEG_QUALITY = 95
const JPEG_START = 0xffd8

const DECODING_LIMIT_MS = 5_000
const MEMORY_LIMIT_BYTES = 400_000_000

const thread = drawingThread<Jpeg2000Request, Jpeg2000Reply>(new URL('./jpeg2000-thread.ts', import.meta.url))

/** Throws ImageFaultError; the first bytes decide about the format, because the records of chips often name the wrong one. */
export async function decodeChipPortrait(
  bytes: Uint8Array,
  limits: DrawingLimits = { timeMs: DECODING_LIMIT_MS, memoryBytes: MEMORY_LIMIT_BYTES },
): Promise<Uint8Array> {
  const picture = isJpeg(bytes)
    ? sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
    : await openJpeg2000(bytes, limits)
  try {
    return await picture
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:4:4' })
      .toBuffer()
  } catch {
    throw new ImageFaultError('damaged')
  }
}

const isJpeg = (bytes: Uint8Array): boolean => ((bytes[0] ?? 0) << 8) + (bytes[1] ?? 0) === JPEG_START

async function openJpeg2000(bytes: Uint8Array, limits: DrawingLimits) {
  const size = readJpeg2000Size(bytes)
  if (size === null || size.width < 1 || size.height < 1) throw new ImageFaultError('damaged')
  if (size.width * size.height > MAX_PIXELS) throw new ImageFaultError('too_many_pixels')
  const reply = await thread.draw({ bytes }, limits)
  if (reply === null) throw new ImageFaultError('too_complex')
  if ('fault' in reply) throw new ImageFaultError(reply.fault === 'trapped' ? 'too_complex' : reply.fault)
  const { data, width, height, channels } = reply
  return sharp(data, { raw: { width, height, channels } })
}
