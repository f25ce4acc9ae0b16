/**
 * A branch with no line: sealed packets go out on a stick, receipts come back on one. The packets are sealed straight to
 * the stick, so that it never meets what the uploader has in hand; what has arrived by either way is a success.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
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

const FLUSHED = { mode: 0o600, flush: true }

export interface Exported {
  readonly packets: number
  readonly withdrawn: number
  /** Proofs that cannot be read any more: they are parked. */
  readonly damaged: number
}

/** Everything that waits, parked ones too. Throws `enrolment_refused` when no centre was joined. */
export async function exportPackets(ctx: HandContext, folder: string): Promise<Exported> {
  const { store, clock } = ctx
  const { trust } = membershipOf(ctx)
  const privateJwk = store.enrolments.privateJwk()
  if (!privateJwk) throw new AppError('enrolment_refused', { reason: 'the key of this kiosk is not there' })
  mkdirSync(folder, { recursive: true })
  const packets: Manifest['packets'] = []
  let damaged = 0
  for (const entry of store.outbox.pending()) {
    if (entry.state === 'WITHDRAWN') {
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
  writeFileSync(join(folder, MANIFEST_SIGNATURE_FILE), `${signature}\n`, FLUSHED)
  writeFileSync(join(folder, MANIFEST_FILE), body, FLUSHED)
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
  let bytes = 0
  const file = await open(path, 'w', 0o600)
  try {
    for await (const piece of sealProof(store, entry, trust)) {
      hash.update(piece)
      bytes += piece.length
      await file.writeFile(piece)
    }
    await file.sync()
    return { sha256: hash.digest('hex'), bytes }
  } catch (error) {
    await rm(path, { force: true })
    if (!(error instanceof AppError) || error.code !== 'storage_damaged') throw error
    park({ store, clock }, entry, error.code)
    return null
  } finally {
    await file.close()
  }
}

export interface Imported {
  readonly acknowledged: number
  readonly withdrawn: number
  readonly refused: number
  /** About proofs that this kiosk does not have waiting. */
  readonly known: number
  /** Receipts that the centre has not signed for exactly that proof: nothing was changed by them. */
  readonly forged: number
}

/** Throws `enrolment_refused` when no centre was joined, `packet_refused` when there is no file of receipts for this kiosk. */
export async function importReceipts(ctx: HandContext, folder: string): Promise<Imported> {
  const { store, clock } = ctx
  const kept = membershipOf(ctx).trust
  const file = readReceipts(join(folder, RECEIPTS_FILE))
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
      else if (outcome === 'withdrawn') counts.withdrawn++
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
  if (!membership) throw new AppError('enrolment_refused', { reason: 'this kiosk has joined no centre' })
  return membership
}

function readReceipts(path: string): Receipts {
  try {
    if (statSync(path).size > LARGEST_RECEIPTS_BYTES) throw new RangeError('too large')
    return ReceiptsSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    throw new AppError(
      'packet_refused',
      { reason: `${RECEIPTS_FILE} is not there or cannot be read` },
      { cause },
    )
  }
}
