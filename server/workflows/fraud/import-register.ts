/**
 * Imports a list of lost, stolen and revoked documents from CSV, completely or not at all. Stores only keyed hashes of its
 * values.
 */
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { documentName, REGISTER_REASONS } from '../../proofing/antifraud/document-status.ts'
import { DOCUMENT_TYPES } from '../../proofing/types.ts'
import type { RegisterEntry } from '../../store/document-register.ts'
import type { Author } from '../../store/events.ts'

export interface RegisterFile {
  /** SHA-256 of the file. */
  readonly sha256: string
  /** Records of a CSV parser, each with its row; the header is row 1. */
  readonly records: readonly { readonly row: number; readonly record: Readonly<Record<string, unknown>> }[]
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

/**
 * Returns the number of records. Throws `validation_failed` with the first unreadable row, without its
 * content.
 */
export function importRegister(
  { store }: Pick<Context, 'store'>,
  { records, ...register }: RegisterFile,
  importedAt: Date,
  author: Author,
): number {
  const entries = records.map(({ record, row }) => parseEntry(record, row))
  store.transaction(() => {
    store.documentRegisters.replace({ ...register, importedAt }, entries)
    const body = { sha256: register.sha256, entries: entries.length }
    store.events.append('register.imported', null, body, importedAt, author)
  })
  return entries.length
}

function parseEntry(record: Readonly<Record<string, unknown>>, row: number): RegisterEntry {
  const parsed = Line.safeParse(record)
  if (!parsed.success) {
    const fields = [...new Set(parsed.error.issues.map(({ path }) => path.join('.')))]
    throw new AppError('validation_failed', { row, fields })
  }
  const { type: idDocumentType, country, number: idDocumentNumber, reason } = parsed.data
  const [issuingCountry = '', issuingState = ''] = country.split('-')
  const name = documentName({ idDocumentType, issuingCountry, issuingState, idDocumentNumber })
  if (name === null) throw new AppError('validation_failed', { row, fields: ['number'] })
  return { name, reason }
}
