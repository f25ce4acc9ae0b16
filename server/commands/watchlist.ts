/**
 * Runs `npm run watchlist`: imports, updates, lists, removes and searches lists of wanted and sanctioned persons on this
 * machine.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { silentLog } from '../log.ts'
import { readListSources } from '../open-watchlists.ts'
import type { Store } from '../store/open.ts'
import { createListUpdate } from '../watchlists/update-lists.ts'
import { importList, removeList, type ImportOptions } from '../watchlists/import-list.ts'
import { ListRefused } from '../watchlists/parsed-list.ts'
import { PLAIN_COLUMNS } from '../watchlists/plain-csv.ts'
import { LIST_FORMATS, type ListFormat } from '../proofing/watchlist/list-formats.ts'
import { PERSON_COLUMNS, screenFile, type ScreenedRow } from '../watchlists/screen-file.ts'
import { openWatchlists } from '../watchlists/watchlists.ts'
import { readConfig, OPERATOR, printResult, withPresentStore } from './appliance.ts'
import { readAction } from './read-action.ts'
import { getAction, refuseMore, UsageError } from './usage.ts'

const HELP = `Watchlists for the antifraud check WATCHLIST. The comparison runs on this machine.

  npm run watchlist -- import FILE [--name NAME] [--format FORMAT] [--date DAY] [--force] [--data DIR] [--json]
  npm run watchlist -- update [NAME] [--data DIR] [--json]
  npm run watchlist -- list [--data DIR] [--json]
  npm run watchlist -- remove NAME [--data DIR] [--json]
  npm run watchlist -- screen --file PERSONS.csv [--data DIR] [--json]

  import       replaces the list of that name, completely or not at all; the appliance may run
  --name       name of the list (default: ofac-sdn, un-consolidated, eu-consolidated, uk-sanctions,
               swiss-seco, or the name of the file)
  --format     ${LIST_FORMATS.join(', ')}
               (default: recognised from the file)
                 ofac-csv  sdn.csv of the U.S. Treasury with alt.csv beside it (or --aliases FILE), and
                           sdn_comments.csv and add.csv if they exist (or --comments, --addresses FILE)
                 ofac-xml  sdn_advanced.xml of the same office
                 un-xml    consolidated.xml of the United Nations Security Council
                 eu-xml    the consolidated list of the European Union (XML 1.1)
                 uk-xml    UK_Sanctions_List.xml of the United Kingdom
                 swiss-xml the list of all persons of the Swiss SECO (XML)
                 csv       a list of your own, UTF-8, with a header row of these columns:
                           ${PLAIN_COLUMNS.slice(0, 6).join(', ')},
                           ${PLAIN_COLUMNS.slice(6).join(', ')}
                           (id, and name or surname, are required; ";" separates several values of a cell;
                           dates are 1974-08-12, 1974-08, 1974, 1958/1960 or "circa 1960"; a type other than
                           individual or person is ignored)
  --date       day the list was published, yyyy-MM-dd; required if the file does not state it (CSV)
  --force      accepts a list that is older, or has less than half as many persons as the one before
  update       fetches the list of the source NAME, or of every source of the configuration, now; the appliance may run
  list         lists the imported lists with day, hash and number of persons
  remove       removes a list
  screen       compares each person of a CSV file with the lists; columns:
               ${PERSON_COLUMNS.join(', ')};
               prints ids, outcomes, scores and ids of entries, never a name
  --data       the appliance's data folder (default: ~/.local/share/counterproof)
  --json       prints the result as one JSON object

Only persons are imported; organisations, ships and aircraft are counted and ignored. A score is a reason for an officer to
look at the case, never a reason to refuse an applicant (thresholds and measured rates: resources/watchlist.json).

Exit status: 0 done, 1 refused, 2 wrong use.

Example: npm run watchlist -- import sdn.csv --name ofac-sdn --date 2027-01-31
`

interface Asked extends Omit<ImportOptions, 'file' | 'format'> {
  readonly subject?: string | undefined
  readonly file?: string | undefined
  readonly format: string
}
interface Told {
  readonly result: unknown
  readonly words: string
  /** Exit status; default 0. */
  readonly status?: number
}
type Action = (store: Store, asked: Asked, config: Config) => Told | Promise<Told>

const ACTIONS: Readonly<Record<string, Action>> = { import: importOne, update, list, remove, screen }

