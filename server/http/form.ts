/**
 * Reads request bodies that may be forms, within their limits and all in memory, and finds a part by its name. Does
 * not interpret content and does not look at an image's bytes. Drops file names at once.
 */
import type { Request } from 'express'
import { AppError, fieldProblem } from '../errors.ts'
import type { Upload } from '../proofing/types.ts'
import { bodyChunks, readBody } from './body.ts'
import { ByteBlocks } from './byte-blocks.ts'
import { createMalformedError } from './json.ts'
import type { BodyAccount } from './upload-budget.ts'
import { readParts, type Part } from './form-parts.ts'
import { parseFormType, isWhiteSpace, readStart } from './form-start.ts'

/** Room for part headers, text parts and unknown parts in addition to the files. */
const ENVELOPE_BYTES = 1024 * 1024
/** Common clients send these types for a part without a type of its own; they declare nothing. */
const UNDECLARED: readonly string[] = ['text/plain', 'application/octet-stream']
const TEXT = /^text\/|^application\/([a-z.-]+\+)?json$/

export interface UploadLimits {
  /** Largest single file. */
  readonly fileBytes: number
  /** Largest JSON body, and largest JSON part of a multipart body. */
  readonly jsonBytes: number
}

/** The content of a request. Part names are compared without regard to case. */
export type Form =
  | { readonly kind: 'empty' }
  /** No multipart envelope: the bytes of the body, presumably JSON. */
  | { readonly kind: 'plain'; readonly bytes: Buffer }
  | { readonly kind: 'parts'; readonly parts: readonly Part[]; readonly limits: UploadLimits }

/** Forms that were already read: the Idempotency-Key guard reads a form before its handler does. */
const formsRead = new WeakMap<Request, Form>()

/**
 * Reads the body as a form of at most `maxFiles` whole files. Returns a body without an envelope as it is. A second
 * call returns the same form.
 */
export async function readForm(
  req: Request,
  limits: UploadLimits,
  maxFiles: number,
  account?: BodyAccount,
): Promise<Form> {
  const read = formsRead.get(req)
  if (read) return read
  const { type, boundary } = parseFormType(req.headers['content-type'] ?? '')
  const form = type.startsWith('multipart/')
    ? await readMultipart(req, { type, boundary }, { limits, maxFiles, account })
    : plainForm(await readBody(req, limits.jsonBytes, undefined, account))
  formsRead.set(req, form)
  return form
}

function plainForm(bytes: Buffer): Form {
  return bytes.every(isWhiteSpace) ? { kind: 'empty' } : { kind: 'plain', bytes }
}

async function readMultipart(
  req: Request,
  { type, boundary }: ReturnType<typeof parseFormType>,
  { limits, maxFiles, account }: { limits: UploadLimits; maxFiles: number; account?: BodyAccount },
): Promise<Form> {
  if (type !== 'multipart/form-data')
    throw createMalformedError('Content-Type', 'must be multipart/form-data')
  const tooLarge = () => fileTooLarge(limits)
  const chunks = bodyChunks(req, maxFiles * limits.fileBytes + ENVELOPE_BYTES, tooLarge, account)
  try {
    const { start, read } = await readStart(chunks, boundary)
    if (start.kind === 'empty') return start
    const all = allChunks(read, chunks)
    if (start.kind === 'json') return { kind: 'plain', bytes: await readPlain(all, limits.jsonBytes) }
    const parts = await readParts(all, start.boundary, { partBytes: limits.fileBytes, tooLarge })
    return { kind: 'parts', parts, limits }
  } finally {
    await chunks.return()
  }
}

async function* allChunks(
  read: Buffer,
  rest: AsyncGenerator<Buffer, void, void>,
): AsyncGenerator<Buffer, void, void> {
  yield read
  yield* rest
}

async function readPlain(chunks: AsyncIterable<Buffer>, limitBytes: number): Promise<Buffer> {
  const bytes = new ByteBlocks()
  for await (const chunk of chunks) {
    if (bytes.size + chunk.byteLength > limitBytes) throw new AppError('upload_too_large', { limitBytes })
    bytes.append(chunk)
  }
  return await bytes.join()
}

/** Returns the file in the part of this name. Throws if the name occurs more than once. */
export function findFile(form: Form, name: string): Upload | undefined {
  const part = findPart(form, name)
  return part && form.kind === 'parts' ? toUpload(part, form.limits) : undefined
}

/**
 * Returns the file in the part of this name. If there is none, returns the only file that is not in one of the
 * `other` parts, because clients name parts as they like.
 */
export function findAnyFile(form: Form, name: string, other: readonly string[] = []): Upload | undefined {
  const named = findFile(form, name)
  if (named || form.kind !== 'parts') return named
  const others = other.map((part) => part.toLowerCase())
  const files = form.parts.filter((part) => isFile(part) && isSent(part) && !others.includes(part.name))
  return files[0] && files.length === 1 ? toUpload(files[0], form.limits) : undefined
}

/** Like `findAnyFile`, but throws `validation_failed` if there is no file. */
export function requireFile(form: Form, name: string, other: readonly string[] = []): Upload {
  const file = findAnyFile(form, name, other)
  if (file) return file
  throw fieldProblem('required', name, 'send it as one file part of this name in multipart/form-data')
}

/** Returns the files in the parts of this name, of at most `mostBytes` each. Throws if there are more than `most`. */
export function listFiles(form: Form, name: string, most: number, mostBytes: number): readonly Upload[] {
  if (form.kind !== 'parts') return []
  const limits = { ...form.limits, fileBytes: Math.min(form.limits.fileBytes, mostBytes) }
  const parts = form.parts.filter((part) => part.name === name.toLowerCase() && isSent(part))
  if (parts.length > most) throw fieldProblem('repeated', name, `must be sent ${most} times at most`)
  return parts.map((part) => toUpload(part, limits))
}

/** Returns the bytes of a JSON part, which may be sent as a file or as text. */
export function readJsonPart(form: Form, name: string): Uint8Array | undefined {
  const part = findPart(form, name)
  if (!part || form.kind !== 'parts') return undefined
  const { jsonBytes } = form.limits
  if (part.bytes.byteLength > jsonBytes) throw new AppError('upload_too_large', { limitBytes: jsonBytes })
  return part.bytes
}

/**
 * Returns the text of a part of at most `mostBytes`, including control characters. Reads it as UTF-8 or, if it is not
 * UTF-8, as Latin-1.
 */
export function readTextPart(form: Form, name: string, mostBytes: number): string | undefined {
  const part = findPart(form, name)
  if (!part) return undefined
  if (part.bytes.byteLength > mostBytes) throw fieldProblem('too_long', name, `at most ${mostBytes} bytes`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(part.bytes)
  } catch {
    return new TextDecoder('latin1').decode(part.bytes)
  }
}

function findPart(form: Form, name: string): Part | undefined {
  if (form.kind !== 'parts') return undefined
  const named = form.parts.filter((part) => part.name === name.toLowerCase() && isSent(part))
  if (named.length > 1) throw fieldProblem('repeated', name, 'must be sent once only')
  return named[0]
}

/** A file field without a chosen file and an empty text field send an empty part. */
function isSent({ bytes, hasFileName }: Part): boolean {
  return hasFileName || bytes.byteLength > 0
}

/** Many libraries send a file without a name. Its type then distinguishes it from a text field. */
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
