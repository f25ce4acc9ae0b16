/**
 * Media files of a proof. Each is read once for its hash, listed in proof.json, and read again when the archive is
 * written.
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { ContainerSource, Pieces } from './verify/container.ts'
import type { Media, MediaFolder } from './verify/document.ts'

export interface ProofFile {
  readonly id: string
  /** Consists of ids, never of text that a person typed: `[A-Za-z0-9._-]`, beginning with a letter or digit. */
  readonly fileName: string
  /** Returns the bytes from the start, the same at every call. Nothing stays in memory between calls. */
  read(): Pieces
}

export interface MeasuredFile {
  readonly file: ProofFile
  /** The file's entry in proof.json. */
  readonly media: Media
  /** The file's entry in the container; its path is inside the root folder. */
  readonly source: ContainerSource
}

export const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/

/**
 * Reads each file once, one after the other, and sorts by path so that the result does not depend on the order in which
 * images were added. Throws TypeError for a name that no proof can hold.
 */
export async function measureFiles(
  folder: MediaFolder,
  files: readonly ProofFile[],
): Promise<readonly MeasuredFile[]> {
  requireNames(folder, files)
  const measured: MeasuredFile[] = []
  for (const file of files) measured.push(await measure(folder, file))
  return measured.sort((a, b) => (a.media.path < b.media.path ? -1 : 1))
}

async function measure(folder: MediaFolder, file: ProofFile): Promise<MeasuredFile> {
  const hash = createHash('sha256')
  let [size, checksum] = [0, 0]
  for await (const bytes of file.read()) {
    hash.update(bytes)
    checksum = crc32(bytes, checksum)
    size += bytes.length
  }
  const path = `${folder}/${file.fileName}`
  return {
    file,
    media: { id: file.id, path, hash: hash.digest('hex') },
    source: { path, size, crc32: checksum, read: () => file.read() },
  }
}

function requireNames(folder: MediaFolder, files: readonly ProofFile[]): void {
  const names = new Set<string>()
  for (const { fileName } of files) {
    if (!SAFE_NAME.test(fileName))
      throw new TypeError(`a file of ${folder} has a name that no proof can hold`)
    if (names.has(fileName.toLowerCase())) throw new TypeError(`two files of ${folder} have the same name`)
    names.add(fileName.toLowerCase())
  }
}
