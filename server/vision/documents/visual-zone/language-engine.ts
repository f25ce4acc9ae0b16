/**
 * Tesseract with the model of one language, started when a document needs it. Few are kept: each is a process thread of its
 * own with some 60 MB.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Worker } from 'tesseract.js'
import type { ModelUse } from '../../protocol.ts'
import type { GreyRaster } from '../../raster.ts'
import { readStripWith, startWorker, VERSION, type StripWord } from './engine.ts'

interface LanguageReader {
  readonly worker: Worker
  readonly model: ModelUse
}

/** The people of one country and the most frequent guests. */
const MOST_KEPT = 2

/** In the order in which they were last used. */
const kept = new Map<string, LanguageReader>()
let busy: Promise<unknown> = Promise.resolve()

export const isInstalled = (language: string): boolean => folderOf(language) !== null

/** The words of each strip. One caller at a time; throws for a language whose package is not installed. */
export function readStripsIn(
  language: string,
  strips: readonly GreyRaster[],
): Promise<{ readonly words: readonly (readonly StripWord[])[]; readonly model: ModelUse }> {
  const reading = busy.then(async () => {
    const reader = await readerFor(language)
    const words: (readonly StripWord[])[] = []
    for (const strip of strips) words.push(await readStripWith(reader.worker, strip))
    return { words, model: reader.model }
  })
  busy = reading.catch(() => undefined)
  return reading
}

async function readerFor(language: string): Promise<LanguageReader> {
  const reader = kept.get(language) ?? (await startReader(language))
  kept.delete(language)
  kept.set(language, reader)
  for (const [oldest, { worker }] of kept) {
    if (kept.size <= MOST_KEPT) break
    kept.delete(oldest)
    await worker.terminate()
  }
  return reader
}

async function startReader(language: string): Promise<LanguageReader> {
  const langPath = folderOf(language)
  if (langPath === null) throw new TypeError(`no model of ${language} is installed`)
  const file = readFileSync(join(langPath, `${language}.traineddata.gz`))
  const sha256 = createHash('sha256').update(file).digest('hex')
  const worker = await startWorker(language, langPath)
  return { worker, model: { id: `tesseract-${language}`, version: VERSION, sha256 } }
}

function folderOf(language: string): string | null {
  try {
    const { resolve } = createRequire(import.meta.url)
    return join(dirname(resolve(`@tesseract.js-data/${language}/package.json`)), VERSION)
  } catch {
    return null
  }
}

/** For tests and tools that want to end. */
export async function stopLanguages(): Promise<void> {
  await busy
  const readers = [...kept.values()]
  kept.clear()
  await Promise.all(readers.map(({ worker }) => worker.terminate()))
}
