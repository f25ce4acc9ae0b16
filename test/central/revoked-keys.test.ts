/** A signing key that was stolen: the kiosk tells the central service, over the wire or on a stick, and from then on it counts for nothing. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importPackets } from '../../server/central/admin/import-packets.ts'
import { createKeySigner } from '../../server/proof/sign.ts'
import { signRequest } from '../../server/protocol/request-signature.ts'
import {
  MANIFEST_FILE,
  MANIFEST_SIGNATURE_FILE,
  RECEIPTS_FILE,
  type Manifest,
} from '../../server/protocol/wire.ts'
import { runAction } from '../../server/central/admin/actions.ts'
import { joinedKiosk, openAlarms, startCentralService, type TestCentralService } from '../support/central.ts'
import { fixtureSigner, type PreparedProof, type TestKiosk } from '../support/kiosk-client.ts'

let central: TestCentralService
let stick: string
const fresh = createKeySigner(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
const AN_HOUR_AGO = Date.now() - 3_600_000

beforeAll(async () => {
  central = await startCentralService()
  stick = mkdtempSync(join(tmpdir(), 'counterproof-stick-'))
})
afterAll(async () => {
  await central.stop()
  rmSync(stick, { recursive: true, force: true })
})

const oldKey = async () => ({ kid: fixtureSigner.keyId, since: AN_HOUR_AGO })
const keysOf = async (...signers: (typeof fresh)[]) => ({
  keys: (await Promise.all(signers.map((signer) => signer.publicJwk()))) as { kty: string }[],
})
async function jwks(kioskId: string, tenantId = 'acme') {
  const made = await runAction(central.context, 'createConsumer', {
    tenantId,
    name: `reader ${kioskId}`,
    scopes: ['proofs:read'],
  })
  const response = await fetch(`${central.url}/head-office/v1/jwks/${kioskId}`, {
    headers: { authorization: `Bearer ${(made as { key: string }).key}` },
  })
  return (await response.json()) as { keys: { kid: string }[]; revoked: { kid: string; since: string }[] }
}

test('a packet signed with a revoked key is refused once a status reports the revocation; one signed with the next key is stored', async () => {
  const kiosk = await joinedKiosk(central)
  expect((await kiosk.deliver(await kiosk.makeProof())).state).toBe('STORED')
  await kiosk.status({ proofKeys: await keysOf(fresh), revokedKeys: [await oldKey()] })
  const forged = await kiosk.makeProof()
  expect(await kiosk.deliver(forged)).toMatchObject({ state: 'REFUSED', problems: ['key_revoked'] })
  expect(await openAlarms(central, kiosk.kioskId)).toEqual([`REFUSED ${forged.announcement.proofId}`])
  expect((await kiosk.deliver(await kiosk.makeProof({ signer: fresh }))).state).toBe('STORED')
})

test('a key stays revoked, whatever a later or an older status says', async () => {
  const kiosk = await joinedKiosk(central)
  await kiosk.status({ proofKeys: await keysOf(fresh), revokedKeys: [await oldKey()] })
  await kiosk.status({ proofKeys: await keysOf(fixtureSigner), revokedKeys: [] })
  await kiosk.status({ revokedKeys: [{ ...(await oldKey()), since: Date.now() }] })
  await kiosk.status({ counter: 1, proofKeys: await keysOf(fixtureSigner) })
  expect((await kiosk.deliver(await kiosk.makeProof())).state).toBe('REFUSED')
  const [revoked] = (await jwks(kiosk.kioskId)).revoked
  expect(revoked?.since).toBe(new Date(AN_HOUR_AGO).toISOString())
})

test('the key set of the head office lists a revoked key apart, with its date', async () => {
  const kiosk = await joinedKiosk(central)
  await kiosk.status({ proofKeys: await keysOf(fresh), revokedKeys: [await oldKey()] })
  const { keys, revoked } = await jwks(kiosk.kioskId)
  expect(keys.map(({ kid }) => kid)).toEqual([fresh.keyId])
  expect(revoked).toMatchObject([
    { ...(await oldKey()), since: new Date(AN_HOUR_AGO).toISOString(), key: { kid: fixtureSigner.keyId } },
  ])
})

async function writeStick(kiosk: TestKiosk, proofs: readonly PreparedProof[], changes: Partial<Manifest>) {
  for (const { announcement, packet } of proofs) writeFileSync(join(stick, announcement.proofId), packet)
  const manifest: Manifest = {
    kioskId: kiosk.kioskId,
    exportedAt: Date.now(),
    packets: proofs.map(({ announcement }) => ({ file: announcement.proofId, announcement })),
    ...changes,
  }
  const body = Buffer.from(JSON.stringify(manifest))
  const request = { method: 'EXPORT', path: MANIFEST_FILE, body, centreId: kiosk.trust.centreId }
  writeFileSync(join(stick, MANIFEST_FILE), body)
  writeFileSync(join(stick, MANIFEST_SIGNATURE_FILE), await signRequest(request, kiosk, new Date()))
}

test('a stick tells of the keys that a kiosk without a line changed, once its signature was checked', async () => {
  const kiosk = await joinedKiosk(central)
  const proofs = [await kiosk.makeProof({ signer: fresh }), await kiosk.makeProof()]
  const told = { proofKeys: await keysOf(fresh), revokedKeys: [await oldKey()] }
  await writeStick(kiosk, proofs, told)
  const manifest = readFileSync(join(stick, MANIFEST_FILE))
  writeFileSync(join(stick, MANIFEST_FILE), Buffer.concat([manifest, Buffer.from(' ')]))
  await expect(importPackets(central.context, stick)).rejects.toMatchObject({ code: 'packet_refused' })
  expect((await jwks(kiosk.kioskId)).revoked).toEqual([])

  writeFileSync(join(stick, MANIFEST_FILE), manifest)
  expect(await importPackets(central.context, stick)).toMatchObject({ stored: 1, refused: 1 })
  const receipts = JSON.parse(readFileSync(join(stick, RECEIPTS_FILE), 'utf8')) as {
    receipts: { answer: { problems?: string[] } }[]
  }
  expect(receipts.receipts.map(({ answer }) => answer.problems)).toEqual([undefined, ['key_revoked']])
})

test.each(['', '{', '[]', '[['.repeat(50_000), 'null'])(
  'a signed list that reads %j is refused as none',
  async (text) => {
    const kiosk = await joinedKiosk(central)
    const body = Buffer.from(text)
    const request = { method: 'EXPORT', path: MANIFEST_FILE, body, centreId: kiosk.trust.centreId }
    writeFileSync(join(stick, MANIFEST_FILE), body)
    writeFileSync(join(stick, MANIFEST_SIGNATURE_FILE), await signRequest(request, kiosk, new Date()))
    await expect(importPackets(central.context, stick)).rejects.toMatchObject({ code: 'packet_refused' })
  },
)
