/**
 * Packets that came on a stick from a branch with no line. Each goes the way it would have gone over the wire, after the
 * kiosk's signature over the whole list was checked; the receipts go back on the stick. Again is harmless.
 */
import { createReadStream } from 'node:fs'
import { lstat, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { checkRequest, claimedKiosk } from '../../protocol/request-signature.ts'
import {
  MANIFEST_FILE,
  MANIFEST_SIGNATURE_FILE,
  ManifestSchema,
  RECEIPTS_FILE,
  type Announcement,
  type Manifest,
  type Receipts,
  type UploadState,
} from '../../protocol/wire.ts'
import type { CentreContext } from '../context.ts'
import { SYSTEM } from '../db/db.ts'
import { decodeJson } from '../json.ts'
import { announce } from '../kiosks/announce.ts'
import { complete } from '../kiosks/complete.ts'
import { findKiosk, lockKiosk } from '../kiosks/kiosk.ts'
import { noteKeys, readProofKeys } from '../kiosks/proof-keys.ts'
import { receiveChunk } from '../kiosks/receive-chunk.ts'

const LARGEST_MANIFEST = 64 * 1024 * 1024
const PIECE_BYTES = 1024 * 1024
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/

export interface Imported {
  readonly kioskId: string
  readonly stored: number
  readonly withdrawn: number
  readonly refused: number
  /** Files that are missing or cut: the kiosk exports them again. */
  readonly incomplete: number
}

/** Throws `packet_refused` when the folder holds no list signed by a kiosk of ours; then nothing was taken. */
export async function importPackets(ctx: CentreContext, folder: string): Promise<Imported> {
  const manifest = await readManifest(ctx, folder)
  await noteManifestKeys(ctx, manifest)
  const { kioskId, packets } = manifest
  const receipts: Receipts['receipts'] = []
  for (const { file, announcement } of packets) {
    receipts.push({
      proofId: announcement.proofId,
      answer: await take(ctx, kioskId, folder, file, announcement),
    })
  }
  await writeReceipts(folder, { kioskId, receipts, trust: ctx.keys.current().trust })
  const count = (state: UploadState['state']): number =>
    receipts.filter(({ answer }) => answer.state === state).length
  return {
    kioskId,
    stored: count('STORED'),
    withdrawn: count('WITHDRAWN'),
    refused: count('REFUSED'),
    incomplete: count('RECEIVING'),
  }
}

async function readManifest(ctx: CentreContext, folder: string): Promise<Manifest> {
  const body = await readLimited(join(folder, MANIFEST_FILE))
  const authorization = (await readLimited(join(folder, MANIFEST_SIGNATURE_FILE))).toString('ascii').trim()
  const claimed = claimedKiosk(authorization)
  const kiosk = claimed === null || !/^[0-9a-f-]{36}$/.test(claimed) ? null : await findKiosk(ctx.db, claimed)
  if (!kiosk || kiosk.revokedAt)
    throw new AppError('packet_refused', { reason: 'from no kiosk of this centre' })
  const { centreId } = ctx.keys.current()
  const request = { method: 'EXPORT', path: MANIFEST_FILE, body, centreId }
  await checkRequest(authorization, request, kiosk.publicJwk).catch((cause: unknown) => {
    throw new AppError('packet_refused', { reason: 'the list is not signed by the kiosk' }, { cause })
  })
  const manifest = ManifestSchema.safeParse(jsonOrNull(body))
  if (!manifest.success || manifest.data.kioskId !== kiosk.id) {
    throw new AppError('packet_refused', { reason: 'the list is not of the form that is expected' })
  }
  return manifest.data
}

function jsonOrNull(body: Uint8Array): unknown {
  try {
    return decodeJson(body)
  } catch {
    return null
  }
}

/** A branch with no line never sends a status: its list alone, which it signed, tells of keys that it changed. */
async function noteManifestKeys(
  ctx: CentreContext,
  { kioskId, proofKeys, revokedKeys }: Manifest,
): Promise<void> {
  const told = {
    keys: proofKeys && proofKeys.keys.length > 0 ? readProofKeys(proofKeys) : [],
    revoked: revokedKeys ?? [],
  }
  await ctx.db.transaction(SYSTEM, async (queries) =>
    noteKeys(queries, await lockKiosk(queries, kioskId), told, ctx.clock.now()),
  )
}

/** What its completion would have answered over the wire; a conflict is REFUSED by its code. */
async function take(
  ctx: CentreContext,
  kioskId: string,
  folder: string,
  file: string | null,
  announcement: Announcement,
): Promise<UploadState> {
  try {
    const { proofId } = announcement
    let state = await announce(ctx, kioskId, { ...announcement, ...(file === null ? { packet: null } : {}) })
    if (state.state !== 'RECEIVING' || file === null) return state
    const path = FILE_NAME.test(file) ? join(folder, file) : null
    const isThere = path !== null && (await lstat(path).catch(() => null))?.isFile()
    if (path === null || !isThere) return state
    let at = state.offset
    for await (const piece of createReadStream(path, { start: at, highWaterMark: PIECE_BYTES })) {
      const bytes = piece as Buffer
      state = await receiveChunk(ctx, kioskId, proofId, at, bytes)
      at += bytes.length
      if (state.state !== 'RECEIVING' || state.offset !== at) break
    }
    return state.state === 'RECEIVING' ? await complete(ctx, kioskId, proofId) : state
  } catch (error) {
    const isTheirs =
      error instanceof AppError && ['revision_conflict', 'validation_failed'].includes(error.code)
    if (!isTheirs) throw error
    return { state: 'REFUSED', offset: 0, problems: [error.code] }
  }
}

async function writeReceipts(folder: string, receipts: Receipts): Promise<void> {
  const path = join(folder, RECEIPTS_FILE)
  const draft = `${path}.new`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(receipts))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
}

async function readLimited(path: string): Promise<Buffer> {
  const entry = await lstat(path).catch(() => null)
  if (!entry?.isFile() || entry.size > LARGEST_MANIFEST) {
    throw new AppError('packet_refused', { reason: `the folder has no ${MANIFEST_FILE} with its signature` })
  }
  return readFile(path)
}
