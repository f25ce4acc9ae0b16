/**
 * A photograph that came as HEIC, as phones take them, becomes a JPEG. libheif (as WebAssembly, from our own node_modules)
 * decodes it on a thread that ends when time or memory do. Never keeps the file's own metadata.
 */
import sharp from 'sharp'
import { drawingThread, type DrawingLimits } from './drawing-thread.ts'
import type { HeifReply, HeifRequest } from './heif-thread.ts'
import { ImageFaultError } from './protocol.ts'

/** Phones take up to 50 megapixels. */
const MAX_PIXELS = 50_000_000
/** High enough that the blocks of the JPEG do not show beside those of the picture itself. */
const JPEG_QUALITY = 95
const DECLARED_TYPES = new Set(['image/heic', 'image/heif', 'application/octet-stream'])

/** 12 megapixels take 0.9 s, 50 take 2.5 s (23 November 2026, the start of the thread and the JPEG included). */
const DECODING_LIMIT_MS = 15_000
/** 12 megapixels took 350 MB at most, 50 stayed within this limit, and 850 MB with the JPEG that is made of them then. */
const MEMORY_LIMIT_BYTES = 700_000_000

const thread = drawingThread<HeifRequest, HeifReply>(new URL('./heif-thread.ts', import.meta.url))

/** Throws ImageFaultError; what lies in the container in another coding is `damaged`. */
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
