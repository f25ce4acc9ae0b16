/**
 * Compares the archives of the database with a list of what must be there: each is read, decrypted and hashed. The drill
 * after a restore, and after a recovery by the means of PostgreSQL.
 */
import { createInterface } from 'node:readline'
import { AppError } from '../../errors.ts'
import { openGivenFile } from '../../files/read-file.ts'
import { writeFileStream } from '../../files/write-file.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM } from '../db/db.ts'
import { openArchive } from '../kiosks/open-archive.ts'

const PAGE_ROWS = 500
const MAX_PROBLEMS = 100
const LINE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}) ([0-9a-f]{64})$/

type ArchiveContext = Pick<CentralContext, 'db' | 'keys' | 'storage'>

interface StoredArchive {
  readonly proofId: string
  readonly kioskId: string
  readonly sha256: string
  readonly location: string
  readonly packetBytes: number
  /** Only the tombstone is left. */
  readonly isDeleted: boolean
}

interface Expected {
  readonly proofId: string
  readonly sha256: string
}

interface ArchiveProblem {
  readonly proofId: string
  /** `missing`: its row or its packet. `differs`: the database names another archive than the list. */
  readonly reason: 'missing' | 'differs' | 'damaged'
}

export interface CheckedArchives {
  readonly archives: number
  /** Proofs of which only the tombstone is left; they are no problem, and neither is their line in the list. */
  readonly deleted: number
  readonly bytes: number
  /** Archives of the list that equal those of the database; null: there was no list. */
  readonly asListed: number | null
  readonly minutes: number
  /** The first of them. */
  readonly problems: readonly ArchiveProblem[]
  readonly problemCount: number
}

/** Writes one line `PROOF_ID SHA256` for each stored proof that is not deleted, in the order of their ids. */
export async function listArchives(
  { db }: Pick<CentralContext, 'db'>,
  file: string,
): Promise<{ file: string; archives: number }> {
  let archives = 0
  const lines = async function* () {
    for await (const { proofId, sha256, isDeleted } of readArchives(db)) {
      if (isDeleted) continue
      archives++
      yield Buffer.from(`${proofId} ${sha256}\n`, 'ascii')
    }
  }
  await writeFileStream(file, lines)
  return { file, archives }
}

/**
 * Reads, decrypts and hashes every archive. @param listFile written by `listArchives` on the database of before; null: the
 * archives are compared with their own rows alone. Throws `file_refused` for a list of another form.
 */
export async function checkArchives(ctx: ArchiveContext, listFile: string | null): Promise<CheckedArchives> {
  const begun = performance.now()
  const problems: ArchiveProblem[] = []
  let problemCount = 0
  const note = (problem: ArchiveProblem): void => {
    problemCount++
    if (problems.length < MAX_PROBLEMS) problems.push(problem)
  }
  const expected = listFile === null ? null : readList(listFile)
  let next = expected === null ? null : await expected.next()
  let [archives, deleted, bytes, asListed] = [0, 0, 0, 0]
  for await (const stored of readArchives(ctx.db)) {
    // Both are in the order of the ids.
    while (next && !next.done && next.value.proofId < stored.proofId) {
      note({ proofId: next.value.proofId, reason: 'missing' })
      next = (await expected?.next()) ?? null
    }
    if (stored.isDeleted) {
      deleted++
      if (next && !next.done && next.value.proofId === stored.proofId) next = (await expected?.next()) ?? null
      continue
    }
    archives++
    const read = await readWhole(ctx, stored)
    if (typeof read === 'string') note({ proofId: stored.proofId, reason: read })
    else bytes += read
    if (next && !next.done && next.value.proofId === stored.proofId) {
      if (next.value.sha256 !== stored.sha256) note({ proofId: stored.proofId, reason: 'differs' })
      else if (typeof read === 'number') asListed++
      next = (await expected?.next()) ?? null
    }
  }
  for (; next && !next.done; next = (await expected?.next()) ?? null) {
    note({ proofId: next.value.proofId, reason: 'missing' })
  }
  const minutes = Math.round((performance.now() - begun) / 600) / 100
  const equal = listFile === null ? null : asListed
  return { archives, deleted, bytes, asListed: equal, minutes, problems, problemCount }
}

async function* readArchives(db: CentralContext['db']): AsyncGenerator<StoredArchive> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const page = await db.query<StoredArchive>(
      SYSTEM,
      `SELECT proof_id AS "proofId", kiosk_id AS "kioskId", sha256, location, packet_bytes AS "packetBytes", "isDeleted"
       FROM (SELECT proof_id, kiosk_id, sha256, location, packet_bytes, deleted_at IS NOT NULL AS "isDeleted" FROM proofs
         UNION ALL SELECT proof_id, kiosk_id, sha256, location, packet_bytes, false FROM quarantined) AS kept
       WHERE proof_id > $1 ORDER BY proof_id LIMIT ${PAGE_ROWS}`,
      [after],
    )
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_ROWS) return
    after = last.proofId
  }
}

/** Returns the bytes of the archive, or why it cannot be read. */
async function readWhole(
  ctx: ArchiveContext,
  stored: StoredArchive,
): Promise<number | 'missing' | 'damaged'> {
  try {
    let bytes = 0
    for await (const piece of await openArchive(ctx, stored)) bytes += (piece as Buffer).length
    return bytes
  } catch (error) {
    if (error instanceof AppError && error.code === 'storage_damaged')
      return error.details.reason === 'missing' ? 'missing' : 'damaged'
    throw error
  }
}

async function* readList(file: string): AsyncGenerator<Expected, undefined> {
  const { handle } = await openGivenFile(file, { mostBytes: Infinity })
  try {
    for await (const line of createInterface({ input: handle.createReadStream({ autoClose: false }) })) {
      const [, proofId, sha256] = LINE.exec(line) ?? []
      if (proofId === undefined || sha256 === undefined) {
        throw new AppError('file_refused', { reason: 'it is no list of archives of this version' })
      }
      yield { proofId, sha256 }
    }
  } finally {
    await handle.close()
  }
}
