/** Helpers for damaged pictures: draws by seed and joins bytes. */
import { crc32 } from 'node:zlib'

export type Random = () => number
export type Make = (picture: Buffer, random: Random) => Promise<Uint8Array> | Uint8Array

export const whole = (random: Random, below: number): number => Math.floor(random() * below)

export const noise = (random: Random, length: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, () => whole(random, 256)))

export const pickOne = <T>(random: Random, of: readonly T[]): T => of[whole(random, of.length)]

/** Inserts a JPEG segment behind the start mark. */
export function withSegment(jpeg: Buffer, marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, ((content.length + 2) >> 8) & 255, (content.length + 2) & 255])
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)])
}

/** A PNG chunk: length, type, content and checksum. */
export function pngChunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, sum])
}
