/**
 * Format of a backup: one line of JSON in clear as header, then an encrypted stream (master key) of a tar. The header
 * contains only ids and times, so that backups can be listed without the key.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { openStream, sealStream, type Bytes } from '../crypto/chunked.ts'
import { AppError } from '../errors.ts'
import { openGivenFile } from '../files/read-file.ts'
import { deriveKey } from '../store/crypto.ts'

const HeaderSchema = z.strictObject({
  format: z.literal('counterproof-backup-1'),
  /** `data`: database and files, any number of generations. `keys`: identity keys, only the newest. */
  kind: z.enum(['data', 'keys']),
  applianceId: z.string(),
  /** Milliseconds since 1970, UTC. */
  createdAt: z.int(),
  productVersion: z.string(),
  /** Shows whether a master key is the right one, without revealing it. */
  keyCheck: z.string(),
})
export type BackupHeader = z.infer<typeof HeaderSchema>

const MAX_HEADER_LENGTH = 1_000
const FORMAT = 'counterproof-backup-1'
/** Unlimited, because it is read as a stream. */
const ANY_SIZE = { mostBytes: Infinity }

export async function* sealBackup(
  facts: Omit<BackupHeader, 'format' | 'keyCheck'>,
  kek: Uint8Array,
  content: Bytes,
): AsyncGenerator<Buffer> {
  const header: BackupHeader = { format: FORMAT, ...facts, keyCheck: computeKeyCheck(kek) }
  const line = JSON.stringify(header)
  yield Buffer.from(`${line}\n`, 'utf8')
  yield* sealStream(deriveKey(kek, 'backup'), line, content)
}

/**
 * Throws `backup_refused` if the file is no backup or was made with another master key, `file_refused` if it is a link, a
 * pipe or the like.
 */
export async function openBackup(
  path: string,
  kek: Uint8Array,
): Promise<{ readonly header: BackupHeader; readonly content: AsyncGenerator<Buffer> }> {
  const { header, line } = await readLine(path)
  if (header.keyCheck !== computeKeyCheck(kek)) {
    throw new AppError('backup_refused', { reason: 'it was made with another master key' })
  }
  // Opened on first read, so that a caller who rejects the header need not close anything.
  const sealed = async function* () {
    const { handle } = await openGivenFile(path, ANY_SIZE)
    yield* handle.createReadStream({ start: Buffer.byteLength(line) + 1 }) as Bytes
  }
  return { header, content: openStream(deriveKey(kek, 'backup'), line, sealed()) }
}

export async function readBackupHeader(path: string): Promise<BackupHeader> {
  return (await readLine(path)).header
}

async function readLine(path: string): Promise<{ header: BackupHeader; line: string }> {
  const { handle } = await openGivenFile(path, ANY_SIZE)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_HEADER_LENGTH), 0, MAX_HEADER_LENGTH, 0)
    const line = buffer.subarray(0, bytesRead).toString('utf8').split('\n', 1)[0] ?? ''
    return { header: HeaderSchema.parse(JSON.parse(line)), line }
  } catch (cause) {
    throw new AppError('backup_refused', { reason: 'the file is no backup' }, { cause })
  } finally {
    await handle.close()
  }
}

function computeKeyCheck(kek: Uint8Array): string {
  return createHash('sha256').update(deriveKey(kek, 'backup-check')).digest('hex').slice(0, 16)
}
