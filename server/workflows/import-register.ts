/** A list of lost, stolen and revoked documents from a CSV file: all of it or nothing. Its values are hashed and not kept. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { documentName, REGISTER_REASONS } from '../proofing/antifraud/document-status.ts'
import { DOCUMENT_TYPES } from '../proofing/types.ts'
import type { RegisterEntry } from '../store/document-register.ts'
import type { Author } from '../store/events.ts'

export interface RegisterFile {
  readonly bytes: Uint8Array
  /** As a parser of CSV gave them, each with the line that it ends in. */
  readonly records: readonly { readonly line: number; readonly record: Readonly<Record<string, unknown>> }[]
  readonly name: string
  /** yyyy-MM-dd */
  readonly date: string
  readonly coversDeaths: boolean
}

const Line = z.object({
  type: z.enum([...DOCUMENT_TYPES, 'VISA', 'MEDICARE']),
  country: z.string().regex(/^[A-Z]{3}(-[A-Z0-9]{1,3})?$/),
  number: z.string().min(1).max(50),
  reason: z.enum(REGISTER_REASONS),
})

/** Throws `validation_failed` with the number of the first line that cannot be read, and nothing of what it says. */
export function importRegister(
  { store }: Pick<Context, 'store'>,
  file: RegisterFile,
  importedAt: Date,
  author: Author,
): { readonly sha256: string; readonly entries: number } {
  const entries = file.records.map(({ record, line }) => entryOf(record, line))
  const sha256 = createHash('sha256').update(file.bytes).digest('hex')
  const { name, date, coversDeaths } = file
  store.transaction(() => {
    store.documentRegisters.replace({ name, sha256, date, coversDeaths, importedAt }, entries)
    const body = { sha256, entries: entries.length }
    store.events.append('register.imported', null, body, importedAt, author)
  })
  return { sha256, entries: entries.length }
}

function entryOf(record: Readonly<Record<string, unknown>>, line: number): RegisterEntry {
  const parsed = Line.safeParse(record)
  const fields = parsed.success ? [] : [...new Set(parsed.error.issues.map(({ path }) => path.join('.')))]
  const [issuingCountry = '', issuingState = ''] = parsed.data?.country.split('-') ?? []
  const name =
    parsed.data &&
    documentName({
      idDocumentType: parsed.data.type,
      issuingCountry,
      issuingState,
      idDocumentNumber: parsed.data.number,
    })
  if (!parsed.data || !name) {
    const field = fields.length > 0 ? fields : ['number']
    throw new AppError('validation_failed', { line, fields: field })
  }
  return { name, reason: parsed.data.reason }
}
