/**
 * Imports packets from a USB stick of a branch without a network. After the kiosk's signature over the whole
 * list is verified, each packet is handled as over the network; the receipts go back on the stick. Repeating
 * an import is harmless.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { AppError, fieldProblem, type ErrorCode } from '../../errors.ts'
import { replaceControlCharacters, requirePlainFolder } from '../../files/folder.ts'
import { openGivenFile, readGivenFile, type OpenFile } from '../../files/read-file.ts'
import { requireWritable, writeFileWhole } from '../../files/write-file.ts'
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
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import { decodeJson } from '../json.ts'
import { announce, LATEST_MOMENT, type AnnouncedAt } from '../kiosks/announce.ts'
import { complete } from '../kiosks/complete.ts'
import { findKiosk, lockKiosk } from '../kiosks/kiosk.ts'
import { findMissing } from '../kiosks/ledger.ts'
import { noteKeys, readProofKeys } from '../kiosks/proof-keys.ts'
import { receiveChunk } from '../kiosks/receive-chunk.ts'
import { signMissing } from '../kiosks/take-status.ts'

const LARGEST_MANIFEST = 64 * 1024 * 1024
const PIECE_BYTES = 1024 * 1024
/**
 * Refusals of one packet: those that the kiosk resolves by sending again, and those that the kiosk must be
 * told.
 */
const WAITING: readonly ErrorCode[] = ['announcement_stale', 'too_many_uploads']
const THEIRS: readonly ErrorCode[] = ['revision_conflict', 'validation_failed']
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/

export interface Imported {
  readonly kioskId: string
  readonly stored: number
  readonly withdrawn: number
  /** The kiosk lost them with their keys: each raises an alarm. */
  readonly lost: number
  readonly refused: number
  /** Files that are missing or truncated: the kiosk exports them again. */
  readonly incomplete: number
  /** The packets that were not accepted. */
  readonly problems: readonly PacketProblem[]
}

/** Stores the act of an operator in the access log, before the first packet is read. */
type NoteImport = (
  queries: Queries,
  kiosk: { readonly id: string; readonly tenantId: string },
) => Promise<void>

interface PacketProblem {
  readonly file: string
  /** A sentence without its end, or the codes of the central service's refusal. */
  readonly reason: string
}

interface Taken {
  readonly state: UploadState
  /** Null: it was accepted. */
  readonly problem: string | null
}

/**
 * Throws `packet_refused` if the folder holds no list signed by an enrolled kiosk, `file_refused` if it
 * contains links or other special files, or if the receipts cannot be written; then nothing is accepted.
 */
export async function importPackets(
  ctx: CentralContext,
  folder: string,
  note: NoteImport = () => Promise.resolve(),
): Promise<Imported> {
  await requirePlainFolder(folder)
  requireWritable(join(folder, RECEIPTS_FILE))
  const manifest = await readManifest(ctx, folder)
  await noteManifestFacts(ctx, manifest, note)
  const { kioskId, packets } = manifest
  const receipts: Receipts['receipts'] = []
  const problems: PacketProblem[] = []
  const announcedAt = { kioskMs: manifest.exportedAt, nonceAt: null }
  for (const { file, announcement } of packets) {
    const packet = file === null ? null : announcement.packet
    const taken = await take(ctx, kioskId, folder, file, { ...announcement, packet }, announcedAt)
    receipts.push({ proofId: announcement.proofId, answer: taken.state })
    const name = file === null ? `proof ${announcement.proofId}` : replaceControlCharacters(file)
    if (taken.problem !== null) problems.push({ file: name, reason: taken.problem })
  }
  const missing = await nameMissing(ctx, manifest)
  const answer: Receipts = {
    kioskId,
    receipts,
    trust: ctx.keys.current().trust,
    ...(missing === null ? {} : { missing }),
  }
  writeFileWhole(join(folder, RECEIPTS_FILE), JSON.stringify(answer))
  const count = (state: UploadState['state']): number =>
    receipts.filter(({ answer }) => answer.state === state).length
  return {
    kioskId,
    stored: count('STORED'),
    withdrawn: count('WITHDRAWN'),
    lost: count('LOST'),
    refused: count('REFUSED'),
    incomplete: count('RECEIVING'),
    problems,
  }
}

/** States which numbers are not accounted for after this import; null: none. */
async function nameMissing(
  ctx: CentralContext,
  { kioskId, lastSequence = 0 }: Manifest,
): Promise<string | null> {
  const ranges = await ctx.db.transaction(SYSTEM, async (queries) => {
    const kiosk = await lockKiosk(queries, kioskId)
    // Two machines with different numbers use the identity of this kiosk.
    if (kiosk.frozenAt !== null) return []
    return findMissing(queries, kiosk, Math.max(kiosk.lastSequence, lastSequence))
  })
  return signMissing(ctx, kioskId, '', ranges)
}

