/**
 * `npm run bench:documents`: how well documents are found, distinguished and read, measured on labelled pictures of real
 * documents and, beside them, on rendered scenes with truth. Every picture takes the product's own way. Prints no value.
 */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { loadDocumentTemplates } from '../../config/document-templates.ts'
import { AppError } from '../../errors.ts'
import { makePlainFolder } from '../../files/folder.ts'
import { writeFileWhole } from '../../files/write-file.ts'
import type { PageKnowledge } from '../../proofing/visual-zone/knowledge.ts'
import { SPECIMEN_KINDS, type SpecimenKind } from '../specimen/documents/layout.ts'
import { VARIANT_NAMES, type VariantName } from '../specimen/documents/variants.ts'
import { renderNegative, type Scene } from '../specimen/scenes/scene.ts'
import { startVision } from '../../vision/client.ts'
import { defaultModelsDir } from '../../vision/packs.ts'
import { ImageFaultError, type Vision } from '../../vision/protocol.ts'
import { measureBig, type BigPicture } from './documents/big-pictures.ts'
import { describeDocuments, describeLabelled } from './documents/describe.ts'
import { measureMatches, type MatchTally } from './documents/matches.ts'
import { toFigures, measureLabelled, type LabelledBench, type LabelledFigures } from './documents/labelled.ts'
import { putTogether, readPicture, type PictureReading, turnTold } from './documents/read-scene.ts'
import { pickVariant, renderSides } from './documents/render-sides.ts'
import { Tally, type TallyResult } from './documents/tally.ts'
import { endBench, findLabelledData, type LabelledData } from './labelled-data.ts'

const HELP = `bench-documents: renders specimen documents in scenes, reads each as the product does, and compares with the truth

  --scenes N        number of documents, each side a scene of its own; the kinds alternate   (default 44)
  --forged N        documents whose MRZ or barcode differs from the print in one character (default 0)
  --genuine N       such documents without a difference, for comparison             (default as --forged)
  --negatives N     scenes without a document                                       (default a fourth of that)
  --big N           pictures of 12 megapixels, to time a warm worker: a passport, the front of a card and the back of a
                    licence in turn; with --rendered --scenes 0 nothing else is measured   (default 3)
  --seed S          the first seed; scene and document n take S + n                 (default 1)
  --only KIND,…     kinds of documents: ${SPECIMEN_KINDS.join(', ')}
  --variants NAME,… variants of print and picture, in turn: ${VARIANT_NAMES.join(', ')}
  --rendered        measures only rendered documents; otherwise those of ../shared/data/documents.tsv are measured first
  --manifest FILE   measures these labelled pictures of real documents and renders none: tab-separated, with columns file,
                    kind, mrz, number, surname, given, birth, sex, nationality, issue, expiry; \`-\` where not printed
  --images DIR      where those pictures lie                         (default the folder of the manifest's own name)
  --packs core|all  which models may be used                                        (default core)
  --keep DIR        writes every picture into DIR, with its truth and its reading
  --json            one JSON object at the end; the table of real documents goes to stderr
  --verbose         one line per document on stderr (seeds, names of fields and outcomes, no values)
  --help            this text

outline: intersection over union with the document's true corners, 0 where none was found. orientation: of the four
turns; unknown counts as not right. fields: those that can be seen, exact after trimming and folding of case, dates as
ISO; plainExact forgives marks on letters and signs between words. A document on negatives is a false one.
With --manifest the bench starts an appliance and posts each picture to it. exact: values that its API returned as printed.
wrong: values that it returned differently. matched: documents whose VISUAL_ZONE_MATCH passed, of those whose print agrees
with their MRZ; printed again without backs of cards that were photographed alone, which print none of the deciding fields.
time: wall clock of the bench, sending and decoding included, and processor time of the worker, for a picture of 12
megapixels.

Example: npm run bench:documents -- --rendered --scenes 22 --only passport,identity-card
`

const RENDERED_ALONE =
  'rendered documents alone are measured, as --rendered says. Labelled data goes to ../shared/data/documents.tsv'

/** Reference date for the expiry of specimens, the same for every run. */
const NOW = new Date('2026-11-21T00:00:00Z')

