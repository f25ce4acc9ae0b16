/**
 * Sanitises a PNG logo. Reads it chunk by chunk, so that no image decoder in the server sees a hostile file, and writes only
 * the necessary chunks again: no texts, times, profiles or animation. Pure.
 */
import { crc32, inflateSync } from 'node:zlib'
import type { ParsedLogo } from './svg-logo.ts'

export const MAX_PNG_BYTES = 512 * 1024
/** Limits of a side in pixels: sharp on a kiosk of 32 inches, and small in memory. */
const SIDE = { least: 32, most: 2_048 } as const

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const KEPT = new Set(['IHDR', 'PLTE', 'tRNS', 'sRGB', 'gAMA', 'IDAT', 'IEND'])
/** Colour type → samples per pixel and allowed bits per sample (PNG, third edition, table 12). */
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

/** Returns null if the chunks do not cover the file or a check sum is wrong. */
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

/** True if the data contains exactly the lines of pixels, each with a valid filter. */
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
