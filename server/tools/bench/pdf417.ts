/**
 * `npm run bench:pdf417`: measures how many pictures of PDF417 barcodes are read exactly, on a labelled manifest. Every
 * picture goes through the vision worker as in the product. The texts read are never printed.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startVision } from '../../vision/client.ts'
import { defaultModelsDir } from '../../vision/packs.ts'
import { ImageFaultError, type BarcodeSymbol, type Vision } from '../../vision/protocol.ts'
import { endBench, findLabelledData, withLabelledData } from './labelled-data.ts'
import { quantile } from './mrz/figures.ts'
import { RENDERED_BARCODES, renderBarcodes } from './rendered-sets.ts'
import { readTable } from './table.ts'

const HELP = `bench-pdf417: reads every barcode of a manifest and compares the text with its truth

  --manifest FILE  tab-separated, with columns file and truth_file     (default ../shared/data/pdf417.tsv,
                   without it ${RENDERED_BARCODES} rendered scenes)
  --images DIR     folder of the pictures and their truth   (default: the folder with the manifest's name)
  --json           one JSON object at the end
  --verbose        one line per picture on stderr (file names, no readings)
  --help           this text

exact: the text of one symbol equals the truth (.txt, UTF-8), or its bytes do (.bin).
ms: per picture, including decoding and sending.

Example: npm run bench:pdf417 -- --verbose
`

/** Seed of the rendered scenes. */
const SEED = 1

interface Sample {
  readonly file: string
  readonly truthFile: string
}

interface Pdf417Bench {
  readonly images: number
  readonly exact: number
  readonly msMedian: number
  readonly msP95: number
  /** The text that was read is not the truth. */
  readonly wrong: number
  /** Missing or damaged files, counted as not read. */
  readonly unreadable: number
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      manifest: { type: 'string' },
      images: { type: 'string' },
      json: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const tell = (line: string) => {
    if (values.verbose) process.stderr.write(`${line}\n`)
  }
  const found = findLabelledData('pdf417', values, `${RENDERED_BARCODES} rendered scenes are measured`)
  const result = await withLabelledData(
    found,
    (folder) => renderBarcodes(folder, SEED),
    ({ manifest, images }) => measure(readManifest(readFileSync(manifest, 'utf8')), images, tell),
  )
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : describe(result))
  return endBench(result.images - result.unreadable)
}

export function readManifest(text: string): Sample[] {
  return readTable(text, ['file', 'truth_file']).map(({ file, truth_file: truthFile }) => ({
    file,
    truthFile,
  }))
}

async function measure(
  samples: readonly Sample[],
  images: string,
  tell: (line: string) => void,
): Promise<Pdf417Bench> {
  const vision = await startVision({ modelsDir: defaultModelsDir(), packs: ['core'], log: () => undefined })
  const count = { images: 0, exact: 0, wrong: 0, unreadable: 0 }
  const times: number[] = []
  try {
    for (const { file, truthFile } of samples) {
      count.images++
      const truth = readFileSync(join(images, truthFile))
      const startedAt = performance.now()
      const symbols = await readFile(vision, join(images, file))
      if (symbols === null) {
        count.unreadable++
        process.stderr.write(`cannot be read as a picture: ${file}\n`)
        continue
      }
      const ms = performance.now() - startedAt
      times.push(ms)
      const isExact = symbols.some((symbol) => equals(symbol, truth, truthFile))
      const isWrong = !isExact && symbols.some(({ text }) => text !== null)
      if (isExact) count.exact++
      if (isWrong) count.wrong++
      const verdict = isExact ? 'exact' : isWrong ? 'WRONG' : symbols.length > 0 ? 'SEEN' : 'MISSED'
      tell(
        `${verdict.padEnd(7)}${file.padEnd(40)}${symbols.map((s) => s.decoder).join(',')} ${ms.toFixed(0)}ms`,
      )
    }
  } finally {
    await vision.close()
  }
  times.sort((a, b) => a - b)
  const { images: pictures, exact, wrong, unreadable } = count
  return {
    images: pictures,
    exact,
    msMedian: Math.round(quantile(times, 0.5)),
    msP95: Math.round(quantile(times, 0.95)),
    wrong,
    unreadable,
  }
}

/** Null if there is no such file or it is not an acceptable picture. */
async function readFile(vision: Vision, path: string): Promise<readonly BarcodeSymbol[] | null> {
  try {
    return (await vision.readBarcode({ image: readFileSync(path) })).symbols
  } catch (error) {
    if (error instanceof ImageFaultError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function equals({ text, bytes }: BarcodeSymbol, truth: Buffer, truthFile: string): boolean {
  if (truthFile.endsWith('.bin')) return bytes !== null && truth.equals(bytes)
  return text === truth.toString('utf8')
}

function describe(result: Pdf417Bench): string {
  return Object.entries(result)
    .map(([name, value]) => `${name.padEnd(12)} ${value}\n`)
    .join('')
}
