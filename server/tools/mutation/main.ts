/**
 * `npm run mutation`: runs Stryker on an area of the product or on some of its folders, and prints a table of the result.
 * stryker.config.mjs defines the mutants and the tests that count.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { UsageError } from '../../commands/usage.ts'
import { AREAS, toSourceGlob, type Area } from './areas.ts'
import type { Draw } from './draw.ts'
import { countByFolder, countedIn, listSurvivors, type Counted, type Report } from './counts.ts'

/** Minimum percentage of killed mutants in a whole area. */
const AT_LEAST = 85
const HELP = `mutation: changes the code of one area line by line and counts the changes that none of its own tests notices

  --area NAME     ${Object.keys(AREAS).join(', ')}   (default: proofing)
  --folder NAME   a folder of the area, or . for the files beside the folders; may be repeated   (default: all)
  --file NAME     a file of the area, e.g. mrz/dates.ts; may be repeated
  --percent P     tries P percent of the mutants, drawn by --seed, and prints a 95 % interval   (default 100)
  --seed S        seed of the draw                                                        (default 1)
  --survivors     lists each mutant that no test noticed: file:line:column, kind and the changed code
  --fresh         ignores the results of earlier runs (otherwise only changed code is tried again)
  --work DIR      folder of the copy, the stored results and report.html; two runs at a time need two   (default out/mutation)
  --with-vitest   uses Vitest's own workers instead of our faster runner, to compare the two
  --read          runs nothing and counts the last report
  --json          prints one JSON object at the end
  --help          prints this text

Exit status: 0 the share of noticed mutants is at least ${AT_LEAST} % of those counted, 1 it is not, 2 the command could not run.

Example: npm run mutation -- --area proofing --folder mrz --survivors
`

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      area: { type: 'string', default: 'proofing' },
      percent: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
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
  const area = AREAS[values.area]
  if (!area) throw new UsageError(`${values.area} is no area: ${Object.keys(AREAS).join(', ')}.`)
  const draw = { percent: Number(values.percent), seed: Number(values.seed) }
  if (!(draw.percent > 0 && draw.percent <= 100) || !Number.isInteger(draw.seed)) {
    throw new UsageError('--percent is above 0 and at most 100, --seed a whole number.')
  }
  const work = resolve(values.work)
  const { sources } = area
  const named = [
    ...values.folder.map((folder) => buildPattern(sources, folder)),
    ...values.file.map((name) => `${sources}/${name}`),
  ]
  const patterns = named.length > 0 ? named : [toSourceGlob(area)]
  if (
    !values.read &&
    !(await mutate(work, { area, draw, patterns, fresh: values.fresh, withVitest: values['with-vitest'] }))
  )
    return 2
  const report = JSON.parse(readFileSync(join(work, 'report.json'), 'utf8')) as Report
  const rows = countByFolder(report, `${sources}/`, draw)
  const whole = countedIn(
    Object.values(report.files).flatMap(({ mutants }) => mutants),
    draw,
  )
  if (values.survivors) for (const line of listSurvivors(report, draw)) process.stdout.write(`${line}\n`)
  process.stdout.write(
    values.json ? `${JSON.stringify({ folders: rows, whole })}\n` : formatTable(rows, whole),
  )
  return whole.score !== null && whole.score >= AT_LEAST ? 0 : 1
}

function buildPattern(sources: string, folder: string): string {
  if (!/^(\.|[\w-]+(\/[\w-]+)*)$/.test(folder)) throw new UsageError(`${folder} is no folder of ${sources}.`)
  return folder === '.' ? `${sources}/*.ts` : `${sources}/${folder}/**/*.ts`
}

interface Wanted {
  readonly area: Area
  readonly draw: Draw
  readonly patterns: readonly string[]
  readonly fresh: boolean
  readonly withVitest: boolean
}

/** False if Stryker could not finish: a test fails without any mutant, or there is nothing to change. */
async function mutate(work: string, { area, draw, patterns, fresh, withVitest }: Wanted): Promise<boolean> {
  if (fresh) rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const packageFile = createRequire(import.meta.url).resolve('@stryker-mutator/core/package.json')
  const stryker = join(dirname(packageFile), 'bin', 'stryker.js')
  const what = ['--mutate', patterns.join(',')]
  const child = spawn(process.execPath, [stryker, 'run', 'stryker.config.mjs', ...what], {
    // Standard output contains only the table.
    stdio: ['ignore', process.stderr, process.stderr],
    env: {
      ...process.env,
      MUTATION_WORK: work,
      MUTATION_TESTS: process.env.MUTATION_TESTS ?? area.tests.join(','),
      MUTATION_SECONDS: process.env.MUTATION_SECONDS ?? String(area.secondsPerMutant),
      MUTATION_DRAW: JSON.stringify(draw),
      MUTATION_REPORTERS: 'progress-append-only',
      MUTATION_RUNNER: withVitest ? 'vitest' : 'in-process',
    },
  })
  return new Promise((done) => child.on('exit', (code) => done(code === 0)))
}

function formatTable(rows: Readonly<Record<string, Counted>>, whole: Counted): string {
  const share = ({ score, interval }: Counted): string =>
    score === null ? 'none' : `${score} %${interval ? ` [${interval.join(', ')}]` : ''}`
  const cells = (name: string, counted: Counted) =>
    `| ${name} | ${counted.mutants} | ${counted.killed} | ${counted.survived} | ${counted.notReached} | ${share(counted)} |`
  return [
    '| folder | mutants | killed | survived | not reached by a test | killed share |',
    '|---|---|---|---|---|---|',
    ...Object.entries(rows).map(([name, counted]) => cells(name, counted)),
    cells('**all**', whole),
    '',
  ].join('\n')
}
