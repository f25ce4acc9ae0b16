/**
 * `npm run check:dependencies`: checks the packages of every lockfile. Licences, hashes, origin and deprecation come from the
 * lockfile alone, so they are checked without a network. Advisories are asked from the registry; where it does not
 * answer, the output says so.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findPackageProblems, isSevere, parseAudit, parseLockfile } from './findings.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** Folders with a package-lock.json of their own. */
const LOCKED_FOLDERS = ['.', 'plugins/pkcs11']
const AUDIT_TIMEOUT_MS = 60_000

const HELP = `check-dependencies: checks licences, hashes, origin, deprecation and known advisories of all npm packages

  --require-advisories   fails if the registry does not answer which advisories it knows (for a release)
  --help                 prints this text

Exit status: 0 nothing found; 1 a package has a problem, or an advisory of severity high or critical;
2 the check could not run.

Example: npm run check:dependencies -- --require-advisories
`

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      'require-advisories': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  let hasFailed = false
  for (const folder of LOCKED_FOLDERS) {
    const packages = parseLockfile(
      JSON.parse(readFileSync(join(ROOT, folder, 'package-lock.json'), 'utf8')) as unknown,
    )
    const problems = findPackageProblems(packages)
    for (const finding of problems) process.stdout.write(`${finding.package} ${finding.problem}\n`)
    process.stdout.write(
      `${folder}: ${packages.length} packages, ${problems.length} problems of licence, hash, origin or deprecation\n`,
    )
    const advisories = askAdvisories(folder)
    if (advisories.asked) {
      for (const finding of advisories.findings)
        process.stdout.write(`${finding.package} ${finding.problem}\n`)
      process.stdout.write(`${folder}: ${advisories.findings.length} packages with known advisories\n`)
      hasFailed ||= advisories.findings.some(({ severity }) => isSevere(severity))
    } else {
      process.stdout.write(`${folder}: advisories were NOT checked (${advisories.reason})\n`)
      hasFailed ||= values['require-advisories']
    }
    hasFailed ||= problems.length > 0
  }
  return hasFailed ? 1 : 0
}

function askAdvisories(folder: string): ReturnType<typeof parseAudit> {
  // npm is a program of the machine, not of node_modules; it needs no packages to be installed for this.
  const npm = spawnSync('npm', ['audit', '--json', '--package-lock-only'], {
    cwd: join(ROOT, folder),
    encoding: 'utf8',
    timeout: AUDIT_TIMEOUT_MS,
  })
  if (npm.error) return { asked: false, reason: 'npm could not be run' }
  return parseAudit(npm.stdout)
}
