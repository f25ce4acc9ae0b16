/**
 * multipart/form-data in: files and text parts by name, within limits, all in memory.
 * Decides nothing about their content; an image's bytes are not looked at here. File names are dropped at once.
 */
import { Readable } from 'node:stream'
import type { Request, Response } from 'express'
import multer, { MulterError } from 'multer'
import { AppError } from '../errors.ts'
import type { Upload } from '../proofing/types.ts'
import { malformed, readBody } from './body.ts'
import type { UploadLimits } from './deps.ts'

/** Room for part headers and text parts beside the files. */
const ENVELOPE_BYTES = 1024 * 1024
/** More parts than any operation has, so that unknown ones can be ignored; few enough to stay cheap. */
const MAX_FILES = 8
const MAX_FIELDS = 16
/** The longest part name we know has 22 characters. */
const MAX_NAME_BYTES = 100
/** RFC 2046 section 5.1.1. */
const DELIMITER_LINE = /^--([0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?])[ \t]*\r?\n/
const LONGEST_DELIMITER_LINE = 128
/** multer's codes for too many of something. */
const COUNT_CODES: readonly string[] = ['LIMIT_FILE_COUNT', 'LIMIT_FIELD_COUNT', 'LIMIT_PART_COUNT']

/** What the request carried. Part names are compared without regard to case. */
export type Form =
  | { readonly kind: 'empty' }
  /** No multipart envelope: the body's bytes, JSON presumably. */
  | { readonly kind: 'plain'; readonly bytes: Buffer }
  | {
      readonly kind: 'parts'
      readonly files: readonly FilePart[]
      readonly texts: ReadonlyMap<string, string>
    }

export interface FilePart {
  /** Lower case. */
  readonly name: string
  readonly upload: Upload
}

