/**
 * Exports the log as lines: one event per line, and a final signed statement over them. `verify-export` checks it without
 * the database, with only a public key.
 */
import { createHash } from 'node:crypto'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { openGivenFile } from '../files/read-file.ts'
import { writeFileStream } from '../files/write-file.ts'
import type { KeySource } from '../proof/verify.ts'
import type { AuditView } from '../store/audit-view.ts'
import { CHAIN_START, eventHash, type ChainHead, type EventRow } from '../store/event-chain.ts'
import { checkpointReader, type CheckpointStatement } from './statement.ts'

export interface ExportRange {
  /** Sequence numbers or times; both ends inclusive. */
  readonly from?: number | Date
  readonly to?: number | Date
}

interface ExportedLines {
  readonly from: number
  readonly to: number
  /** Hash of the event before the first line. */
  readonly previousHash: string
  /** The newest exported event. */
  readonly head: ChainHead
  /** Hash of all lines but the last, including line ends. */
  readonly sha256: string
}

/**
 * Writes the lines, readable only by their owner; `sign` creates the last one. Concurrent events in the log do not
 * matter. Throws `file_refused` if the name is a link or the like.
 */
export async function writeExport(
  view: Pick<AuditView, 'events'>,
  path: string,
  range: ExportRange,
  sign: (lines: ExportedLines) => Promise<string>,
): Promise<ExportedLines> {
  const written: { lines?: ExportedLines } = {}
  const pieces = async function* () {
    const lines = yield* exportRange(view, range)
    written.lines = lines
    yield Buffer.from(`${JSON.stringify({ checkpoint: await sign(lines) })}\n`, 'utf8')
  }
  await writeFileStream(path, pieces)
  if (!written.lines) throw new TypeError('an export was written without its lines')
  return written.lines
}

const LINES_AT_ONCE = 1000

/** Event lines, a thousand at a time; returns the contents of the last line. */
function* exportRange(view: Pick<AuditView, 'events'>, range: ExportRange): Generator<Buffer, ExportedLines> {
  const hash = createHash('sha256')
  let before: ChainHead = { seq: 0, hash: CHAIN_START }
  let first: number | null = null
  let previousHash = CHAIN_START
  let head = before
  let pending: string[] = []
  const take = (): Buffer => {
    const piece = Buffer.from(pending.join(''), 'utf8')
    hash.update(piece)
    pending = []
    return piece
  }
  for (const row of view.events()) {
    const { seq } = row
    const present = { seq, hash: row.hash.toString('hex') }
    if (isWithin(row, range)) {
      if (first === null) {
        first = seq
        previousHash = before.hash
      }
      head = present
      pending.push(`${formatLine(row)}\n`)
      if (pending.length >= LINES_AT_ONCE) yield take()
    }
    before = present
  }
  yield take()
  return { from: first ?? 1, to: head.seq, previousHash, head, sha256: hash.digest('hex') }
}

function isWithin({ seq, at }: EventRow, { from, to }: ExportRange): boolean {
  const notBefore = from === undefined || (from instanceof Date ? at >= from.getTime() : seq >= from)
  const notAfter = to === undefined || (to instanceof Date ? at <= to.getTime() : seq <= to)
  return notBefore && notAfter
}

function formatLine(row: EventRow): string {
  const { seq, id, type, identity_id: identityId, actor, reason, at } = row
  const body = JSON.parse(row.body) as unknown
  return JSON.stringify({
    seq,
    id,
    type,
    identityId,
    actor,
    reason,
    body,
    at,
    hash: row.hash.toString('hex'),
  })
}

const LineSchema = z.strictObject({
  seq: z.int().min(1),
  id: z.string(),
  type: z.string(),
  identityId: z.string().nullable(),
  actor: z.string(),
  reason: z.string().nullable(),
  body: z.record(z.string(), z.unknown()),
  at: z.int(),
  hash: z.string(),
})

interface ExportReport {
  readonly valid: boolean
  readonly events: number
  /** Null unless the export is valid. */
  readonly checkpoint: CheckpointStatement | null
  /** One sentence each. */
  readonly problems: readonly string[]
}

/** Throws KeyError if no usable key is given, `file_refused` if the path is no regular file. */
export async function verifyExport(path: string, keys: KeySource): Promise<ExportReport> {
  const reader = checkpointReader(keys)
  const lines: string[] = []
  const hash = createHash('sha256')
  const problems: string[] = []
  const rows: z.infer<typeof LineSchema>[] = []
  // A line is only known to be the last when no other follows.
  const take = (line: string, number: number): void => {
    hash.update(`${line}\n`, 'utf8')
    const parsed = LineSchema.safeParse(tryParseJson(line))
    if (parsed.success) rows.push(parsed.data)
    else problems.push(`Line ${number} is no event.`)
  }
  let number = 0
  const { handle } = await openGivenFile(path, { mostBytes: Infinity, mayBeLink: true })
  const input = handle.createReadStream({ encoding: 'utf8' })
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (lines.length > 0) take(lines.pop() ?? '', ++number)
    lines.push(line)
  }
  const statement = await statementIn(lines.pop() ?? '', reader)
  if (statement?.export === undefined) {
    const message = 'The last line is no checkpoint of an export that one of the keys given has signed.'
    return { valid: false, events: rows.length, checkpoint: null, problems: [...problems, message] }
  }
  const { applianceId, export: bound } = statement
  let last: ChainHead = { seq: bound.from - 1, hash: bound.previousHash }
  for (const { identityId, body, hash: stated, ...row } of rows) {
    if (row.seq !== last.seq + 1)
      problems.push(`Event ${row.seq} follows event ${last.seq}: lines are missing.`)
    const facts = { ...row, identity_id: identityId, body: JSON.stringify(body) }
    if (eventHash(applianceId, last.hash, facts) !== stated) {
      problems.push(`Event ${row.seq} was changed, or does not follow the one before it.`)
    }
    last = { seq: row.seq, hash: stated }
  }
  if (rows.length > 0 && (last.seq !== statement.seq || last.hash !== statement.hash)) {
    problems.push(`The signed statement ends at event ${statement.seq}, the lines end at event ${last.seq}.`)
  }
  if (hash.digest('hex') !== bound.sha256) problems.push('The lines are not those that were signed.')
  const valid = problems.length === 0
  return { valid, events: rows.length, checkpoint: valid ? statement : null, problems }
}

async function statementIn(
  line: string,
  reader: ReturnType<typeof checkpointReader>,
): Promise<CheckpointStatement | null> {
  const parsed = z.strictObject({ checkpoint: z.string() }).safeParse(tryParseJson(line))
  return parsed.success ? reader.read(parsed.data.checkpoint) : null
}

function tryParseJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return null
  }
}
