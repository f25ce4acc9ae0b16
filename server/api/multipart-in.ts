/**
 * Request bodies that may be forms: read within their limits, all in memory, and what was sent under which part name.
 * Decides nothing about content; an image's bytes are not looked at here. File names are dropped at once.
 */
import type { Request } from 'express'
import { AppError, fieldProblem } from '../errors.ts'
import type { Upload } from '../proofing/types.ts'
import { malformed, readBody } from './body.ts'
import type { UploadLimits } from './deps.ts'
import { parseParts, type Part } from './multipart-parts.ts'

/** Room for part headers, text parts and unknown parts beside the files. */
const ENVELOPE_BYTES = 1024 * 1024
const MULTIPART = /^\s*multipart\//i
/** What a part without a content type of its own is called by common clients: no declaration. */
const UNDECLARED: readonly string[] = ['text/plain', 'application/octet-stream']
const TEXT = /^text\/|^application\/([a-z.-]+\+)?json$/

/** What the request carried. Part names are compared without regard to case. */
export type Form =
  | { readonly kind: 'empty' }
  /** No multipart envelope: the body's bytes, JSON presumably. */
  | { readonly kind: 'plain'; readonly bytes: Buffer }
  | { readonly kind: 'parts'; readonly parts: readonly Part[]; readonly limits: UploadLimits }

/** Reads the body as a form of at most `maxFiles` whole files; a body without envelope comes back as it is. */
export async function readForm(req: Request, limits: UploadLimits, maxFiles: number): Promise<Form> {
  const type = req.headers['content-type'] ?? ''
  const chunks = await readFormBody(req, limits, maxFiles)
  if (chunks.every((chunk) => chunk.every(isWhiteSpace))) return { kind: 'empty' }
  const body = Buffer.concat(chunks)
  if (!MULTIPART.test(type)) return { kind: 'plain', bytes: body }
  if (!/^\s*multipart\/form-data\s*(;|$)/i.test(type))
    throw malformed('Content-Type', 'must be multipart/form-data')
  const parts = parseParts(body, type)
  if (parts) return { kind: 'parts', parts, limits }
  // JSON under a form's content type: some clients set the header by hand.
  const start = body.find((byte) => !isWhiteSpace(byte))
  if (start !== BRACKET && start !== BRACE) throw malformed(undefined, 'the multipart body has no delimiter')
  if (body.byteLength > limits.jsonBytes)
    throw new AppError('upload_too_large', { limitBytes: limits.jsonBytes })
  return { kind: 'plain', bytes: body }
}

/** The bytes of such a body, within the limit that its content type has. */
export async function readFormBody(req: Request, limits: UploadLimits, maxFiles: number): Promise<Buffer[]> {
  if (!MULTIPART.test(req.headers['content-type'] ?? '')) return readBody(req, limits.jsonBytes)
  return readBody(req, maxFiles * limits.fileBytes + ENVELOPE_BYTES, () => fileTooLarge(limits))
}

/** The file in the part of this name. Throws when it came more than once. */
export function fileOf(form: Form, name: string): Upload | undefined {
  const part = partOf(form, name)
  return part && form.kind === 'parts' ? toUpload(part, form.limits) : undefined
}

/** The file in the part of this name or, clients naming parts as they like, the only file beside the `other` parts. */
export function anyFileOf(form: Form, name: string, other: readonly string[] = []): Upload | undefined {
  const named = fileOf(form, name)
  if (named || form.kind !== 'parts') return named
  const others = other.map((part) => part.toLowerCase())
  const files = form.parts.filter((part) => isFile(part) && isSent(part) && !others.includes(part.name))
  return files[0] && files.length === 1 ? toUpload(files[0], form.limits) : undefined
}

/** The same where there has to be a file: throws `validation_failed` when there is none. */
export function onlyFileOf(form: Form, name: string, other: readonly string[] = []): Upload {
  const file = anyFileOf(form, name, other)
  if (file) return file
  throw fieldProblem('required', name, 'send it as one file part of this name in multipart/form-data')
}

/** The files in the parts of this name, of at most `mostBytes` each. Throws when there are more than `most`. */
export function filesOf(form: Form, name: string, most: number, mostBytes: number): readonly Upload[] {
  if (form.kind !== 'parts') return []
  const limits = { ...form.limits, fileBytes: Math.min(form.limits.fileBytes, mostBytes) }
  const parts = form.parts.filter((part) => part.name === name.toLowerCase() && isSent(part))
  if (parts.length > most) throw fieldProblem('repeated', name, `must be sent ${most} times at most`)
  return parts.map((part) => toUpload(part, limits))
}

/** The bytes of a JSON part, sent as a file or as text. */
export function jsonPartOf(form: Form, name: string): Uint8Array | undefined {
  const part = partOf(form, name)
  if (!part || form.kind !== 'parts') return undefined
  const { jsonBytes } = form.limits
  if (part.bytes.byteLength > jsonBytes) throw new AppError('upload_too_large', { limitBytes: jsonBytes })
  return part.bytes
}

/** The text of a part of at most `mostBytes`, control characters and all: UTF-8 or, where it is not, Latin-1. */
export function textPartOf(form: Form, name: string, mostBytes: number): string | undefined {
  const part = partOf(form, name)
  if (!part) return undefined
  if (part.bytes.byteLength > mostBytes) throw fieldProblem('too_long', name, `at most ${mostBytes} bytes`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(part.bytes)
  } catch {
    return new TextDecoder('latin1').decode(part.bytes)
  }
}

function partOf(form: Form, name: string): Part | undefined {
  if (form.kind !== 'parts') return undefined
  const named = form.parts.filter((part) => part.name === name.toLowerCase() && isSent(part))
  if (named.length > 1) throw fieldProblem('repeated', name, 'must be sent once only')
  return named[0]
}

/** A file field in which nothing was chosen, and an empty text field, send a part of nothing. */
function isSent({ bytes, hasFileName }: Part): boolean {
  return hasFileName || bytes.byteLength > 0
}

/** Many libraries send a file without a name: then its type tells it from a text field. */
function isFile({ hasFileName, contentType }: Part): boolean {
  return hasFileName || (contentType !== undefined && !TEXT.test(contentType))
}

function toUpload({ bytes, contentType }: Part, limits: UploadLimits): Upload {
  if (bytes.byteLength > limits.fileBytes) throw fileTooLarge(limits)
  const declared = contentType !== undefined && !UNDECLARED.includes(contentType)
  return { bytes, ...(declared ? { declaredType: contentType } : {}) }
}

function fileTooLarge(limits: UploadLimits): AppError {
  return new AppError('upload_too_large', { fileLimitBytes: limits.fileBytes })
}

const BRACKET = '['.charCodeAt(0)
const BRACE = '{'.charCodeAt(0)

function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}
