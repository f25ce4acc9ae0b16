/**
 * `npm run evaluate`: scores a laboratory's own data with the product's models and thresholds, for an evaluation after
 * ISO/IEC 19795-1 and 30107-3. docs/evaluate.md explains the results.
 */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { getAction, refuseMore, UsageError } from '../../commands/usage.ts'
import { PRODUCT_VERSION } from '../../version.ts'
import { PACKS, readManifest, type Manifest, type Pack } from '../../vision/manifest.ts'
import { buildCorePack, defaultModelsDir } from '../../vision/packs.ts'
import { matchZone } from '../../proofing/match-zone.ts'
import type { ModelUse } from '../../vision/protocol.ts'
import { openSessions, type Sessions } from '../../vision/sessions.ts'
import { runOnThreads } from '../run-on-threads.ts'
import { openToolEngines, requireAnswering } from '../tool-engines.ts'
import { LABELS } from '../bench/documents/labels.ts'
import { evaluateDocuments } from './document.ts'
import type { FaceReply, FaceSetup } from './face-thread.ts'
import { readListFile, type ListFile } from './list-file.ts'
import { describeRates } from './rates.ts'
import { openResultsFile } from './results-file.ts'

const HELP = `Usage: npm run evaluate -- ACTION OPTIONS

Scores pictures of a laboratory with the models and thresholds of this installation. Lists are comma-separated; the first
line names the columns; files are relative to the list. The same list and models give the same bytes, on any number of
cores. An interrupted run continues when the command is repeated.

Actions
  match --pairs FILE --out FILE   compares two faces per row: columns probe, reference; optional label (genuine, impostor)
  pad --list FILE --out FILE      scores one picture per row for presentation attacks: column file; optional label
                                  (bona fide, or the name of the attack)
  document --list FILE --out FILE  submits one document per row: column file; optional back, label (genuine, or the name of the
                                  forgery), and expected values: ${LABELS.join(', ')}
  rates FILE                      error rates of results with labels, with 95 % intervals

Options
  --images DIR        folder that the files of the list are relative to
  --packs core|all    models: the core ones only, or everything installed (default all)
  --models-dir DIR    default out/models, or COUNTERPROOF_MODELS
  --data DIR          match and pad: the engines that config.json in this data folder mounts; default: ours
  --threads N         default: the number of processor cores
  --help              prints this text

Example: npm run evaluate -- match --pairs pairs.csv --out scores.csv
`
const say = (text: string): void => void process.stderr.write(text)
const PROGRESS_EVERY = 100

interface Job {
  readonly manifest: Manifest
  readonly modelsDir: string
  readonly packs: readonly Pack[]
  readonly threads: number | undefined
  /** Folder whose config.json mounts the engines; null: ours. */
  readonly dataDir: string | null
}

/** One picture's score, as text of fixed length: the same on each machine with the same models. */
const toText = (score: number | null): string => (score === null ? '' : score.toFixed(6))

const pathIn = ({ folder }: ListFile, file: string): string => resolve(join(folder, file))

/** Measures each picture of `paths` once. */
async function measureFaces(
  { modelsDir, packs, threads, dataDir }: Job,
  paths: readonly string[],
  onFace: (path: string, face: FaceReply) => void,
): Promise<void> {
  let done = 0
  const plan = {
    file: new URL('./face-thread.ts', import.meta.url),
    workerData: { modelsDir, packs, dataDir } satisfies FaceSetup,
    ...(threads === undefined ? {} : { threads }),
  }
  await runOnThreads<string, FaceReply>(plan, paths, (face, position) => {
    onFace(paths[position], face)
    if (++done % PROGRESS_EVERY === 0) say(`${done} of ${paths.length} pictures\n`)
  })
}

const describeModel = ({ id, version, sha256 }: ModelUse): string => `model ${id} ${version} sha256 ${sha256}`

const describeModels = (sessions: Sessions, role: string): string[] =>
  sessions.models.filter((model) => model.role === role).map(describeModel)