export interface DocumentsBench extends TallyResult {
  /** Real documents; null if there are none or `--rendered` was given. */
  readonly labelled: LabelledFigures | null
  readonly packs: 'core' | 'all'
  readonly seeds: { readonly first: number; readonly last: number }
  readonly documents: number
  readonly negatives: {
    readonly pictures: number
    /** Recognised as a document of a known kind. */
    readonly known: number
    /** Recognised as some document. */
    readonly unknown: number
    readonly outlines: number
    readonly zones: number
  }
  /** Documents whose print differs from MRZ or barcode in one character: none may pass. */
  readonly forged: MatchTally
  /** The same kinds of documents, genuine. */
  readonly genuine: MatchTally
  readonly bigPictures: readonly BigPicture[]
}

interface Options {
  readonly scenes: number
  readonly negatives: number
  readonly forged: number
  readonly genuine: number
  readonly big: number
  readonly seed: number
  readonly kinds: readonly SpecimenKind[]
  readonly variants: readonly VariantName[]
  readonly packs: 'core' | 'all'
  readonly keep: string | null
  readonly tell: (line: string) => void
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      scenes: { type: 'string', default: '44' },
      negatives: { type: 'string' },
      forged: { type: 'string', default: '0' },
      genuine: { type: 'string' },
      big: { type: 'string', default: '3' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
      variants: { type: 'string' },
      rendered: { type: 'boolean', default: false },
      manifest: { type: 'string' },
      images: { type: 'string' },
      packs: { type: 'string', default: 'core' },
      keep: { type: 'string' },
      json: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const kinds = parseNames(values.only, SPECIMEN_KINDS)
  const variants = parseNames(values.variants, VARIANT_NAMES)
  const [scenes, big, seed, forged] = [values.scenes, values.big, values.seed, values.forged].map(wholeNumber)
  const genuine = values.genuine === undefined ? forged : wholeNumber(values.genuine)
  const negatives = values.negatives === undefined ? Math.ceil(scenes / 4) : wholeNumber(values.negatives)
  if (!kinds || !variants || [scenes, big, seed, negatives, forged, genuine].includes(NaN)) {
    process.stderr.write(
      '--only takes kinds of documents, --variants names of variants, all counts are whole numbers; see --help\n',
    )
    return 2
  }
  const { packs } = values
  if (packs !== 'core' && packs !== 'all') {
    process.stderr.write('--packs takes core or all\n')
    return 2
  }
  const found = values.rendered ? null : findLabelledData('documents', values, 'rendered ones are measured')
  if (values.rendered) process.stderr.write(`${RENDERED_ALONE}\n`)
  const labelled = found && (await measureReal(found, values))
  if (labelled && values.manifest !== undefined) {
    if (values.json) process.stdout.write(`${JSON.stringify(toFigures(labelled))}\n`)
    return endBench(labelled.documents)
  }
  const keep = values.keep === undefined ? null : resolve(values.keep)
  if (keep !== null) await makePlainFolder(keep)
  const tell = (line: string) => {
    if (values.verbose) process.stderr.write(`${line}\n`)
  }
  const rendered = await measure({
    scenes,
    negatives,
    forged,
    genuine,
    big,
    seed,
    kinds,
    variants,
    packs,
    keep,
    tell,
  })
  const result: DocumentsBench = { labelled: labelled && toFigures(labelled), ...rendered }
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : describeDocuments(result))
  return endBench(
    (labelled?.documents ?? 0) +
      scenes -
      result.failed +
      negatives +
      result.forged.documents +
      result.genuine.documents +
      big,
  )
}

/** The table goes to standard error if standard output must be one JSON object. */
async function measureReal(
  { manifest, images }: LabelledData,
  { json, verbose }: { readonly json: boolean; readonly verbose: boolean },
): Promise<LabelledBench> {
  const result = await measureLabelled(manifest, images, (line) => {
    if (verbose) process.stderr.write(`${line}\n`)
  })
  process[json ? 'stderr' : 'stdout'].write(describeLabelled(result))
  return result
}

/** All names if the text is absent; null if a name is unknown. */
function parseNames<Name extends string>(text: string | undefined, known: readonly Name[]): Name[] | null {
  const names = text?.split(',') ?? known
  const found = known.filter((name) => names.includes(name))
  return found.length === names.length ? found : null
}
const wholeNumber = (text: string): number => (/^\d+$/.test(text) ? Number(text) : NaN)

