/**
 * `npm run bench:faces`: measures how well the vision worker's own code distinguishes people, on a set of labelled
 * photographs. Prints only counts and rates; templates stay in memory until the end.
 */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Template } from '../../vision/faces/embed.ts'
import type { PortraitQualityField } from '../../proofing/portrait-quality.ts'
import { createFaceTools } from '../../vision/faces/tools.ts'
import type { Pack } from '../../vision/manifest.ts'
import { operatingPointFor, PACKS, readManifest } from '../../vision/manifest.ts'
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
  scorer,
  summarise,
  unorderedPairs,
  type Enrolled,
} from './faces/pairs.ts'
import { summary } from './faces/summary.ts'
import { endBench, findLabelledData, withLabelledData } from './labelled-data.ts'
import { copySpecimenFaces } from './rendered-sets.ts'

const HELP = `Usage: npm run bench:faces -- --manifest FILE.tsv --images DIR [OPTIONS]

Compares every photograph with every other (selfie against selfie), and every photograph with a simulated identity
portrait made from every other (face 72 px wide, blurred, grey or faded, low contrast, JPEG 45).

  --manifest FILE     tab-separated, first line names the columns; needs \`file\` and \`person\`
                      (default ../shared/data/faces.tsv, without it the bundled specimen persons, who are drawn)
  --images DIR        folder that \`file\` is relative to (default the folder of the manifest's own name)
  --packs core|all    models to use: core only, or everything installed (default all)
  --models-dir DIR    default out/models, or COUNTERPROOF_MODELS
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
}
/** Rows of a tab-separated file with a header. Throws TypeError if a column is missing. */
export function parseFaceList(text: string): Row[] {
  const [header, ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const columns = (header ?? '').split('\t')
  const [file, person] = [columns.indexOf('file'), columns.indexOf('person')]
  if (file < 0 || person < 0) throw new TypeError('the manifest needs the columns file and person')
  return lines.map((line) => line.split('\t')).map((cells) => ({ file: cells[file], person: cells[person] }))
}

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
  const enrolled = (template: Template | null, index: number): Enrolled[] =>
    template ? [{ person: rows[index].person, index, template }] : []
  return {
    portraits: replies.flatMap(({ template, index }) => enrolled(template, index)),
    identityPortraits: replies.flatMap(({ identityTemplate, index }) => enrolled(identityTemplate, index)),
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
}) {
  const { rows, imagesDir, packs, modelsDir, seed = 1 } = options
  const manifest = readManifest()
  await buildCorePack(manifest, modelsDir)
  const sessions = await openSessions(manifest, modelsDir, packs)
  const tools = createFaceTools(sessions)
  const used = sessions.models.filter(({ role }) => role === 'face-embedding')
  const combination = [...new Set(used.map(({ pack }) => pack))]
  const points = (['decision', 'review', 'strict'] as const).map((use) =>
    operatingPointFor(manifest, combination, use),
  )

  const { portraits, identityPortraits, times, quality } = await measureAll(rows, {
    imagesDir,
    modelsDir,
    packs,
  })
  const score = scorer(tools)
  const singles = portraits.map((portrait) => ({ ...portrait, madeOf: [portrait.index] }))
  const selfie = compare(unorderedPairs(portraits), score)
  const idSim = compare(crossPairs(singles, identityPortraits), score)
  return {
    seed,
    people: new Set(rows.map(({ person }) => person)).size,
    images: rows.length,
    models: used.map(({ id, version, sha256 }) => ({ id, version, sha256 })),
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
    frames: FRAMES.map((frames) => ({
      frames,
      ...summarise(
        compare(crossPairs(fusedProbes(portraits, frames, seed), identityPortraits), score),
        points,
        seed,
      ),
    })),
    msMedian: median(times),
  }
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      manifest: { type: 'string' },
      images: { type: 'string' },
      packs: { type: 'string', default: 'all' },
      'models-dir': { type: 'string' },
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
    }),
  )
  say(summary(result))
  if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`)
  return endBench(result.images - result.fte)
}
