/** Tesseract with its `mrz` model as an additional recogniser; its symbols are placed on the same lattice. */
import { basename, dirname } from 'node:path'
import sharp from 'sharp'
import { createWorker, OEM, PSM, type Worker } from 'tesseract.js'
import { MRZ_SHAPES } from '../../proofing/mrz/format.ts'
import type { Pyramid } from './grey.ts'
import type { Slots } from './lattice.ts'
import { bestLattice, proposeLattices, type BandReading } from './read-band.ts'
import { cutStrip } from './strips.ts'
import { CLASS_CHARACTERS, type Recognition } from './tools.ts'

/** Tesseract expects capitals of about 30 pixels with the same margin above and below. */
const STRIP = { height: 64, capPx: 30, shiftPx: 0 }
/** Pixels per step, so that a character spans as many steps as with the other recognisers. */
const STEP_PX = 6
/** Limits for a symbol's probability: tesseract's confidences are not probabilities. */
const SYMBOL_PROBABILITY = { least: 0.5, most: 0.98 }
const NOWHERE = Math.log(1e-6)

let started: { path: string; worker: Promise<Worker> } | null = null

/** One worker for the life of the process. */
function workerFor(path: string): Promise<Worker> {
  if (started?.path !== path) {
    const language = basename(path).replace(/\.traineddata$/, '')
    const worker = createWorker(language, OEM.LSTM_ONLY, {
      langPath: dirname(path),
      gzip: false,
      cacheMethod: 'none',
      errorHandler: () => undefined,
    }).then(async (ready) => {
      await ready.setParameters({
        tessedit_pageseg_mode: PSM.RAW_LINE,
        tessedit_char_whitelist: CLASS_CHARACTERS,
        user_defined_dpi: '300', // strips have no resolution; without one tesseract warns on stderr
      })
      return ready
    })
    started = { path, worker }
  }
  return started.worker
}

/** Returns null if a line of the reading gives no lattice. */
export async function readWithTesseract(
  pyramid: Pyramid,
  reading: BandReading,
  path: string,
): Promise<Slots[] | null> {
  const worker = await workerFor(path)
  const slots: Slots[] = []
  for (const [l, line] of reading.lines.entries()) {
    const { grey } = cutStrip(pyramid, reading.band, line, STRIP)
    const png = await sharp(grey.data, { raw: { width: grey.width, height: grey.height, channels: 1 } })
      .png()
      .toBuffer()
    const { data } = await worker.recognize(png, {}, { blocks: true, text: false })
    const symbols = (data.blocks ?? []).flatMap((block) =>
      block.paragraphs.flatMap((p) => p.lines.flatMap((text) => text.words.flatMap((word) => word.symbols))),
    )
    const recognition = toRecognition(symbols, grey.width)
    const fitted = bestLattice(reading.format, l, proposeLattices(recognition, MRZ_SHAPES[reading.format][l]))
    if (fitted === null) return null
    slots.push(fitted)
  }
  return slots
}

interface Symbol {
  readonly text: string
  /** 0–100. */
  readonly confidence: number
  readonly bbox: { readonly x0: number; readonly x1: number }
}

/** Each symbol becomes one peak at its centre. */
export function toRecognition(symbols: readonly Symbol[], widthPx: number): Recognition {
  const classes = CLASS_CHARACTERS.length + 1
  const steps = Math.ceil(widthPx / STEP_PX)
  const logProbabilities = new Float32Array(steps * classes).fill(NOWHERE)
  for (let t = 0; t < steps; t++) logProbabilities[t * classes] = Math.log(0.999)
  for (const { text, confidence, bbox } of symbols) {
    const index = CLASS_CHARACTERS.indexOf(text)
    if (index < 0) continue
    const t = Math.min(steps - 1, Math.max(0, Math.round((bbox.x0 + bbox.x1) / 2 / STEP_PX - 0.5)))
    const { least, most } = SYMBOL_PROBABILITY
    const probability = least + (most - least) * Math.min(1, Math.max(0, confidence / 100))
    logProbabilities[t * classes] = Math.log(1 - probability)
    logProbabilities[t * classes + index + 1] = Math.log(probability)
  }
  return { logProbabilities, steps, classes }
}
