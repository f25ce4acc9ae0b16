/**
 * Submits documents one after the other for `npm run bench:api`. Runs in its own thread, so that its uploads do not delay
 * a timed call. Posts a message for each decided document.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { RelyingService } from '../demo/client.ts'
import type { Keys } from '../demo/server-process.ts'
import { defaultSpecimen } from '../demo/specimens.ts'

export interface VerifierData {
  readonly url: string
  readonly keys: Keys
}

export async function verifyDocument(service: RelyingService, identityId: string): Promise<void> {
  const { document } = defaultSpecimen()
  const { id } = await service.submitDocument(identityId, document, undefined)
  await service.waitForEvidence(identityId, id)
}

if (parentPort) {
  const { url, keys } = workerData as VerifierData
  const service = new RelyingService(url, keys)
  for (;;) {
    const { id } = await service.createIdentity([])
    await verifyDocument(service, id)
    parentPort.postMessage('verified')
  }
}
