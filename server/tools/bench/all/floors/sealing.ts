/** The first retrieval of a proof, which seals it, and SHA-256, AES-256-GCM and fsync of as many bytes. */
import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RelyingService } from '../../../demo/client.ts'
import { withTemporaryServer } from '../../../demo/server-process.ts'
import { defaultSpecimen } from '../../../demo/specimens.ts'
import { computeMedian, putBesideFloor, type Figure } from '../figure.ts'

const PROOFS = 5

export function compareSealing(): Promise<Figure[]> {
  return withTemporaryServer('bench', async ({ url }, keys) => {
    const service = new RelyingService(url, keys)
    const ours: number[] = []
    const bare: number[] = []
    // The first proof compiles the code and is not counted.
    for (let n = 0; n <= PROOFS; n++) {
      const id = await proveIdentity(service)
      const startedAt = performance.now()
      const { byteLength } = await service.proof(id)
      const sealedAt = performance.now()
      const floorMs = sealBarely(byteLength)
      if (n === 0) continue
      ours.push(sealedAt - startedAt)
      bare.push(floorMs)
    }
    return [
      putBesideFloor('proof of a document and a portrait', computeMedian(ours), computeMedian(bare), 'ms'),
    ]
  })
}

async function proveIdentity(service: RelyingService): Promise<string> {
  const { document, portrait } = defaultSpecimen()
  const { id } = await service.createIdentity([])
  await service.consent(id, ['ID_DOCUMENT', 'PORTRAIT'])
  await service.waitForEvidence(id, (await service.submitDocument(id, document, undefined)).id)
  await service.waitForEvidence(id, (await service.submitPortrait(id, portrait)).id)
  return id
}

/** Milliseconds. */
function sealBarely(byteLength: number): number {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-floor-'))
  const bytes = randomBytes(byteLength)
  const startedAt = performance.now()
  createHash('sha256').update(bytes).digest()
  const cipher = createCipheriv('aes-256-gcm', randomBytes(32), randomBytes(12))
  const file = openSync(join(folder, 'sealed'), 'w')
  writeSync(file, Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]))
  fsyncSync(file)
  closeSync(file)
  const ms = performance.now() - startedAt
  rmSync(folder, { recursive: true, force: true })
  return ms
}
