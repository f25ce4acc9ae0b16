import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError } from '../errors.ts'

/**
 * A secret that the config names by its file, so that the config itself holds none. Throws `configuration_invalid`,
 * naming the field, when the file is missing, not readable or empty.
 */
export function readSecretFile(dataDir: string, file: string, field: string): string {
  const unusable = (message: string, options: ErrorOptions = {}): AppError =>
    new AppError(
      'configuration_invalid',
      { field },
      { ...options, problems: [{ code: 'unusable', field, message }] },
    )
  let secret: string
  try {
    secret = readFileSync(resolve(dataDir, file), 'utf8').trim()
  } catch (cause) {
    throw unusable('the file that it names is missing or cannot be read', { cause })
  }
  if (secret === '') throw unusable('the file that it names is empty')
  return secret
}
