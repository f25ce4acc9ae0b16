/** The vision worker's answers, and what its engines alone need for the same pictures, without a worker around them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Tensor } from 'onnxruntime-node'
import { createWorker, OEM } from 'tesseract.js'
import { readBarcodes } from 'zxing-wasm/reader'
import { startVision } from '../../../../vision/client.ts'
import { prepareZxing } from '../../../../vision/documents/barcode-zxing-cpp.ts'
import { readManifest } from '../../../../vision/manifest.ts'
import { openSession } from '../../../../vision/open-session.ts'
import { defaultModelsDir, locateModel } from '../../../../vision/packs.ts'
import type { Vision } from '../../../../vision/protocol.ts'
import { defaultSpecimen } from '../../../demo/specimens.ts'
import { readManifest as readBarcodeManifest } from '../../pdf417.ts'
import { readManifest as readMrzManifest } from '../../mrz.ts'
import { renderBarcodes, renderMrzSet } from '../../rendered-sets.ts'
import { computeMedian, putBesideFloor, type Figure } from '../figure.ts'

const PICTURES = 5
const RUNS = 7
const SEED = 1

export async function compareVision(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-floors-'))
  const vision = await startVision({ modelsDir: defaultModelsDir(), packs: ['core'], log: () => undefined })
  try {
    return [await compareMrz(vision, folder), await compareFace(vision), await compareBarcode(vision, folder)]
  } finally {
    await vision.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Our reading finds the document and its MRZ first; tesseract.js gets the MRZ cut out. */
async function compareMrz(vision: Vision, folder: string): Promise<Figure> {
  const { manifest, images } = await renderMrzSet(folder, SEED)
  const pictures = readMrzManifest(readFileSync(manifest, 'utf8')).filter(({ truth }) => truth.length > 0)
  const tesseract = await createWorker('eng', OEM.LSTM_ONLY, {
    langPath: dirname(
      fileURLToPath(import.meta.resolve('@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz')),
    ),
    cacheMethod: 'none',
  })
  const ours: number[] = []
  const bare: number[] = []
  for (const { file } of pictures.slice(0, PICTURES + 1)) {
    const image = readFileSync(join(images, file))
    const startedAt = performance.now()
    const { mrzBand } = await vision.measureDocument({ image })
    const ms = performance.now() - startedAt
    if (mrzBand === null) continue
    const { jpeg } = await vision.cutLine({ image, frame: mrzBand.quad, box: WHOLE })
    const [, floorMs] = await time(() => tesseract.recognize(Buffer.from(jpeg)))
    ours.push(ms)
    bare.push(floorMs)
  }
  await tesseract.terminate()
  // The first picture compiles the code and is not counted.
  return putBesideFloor(
    'MRZ of a picture, beside tesseract.js on the MRZ alone',
    computeMedian(ours.slice(1)),
    computeMedian(bare.slice(1)),
    'ms',
  )
}

const WHOLE = { x: 0, y: 0, width: 1, height: 1 }

async function compareFace(vision: Vision): Promise<Figure> {
  const image = readFileSync(defaultSpecimen().portrait)
  const { models } = await vision.measurePortrait({ image })
  const ours: number[] = []
  for (let n = 0; n < RUNS; n++) ours.push((await time(() => vision.measurePortrait({ image })))[1])
  const networks: number[] = []
  for (const { id } of models) networks.push(await timeNetwork(id))
  return putBesideFloor(
    'portrait measured, beside the sum of its networks',
    computeMedian(ours),
    networks.reduce((sum, ms) => sum + ms, 0),
    'ms',
  )
}

/** Times one run on an empty picture, in milliseconds. */
async function timeNetwork(id: string): Promise<number> {
  const entry = readManifest().models.find((model) => model.id === id)
  if (!entry) throw new Error(`the manifest has no model ${id}`)
  const session = await openSession(readFileSync(locateModel(entry, defaultModelsDir())), {
    enableCpuMemArena: true,
  })
  const [input] = session.inputMetadata
  if (!input.isTensor) throw new TypeError(`${id} does not take a tensor`)
  const dims = input.shape.map((size) => (typeof size === 'number' ? size : 1))
  const data = new Float32Array(dims.reduce((product, size) => product * size, 1))
  const times: number[] = []
  for (let n = 0; n < RUNS; n++)
    times.push((await time(() => session.run({ [input.name]: new Tensor('float32', data, dims) })))[1])
  await session.release()
  return computeMedian(times) ?? Infinity
}

async function compareBarcode(vision: Vision, folder: string): Promise<Figure> {
  const { manifest, images } = await renderBarcodes(folder, SEED)
  prepareZxing()
  const ours: number[] = []
  const bare: number[] = []
  for (const { file } of readBarcodeManifest(readFileSync(manifest, 'utf8')).slice(0, PICTURES + 1)) {
    const image = readFileSync(join(images, file))
    ours.push((await time(() => vision.readBarcode({ image })))[1])
    bare.push((await time(() => readBarcodes(image, { formats: ['PDF417'], tryHarder: true })))[1])
  }
  return putBesideFloor(
    'PDF417 of a picture, beside zxing-wasm alone',
    computeMedian(ours.slice(1)),
    computeMedian(bare.slice(1)),
    'ms',
  )
}

async function time<Result>(work: () => Promise<Result>): Promise<[result: Result, ms: number]> {
  const startedAt = performance.now()
  const result = await work()
  return [result, performance.now() - startedAt]
}
