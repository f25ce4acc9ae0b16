/**
 * `npm run evaluate`: scores a laboratory's own data with the product's models and thresholds, for an evaluation after
 * ISO/IEC 19795-1 and 30107-3. docs/evaluate.md explains the results.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { waitUntilAskedToStop } from '../../commands/asked-to-stop.ts'
import { getAction, refuseMore, UsageError } from '../../commands/usage.ts'
import { PACKS, readManifest } from '../../vision/manifest.ts'
import { buildCorePack, defaultModelsDir } from '../../vision/packs.ts'
import { LABELS } from '../bench/documents/labels.ts'
import { evaluateDocuments } from './document.ts'
import { evaluateAttacks, evaluateMatches } from './faces.ts'
import { describeModel, openModels, say, type Job } from './job.ts'
import { COMPARISONS, readListFile, requireFolder, type ListFile, type ListKind } from './list-file.ts'
import { describeRates } from './rates.ts'
import { evaluateRecordings, listRecordings, readRecordingList } from './recordings.ts'
import { requireWritable } from './results-file.ts'
import { requireFreePort, serveEvaluation } from './serve.ts'

const HELP = `Usage: npm run evaluate -- ACTION OPTIONS

Scores pictures of a laboratory with the models and thresholds of this installation. Lists are comma-separated; the first
line names the columns; files are relative to the list, or absolute. The run is refused if a file is missing. The same list
and models give the same bytes, on any number of cores. An interrupted run continues when the command is repeated.

Actions
  match --pairs FILE --out FILE   compares two faces per row: columns probe, reference; optional label (genuine, impostor)
  pad --list FILE --out FILE      scores one picture per row for presentation attacks: column file; optional label
                                  (bona fide, or the name of the attack)
  document --list FILE --out FILE  submits one document per row: column file; optional back, label (genuine, or the name of the
                                  forgery), and expected values: ${LABELS.join(', ')}
  session --recordings DIR --out FILE  judges recorded liveness sessions again; optional --list FILE: columns recording (a folder in
                                  DIR), label (bona fide, or the name of the attack)
  serve --port N                  answers the same over HTTP on 127.0.0.1 until it is stopped: docs/evaluate.md
  rates FILE                      error rates of results with labels, with 95 % intervals

Options
  --images DIR        folder that the files of the list are relative to
  --packs core|all    models: the core ones only, or everything installed (default all)
  --models-dir DIR    an existing folder; default COUNTERPROOF_MODELS, or out/models
  --recordings DIR    session and serve: folder that an appliance wrote because of liveness.recordingsDir
  --port N            serve: default 8730; 0 takes a free one
  --data DIR          match, pad and serve: the engines that config.json in this data folder mounts; default: ours
  --threads N         default: the number of processor cores
  --help              prints this text

Example: npm run evaluate -- match --pairs pairs.csv --out scores.csv
`
async function document(job: Job, list: ListFile, out: string): Promise<void> {
  if (job.dataDir !== null) throw new UsageError('document takes no --data: no engine is mounted there')
  const sessions = await openModels(job)
  process.env.COUNTERPROOF_MODELS = job.modelsDir
  await evaluateDocuments(
    list,
    out,
    sessions.models.map(describeModel),
    job.packs.includes('extended') ? 'all' : 'core',
    job.threads,
  )
}

const DEFAULT_PORT = 8730

interface Options {
  readonly pairs?: string | undefined
  readonly list?: string | undefined
  readonly out?: string | undefined
  readonly images?: string | undefined
  readonly recordings?: string | undefined
  readonly port?: string | undefined
}

type Action = (job: Job, options: Options, words: readonly string[]) => Promise<void>

/** An action that writes one row of results per row of its list. */
const scoring =
  (
    readList: (options: Options) => ListFile,
    work: (job: Job, list: ListFile, out: string) => Promise<void>,
  ): Action =>
  async (job, options, words) => {
    refuseMore(words)
    const out = resolve(requireOption(options, 'out'))
    requireWritable(out)
    const list = readList(options)
    await buildCorePack(job.manifest, job.modelsDir)
    await work(job, list, out)
    say(`${out} is complete.\n`)
  }

const listIn =
  (option: 'pairs' | 'list', kind: ListKind) =>
  (options: Options): ListFile =>
    readListFile(requireOption(options, option), kind, options.images)

function recordingsIn(options: Options): ListFile {
  const folder = requireFolder(requireOption(options, 'recordings'))
  return options.list === undefined ? listRecordings(folder) : readRecordingList(options.list, folder)
}

function requireOption(options: Options, name: keyof Options): string {
  const value = options[name]
  if (value === undefined) throw new UsageError(`--${name} is needed`)
  return value
}

const serve: Action = async (job, { port, recordings }, words) => {
  refuseMore(words)
  const number = Number(port ?? DEFAULT_PORT)
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new UsageError('--port is a number from 0 to 65535')
  await requireFreePort(number)
  await buildCorePack(job.manifest, job.modelsDir)
  const ended = waitUntilAskedToStop()
  await serveEvaluation(job, {
    port: number,
    recordings: recordings === undefined ? null : requireFolder(recordings),
    ended,
    onListening: (url) => void process.stdout.write(`listening on ${url}\n`),
  })
}

const ACTIONS: Readonly<Record<string, Action>> = {
  match: scoring(listIn('pairs', COMPARISONS), evaluateMatches),
  pad: scoring(listIn('list', { needed: ['file'] }), evaluateAttacks),
  document: scoring(listIn('list', { needed: ['file'], optional: ['back'] }), document),
  session: scoring(recordingsIn, evaluateRecordings),
  serve,
  rates: async (_, __, [path, ...more]) => {
    refuseMore(more)
    if (path === undefined) throw new UsageError('the file of results is needed')
    process.stdout.write(describeRates(path))
  },
}

/** A folder that is named exists: a mistyped one would be created, with the core models alone. */
function findModelsDir(option: string | undefined): string {
  const named = option ?? process.env.COUNTERPROOF_MODELS
  return named ? requireFolder(named) : defaultModelsDir()
}

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      pairs: { type: 'string' },
      list: { type: 'string' },
      out: { type: 'string' },
      images: { type: 'string' },
      recordings: { type: 'string' },
      port: { type: 'string' },
      packs: { type: 'string', default: 'all' },
      'models-dir': { type: 'string' },
      data: { type: 'string' },
      threads: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [name = '', ...words] = positionals
  const action = getAction(ACTIONS, name)
  if (values.packs !== 'core' && values.packs !== 'all') throw new UsageError('--packs is core or all')
  const threads = values.threads === undefined ? undefined : Number(values.threads)
  if (threads !== undefined && !(Number.isInteger(threads) && threads > 0))
    throw new UsageError('--threads is a whole number from 1')
  await action(
    {
      manifest: readManifest(),
      modelsDir: findModelsDir(values['models-dir']),
      packs: values.packs === 'core' ? ['core'] : PACKS,
      threads,
      dataDir: values.data === undefined ? null : requireFolder(values.data),
    },
    values,
    words,
  )
  return 0
}
