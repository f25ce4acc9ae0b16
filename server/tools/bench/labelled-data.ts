/**
 * Finds the labelled data of a bench, or renders a set in the same form if there is none, so that every bench runs on a
 * fresh clone. Also defines the exit status that all benches share.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { UsageError } from '../../commands/usage.ts'

/** The folder beside the repository that holds labelled data: NAME.tsv and a folder NAME with its files. */
const USUAL_FOLDER = '../shared/data'

export interface LabelledData {
  readonly manifest: string
  readonly images: string
}

/** The places that the caller of a bench named with its options. */
interface NamedData {
  readonly manifest?: string | undefined
  readonly images?: string | undefined
}

/**
 * Null if no place is named and the default place is empty; one line on standard error then says what is measured
 * instead. Throws UsageError if a named place does not exist, because figures of other pictures must not pass for those.
 */
export function findLabelledData(set: string, named: NamedData, instead: string): LabelledData | null {
  const manifest = resolve(named.manifest ?? join(USUAL_FOLDER, `${set}.tsv`))
  const images = resolve(named.images ?? manifest.replace(/\.tsv$/, ''))
  const isNamed = named.manifest !== undefined || named.images !== undefined
  return areThere([manifest, images], isNamed, instead) ? { manifest, images } : null
}

/** Like `findLabelledData`, for labelled data that is only a folder. */
export function findLabelledFolder(set: string, named: string | undefined, instead: string): string | null {
  const folder = resolve(named ?? join(USUAL_FOLDER, set))
  return areThere([folder], named !== undefined, instead) ? folder : null
}

function areThere(paths: readonly string[], areNamed: boolean, instead: string): boolean {
  const missing = paths.find((path) => !existsSync(path))
  if (missing === undefined) return true
  if (areNamed) throw new UsageError(`${missing} does not exist: nothing was measured.`)
  process.stderr.write(
    `no labelled data: ${instead}. Labelled data goes to ${paths.join(' and ')}, or is named (--help)\n`,
  )
  return false
}

/** Measures labelled data, or without it a set that `render` writes into a temporary folder. */
export async function withLabelledData<Data, Result>(
  found: Data | null,
  render: (folder: string) => Promise<Data> | Data,
  measure: (data: Data) => Promise<Result> | Result,
): Promise<Result> {
  if (found !== null) return measure(found)
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-rendered-'))
  try {
    return await measure(await render(folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Exit status of a bench: 2 if it measured nothing, because an empty table must not pass for a good result; otherwise 1
 * if a measurement breaks a promise, and 0 if none does.
 */
export function endBench(measured: number, isGood = true): number {
  if (measured > 0) return isGood ? 0 : 1
  process.stderr.write('nothing was measured\n')
  return 2
}
