/** Removes a PNG's text chunks, which may decompress to gigabytes while the header is read. Does not touch pixels. */

const SIGNATURE_BYTES = 8
/** Length, type and checksum around every chunk's content. */
const FRAME_BYTES = 12
const TEXTS = new Set(['tEXt', 'zTXt', 'iTXt'])

/** The same picture without text chunks; the same bytes if there are none or the chunks are inconsistent. */
export function withoutTexts(png: Uint8Array): Uint8Array {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength)
  const kept: Buffer[] = [bytes.subarray(0, SIGNATURE_BYTES)]
  let from = SIGNATURE_BYTES
  let at = SIGNATURE_BYTES
  while (at + FRAME_BYTES <= bytes.length) {
    const end = at + FRAME_BYTES + bytes.readUInt32BE(at)
    if (TEXTS.has(bytes.toString('latin1', at + 4, at + 8))) {
      kept.push(bytes.subarray(from, at))
      from = Math.min(end, bytes.length)
    }
    at = end
  }
  if (from === SIGNATURE_BYTES) return png
  return Buffer.concat([...kept, bytes.subarray(from)])
}