export async function run(argv: string[]): Promise<number> {
  const text = { type: 'string' } as const
  const command = readAction(argv, HELP, {
    name: text,
    format: { type: 'string', default: 'auto' },
    date: text,
    aliases: text,
    comments: text,
    addresses: text,
    file: text,
    data: text,
    force: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  })
  if ('status' in command) return command.status
  const { name, positionals, values } = command
  const [, subject, ...more] = positionals
  const action = getAction(ACTIONS, name)
  refuseMore(more)
  try {
    const config = readConfig(values)
    const {
      result,
      words,
      status = 0,
    } = await withPresentStore(config, (store) => action(store, { ...values, subject }, config))
    printResult(values.json, result, words)
    return status
  } catch (error) {
    if (!(error instanceof ListRefused)) throw error
    process.stderr.write(`watchlist: ${[error.message, error.option].filter(Boolean).join('. ')}\n`)
    return 1
  }
}

async function importOne(store: Store, asked: Asked): Promise<Told> {
  const { subject: file, format } = asked
  if (file === undefined) throw new UsageError('import needs the FILE of a list')
  if (!isFormat(format)) throw new UsageError(`--format takes ${LIST_FORMATS.join(', ')} or auto`)
  const { list, leftOut, unwritable, before } = await importList(
    store,
    { ...asked, file, format },
    new Date(),
    OPERATOR,
  )
  const { name, date, entries, sha256, files } = list
  const lines = [
    `${name}: ${entries} persons, list of ${date}, ${before === null ? 'new' : `${before} persons before`}`,
    `  ${files.map(({ role, sha256: hash, bytes }) => `${role} ${bytes} bytes, SHA-256 ${hash}`).join('\n  ')}`,
    `  left out, because they are no persons: ${leftOut}`,
    ...(unwritable === 0
      ? []
      : [
          `  ${unwritable} persons have names in other letters alone: found by document number or the same signs`,
        ]),
    '',
  ]
  return {
    result: { name, date, entries, sha256, files, leftOut, unwritable, before },
    words: lines.join('\n'),
  }
}

async function update(store: Store, { subject: name }: Asked, config: Config): Promise<Told> {
  const sources = readListSources(config).filter((source) => name === undefined || source.name === name)
  if (sources.length === 0) {
    const known = config.antifraud.watchlist.sources.map((source) => source.name).join(', ')
    throw new ListRefused(
      `no source of the configuration ${name === undefined ? 'is there' : 'has this name'} (antifraud.watchlist.sources: ${known || 'none'})`,
    )
  }
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-lists-'))
  try {
    const signal = new AbortController().signal
    const updateOne = createListUpdate({ store, folder, signal }, systemClock, silentLog)
    const updated = await Promise.all(
      sources.map(async (source) => ({ name: source.name, trouble: await updateOne(source) })),
    )
    const rows = updated.map(({ name: list, trouble }) => {
      const present = store.watchlists.find(list)
      const state = present ? `${present.entries} persons, list of ${present.date}` : 'no list'
      return `${list}: ${trouble === null ? state : `not updated: ${trouble}. ${state}`}\n`
    })
    const status = updated.some(({ trouble }) => trouble !== null) ? 1 : 0
    return { result: { updated }, words: rows.join(''), status }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function list(store: Store): Told {
  const lists = store.watchlists.list().map(({ id: _id, ...facts }) => facts)
  const rows = lists.map(({ name, date, entries, format, sha256 }) =>
    [name.padEnd(20), date, String(entries).padStart(7), format.padEnd(8), sha256].join('  '),
  )
  return {
    result: { lists },
    words: `${rows.join('\n') || 'no list is imported, so no person can be compared: npm run watchlist -- import'}\n`,
  }
}

function remove(store: Store, { subject: name }: Asked): Told {
  if (name === undefined) throw new UsageError('remove needs the NAME of a list')
  if (!removeList(store, name, new Date(), OPERATOR)) throw new ListRefused('there is no list of this name')
  return { result: { removed: name }, words: 'removed\n' }
}

async function screen(store: Store, { file }: Asked): Promise<Told> {
  if (file === undefined) throw new UsageError('screen needs --file PERSONS.csv')
  const screened: ScreenedRow[] = []
  for await (const row of screenFile(openWatchlists(store), file)) screened.push(row)
  const rows = screened.map(({ id, outcome, score, entries }) =>
    [id, outcome.padEnd(8), score === null ? '-' : score.toFixed(2), ...entries].join('  '),
  )
  return { result: { screened }, words: `${rows.join('\n') || 'no person in the file'}\n` }
}

function isFormat(format: string): format is ListFormat | 'auto' {
  return format === 'auto' || LIST_FORMATS.some((known) => known === format)
}
