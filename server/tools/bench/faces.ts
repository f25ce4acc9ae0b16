/**
 * `npm run bench:faces`: measures how well the vision worker's own code distinguishes people, on a set of labelled
 * photographs. Prints only counts and rates; templates stay in memory until the end.
 */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { FaceTemplate } from '../../vision/engines/engine.ts'
import { openToolEngines, requireAnswering } from '../tool-engines.ts'
import type { PortraitQualityField } from '../../proofing/portrait-quality.ts'
import type { Pack } from '../../vision/manifest.ts'
import { PACKS, readManifest } from '../../vision/manifest.ts'
import { buildCorePack, defaultModelsDir } from '../../vision/packs.ts'
import { openSessions } from '../../vision/sessions.ts'
import { median } from './error-rates.ts'
import { enrolAll } from './faces/enrol.ts'
import type { EnrolSetup } from './faces/enrol-thread.ts'
import {
  compare,
  crossPairs,
  FRAMES,
  fusedProbes,
  rateHeldOut,
  summarise,
  thresholdAsScore,
  unorderedPairs,
  type Enrolled,
} from './faces/pairs.ts'
import { compareGroups, findUnequalGroups } from './faces/groups.ts'
import { summary } from './faces/summary.ts'
import { endBench, findLabelledData, withLabelledData } from './labelled-data.ts'
import { copySpecimenFaces } from './rendered-sets.ts'

const HELP = `Usage: npm run bench:faces -- --manifest FILE.tsv --images DIR [OPTIONS]

Compares every photograph with every other (selfie against selfie), and every photograph with a simulated identity
portrait made from every other (face 72 px wide, blurred, grey or faded, low contrast, JPEG 45).

  --manifest FILE     tab-separated, first line names the columns; needs \`file\` and \`person\`
                      (default ../shared/data/faces.tsv, without it the bundled specimen persons, who are drawn)
  --images DIR        folder that \`file\` is relative to (default the folder of the manifest's own name)
  --groups FILE       tab-separated, with the column \`person\` and one column per attribute (sex, age, glasses …): adds a
                      table of the groups' rates; the skin tone is measured on the pictures and needs no file
  --all-labels        also uses the pictures that are known to show another person than their label says
  --packs core|all    models to use: core only, or everything installed (default all)
  --models-dir DIR    default out/models, or COUNTERPROOF_MODELS
  --data DIR          the engine that config.json in this data folder mounts; default: ours
  --seed N            of everything that is drawn by chance (default 1)
  --json              one JSON object on standard output
  --help

fte                   failures to enrol: no readable picture or no face; left out of all pairs
quality               photographs that would be asked for again, and what they fall short of; they are compared all the same
fnmrAtFmr             FNMR at the threshold that gives this FMR on the very same impostor pairs (a best case)
fmrAtOperatingPoint,  rates at the product's pinned threshold (models/manifest.json)
fnmrAtOperatingPoint
operatingPoints       the same for every pinned threshold of these models, with
                      ci95: Wilson intervals, as if pairs were independent; pairs that share a photograph are not
                      ci95ByPerson: people drawn again with replacement; null where no error was made, and
                      fmrWorstHalf: the largest FMR that any half of the people has
heldOut               threshold chosen at this FMR on one half of the people, rates of the other half: over every
                      split into halves (252 at most); fnmrAtOwnFmr: at a threshold chosen on that other half itself
mislabelled           pictures left out because they show another person than their label says (faces/mislabelled.json)
groups                selfie against simulated identity portrait at the decision point, for people of one group; the ratio is
                      that to the mean of the attribute's groups of 30 people or more; unequal names those above 1.25
frames                2 to 4 photographs of a person fused as a session's pictures are, against a simulated identity
                      portrait made from none of them. Photographs of other days differ more than a session's pictures
msMedian              one photograph: decode, detect, measure, embed

Example: npm run bench:faces -- --packs core --json
`
const say = (text: string): void => void process.stderr.write(text)
const PROGRESS_EVERY = 20

