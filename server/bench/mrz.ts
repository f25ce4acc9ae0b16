/**
 * `npm run bench:mrz`: how well machine-readable zones are read, measured on a manifest of photographs with truth.
 * Every photograph takes the product's own way through the vision worker; nothing here helps a reading along.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isAcceptableReading } from '../proofing/mrz/acceptance.ts'
import { allChecksPass } from '../proofing/mrz/checks.ts'
import { startVision } from '../vision/client.ts'
import { defaultModelsDir } from '../vision/packs.ts'
import { ImageFaultError, type DocumentMeasurement, type Vision } from '../vision/protocol.ts'

const HELP = `bench-mrz: reads every photograph of a manifest and compares with its truth

  --manifest FILE   tab-separated, with columns file, format, mrz_lines_joined_by_|   (default ../shared/data/mrz.tsv)
  --images DIR      where the files lie                                              (default ../shared/data/mrz)
  --packs core|all  which models may be used                                         (default core)
  --json            one JSON object at the end
  --verbose         one line per photograph on stderr (file names and counts, no readings)
  --help            this text

exact: all lines equal the truth. autoAccepted: two engines agree, nothing repaired, all check digits pass.
checksValidButWrong: all check digits pass and a character is wrong. invented: a reading where there is no zone.
unreadable: files that are missing or no picture, counted as not read. ms: per picture, decoding and sending included.
cer: wrong, missing and superfluous characters over the truth's, a missing reading counting as 1.
`

interface Sample {
  readonly file: string
  /** Empty for a photograph without a machine-readable zone. */
  readonly truth: readonly string[]
}

export interface MrzBench {
  readonly packs: 'core' | 'all'
  readonly images: number
  readonly exact: number
  readonly exactRate: number
  readonly autoAccepted: number
  readonly autoAcceptedWrong: number
  readonly checksValidButWrong: number
  readonly cer: number
  readonly negatives: number
  readonly invented: number
  /** Missing or damaged files: counted as not read. */
  readonly unreadable: number
  readonly msMedian: number
  readonly msP95: number
  readonly peakRssMb: number
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      manifest: { type: 'string', default: '../shared/data/mrz.tsv' },
      images: { type: 'string', default: '../shared/data/mrz' },
      packs: { type: 'string', default: 'core' },
      json: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  if (values.packs !== 'core' && values.packs !== 'all') {
    process.stderr.write('--packs takes core or all\n')
    return 2
  }
  const samples = readManifest(readFileSync(resolve(values.manifest), 'utf8'))
  const result = await measure(samples, resolve(values.images), values.packs, (line) => {
    if (values.verbose) process.stderr.write(`${line}\n`)
  })
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : describe(result))
  return 0
}

/** Throws TypeError when a column is missing: a bench on the wrong file must not report a figure. */
export function readManifest(text: string): Sample[] {
  const [header = '', ...rows] = text.split(/\r?\n/).filter((row) => row !== '')
  const columns = header.split('\t')
  const at = (name: string): number => {
    const index = columns.indexOf(name)
    if (index < 0) throw new TypeError(`the manifest has no column ${name}`)
    return index
  }
  const [file, format, lines] = [at('file'), at('format'), at('mrz_lines_joined_by_|')]
  return rows.map((row) => {
    const cells = row.split('\t')
    return { file: cells[file], truth: cells[format] === 'NONE' ? [] : (cells[lines] ?? '').split('|') }
  })
}

