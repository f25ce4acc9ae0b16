/**
 * Finds the end of a picture in the received bytes. Phones append data to a JPEG (Samsung's trailer, a motion photo), and
 * an attacker may hide an archive there. Walks the container once in linear time without copying; decodes nothing.
 */
import type { ImageFormat } from './protocol.ts'

/** Length of the picture in bytes; null if the container is truncated or inconsistent. */
export function pictureEnd(bytes: Uint8Array, format: ImageFormat): number | null {
  return ENDS[format](bytes)
}

const ENDS: Readonly<Record<ImageFormat, (bytes: Uint8Array) => number | null>> = {
  jpeg: jpegEnd,
  png: pngEnd,
  webp: webpEnd,
}

const MARKER = 0xff
const START_OF_IMAGE = 0xd8
const END_OF_IMAGE = 0xd9
const TEMPORARY = 0x01
const FIRST_RESTART = 0xd0
const LAST_RESTART = 0xd7

/**
 * ITU-T T.81 annex B: markers, most with a segment of stated length. Thumbnails and the index of further pictures (CIPA
 * DC-007) are inside segments; the further pictures follow the end of the first. Like libjpeg, this function skips stray
 * bytes between segments, so both find the same end. Entropy-coded data contains no marker except restarts, because a
 * data byte FF is followed by 00.
 */
function jpegEnd(bytes: Uint8Array): number | null {
  let at = 2
  while (at + 1 < bytes.length) {
    if (bytes[at] !== MARKER) {
      at++
      continue
    }
    const code = bytes[at + 1]
    if (code === END_OF_IMAGE) return at + 2
    if (code === START_OF_IMAGE) return null
    if (code === MARKER) {
      // Fill bytes before a marker.
      at++
    } else if (code === 0 || code === TEMPORARY || (code >= FIRST_RESTART && code <= LAST_RESTART)) {
      at += 2
    } else {
      const length = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)
      // The length includes its own two bytes.
      if (length < 2) return null
      at += 2 + length
    }
  }
  return null
}

const PNG_SIGNATURE_BYTES = 8
/** Length, type and checksum around every chunk's content. */
const CHUNK_FRAME_BYTES = 12
const IEND = 0x49454e44

/** PNG specification, section 5: chunks up to and including IEND. */
function pngEnd(bytes: Uint8Array): number | null {
  const view = toDataView(bytes)
  let at = PNG_SIGNATURE_BYTES
  while (at + CHUNK_FRAME_BYTES <= bytes.length) {
    const end = at + CHUNK_FRAME_BYTES + view.getUint32(at)
    if (view.getUint32(at + 4) === IEND) return end <= bytes.length ? end : null
    at = end
  }
  return null
}

const RIFF_HEADER_BYTES = 8

/** RFC 9649, section 2.4: the header states the file size without the header's own eight bytes. */
function webpEnd(bytes: Uint8Array): number | null {
  if (bytes.length < RIFF_HEADER_BYTES) return null
  const end = RIFF_HEADER_BYTES + toDataView(bytes).getUint32(4, true)
  return end <= bytes.length ? end : null
}

function toDataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
