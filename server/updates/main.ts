/** The command counterproof-update. It imports everything before dpkg replaces the files of this version. */
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readLastResult } from './last-result.ts'
import { DATA_FOLDER, getUpdatePaths } from './paths.ts'
import { installRelease, readKeptVersions, returnToPrevious, runRequests } from './updater.ts'
import { REASONS, type UpdateResult } from './rules.ts'

const HELP = `Updates Counterproof on this kiosk, and returns to the version before if the new one does not start.

  sudo counterproof-update install PACKAGE.deb   needs the file VERSION_ARCH.release.json beside the package, signed with a
                                                 key of /etc/counterproof/release-keys
  sudo counterproof-update rollback              installs the version before again
  counterproof-update status                     prints the versions and the last result
  sudo counterproof-update run                   what the unit does: ends an interrupted update, then carries out the
                                                 request of the server
  counterproof-update --help                     this text

Waits until no visit is under way, at most COUNTERPROOF_DRAIN_MINUTES (30), then copies the database, installs, and waits
COUNTERPROOF_HEALTH_SECONDS (300) for ${getHealthUrl()}.
Exit status: 0 done, 1 refused, failed or rolled back, 2 wrong use.
`

function getHealthUrl(): string {
  return process.env.COUNTERPROOF_HEALTH_URL ?? 'http://127.0.0.1:8717/healthcheck'
}

function readNumber(name: string, normal: number): number {
  const given = Number(process.env[name] ?? normal)
  return Number.isFinite(given) && given >= 0 ? given : normal
}

function printResult(result: UpdateResult): number {
  process.stdout.write(`${JSON.stringify(result)}\n`)
  if (result.reason) process.stderr.write(`${REASONS[result.reason]}\n`)
  return result.state === 'INSTALLED' ? 0 : 1
}

async function main([action, file, ...rest]: readonly string[]): Promise<number> {
  const times = {
    drainMs: readNumber('COUNTERPROOF_DRAIN_MINUTES', 30) * 60_000,
    healthMs: readNumber('COUNTERPROOF_HEALTH_SECONDS', 300) * 1000,
    healthUrl: getHealthUrl(),
  }
  const isAlone = file === undefined
  if (action === '--help') process.stdout.write(HELP)
  else if (action === 'status' && isAlone)
    process.stdout.write(`${JSON.stringify({ ...readKeptVersions(), last: readLast() })}\n`)
  else if (action === 'run' && isAlone) {
    const result = await runRequests(times)
    if (result) printResult(result)
  } else if (action === 'rollback' && isAlone) return printResult(await returnToPrevious(times))
  else if (action === 'install' && file !== undefined && rest.length === 0)
    return printResult(await installByHand(file, times))
  else {
    process.stderr.write(HELP)
    return 2
  }
  return 0
}

const readLast = () => readLastResult(getUpdatePaths(DATA_FOLDER).result)

/** The names of both files are those of npm run package:repo. */
function installByHand(file: string, times: Parameters<typeof installRelease>[1]): Promise<UpdateResult> {
  const packagePath = realpathSync(file)
  const name = /([^/]*)\.deb$/.exec(packagePath)?.[1]?.replace(/^counterproof_/, '')
  const releasePath = join(dirname(packagePath), `${name}.release.json`)
  return installRelease({ id: 'by-hand', packagePath, releasePath }, times)
}

// The server reads the result, and dpkg-deb packs no closed folder.
process.umask(0o022)
try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`counterproof-update: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
