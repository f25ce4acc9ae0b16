/** A whole kiosk (scripted pictures, everything else real) that can join a central service and seal proofs. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../server/clock.ts'
import type { Store } from '../../../server/store/open.ts'
import { requestEnrolment } from '../../../server/sync/central-client.ts'
import { beginEnrolment, completeEnrolment, type Joined } from '../../../server/sync/enrol.ts'
import { createTokenBucket } from '../../../server/sync/token-bucket.ts'
import { openTransport } from '../../../server/sync/transport.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { scriptedVision } from '../app/scripted-vision.ts'

export interface TestKiosk {
  readonly app: TestApp
  readonly store: Store
  readonly dataDir: string
  /** The id of its proof. */
  seal(): Promise<{ identityId: string; proofId: string }>
  join(central: { readonly url: string; newCode(): string }, through?: string): Promise<Joined>
  /** @param meanwhile while it is stopped */
  restart(options?: { readonly acceptLoss?: boolean; readonly meanwhile?: () => void }): Promise<void>
  close(): Promise<void>
}

/** Short pauses and time limits, so that a test does not wait. */
export const QUICK_SYNC = { pollSeconds: 1, timeoutMs: 2_000, chunkBytes: 4096 }

/** @param copied the data folder of a stopped kiosk, of which this one uses a copy */
export async function startKiosk(
  config: object = { sync: QUICK_SYNC },
  copied: string | null = null,
): Promise<TestKiosk> {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-kiosk-'))
  if (copied !== null) cpSync(copied, dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
  const open = (acceptLoss = false) => startTestApp({ dataDir, vision: scriptedVision(), acceptLoss })
  let app = await open()
  const kiosk: TestKiosk = {
    get app() {
      return app
    },
    get store() {
      return app.appliance.store
    },
    dataDir,
    seal: async () => {
      const { body } = await app.json('POST', '/v1/identities', { payload: [] })
      const { id: identityId } = body as { id: string }
      const proof = await app.call('GET', `/v1/identities/${identityId}/proof`)
      await proof.arrayBuffer()
      if (proof.status !== 200) throw new Error(`the proof was answered ${proof.status}`)
      return { identityId, proofId: kiosk.store.proofs.find(identityId)?.id ?? '' }
    },
    join: async (central, through = central.url) => {
      const joined = await joinCentralService(kiosk.store, central, through)
      return joined
    },
    restart: async ({ acceptLoss, meanwhile } = {}) => {
      await app.stop()
      meanwhile?.()
      app = await open(acceptLoss)
    },
    close: async () => {
      await app.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return kiosk
}

/** Joins like `npm run sync -- enrol`. */
export async function joinCentralService(
  store: Store,
  central: { readonly url: string; newCode(): string },
  through = central.url,
): Promise<Joined> {
  const ctx = { store, clock: systemClock }
  const input = { code: central.newCode(), centralUrl: through, name: 'Branch 7' }
  const request = await beginEnrolment(ctx, input)
  const transport = openTransport({ origin: central.url, timeoutMs: 5_000, bucket: createTokenBucket(0) })
  try {
    return await completeEnrolment(ctx, await requestEnrolment(transport, request))
  } finally {
    await transport.close()
  }
}

/** Resolves when it holds; throws after `withinMs`. */
export async function until(holds: () => boolean, withinMs = 90_000): Promise<void> {
  const end = performance.now() + withinMs
  while (!holds()) {
    if (performance.now() > end) throw new Error(`did not come within ${withinMs} ms: ${holds.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export function typesOf(store: Store): readonly string[] {
  return store.events.after(0, 10_000).map(({ type }) => type)
}

export function readText(path: string): string {
  return readFileSync(path, 'utf8')
}
