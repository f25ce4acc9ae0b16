/**
 * Converts the first two pages of a PDF scan (front and back) to pictures. PDFium (WebAssembly from node_modules) renders
 * them in a thread with limits on time and memory. Never runs a script or form and never follows a link.
 */
import sharp from 'sharp'
import { drawingThread, type DrawingLimits } from './drawing-thread.ts'
import { sniffFormat } from './image.ts'
import type { DrawnPage, DrawReply, DrawRequest } from './pdf-thread.ts'
import { ImageFaultError } from './protocol.ts'

/** Front and back. */
const MAX_PAGES = 2
/** An MRZ has 10 characters per inch: 30 px per character (vision/documents needs 7). */
const DOTS_PER_INCH = 300
const POINTS_PER_INCH = 72
/** A4 has 8.7 megapixels at that resolution; a larger page is rendered at a lower one. */
const MAX_PIXELS = 16_000_000
/** High enough that JPEG artefacts do not add to those of the scan. */
const JPEG_QUALITY = 95
const DECLARED_TYPES = new Set(['application/pdf', 'application/x-pdf', 'application/octet-stream'])

/** A scan takes one to two seconds on two slow cores; a file with nested forms might never end. */
const DRAWING_LIMIT_MS = 15_000
/** Two pages of 16 megapixels, decoded and copied, take 300 MB (21 November 2026). */
const MEMORY_LIMIT_BYTES = 600_000_000

/** Returns JPEG pages in order. Throws ImageFaultError; a password-protected file is `unsupported_format`. */
export async function rasterisePdf(
  bytes: Uint8Array,
  options: { declaredType?: string; limits?: DrawingLimits } = {},
): Promise<readonly Uint8Array[]> {
  if (sniffFormat(bytes) !== 'pdf') throw new ImageFaultError('not_an_image')
  const declared = options.declaredType?.split(';')[0]?.trim().toLowerCase()
  if (declared && !DECLARED_TYPES.has(declared)) throw new ImageFaultError('type_mismatch')
  const limits = options.limits ?? { timeMs: DRAWING_LIMIT_MS, memoryBytes: MEMORY_LIMIT_BYTES }
  const drawn = await draw(bytes, limits)
  const pages: Uint8Array[] = []
  for (const page of drawn) pages.push(await toJpeg(page))
  return pages
}

const thread = drawingThread<DrawRequest, DrawReply>(new URL('./pdf-thread.ts', import.meta.url))

async function draw(bytes: Uint8Array, limits: DrawingLimits): Promise<readonly DrawnPage[]> {
  const scale = DOTS_PER_INCH / POINTS_PER_INCH
  const reply = await thread.draw({ bytes, mostPages: MAX_PAGES, mostPixels: MAX_PIXELS, scale }, limits)
  if (reply === null) throw new ImageFaultError('too_complex')
  if ('pages' in reply) return reply.pages
  throw new ImageFaultError(FAULTS[reply.fault])
}

const FAULTS = { trapped: 'too_complex', locked: 'unsupported_format', damaged: 'damaged' } as const

async function toJpeg({ data, width, height }: DrawnPage): Promise<Uint8Array> {
  // sharp rejects a page thinner than a pixel synchronously.
  try {
    return await sharp(data, { raw: { width, height, channels: 4 } })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:4:4' })
      .toBuffer()
  } catch {
    throw new ImageFaultError('damaged')
  }
}
