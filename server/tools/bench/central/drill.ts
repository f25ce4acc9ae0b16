/**
 * The drill of the central service at scale: base backup and archived log of PostgreSQL, loss of the database server, recovery, and
 * the comparison of every archive with the list of before (docs/RUNBOOK.md, "The central service is lost").
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import type { ManagedProcess } from '../crash/processes.ts'
import type { Postgres } from '../postgres.ts'
import { measureFolder } from '../soak/sampler.ts'

export interface DrillResult {
  readonly archives: number
  readonly asListed: number
  readonly problems: number
  readonly baseBytes: number
  readonly logBytes: number
  /** Copying the running server. */
  readonly backupSeconds: number
  /** Time between the loss and the first answer of an instance. */
  readonly restoreSeconds: number
  /** Reading, decrypting and comparing every archive. */
  readonly checkSeconds: number
}

export interface Drill {
  readonly postgres: Postgres
  readonly instance: ManagedProcess
  /** Runs a command of the central service, with `--json`. */
  readonly command: (...args: string[]) => Promise<string>
  /** Delivers this share of the proofs. */
  readonly deliver: (share: number) => Promise<void>
  readonly folder: string
}

/** Half of the proofs are in the base backup, half in the archived log alone. */
export async function runDrill({
  postgres,
  instance,
  command,
  deliver,
  folder,
}: Drill): Promise<DrillResult> {
  await deliver(0.5)
  const backupSeconds = await time(() => postgres.makeBaseBackup())
  const { bytes: baseBytes } = await measureFolder(postgres.baseFolder)
  await deliver(0.5)
  const list = join(folder, 'archives.txt')
  await command('archives', 'list', '--out', list)
  await closeLog(postgres)
  const { bytes: logBytes } = await measureFolder(postgres.logFolder)
  const restoreSeconds = await time(async () => {
    await instance.kill()
    await postgres.loseAndRestore()
    await waitForRecovery(postgres.url)
    await instance.start()
  })
  let checked = { archives: 0, asListed: 0, problems: [] as readonly unknown[] }
  const checkSeconds = await time(async () => {
    checked = JSON.parse(await command('archives', 'check', '--list', list)) as typeof checked
  })
  const { archives, asListed, problems } = checked
  return {
    archives,
    asListed,
    problems: problems.length,
    baseBytes,
    logBytes,
    backupSeconds,
    restoreSeconds,
    checkSeconds,
  }
}

async function time(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1000
}

/** Has the last piece of the log archived, as `archive_timeout` does within a minute. */
async function closeLog({ url, logFolder }: Postgres): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS name')
    while (!existsSync(join(logFolder, rows[0].name))) await wait(100)
  } finally {
    await client.end()
  }
}

async function waitForRecovery(url: string): Promise<void> {
  for (;;) {
    const client = new Client({ connectionString: url })
    try {
      await client.connect()
      const { rows } = await client.query<{ busy: boolean }>('SELECT pg_is_in_recovery() AS busy')
      if (!rows[0].busy) return
    } catch {
      // The server does not take connections yet.
    } finally {
      await client.end().catch(() => undefined)
    }
    await wait(100)
  }
}

export function describeDrill(result: DrillResult): string {
  const mb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`
  const minutes = ((result.restoreSeconds + result.checkSeconds) / 60).toFixed(1)
  return [
    `base backup of ${mb(result.baseBytes)} in ${result.backupSeconds.toFixed(1)} s, ${mb(result.logBytes)} of archived log`,
    `the service answers ${result.restoreSeconds.toFixed(1)} s after the loss; ${result.archives} archives compared in ${result.checkSeconds.toFixed(1)} s`,
    `${minutes} minutes in all; ${result.asListed} archives as listed, ${result.problems} not`,
  ].join('\n')
}
