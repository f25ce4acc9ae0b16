/**
 * The version before: the newest commit with an older schema of the central service's database. `UPGRADE_FROM=COMMIT`
 * names another one. Its files come from the history of the repository, its packages from this checkout.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const MIGRATIONS = 'server/central/db/migrations'
const commit = findCommit()
/** Why it cannot be started; null: it can. */
export const versionBeforeReason: string | null =
  commit === null ? 'the repository has no history here, so there is no version before' : null

export interface VersionBefore {
  readonly commit: string
  /** Runs a command to its end. Returns what it printed. */
  run(args: readonly string[]): string
  /** Starts `central -- start` on a free port. Resolves when it is ready. */
  start(): Promise<{
    readonly url: string
    readonly readLog: () => string
    /** SIGTERM. Returns the exit status. */
    stop(): Promise<number | null>
  }>
  remove(): void
}

/** @param env of its processes */
export function unpackVersionBefore(env: Readonly<Record<string, string>>): VersionBefore {
  if (commit === null) throw new TypeError('there is no version before')
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-before-'))
  const archive = git(['archive', commit, 'server', 'resources', 'package.json'])
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const entry = join(folder, 'server', 'run.mjs')
  const options = { env: { ...process.env, ...env } }
  return {
    commit,
    run: (args) => execFileSync(process.execPath, [entry, ...args], { ...options, encoding: 'utf8' }),
    start: async () => {
      const child = spawn(process.execPath, [entry, 'central', 'start', '--port', '0'], options)
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
      let log = ''
      child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')))
      const url = await new Promise<string>((resolve, reject) => {
        let printed = ''
        child.stdout.on('data', (chunk: Buffer) => {
          printed += chunk.toString('utf8')
          const [, found] = /listening on (\S+)\n/.exec(printed) ?? []
          if (found !== undefined) resolve(found)
        })
        child.once('exit', () => reject(new Error(`the version before ended by itself: ${log.slice(-2000)}`)))
      })
      return {
        url,
        readLog: () => log,
        stop: () => {
          child.kill('SIGTERM')
          return ended
        },
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function findCommit(): string | null {
  const named = process.env.UPGRADE_FROM
  const newest = readdirSync(join(ROOT, MIGRATIONS))
    .filter((file) => /^\d/.test(file))
    .sort()
    .at(-1)
  try {
    if (git(['rev-parse', '--is-shallow-repository']).toString().trim() !== 'false') return null
    const added = git(['log', '-1', '--format=%H', '--diff-filter=A', '--', `${MIGRATIONS}/${newest}`])
    // A migration that is not committed yet: the last commit is the version before.
    const found = named ?? (added.length === 0 ? 'HEAD' : `${added.toString().trim()}^`)
    return git(['rev-parse', '--verify', `${found}^{commit}`])
      .toString()
      .trim()
  } catch {
    return null
  }
}

function git(args: readonly string[]): Buffer {
  return execFileSync('git', args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 256 * 1024 * 1024,
  })
}
