/** What kind of file some bytes are, by their first ones. Says nothing about whether the rest is whole or harmless. */

/** As it begins, each character one byte. Sources: PDF 32000-1, PNG, JPEG and RIFF specifications, APPNOTE 6.3. */
const SIGNATURES: readonly (readonly [mediaType: string, fits: (head: string) => boolean])[] = [
  ['application/pdf', (head) => head.startsWith('%PDF-')],
  ['image/png', (head) => head.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (head) => head.startsWith('\xff\xd8\xff')],
  ['image/webp', (head) => head.startsWith('RIFF') && head.startsWith('WEBP', 8)],
  ['image/tiff', (head) => head.startsWith('II*\0') || head.startsWith('MM\0*')],
  ['application/zip', (head) => head.startsWith('PK\x03\x04') || head.startsWith('PK\x05\x06')],
  // ISO 23008-12: a picture coded as HEVC; the general brand says so in the list behind it.
  ['image/heic', (head) => /^.{4}ftyp(hei[cxms]|mif1.{4}(.{4})*hei[cxms])/s.test(head)],
  // ISO 14496-12: other brands of the same box are AVIF images or QuickTime.
  // RFC 8794: an EBML header, whose DocType tells WebM from other Matroska.
  ['video/webm', (head) => head.startsWith('\x1a\x45\xdf\xa3') && /B\x82.{1,8}webm/s.test(head)],
  ['video/mp4', (head) => /^.{4}ftyp(isom|iso[2-9]|mp4[12]|avc1|dash|M4V |MSNV)/s.test(head)],
]
/** The header of WebM names its type behind up to five other values. */
const HEAD_BYTES = 64
/** Control characters that no text file holds. */
const NO_TEXT = /[^\P{Cc}\t\n\f\r]/u

/** A text is told by its beginning, too: to read 20 MiB of it would keep the event loop for 100 ms. */
const TEXT_BYTES = 64 * 1024

/** `application/octet-stream` for what is none of those we know. */
export function mediaTypeOf(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1')
  const known = SIGNATURES.find(([, fits]) => fits(head))
  if (known) return known[0]
  return isText(bytes) ? 'text/plain' : 'application/octet-stream'
}

function isText(bytes: Uint8Array): boolean {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    // As a stream: the beginning may end within a character.
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

/** The usual ending of a file of this type. */
export function fileEnding(mediaType: string): string {
  return ENDINGS[mediaType] ?? 'bin'
}

/** Names that senders have for a type beside its registered one. */
const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/heif': 'image/heic',
  'application/x-pdf': 'application/pdf',
}

/** Whether a file may be called this. One that was called nothing, or bytes of no type, is called nothing wrong. */
export function agreesWith(mediaType: string, declared: string | undefined): boolean {
  if (declared === undefined || /^(application|binary)\/octet-stream$/.test(declared)) return true
  return (ALIASES[declared] ?? declared) === mediaType
}
