/**
 * `npm run bench:faces`: how well the vision worker's own code tells people apart, on a set of labelled photographs.
 * Prints counts and rates only; templates live in memory until it ends.
 */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Template } from '../vision/faces/embed.ts'
import type { FaceTools } from '../vision/faces/tools.ts'
import { createFaceTools } from '../vision/faces/tools.ts'
import { decodeImage } from '../vision/image.ts'
import type { ManifestPoint, Pack } from '../vision/manifest.ts'
import { operatingPointFor, PACKS, readManifest } from '../vision/manifest.ts'
import { buildCorePack, defaultModelsDir } from '../vision/packs.ts'
import { openSessions } from '../vision/sessions.ts'
import { falseMatchRate, falseNonMatchRate, fnmrAtFmr, median, wilson95 } from './error-rates.ts'
import { simulateIdPortrait } from './simulate-id-portrait.ts'

const HELP = `Usage: npm run bench:faces -- --manifest FILE.tsv --images DIR [OPTIONS]

Compares every photograph with every other (selfie against selfie), and every photograph with a simulated identity
portrait made from every other (face 72 px wide, blurred, grey or faded, low contrast, JPEG 45).

  --manifest FILE     tab-separated, first line names the columns; needs \`file\` and \`person\`
                      (default ../shared/data/faces.tsv)
  --images DIR        folder that \`file\` is relative to (default ../shared/data/faces)
  --packs core|all    models to use: core only, or everything installed (default all)
  --models-dir DIR    default out/models, or COUNTERPROOF_MODELS
  --json              one JSON object on standard output
  --help

fte                   failures to enrol: no readable picture or no face; left out of all pairs
fnmrAtFmr             FNMR at the threshold that gives this FMR on the very same impostor pairs (a best case)
fmrAtOperatingPoint,  rates at the product's pinned threshold (models/manifest.json)
fnmrAtOperatingPoint
operatingPoints       the same for every pinned threshold of these models, with
                      ci95: Wilson intervals, as if pairs were independent; pairs that share a photograph are not
msMedian              one photograph: decode, detect, measure, embed
`
const say = (text: string): void => void process.stderr.write(text)
const PROGRESS_EVERY = 20

interface Row {
  readonly file: string
  readonly person: string
}
interface Enrolled {
  readonly person: string
  readonly index: number
  readonly template: Template
}

