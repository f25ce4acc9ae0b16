/** Reads the files of `verify-proof`: archives, keys, CA certificates. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { readGivenFile } from '../files/read-file.ts'
import { KeyError, type KeySource, readAuthorities, readKeys } from '../proof/verify.ts'

/** A file or folder cannot be used. The message is a sentence with its path. */
export class FileError extends Error {
  override readonly name = 'FileError'
}

const LARGEST_KEY_FILE = 1024 * 1024 // a key set of a thousand keys

/**
 * `several`: more than one was named, or a folder. Throws FileError for a missing path and for an empty
 * folder.
 */
export async function listArchives(paths: readonly string[]): Promise<{ files: string[]; several: boolean }> {
  const files: string[] = []
  let several = paths.length > 1
  for (const path of paths) {
    const found = await stat(path).catch((error: unknown) => {
      throw new FileError(`${path} cannot be read (${readErrorCode(error)}).`)
    })
    if (!found.isDirectory()) {
      files.push(path)
      continue
    }
    several = true
    const inside = await readdir(path, { recursive: true, withFileTypes: true })
    const archives = inside
      .filter((entry) => entry.isFile() && entry.name.toLowerCase().endsWith('.zip'))
      .map((entry) => join(entry.parentPath, entry.name))
    if (archives.length === 0) throw new FileError(`There is no .zip in ${path} or below.`)
    files.push(...archives.sort())
  }
  return { files, several }
}

/**
 * A file without a usable key or CA stops the command, because it was named on purpose. Throws KeyError,
 * FileError.
 */
export async function readTrustFiles(paths: {
  readonly keys: readonly string[]
  readonly cas: readonly string[]
  readonly tsaCas: readonly string[]
}): Promise<KeySource> {
  const pems: string[] = []
  const jwks: unknown[] = []
  for (const path of paths.keys) {
    const text = await readText(path)
    if (text.includes('-----BEGIN ')) {
      named(path, () => readKeys({ pem: text }))
      pems.push(text)
    } else {
      const parsed = parseJson(path, text)
      named(path, () => readKeys({ jwks: parsed }))
      jwks.push(...listKeys(parsed))
    }
  }
  const [caPem, tsaCaPem] = [await readAuthorityFiles(paths.cas), await readAuthorityFiles(paths.tsaCas)]
  return {
    ...(pems.length > 0 && { pem: pems.join('\n') }),
    ...(jwks.length > 0 && { jwks: { keys: jwks } }),
    ...(caPem !== null && { caPem }),
    ...(tsaCaPem !== null && { tsaCaPem }),
  }
}

async function readAuthorityFiles(paths: readonly string[]): Promise<string | null> {
  const pems: string[] = []
  for (const path of paths) {
    const text = await readText(path)
    named(path, () => readAuthorities(text))
    pems.push(text)
  }
  return pems.length > 0 ? pems.join('\n') : null
}

/** Adds the file name to the verifier's error. */
function named(path: string, read: () => unknown): void {
  try {
    read()
  } catch (error) {
    throw error instanceof KeyError ? new KeyError(`${path}: ${error.message}`, { cause: error }) : error
  }
}

function listKeys(parsed: unknown): unknown[] {
  const isSet =
    typeof parsed === 'object' && parsed !== null && 'keys' in parsed && Array.isArray(parsed.keys)
  return isSet ? (parsed.keys as unknown[]) : [parsed]
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new FileError(`${path}: The key file is neither PEM nor JSON.`)
  }
}

async function readText(path: string): Promise<string> {
  return (await readLimited(path, LARGEST_KEY_FILE)).toString('utf8')
}

/**
 * Follows links: the location of a file is not trusted anyway. Throws FileError for a file that is larger, or
 * cannot be read.
 */
export async function readLimited(path: string, limit: number): Promise<Buffer> {
  try {
    return await readGivenFile(path, { mostBytes: limit, mayBeLink: true })
  } catch (error) {
    if (error instanceof AppError) throw new FileError(`${path} is not read: ${String(error.details.reason)}`)
    throw new FileError(`${path} cannot be read (${readErrorCode(error)}).`)
  }
}

/** `-` is standard input, within the same limit. Throws FileError. */
export async function readFileOrInput(path: string, limit: number): Promise<Buffer> {
  if (path !== '-') return readLimited(path, limit)
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      length += chunk.byteLength
      if (length > limit) break
      chunks.push(chunk)
    }
  } catch {
    throw new FileError('Standard input cannot be read.')
  }
  if (length > limit) throw new FileError(`Standard input is not read: it has more than ${limit} bytes.`)
  return Buffer.concat(chunks)
}

function readErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
}
