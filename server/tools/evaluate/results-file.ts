/**
 * Writes results in the order of the list, below a header that says what made them. The same list, models and version
 * give the same bytes. An interrupted run continues after its last whole row.
 */
import {
  accessSync,
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../../commands/usage.ts'
import { lockFile } from '../../store/lock.ts'
import { describeProduct, say } from './job.ts'
import { requireFolder, type ListFile } from './list-file.ts'

interface ResultsFile {
  /** Rows that an earlier run wrote. */
  readonly done: number
  /** Takes the rows in any order; writes each as soon as all before it are written. */
  add(position: number, cells: readonly string[]): void
  close(): void
}

/** Header line with the number of rows of the list. */
export const ROWS_LINE = /^# rows (\d+)$/m

/**
 * Shows the header on the terminal. Throws UsageError if another process writes the file, if it is no regular file, or if it
 * holds other results: of another list, version, model or operating point, or of other pictures.
 * @param about header lines on models, engine and thresholds, without '#'
 */
export function openResultsFile(
  path: string,
  action: string,
  list: ListFile,
  about: readonly string[],
  columns: readonly string[],
): ResultsFile {
  const header = [
    describeProduct(action),
    `list sha256 ${list.sha256}`,
    `rows ${list.rows.length}`,
    `names and sizes of the files sha256 ${list.filesSha256}`,
    ...about,
  ]
  const head = [...header.map((line) => `# ${line}`), toLine(columns), ''].join('\n')
  const lock = lockResults(path)
  try {
    const kept = readKept(path)
    if (kept !== '' && !kept.startsWith(head) && !head.startsWith(kept))
      throw new UsageError(
        `${path} holds results of another list, version or model, or of other pictures. Name another file, or delete this one.`,
      )
    say(`${header.join('\n')}\n`)
    const rows = kept.startsWith(head) ? findWholeRecords(kept.slice(head.length)) : null
    const file = openSync(path, 'a')
    ftruncateSync(file, rows ? Buffer.byteLength(head + rows.text) : 0)
    if (!rows) writeSync(file, head)
    const done = rows?.count ?? 0
    const waiting = new Map<number, string>()
    let next = done
    return {
      done,
      add(position, cells) {
        waiting.set(position, toLine(cells))
        for (let line = waiting.get(next); line !== undefined; line = waiting.get(next)) {
          waiting.delete(next++)
          writeSync(file, `${line}\n`)
        }
      },
      close() {
        closeSync(file)
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The lock is a file of its own beside the results, which must not become a database. */
function lockResults(path: string): { release(): void } {
  const beside = `${path}.lock`
  const lock = lockFile(beside)
  if ('holder' in lock) {
    const which = lock.holder === null ? '' : ` (process ${lock.holder})`
    throw new UsageError(`another run${which} writes ${path}. Wait for its end, or name another file.`)
  }
  return {
    release() {
      // Removed before the lock ends: afterwards the file may be the lock of the next run.
      rmSync(beside, { force: true })
      lock.release()
    },
  }
}

function readKept(path: string): string {
  const entry = statSync(path, { throwIfNoEntry: false })
  return entry ? readFileSync(path, 'utf8') : ''
}

/**
 * Throws UsageError for a pipe, a device or a missing folder, and the system's error for a folder that this user may not write:
 * SQLite, which locks, would not name them.
 */
export function requireWritable(path: string): void {
  accessSync(requireFolder(dirname(path)), constants.W_OK)
  const entry = statSync(path, { throwIfNoEntry: false })
  if (entry && !entry.isFile()) throw new UsageError(`${path} is no regular file`)
}

/** The complete records at the beginning of this text. A line feed between quotation marks ends no record. */
export function findWholeRecords(text: string): { readonly text: string; readonly count: number } {
  let isQuoted = false
  let count = 0
  let end = 0
  for (const { 0: mark, index } of text.matchAll(/["\n]/g)) {
    if (mark === '"') isQuoted = !isQuoted
    else if (!isQuoted) {
      count++
      end = index + 1
    }
  }
  return { text: text.slice(0, end), count }
}

const toLine = (cells: readonly string[]): string =>
  cells.map((cell) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')
