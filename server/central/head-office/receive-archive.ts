/** The body of POST /verify: an archive, and keys to judge it by. Parts and bytes are limited before anything is parsed. */
import type { Request } from 'express'
import multer, { MulterError, type StorageEngine } from 'multer'
import { AppError, fieldProblem } from '../../errors.ts'
import type { Arrival } from '../http/arrivals.ts'
import { collect, receive } from '../http/body.ts'
import { ByteBlocks } from '../http/byte-blocks.ts'

export interface ReceivedArchive {
  readonly archive: ByteBlocks
  /** As typed or chosen, none of them blank. */
  readonly keys?: string
  readonly ca?: string
  readonly tsaCa?: string
}

/** Keys of any size that is used; more would keep a thread busy for nothing. */
const MAX_KEY_BYTES = 1_000_000
const KEY_FIELDS = ['keys', 'ca', 'tsaCa'] as const
/** Some clients add fields of their own, which are skipped. */
const LIMITS = {
  files: 4,
  fields: 8,
  parts: 8,
  headerPairs: 20,
  fieldNameSize: 100,
  fieldSize: MAX_KEY_BYTES,
}

/**
 * Reads `multipart/form-data` with the file `archive` and the texts or files `keys`, `ca`, `tsaCa`; any other body is the
 * archive itself. Throws what ended the arrival, `upload_too_large`, `malformed_body` and `validation_failed`.
 */
export async function receiveArchive(
  req: Request,
  arrival: Arrival,
  limitBytes: number,
): Promise<ReceivedArchive> {
  const isForm = /^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '')
  return receive(req, arrival, limitBytes, async () =>
    isForm ? receiveForm(req, limitBytes) : { archive: await collect(req) },
  )
}

async function receiveForm(req: Request, limitBytes: number): Promise<ReceivedArchive> {
  const files = new Map<string, ByteBlocks>()
  const form = multer({ storage: keepIn(files), limits: { ...LIMITS, fileSize: limitBytes } }).any()
  await new Promise<void>((resolve, reject) => {
    form(req, {} as never, (error: unknown) => (error ? reject(refusalOf(error)) : resolve()))
  })
  const archive = files.get('archive')
  if (!archive) throw fieldProblem('required', 'archive', 'the archive is missing; send it as a file')
  const texts = KEY_FIELDS.map((name) => [name, textOf(req, files, name)] as const)
  return { archive, ...Object.fromEntries(texts.filter(([, text]) => text.trim() !== '')) }
}

/** Keeps the first file of each name in memory, within the budget that the arrival counts. */
function keepIn(files: Map<string, ByteBlocks>): StorageEngine {
  return {
    _handleFile: (_req, { fieldname, stream }, done) => {
      const blocks = new ByteBlocks()
      const isWanted = fieldname === 'archive' || (KEY_FIELDS as readonly string[]).includes(fieldname)
      if (isWanted && !files.has(fieldname)) {
        files.set(fieldname, blocks)
        stream.on('data', (piece: Buffer) => blocks.append(piece))
      } else stream.resume()
      stream.once('error', done).once('end', () => done(null))
    },
    _removeFile: (_req, _file, done) => done(null),
  }
}

function textOf(req: Request, files: ReadonlyMap<string, ByteBlocks>, name: string): string {
  const file = files.get(name)
  if (file && file.length > MAX_KEY_BYTES) throw tooLarge(name)
  const field: unknown = (req.body as Record<string, unknown>)[name]
  return file ? file.text() : typeof field === 'string' ? field : ''
}

function refusalOf(error: unknown): Error {
  if (!(error instanceof MulterError)) return new AppError('malformed_body', {}, { cause: error })
  if (error.code === 'LIMIT_FILE_SIZE') return new AppError('upload_too_large', {}, { cause: error })
  if (error.code === 'LIMIT_FIELD_VALUE') return tooLarge('keys')
  const message = 'a form has at most 4 files and 8 parts: archive, keys, ca, tsaCa'
  return fieldProblem('too_many', 'body', message)
}

function tooLarge(name: string): AppError {
  return fieldProblem('too_big', name, 'is larger than any set of keys')
}
