/** Tesseract with its English model, kept running: strips of one line each in, words with their places out. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import {
  createScheduler,
  createWorker,
  OEM,
  PSM,
  type RecognizeResult,
  type Scheduler,
  type Worker,
} from 'tesseract.js'
import type { GreyRaster } from '../../raster.ts'
import type { ModelUse } from '../../protocol.ts'

export const VERSION = '4.0.0_best_int'
/**
 * Lines are read independently of each other. On two cores the rest of the page takes the other one: a second reader made the
 * page 8 % faster, the appliance under load 20 % slower, and kept 65 MB more (23 November 2026).
 */
const WORKERS = availableParallelism() > 2 ? 2 : 1

export interface StripWord {
  readonly text: string
  /** 0–1. */
  readonly confidence: number
  /** In pixels of the strip. */
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
}

interface Engine {
  readonly scheduler: Scheduler
  readonly model: ModelUse
}

let started: Promise<Engine> | null = null

/** Started when first needed, for the life of the process. */
function engine(): Promise<Engine> {
  started ??= start().catch((error: unknown) => {
    started = null
    throw error
  })
  return started
}

async function start(): Promise<Engine> {
  const packageFile = createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json')
  const langPath = join(dirname(packageFile), VERSION)
  const sha256 = createHash('sha256')
    .update(readFileSync(join(langPath, 'eng.traineddata.gz')))
    .digest('hex')
  const scheduler = createScheduler()
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => startWorker('eng', langPath)))
  for (const worker of workers) scheduler.addWorker(worker)
  return { scheduler, model: { id: 'tesseract-eng', version: VERSION, sha256 } }
}

/** Reads lines with the model of one language, which lies in the folder. */
export async function startWorker(language: string, langPath: string): Promise<Worker> {
  const worker = await createWorker(language, OEM.LSTM_ONLY, {
    langPath,
    gzip: true,
    cacheMethod: 'none', // nothing is written to the working directory
    errorHandler: () => undefined,
  })
  await worker.setParameters({
    tessedit_pageseg_mode: PSM.SINGLE_LINE,
    tessedit_do_invert: '0', // light letters were turned dark before: a second try would only cost time
    user_defined_dpi: '300', // strips have no resolution of their own; without one tesseract complains on stderr
  })
  return worker
}

/** The words of a strip; none where nothing could be read. Strips are read in the order in which they come. */
export async function readStrip(strip: GreyRaster): Promise<readonly StripWord[]> {
  if (!hasInk(strip)) return []
  const { scheduler } = await engine()
  return wordsOf(await scheduler.addJob('recognize', portableGreymap(strip), {}, BLOCKS))
}

/** What reads the strips, for the record of the models that were used. */
export const engineModel = async (): Promise<ModelUse> => (await engine()).model

/** Half of all shades: a strip without anything as dark has no letter. */
const INK = 128

/** Of an empty strip tesseract writes figures to the console. */
const hasInk = ({ data }: GreyRaster): boolean => data.some((value) => value < INK)

export const readStripWith = async (worker: Worker, strip: GreyRaster): Promise<readonly StripWord[]> =>
  hasInk(strip) ? wordsOf(await worker.recognize(portableGreymap(strip), {}, BLOCKS)) : []

const BLOCKS = { blocks: true, text: false }

function wordsOf({ data }: RecognizeResult): readonly StripWord[] {
  return (data.blocks ?? []).flatMap((block) =>
    block.paragraphs.flatMap((paragraph) =>
      paragraph.lines.flatMap((line) =>
        line.words.map(({ text, confidence, bbox }) => ({
          text: text.normalize('NFC'),
          confidence: Math.min(1, Math.max(0, confidence / 100)),
          x0: bbox.x0,
          y0: bbox.y0,
          x1: bbox.x1,
          y1: bbox.y1,
        })),
      ),
    ),
  )
}

/** The plainest of the formats that tesseract's image library reads: no time goes into compressing. */
function portableGreymap({ data, width, height }: GreyRaster): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1'), data])
}

/** The networks' first lines take twice as long as the later ones: bars for letters will do. */
const WARMING = { width: 600, height: 71, barPx: 6, stepPx: 20, capPx: 30 }

/** Starts the engine and reads something, so that the first page need not wait. It stays: 130 MB (21 Nov 2026). */
export async function warmUp(): Promise<void> {
  const { width, height, barPx, stepPx, capPx } = WARMING
  const data = new Uint8Array(width * height).fill(255)
  const top = (height - capPx) >> 1
  for (let y = top; y < top + capPx; y++)
    for (let x = stepPx; x < width - stepPx; x += stepPx) data.fill(0, y * width + x, y * width + x + barPx)
  await Promise.all(Array.from({ length: WORKERS }, () => readStrip({ data, width, height })))
}

/** For tests and tools that want to end. */
export async function stopEngine(): Promise<void> {
  const running = started
  started = null
  if (running) await (await running).scheduler.terminate()
}