async function readManifest(ctx: CentralContext, folder: string): Promise<Manifest> {
  const body = await readLimited(join(folder, MANIFEST_FILE))
  const authorization = (await readLimited(join(folder, MANIFEST_SIGNATURE_FILE))).toString('ascii').trim()
  const claimed = claimedKiosk(authorization)
  const kiosk = claimed === null || !/^[0-9a-f-]{36}$/.test(claimed) ? null : await findKiosk(ctx.db, claimed)
  if (!kiosk || kiosk.revokedAt)
    throw new AppError('packet_refused', { reason: 'from no kiosk of this central service' })
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

/** A branch without a network never sends a status: only its signed list reports changed keys and a restored backup. */
async function noteManifestFacts(
  ctx: CentralContext,
  { kioskId, proofKeys, revokedKeys, restoredAt }: Manifest,
  note: NoteImport,
): Promise<void> {
  if ((restoredAt ?? 0) > LATEST_MOMENT)
    throw fieldProblem('too_large', 'restoredAt', 'a time before the year 10000')
  const told = {
    keys: proofKeys && proofKeys.keys.length > 0 ? readProofKeys(proofKeys) : [],
    revoked: revokedKeys ?? [],
  }
  await ctx.db.transaction(SYSTEM, async (queries) => {
    const kiosk = await lockKiosk(queries, kioskId)
    await note(queries, kiosk)
    await noteKeys(queries, kiosk, told, ctx.clock.now())
    if (typeof restoredAt !== 'number') return
    await queries.query('UPDATE kiosks SET restored_at = greatest(restored_at, $2) WHERE id = $1', [
      kioskId,
      new Date(restoredAt),
    ])
  })
}

/** Returns the answer that a completion over the network would give; a conflict is REFUSED with its code. */
async function take(
  ctx: CentralContext,
  kioskId: string,
  folder: string,
  file: string | null,
  announcement: Announcement,
  announcedAt: AnnouncedAt,
): Promise<Taken> {
  const packet = file !== null && FILE_NAME.test(file) ? await openPacket(join(folder, file)) : null
  try {
    const flaw = packet === null ? 'it is not there' : await findFlaw(packet, announcement)
    const isWhole = flaw === null
    const state = await announce(ctx, kioskId, announcement, { ...announcedAt, isWhole })
    if (state.state !== 'RECEIVING' || packet === null || !isWhole) return describeResult(state, flaw)
    return describeResult(await receive(ctx, kioskId, announcement.proofId, packet, state.offset), null)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // A newer packet of the proof is on its way, or there are too many: this packet is not faulty, and the
    // kiosk sends it again.
    if (WAITING.includes(error.code)) return describeResult({ state: 'RECEIVING', offset: 0 }, error.code)
    if (THEIRS.includes(error.code))
      return describeResult({ state: 'REFUSED', offset: 0, problems: [error.code] }, null)
    throw error
  } finally {
    await packet?.handle.close()
  }
}

/** @param flaw the reason why the file was not read; null if it was read */
function describeResult(state: UploadState, flaw: string | null): Taken {
  if (state.state === 'RECEIVING') return { state, problem: flaw ?? 'it ended before it was whole' }
  if (state.state !== 'REFUSED') return { state, problem: null }
  return { state, problem: ['refused', ...(state.problems ?? [])].join(' ') }
}

/** Returns the difference between the file and the announced packet; null if there is none. */
async function findFlaw({ handle, bytes }: OpenFile, { packet }: Announcement): Promise<string | null> {
  if (!packet) return 'no packet was announced'
  if (bytes !== packet.bytes) return `it has ${bytes} bytes, and the list says ${packet.bytes}`
  const hash = createHash('sha256')
  for await (const piece of readPieces(handle, 0)) hash.update(piece)
  return hash.digest('hex') === packet.sha256
    ? null
    : 'its content is not that of the list: it was changed or is damaged'
}

async function receive(
  ctx: CentralContext,
  kioskId: string,
  proofId: string,
  { handle }: OpenFile,
  offset: number,
): Promise<UploadState> {
  let at = offset
  for await (const piece of readPieces(handle, at)) {
    const state = await receiveChunk(ctx, kioskId, proofId, at, piece)
    at += piece.length
    if (state.state !== 'RECEIVING' || state.offset !== at) return state
  }
  return complete(ctx, kioskId, proofId)
}

function readPieces(handle: OpenFile['handle'], start: number): AsyncIterable<Buffer> {
  return handle.createReadStream({ start, highWaterMark: PIECE_BYTES, autoClose: false })
}

/** Any size, because it must equal the announced one. Null: there is no such file. */
async function openPacket(path: string): Promise<OpenFile | null> {
  return openGivenFile(path, { mostBytes: Infinity }).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
}

async function readLimited(path: string): Promise<Buffer> {
  return readGivenFile(path, { mostBytes: LARGEST_MANIFEST }).catch((cause: unknown) => {
    if (!isMissing(cause)) throw cause
    const reason = `the folder has no ${MANIFEST_FILE} with its signature`
    throw new AppError('packet_refused', { reason }, { cause })
  })
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === 'ENOENT'
}
