/**
 * A PNG file as a logo: read chunk by chunk, so that no image decoder meets a damaged file in the server, and written again
 * from what a picture needs. Words, times, profiles and animation are dropped. Pure.
 */
import { crc32, inflateSync } from 'node:zlib'
import type { ParsedLogo } from './svg-logo.ts'

export const MAX_PNG_BYTES = 512 * 1024
/** Of a side, in pixels: sharp on a kiosk of 32 inches, and no more memory than a small picture needs. */
const SIDE = { least: 32, most: 2_048 } as const

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const KEPT = new Set(['IHDR', 'PLTE', 'tRNS', 'sRGB', 'gAMA', 'IDAT', 'IEND'])
/** Colour type → samples of a pixel, and bits that a sample may have (PNG, third edition, table 12). */
const COLOUR_TYPES: Readonly<Record<number, { readonly samples: number; readonly bits: readonly number[] }>> =
  {
    0: { samples: 1, bits: [1, 2, 4, 8, 16] },
    2: { samples: 3, bits: [8, 16] },
    3: { samples: 1, bits: [1, 2, 4, 8] },
    4: { samples: 2, bits: [8, 16] },
    6: { samples: 4, bits: [8, 16] },
  }
const NOT_READABLE = 'it is no readable PNG file: it is damaged, cut off, or of another kind'

interface Chunk {
  readonly type: string
  readonly data: Buffer
  readonly whole: Buffer
}

export function parsePngLogo(file: Uint8Array): ParsedLogo {
  if (file.length > MAX_PNG_BYTES)
    return refused(`it has ${file.length} bytes; ${MAX_PNG_BYTES} are the most`)
  const chunks = readChunks(Buffer.from(file))
  const header = chunks?.[0]
  if (!chunks || header?.type !== 'IHDR' || header.data.length !== 13 || chunks.at(-1)?.type !== 'IEND')
    return refused(NOT_READABLE)
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)]
  if (![width, height].every((side) => side >= SIDE.least && side <= SIDE.most)) {
    const allowed = `each side has ${SIDE.least} to ${SIDE.most}`
    return refused(`it has ${width} × ${height} pixels; ${allowed}`)
  }
  const [bits = 0, type = 0, , , interlaced] = header.data.subarray(8)
  if (interlaced !== 0) return refused('it is interlaced: save it without')
  const colours = COLOUR_TYPES[type]
  if (!colours?.bits.includes(bits) || !holdsPixels(chunks, width, height, bits * colours.samples))
    return refused(NOT_READABLE)
  const kept = chunks.filter((chunk) => KEPT.has(chunk.type)).map(({ whole }) => whole)
  return { bytes: Buffer.concat([SIGNATURE, ...kept]), problems: [] }
}

const refused = (problem: string): ParsedLogo => ({ bytes: null, problems: [problem] })

/** Null for a file whose chunks do not follow each other to the end, each as its check sum says. */
function readChunks(file: Buffer): readonly Chunk[] | null {
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return null
  const chunks: Chunk[] = []
  for (let at = SIGNATURE.length; at < file.length;) {
    if (at + 12 > file.length) return null
    const end = at + 12 + file.readUInt32BE(at)
    if (end > file.length || chunks.at(-1)?.type === 'IEND') return null
    if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) return null
    const type = file.toString('latin1', at + 4, at + 8)
    chunks.push({ type, data: file.subarray(at + 8, end - 4), whole: file.subarray(at, end) })
    at = end
  }
  return chunks
}

/** Every line of pixels is there, each with a filter that exists, and not a byte more. */
function holdsPixels(chunks: readonly Chunk[], width: number, height: number, bitsPerPixel: number): boolean {
  const line = 1 + Math.ceil((width * bitsPerPixel) / 8)
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data))
  let pixels: Buffer
  try {
    pixels = inflateSync(packed, { maxOutputLength: line * height })
  } catch {
    return false
  }
  if (pixels.length !== line * height) return false
  return Array.from({ length: height }, (_, row) => pixels[row * line] ?? 5).every((filter) => filter <= 4)
}
