/**
 * The sending half of a kiosk without its server: a real store in a folder, sealed bytes as proofs, and one pass of the
 * uploader at a time, so that a test decides when something is tried again.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { systemClock } from '../../../server/clock.ts'
import { loadConfig, type Config } from '../../../server/config/config.ts'
import type { Log } from '../../../server/log.ts'
import type { Store } from '../../../server/store/open.ts'
import { createChunkSize } from '../../../server/sync/chunk-size.ts'
import { openConnections } from '../../../server/sync/connection.ts'
import { openPackets } from '../../../server/sync/packets.ts'
import { sendDue, type Progress } from '../../../server/sync/uploader.ts'
import { openTestStore } from '../../support/store.ts'
import { joinCentralService } from './kiosk.ts'

export interface Rig {
  readonly dataDir: string
  readonly kek: Buffer
  readonly store: Store
  /** Closes the store as a kill would leave it, and opens it again; what was in memory is gone. */
  reopen(): void
  join(central: { readonly url: string; newCode(): string }, through?: string): Promise<void>
  /** Queued in the transaction of the proof itself. */
  seal(bytes?: number): Promise<{ proofId: string; identityId: string; sequence: number }>
  /** One pass over what is due. Rejects when the line fails. */
  pass(signal?: AbortSignal): Promise<Progress>
  /** Passes until nothing waits, however often the line fails. Returns how often it did. */
  passUntilEmpty(mostPasses: number): Promise<number>
  packetFiles(): readonly string[]
  /** Messages of the log, oldest first. */
  readonly logged: readonly string[]
  close(): void
}

export function openRig(sync: Partial<Config['sync']> = {}): Rig {
  const test = openTestStore()
  const base = loadConfig({ dataDir: test.dataDir })
  const config: Config = { ...base, sync: { ...base.sync, timeoutMs: 400, chunkBytes: 8192, ...sync } }
  const logged: string[] = []
  const keep = (_: unknown, message: string): void => void logged.push(message)
  const log: Log = { info: keep, warn: keep, error: keep }
  const context = () => ({ store: test.store, config, clock: systemClock, log })
  const newChunkSize = () =>
    createChunkSize(config.sync.chunkBytes, config.sync.timeoutMs, config.sync.bytesPerSecond)
  let chunkSize = newChunkSize()
  const rig: Rig = {
    dataDir: test.dataDir,
    kek: test.kek,
    get store() {
      return test.store
    },
    reopen: () => {
      test.reopen()
      chunkSize = newChunkSize()
      openPackets(context()).sweep()
    },
    join: async (central, through) => {
      await joinCentralService(test.store, central, through)
    },
    seal: async (bytes = 50_000) => {
      const { store } = test
      const identity = test.addIdentity()
      const archive = randomBytes(bytes)
      const sha256 = createHash('sha256').update(archive).digest('hex')
      const sealedAt = new Date()
      const proof = {
        id: uuidv7(),
        identityId: identity.id,
        fileName: `${identity.id}.zip`,
        sha256,
        bytes,
        levelOfAssurance: 'LOA1',
        sealedAt,
        expiresAt: sealedAt,
      }
      await store.proofs.put(proof, [archive])
      const sequence = store.transaction(() => {
        store.proofs.addRow(proof)
        const { id: proofId, identityId } = proof
        return store.outbox.add({ proofId, identityId, tenantId: 'tenant', sha256, sealedAt })
      })
      return { proofId: proof.id, identityId: identity.id, sequence }
    },
    pass: async (signal) => {
      const ctx = context()
      const connections = openConnections(ctx)
      try {
        const connection = connections.current()
        if (!connection) throw new Error('no central service joined')
        return await sendDue(ctx, connection, { packets: openPackets(ctx), chunkSize }, signal)
      } finally {
        await connections.close()
      }
    },
    passUntilEmpty: async (mostPasses) => {
      let failures = 0
      for (let pass = 0; pass < mostPasses; pass++) {
        for (const { sequence } of test.store.outbox.pending()) test.store.outbox.hurry(sequence)
        try {
          await rig.pass()
        } catch {
          failures++
        }
        if (test.store.outbox.summary().backlog === 0) return failures
      }
      throw new Error(
        `still waiting after ${mostPasses} passes: ${JSON.stringify(test.store.outbox.pending())}`,
      )
    },
    logged,
    packetFiles: () => readdirSync(join(test.dataDir, 'outbox')),
    close: () => test.close(),
  }
  return rig
}
