/**
 * Runs tesseract's networks on the ONNX runtime: strips of one line each in, words with positions out. Uses the weights
 * of the npm packages unchanged; a line takes a tenth of its time in tesseract.js.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { readTesseractFile } from '../../../../models/convert/tesseract-file.ts'
import { convertTesseract } from '../../../../models/convert/tesseract.ts'
import type { Network } from '../../network.ts'
import { openNetworkApart } from '../../network-apart.ts'
import type { ModelUse } from '../../protocol.ts'
import type { GreyRaster } from '../../raster.ts'
import { stripInput } from './strip-input.ts'
import { splitWords, type StripWord } from './strip-words.ts'

const VERSION = '4.0.0_best_int'
/** Language with which every page is read. */
const USUAL = 'eng'
/** Number of further languages to keep, for the most frequent countries of issue. Each takes about 10 MB. */
const MAX_KEPT = 2
/** The largest file has 4 MB packed, 12 MB unpacked. */
const MAX_FILE_BYTES = 64 * 1024 * 1024

interface Reader {
  readonly model: ModelUse
  readonly alphabet: readonly (string | null)[]
  readonly network: Network
}

/** Sorted in order of last use. */
const kept = new Map<string, Promise<Reader>>()

/** Opens the language on first use. Throws TypeError if its package is not installed. */
function readerFor(language: string): Promise<Reader> {
  const reader = kept.get(language) ?? openReader(language)
  kept.delete(language)
  kept.set(language, reader)
  // A language that failed to open is tried again on the next use.
  reader.catch(() => kept.delete(language))
  const others = [...kept.keys()].filter((other) => other !== USUAL)
  for (const oldest of others.slice(0, Math.max(0, others.length - MAX_KEPT))) close(oldest)
  return reader
}

async function openReader(language: string): Promise<Reader> {
  const path = findLanguageFile(language)
  if (path === null) throw new TypeError(`no model of ${language} is installed`)
  const packed = readFileSync(path)
  const file = gunzipSync(packed, { maxOutputLength: MAX_FILE_BYTES })
  const sha256 = createHash('sha256').update(packed).digest('hex')
  const id = `tesseract-${language}`
  const model = readTesseractFile(file)
  // Lines have many lengths, and the arena would keep memory for each.
  const network = await openNetworkApart(convertTesseract(id, model), { enableCpuMemArena: false })
  return { model: { id, version: VERSION, sha256 }, alphabet: model.alphabet, network }
}

function findLanguageFile(language: string): string | null {
  try {
    const { resolve } = createRequire(import.meta.url)
    const folder = dirname(resolve(`@tesseract.js-data/${language}/package.json`))
    const path = join(folder, VERSION, `${language}.traineddata.gz`)
    return existsSync(path) ? path : null
  } catch {
    return null
  }
}

export const isInstalled = (language: string): boolean => findLanguageFile(language) !== null

/** Reads the words of a strip; empty if nothing could be read. */
export async function readStrip(strip: GreyRaster, language = USUAL): Promise<readonly StripWord[]> {
  const input = stripInput(strip, language !== USUAL)
  if (input === null) return []
  const { network, alphabet } = await readerFor(language)
  const { data, from, columns } = input
  const outputs = await network.run(data, [1, 1, input.height, input.width])
  const { data: probabilities, dims } = outputs[network.outputNames[0]]
  const [steps, , classes] = dims
  return splitWords(strip, { probabilities, steps, classes, from, columns }, alphabet)
}

/** The model that reads the strips, for the record of used models. */
export const engineModel = async (language = USUAL): Promise<ModelUse> => (await readerFor(language)).model

function close(language: string): void {
  const reader = kept.get(language)
  kept.delete(language)
  // Waits until a line that is being read has finished.
  reader?.then(({ network }) => network.close()).catch(() => undefined)
}

/** Lets tests and tools exit. */
export async function stopEngine(): Promise<void> {
  const open = [...kept.values()]
  kept.clear()
  for (const reader of open) await (await reader).network.close()
}
