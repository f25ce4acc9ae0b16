/**
 * `npm run bench:fuzz`: damaged and odd pictures through a real vision worker. Whatever comes,
 * the answer is a value or a fault that is told to the sender, and nobody dies of it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { AppError } from '../errors.ts'
import { createRandom } from '../specimen/head/noise.ts'
import { startVision } from '../vision/client.ts'
import { defaultModelsDir } from '../vision/packs.ts'
import { ImageFaultError, type Vision, type WorkerRestarts } from '../vision/protocol.ts'
import { MUTATIONS, mutantOf, type Mutant } from './fuzz-mutations.ts'
import { fuzzServer } from './fuzz-server.ts'

const HELP = `bench-fuzz: damaged and odd pictures through the vision worker and a real server

  --images N   how many                                                                (default 5000)
  --seed S     of all that is done to them                                             (default 1)
  --deep N     every Nth turn of the kinds is measured and searched for barcodes, too  (default 10)
  --server N   every Nth turn is also sent to a real server; 0 starts none             (default 20)
  --json       one JSON object at the end
  --help       this text

Every picture goes through inspectImage, assessFrame, rasterisePdf and trackFace. values: calls answered with a measurement. faults:
calls answered with what is wrong with the file. failures: calls that ended in anything else, which must be none.
server: pictures sent as live frames and as documents over HTTP to an appliance of its own process, each decided before the
next; serverDown: that process no longer answers.
`

export interface FuzzResult {
  readonly seed: number
  readonly images: number
  readonly kinds: number
  readonly calls: number
  readonly values: number
  readonly faults: Readonly<Record<string, number>>
  readonly failures: Readonly<Record<string, number>>
  readonly workerRestarts: WorkerRestarts
  readonly workerDown: boolean
}

const BASE = join(import.meta.dirname, '../../resources/specimens/alba/passport-page.png')
const BASE_WIDTH_PX = 480

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      images: { type: 'string', default: '5000' },
      seed: { type: 'string', default: '1' },
      deep: { type: 'string', default: '10' },
      server: { type: 'string', default: '20' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [images, seed, deep, every] = [values.images, values.seed, values.deep, values.server].map(Number)
  if (![images, seed, deep, every].every((n) => Number.isInteger(n) && n >= 0) || deep === 0) {
    process.stderr.write('--images, --seed, --deep and --server take whole numbers; see --help\n')
    return 2
  }
  const vision = await startVision({ modelsDir: defaultModelsDir(), packs: ['core'], log: () => undefined })
  try {
    const worker = await fuzz(vision, { images, seed, deep })
    const server = every > 0 ? await fuzzServer(mutantsOfTurns(images, seed, every)) : null
    const result = { ...worker, server, serverDown: server?.serverDown ?? null }
    process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : describe(result))
    const failures = Object.keys({ ...worker.failures, ...server?.failures }).length
    return worker.workerDown || server?.serverDown || failures > 0 ? 1 : 0
  } finally {
    await vision.close()
  }
}

const basePicture = (): Promise<Buffer> => sharp(readFileSync(BASE)).resize(BASE_WIDTH_PX).png().toBuffer()

const mutant = (picture: Buffer, n: number, seed: number): Promise<Mutant> =>
  mutantOf(picture, n, createRandom(seed * 1_000_003 + n))

/** The kinds take turns: every picture of each `every`th turn, the same that the worker gets. */
async function* mutantsOfTurns(images: number, seed: number, every: number): AsyncGenerator<Mutant> {
  const picture = await basePicture()
  for (let n = 0; n < images; n++)
    if (Math.floor(n / MUTATIONS.length) % every === 0) yield mutant(picture, n, seed)
}

/** The pictures themselves are the same for the same seed. */
export async function fuzz(
  vision: Vision,
  { images, seed, deep }: { readonly images: number; readonly seed: number; readonly deep: number },
): Promise<FuzzResult> {
  const picture = await basePicture()
  const faults: Record<string, number> = {}
  const failures: Record<string, number> = {}
  let [calls, values] = [0, 0]
  const send = async (kind: string, call: Promise<unknown>): Promise<void> => {
    calls++
    try {
      await call
      values++
    } catch (error) {
      if (error instanceof ImageFaultError) faults[error.fault] = (faults[error.fault] ?? 0) + 1
      else {
        const name = error instanceof AppError ? `${error.code} ${String(error.details.reason)}` : 'unknown'
        const key = `${kind}: ${name}`
        failures[key] = (failures[key] ?? 0) + 1
      }
    }
  }
  for (let n = 0; n < images; n++) {
    const { kind, bytes: image } = await mutant(picture, n, seed)
    await send(kind, vision.inspectImage({ image }))
    await send(kind, vision.assessFrame({ image }))
    await send(kind, vision.rasterisePdf({ pdf: image }))
    await send(kind, vision.trackFace({ image, last: null }))
    // The kinds take turns: a whole turn is measured deeply, then `deep` − 1 turns are not.
    if (Math.floor(n / MUTATIONS.length) % deep === 0) {
      await send(kind, vision.measureDocument({ image }))
      await send(kind, vision.readBarcode({ image }))
      const still = { image, points: pretendedPoints(n) }
      await send(
        kind,
        vision.measureLiveness({ reference: still, targets: [still, still], portraits: [still] }),
      )
    }
  }
  const workerDown = await vision.health({}).then(
    () => false,
    () => true,
  )
  const workerRestarts = vision.restarts()
  return {
    seed,
    images,
    kinds: MUTATIONS.length,
    calls,
    values,
    faults,
    failures,
    workerRestarts,
    workerDown,
  }
}

/** 468 places and depths as a face mesh could have them, strewn otherwise each time. */
function pretendedPoints(n: number): Float32Array {
  return new Float32Array(468 * 3).map((_, i) =>
    i % 3 === 2 ? (i % 41) - 20 : 40 + ((i * (n + 7919)) % 180),
  )
}

function describe(result: object): string {
  return Object.entries(result)
    .map(
      ([name, value]) => `${name.padEnd(16)} ${typeof value === 'object' ? JSON.stringify(value) : value}\n`,
    )
    .join('')
}
