/**
 * npm run backup: creates a backup beside a running appliance, checks it by restoring, restores it on another
 * machine.
 */
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readBackupHeader } from '../backup/backup-file.ts'
import { backUpData, backUpKeys, type MadeBackup, type MadeKeysBackup } from '../backup/create.ts'
import { restoreKeys, type RestoredKeys } from '../backup/restore-keys.ts'
import { restoreBackup, verifyBackup, type RestoreReport } from '../backup/restore.ts'
import type { Config } from '../config/config.ts'
import { loadKek, loadPresentKek } from '../config/kek.ts'
import { requirePlainFolder } from '../files/folder.ts'
import { noteKeysCopy } from '../store/keys-copies.ts'
import { openStore } from '../store/open.ts'
import { readConfig, OPERATOR, requireDatabase, printResult } from './appliance.ts'
import { readAction } from './read-action.ts'
import { refuseMore, UsageError } from './usage.ts'

const HELP = `Backups of the appliance, encrypted with its master key. The steps for each disaster: docs/RUNBOOK.md.

  npm run backup -- create --to DIR --keys-to DIR [--data DIR] [--no-check] [--json]
  npm run backup -- verify FILE [--keys FILE] [--data DIR] [--json]
  npm run backup -- restore FILE [--keys FILE] [--older-keys] --data DIR [--json]
  npm run backup -- restore-keys --from FILE [--older-keys] [--data DIR] [--json]
  npm run backup -- list DIR [--json]

  create        writes a new backup into --to, and the newest keys of the identities into --keys-to, where they replace the
                earlier copy. Both folders must exist: a disk that is not mounted is refused. The appliance may run. Unless
                --no-check is given, the command checks the backup by restoring it into a temporary folder
  --keys-to     another disk or safe than --to, of which NO older copies are kept: erased data stays erased only if no old
                copy of the keys returns
  verify        restores into a temporary folder, reads every file and names each problem
  restore       restores into a folder without a database. The master key must be in place (npm run kek -- restore)
  --keys        the .cpkeys file (default: the keys in the data folder)
  restore-keys  restores only the keys of the identities from their copy (.cpkeys). The appliance must be stopped. Never
                replaces keys that match the database or are newer than the copy
  --older-keys  accepts a copy of the keys that is older than the database. The next start is refused, names what is lost,
                and waits for npm start -- --accept-loss
  list          lists the backups of a folder
  --data        the appliance's data folder (default: ~/.local/share/counterproof)
  --json        prints the result as one JSON object

Exit status: 0 done, 1 refused or incomplete, 2 wrong use.

Example: npm run backup -- create --to /mnt/backup --keys-to /mnt/safe
`

export async function run(argv: string[]): Promise<number> {
  const command = readAction(argv, HELP, {
    to: { type: 'string' },
    'keys-to': { type: 'string' },
    keys: { type: 'string' },
    from: { type: 'string' },
    'older-keys': { type: 'boolean', default: false },
    data: { type: 'string' },
    'no-check': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  })
  if ('status' in command) return command.status
  const { name: action, positionals, values } = command
  const [, path, ...more] = positionals
  if (more.length > 0 && (action === 'restore' || action === 'verify'))
    throw new UsageError(`${action} takes one FILE: name the newest generation (npm run backup -- list DIR)`)
  refuseMore(action === 'create' || action === 'restore-keys' ? positionals.slice(1) : more)
  const config = readConfig(values)
  const keys = values.keys ?? null
  const say = (result: unknown, words: string): void => printResult(values.json, result, words)
  switch (action) {
    case 'create': {
      const keysTo = values['keys-to']
      if (!values.to || !keysTo) throw new UsageError('create needs --to DIR and --keys-to DIR')
      if (resolve(values.to) === resolve(keysTo))
        throw new UsageError('--to and --keys-to must be two folders')
      const made = await create(config, { to: values.to, keysTo, check: !values['no-check'] })
      say(made, inWords(made))
      return made.check && made.check.problems.length > 0 ? 1 : 0
    }
    case 'verify': {
      if (path === undefined) throw new UsageError('verify needs a FILE')
      const kek = loadPresentKek(config)
      const report = await verifyBackup({
        backup: path,
        keys,
        kek,
        near: tmpdir(),
        ownKeysOf: config.dataDir,
      })
      say(report, reportInWords(report))
      return report.problems.length > 0 ? 1 : 0
    }
    case 'restore': {
      if (path === undefined || values.data === undefined)
        throw new UsageError('restore needs a FILE and --data DIR')
      const olderKeys = values['older-keys']
      const input = { backup: path, keys, olderKeys, dataDir: config.dataDir, kek: loadPresentKek(config) }
      const report = await restoreBackup(input, new Date())
      say(report, `restored into ${config.dataDir}\n${reportInWords(report)}`)
      return 0
    }
    case 'restore-keys': {
      if (values.from === undefined) throw new UsageError('restore-keys needs --from FILE')
      requireDatabase(config)
      const { dataDir } = config
      const kek = loadPresentKek(config)
      const input = { copy: values.from, dataDir, kek, olderKeys: values['older-keys'] }
      const restored = await restoreKeys(input, new Date())
      say(restored, keysInWords(restored))
      return 0
    }
    case 'list': {
      if (path === undefined) throw new UsageError('list needs a folder')
      const backups = await listBackups(path)
      const rows = backups.map(({ file, madeAt, applianceId }) => `${madeAt}  ${applianceId}  ${file}`)
      say({ backups }, `${rows.join('\n') || 'no backups there'}\n`)
      return 0
    }
    default:
      throw new UsageError(`there is no action '${action}'`)
  }
}

