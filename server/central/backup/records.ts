/**
 * The content of a backup as records: rows of a table, pieces of a large object, the state of a sequence, and the totals
 * at the end. Each record is one line of JSON and the bytes that the line announces.
 */
import { z } from 'zod'
import type { Bytes } from '../../crypto/chunked.ts'
import { AppError } from '../../errors.ts'

const name = z.string().regex(/^[a-z_]{1,63}$/)
const count = z.int().min(0)
/** A row holds at most one bundle of 20 MB, which is twice as long in hexadecimal. */
const MAX_PAYLOAD_BYTES = 256 * 1024 * 1024
const MAX_LINE_BYTES = 64 * 1024

const RecordSchema = z.discriminatedUnion('kind', [
  /** The payload is a JSON array of rows. */
  z.strictObject({ kind: z.literal('rows'), table: name, rows: count }),
  z.strictObject({ kind: z.literal('object'), oid: z.int().min(1), offset: count }),
  z.strictObject({ kind: z.literal('sequence'), name, value: count, isCalled: z.boolean() }),
  z.strictObject({ kind: z.literal('end'), rows: z.record(name, count), objects: count, objectBytes: count }),
])
export type BackupRecord = z.infer<typeof RecordSchema>
export type Totals = Extract<BackupRecord, { kind: 'end' }>

const LineSchema = z.strictObject({
  record: RecordSchema,
  bytes: z.int().min(0).max(MAX_PAYLOAD_BYTES),
})

interface ReadRecord {
  readonly record: BackupRecord
  readonly payload: Buffer
}

export function* writeRecord(
  record: BackupRecord,
  payload: Uint8Array = new Uint8Array(),
): Generator<Buffer> {
  yield Buffer.from(`${JSON.stringify({ record, bytes: payload.byteLength })}\n`, 'utf8')
  if (payload.byteLength > 0) yield Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
}

/** Yields every record before the totals, and compares the totals. Throws `backup_refused` if they differ or are missing. */
export async function* readRecords(content: Bytes): AsyncGenerator<ReadRecord> {
  const seen: { rows: Record<string, number>; objects: Set<number>; objectBytes: number } = {
    rows: {},
    objects: new Set(),
    objectBytes: 0,
  }
  for await (const read of parseRecords(content)) {
    const { record, payload } = read
    if (record.kind === 'end') {
      const totals = { rows: seen.rows, objects: seen.objects.size, objectBytes: seen.objectBytes }
      if (!isSame(record, totals)) throw refused('its totals are not those of its records')
      return
    }
    if (record.kind === 'rows') seen.rows[record.table] = (seen.rows[record.table] ?? 0) + record.rows
    if (record.kind === 'object') {
      seen.objects.add(record.oid)
      seen.objectBytes += payload.byteLength
    }
    yield read
  }
  throw refused('it ends before its totals')
}

async function* parseRecords(content: Bytes): AsyncGenerator<ReadRecord> {
  let waiting: Buffer[] = []
  let length = 0
  let awaited: z.infer<typeof LineSchema> | null = null
  for await (const piece of content) {
    waiting.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
    length += piece.byteLength
    if (awaited !== null && length < awaited.bytes) continue
    let rest = Buffer.concat(waiting)
    for (;;) {
      if (awaited === null) {
        const end = rest.indexOf(0x0a)
        if (end < 0) {
          if (rest.length > MAX_LINE_BYTES) throw refused('a line of it is too long')
          break
        }
        awaited = parseLine(rest.subarray(0, end).toString('utf8'))
        rest = rest.subarray(end + 1)
      }
      if (rest.length < awaited.bytes) break
      yield { record: awaited.record, payload: rest.subarray(0, awaited.bytes) }
      rest = rest.subarray(awaited.bytes)
      awaited = null
    }
    waiting = [rest]
    length = rest.length
  }
}

function parseLine(line: string): z.infer<typeof LineSchema> {
  try {
    return LineSchema.parse(JSON.parse(line))
  } catch (cause) {
    throw refused('a record of it cannot be read', cause)
  }
}

function isSame(end: Totals, seen: Omit<Totals, 'kind'>): boolean {
  const tables = Object.keys(end.rows)
  return (
    end.objects === seen.objects &&
    end.objectBytes === seen.objectBytes &&
    Object.keys(seen.rows).length === tables.length &&
    tables.every((table) => end.rows[table] === seen.rows[table])
  )
}

function refused(reason: string, cause?: unknown): AppError {
  return new AppError('backup_refused', { reason }, cause === undefined ? {} : { cause })
}
