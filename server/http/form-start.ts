/**
 * Finds how a body with the content type multipart/form-data begins: with the first delimiter of a form, with JSON
 * (some clients set the header by hand), or not at all. Reads only the first line; `form-parts` reads the parts.
 */
import { parse as parseContentType } from 'content-type'
import { createMalformedError } from './json.ts'

type FormStart =
  | { readonly kind: 'empty' }
  | { readonly kind: 'json' }
  /** The boundary between the parts, taken from the first line: some clients do not repeat it in the content type. */
  | { readonly kind: 'parts'; readonly boundary: string }

/** RFC 2046 section 5.1.1. */
const MAX_BOUNDARY_LENGTH = 70
/** Dashes, boundary and white space after it. */
const MAX_FIRST_LINE_LENGTH = 128
/** Room for an empty line or two. */
const MAX_BLANK_BYTES = 1024
const LINE_OF_BOUNDARY = /^--([0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?])[ \t]*\r?\n/
const [LF, CR, BRACKET, BRACE] = [...Buffer.from('\n\r[{')]

/** The type in lower case without parameters, and the boundary where it has one of lawful length. */
export function parseFormType(header: string): {
  readonly type: string
  readonly boundary: string | undefined
} {
  const { type, parameters } = parseContentType(header)
  const { boundary = '' } = parameters
  const isLawful = boundary.length > 0 && boundary.length <= MAX_BOUNDARY_LENGTH
  return { type, boundary: isLawful ? boundary : undefined }
}

/**
 * Reads until the first line is complete. Returns how the body begins and the bytes that were read, without the
 * leading white space. Throws `malformed_body` if the body begins in any other way.
 *
 * @param declared the boundary of the content type
 */
export async function readStart(
  chunks: AsyncIterator<Buffer, void, void>,
  declared: string | undefined,
): Promise<{ readonly start: FormStart; readonly read: Buffer }> {
  const read = await readFirstLine(chunks)
  return { start: recogniseStart(read, declared), read }
}

async function readFirstLine(chunks: AsyncIterator<Buffer, void, void>): Promise<Buffer> {
  let read: Buffer = Buffer.alloc(0)
  let blankBytes = 0
  while (read.byteLength < MAX_FIRST_LINE_LENGTH && !read.includes(LF)) {
    const next = await chunks.next()
    if (next.done) break
    const from = read.byteLength > 0 ? 0 : next.value.findIndex((byte) => !isWhiteSpace(byte))
    if (from >= 0) read = Buffer.concat([read, next.value.subarray(from)])
    blankBytes += read.byteLength > 0 ? 0 : next.value.byteLength
    if (Math.max(blankBytes, from) > MAX_BLANK_BYTES) throw noDelimiter()
  }
  return read
}

function recogniseStart(read: Buffer, declared: string | undefined): FormStart {
  if (read.byteLength === 0) return { kind: 'empty' }
  if (read[0] === BRACKET || read[0] === BRACE) return { kind: 'json' }
  const line = read.toString('latin1', 0, MAX_FIRST_LINE_LENGTH)
  const lineEnd = read.indexOf(LF)
  if (line.startsWith('--') && lineEnd > 0 && lineEnd < MAX_FIRST_LINE_LENGTH && read[lineEnd - 1] !== CR)
    throw createMalformedError(undefined, 'the lines of a multipart body must end in CR LF (RFC 2046)')
  if (declared !== undefined && line.startsWith(`--${declared}`)) return { kind: 'parts', boundary: declared }
  // A preamble may precede the first delimiter if its boundary is declared.
  const boundary = LINE_OF_BOUNDARY.exec(line)?.[1] ?? declared
  if (boundary === undefined) throw noDelimiter()
  return { kind: 'parts', boundary }
}

function noDelimiter() {
  return createMalformedError(undefined, 'the multipart body has no delimiter')
}

/**
 * White space of JSON and of empty lines. Vertical tab and form feed still count, because they were accepted before.
 */
export function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}
