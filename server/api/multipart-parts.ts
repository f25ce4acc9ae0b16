/**
 * The parts of a multipart/form-data body (RFC 7578, RFC 2046 section 5.1) that is in memory, within its limit.
 * Liberal about the form (line ends of LF alone, a preamble, parts without file name), strict about the bytes: a body
 * that is cut off, or a part that cannot be read whole, is refused. Decides nothing about what a part is for.
 */
import { AppError } from '../errors.ts'
import { malformed } from './body.ts'

export interface Part {
  /** Lower case: clients write the names as they like. */
  readonly name: string
  readonly bytes: Buffer
  /** Lower case, without parameters. */
  readonly contentType?: string
  /** The name itself is personal and dropped at once. */
  readonly hasFileName: boolean
}

/** More parts than any operation has, so that unknown ones can be ignored; few enough to stay cheap. */
export const MOST_PARTS = 24
/** Node's own limit for the headers of a request. */
const LONGEST_HEADERS = 16 * 1024
/** RFC 2046 section 5.1.1. Looking through a large body for a longer one can take minutes. */
const LONGEST_BOUNDARY = 70
/** White space may follow the boundary. */
const LONGEST_DELIMITER_LINE = 128
const [TAB, LF, CR, SPACE, DASH] = [...Buffer.from('\t\n\r -')]
const FIRST_DELIMITER = /^\s*--([0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?])[ \t]*\r?\n/
export const BOUNDARY_PARAMETER = /;\s*boundary\s*=\s*(?:"((?:\\.|[^"\\])+)"|([^\s;"]+))/i
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/s
const PARAMETER = /;\s*([^\s=;]+?)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]*))/g

/**
 * Null when the body holds no delimiter, neither the one that `contentType` declares nor, since some clients leave the
 * parameter out, one in its first line.
 */
export function parseParts(body: Buffer, contentType: string): Part[] | null {
  for (const boundary of [declaredBoundary(contentType), firstBoundary(body)]) {
    const parts = boundary === undefined ? null : splitBody(body, boundary)
    if (parts) return parts
  }
  return null
}

export function declaredBoundary(contentType: string): string | undefined {
  const [, quoted, bare] = BOUNDARY_PARAMETER.exec(contentType) ?? []
  const boundary = quoted === undefined ? bare : unescape(quoted)
  return boundary !== undefined && boundary.length <= LONGEST_BOUNDARY ? boundary : undefined
}

export function firstBoundary(body: Buffer): string | undefined {
  return FIRST_DELIMITER.exec(body.toString('latin1', 0, LONGEST_DELIMITER_LINE))?.[1]
}

function splitBody(body: Buffer, boundary: string): Part[] | null {
  const mark = `--${boundary}`
  const opensBody = body.toString('latin1', 0, mark.length) === mark
  const first = (opensBody ? delimiterAt(body, mark, 0) : null) ?? findDelimiter(body, `\n${mark}`, 0)
  if (!first) return null
  // Lines end throughout as the first one does: the content of a part may hold any other line end.
  const { lineBreak } = first
  const parts: Part[] = []
  let { end, closes } = first
  while (!closes) {
    if (parts.length === MOST_PARTS) throw new AppError('upload_too_large')
    // From the line break before: a part of nothing has none of its own.
    const next = findDelimiter(body, lineBreak + mark, end - lineBreak.length)
    if (!next) throw malformed(undefined, 'the multipart body is cut off')
    parts.push(parsePart(body.subarray(end, Math.max(end, next.start)), lineBreak))
    ;({ end, closes } = next)
  }
  return parts
}

interface Delimiter {
  readonly start: number
  readonly end: number
  readonly lineBreak: string
  readonly closes: boolean
}

function findDelimiter(body: Buffer, mark: string, from: number): Delimiter | null {
  for (let at = body.indexOf(mark, from, 'latin1'); at >= 0; at = body.indexOf(mark, at + 1, 'latin1')) {
    const delimiter = delimiterAt(body, mark, at)
    if (delimiter) return delimiter
  }
  return null
}

/** Null when the line goes on: then it only begins like a delimiter. */
function delimiterAt(body: Buffer, mark: string, start: number): Delimiter | null {
  let end = start + mark.length
  if (body[end] === DASH && body[end + 1] === DASH)
    return { start, end: end + 2, lineBreak: '', closes: true }
  while (body[end] === SPACE || body[end] === TAB) end++
  const lineBreak = body[end] === CR ? '\r\n' : '\n'
  end += lineBreak.length
  return body[end - 1] === LF ? { start, end, lineBreak, closes: false } : null
}

function parsePart(part: Buffer, lineBreak: string): Part {
  const headersEnd = part.indexOf(lineBreak + lineBreak)
  if (headersEnd < 0 || headersEnd > LONGEST_HEADERS)
    throw malformed(undefined, 'a part has no readable headers')
  const headers = parseHeaders(part.toString('utf8', 0, headersEnd), lineBreak)
  const disposition = parseParameters(headers.get('content-disposition') ?? '')
  const name = disposition.get('name')
  if (name === undefined) throw malformed(undefined, 'a part has no name')
  const contentType = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  return {
    name: name.toLowerCase(),
    bytes: decode(part.subarray(headersEnd + 2 * lineBreak.length), headers.get('content-transfer-encoding')),
    ...(contentType ? { contentType } : {}),
    hasFileName: [disposition.get('filename'), disposition.get('filename*')].some(Boolean),
  }
}

function parseHeaders(text: string, lineBreak: string): ReadonlyMap<string, string> {
  const unfolded = text.replaceAll(/\r?\n[ \t]+/g, ' ')
  return new Map(
    unfolded.split(lineBreak).map((line): [string, string] => {
      const [, name, value] = HEADER.exec(line) ?? []
      if (name === undefined || value === undefined) throw malformed(undefined, 'a part has a broken header')
      return [name.toLowerCase(), value.trim()]
    }),
  )
}

function parseParameters(value: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, bare = ''] of value.matchAll(PARAMETER)) {
    const key = name.toLowerCase()
    if (!parameters.has(key)) parameters.set(key, quoted === undefined ? bare.trim() : unescape(quoted))
  }
  return parameters
}

function unescape(quoted: string): string {
  return quoted.replaceAll(/\\(.)/g, '$1')
}

/** RFC 7578 section 4.7 deprecates the header; older mail libraries still write it. */
function decode(bytes: Buffer, encoding = 'binary'): Buffer {
  switch (encoding.toLowerCase()) {
    case 'binary':
    case '8bit':
    case '7bit':
      return bytes
    case 'base64': {
      const text = bytes.toString('latin1').replaceAll(/\s+/g, '')
      const decoded = Buffer.from(text, 'base64')
      // Node passes over what is no base64: only what encodes to the same text was read whole.
      if (decoded.toString('base64') !== text) throw malformed(undefined, 'a part is not well-formed base64')
      return decoded
    }
    default:
      throw malformed(
        undefined,
        'a part has a Content-Transfer-Encoding that is not taken: send its bytes as they are',
      )
  }
}
