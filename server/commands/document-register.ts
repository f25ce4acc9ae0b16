/** `npm run document-register`: the list of lost and stolen documents in the appliance; beside a running one or not. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'csv-parse/sync'
import { systemClock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { specDate } from '../proofing/time.ts'
import type { Store } from '../store/open.ts'
import { timeNow } from '../time/trusted-time.ts'
import { importRegister, type RegisterFile } from '../workflows/import-register.ts'
import { configOf, OPERATOR, tell, withPresentStore } from './appliance.ts'
import { refuseMore, UsageError } from './usage.ts'

const HELP = `The list of lost, stolen and revoked documents that the check DOCUMENT_STATUS looks into.

  npm run document-register -- import FILE [--name TEXT] [--date yyyy-MM-dd] [--covers-deaths] [--data DIR] [--json]
  npm run document-register -- status [--data DIR] [--json]

  import           CSV with the header type,country,number,reason; takes the place of the list before. All lines can be
                   read, or nothing is imported. Only keyed hashes are kept
  --name           what proofs call the list; else the name of the file
  --date           the day of the list; else today
  --covers-deaths  HOLDER_DECEASED is in it wherever it is known: who is not in it counts as not known to have died
  status           which list is in force
  --data           the appliance's data folder (default: ~/.local/share/counterproof)

Exit status: 0 done, 1 refused, 2 wrong use.
`
const COLUMNS = ['type', 'country', 'number', 'reason']
const NAME = /^[\p{L}\p{N} .,()/_-]{1,80}$/u

interface Options {
  readonly name: string | undefined
  readonly date: string | undefined
  readonly coversDeaths: boolean
}

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      date: { type: 'string' },
      'covers-deaths': { type: 'boolean', default: false },
      data: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [action, path, ...more] = positionals
  if (values.help || action === undefined) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  refuseMore(more)
  const { name, date } = values
  const options = { name, date, coversDeaths: values['covers-deaths'] }
  try {
    const told = await withPresentStore(configOf(values), (store) => {
      if (action === 'import' && path !== undefined) return importFile(store, path, options)
      if (action === 'status' && path === undefined) return status(store)
      throw new UsageError(action === 'import' ? 'import needs a FILE' : `there is no action '${action}'`)
    })
    tell(values.json, told.result, told.words)
    return 0
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'validation_failed')) throw error
    // Which line, and not what it says.
    const { line, fields } = error.details
    const about = Array.isArray(fields) ? `: ${fields.join(', ')}` : ''
    process.stderr.write(
      `document-register: line ${String(line)} cannot be read${about}; nothing was imported\n`,
    )
    return 1
  }
}

function importFile(store: Store, path: string, { name, date, coversDeaths }: Options) {
  const called = name ?? basename(path)
  if (!NAME.test(called))
    throw new UsageError('--name needs letters, digits, blanks and . , ( ) / _ -, 80 at most')
  const { latest } = timeNow(systemClock, store)
  const day = date ?? specDate(latest)
  const at = Date.parse(day)
  // The 30th of February is read as the 2nd of March.
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(at) && specDate(new Date(at)) === day
  if (!isDay || day > specDate(latest)) throw new UsageError('--date needs a day that has been: yyyy-MM-dd')
  const bytes = readFileSync(path)
  const file = { bytes, records: recordsOf(bytes), name: called, date: day, coversDeaths }
  const { entries, sha256 } = importRegister({ store }, file, latest, OPERATOR)
  return {
    result: { name: called, date: day, coversDeaths, entries, sha256 },
    words: `${entries} documents of ${called}, as of ${day}, are in force\n`,
  }
}

/** Throws `validation_failed` with the number of the line. The parser's own words may quote it, and are dropped. */
function recordsOf(bytes: Buffer): RegisterFile['records'] {
  let header: readonly string[] = []
  try {
    const records = parse(bytes, {
      bom: true,
      columns: (names: string[]) => (header = names.map((column) => column.trim().toLowerCase())),
      info: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as { readonly info: { readonly lines: number }; readonly record: Record<string, unknown> }[]
    if (COLUMNS.every((column) => header.includes(column))) {
      return records.map(({ info, record }) => ({ line: info.lines, record }))
    }
  } catch (error) {
    const line = (error as { lines?: unknown }).lines
    throw new AppError('validation_failed', { line: typeof line === 'number' ? line : 0 })
  }
  throw new AppError('validation_failed', {
    line: 1,
    fields: COLUMNS.filter((column) => !header.includes(column)),
  })
}

function status(store: Store) {
  const register = store.documentRegisters.current()
  const words = register
    ? `${register.name}, as of ${register.date}: ${register.entries} documents${register.coversDeaths ? ', deaths too' : ''}\n`
    : 'no list was imported\n'
  return { result: { register }, words }
}
