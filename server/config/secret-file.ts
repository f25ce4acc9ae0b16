import { resolve } from 'node:path'
import { AppError } from '../errors.ts'
import { readOwnFile, UnsafeFileError, type OwnFileKind } from '../files/own-files.ts'

/**
 * Reads a secret (or, with kind `public`, a certificate) from the file that the configuration names, so that the
 * configuration contains no secret. Throws `configuration_invalid` with the field if the file is missing, unreadable or
 * empty, or if others may have changed or read it.
 */
export function readSecretFile(
  dataDir: string,
  file: string,
  field: string,
  kind: OwnFileKind = 'secret',
): string {
  const unusable = (message: string, options: ErrorOptions = {}): AppError =>
    new AppError(
      'configuration_invalid',
      { field },
      { ...options, problems: [{ code: 'unusable', field, message }] },
    )
  let secret: string
  try {
    secret = readOwnFile(resolve(dataDir, file), kind).toString('utf8').trim()
  } catch (cause) {
    if (cause instanceof UnsafeFileError) throw unusable(`${cause.path}: ${cause.message}`, { cause })
    throw unusable('the file that it names is missing or cannot be read', { cause })
  }
  if (secret === '') throw unusable('the file that it names is empty')
  return secret
}
