/**
 * Converts a HEIC photograph, as phones take them, to JPEG. libheif (WebAssembly from node_modules) decodes it in a
 * thread with limits on time and memory. Drops the file's metadata.
 */
import sharp from 'sharp'
import { drawingThread, type DrawingLimits } from './drawing-thread.ts'
import type { HeifReply, HeifRequest } from './heif-thread.ts'
import { ImageFaultError } from './protocol.ts'

/** Phones take up to 50 megapixels. */
const MAX_PIXELS = 50_000_000
/** High enough that JPEG artefacts do not add to those of the source. */
const JPEG_QUALITY = 95
const DECLARED_TYPES = new Set(['image/heic', 'image/heif', 'application/octet-stream'])

/** 12 megapixels take 0.9 s, 50 take 2.5 s (23 November 2026, including thread start and JPEG). */
const DECODING_LIMIT_MS = 15_000
/** 12 megapixels needed at most 350 MB. 50 stayed within this limit, and needed 850 MB with the subsequent JPEG. */
const MEMORY_LIMIT_BYTES = 700_000_000

const thread = drawingThread<HeifRequest, HeifReply>(new URL('./heif-thread.ts', import.meta.url))

/** Throws ImageFaultError; another codec in the container counts as `damaged`. */
export async function decodeHeif(
  bytes: Uint8Array,
  options: { declaredType?: string; limits?: DrawingLimits } = {},
): Promise<Uint8Array> {
  const declared = options.declaredType?.split(';')[0]?.trim().toLowerCase()
  if (declared && !DECLARED_TYPES.has(declared)) throw new ImageFaultError('type_mismatch')
  const limits = options.limits ?? { timeMs: DECODING_LIMIT_MS, memoryBytes: MEMORY_LIMIT_BYTES }
  const reply = await thread.draw({ bytes, mostPixels: MAX_PIXELS }, limits)
  if (reply === null) throw new ImageFaultError('too_complex')
  if ('fault' in reply) throw new ImageFaultError(reply.fault === 'trapped' ? 'too_complex' : reply.fault)
  const { data, width, height } = reply
  return sharp(data, { raw: { width, height, channels: 4 } })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:4:4' })
    .toBuffer()
}