async function match(job: Job, list: ListFile, out: string): Promise<void> {
  const sessions = await openSessions(job.manifest, job.modelsDir, job.packs)
  const { faceMatching: engine } = await openToolEngines(sessions, job.dataDir)
  await requireAnswering(engine)
  const { decision, review } = engine.points
  const results = openResultsFile(
    out,
    [
      `counterproof ${PRODUCT_VERSION} evaluate match`,
      `list sha256 ${list.sha256}`,
      ...describeModels(sessions, 'face-detector'),
      ...describeModels(sessions, 'face-mesh'),
      `engine ${engine.about.id} ${engine.about.version}`,
      ...engine.models.map(describeModel),
      `score ${decision.measure}, ${decision.measure === 'euclidean-distance' ? 'lower' : 'higher'} is more similar`,
      `decision ${decision.id} at ${decision.threshold}, claimed FMR ${decision.fmr}`,
      `review ${review.id} at ${review.threshold}`,
    ],
    ['probe', 'reference', 'label', 'score', 'decision', 'outcome'],
  )
  const rows = list.rows.slice(results.done)
  const files = [...new Set(rows.flatMap(({ probe, reference }) => [probe, reference]))]
  const paths = files.map((file) => pathIn(list, file))
  const faces = new Map<string, FaceReply>()
  let next = 0
  const writeReady = async (): Promise<void> => {
    for (; next < rows.length; next++) {
      const { probe, reference, label = '' } = rows[next]
      const [a, b] = [faces.get(pathIn(list, probe)), faces.get(pathIn(list, reference))]
      if (!a || !b) return
      const outcome =
        a.outcome !== 'ok' ? `probe_${a.outcome}` : b.outcome !== 'ok' ? `reference_${b.outcome}` : 'ok'
      const [compared] = a.template && b.template ? await engine.compare(a.template, [b.template]) : [null]
      const score = compared && compared.score
      const { measure } = decision
      const zone =
        score === null
          ? ''
          : matchZone({ measure, score, decision: decision.threshold, review: review.threshold })
      const verdict = zone.replace('-', '_')
      results.add(results.done + next, [probe, reference, label, toText(score), verdict, outcome])
    }
  }
  try {
    // One after the other, so that the rows keep the order of the list.
    let written = Promise.resolve()
    await measureFaces(job, paths, (path, face) => {
      faces.set(path, face)
      written = written.then(writeReady)
      written.catch(() => undefined) // thrown below
    })
    await written
  } finally {
    results.close()
  }
}

const NO_ATTACK_NETWORKS =
  'the networks against presentation attacks are not installed: npm run models -- download'

async function pad(job: Job, list: ListFile, out: string): Promise<void> {
  const sessions = await openSessions(job.manifest, job.modelsDir, job.packs)
  const { attackDetection: engine } = await openToolEngines(sessions, job.dataDir)
  if (!engine) throw new UsageError(NO_ATTACK_NETWORKS)
  await requireAnswering(engine)
  const { threshold: limit } = engine.point
  const results = openResultsFile(
    out,
    [
      `counterproof ${PRODUCT_VERSION} evaluate pad`,
      `list sha256 ${list.sha256}`,
      ...describeModels(sessions, 'face-detector'),
      `engine ${engine.about.id} ${engine.about.version}`,
      ...engine.models.map(describeModel),
      'score bona-fide probability of one still picture, 0 to 1, higher is more bona fide',
      `decision bona fide at ${limit} or above`,
    ],
    ['file', 'label', 'score', 'decision', 'outcome'],
  )
  const rows = list.rows.slice(results.done)
  const positions = new Map<string, number[]>()
  for (const [i, { file }] of rows.entries()) {
    const path = pathIn(list, file)
    positions.set(path, [...(positions.get(path) ?? []), i])
  }
  try {
    await measureFaces(job, [...positions.keys()], (path, { outcome, padScore }) => {
      for (const i of positions.get(path) ?? []) {
        const { file, label = '' } = rows[i]
        const verdict = padScore === null ? '' : padScore >= limit ? 'bona_fide' : 'attack'
        const reason = outcome === 'ok' && padScore === null ? 'too_little_background' : outcome
        results.add(results.done + i, [file, label, toText(padScore), verdict, reason])
      }
    })
  } finally {
    results.close()
  }
}

async function document(job: Job, list: ListFile, out: string): Promise<void> {
  const sessions = await openSessions(job.manifest, job.modelsDir, job.packs)
  process.env.COUNTERPROOF_MODELS = job.modelsDir
  await evaluateDocuments(
    list,
    out,
    [
      `counterproof ${PRODUCT_VERSION} evaluate document`,
      `list sha256 ${list.sha256}`,
      ...sessions.models.map(describeModel),
    ],
    job.packs.includes('extended') ? 'all' : 'core',
    job.threads,
  )
}

interface Options {
  readonly pairs?: string | undefined
  readonly list?: string | undefined
  readonly out?: string | undefined
  readonly images?: string | undefined
}

type Action = (job: Job, options: Options, words: readonly string[]) => Promise<void>

const scoring =
  (
    option: 'pairs' | 'list',
    columns: readonly string[],
    work: (job: Job, list: ListFile, out: string) => Promise<void>,
  ): Action =>
  async (job, options, words) => {
    refuseMore(words)
    const [path, out] = [options[option], options.out]
    if (path === undefined || out === undefined) throw new UsageError(`--${option} and --out are needed`)
    await buildCorePack(job.manifest, job.modelsDir)
    await work(job, readListFile(path, columns, options.images), resolve(out))
    say(`${resolve(out)} is complete.\n`)
  }

const ACTIONS: Readonly<Record<string, Action>> = {
  match: scoring('pairs', ['probe', 'reference'], match),
  pad: scoring('list', ['file'], pad),
  document: scoring('list', ['file'], document),
  rates: async (_, __, [path, ...more]) => {
    refuseMore(more)
    if (path === undefined) throw new UsageError('the file of results is needed')
    process.stdout.write(describeRates(path))
  },
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
      modelsDir: values['models-dir'] ? resolve(values['models-dir']) : defaultModelsDir(),
      packs: values.packs === 'core' ? ['core'] : PACKS,
      threads,
      dataDir: values.data === undefined ? null : resolve(values.data),
    },
    values,
    words,
  )
  return 0
}
