/**
 * Writes results in the order of the list, below a header that says what made them. The same list, models and version
 * give the same bytes. An interrupted run continues after its last whole line.
 */
import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { UsageError } from '../../commands/usage.ts'

interface ResultsFile {
  /** Rows that an earlier run wrote. */
  readonly done: number
  /** Takes the rows in any order; writes each as soon as all before it are written. */
  add(position: number, cells: readonly string[]): void
  close(): void
}

/**
 * Throws UsageError if the file holds other results: another list, version, model or operating point.
 * @param header lines without '#', the last names the columns
 */
export function openResultsFile(
  path: string,
  header: readonly string[],
  columns: readonly string[],
): ResultsFile {
  const head = [...header.map((line) => `# ${line}`), toLine(columns), ''].join('\n')
  const kept = existsSync(path) ? readFileSync(path, 'utf8') : ''
  if (kept !== '' && !kept.startsWith(head) && !head.startsWith(kept))
    throw new UsageError(
      `${path} holds results of another list, version or model. Name another file, or delete this one.`,
    )
  const whole = kept.startsWith(head) ? kept.slice(0, kept.lastIndexOf('\n') + 1) : ''
  const file = openSync(path, 'a')
  ftruncateSync(file, Buffer.byteLength(whole))
  if (whole === '') writeSync(file, head)
  const done = whole === '' ? 0 : whole.slice(head.length).split('\n').length - 1
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
    close: () => closeSync(file),
  }
}

const toLine = (cells: readonly string[]): string =>
  cells.map((cell) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')