interface Row {
  readonly file: string
  readonly person: string
  /** Null without such a column. */
  readonly sha256: string | null
}
/** Rows of a tab-separated file with a header. Throws TypeError if a column is missing. */
export function parseFaceList(text: string): Row[] {
  return parseTable(text, ['file', 'person']).map(({ file, person, sha256 }) => ({
    file,
    person,
    sha256: sha256 ?? null,
  }))
}

/** Groups of each person by attribute. Throws TypeError if the column person is missing; `-` and blanks are unknown. */
export function parseGroups(text: string): Map<string, Record<string, string>> {
  const groups = new Map<string, Record<string, string>>()
  for (const { person, ...attributes } of parseTable(text, ['person'])) {
    const known: Record<string, string> = {}
    for (const [attribute, group = ''] of Object.entries(attributes))
      if (group !== '' && group !== '-') known[attribute] = group
    groups.set(person, known)
  }
  return groups
}

function parseTable<Needed extends string>(
  text: string,
  needed: readonly Needed[],
): (Record<Needed, string> & Partial<Record<string, string>>)[] {
  const [header = '', ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const columns = header.split('\t')
  if (!needed.every((column) => columns.includes(column)))
    throw new TypeError(`the table needs the columns ${needed.join(' and ')}`)
  return lines.map((line) => {
    const cells = line.split('\t')
    return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? '']))
  }) as (Record<Needed, string> & Partial<Record<string, string>>)[]
}

/** Hashes of pictures whose label names another person. */
const MISLABELLED = new Set(
  (
    JSON.parse(readFileSync(new URL('./faces/mislabelled.json', import.meta.url), 'utf8')) as {
      sha256: readonly string[]
    }
  ).sha256,
)

async function measureAll(rows: readonly Row[], setup: EnrolSetup) {
  const replies = await enrolAll(
    rows.map(({ file }) => file),
    setup,
    (done) => {
      if (done % PROGRESS_EVERY === 0) say(`${done}/${rows.length}\n`)
    },
  )
  const quality: QualityCounts = { refused: 0, byField: {} }
  for (const { findings } of replies) if (findings) count(quality, findings)
  const enrolled = (template: FaceTemplate | null, index: number): Enrolled[] =>
    template ? [{ person: rows[index].person, index, template }] : []
  return {
    portraits: replies.flatMap(({ template, index }) => enrolled(template, index)),
    identityPortraits: replies.flatMap(({ identityTemplate, index }) => enrolled(identityTemplate, index)),
    skinTones: replies.flatMap(({ skinTone, index }) =>
      skinTone === null ? [] : [{ person: rows[index].person, skinTone }],
    ),
    times: replies.flatMap(({ elapsedMs }) => elapsedMs ?? []),
    quality,
  }
}

interface QualityCounts {
  refused: number
  byField: Partial<Record<PortraitQualityField, number>>
}

function count(counts: QualityCounts, found: readonly PortraitQualityField[]): void {
  if (found.length > 0) counts.refused++
  for (const field of found) counts.byField[field] = (counts.byField[field] ?? 0) + 1
}

