/**
 * Format of a backup of the central service: one line of JSON in clear as header, then a stream that is sealed with a key
 * derived from the master key. The master key itself is never in a backup.
 */
import { createHash, hkdfSync } from 'node:crypto'
import { z } from 'zod'
import { openStream, sealStream, type Bytes } from '../../crypto/chunked.ts'
import { AppError } from '../../errors.ts'
import { readAfterLine, readFirstLine } from '../../files/headed-file.ts'
import { PRODUCT_VERSION } from '../../version.ts'

const FORMAT = 'counterproof-central-backup-1'
const HeaderSchema = z.strictObject({
  format: z.literal(FORMAT),
  centreId: z.uuid(),
  /** Milliseconds since 1970, UTC: the time of the snapshot. */
  createdAt: z.int(),
  productVersion: z.string().max(40),
  /** Version of the database (db/migrations). */
  databaseVersion: z.int().min(1),
  /** Shows whether a master key is the right one, without revealing it. */
  keyCheck: z.string().max(64),
})
export type BackupHeader = z.infer<typeof HeaderSchema>

export async function* sealBackup(
  facts: Pick<BackupHeader, 'centreId' | 'createdAt' | 'databaseVersion'>,
  masterKey: Uint8Array,
  content: Bytes,
): AsyncGenerator<Buffer> {
  const header: BackupHeader = {
    format: FORMAT,
    ...facts,
    productVersion: PRODUCT_VERSION,
    keyCheck: computeKeyCheck(masterKey),
  }
  const line = JSON.stringify(header)
  yield Buffer.from(`${line}\n`, 'utf8')
  yield* sealStream(derive(masterKey, 'backup'), line, content)
}

/**
 * Throws `backup_refused` if the file is no backup of a central service or was made with another master key, `file_refused`
 * if it is a link, a pipe or the like. The content throws `backup_refused` with the file if it was altered or cut.
 */
export async function openBackup(
  path: string,
  masterKey: Uint8Array,
): Promise<{ readonly header: BackupHeader; readonly content: AsyncGenerator<Buffer> }> {
  const { header, line } = await readLine(path)
  if (header.keyCheck !== computeKeyCheck(masterKey)) {
    const reason =
      'it was made with another master key. Put the copy of centre.key that belongs to it in place, then restore again'
    throw new AppError('backup_refused', { file: path, reason })
  }
  const content = openStream(derive(masterKey, 'backup'), line, readAfterLine(path, line))
  return { header, content: nameDamage(path, content) }
}

async function* nameDamage(file: string, content: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* content
  } catch (cause) {
    if (!(cause instanceof AppError && cause.code === 'storage_damaged')) throw cause
    const reason =
      'the file is cut or damaged. Compare its size with the original, and take another copy or an older backup'
    throw new AppError('backup_refused', { file, reason }, { cause })
  }
}

async function readLine(path: string): Promise<{ header: BackupHeader; line: string }> {
  const line = await readFirstLine(path)
  try {
    return { header: HeaderSchema.parse(JSON.parse(line)), line }
  } catch (cause) {
    throw new AppError(
      'backup_refused',
      { file: path, reason: 'the file is no backup of a central service' },
      { cause },
    )
  }
}

function computeKeyCheck(masterKey: Uint8Array): string {
  return createHash('sha256').update(derive(masterKey, 'backup-check')).digest('hex').slice(0, 16)
}

function derive(masterKey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `counterproof-central:${purpose}`, 32))
}
