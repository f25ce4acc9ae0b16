/** Checkpoints, exports and proof archives stored elsewhere: each states how far the log had reached. */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { requirePlainFolder } from '../files/folder.ts'
import { readGivenFile } from '../files/read-file.ts'
import { verifyProof, type KeySource } from '../proof/verify.ts'
import type { StatedHead } from './check-heads.ts'
import type { Findings } from './findings.ts'
import { LIMITS } from '../proof/verify/read-zip.ts'
import { checkpointReader } from './statement.ts'

/** Enough for an export of a million events; a century of checkpoints is smaller. */
const LARGEST_CHECKPOINTS = 256 * 1024 * 1024

export interface GivenHead extends StatedHead {
  readonly file: string
  /** Beginning of the message. */
  readonly name: string
  readonly proof?: { readonly id: string; readonly sha256: string }
}

export async function readGivenFiles(
  given: { readonly checkpointFiles?: readonly string[]; readonly proofsDir?: string },
  keys: KeySource,
  findings: Findings,
): Promise<{ readonly heads: readonly GivenHead[] }> {
  const heads: GivenHead[] = []
  for (const file of given.checkpointFiles ?? [])
    heads.push(...(await readCheckpointFile(file, keys, findings)))
  const { proofsDir } = given
  if (proofsDir !== undefined) await requirePlainFolder(proofsDir)
  const archives =
    proofsDir === undefined ? [] : readdirSync(proofsDir).filter((name) => name.endsWith('.zip'))
  for (const name of archives.sort()) {
    const head = await readArchive(join(proofsDir ?? '', name), keys, findings)
    if (head) heads.push(head)
  }
  return { heads }
}

/** One compact JWS per line; other lines (of an export) are ignored. */
async function readCheckpointFile(path: string, keys: KeySource, findings: Findings): Promise<GivenHead[]> {
  const file = basename(path)
  const reader = checkpointReader(keys)
  const content = await readGivenFile(path, { mostBytes: LARGEST_CHECKPOINTS, mayBeLink: true })
  const lines = content.toString('utf8').split('\n')
  const heads: GivenHead[] = []
  for (const [index, line] of lines.entries()) {
    const jws = jwsIn(line)
    if (jws === null) continue
    const name = `The checkpoint in line ${index + 1} of ${file}`
    const statement = await reader.read(jws)
    if (statement) heads.push({ ...statement, file, name })
    else findings.add('file', 'unreadable', file, `${name} was not signed by a key of this appliance.`)
  }
  if (heads.length === 0) findings.add('file', 'unreadable', file, `There is no valid checkpoint in ${file}.`)
  return heads
}

/** Bare, or in the last line of an export. */
function jwsIn(line: string): string | null {
  const bare = line.trim()
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(bare)) return bare
  if (!bare.startsWith('{"checkpoint":')) return null
  try {
    const { checkpoint } = JSON.parse(bare) as { readonly checkpoint: unknown }
    return typeof checkpoint === 'string' ? checkpoint : null
  } catch {
    return null
  }
}

async function readArchive(path: string, keys: KeySource, findings: Findings): Promise<GivenHead | null> {
  const file = basename(path)
  const bytes = await readGivenFile(path, { mostBytes: LIMITS.archiveBytes })
  const report = await verifyProof(bytes, keys)
  if (!report.valid) {
    findings.add(
      'file',
      'unreadable',
      file,
      `The archive ${file} does not verify: ${report.problems[0]?.message ?? ''}`,
    )
    return null
  }
  // Signed by a version before 0.3.
  if (report.audit === null) return null
  const proof = { id: report.proofId, sha256: createHash('sha256').update(bytes).digest('hex') }
  return { ...report.audit, file, name: `The proof ${file}`, proof }
}
