/** Reads the size of a JPEG 2000 picture from its header (ISO/IEC 15444-1, A.5.1 and I.2), because the decoder allocates before it tells. */

const BOX_HEADER_BYTES = 8
const CODESTREAM_BOX = 'jp2c'
/** SOC, then SIZ. */
const CODESTREAM_START = 0xff4fff51
/** Offsets of the reference grid and its origin in the codestream. */
const OFFSETS = { width: 8, height: 12, left: 16, top: 20 } as const
const SIZE_BYTES = 24
/** A file has a signature, a type, a header and the codestream; some have two or three boxes of metadata. */
const MAX_BOXES = 16

/** Width and height in pixels; null for bytes that are no JPEG 2000 picture. */
export function readJpeg2000Size(
  bytes: Uint8Array,
): { readonly width: number; readonly height: number } | null {
  const stream = findCodestream(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (stream === null || stream.length < SIZE_BYTES || stream.readUInt32BE(0) !== CODESTREAM_START)
    return null
  return {
    width: stream.readUInt32BE(OFFSETS.width) - stream.readUInt32BE(OFFSETS.left),
    height: stream.readUInt32BE(OFFSETS.height) - stream.readUInt32BE(OFFSETS.top),
  }
}

function findCodestream(file: Buffer): Buffer | null {
  if (file.length >= 4 && file.readUInt32BE(0) === CODESTREAM_START) return file
  let at = 0
  for (let box = 0; box < MAX_BOXES && at + BOX_HEADER_BYTES <= file.length; box++) {
    const length = file.readUInt32BE(at)
    if (file.toString('latin1', at + 4, at + BOX_HEADER_BYTES) === CODESTREAM_BOX)
      return file.subarray(at + BOX_HEADER_BYTES)
    // A length of 1 announces a longer field, and 0 the rest of the file: portraits have neither before the codestream.
    if (length < BOX_HEADER_BYTES) return null
    at += length
  }
  return null
}