interface Created {
  readonly data: MadeBackup
  readonly keys: MadeKeysBackup
  readonly check: RestoreReport | null
}

async function create(
  config: Config,
  { to, keysTo, check }: { to: string; keysTo: string; check: boolean },
): Promise<Created> {
  requireDatabase(config)
  const kek = loadKek(config)
  const store = openStore(config.dataDir, kek)
  try {
    const source = { store, dataDir: config.dataDir, kek }
    const at = new Date()
    // Data first: then the copy of the keys contains the key of every identity in the data.
    const data = await backUpData(source, to, at)
    const keys = await backUpKeys(source, keysTo, at)
    const near = join(config.dataDir, 'checks')
    const report = check ? await verifyBackup({ backup: data.path, keys: keys.path, kek, near }) : null
    const body = {
      bytes: data.bytes,
      files: data.files,
      checked: report !== null && report.problems.length === 0,
    }
    store.transaction(() => {
      noteKeysCopy(store.meta, keys)
      store.events.append('backup.made', null, body, at, OPERATOR)
    })
    return { data, keys, check: report }
  } finally {
    store.close()
  }
}

async function listBackups(folder: string) {
  await requirePlainFolder(folder)
  const files = readdirSync(folder).filter((name) => name.endsWith('.cpbackup'))
  const headers = await Promise.all(
    files.map(async (file) => ({ file, header: await readBackupHeader(join(folder, file)) })),
  )
  return headers
    .map(({ file, header }) => ({
      file,
      applianceId: header.applianceId,
      madeAt: new Date(header.createdAt).toISOString(),
    }))
    .sort((a, b) => (a.madeAt < b.madeAt ? 1 : -1))
}

function inWords({ data, keys, check }: Created): string {
  const lines = [
    `backup: ${data.path} (${megabytes(data.bytes)}, ${data.files} files)`,
    `keys:   ${keys.path}`,
    ...(data.erasedMeanwhile > 0
      ? [`${data.erasedMeanwhile} files were erased meanwhile and are not in it`]
      : []),
  ]
  return `${lines.join('\n')}\n${check ? reportInWords(check) : 'not checked\n'}`
}

function keysInWords({ madeAt, generation, databaseGeneration, lost }: RestoredKeys): string {
  const head = `restored the keys of the identities, made ${madeAt.toISOString()}, generation ${generation}`
  if (lost > 0 || generation < databaseGeneration) {
    const loss = `${lost} identities have no key`
    return `${head}\nThe database has seen generation ${databaseGeneration}: ${loss}. See npm start.\n`
  }
  const ahead = generation - databaseGeneration
  if (ahead === 0) return `${head}\n`
  return `${head}\nThe keys are ${ahead} changes ahead of the database. The next start ends what was erased meanwhile.\n`
}

function reportInWords({ problems, identities, files, erasedSince, lost, madeAt }: RestoreReport): string {
  const erased = erasedSince > 0 ? `; ${erasedSince} erased since, which stay unreadable` : ''
  const without = lost > 0 ? `; ${lost} lost, because the keys are older than the backup` : ''
  const head = `made ${madeAt.toISOString()}: ${identities} identities with ${files} files${erased}${without}`
  if (problems.length === 0) return `${head}\nchecked: whole\n`
  return `${head}\nNOT whole:\n${problems.map((problem) => `  ${problem}\n`).join('')}`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
