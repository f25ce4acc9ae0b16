/** The master key: split into shares for a paper backup, restored from them, compared. Never shown. */
import { existsSync, rmSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { parseArgs } from 'node:util'
import type { Config } from '../config/config.ts'
import { kekPlace, loadKek, placeKeyInFile } from '../config/kek.ts'
import { makePlainFolder } from '../files/folder.ts'
import { writeNewFile } from '../files/write-file.ts'
import { KeyRefused } from '../keys/refused.ts'
import { formatShare } from '../keys/share-text.ts'
import { combineShares, kekFingerprint, type NamedShare, splitKek } from '../keys/shares.ts'
import { wrapKek } from '../keys/wrapped-kek.ts'
import { kekFits } from '../store/kek-check.ts'
import { openStore } from '../store/open.ts'
import { readConfig, OPERATOR, printResult } from './appliance.ts'
import { askForShares, readShareFiles } from './read-shares.ts'
import { getAction, UsageError } from './usage.ts'

const HELP = `The master key, which protects everything that the appliance stores.

  npm run kek -- split --shares 5 --threshold 3 --out DIR
  npm run kek -- restore FILE…  (or --ask)
  npm run kek -- check FILE…    (or --ask)
  npm run kek -- fingerprint

  split        writes shares to print and to give to different people: any 3 of the 5 restore the key, fewer reveal
               nothing about it. Move the files off this machine. The key itself does not change
  restore      restores the key from shares, where no key exists. The key must match the database, if there is one
  check        checks whether these shares give the key of this data folder; writes nothing
  fingerprint  prints 16 hex digits that identify the master key; each share carries them
  --ask        asks for the shares; checks each line when it is typed
  --data DIR   the appliance's data folder (default: ~/.local/share/counterproof)
  --json       prints the result as one JSON object

If the operating system keeps the key ("kek": {"source": "shell"}), it cannot be split: back up that keystore instead. The key
of a token (pkcs11) can be split; restore wraps it with the key of the token that is configured at that time.

Exit status: 0 done, 1 refused and nothing changed, 2 wrong use.

Example: npm run kek -- split --shares 5 --threshold 3 --out /media/usb/shares
`

type Values = ReturnType<typeof readOptions>['values']
interface Work {
  readonly config: Config
  readonly values: Values
  readonly files: readonly string[]
}
interface Result {
  readonly status?: number
  readonly json: Readonly<Record<string, unknown>>
  readonly lines: readonly string[]
}

const ACTIONS: Readonly<Record<string, (work: Work) => Result | Promise<Result>>> = {
  split: splitKey,
  restore,
  check,
  fingerprint,
}

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = readOptions(argv)
  const [name, ...files] = positionals
  if (values.help || name === undefined) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  const action = getAction(ACTIONS, name)
  const { json, lines, status } = await action({ config: readConfig(values), values, files })
  printResult(values.json, json, lines.map((line) => `${line}\n`).join(''))
  return status ?? 0
}

function readOptions(argv: string[]) {
  return parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      shares: { type: 'string' },
      threshold: { type: 'string' },
      out: { type: 'string' },
      ask: { type: 'boolean', default: false },
      data: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
}

async function splitKey({ config, values }: Work): Promise<Result> {
  const [shares, threshold] = [Number(values.shares), Number(values.threshold)]
  if (values.out === undefined || !Number.isInteger(shares) || !Number.isInteger(threshold)) {
    throw new UsageError('split needs --shares, --threshold and --out DIR')
  }
  const folder = resolve(values.out)
  const way = relative(config.dataDir, folder)
  if (way !== '..' && !way.startsWith(`..${sep}`)) {
    throw new KeyRefused('The shares must not lie in the data folder, beside the key that they replace.')
  }
  const kek = presentKek(config)
  const made = await splitKek(kek, shares, threshold)
  const files = made.map((share) => {
    const name = `key-share-${share.setId}-${share.number}-of-${share.shares}.txt`
    return { path: join(folder, name), text: formatShare(share) }
  })
  const store = openStore(config.dataDir, kek)
  const written: string[] = []
  try {
    await makePlainFolder(folder)
    for (const { path, text } of files) {
      if (!writeNewFile(path, text))
        throw new KeyRefused(`There is a file ${path} already. Nothing was written.`)
      written.push(path)
    }
    store.transaction(() => {
      store.events.append('kek.split', null, { shares, threshold }, new Date(), OPERATOR)
    })
  } catch (error) {
    for (const path of written) rmSync(path, { force: true })
    throw error
  } finally {
    store.close()
    kek.fill(0)
  }
  const paths = files.map(({ path }) => path)
  return {
    json: { setId: made[0]?.setId, shares, threshold, fingerprint: made[0]?.fingerprint, files: paths },
    lines: [
      ...paths,
      `Any ${threshold} of these ${shares} make the key. Print them, part them, delete the files.`,
    ],
  }
}

