/**
 * Sends damaged and unusual pictures through a real vision worker. Every picture must give a value or an error for its
 * sender, and none may end a process.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { AppError } from '../../../errors.ts'
import { createRandom } from '../../specimen/head/noise.ts'
import { startVision } from '../../../vision/client.ts'
import { defaultModelsDir } from '../../../vision/packs.ts'
import { ImageFaultError, type Vision, type WorkerRestarts } from '../../../vision/protocol.ts'
import { HOSTILE_HEICS } from './hostile-heics.ts'
import { MUTATIONS, createMutant, type Mutant } from './mutations.ts'
import { fuzzServer, type ServerFuzz } from './pictures-to-server.ts'

interface PictureOptions {
  readonly images: number
  readonly seed: number
  /** Every `deep`th turn of the kinds is also measured and searched for barcodes. */
  readonly deep: number
  /** Every `server`th turn is sent to a server; 0 starts none. */
  readonly server: number
}

interface FuzzResult {
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

const BASE = join(import.meta.dirname, '../../../../resources/specimens/alba/passport-page.png')
const BASE_WIDTH_PX = 480

/** Through a vision worker, and every `server`th turn of the kinds also through a whole appliance. */
export async function fuzzPictures(
  options: PictureOptions,
): Promise<FuzzResult & { readonly server: ServerFuzz | null }> {
  const { images, seed, server } = options
  const vision = await startVision({ modelsDir: defaultModelsDir(), packs: ['core'], log: () => undefined })
  try {
    const worker = await fuzz(vision, options)
    return { ...worker, server: server > 0 ? await fuzzServer(mutantsOfTurns(images, seed, server)) : null }
  } finally {
    await vision.close()
  }
}

const basePicture = (): Promise<Buffer> => sharp(readFileSync(BASE)).resize(BASE_WIDTH_PX).png().toBuffer()

const mutant = (picture: Buffer, n: number, seed: number): Promise<Mutant> =>
  createMutant(picture, n, createRandom(seed * 1_000_003 + n))

/** The pictures of every `every`th turn of the kinds, the same that the worker gets. */
async function* mutantsOfTurns(images: number, seed: number, every: number): AsyncGenerator<Mutant> {
  const picture = await basePicture()
  for (let n = 0; n < images; n++)
    if (Math.floor(n / MUTATIONS.length) % every === 0) yield mutant(picture, n, seed)
}

/** The same seed gives the same pictures. */
export async function fuzz(
  vision: Vision,
  { images, seed, deep }: Omit<PictureOptions, 'server'>,
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
    if (kind in HOSTILE_HEICS) await send(kind, vision.decodeHeif({ heif: image }))
    await send(kind, vision.trackFace({ image, last: null }))
    // Measures one whole turn of the kinds deeply, then leaves out `deep` − 1 turns.
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

/** 468 places and depths in the form of a face mesh, scattered differently each time. */
function pretendedPoints(n: number): Float32Array {
  return new Float32Array(468 * 3).map((_, i) =>
    i % 3 === 2 ? (i % 41) - 20 : 40 + ((i * (n + 7919)) % 180),
  )
}
