/**
 * Reads the multipart/mixed envelope in which the API delivers a proof: one part of type application/zip (RFC 2046, 5.1).
 */

const DASHES = '--'
const MAX_BOUNDARY_LENGTH = 70 // RFC 2046, section 5.1.1
const BLANK_LINE = '\r\n\r\n'
/** The API sends one part, but a hostile body of 64 MB could hold millions of empty ones. */
const MAX_PARTS = 100

/**
 * Returns the zip inside a multipart body, or the bytes themselves if they are already a zip. Returns null if none of the
 * first 100 parts is application/zip. A saved body comes without its headers, so the boundary is read from the body's
 * first line. The zip itself is not checked.
 */
export function extractArchive(bytes: Uint8Array): Uint8Array | null {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (body.subarray(0, 2).toString('latin1') === 'PK') return bytes
  const boundary = readBoundary(body)
  if (boundary === null) return null
  const delimiter = Buffer.from(`\r\n${boundary}`, 'latin1')
  let start = boundary.length
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    if (body.subarray(start, start + DASHES.length).toString('latin1') === DASHES) return null
    const next = body.indexOf(delimiter, start)
    if (next < 0) return null // cut off: the closing delimiter is missing
    const headersEnd = body.indexOf(BLANK_LINE, start)
    if (headersEnd < 0 || headersEnd > next) return null
    const headers = body.subarray(start, headersEnd).toString('latin1')
    if (/^content-type:\s*application\/zip\s*(;|\r?$)/im.test(headers)) {
      return body.subarray(headersEnd + BLANK_LINE.length, next)
    }
    start = next + delimiter.length
  }
  return null
}

/** Returns `--boundary` from the first line of the body, or null if that line is not a boundary. */
function readBoundary(body: Buffer): string | null {
  const end = body.indexOf('\r\n')
  if (end < 0 || end > DASHES.length + MAX_BOUNDARY_LENGTH) return null
  const line = body.subarray(0, end).toString('latin1').trimEnd()
  return line.startsWith(DASHES) && line.length > DASHES.length ? line : null
}
