/**
 * `npm run audit`: verifies the audit log, lists it, and shows its length; with or without a running
 * appliance.
 */
import { once } from 'node:events'
import { hostname } from 'node:os'
import { verifyExport, type ExportRange } from '../audit/export.ts'
import { formatLogLine } from '../audit/log-lines.ts'
import { streamEvents } from '../audit/stream.ts'
import { verifyAudit, type AuditReport } from '../audit/verify.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { loadKek } from '../config/kek.ts'
import { openToken } from '../keys/token.ts'
import { KeyError } from '../proof/verify.ts'
import type { Store } from '../store/open.ts'
import { acceptClock, getTimeNow } from '../time/trusted-time.ts'
import { makeCheckpoint } from '../workflows/health/audit-log.ts'
import { exportAuditLog } from '../workflows/health/export-audit-log.ts'
import { openSigner } from '../workflows/proof/open-signer.ts'
import { readConfig, OPERATOR, requireDatabase, printResult, withPresentStore } from './appliance.ts'
import { waitUntilAskedToStop } from './asked-to-stop.ts'
import { readAction } from './read-action.ts'
import { refuseMore, UsageError } from './usage.ts'
import { FileError, readTrustFiles } from './verify-proof-files.ts'

const HELP = `The audit log: each event with its actor, time and reason, chained to the event before it.

  npm run audit -- verify [--checkpoints FILE]… [--proofs DIR] [--key FILE]… [--no-files] [--data DIR] [--json]
  npm run audit -- checkpoint [--data DIR] [--json]
  npm run audit -- export --out FILE [--from N|DATE] [--to N|DATE] [--data DIR] [--json]
  npm run audit -- verify-export FILE --key FILE… [--json]
  npm run audit -- stream [--from N|DATE] [--follow] [--syslog] [--data DIR]
  npm run audit -- accept-clock [--data DIR]

  verify         reads the whole log and compares it with the signed checkpoints and with the rows and files of proofs,
                 outbox and erasures. Names each event that was deleted, changed, moved or replaced
  --checkpoints  checkpoints or exports that you keep elsewhere; with them, the command finds that the whole log was
                 replaced by an older copy
  --proofs       folder of proof archives that you keep elsewhere; each states the last event of its time
  --key          public keys (PEM or JWKS) to trust (default: those in the database)
  --no-files     does not read the proof archives
  checkpoint     signs the last event of the log and prints the statement; keep it elsewhere
  export         writes the log as lines of JSON, the last line signed, into a file that only your user can read; --from and
                 --to are event numbers or dates (UTC)
  verify-export  verifies an export with the given public keys
  stream         prints the events for a log collector (SIEM), a line each, with ids and without personal values; the lines
                 are not signed. Start again at the number after the last one that arrived
  --follow       waits for further events, until Ctrl+C or SIGTERM
  --syslog       prints lines of syslog (RFC 5424) in place of JSON
  accept-clock   confirms that you checked the clock of the machine; ends a doubt that no central service can end
  --data         the appliance's data folder (default: ~/.local/share/counterproof)
  --json         prints the result as one JSON object

Exit status: 0 no problem found, 1 a problem was found, 2 wrong use.

Example: npm run audit -- export --out log.jsonl --from 2027-01-01
`

