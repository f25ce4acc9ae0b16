/**
 * `npm run bench:mrz`: measures MRZ reading on a manifest of labelled photographs. Every photograph goes through the
 * vision worker as in the product, without any help from the bench.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { doAllChecksPass } from '../../proofing/mrz/checks.ts'
import { startVision } from '../../vision/client.ts'
import { decodeImage } from '../../vision/image.ts'
import { defaultModelsDir } from '../../vision/packs.ts'
import { ImageFaultError, type DocumentMeasurement, type Vision } from '../../vision/protocol.ts'
import { endBench, findLabelledData, withLabelledData } from './labelled-data.ts'
import { augment, KINDS, type Kind } from './mrz/augment.ts'
import { computeFigures, judgeOutcome, type Figures, type Outcome, type Sample } from './mrz/figures.ts'
import { measureWidth, type Picture } from './mrz/picture.ts'
import { RENDERED_MRZS, renderMrzSet } from './rendered-sets.ts'
import { readCpuMs, readPeakBytes } from './worker-process.ts'

const HELP = `bench-mrz: reads every photograph of a manifest and compares the reading with its truth

  --manifest FILE   tab-separated, with columns file, format, mrz_lines_joined_by_|   (default ../shared/data/mrz.tsv,
                    without it ${RENDERED_MRZS} rendered scenes) and optionally check_digits_valid_on_document and band_width_px
  --images DIR      folder of the files                          (default: the folder with the manifest's name)
  --packs core|all  models to use                                                    (default core)
  --augment N       also reads N changed copies of each photograph: turned, tilted, blurred …, ${KINDS.length} kinds in turn
  --seed S          the same seed makes the same photographs                         (default 1)
  --json            one JSON object at the end
  --verbose         one line per photograph on stderr (file names and counts, no readings)
  --help            this text

exact: all lines equal the truth. autoAccepted: two recognisers agree, nothing was repaired, all check digits pass.
checksValidButWrong: all check digits pass and a character is wrong. invented: a reading although there is no MRZ.
wrongDigitsReportedValid: readings that pass although the document itself prints wrong check digits.
unreadable: files that are missing or not pictures; they count as not read. ms: per picture, including decoding and sending;
cpuMs: the worker's processor time for it. cer: wrong, missing and superfluous characters over the truth's, a missing
reading counting as 1. gated: only MRZs at least 500 pixels wide, of documents with right check digits.

Example: npm run bench:mrz -- --augment 2 --json
`

interface MrzBench extends Figures {
  readonly packs: 'core' | 'all'
  readonly peakRssMb: number
  /** Only with --augment: all derived photographs, and each kind separately. */
  readonly augmented?: Figures & { readonly seed: number; readonly perPhotograph: number }
  readonly byKind?: Readonly<Partial<Record<Kind, Figures>>>
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      manifest: { type: 'string' },
      images: { type: 'string' },
      packs: { type: 'string', default: 'core' },
      augment: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  if (values.packs !== 'core' && values.packs !== 'all') return usage('--packs takes core or all')
  const [perPhotograph, seed] = [Number(values.augment), Number(values.seed)]
  if (!Number.isInteger(perPhotograph) || perPhotograph < 0 || !Number.isInteger(seed))
    return usage('--augment and --seed take whole numbers')
  const { packs } = values
  const tell = (line: string) => {
    if (values.verbose) process.stderr.write(`${line}\n`)
  }
  const found = findLabelledData('mrz', values, `${RENDERED_MRZS} rendered scenes are measured`)
  const result = await withLabelledData(
    found,
    (folder) => renderMrzSet(folder, seed),
    ({ manifest, images }) =>
      measure(readManifest(readFileSync(manifest, 'utf8')), images, packs, { perPhotograph, seed }, tell),
  )
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : describe(result))
  return endBench(result.images + result.negatives - result.unreadable)
}

function usage(sentence: string): number {
  process.stderr.write(`${sentence}\n`)
  return 2
}

/** Throws TypeError if a column is missing, because a bench on the wrong file must not report a figure. */
export function readManifest(text: string): Sample[] {
  const [header = '', ...rows] = text.split(/\r?\n/).filter((row) => row !== '')
  const columns = header.split('\t')
  const at = (name: string): number => {
    const index = columns.indexOf(name)
    if (index < 0) throw new TypeError(`the manifest has no column ${name}`)
    return index
  }
  const [file, format, lines] = [at('file'), at('format'), at('mrz_lines_joined_by_|')]
  const [valid, width] = ['check_digits_valid_on_document', 'band_width_px'].map((name) =>
    columns.indexOf(name),
  )
  return rows.map((row) => {
    const cells = row.split('\t')
    const truth = cells[format] === 'NONE' ? [] : (cells[lines] ?? '').split('|')
    const stated = valid < 0 ? '' : (cells[valid] ?? '').toLowerCase()
    const widthPx = width < 0 ? 0 : Number(cells[width])
    return {
      file: cells[file],
      truth,
      hasValidDigits: stated === '' ? doAllChecksPass(truth) : stated === 'true',
      bandWidthPx: widthPx > 0 ? widthPx : null,
    }
  })
}

interface Augmenting {
  readonly perPhotograph: number
  readonly seed: number
}

