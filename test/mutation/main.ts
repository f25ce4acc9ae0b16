/**
 * `npm run mutation`: Stryker on a folder of the rules or on all of them, and its result as a table. Never decides what a
 * mutant is or which tests count (stryker.config.mjs).
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { UsageError } from '../../server/commands/usage.ts'
import { countByFolder, countedIn, survivorsOf, type Counted, type Report } from './counts.ts'

const RULES = 'server/proofing'
/** Percent of all mutants: what the whole of the rules must reach. */
const AT_LEAST = 85
const HELP = `mutation: changes the rules of ${RULES} one by one and counts the changes that no test notices

  --folder NAME   a folder of ${RULES}, or . for the files beside the folders; may be repeated   (default: all)
  --file NAME     a file of ${RULES}, e.g. mrz/dates.ts; may be repeated
  --survivors     lists each mutant that no test noticed, as file:line:column, kind and what stood in its place
  --fresh         forgets what earlier runs found out (otherwise only what changed is tried again)
  --work DIR      where the copy, the memory and report.html lie; two runs at a time need two   (default out/mutation)
  --with-vitest   Vitest's own workers instead of our quicker runner: for holding one against the other
  --read          runs nothing, counts the last report
  --json          one JSON object at the end
  --help          this text

Exit status: 0 the share of noticed mutants is at least ${AT_LEAST} % of those counted, 1 it is not, 2 it could not run.
`

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      folder: { type: 'string', multiple: true, default: [] },
      file: { type: 'string', multiple: true, default: [] },
      survivors: { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      work: { type: 'string', default: 'out/mutation' },
      'with-vitest': { type: 'boolean', default: false },
      read: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const work = resolve(values.work)
  const patterns = [...values.folder.map(patternOf), ...values.file.map((name) => `${RULES}/${name}`)]
  if (!values.read && !(await mutate(work, patterns, values.fresh, values['with-vitest']))) return 2
  const report = JSON.parse(readFileSync(join(work, 'report.json'), 'utf8')) as Report
  const rows = countByFolder(report, `${RULES}/`)
  const whole = countedIn(Object.values(report.files).flatMap(({ mutants }) => mutants))
  if (values.survivors) for (const line of survivorsOf(report)) process.stdout.write(`${line}\n`)
  process.stdout.write(values.json ? `${JSON.stringify({ folders: rows, whole })}\n` : tableOf(rows, whole))
  return whole.score !== null && whole.score >= AT_LEAST ? 0 : 1
}

function patternOf(folder: string): string {
  if (!/^(\.|[\w-]+(\/[\w-]+)*)$/.test(folder)) throw new UsageError(`${folder} is no folder of ${RULES}.`)
  return folder === '.' ? `${RULES}/*.ts` : `${RULES}/${folder}/**/*.ts`
}

/** False when Stryker could not finish: a test fails as it is, or nothing is there to change. */
async function mutate(
  work: string,
  patterns: readonly string[],
  fresh: boolean,
  withVitest: boolean,
): Promise<boolean> {
  if (fresh) rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const packageFile = createRequire(import.meta.url).resolve('@stryker-mutator/core/package.json')
  const stryker = join(dirname(packageFile), 'bin', 'stryker.js')
  const what = patterns.length > 0 ? ['--mutate', patterns.join(',')] : []
  const child = spawn(process.execPath, [stryker, 'run', 'stryker.config.mjs', ...what], {
    // Standard output is for the table alone.
    stdio: ['ignore', process.stderr, process.stderr],
    env: {
      ...process.env,
      MUTATION_WORK: work,
      MUTATION_REPORTERS: 'progress-append-only',
      MUTATION_RUNNER: withVitest ? 'vitest' : 'in-process',
    },
  })
  return new Promise((done) => child.on('exit', (code) => done(code === 0)))
}

function tableOf(rows: Readonly<Record<string, Counted>>, whole: Counted): string {
  const cells = (name: string, { mutants, killed, survived, notReached, score }: Counted) =>
    `| ${name} | ${mutants} | ${killed} | ${survived} | ${notReached} | ${score === null ? 'none' : `${score} %`} |`
  return [
    '| folder | mutants | killed | survived | not reached by a test | killed share |',
    '|---|---|---|---|---|---|',
    ...Object.entries(rows).map(([name, counted]) => cells(name, counted)),
    cells('**all**', whole),
    '',
  ].join('\n')
}
