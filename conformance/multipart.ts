/** Reads multipart bodies (RFC 2046) and zip archives (PKWARE APPNOTE) without libraries. */
import { inflateRawSync } from 'node:zlib'

export interface BodyPart {
  readonly name: string | null
  readonly fileName: string | null
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** Null if the body does not match its Content-Type. */
export function readMultipart(contentType: string, body: Uint8Array): readonly BodyPart[] | null {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1]
  if (!contentType.startsWith('multipart/') || boundary === undefined) return null
  const bytes = Buffer.from(body)
  const parts: BodyPart[] = []
  let from = bytes.indexOf(`--${boundary}`)
  for (;;) {
    const start = from + boundary.length + 4 // two dashes, boundary, CRLF
    const next = bytes.indexOf(`\r\n--${boundary}`, start)
    if (from < 0 || next < 0) break
    const headEnd = bytes.indexOf('\r\n\r\n', start)
    const head = bytes.toString('utf8', start, headEnd)
    parts.push({
      name: /\bname="([^"]*)"/i.exec(head)?.[1] ?? null,
      fileName: /filename="([^"]*)"/i.exec(head)?.[1] ?? null,
      mediaType: /^content-type:\s*([^;\r\n]+)/im.exec(head)?.[1] ?? '',
      bytes: bytes.subarray(headEnd + 4, next),
    })
    from = next + 2
  }
  return parts.length > 0 ? parts : null
}

const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50
const END_LENGTH = 22
const ENTRY_LENGTH = 46
const LOCAL_LENGTH = 30

/** Path → content, without folders. Throws for anything that is not an ordinary archive. */
export function readZip(archive: Uint8Array): ReadonlyMap<string, Buffer> {
  const bytes = Buffer.from(archive)
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (end < 0 || end + END_LENGTH > bytes.length || bytes.readUInt32LE(end) !== END_OF_DIRECTORY)
    throw new Error('the archive has no central directory')
  const files = new Map<string, Buffer>()
  let entry = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (bytes.readUInt32LE(entry) !== DIRECTORY_ENTRY) throw new Error('the central directory is damaged')
    const method = bytes.readUInt16LE(entry + 10)
    const packedLength = bytes.readUInt32LE(entry + 20)
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((at) => bytes.readUInt16LE(entry + at))
    const local = bytes.readUInt32LE(entry + 42)
    const name = bytes.toString('utf8', entry + ENTRY_LENGTH, entry + ENTRY_LENGTH + nameLength)
    const start = local + LOCAL_LENGTH + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const packed = bytes.subarray(start, start + packedLength)
    if (!name.endsWith('/')) files.set(name, method === 0 ? packed : inflateRawSync(packed))
    entry += ENTRY_LENGTH + nameLength + extraLength + commentLength
  }
  return files
}
