/**
 * A branch with no line: sealed packets go out on a stick, receipts come back on one. The packets are sealed straight to
 * the stick, so that it never meets what the uploader has in hand; what has arrived by either way is a success.
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
  type CentreTrust,
  type Manifest,
  type Receipts,
} from '../protocol/wire.ts'
import type { OutboxEntry } from '../store/outbox.ts'
import { announcementOf, park, settle } from './deliver.ts'
import { openPackets, sealProof } from './packets.ts'
import { checkNewTrust, keepTrust } from './trust.ts'

type HandContext = Pick<Context, 'store' | 'config' | 'clock'>

/** No receipt of this product comes near. */
const LARGEST_RECEIPTS_BYTES = 200_000_000

export interface Exported {
  readonly packets: number
  /** Numbers without a proof, lost ones too. */
  readonly withdrawn: number
  /** Proofs that cannot be read any more: they are parked. */
  readonly damaged: number
}

/**
 * Everything that waits, parked ones too. Throws `enrolment_refused` when no central service was joined, `file_refused` for a
 * folder that was prepared with links or the like.
 */
export async function exportPackets(ctx: HandContext, folder: string): Promise<Exported> {
  const { store, clock } = ctx
  const { trust } = membershipOf(ctx)
  const privateJwk = store.enrolments.privateJwk()
  if (!privateJwk) throw new AppError('enrolment_refused', { reason: 'the key of this kiosk is not there' })
  await makePlainFolder(folder)
  removeOldDrafts(folder)
  const packets: Manifest['packets'] = []
  let damaged = 0
  for (const entry of store.outbox.pending()) {
    if (entry.isGivenUp) {
      packets.push({ file: null, announcement: announcementOf(entry, null) })
      continue
    }
    const file = `${entry.proofId}.packet`
    const packet = await writePacket(ctx, entry, trust, join(folder, file))
    if (packet) packets.push({ file, announcement: announcementOf(entry, packet) })
    else damaged++
  }
  const manifest: Manifest = {
    kioskId: store.applianceId,
    exportedAt: clock.now().getTime(),
    packets,
    proofKeys: { keys: [...store.signingKeys.publicKeys()] },
    revokedKeys: store.signingKeys.revocations(),
  }
  const body = Buffer.from(JSON.stringify(manifest, null, 2), 'utf8')
  const kiosk = { kioskId: store.applianceId, privateJwk }
  const request = { method: 'EXPORT', path: MANIFEST_FILE, body, centreId: trust.centreId }
  const signature = await signRequest(request, kiosk, clock.now())
  // The manifest is the last to be there: a stick pulled too early has none.
  writeFileWhole(join(folder, MANIFEST_SIGNATURE_FILE), `${signature}\n`)
  writeFileWhole(join(folder, MANIFEST_FILE), body)
  const withdrawn = packets.filter(({ file }) => file === null).length
  const exported = { packets: packets.length - withdrawn, withdrawn, damaged }
  store.transaction(() => {
    store.events.append('packets.exported', null, { ...exported }, clock.now(), { actor: 'operator' })
  })
  return exported
}

/** Null: the proof is damaged, and parked. */
async function writePacket(
  { store, clock }: HandContext,
  entry: OutboxEntry,
  trust: CentreTrust,
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
  /** Lost ones too. */
  readonly withdrawn: number
  readonly refused: number
  /** About proofs that this kiosk does not have waiting. */
  readonly known: number
  /** Receipts that the central service has not signed for exactly that proof: nothing was changed by them. */
  readonly forged: number
}

/**
 * Throws `enrolment_refused` when no central service was joined, `packet_refused` when there is no file of receipts for this kiosk,
 * `file_refused` for a folder that was prepared with links or the like.
 */
export async function importReceipts(ctx: HandContext, folder: string): Promise<Imported> {
  const { store, clock } = ctx
  const kept = membershipOf(ctx).trust
  await requirePlainFolder(folder)
  const file = await readReceipts(join(folder, RECEIPTS_FILE))
  if (file.kioskId !== store.applianceId) {
    throw new AppError('packet_refused', { reason: 'the receipts are for another kiosk' })
  }
  const trust = file.trust && (await checkNewTrust(kept, file.trust)) ? file.trust : kept
  if (trust !== kept) keepTrust(ctx, trust)
  const packets = openPackets(ctx)
  const counts = { acknowledged: 0, withdrawn: 0, refused: 0, known: 0, forged: 0 }
  for (const { proofId, answer } of file.receipts) {
    const entry = store.outbox.findByProof(proofId)
    if (!entry || entry.receipt !== null || answer.state === 'RECEIVING') {
      counts.known++
      continue
    }
    try {
      const outcome = await settle({ store, clock, trust, packets }, entry, answer)
      if (outcome === 'settled') counts.acknowledged++
      else if (outcome === 'given up') counts.withdrawn++
      else counts.refused++
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'statement_refused') throw error
      counts.forged++
    }
  }
  store.transaction(() => {
    store.events.append('receipts.imported', null, { ...counts }, clock.now(), { actor: 'operator' })
  })
  return counts
}

function membershipOf({ store }: HandContext) {
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