export async function run(argv: string[]): Promise<number> {
  const command = readAction(argv, HELP, {
    checkpoints: { type: 'string', multiple: true },
    proofs: { type: 'string' },
    key: { type: 'string', multiple: true },
    'no-files': { type: 'boolean', default: false },
    out: { type: 'string' },
    follow: { type: 'boolean', default: false },
    syslog: { type: 'boolean', default: false },
    from: { type: 'string' },
    to: { type: 'string' },
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if ('status' in command) return command.status
  const { name: action, positionals, values } = command
  const [, path, ...more] = positionals
  refuseMore(action === 'verify-export' ? more : positionals.slice(1))
  const say = (result: unknown, words: string): void => printResult(values.json, result, words)
  const configuration = (): Config => {
    const config = readConfig(values)
    requireDatabase(config)
    return config
  }
  try {
    const keys = values.key ? await readTrustFiles({ keys: values.key, cas: [], tsaCas: [] }) : null
    switch (action) {
      case 'verify': {
        const config = configuration()
        const report = await verifyAudit({
          dataDir: config.dataDir,
          kek: loadKek(config),
          ...(values.checkpoints ? { checkpointFiles: values.checkpoints } : {}),
          ...(values.proofs === undefined ? {} : { proofsDir: values.proofs }),
          ...(keys ? { keys } : {}),
          files: values['no-files'] ? 'skip' : 'read',
        })
        say(report, inWords(report))
        return report.valid ? 0 : 1
      }
      case 'checkpoint': {
        const { jws, eventSeq } = await checkpoint(configuration())
        say({ seq: eventSeq, checkpoint: jws }, `${jws}\n`)
        return 0
      }
      case 'export': {
        if (values.out === undefined) throw new UsageError('export needs --out FILE')
        const range: ExportRange = { ...end('from', values.from), ...end('to', values.to) }
        const lines = await exportLog(configuration(), values.out, range)
        say(lines, `Events ${lines.from} to ${lines.to} written.\n`)
        return 0
      }
      case 'verify-export': {
        if (path === undefined || !keys) throw new UsageError('verify-export needs a FILE and --key FILE')
        const report = await verifyExport(path, keys)
        const words = report.valid
          ? `${report.events} events, whole and signed.\n`
          : report.problems.map((problem) => `${problem}\n`).join('')
        say(report, words)
        return report.valid ? 0 : 1
      }
      case 'stream': {
        await printStream(configuration(), end('from', values.from).from, values)
        return 0
      }
      case 'accept-clock': {
        await withPresentStore(configuration(), (store) => acceptClock(store, systemClock.now()))
        say({ accepted: true }, 'The appliance believes the clock again, from its next look or start on.\n')
        return 0
      }
      default:
        throw new UsageError(`there is no action '${action}'`)
    }
  } catch (error) {
    if (error instanceof KeyError || error instanceof FileError)
      throw new UsageError(error.message, { cause: error })
    throw error
  }
}

function checkpoint(config: Config) {
  return withPresentStore(config, async (store) => {
    const time = getTimeNow(systemClock, store)
    const signer = await openAuditSigner(store, config)
    return makeCheckpoint({ store, signer, config }, time, OPERATOR)
  })
}

function exportLog(config: Config, out: string, range: ExportRange) {
  return withPresentStore(config, async (store) => {
    const signer = await openAuditSigner(store, config)
    return exportAuditLog({ store, signer }, getTimeNow(systemClock, store), out, range, OPERATOR)
  })
}

/** A collector that closes the pipe ends the command. */
async function printStream(
  config: Config,
  from: ExportRange['from'],
  { follow, syslog }: { readonly follow: boolean; readonly syslog: boolean },
): Promise<void> {
  const stop = new AbortController()
  process.stdout.once('error', () => stop.abort())
  if (follow) void waitUntilAskedToStop().then(() => stop.abort())
  await withPresentStore(config, async (store) => {
    const options = {
      ...(from === undefined ? {} : { from }),
      ...(follow ? { followUntil: stop.signal } : {}),
    }
    for await (const line of streamEvents(store.events, options)) {
      if (stop.signal.aborted) return
      const text = formatLogLine(line, syslog ? 'syslog' : 'json', hostname())
      if (!process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain', stop).catch(() => undefined)
    }
  })
}

function openAuditSigner(store: Store, config: Config) {
  const clock = { now: () => getTimeNow(systemClock, store).latest }
  return openSigner(store, clock, { source: config.signing.source, openToken: () => openToken(config) })
}

function end(name: 'from' | 'to', text: string | undefined): ExportRange {
  if (text === undefined) return {}
  if (/^\d{1,15}$/.test(text)) return { [name]: Number(text) }
  const day = /^\d{4}-\d\d-\d\d$/.test(text)
  const at = new Date(
    day && name === 'to' ? `${text}T23:59:59.999Z` : day ? text : `${text.replace(/Z$/, '')}Z`,
  )
  if (Number.isNaN(at.getTime())) throw new UsageError(`--${name} is neither an event number nor a date`)
  return { [name]: at }
}

function inWords({ valid, checked, head, findings, elapsedMs }: AuditReport): string {
  const counts = Object.entries(checked).map(([what, count]) => `${count} ${what}`)
  const lines = findings.map(({ message }) => `  ${message}`)
  const verdict = valid ? 'The audit log is whole.' : `${findings.length} findings:`
  return [
    verdict,
    ...lines,
    `Checked ${counts.join(', ')} in ${elapsedMs} ms; the log ends at event ${head.seq}.`,
    '',
  ].join('\n')
}
