import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError } from '../errors.ts'

/**
 * A secret that the config names by its file, so that the config itself holds none. Throws `configuration_invalid`,
 * naming the field, when the file is missing, not readable or empty.
 */
export function readSecretFile(dataDir: string, file: string, field: string): string {
  try {
    const secret = readFileSync(resolve(dataDir, file), 'utf8').trim()
    if (secret !== '') return secret
  } catch (cause) {
    throw new AppError('configuration_invalid', { field }, { cause })
  }
  throw new AppError('configuration_invalid', { field })
}
