/**
 * Reads the parts of a multipart/form-data body (RFC 7578) with the parser of @fastify/busboy. Refuses a body that is
 * cut off and a part that it cannot read whole. Does not decide what a part is for.
 */
import { Dicer } from '@fastify/busboy'
import { parse as parseDisposition } from 'content-disposition'
import { parse as parseContentType } from 'content-type'
import { AppError } from '../errors.ts'
import { ByteBlocks } from './byte-blocks.ts'
import { createMalformedError } from './json.ts'
import { isWhiteSpace } from './form-start.ts'

export interface Part {
  /** Converted to lower case, because clients differ. */
  readonly name: string
  readonly bytes: Buffer
  /** Lower case, without parameters. */
  readonly contentType?: string
  /** The name itself is personal and dropped at once. */
  readonly hasFileName: boolean
}

/** More parts than any operation has, so that unknown parts can be ignored, but few enough to stay cheap. */
const MAX_PARTS = 24
const MAX_HEADERS = 32
/** Bytes per call of the parser. The parser begins every part in them before a form with too many parts can be ended. */
const WRITTEN_BYTES = 8 * 1024
/** Node's limit for request headers. The parser would silently cut headers at 80 KiB. */
const MAX_HEADERS_LENGTH = 16 * 1024

/**
 * Throws `malformed_body`, `upload_too_large` for more parts than any form has, and `tooLarge()` for a part that is
 * too large.
 */
export async function readParts(
  chunks: AsyncIterable<Buffer>,
  boundary: string,
  largest: { readonly partBytes: number; tooLarge(): AppError },
): Promise<readonly Part[]> {
  const parser = new Dicer({ boundary, maxHeaderPairs: MAX_HEADERS })
  const parts: PartReader[] = []
  let failure: unknown
  /** An exception must not pass through the parser. */
  const run = (act: () => void): void => {
    try {
      if (!failure) act()
    } catch (error) {
      failure = error
    }
  }
  const finished = new Promise<void>((resolve) => parser.once('finish', resolve))
  parser.on('error', () => run(throwCutOff))
  parser.on('part', (stream) => {
    // An error without a listener would end the process; the form reports the same error.
    stream.on('error', () => undefined)
    // Counts a part before its headers are read: a form of a million parts ends here.
    run(() => {
      if (parts.length === MAX_PARTS) throw new AppError('upload_too_large')
    })
    if (failure) return void stream.resume()
    const part = new PartReader(largest)
    parts.push(part)
    stream.on('header', (headers) => run(() => part.begin(headers as Headers)))
    stream.on('data', (chunk) => run(() => part.append(chunk as Buffer)))
    stream.on('end', () => run(() => part.end()))
  })
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.byteLength; from += WRITTEN_BYTES) {
      const piece = chunk.subarray(from, from + WRITTEN_BYTES)
      // After the closing delimiter the parser takes nothing more: an epilogue is read and dropped.
      if (parser.writable) await new Promise<void>((resolve) => parser.write(piece, () => resolve()))
      if (failure) throw failure as Error
    }
  }
  if (parser.writable) parser.end()
  await finished
  if (failure) throw failure as Error
  const whole: Part[] = []
  for (const part of parts) whole.push(await part.read())
  return whole
}

/** The keys are lower-case names. Each character of a value is one byte. */
type Headers = Readonly<Record<string, readonly string[]>>

class PartReader {
  readonly #largest: { readonly partBytes: number; tooLarge(): AppError }
  readonly #content = new ByteBlocks()
  #base64: Base64Reader | null = null
  #head: Omit<Part, 'bytes'> | null = null
  #isWhole = false

  constructor(largest: { readonly partBytes: number; tooLarge(): AppError }) {
    this.#largest = largest
  }

  begin(headers: Headers): void {
    const length = Object.entries(headers).reduce(
      (sum, [name, values]) => sum + name.length * values.length + values.join('').length,
      0,
    )
    if (length > MAX_HEADERS_LENGTH)
      throw createMalformedError(undefined, 'a part has headers of more than 16 KiB')
    const [disposition = ''] = headers['content-disposition'] ?? []
    const { name, ...parameters } = parseDisposition(disposition, { extended: false }).parameters
    if (!name) throw createMalformedError(undefined, 'a part has no name')
    const contentType = parseContentType(headers['content-type']?.[0] ?? '', { parameters: false }).type
    this.#base64 = createReader(headers['content-transfer-encoding']?.[0])
    this.#head = {
      name: name.toLowerCase(),
      ...(contentType ? { contentType } : {}),
      hasFileName: [parameters.filename, parameters['filename*']].some(Boolean),
    }
  }

  append(chunk: Buffer): void {
    const bytes = this.#base64 ? this.#base64.decode(chunk) : chunk
    if (this.#content.size + bytes.byteLength > this.#largest.partBytes) throw this.#largest.tooLarge()
    this.#content.append(bytes)
  }

  end(): void {
    this.#base64?.end()
    this.#isWhole = true
  }

  async read(): Promise<Part> {
    if (!this.#head || !this.#isWhole) throw createMalformedError(undefined, 'a part has no readable headers')
    return { ...this.#head, bytes: await this.#content.join() }
  }
}

/**
 * RFC 7578 section 4.7 deprecates the header, but older mail libraries still write it. Null: the bytes are not
 * encoded.
 */
function createReader(encoding = 'binary'): Base64Reader | null {
  switch (encoding.trim().toLowerCase()) {
    case 'binary':
    case '8bit':
    case '7bit':
      return null
    case 'base64':
      return new Base64Reader()
    default:
      throw createMalformedError(
        undefined,
        'a part has a Content-Transfer-Encoding that is not taken: send its bytes as they are',
      )
  }
}

/** Decodes base64 in lines as it arrives, four characters at a time. */
class Base64Reader {
  #rest = ''
  #isPadded = false

  decode(chunk: Buffer): Buffer {
    const text = this.#rest + withoutWhiteSpace(chunk)
    // Padding ends the text: nothing may follow it.
    if (this.#isPadded && text !== '') throw notBase64()
    const whole = text.slice(0, text.length - (text.length % 4))
    this.#rest = text.slice(whole.length)
    this.#isPadded = whole.endsWith('=')
    const decoded = Buffer.from(whole, 'base64')
    // Node skips characters that are not base64. Only if the result encodes to the same text was all of it read.
    if (decoded.toString('base64') !== whole) throw notBase64()
    return decoded
  }

  end(): void {
    if (this.#rest !== '') throw notBase64()
  }
}

/**
 * A loop over bytes takes the same time for all lines. A regular expression takes four times as long for short ones.
 */
function withoutWhiteSpace(chunk: Buffer): string {
  const kept = Buffer.allocUnsafe(chunk.byteLength)
  let length = 0
  for (let at = 0; at < chunk.byteLength; at++) {
    const byte = chunk[at]
    if (!isWhiteSpace(byte)) kept[length++] = byte
  }
  return kept.toString('latin1', 0, length)
}

function notBase64(): AppError {
  return createMalformedError(undefined, 'a part is not well-formed base64')
}

function throwCutOff(): never {
  throw createMalformedError(undefined, 'the multipart body is cut off')
}
