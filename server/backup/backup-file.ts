/**
 * Format of a backup: one line of JSON in clear as header, then an encrypted stream (master key) of a tar. The header
 * contains only ids and times, so that backups can be listed without the key.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { openStream, sealStream, type Bytes } from '../crypto/chunked.ts'
import { AppError } from '../errors.ts'
import { readAfterLine, readFirstLine } from '../files/headed-file.ts'
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

const FORMAT = 'counterproof-backup-1'

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
  return { header, content: openStream(deriveKey(kek, 'backup'), line, readAfterLine(path, line)) }
}

export async function readBackupHeader(path: string): Promise<BackupHeader> {
  return (await readLine(path)).header
}

async function readLine(path: string): Promise<{ header: BackupHeader; line: string }> {
  const line = await readFirstLine(path)
  try {
    return { header: HeaderSchema.parse(JSON.parse(line)), line }
  } catch (cause) {
    throw new AppError('backup_refused', { reason: 'the file is no backup' }, { cause })
  }
}

function computeKeyCheck(kek: Uint8Array): string {
  return createHash('sha256').update(deriveKey(kek, 'backup-check')).digest('hex').slice(0, 16)
}