async function measure(
  samples: readonly Sample[],
  images: string,
  packs: 'core' | 'all',
  { perPhotograph, seed }: Augmenting,
  tell: (line: string) => void,
): Promise<MrzBench> {
  const bench = await openBench(packs)
  const outcomes: Outcome[] = []
  const byKind: Partial<Record<Kind, Outcome[]>> = {}
  try {
    for (const sample of samples) {
      const image = readOrNull(join(images, sample.file))
      const { measured, outcome } = await bench.read(sample, image)
      outcomes.push(outcome)
      if (outcome.isUnreadable) process.stderr.write(`cannot be read as a picture: ${sample.file}\n`)
      tell(describeSample(sample.file, outcome, measured))
      if (perPhotograph === 0 || image === null || measured === null) continue
      const { raster } = await decodeImage(image)
      const picture: Picture = { raster, band: measured.mrzBand?.quad ?? null }
      for (let index = 0; index < perPhotograph; index++) {
        const made = await augment(picture, sample.file, index, seed)
        if (needsMrz(made.kind) && picture.band === null) continue
        const truth = made.kind === 'zone removed' ? [] : sample.truth
        const bandWidthPx = made.band && measureWidth(made.band)
        const again = await bench.read({ ...sample, truth, bandWidthPx }, made.jpeg)
        ;(byKind[made.kind] ??= []).push(again.outcome)
        tell(describeSample(`${sample.file} ${index} ${made.kind}`, again.outcome, again.measured))
      }
    }
  } finally {
    await bench.close()
  }
  const made = Object.values(byKind).flat()
  return {
    packs,
    ...computeFigures(outcomes),
    peakRssMb: Math.round(bench.peakBytes() / 2 ** 20),
    ...(made.length === 0
      ? {}
      : {
          augmented: { seed, perPhotograph, ...computeFigures(made) },
          byKind: Object.fromEntries(
            Object.entries(byKind).map(([kind, list]) => [kind, computeFigures(list)]),
          ),
        }),
  }
}

function needsMrz(kind: Kind): boolean {
  return kind === 'zone removed' || kind === 'cropped close'
}

async function openBench(packs: 'core' | 'all') {
  let pid = 0
  let peak = 0
  const vision = await startVision({
    modelsDir: defaultModelsDir(),
    packs: packs === 'all' ? ['core', 'extended'] : ['core'],
    // Long, because a machine busy with other work is not the worker's fault.
    callTimeoutMs: 600_000,
    log: (event, details) => {
      if (event === 'the vision worker is ready') pid = Number(details.workerPid)
    },
  })
  return {
    read: async (sample: Sample, image: Uint8Array | null) => {
      const startedAt = performance.now()
      const cpuBefore = readCpuMs(pid)
      const measured = image && (await measureOrNull(vision, image))
      // The whole call: sending, decoding, measuring, answering.
      const ms = measured && performance.now() - startedAt
      const cpuAfter = readCpuMs(pid)
      const cpuMs = measured && cpuBefore !== null && cpuAfter !== null ? cpuAfter - cpuBefore : null
      peak = Math.max(peak, readPeakBytes(pid) ?? (await vision.health({})).residentBytes)
      return { measured, outcome: judgeOutcome(sample, measured, { ms, cpuMs }) }
    },
    peakBytes: () => peak,
    close: () => vision.close(),
  }
}

/** Null if the picture is not acceptable. */
async function measureOrNull(vision: Vision, image: Uint8Array): Promise<DocumentMeasurement | null> {
  try {
    return await vision.measureDocument({ image })
  } catch (error) {
    if (error instanceof ImageFaultError) return null
    throw error
  }
}

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function describeSample(file: string, outcome: Outcome, measured: DocumentMeasurement | null): string {
  const { mrz, mrzBand, portrait } = measured ?? { mrz: null, mrzBand: null, portrait: null }
  return [
    describeOutcome(outcome).padEnd(8),
    file.padEnd(48),
    (mrz?.format ?? '-').padEnd(5),
    `wrong=${outcome.isNegative || mrz === null ? '-' : outcome.errors}`,
    `repaired=${mrz?.repaired.length ?? '-'}`,
    `agree=${mrz?.recognisersAgree ?? '-'}`,
    `checks=${mrz === null ? '-' : outcome.checksPass}`,
    `accepted=${outcome.isAccepted}`,
    `margin=${mrz?.marginNats.toFixed(1) ?? '-'}`,
    `pitch=${mrzBand?.characterPitchPx.toFixed(1) ?? '-'}`,
    `band=${outcome.bandWidthPx?.toFixed(0) ?? '-'}`,
    `portrait=${portrait === null ? '-' : `${portrait.widthPx}x${portrait.heightPx}`}`,
    `${outcome.ms?.toFixed(0) ?? '-'}ms`,
    `cpu=${outcome.cpuMs ?? '-'}`,
  ].join(' ')
}

function describeOutcome({ isNegative, isRead, isExact, isAccepted }: Outcome): string {
  if (isNegative) return isRead ? 'INVENTED' : 'none'
  if (isExact) return 'exact'
  return isRead ? (isAccepted ? 'FALSE' : 'WRONG') : 'MISSED'
}

function describe(result: MrzBench): string {
  return Object.entries(result)
    .map(
      ([name, value]) => `${name.padEnd(26)} ${typeof value === 'object' ? JSON.stringify(value) : value}\n`,
    )
    .join('')
}