/** Rows of a tab-separated file with a header. Throws a TypeError when a column is missing. */
export function parseFaceList(text: string): Row[] {
  const [header, ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const columns = (header ?? '').split('\t')
  const [file, person] = [columns.indexOf('file'), columns.indexOf('person')]
  if (file < 0 || person < 0) throw new TypeError('the manifest needs the columns file and person')
  return lines.map((line) => line.split('\t')).map((cells) => ({ file: cells[file], person: cells[person] }))
}

async function enrol(tools: FaceTools, bytes: Uint8Array): Promise<Template | null> {
  return (await tools.preparePortrait(await decodeImage(bytes))).template
}

/** Null where the picture cannot be read or shows no face. */
const orNull = <T>(work: Promise<T | null>): Promise<T | null> => work.catch(() => null)

async function simulate(tools: FaceTools, bytes: Uint8Array, index: number): Promise<Template | null> {
  const { raster } = await decodeImage(bytes)
  const [face] = await tools.detectFaces(raster)
  if (!face) return null
  return enrol(tools, await simulateIdPortrait(raster, face, index % 2 ? 'faded' : 'grey'))
}

/** Scores as the product compares, turned so that higher means more alike. */
function scorer(tools: FaceTools) {
  return (a: Template, b: Template): number => {
    const { score, operatingPoint } = tools.compareTemplates(a, b)
    return operatingPoint.measure === 'euclidean-distance' ? -score : score
  }
}

interface Scores {
  readonly genuine: number[]
  readonly impostor: number[]
}
function scoreAll(
  pairs: Iterable<readonly [Enrolled, Enrolled]>,
  score: (a: Template, b: Template) => number,
): Scores {
  const scores: Scores = { genuine: [], impostor: [] }
  for (const [a, b] of pairs)
    (a.person === b.person ? scores.genuine : scores.impostor).push(score(a.template, b.template))
  return scores
}
function* unorderedPairs(all: readonly Enrolled[]): Generator<readonly [Enrolled, Enrolled]> {
  for (let i = 0; i < all.length; i++) for (let j = i + 1; j < all.length; j++) yield [all[i], all[j]]
}
/** Every probe with every reference but the one made from the same photograph. */
function* crossPairs(
  probes: readonly Enrolled[],
  references: readonly Enrolled[],
): Generator<readonly [Enrolled, Enrolled]> {
  for (const probe of probes)
    for (const reference of references) if (probe.index !== reference.index) yield [probe, reference]
}

function ratesAt({ genuine, impostor }: Scores, { id, measure, threshold }: ManifestPoint) {
  const higher = measure === 'euclidean-distance' ? -threshold : threshold
  const fmr = falseMatchRate(impostor, higher)
  const fnmr = falseNonMatchRate(genuine, higher)
  const interval = (rate: number | null, trials: number) => wilson95(Math.round((rate ?? 0) * trials), trials)
  const ci95 = { fmr: interval(fmr, impostor.length), fnmr: interval(fnmr, genuine.length) }
  return { id, threshold, fmr, fnmr, ci95 }
}

/** The first of `points` is the one the product decides by. */
function summarise(scores: Scores, fte: number, points: readonly ManifestPoint[]) {
  const { genuine, impostor } = scores
  const at = (fmr: number): number | null => fnmrAtFmr(genuine, impostor, fmr)?.fnmr ?? null
  const rates = points.map((point) => ratesAt(scores, point))
  return {
    fte,
    genuine: genuine.length,
    impostor: impostor.length,
    fnmrAtFmr: { '1e-2': at(1e-2), '1e-3': at(1e-3) },
    fmrAtOperatingPoint: rates[0].fmr,
    fnmrAtOperatingPoint: rates[0].fnmr,
    operatingPoints: rates,
  }
}

async function measureAll(tools: FaceTools, rows: readonly Row[], imagesDir: string) {
  const portraits: Enrolled[] = []
  const identityPortraits: Enrolled[] = []
  const times: number[] = []
  for (const [index, { file, person }] of rows.entries()) {
    const bytes = await orNull(readFile(join(imagesDir, file)))
    if (bytes) {
      const start = performance.now()
      const template = await orNull(enrol(tools, bytes))
      times.push(performance.now() - start)
      if (template) portraits.push({ person, index, template })
      const simulated = await orNull(simulate(tools, bytes, index))
      if (simulated) identityPortraits.push({ person, index, template: simulated })
    }
    if ((index + 1) % PROGRESS_EVERY === 0) say(`${index + 1}/${rows.length}\n`)
  }
  return { portraits, identityPortraits, times }
}

/** Everything that was measured, as printed. */
export async function benchFaces(options: {
  rows: readonly Row[]
  imagesDir: string
  packs: readonly Pack[]
  modelsDir: string
}) {
  const { rows, imagesDir, packs, modelsDir } = options
  const manifest = readManifest()
  await buildCorePack(manifest, modelsDir)
  const sessions = await openSessions(manifest, modelsDir, packs)
  const tools = createFaceTools(sessions)
  const used = sessions.models.filter(({ role }) => role === 'face-embedding')
  const combination = [...new Set(used.map(({ pack }) => pack))]
  const points = (['decision', 'review', 'strict'] as const).map((use) =>
    operatingPointFor(manifest, combination, use),
  )

  const { portraits, identityPortraits, times } = await measureAll(tools, rows, imagesDir)
  const score = scorer(tools)
  const selfie = scoreAll(unorderedPairs(portraits), score)
  const idSim = scoreAll(crossPairs(portraits, identityPortraits), score)
  return {
    people: new Set(rows.map(({ person }) => person)).size,
    images: rows.length,
    models: used.map(({ id, version, sha256 }) => ({ id, version, sha256 })),
    operatingPoint: points[0],
    ...summarise(selfie, rows.length - portraits.length, points),
    idSim: summarise(idSim, rows.length - identityPortraits.length, points),
    msMedian: median(times),
  }
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      manifest: { type: 'string', default: '../shared/data/faces.tsv' },
      images: { type: 'string', default: '../shared/data/faces' },
      packs: { type: 'string', default: 'all' },
      'models-dir': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  if (values.packs !== 'core' && values.packs !== 'all') {
    say(HELP)
    return 2
  }
  const list = await orNull(readFile(resolve(values.manifest), 'utf8'))
  if (list === null) {
    say(`skipped: shared data not found (${resolve(values.manifest)})\n`)
    return 2
  }
  const result = await benchFaces({
    rows: parseFaceList(list),
    imagesDir: resolve(values.images),
    packs: values.packs === 'core' ? ['core'] : PACKS,
    modelsDir: values['models-dir'] ? resolve(values['models-dir']) : defaultModelsDir(),
  })
  const { people, images, idSim } = result
  say(
    `${people} people, ${images} images, ${result.models.map(({ id }) => id).join(' + ')}; FNMR at FMR 1e-3: ` +
      `selfie ${result.fnmrAtFmr['1e-3']}, simulated ID ${idSim.fnmrAtFmr['1e-3']}; at the pinned threshold, ` +
      `simulated ID: FMR ${idSim.fmrAtOperatingPoint}, FNMR ${idSim.fnmrAtOperatingPoint}\n`,
  )
  if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`)
  return 0
}