/** Returns all measurements, as printed. */
export async function benchFaces(options: {
  rows: readonly Row[]
  imagesDir: string
  packs: readonly Pack[]
  modelsDir: string
  seed?: number
  groups?: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** Also pictures that are known to show another person than their label says. */
  allLabels?: boolean
  /** Folder whose config.json mounts the engine; null: ours. */
  dataDir?: string | null
}) {
  const {
    imagesDir,
    packs,
    modelsDir,
    seed = 1,
    groups = new Map(),
    allLabels = false,
    dataDir = null,
  } = options
  const rows = options.rows.filter(({ sha256 }) => allLabels || !MISLABELLED.has(sha256 ?? ''))
  const manifest = readManifest()
  await buildCorePack(manifest, modelsDir)
  const sessions = await openSessions(manifest, modelsDir, packs)
  const { faceMatching: engine } = await openToolEngines(sessions, dataDir)
  await requireAnswering(engine)
  const points = [engine.points.decision, engine.points.review, engine.points.strict]
  const { portraits, identityPortraits, skinTones, times, quality } = await measureAll(rows, {
    imagesDir,
    modelsDir,
    packs,
    dataDir,
  })
  const singles = portraits.map((portrait) => ({ ...portrait, madeOf: [portrait.index] }))
  const selfie = await compare(unorderedPairs(portraits), engine)
  const idSim = await compare(crossPairs(singles, identityPortraits), engine)
  const groupRates = compareGroups(idSim, withSkinTones(groups, skinTones), thresholdAsScore(points[0]))
  const frames = []
  for (const count of FRAMES) {
    const probes = await fusedProbes(portraits, count, seed, engine)
    const rates = await compare(crossPairs(probes, identityPortraits), engine)
    frames.push({ frames: count, ...summarise(rates, points, seed) })
  }
  return {
    seed,
    mislabelled: options.rows.length - rows.length,
    groups: groupRates,
    unequal: findUnequalGroups(groupRates),
    people: new Set(rows.map(({ person }) => person)).size,
    images: rows.length,
    engine: engine.about,
    models: engine.models,
    operatingPoint: points[0],
    fte: rows.length - portraits.length,
    quality,
    ...summarise(selfie, points, seed),
    heldOut: rateHeldOut(selfie, points[0], seed),
    idSim: {
      fte: rows.length - identityPortraits.length,
      ...summarise(idSim, points, seed),
      heldOut: rateHeldOut(idSim, points[0], seed),
    },
    frames,
    msMedian: median(times),
  }
}

/** Adds the median tone of each person's pictures, in three bands. */
function withSkinTones(
  groups: ReadonlyMap<string, Readonly<Record<string, string>>>,
  measured: readonly { readonly person: string; readonly skinTone: number }[],
): Map<string, Record<string, string>> {
  const all = new Map([...groups].map(([person, own]) => [person, { ...own }]))
  for (const person of new Set(measured.map((one) => one.person))) {
    const tone = median(measured.filter((one) => one.person === person).map(({ skinTone }) => skinTone)) ?? 0
    const band = tone < 5 ? '1 to 4' : tone < 8 ? '5 to 7' : '8 to 10'
    all.set(person, { ...all.get(person), 'Monk tone': band })
  }
  return all
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      manifest: { type: 'string' },
      images: { type: 'string' },
      groups: { type: 'string' },
      'all-labels': { type: 'boolean', default: false },
      packs: { type: 'string', default: 'all' },
      'models-dir': { type: 'string' },
      data: { type: 'string' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const seed = Number(values.seed)
  if ((values.packs !== 'core' && values.packs !== 'all') || !Number.isSafeInteger(seed)) {
    say(HELP)
    return 2
  }
  const packs = values.packs === 'core' ? (['core'] as const) : PACKS
  const modelsDir = values['models-dir'] ? resolve(values['models-dir']) : defaultModelsDir()
  const found = findLabelledData('faces', values, 'the bundled specimen persons are compared')
  const result = await withLabelledData(found, copySpecimenFaces, async ({ manifest, images }) =>
    benchFaces({
      rows: parseFaceList(await readFile(manifest, 'utf8')),
      imagesDir: images,
      packs,
      modelsDir,
      seed,
      dataDir: values.data === undefined ? null : resolve(values.data),
      allLabels: values['all-labels'],
      ...(values.groups === undefined ? {} : { groups: parseGroups(await readFile(values.groups, 'utf8')) }),
    }),
  )
  say(summary(result))
  if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`)
  return endBench(result.images - result.fte)
}