/** Reads the body as a form of at most `maxFiles` whole files; a body without envelope comes back as it is. */
export async function readForm(
  req: Request,
  res: Response,
  limits: UploadLimits,
  maxFiles: number,
): Promise<Form> {
  const type = req.headers['content-type'] ?? ''
  const isForm = /^\s*multipart\//i.test(type)
  const chunks = isForm
    ? await readBody(req, maxFiles * limits.fileBytes + ENVELOPE_BYTES, () => fileTooLarge(limits))
    : await readBody(req, limits.jsonBytes)
  if (chunks.every((chunk) => chunk.every(isWhiteSpace))) return { kind: 'empty' }
  if (!isForm) return { kind: 'plain', bytes: Buffer.concat(chunks) }
  if (!/;\s*boundary\s*=\s*("[^"]|[^\s;"])/i.test(type)) {
    // Some clients leave the parameter out: the body's first line is the delimiter (RFC 2046).
    const boundary = DELIMITER_LINE.exec(firstText(chunks))?.[1]
    if (boundary === undefined) return plainWithin(chunks, limits)
    req.headers['content-type'] = `multipart/form-data; boundary="${boundary}"`
  }
  return parseParts(req, res, chunks, limits)
}

/** The file part of this name. Throws when it came more than once. */
export function fileOf(form: Form, name: string): Upload | undefined {
  if (form.kind !== 'parts') return undefined
  const named = form.files.filter((part) => part.name === name.toLowerCase())
  if (named.length > 1) {
    throw new AppError(
      'validation_failed',
      {},
      { problems: [{ code: 'repeated', message: 'must be sent once only', field: name }] },
    )
  }
  return named[0]?.upload
}

/**
 * The part of this name or, clients naming parts as they like, the only file beside the `other` parts. Throws
 * `validation_failed` when there is none.
 */
export function onlyFileOf(form: Form, name: string, other: readonly string[] = []): Upload {
  const named = fileOf(form, name)
  if (named) return named
  const others = other.map((part) => part.toLowerCase())
  const files = form.kind === 'parts' ? form.files.filter((part) => !others.includes(part.name)) : []
  if (files[0] && files.length === 1) return files[0].upload
  const message = 'send it as one file part of this name in multipart/form-data, with a file name'
  throw new AppError('validation_failed', {}, { problems: [{ code: 'required', message, field: name }] })
}

/** The bytes of a JSON part, sent as a file or as text. */
export function jsonPartOf(form: Form, name: string): Uint8Array | undefined {
  if (form.kind !== 'parts') return undefined
  const file = fileOf(form, name)
  if (file) return file.bytes
  const text = form.texts.get(name.toLowerCase())
  return text === undefined ? undefined : Buffer.from(text, 'utf8')
}

function parseParts(req: Request, res: Response, chunks: Buffer[], limits: UploadLimits): Promise<Form> {
  // streamHandler (multer 2.5): the body was read already, within its limit; its types do not know the option yet.
  const options: multer.Options & { streamHandler(req: Request, parser: NodeJS.WritableStream): void } = {
    storage: multer.memoryStorage(),
    limits: {
      fileSize: limits.fileBytes,
      files: MAX_FILES,
      fieldSize: limits.jsonBytes,
      fields: MAX_FIELDS,
      parts: MAX_FILES + MAX_FIELDS,
      fieldNameSize: MAX_NAME_BYTES,
    },
    streamHandler: (_req, parser) => Readable.from(chunks, { objectMode: false }).pipe(parser),
  }
  return new Promise((resolve, reject) => {
    void multer(options).any()(req, res, (error?: unknown) => {
      if (error) reject(formError(error, limits))
      else resolve(toForm(req))
    })
  })
}

function toForm(req: Request): Form {
  const files = Array.isArray(req.files) ? req.files : []
  const texts = new Map<string, string>()
  const body = (req.body ?? {}) as Record<string, unknown>
  for (const [name, value] of Object.entries(body)) {
    const text: unknown = Array.isArray(value) ? value[0] : value
    if (typeof text === 'string') texts.set(name.toLowerCase(), text)
  }
  const form: Form = {
    kind: 'parts',
    files: files.map((file) => ({ name: file.fieldname.toLowerCase(), upload: toUpload(file) })),
    texts,
  }
  // Whoever reads the request after us must not find the client's file names there.
  req.files = undefined
  req.body = undefined
  return form
}

function toUpload(file: Express.Multer.File): Upload {
  // What a part without a content type of its own is called by the parser and by common clients: no declaration.
  const undeclared = file.mimetype === 'text/plain' || file.mimetype === 'application/octet-stream'
  return { bytes: file.buffer, ...(undeclared ? {} : { declaredType: file.mimetype.toLowerCase() }) }
}

/** multer's errors name fields and files of the client's choosing: only the kind is kept. */
function formError(error: unknown, limits: UploadLimits): AppError {
  if (!(error instanceof MulterError)) {
    return malformed(undefined, 'the multipart body is cut off or not well-formed')
  }
  if (error.code === 'LIMIT_FILE_SIZE') return fileTooLarge(limits)
  if (error.code === 'LIMIT_FIELD_VALUE')
    return new AppError('upload_too_large', { limitBytes: limits.jsonBytes })
  if (COUNT_CODES.includes(error.code)) return new AppError('upload_too_large')
  return malformed(undefined, 'a part has a name that cannot be read')
}

function fileTooLarge(limits: UploadLimits): AppError {
  return new AppError('upload_too_large', { fileLimitBytes: limits.fileBytes })
}

function plainWithin(chunks: Buffer[], limits: UploadLimits): Form {
  const bytes = Buffer.concat(chunks)
  if (bytes.byteLength > limits.jsonBytes)
    throw new AppError('upload_too_large', { limitBytes: limits.jsonBytes })
  return { kind: 'plain', bytes }
}

function firstText(chunks: readonly Buffer[]): string {
  const head = chunks
    .slice(0, LONGEST_DELIMITER_LINE)
    .map((chunk) => chunk.subarray(0, LONGEST_DELIMITER_LINE))
  return Buffer.concat(head).subarray(0, LONGEST_DELIMITER_LINE).toString('latin1')
}

function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}