async function restore({ config, values, files }: Work): Promise<Result> {
  const place = requireKekPlace(config)
  if (existsSync(join(config.dataDir, place))) {
    throw new KeyRefused(`There is a master key, ${place}; it is never overwritten. See \`check\`.`)
  }
  const kek = await combineShares(await readShares(values, files))
  if (kekFits(config.dataDir, kek) === false) {
    throw new KeyRefused('These shares make a master key, but not the one of this database.')
  }
  const placed = config.kek.source === 'pkcs11' ? wrapKek(config, kek) : placeKeyInFile(config.dataDir, kek)
  if (!placed) throw new KeyRefused(`There is a master key, ${place}; it is never overwritten.`)
  const shown = kekFingerprint(kek)
  noteRestored(config, kek)
  kek.fill(0)
  return {
    json: { restored: place, fingerprint: shown },
    lines: [`restored: ${place}`, `fingerprint: ${shown}`],
  }
}

/** Logs the restore in the database of the key, if it exists. */
function noteRestored({ dataDir }: Config, kek: Uint8Array): void {
  if (kekFits(dataDir, kek) !== true) return
  // Restore the master key first: the keys of the identities, if they are lost too, need it.
  const store = openStore(dataDir, kek, { anyKeys: true })
  try {
    store.transaction(() => store.events.append('kek.restored', null, {}, new Date(), OPERATOR))
  } finally {
    store.close()
  }
}

/**
 * Checks whether the shares make the key of this folder. Status 0: they do; 1: they do not, or there are too
 * few.
 */
async function check({ config, values, files }: Work): Promise<Result> {
  const named = await readShares(values, files)
  const present = hasKek(config) ? kekFingerprint(loadKek(config)) : null
  const rows = named.map(({ name, share }) => ({
    name,
    set: share.setId,
    number: share.number,
    shares: share.shares,
    threshold: share.threshold,
    fits: present === null ? null : share.fingerprint === present,
  }))
  const lines = rows.map((row) => {
    const verdict = row.fits === null ? '' : row.fits ? ', of this master key' : ', of ANOTHER master key'
    return `${row.name}: share ${row.number} of ${row.shares}, set ${row.set}${verdict}`
  })
  const problem = await findProblem(config, named, present)
  return {
    status: problem === null ? 0 : 1,
    json: { makesTheKey: problem === null, problem, shares: rows },
    lines: [...lines, problem ?? 'They make the master key of this data folder.'],
  }
}

async function findProblem(
  config: Config,
  named: readonly NamedShare[],
  present: string | null,
): Promise<string | null> {
  let kek: Buffer
  try {
    kek = await combineShares(named)
  } catch (error) {
    if (error instanceof KeyRefused) return error.message
    throw error
  }
  const fits = present === null ? kekFits(config.dataDir, kek) : kekFingerprint(kek) === present
  if (fits === null)
    return 'They make a master key, and this data folder has neither key nor database to compare.'
  return fits ? null : 'They make another master key than that of this data folder.'
}

function fingerprint({ config }: Work): Result {
  const shown = kekFingerprint(presentKek(config))
  return { json: { fingerprint: shown }, lines: [shown] }
}

/** Never creates a key. */
function presentKek(config: Config): Buffer {
  const place = requireKekPlace(config)
  if (!hasKek(config)) throw new KeyRefused(`There is no master key yet, ${place}: the first start makes it.`)
  return loadKek(config)
}

function hasKek(config: Config): boolean {
  const place = kekPlace(config)
  return place !== null && existsSync(join(config.dataDir, place))
}

/** Throws KeyRefused if the key is not in the data folder. */
function requireKekPlace(config: Config): string {
  const place = kekPlace(config)
  if (place !== null) return place
  throw new KeyRefused(
    'The operating system keeps this master key and hands it to the server alone. Back its keystore up; or pin the ' +
      'key file, "kek": {"source": "key-file"} in config.json, on a new appliance or to restore shares into it.',
  )
}

async function readShares(values: Values, files: readonly string[]): Promise<readonly NamedShare[]> {
  if (values.ask) return askForShares()
  if (files.length === 0) throw new UsageError('name the files of the shares, or --ask to type them')
  return readShareFiles(files)
}
