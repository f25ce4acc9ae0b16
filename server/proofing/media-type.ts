/** Detects the media type by magic bytes. Does not check that the file is complete or harmless. */

/** Head of the file with one character per byte. Sources: PDF 32000-1, PNG, JPEG and RIFF specifications, APPNOTE 6.3. */
const SIGNATURES: readonly (readonly [mediaType: string, fits: (head: string) => boolean])[] = [
  ['application/pdf', (head) => head.startsWith('%PDF-')],
  ['image/png', (head) => head.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (head) => head.startsWith('\xff\xd8\xff')],
  ['image/webp', (head) => head.startsWith('RIFF') && head.startsWith('WEBP', 8)],
  ['image/tiff', (head) => head.startsWith('II*\0') || head.startsWith('MM\0*')],
  ['application/zip', (head) => head.startsWith('PK\x03\x04') || head.startsWith('PK\x05\x06')],
  // ISO 23008-12: HEVC-coded picture; the general brand names it in the list of compatible brands.
  ['image/heic', (head) => /^.{4}ftyp(hei[cxms]|mif1.{4}(.{4})*hei[cxms])/s.test(head)],
  // ISO 14496-12: other brands of the same box are AVIF or QuickTime. RFC 8794: EBML header, whose DocType distinguishes
  // WebM from other Matroska.
  ['video/webm', (head) => head.startsWith('\x1a\x45\xdf\xa3') && /B\x82.{1,8}webm/s.test(head)],
  ['video/mp4', (head) => /^.{4}ftyp(isom|iso[2-9]|mp4[12]|avc1|dash|M4V |MSNV)/s.test(head)],
]
/** A WebM header has its type after up to five other values. */
const HEAD_BYTES = 64
/** Control characters that do not occur in text files. */
const NO_TEXT = /[^\P{Cc}\t\n\f\r]/u

/** Only the beginning of a text is examined: decoding 20 MiB would block the event loop for 100 ms. */
const TEXT_BYTES = 64 * 1024

/** Returns `application/octet-stream` for unknown types. */
export function detectMediaType(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1')
  const known = SIGNATURES.find(([, fits]) => fits(head))
  if (known) return known[0]
  return isText(bytes) ? 'text/plain' : 'application/octet-stream'
}

function isText(bytes: Uint8Array): boolean {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    // Streaming mode, because the beginning may end within a character.
    const stream = bytes.byteLength > TEXT_BYTES
    return !NO_TEXT.test(decoder.decode(bytes.subarray(0, TEXT_BYTES), { stream }))
  } catch {
    return false
  }
}

const ENDINGS: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'image/heic': 'heic',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/tiff': 'tif',
  'image/webp': 'webp',
  'text/plain': 'txt',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
}

/** Usual file extension of this type. */
export function fileEnding(mediaType: string): string {
  return ENDINGS[mediaType] ?? 'bin'
}

/** Alternative names that senders use. */
const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/heif': 'image/heic',
  'application/x-pdf': 'application/pdf',
}

/** True if the declared type is acceptable. A missing or generic declaration always is. */
export function agreesWith(mediaType: string, declared: string | undefined): boolean {
  if (declared === undefined || /^(application|binary)\/octet-stream$/.test(declared)) return true
  return (ALIASES[declared] ?? declared) === mediaType
}
