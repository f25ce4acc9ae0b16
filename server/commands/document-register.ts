/**
 * `npm run document-register`: the appliance's list of lost and stolen documents; with or without a running
 * appliance.
 */
import { basename } from 'node:path'
import { systemClock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { formatSpecDate } from '../proofing/time.ts'
import type { Store } from '../store/open.ts'
import { getTimeNow } from '../time/trusted-time.ts'
import { ListRefused } from '../watchlists/parsed-list.ts'
import { openTextFile, type TextFile } from '../watchlists/read-file.ts'
import { readRows } from '../watchlists/rows.ts'
import { importRegister, type RegisterFile } from '../workflows/fraud/import-register.ts'
import { readConfig, OPERATOR, printResult, withPresentStore } from './appliance.ts'
import { readAction } from './read-action.ts'
import { refuseMore, UsageError } from './usage.ts'

const HELP = `The list of lost, stolen and revoked documents for the check DOCUMENT_STATUS.

  npm run document-register -- import FILE [--name TEXT] [--date yyyy-MM-dd] [--covers-deaths] [--data DIR] [--json]
  npm run document-register -- status [--data DIR] [--json]

  import           reads a CSV file with the header type,country,number,reason and replaces the earlier list. If a row is
                   wrong, nothing is imported. Only keyed hashes are stored
  --name           name of the list in proofs (default: the name of the file)
  --date           day of the list (default: today)
  --covers-deaths  the list contains every known death (HOLDER_DECEASED): a holder who is not in it is not known to be dead
  status           names the list in force
  --data           the appliance's data folder (default: ~/.local/share/counterproof)
  --json           prints the result as one JSON object

Exit status: 0 done, 1 refused, 2 wrong use.

Example: npm run document-register -- import lost.csv --name "National register" --date 2027-01-31
`
const COLUMNS = ['type', 'country', 'number', 'reason']
const NAME = /^[\p{L}\p{N} .,()/_-]{1,80}$/u

interface Options {
  readonly name: string | undefined
  readonly date: string | undefined
  readonly coversDeaths: boolean
}

export async function run(argv: string[]): Promise<number> {
  const command = readAction(argv, HELP, {
    name: { type: 'string' },
    date: { type: 'string' },
    'covers-deaths': { type: 'boolean', default: false },
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if ('status' in command) return command.status
  const { name: action, positionals, values } = command
  const [, path, ...more] = positionals
  refuseMore(more)
  const { name, date } = values
  const options = { name, date, coversDeaths: values['covers-deaths'] }
  try {
    const told = await withPresentStore(readConfig(values), async (store) => {
      if (action === 'import' && path !== undefined) return importFile(store, path, options)
      if (action === 'status' && path === undefined) return status(store)
      throw new UsageError(action === 'import' ? 'import needs a FILE' : `there is no action '${action}'`)
    })
    printResult(values.json, told.result, told.words)
    return 0
  } catch (error) {
    const why = explainRefusal(error)
    if (why === null) throw error
    process.stderr.write(`document-register: ${why}; nothing was imported\n`)
    return 1
  }
}

/** Names the row, never its content. */
function explainRefusal(error: unknown): string | null {
  if (error instanceof ListRefused) return error.message
  if (!(error instanceof AppError && error.code === 'validation_failed')) return null
  const { row, fields } = error.details
  return `row ${String(row)} cannot be read: ${Array.isArray(fields) ? fields.join(', ') : ''}`
}

async function importFile(store: Store, path: string, { name, date, coversDeaths }: Options) {
  const called = name ?? basename(path)
  if (!NAME.test(called))
    throw new UsageError('--name needs letters, digits, blanks and . , ( ) / _ -, 80 at most')
  const { latest } = getTimeNow(systemClock, store)
  const day = date ?? formatSpecDate(latest)
  const at = Date.parse(day)
  // Date accepts the 30th of February as the 2nd of March.
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(at) && formatSpecDate(new Date(at)) === day
  if (!isDay || day > formatSpecDate(latest))
    throw new UsageError('--date needs a day that has been: yyyy-MM-dd')
  const text = await openTextFile(path)
  const records = await readRecords(text)
  const { sha256 } = text.facts()
  const file = { sha256, records, name: called, date: day, coversDeaths }
  const entries = importRegister({ store }, file, latest, OPERATOR)
  return {
    result: { name: called, date: day, coversDeaths, entries, sha256 },
    words: `${entries} documents of ${called}, as of ${day}, are in force\n`,
  }
}

/** Throws ListRefused for text that is no table of these columns. */
async function readRecords(text: TextFile): Promise<RegisterFile['records']> {
  const records: RegisterFile['records'][number][] = []
  let header: readonly string[] | null = null
  for await (const { cells, number } of readRows(text)) {
    if (header === null) {
      header = cells.map((cell) => cell.toLowerCase())
      const missing = COLUMNS.filter((column) => !header?.includes(column))
      if (missing.length > 0) throw new ListRefused(`${text.name} has no column ${missing.join(', ')}`)
      continue
    }
    const columns: readonly string[] = header
    const record = Object.fromEntries(COLUMNS.map((column) => [column, cells[columns.indexOf(column)]]))
    records.push({ row: number, record })
  }
  return records
}

function status(store: Store) {
  const register = store.documentRegisters.current()
  const words = register
    ? `${register.name}, as of ${register.date}: ${register.entries} documents${register.coversDeaths ? ', deaths too' : ''}\n`
    : 'no list was imported\n'
  return { result: { register }, words }
}