async function measure(options: Options): Promise<Omit<DocumentsBench, 'labelled'>> {
  const { scenes, packs, seed } = options
  let workerPid = 0
  const vision = await startVision({
    modelsDir: defaultModelsDir(),
    packs: packs === 'all' ? ['core', 'extended'] : ['core'],
    log: (event, details) => {
      if (event === 'the vision worker is ready') workerPid = Number(details.workerPid)
    },
  })
  const knowledge = loadDocumentTemplates()
  try {
    const tally = await measureDocuments(vision, knowledge, options)
    const negatives = await measureNegatives(vision, knowledge, options)
    const forged = await measureMatches(vision, knowledge, options, options.forged, true)
    const genuine = await measureMatches(vision, knowledge, options, options.genuine, false)
    const bigPictures = await measureBig(vision, options, () => workerPid)
    return {
      packs,
      seeds: { first: seed, last: seed + scenes - 1 },
      documents: scenes,
      ...tally.result(),
      negatives,
      forged,
      genuine,
      bigPictures,
    }
  } finally {
    await vision.close()
  }
}

async function measureDocuments(vision: Vision, knowledge: PageKnowledge, options: Options): Promise<Tally> {
  const { scenes, seed, kinds, variants, keep, tell } = options
  const tally = new Tally()
  // Renders the next document on one core while the worker reads this one on the other.
  const render = (i: number) => {
    const [kind, documentSeed] = [kinds[i % kinds.length], seed + i]
    return renderSides({ kind, documentSeed, variant: pickVariant(kind, documentSeed, variants) })
  }
  let next = scenes > 0 ? render(0) : null
  for (let i = 0; i < scenes && next !== null; i++) {
    const sides = await next
    next = i + 1 < scenes ? render(i + 1) : null
    const truths = sides.map(({ truth }) => truth)
    const readings = await readAll(vision, sides)
    if (readings === null) {
      tally.addFailed(truths)
      process.stderr.write(`${seed + i} ${truths[0].kind}: no answer from the vision worker\n`)
      continue
    }
    const images = sides.map(({ jpeg }) => jpeg)
    const read = await putTogether(vision, images, readings, knowledge, NOW)
    tally.add(truths, readings, read)
    const turns = readings
      .map((reading, s) => `${turnTold(reading) ?? '-'}/${truths[s].rotationDeg}`)
      .join(' ')
    const fields = read.page.fields.map(({ field }) => field).join(',')
    tell(
      `${seed + i} ${truths[0].kind} ${truths[0].plan.variant} layout=${read.classification.layout} turns=${turns} fields=${fields}`,
    )
    if (keep !== null) keepScenes(keep, `${seed + i}-${truths[0].kind}`, sides, readings, read)
  }
  return tally
}

/** Null if the worker failed on a picture, which counts as a figure of the product and does not end the bench. */
async function readAll(vision: Vision, sides: readonly Scene[]): Promise<PictureReading[] | null> {
  try {
    const readings: PictureReading[] = []
    for (const { jpeg } of sides) readings.push(await readPicture(vision, jpeg))
    return readings
  } catch (error) {
    if (error instanceof AppError || error instanceof ImageFaultError) return null
    throw error
  }
}

function keepScenes(
  folder: string,
  name: string,
  scenes: readonly Scene[],
  readings: unknown,
  read: unknown,
): void {
  scenes.forEach(({ jpeg, truth }) => writeFileWhole(join(folder, `${name}-${truth.side}.jpg`), jpeg))
  const truths = scenes.map(({ truth }) => truth)
  // Leaves out the portraits' pixels, which would be long lists of numbers.
  const text = JSON.stringify({ truths, readings, read }, (_, value: unknown) =>
    value instanceof Uint8Array ? `${value.length} bytes` : value,
  )
  writeFileWhole(join(folder, `${name}.json`), text)
}

async function measureNegatives(
  vision: Vision,
  knowledge: PageKnowledge,
  { negatives, seed, keep, tell }: Options,
): Promise<DocumentsBench['negatives']> {
  const count = { pictures: 0, known: 0, unknown: 0, outlines: 0, zones: 0 }
  for (let i = 0; i < negatives; i++) {
    const { jpeg } = await renderNegative(seed + i)
    const reading = await readPicture(vision, jpeg)
    const { classification } = await putTogether(vision, [jpeg], [reading], knowledge, NOW)
    const { layout } = classification
    count.pictures++
    if (layout === 'UNKNOWN') count.unknown++
    else if (layout !== 'NONE') count.known++
    if (reading.side.outline) count.outlines++
    if (reading.side.mrz) count.zones++
    tell(`${seed + i} without document layout=${layout} outline=${reading.side.outline !== null}`)
    if (keep !== null) writeFileWhole(join(keep, `${seed + i}-without.jpg`), jpeg)
  }
  return count
}
