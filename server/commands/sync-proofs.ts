/**
 * `sync send`, `retry`, `export`, `import-receipts`, `settle`: the tasks of a running server's loop, by hand.
 */
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { AppError } from '../errors.ts'
import { silentLog } from '../log.ts'
import { lockDataDir } from '../store/lock.ts'
import { exportPackets, importReceipts } from '../sync/by-hand.ts'
import { createChunkSize } from '../sync/chunk-size.ts'
import { openConnections } from '../sync/connection.ts'
import { openPackets } from '../sync/packets.ts'
import { createReleaseUpdates } from '../sync/releases.ts'
import { sendStatus } from '../sync/status.ts'
import { sendDue } from '../sync/uploader.ts'
import { openUpdateMachine } from '../sync/update-machine.ts'
import { openTrustedTime } from '../time/trusted-time.ts'
import { noteSyncState, findUnsettledRestore, settleRestore } from '../workflows/health/sync-state.ts'
import type { Call, Shown } from './sync-work.ts'
import { UsageError } from './usage.ts'

/** Leaves the work to a running server: two senders would interfere with each other. */
export async function sendNow(call: Call): Promise<Shown> {
  const { store, config, clock } = call
  for (const { sequence, state } of store.outbox.pending()) {
    if (state === 'QUEUED' || state === 'PACKED') store.outbox.hurry(sequence)
  }
  const lock = lockOrNull(config)
  if (!lock) {
    noteSyncState({ store }, { wantedAt: clock.now().getTime() })
    return { json: { sentBy: 'server' }, words: 'The running server sends what waits now; see status.' }
  }
  const log = silentLog
  const connections = openConnections(call)
  try {
    const connection = connections.current()
    if (!connection)
      throw new AppError('enrolment_refused', {
        reason: 'this kiosk has joined no central service with a line',
      })
    // Report the status first, because the central service must know the keys of the proofs.
    const time = openTrustedTime(systemClock, store)
    const updates = await createReleaseUpdates({ config, store, clock, log }, openUpdateMachine()).report()
    await sendStatus({ store, config, clock, time, log }, connection, { health: {}, updates })
    const { timeoutMs, chunkBytes, bytesPerSecond } = config.sync
    const parts = {
      packets: openPackets(call),
      chunkSize: createChunkSize(chunkBytes, timeoutMs, bytesPerSecond),
    }
    const { settled, parked } = await sendDue({ store, clock, log }, connection, parts)
    const waiting = store.outbox.summary().backlog - parked
    return {
      json: { sentBy: 'command', settled, parked, waiting },
      words: `Settled: ${settled}; parked: ${parked}; still waiting: ${waiting}.`,
    }
  } finally {
    await connections.close()
    lock.release()
  }
}

export function retryParked({ store, clock, argument }: Call): Shown {
  const sequence = Number(argument)
  const entry = Number.isInteger(sequence) ? store.outbox.find(sequence) : null
  if (!entry) throw new UsageError('retry needs the SEQUENCE of a parked proof; see status')
  if (entry.state !== 'REFUSED') throw new UsageError(`proof ${sequence} is not parked: ${entry.state}`)
  const { proofId, identityId } = entry
  const now = clock.now()
  store.transaction(() => {
    store.outbox.requeue(sequence, now)
    const author = { actor: 'operator', reason: 'REQUEUED' } as const
    store.events.append('outbox.queued', identityId, { proofId, sequence }, now, author)
  })
  return { json: { queued: sequence }, words: `Proof ${sequence} is packed and sent again.` }
}

export async function exportTo(call: Call): Promise<Shown> {
  if (!call.values.to) throw new UsageError('export needs --to DIR')
  const exported = await exportPackets(call, call.values.to)
  const { packets, withdrawn, damaged } = exported
  return {
    json: exported,
    words: `Packets: ${packets}; withdrawn numbers: ${withdrawn}; damaged proofs, now parked: ${damaged}.`,
  }
}

export async function importFrom(call: Call): Promise<Shown> {
  if (!call.argument) throw new UsageError('import-receipts needs the DIR with the receipts')
  const imported = await importReceipts(call, call.argument)
  const { acknowledged, withdrawn, refused, known, forged, again } = imported
  return {
    json: imported,
    words: `Acknowledged: ${acknowledged}; withdrawn: ${withdrawn}; refused and parked: ${refused}; settled before: ${known}; not believed: ${forged}; missing there and exported again: ${again}.`,
  }
}

export function settleSequence({ store, clock, values }: Call): Shown {
  const given = values['last-sequence'] ?? ''
  if (!/^\d{1,9}$/.test(given))
    throw new UsageError('settle needs --last-sequence N, as the head office sees it')
  if (findUnsettledRestore({ store }) === null) {
    throw new AppError('transition_refused', { reason: 'no restored backup waits to be settled' })
  }
  const last = Number(given)
  store.transaction(() => settleRestore({ store }, last, clock.now()))
  const next = store.outbox.lastSequence() + 1
  return { json: { settled: true, next }, words: `Settled. The next proof has number ${next}.` }
}

function lockOrNull(config: Config) {
  try {
    return lockDataDir(config.dataDir)
  } catch {
    return null
  }
}