async function measure(
  samples: readonly Sample[],
  images: string,
  packs: 'core' | 'all',
  tell: (line: string) => void,
): Promise<MrzBench> {
  let workerPid = 0
  const vision = await startVision({
    modelsDir: defaultModelsDir(),
    packs: packs === 'all' ? ['core', 'extended'] : ['core'],
    log: (event, details) => {
      if (event === 'vision_worker_ready') workerPid = Number(details.workerPid)
    },
  })
  const count = {
    images: 0,
    exact: 0,
    autoAccepted: 0,
    autoAcceptedWrong: 0,
    checksValidButWrong: 0,
    negatives: 0,
    invented: 0,
    unreadable: 0,
  }
  let characters = 0
  let errors = 0
  let peakBytes = 0
  const times: number[] = []
  try {
    for (const { file, truth } of samples) {
      const startedAt = performance.now()
      const measured = await measureFile(vision, join(images, file))
      if (measured === null) {
        // A picture that cannot be opened is a document that was not read.
        count.unreadable++
        if (truth.length === 0) count.negatives++
        else count.images++
        characters += truth.join('').length
        errors += truth.join('').length
        process.stderr.write(`cannot be read as a picture: ${file}\n`)
        continue
      }
      // The whole way: sending, decoding, measuring, answering.
      times.push(performance.now() - startedAt)
      peakBytes = Math.max(peakBytes, peakOf(workerPid) ?? (await vision.health({})).residentBytes)
      const lines = measured.mrz?.lines ?? []
      const isAccepted = measured.mrz !== null && isAcceptableReading(measured.mrz)
      if (truth.length === 0) {
        count.negatives++
        if (measured.mrz !== null) count.invented++
        if (isAccepted) count.autoAcceptedWrong++
      } else {
        const isExact = lines.join('|') === truth.join('|')
        count.images++
        if (isExact) count.exact++
        if (isAccepted) count.autoAccepted++
        if (isAccepted && !isExact) count.autoAcceptedWrong++
        if (!isExact && measured.mrz !== null && allChecksPass(lines)) count.checksValidButWrong++
        const wanted = truth.join('').length
        characters += wanted
        errors += measured.mrz === null ? wanted : editDistance(truth.join('\n'), lines.join('\n'))
      }
      tell(describeSample(file, truth, measured, isAccepted))
    }
  } finally {
    await vision.close()
  }
  times.sort((a, b) => a - b)
  return {
    packs,
    images: count.images,
    exact: count.exact,
    exactRate: round(count.exact / Math.max(1, count.images), 4),
    autoAccepted: count.autoAccepted,
    autoAcceptedWrong: count.autoAcceptedWrong,
    checksValidButWrong: count.checksValidButWrong,
    cer: round(errors / Math.max(1, characters), 4),
    negatives: count.negatives,
    invented: count.invented,
    unreadable: count.unreadable,
    msMedian: round(quantile(times, 0.5), 0),
    msP95: round(quantile(times, 0.95), 0),
    peakRssMb: round(peakBytes / 2 ** 20, 0),
  }
}

/** Null when there is no such file, or when it is no picture that we take. */
async function measureFile(vision: Vision, path: string): Promise<DocumentMeasurement | null> {
  try {
    return await vision.measureDocument({ image: readFileSync(path) })
  } catch (error) {
    if (error instanceof ImageFaultError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Levenshtein distance. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++)
      row.push(Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)))
    previous = row
  }
  return previous[b.length]
}

/** Largest resident size of a process so far; null where the system does not tell (/proc, Linux only). */
function peakOf(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) * 1024
  } catch {
    return null
  }
}

function describeSample(
  file: string,
  truth: readonly string[],
  { mrz, mrzBand, portrait, elapsedMs }: DocumentMeasurement,
  isAccepted: boolean,
): string {
  const wrong =
    mrz === null || truth.length === 0 ? '-' : String(editDistance(truth.join('\n'), mrz.lines.join('\n')))
  const verdict =
    truth.length === 0
      ? mrz === null
        ? 'none'
        : 'INVENTED'
      : wrong === '0'
        ? 'exact'
        : mrz === null
          ? 'MISSED'
          : 'WRONG'
  return [
    verdict.padEnd(8),
    file.padEnd(48),
    (mrz?.format ?? '-').padEnd(5),
    `wrong=${wrong}`,
    `repaired=${mrz?.repaired.length ?? '-'}`,
    `agree=${mrz?.witnessesAgree ?? '-'}`,
    `checks=${mrz === null ? '-' : allChecksPass(mrz.lines)}`,
    `accepted=${isAccepted}`,
    `margin=${mrz?.marginNats.toFixed(1) ?? '-'}`,
    `pitch=${mrzBand?.characterPitchPx.toFixed(1) ?? '-'}`,
    `portrait=${portrait === null ? '-' : `${portrait.widthPx}x${portrait.heightPx}`}`,
    `${elapsedMs.toFixed(0)}ms`,
  ].join(' ')
}

function describe(result: MrzBench): string {
  return Object.entries(result)
    .map(([name, value]) => `${name.padEnd(20)} ${value}\n`)
    .join('')
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
