/**
 * `npm run bench`: runs every bench with small settings, one after the other, prints one table and writes all figures with the
 * machine and the versions into a file.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Interrupted, waitUntilAskedToStop } from '../../commands/asked-to-stop.ts'
import { makePlainFolder } from '../../files/folder.ts'
import { writeFileWhole } from '../../files/write-file.ts'
import { computeSha256 } from '../../vision/packs.ts'
import { combineRepetitions, describeFigures, type RepeatedFigure } from './all/figure.ts'
import { PARTS, runPart, type Part } from './all/parts.ts'
import { endBench } from './labelled-data.ts'

const HELP = `bench: runs every bench with small settings and prints one table

  --only TEXT   only parts whose name contains TEXT
  --repeat N    repetitions; the table has the median of each figure            (default 1)
  --kept N      identities that the second appliance keeps                      (default 10000)
  --out DIR     where DATE.json goes, with machine, versions and all repetitions (default bench-results)
  --list        names the parts and what each runs
  --json        one JSON object at the end instead of the table
  --help        this text

Takes about half an hour on two cores. Run it on a quiet machine: other work on its cores changes the times. A floor is the same
work by the least code that does it, measured in the same run: it moves with the machine, and the ratio to it does not. A part
that fails is named and has no figures. Settings are small: error rates have wide intervals, and single benches measure more.
Exit status: 0; 1 if a part failed; 2 if nothing was measured. A missed goal is no failure.

Example: npm run bench -- --only appliance --repeat 3
`

export interface Results {
  readonly date: string
  readonly machine: Readonly<Record<string, string | number>>
  readonly versions: Readonly<Record<string, string>>
  readonly repetitions: number
  readonly parts: readonly {
    readonly name: string
    readonly command: string
    readonly seconds: readonly number[]
    readonly failed: string | null
  }[]
  readonly figures: readonly RepeatedFigure[]
}

const say = (line: string): void => void process.stderr.write(`${line}\n`)

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      only: { type: 'string', default: '' },
      repeat: { type: 'string', default: '1' },
      kept: { type: 'string', default: '10000' },
      out: { type: 'string', default: 'bench-results' },
      list: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [repeat, kept] = [values.repeat, values.kept].map(Number)
  if (!(Number.isInteger(repeat) && repeat > 0 && Number.isInteger(kept) && kept > 0)) {
    say('--repeat and --kept take whole numbers above 0')
    return 2
  }
  const parts = PARTS.filter(({ name }) => name.includes(values.only))
  if (values.list) {
    for (const part of parts) process.stdout.write(`${part.name.padEnd(20)} ${describeCommand(part)}\n`)
    return 0
  }
  if (parts.length === 0) {
    say(`no part has ${values.only} in its name: see --list`)
    return endBench(0)
  }
  const results = await runParts(parts, repeat, kept)
  await makePlainFolder(resolve(values.out))
  const file = join(resolve(values.out), `${results.date.slice(0, 19).replaceAll(':', '')}.json`)
  writeFileWhole(file, `${JSON.stringify(results, null, 1)}\n`)
  process.stdout.write(values.json ? `${JSON.stringify(results)}\n` : describe(results))
  say(`written: ${file}`)
  return endBench(
    results.figures.length,
    results.parts.every(({ failed }) => failed === null),
  )
}

async function runParts(parts: readonly Part[], repeat: number, kept: number): Promise<Results> {
  const date = new Date().toISOString()
  const done: Results['parts'][number][] = []
  const figures: RepeatedFigure[] = []
  const stop = new AbortController()
  const interrupted = waitUntilAskedToStop().then((signal) => {
    stop.abort()
    throw new Interrupted(signal)
  })
  for (const [index, part] of parts.entries()) {
    const runs: Awaited<ReturnType<typeof runPart>>[] = []
    const seconds: number[] = []
    let failed: string | null = null
    for (let n = 0; n < repeat && failed === null; n++) {
      const repetition = repeat > 1 ? `, repetition ${n + 1} of ${repeat}` : ''
      say(`${index + 1} of ${parts.length}: ${part.name}${repetition}`)
      const startedAt = performance.now()
      try {
        runs.push(await Promise.race([runPart(part, { kept, say, signal: stop.signal }), interrupted]))
      } catch (error) {
        if (error instanceof Interrupted) throw error
        failed = error instanceof Error ? error.message : String(error)
        say(`${part.name} failed: ${failed}`)
      }
      seconds.push(Math.round((performance.now() - startedAt) / 1000))
    }
    done.push({ name: part.name, command: describeCommand(part), seconds, failed })
    figures.push(...combineRepetitions(part.name, runs))
  }
  return {
    date,
    machine: describeMachine(),
    versions: readVersions(),
    repetitions: repeat,
    parts: done,
    figures,
  }
}

function describeCommand(part: Part): string {
  return 'argv' in part ? `npm run bench:${part.name} -- ${part.argv.join(' ')}` : part.summary
}

function describeMachine(): Results['machine'] {
  const processors = cpus()
  return {
    processor: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    memoryBytes: totalmem(),
    kernel: release(),
    architecture: process.arch,
  }
}

function readVersions(): Results['versions'] {
  const root = join(import.meta.dirname, '..', '..', '..')
  return {
    node: process.version,
    commit: readCommit(root),
    models: computeSha256(readFileSync(join(root, 'models', 'manifest.json'))),
  }
}

/** A package has no repository. */
function readCommit(root: string): string {
  const ask = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const isChanged = ask('status', '--porcelain', '--untracked-files=no') !== ''
    return `${ask('rev-parse', 'HEAD')}${isChanged ? ' with changes' : ''}`
  } catch {
    return 'unknown'
  }
}

function describe({ figures, parts }: Results): string {
  const failed = parts.filter((part) => part.failed !== null).map(({ name }) => name)
  return describeFigures(figures) + (failed.length > 0 ? `failed: ${failed.join(', ')}\n` : '')
}
