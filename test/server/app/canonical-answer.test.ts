/** GET identity with the back-end key and the proof's identityDetails.json have the same content (spec "Proof archive"). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { canonicalJson } from '../../../server/proof/verify/canonical-json.ts'
import type { JsonValue } from '../../../server/proof/verify/canonical-json.ts'
import { readZip } from '../../../server/proof/verify/read-zip.ts'
import { aPassport, picture } from './scripted-vision.ts'
import { startProofing } from './proofing-client.ts'
import type { ProofingClient } from './proofing-client.ts'

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing()
})
afterAll(() => client.app.close())

const textOf = async (path: string, key?: string) =>
  (await client.app.call('GET', path, key === undefined ? {} : { key })).text()

test('once the proof is sealed, the identity is answered byte for byte as the proof holds it', async () => {
  const id = await client.anIdentity()
  await client.document(id, aPassport())
  await client.portrait(id, picture({ shows: 'person', face: 'A' }))
  const envelope = await client.app.call('GET', `/v1/identities/${id}/proof`)
  const archive = extractArchive(new Uint8Array(await envelope.arrayBuffer())) ?? new Uint8Array()
  const details = readZip(archive).files.find(({ path }) => path.endsWith('/identityDetails.json'))
  const sealed = Buffer.from(details?.bytes ?? []).toString('utf8')
  expect(sealed).toContain('ERIKSSON')
  expect(await textOf(`/v1/identities/${id}`)).toBe(sealed)
  expect(await textOf(`/v1/identities/${id}`, client.app.userAgentKey)).not.toBe(sealed)
})

test('every JSON answer is written in the form in which the proof is signed', async () => {
  const id = await client.anIdentity()
  for (const path of [`/v1/identities/${id}`, `/v1/identities/${id}/status`, '/healthcheck']) {
    const text = await textOf(path)
    expect(text).toBe(canonicalJson(JSON.parse(text) as JsonValue))
  }
})
