/**
 * Delivers one proof to the central service: announce, upload from the offset that the central service names,
 * complete, verify the receipt, settle. Each step may be repeated, lost or answered twice: only the row and
 * the central service's signed statements count.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Announcement, CentralTrust, UploadState } from '../protocol/wire.ts'
import type { OutboxEntry } from '../store/outbox.ts'
import type { CentralClient } from './central-client.ts'
import type { ChunkSize } from './chunk-size.ts'
import type { Packets } from './packets.ts'
import { CentralTroubleError } from './transport.ts'
import { checkReceipt } from './trust.ts'

export interface Delivery {
  readonly store: Context['store']
  readonly clock: Context['clock']
  readonly client: CentralClient
  readonly trust: CentralTrust
  readonly packets: Packets
  readonly chunkSize: ChunkSize
  /** Called after the commit. */
  acknowledged?(identityId: string): void
}

/** `given up`: withdrawn or lost; no packet of it is sent. */
export type Outcome = 'settled' | 'parked' | 'given up'

/** How often an upload may restart or stall before it waits for its next turn. */
const PATIENCE = 5

/**
 * Throws CentralTroubleError if the central service could not be reached, `storage_damaged` if the proof
 * itself cannot be read, `status_not_stored` if the disk refuses writes. Then nothing was settled and the
 * call may be repeated.
 */
export async function deliver(delivery: Delivery, sequence: number, signal?: AbortSignal): Promise<Outcome> {
  const { store, client } = delivery
  for (let attempt = 1; attempt <= PATIENCE; attempt++) {
    const entry = store.outbox.find(sequence)
    if (!entry || entry.receipt !== null) return 'settled'
    if (entry.isGivenUp) {
      delivery.packets.remove(entry.proofId)
      return settleDelivery(delivery, entry, await client.announce(toAnnouncement(entry, null), signal))
    }
    const packet = await delivery.packets.ensure(entry, delivery.trust)
    const announced = await client.announce(toAnnouncement(entry, packet), signal)
    const state = await upload(delivery, sequence, packet.bytes, announced, signal)
    if (state === 'given up' || state === 'again') continue
    return settleDelivery(delivery, entry, state)
  }
  throw new CentralTroubleError('fault', 'no_progress')
}

export function toAnnouncement(entry: OutboxEntry, packet: Announcement['packet']): Announcement {
  const { proofId, identityId, sequence, previousHash, hash, sha256 } = entry
  return {
    proofId,
    identityId,
    sequence,
    previousHash,
    hash,
    sha256,
    sealedAt: entry.sealedAt.getTime(),
    packet,
    ...(entry.state === 'LOST' ? { lost: true } : {}),
  }
}

/**
 * Uploads until the central service answers something other than RECEIVING. `again`: the central service does
 * not know the upload (any more), or has restarted it: announce it. `given up`: the identity was erased
 * meanwhile.
 */
async function upload(
  { store, client, packets, chunkSize }: Delivery,
  sequence: number,
  bytes: number,
  announced: UploadState,
  signal?: AbortSignal,
): Promise<UploadState | 'again' | 'given up'> {
  let state = announced
  let standstills = 0
  while (state.state === 'RECEIVING') {
    const entry = store.outbox.find(sequence)
    if (entry?.isGivenUp) return 'given up'
    const { offset } = state
    if (!entry || offset > bytes || standstills > PATIENCE) return 'again'
    try {
      if (offset === bytes) {
        state = await client.complete(entry.proofId, signal)
        // Not accepted although complete: the central service holds bytes of another packet.
        if (state.state === 'RECEIVING') return 'again'
      } else {
        const chunk = await packets.read(entry.proofId, offset, Math.min(chunkSize.next(), bytes - offset))
        // The file was replaced or truncated meanwhile.
        if (chunk.length === 0) return 'again'
        const began = performance.now()
        state = await client.sendChunk(entry.proofId, offset, chunk, signal)
        chunkSize.went(chunk.length, performance.now() - began)
        standstills = state.offset > offset ? 0 : standstills + 1
      }
    } catch (error) {
      if (!(error instanceof CentralTroubleError)) throw error
      if (error.trouble === 'line') chunkSize.failed()
      // The central service expects another packet (an earlier announcement came late), or none: announce it
      // again.
      if (error.trouble === 'request') return 'again'
      throw error
    }
  }
  return state
}

/**
 * Applies the central service's final answer, also one from a USB stick. Throws `statement_refused` for a
 * receipt that is not the central service's statement about exactly this proof.
 */
export async function settleDelivery(
  delivery: Pick<Delivery, 'store' | 'clock' | 'trust' | 'packets' | 'acknowledged'>,
  entry: OutboxEntry,
  state: UploadState,
): Promise<Outcome> {
  const { store, clock, trust, packets } = delivery
  const { sequence, proofId, sha256, identityId } = entry
  if (state.state === 'REFUSED') return park(delivery, entry, problemWords(state.problems))
  if (state.receipt === undefined) throw new AppError('statement_refused', { kind: 'receipt' })
  const jws = state.receipt
  const awaited = { kioskId: store.applianceId, proofId, sequence, sha256 }
  const receipt = await checkReceipt(jws, awaited, trust)
  if (receipt.state !== state.state) throw new AppError('statement_refused', { kind: 'receipt' })
  const now = clock.now()
  const outcome = store.transaction((): Outcome | 'again' => {
    const present = store.outbox.find(sequence)
    if (!present || present.receipt !== null) return 'settled'
    if (present.isGivenUp) {
      // It was stored there before it was given up here, or never: either way the number is accounted for.
      store.outbox.settleGivenUp(sequence, jws, now)
      return 'given up'
    }
    if (receipt.state !== 'STORED') return 'again'
    store.outbox.acknowledge(sequence, jws, now)
    const author = { actor: 'centre' }
    store.events.append('outbox.acknowledged', identityId, { proofId, sequence }, now, author)
    return 'settled'
  })
  if (outcome === 'again') return park(delivery, entry, 'withdrawn_at_centre')
  packets.remove(proofId)
  if (outcome === 'settled') delivery.acknowledged?.(identityId)
  return outcome
}

/** Parks the proof: the row stays for an operator. */
export function park(
  { store, clock }: Pick<Delivery, 'store' | 'clock'>,
  { sequence, proofId, identityId }: OutboxEntry,
  words: string,
): Outcome {
  return store.transaction((): Outcome => {
    const present = store.outbox.find(sequence)
    if (!present || present.receipt !== null) return 'settled'
    if (present.isGivenUp) return 'given up'
    if (present.state === 'REFUSED') return 'parked'
    store.outbox.refuse(sequence, words)
    const error = /^[a-z0-9]+_[a-z0-9_]{1,50}$/.test(words) ? words : 'refused_by_centre'
    store.events.append('outbox.refused', identityId, { proofId, sequence, error }, clock.now())
    return 'parked'
  })
}

/** Only codes, and only the characters of a code. */
function problemWords(problems: readonly string[] | undefined): string {
  const words = (problems ?? []).map((problem) => problem.replace(/[^A-Za-z0-9_.:/-]+/g, ' ').trim())
  const said = words.filter((word) => word !== '')
  return said.join(', ').slice(0, 300) || 'refused_by_centre'
}
