/** Files and folders that an operator names: faults become a sentence of wrong use with the name. */
import { AppError } from '../errors.ts'
import { makeEmptyFolder, replaceControlCharacters } from '../files/folder.ts'
import { readGivenFile } from '../files/read-file.ts'
import { UsageError } from './usage.ts'

/** @throws UsageError */
export async function readNamedFile(path: string, mostBytes: number): Promise<Uint8Array> {
  try {
    return await readGivenFile(path, { mostBytes })
  } catch (error) {
    throw explainFault(path, error)
  }
}

/**
 * Makes the folder for what a command writes. It must be new or empty: else the files of two runs would stand side by side.
 * @throws UsageError
 */
export async function makeOutFolder(path: string): Promise<void> {
  try {
    await makeEmptyFolder(path)
  } catch (error) {
    throw explainFault(path, error)
  }
}

/** The code of the system, such as ENOENT. */
export function readCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}

function explainFault(path: string, cause: unknown): UsageError {
  const name = replaceControlCharacters(path)
  return cause instanceof AppError
    ? new UsageError(`${name}: ${String(cause.details.reason)}`, { cause })
    : new UsageError(`${name} cannot be used (${readCode(cause)}). Check its name and its rights.`, { cause })
}
