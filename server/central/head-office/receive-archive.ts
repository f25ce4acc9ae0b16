/** Reads the body of POST /verify: an archive and the keys that verify it. Parts and bytes are limited before anything is parsed. */
import type { Request } from 'express'
import { fieldProblem } from '../../errors.ts'
import type { Arrival } from '../../http/arrivals.ts'
import { readBody } from '../../http/body.ts'
import { findFile, readForm, readTextPart } from '../../http/form.ts'

interface ReceivedArchive {
  readonly archive: Uint8Array<ArrayBuffer>
  /** As typed or chosen, none of them blank. */
  readonly keys?: string
  readonly ca?: string
  readonly tsaCa?: string
}

/** Larger than any set of keys in use; more would keep the verification busy for nothing. */
const MAX_KEY_BYTES = 1_000_000
const KEY_FIELDS = ['keys', 'ca', 'tsaCa'] as const

/**
 * Reads `multipart/form-data` with the file `archive` and the texts or files `keys`, `ca`, `tsaCa`; any other body is the
 * archive itself. Throws what `readBody` and `readForm` throw, and `validation_failed` without an archive.
 */
export async function receiveArchive(
  req: Request,
  arrival: Arrival,
  limitBytes: number,
): Promise<ReceivedArchive> {
  const isForm = /^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '')
  if (!isForm) return { archive: await readBody(req, limitBytes, undefined, arrival) }
  const form = await readForm(req, { fileBytes: limitBytes, jsonBytes: limitBytes }, 1, arrival)
  const archive = findFile(form, 'archive')
  if (!archive) throw fieldProblem('required', 'archive', 'the archive is missing; send it as a file')
  const texts = KEY_FIELDS.map((name) => [name, readTextPart(form, name, MAX_KEY_BYTES) ?? ''] as const)
  return {
    // `readForm` copied the part into memory of its own.
    archive: archive.bytes as Uint8Array<ArrayBuffer>,
    ...Object.fromEntries(texts.filter(([, text]) => text.trim() !== '')),
  }
}
