/**
 * For a branch without a network: packets go out and receipts come back on a USB stick. The packets are
 * encrypted directly to the stick, so that they never conflict with the uploader's; delivery by either way
 * counts.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { makePlainFolder, requirePlainFolder } from '../files/folder.ts'
import { readGivenFile } from '../files/read-file.ts'
import { removeOldDrafts, writeFileStream, writeFileWhole } from '../files/write-file.ts'
import { signRequest } from '../protocol/request-signature.ts'
import {
  MANIFEST_FILE,
  MANIFEST_SIGNATURE_FILE,
  RECEIPTS_FILE,
  ReceiptsSchema,
  type Announcement,
  type CentralTrust,
  type Manifest,
  type Receipts,
} from '../protocol/wire.ts'
import type { OutboxEntry } from '../store/outbox.ts'
import { toAnnouncement, park, settleDelivery } from './deliver.ts'
import { readMissing, sendAgain } from './missing.ts'
import { openPackets, sealProof } from './packets.ts'
import { checkNewTrust, keepTrust } from './trust.ts'
import { findUnreportedRestore } from '../workflows/health/sync-state.ts'

type HandContext = Pick<Context, 'store' | 'config' | 'clock'>

/** Far larger than any receipt file of this product. */
const LARGEST_RECEIPTS_BYTES = 200_000_000

interface Exported {
  readonly packets: number
  /** Numbers without a proof, including lost ones. */
  readonly withdrawn: number
  /** Proofs that can no longer be read. They are parked. */
  readonly damaged: number
}

/**
 * Exports all unsent proofs, including parked ones. Throws `enrolment_refused` if no central service was
 * joined, `file_refused` for a folder that contains links or other special files.
 */
export async function exportPackets(ctx: HandContext, folder: string): Promise<Exported> {
  const { store, clock } = ctx
  const { trust } = requireMembership(ctx)
  const privateJwk = store.enrolments.privateJwk()
  if (!privateJwk) throw new AppError('enrolment_refused', { reason: 'the key of this kiosk is not there' })
  await makePlainFolder(folder)
  removeOldDrafts(folder)
  const packets: Manifest['packets'] = []
  let damaged = 0
  for (const entry of store.outbox.pending()) {
    if (entry.isGivenUp) {
      packets.push({ file: null, announcement: toAnnouncement(entry, null) })
      continue
    }
    const file = `${entry.proofId}.packet`
    const packet = await writePacket(ctx, entry, trust, join(folder, file))
    if (packet) packets.push({ file, announcement: toAnnouncement(entry, packet) })
    else damaged++
  }
  const manifest: Manifest = {
    kioskId: store.applianceId,
    exportedAt: clock.now().getTime(),
    packets,
    proofKeys: { keys: [...store.signingKeys.publicKeys()] },
    revokedKeys: store.signingKeys.revocations(),
    lastSequence: store.outbox.lastSequence(),
    restoredAt: findUnreportedRestore(ctx),
  }
  const body = Buffer.from(JSON.stringify(manifest, null, 2), 'utf8')
  const kiosk = { kioskId: store.applianceId, privateJwk }
  const request = { method: 'EXPORT', path: MANIFEST_FILE, body, centreId: trust.centreId }
  const signature = await signRequest(request, kiosk, clock.now())
  // Write the manifest last: a stick that is removed too early has none.
  writeFileWhole(join(folder, MANIFEST_SIGNATURE_FILE), `${signature}\n`)
  writeFileWhole(join(folder, MANIFEST_FILE), body)
  const withdrawn = packets.filter(({ file }) => file === null).length
  const exported = { packets: packets.length - withdrawn, withdrawn, damaged }
  store.transaction(() => {
    store.events.append('packets.exported', null, { ...exported }, clock.now(), { actor: 'operator' })
  })
  return exported
}

/** Null: the proof is damaged and was parked. */
async function writePacket(
  { store, clock }: HandContext,
  entry: OutboxEntry,
  trust: CentralTrust,
  path: string,
): Promise<Announcement['packet']> {
  const hash = createHash('sha256')
  const sealed = async function* () {
    for await (const piece of sealProof(store, entry, trust)) {
      hash.update(piece)
      yield piece
    }
  }
  try {
    const bytes = await writeFileStream(path, sealed)
    return { sha256: hash.digest('hex'), bytes }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'storage_damaged') throw error
    park({ store, clock }, entry, error.code)
    return null
  }
}

export interface Imported {
  readonly acknowledged: number
  /** Including lost ones. */
  readonly withdrawn: number
  readonly refused: number
  /** Receipts of proofs that are not waiting here. */
  readonly known: number
  /**
   * Receipts without a valid signature of the central service for exactly that proof: they changed nothing.
   */
  readonly forged: number
  /** The central service lost them; the next export has them again. */
  readonly again: number
}

/**
 * Throws `enrolment_refused` if no central service was joined, `packet_refused` if there is no file of
 * receipts for this kiosk, `file_refused` for a folder that contains links or other special files.
 */
export async function importReceipts(ctx: HandContext, folder: string): Promise<Imported> {
  const { store, clock } = ctx
  const kept = requireMembership(ctx).trust
  await requirePlainFolder(folder)
  const file = await readReceipts(join(folder, RECEIPTS_FILE))
  if (file.kioskId !== store.applianceId) {
    throw new AppError('packet_refused', { reason: 'the receipts are for another kiosk' })
  }
  const trust = file.trust && (await checkNewTrust(kept, file.trust)) ? file.trust : kept
  if (trust !== kept) keepTrust(ctx, trust)
  const missing = file.missing === undefined ? null : await readMissing(ctx, file.missing, '', trust)
  const packets = openPackets(ctx)
  const settled = { acknowledged: 0, withdrawn: 0, refused: 0, known: 0, forged: 0 }
  for (const { proofId, answer } of file.receipts) {
    const entry = store.outbox.findByProof(proofId)
    if (!entry || entry.receipt !== null || answer.state === 'RECEIVING') {
      settled.known++
      continue
    }
    try {
      const outcome = await settleDelivery({ store, clock, trust, packets }, entry, answer)
      if (outcome === 'settled') settled.acknowledged++
      else if (outcome === 'given up') settled.withdrawn++
      else settled.refused++
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'statement_refused') throw error
      settled.forged++
    }
  }
  // An old stick names what was sent again since: receipts that are newer than its statement stay.
  const reopened = missing === null ? null : sendAgain(ctx, missing, new Date(missing.at))
  const again = reopened === null ? 0 : reopened.queued + reopened.lost + reopened.numbers
  const counts = { ...settled, again }
  store.transaction(() => {
    store.events.append('receipts.imported', null, { ...counts }, clock.now(), { actor: 'operator' })
  })
  return counts
}

function requireMembership({ store }: HandContext) {
  const membership = store.enrolments.find()?.membership
  if (!membership)
    throw new AppError('enrolment_refused', { reason: 'this kiosk has joined no central service' })
  return membership
}

async function readReceipts(path: string): Promise<Receipts> {
  try {
    const content = await readGivenFile(path, { mostBytes: LARGEST_RECEIPTS_BYTES })
    return ReceiptsSchema.parse(JSON.parse(content.toString('utf8')))
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError(
      'packet_refused',
      { reason: `${RECEIPTS_FILE} is not there or cannot be read` },
      { cause },
    )
  }
}
