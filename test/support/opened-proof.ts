/**
 * Opens a proof like a relying service: removes the envelope, verifies it, reads its JSON, compares its
 * details with the spec.
 */
import { expect } from 'vitest'
import { z } from 'zod'
import { extractArchive } from '../../server/proof/multipart.ts'
import { verifyProof } from '../../server/proof/verify.ts'
import { reassess } from '../../server/reassess/reassess.ts'
import { readZip, withoutRoot } from '../../server/proof/verify/read-zip.ts'
import type { TestApp } from './app.ts'
import { ProofDetailsEntry } from './proof-details-schema.ts'
import { faultsOfProofFile } from './proof-schema.ts'

export interface OpenedProof {
  readonly archive: Uint8Array
  readonly proof: Readonly<Record<string, unknown>>
  readonly details: readonly ProofDetailsEntry[]
  /** Path inside the root folder → bytes. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

export async function openProof(app: TestApp, identityId: string): Promise<OpenedProof> {
  const response = await app.call('GET', `/v1/identities/${identityId}/proof`)
  expect(response.status).toBe(200)
  const archive = extractArchive(new Uint8Array(await response.arrayBuffer())) ?? new Uint8Array()
  const { body: jwks } = await app.json('GET', '/.well-known/jwks.json', { key: null })
  expect(await verifyProof(archive, { jwks })).toMatchObject({ valid: true, identityId })
  expect(reassess(archive)).toMatchObject({ possible: true, differences: [] })
  const files = new Map(readZip(archive).files.map(({ path, bytes }) => [withoutRoot(path), bytes]))
  const read = (name: string): unknown => JSON.parse(Buffer.from(files.get(name) ?? []).toString('utf8'))
  for (const path of [...files.keys()].filter((name) => !name.includes('/'))) {
    expect([path, faultsOfProofFile(path, read(path))]).toEqual([path, []])
  }
  return {
    archive,
    proof: read('proof.json') as Readonly<Record<string, unknown>>,
    details: z.array(ProofDetailsEntry).parse(read('verificationAndEvaluationDetails.json')),
    files,
  }
}
