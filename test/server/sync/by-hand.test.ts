/** A branch with no line at all: what is sealed goes out on a stick and what is acknowledged comes back on one. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeAuthority, toPem } from '../../../server/central/certificates.ts'
import { systemClock } from '../../../server/clock.ts'
import { main } from '../../../server/cli.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { placeKeyInFile } from '../../../server/config/kek.ts'
import { checkRequest } from '../../../server/protocol/request-signature.ts'
import {
  EnrolmentAnswerSchema,
  MANIFEST_FILE,
  MANIFEST_SIGNATURE_FILE,
  ManifestSchema,
  RECEIPTS_FILE,
  type Announcement,
  type CentralTrust,
  type UploadState,
} from '../../../server/protocol/wire.ts'
import { signStatement } from '../../../server/protocol/statements.ts'
import { exportPackets, importReceipts } from '../../../server/sync/by-hand.ts'
import { beginEnrolment, completeEnrolment, leaveCentralService } from '../../../server/sync/enrol.ts'
import { refuseToSeal } from '../../../server/workflows/health/freeze.ts'
import { collectOutput } from '../../support/output.ts'
import {
  startScriptedCentralService,
  type ScriptedCentralService,
} from '../../support/scripted-central-service.ts'
import { openRig, type Rig } from './rig.ts'

let central: ScriptedCentralService
let rig: Rig
let stick: string
beforeEach(async () => {
  central = await startScriptedCentralService()
  rig = openRig()
  stick = mkdtempSync(join(tmpdir(), 'counterproof-stick-'))
  const ctx = { store: rig.store, clock: systemClock }
  const request = await beginEnrolment(ctx, { code: central.newCode(), centralUrl: '', name: 'Branch 7' })
  await completeEnrolment(ctx, EnrolmentAnswerSchema.parse(await central.enrolled(request)))
})
afterEach(async () => {
  rig.close()
  rmSync(stick, { recursive: true })
  await central.close()
})

const hand = () => ({
  store: rig.store,
  config: loadConfig({ dataDir: rig.dataDir }),
  clock: systemClock,
})
const manifest = () => ManifestSchema.parse(JSON.parse(readFileSync(join(stick, MANIFEST_FILE), 'utf8')))

/** Acts as the head office: stores the packets of the stick and writes the receipts. */
async function headOffice(answer?: (announcement: Announcement) => Promise<UploadState>): Promise<void> {
  const receipts = []
  for (const { announcement } of manifest().packets) {
    const state = announcement.packet ? 'STORED' : 'WITHDRAWN'
    const stored = { state, offset: 0, receipt: await central.receiptFor(announcement, { state }) } as const
    receipts.push({ proofId: announcement.proofId, answer: (await answer?.(announcement)) ?? stored })
  }
  const file = { kioskId: rig.store.applianceId, receipts }
  writeFileSync(join(stick, RECEIPTS_FILE), JSON.stringify(file))
}

describe('a round trip', () => {
  test('hands over everything that waits, signed, and takes the receipts for it', async () => {
    const proofs = [await rig.seal(3_000), await rig.seal(2_000_000), await rig.seal(10)]
    rig.store.outbox.withdraw(proofs[2].sequence)
    expect(await exportPackets(hand(), stick)).toEqual({ packets: 2, withdrawn: 1, damaged: 0 })
    const body = readFileSync(join(stick, MANIFEST_FILE))
    const signature = readFileSync(join(stick, MANIFEST_SIGNATURE_FILE), 'ascii').trim()
    const signed = { method: 'EXPORT', path: MANIFEST_FILE, body, centreId: central.trust.centreId }
    await checkRequest(signature, signed, rig.store.enrolments.find()?.publicJwk ?? {})
    for (const { file, announcement } of manifest().packets) {
      if (file === null) continue
      const packet = readFileSync(join(stick, file))
      expect(announcement.packet).toEqual({
        sha256: createHash('sha256').update(packet).digest('hex'),
        bytes: packet.length,
      })
    }
    // Nothing counts as sent because it lies on a stick.
    expect(rig.store.outbox.summary().backlog).toBe(3)

    await headOffice()
    expect(await importReceipts(hand(), stick)).toEqual({
      again: 0,
      acknowledged: 2,
      withdrawn: 1,
      refused: 0,
      known: 0,
      forged: 0,
    })
    expect(rig.store.outbox.summary().backlog).toBe(0)
    expect(await importReceipts(hand(), stick)).toMatchObject({ acknowledged: 0, known: 3 })
    const types = rig.store.events.after(0, 100).map(({ type }) => type)
    expect(types.filter((type) => type === 'outbox.acknowledged')).toHaveLength(2)
    expect(types).toContain('packets.exported')
    expect(types).toContain('receipts.imported')
  })

  test('believes no receipt that is not the central service’s own, and parks what was refused', async () => {
    const [first, second, third] = [await rig.seal(100), await rig.seal(100), await rig.seal(100)]
    await exportPackets(hand(), stick)
    const impostor = await startScriptedCentralService()
    await headOffice(async (announcement) =>
      announcement.proofId === first.proofId
        ? {
            state: 'STORED',
            offset: 0,
            receipt: await impostor.receiptFor(announcement, { kioskId: rig.store.applianceId }),
          }
        : announcement.proofId === second.proofId
          ? {
              state: 'STORED',
              offset: 0,
              receipt: await central.receiptFor(announcement, { proofId: first.proofId }),
            }
          : { state: 'REFUSED', offset: 0, problems: ['signature_unknown'] },
    )
    expect(await importReceipts(hand(), stick)).toMatchObject({ acknowledged: 0, refused: 1, forged: 2 })
    expect(rig.store.outbox.findByProof(third.proofId)).toMatchObject({
      state: 'REFUSED',
      lastError: 'signature_unknown',
    })
    expect(rig.store.outbox.summary()).toMatchObject({ backlog: 3, parked: 1 })
    await impostor.close()
  })

  test('parks a proof that cannot be read, and hands over the others', async () => {
    const { proofId } = await rig.seal(100)
    await rig.seal(100)
    rmSync(join(rig.dataDir, 'proofs', `${proofId}.sealed`))
    expect(await exportPackets(hand(), stick)).toEqual({ packets: 1, withdrawn: 0, damaged: 1 })
    expect(readdirSync(stick).filter((name) => name.endsWith('.packet'))).toHaveLength(1)
    expect(rig.store.outbox.findByProof(proofId)?.state).toBe('REFUSED')
  })

  test('takes keys that the central service has changed, where its authority has signed them, and believes receipts by them', async () => {
    const { proofId } = await rig.seal(100)
    await exportPackets(hand(), stick)
    // An authority whose private key is at hand, in the place of the one that the kiosk joined.
    const { centreId } = central.trust
    const authority = await makeAuthority(centreId, new Date())
    const newKey = async (kid: string) => {
      const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
      return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kty: 'EC', kid } }
    }
    const trustOf = async (key: { jwk: { kty: string } }, by = authority): Promise<CentralTrust> => {
      const { packetKeys } = central.trust
      const statementKeys = { keys: [key.jwk] }
      const stated = Buffer.from(JSON.stringify({ centreId, statementKeys, packetKeys }))
      const signature = await new CompactSign(stated).setProtectedHeader({ alg: 'ES256' }).sign(by.privateKey)
      return { centreId, statementKeys, packetKeys, caCertificate: toPem(authority.certificate), signature }
    }
    const [first, second] = [await newKey('first'), await newKey('second')]
    const kept = await trustOf(first)
    rig.store.enrolments.setTrust(kept)
    const { sequence, sha256 } = rig.store.outbox.findByProof(proofId) ?? { sequence: 0, sha256: '' }
    const { applianceId: kioskId } = rig.store
    const stated = { kioskId, proofId, sequence, sha256, state: 'STORED' as const, storedAt: 1 }
    const receipt = await signStatement('receipt', stated, second)
    const receipts = [{ proofId, answer: { state: 'STORED', offset: 0, receipt } }]
    const put = (trust?: CentralTrust) =>
      writeFileSync(
        join(stick, RECEIPTS_FILE),
        JSON.stringify({ kioskId, receipts, ...(trust ? { trust } : {}) }),
      )
    const keptNow = () => rig.store.enrolments.find()?.membership?.trust
    const noted = () => rig.store.events.after(0, 100).filter(({ type }) => type === 'sync.trusted')

    put(await trustOf(second, await makeAuthority(centreId, new Date())))
    await expect(importReceipts(hand(), stick)).rejects.toThrow('statement_refused')
    expect(keptNow()).toEqual(kept)
    // The keys as they are: the receipt is by another one, and nothing is noted of keys.
    put(kept)
    expect(await importReceipts(hand(), stick)).toMatchObject({ acknowledged: 0, forged: 1 })
    put()
    expect(await importReceipts(hand(), stick)).toMatchObject({ acknowledged: 0, forged: 1 })
    expect(noted()).toEqual([])

    const next = await trustOf(second)
    put(next)
    expect(await importReceipts(hand(), stick)).toMatchObject({ acknowledged: 1, forged: 0 })
    expect(keptNow()).toEqual(next)
    const trustSha256 = createHash('sha256').update(JSON.stringify(keptNow())).digest('hex')
    expect(noted().map(({ body, actor }) => ({ body, actor }))).toEqual([
      { body: { centreId, trustSha256 }, actor: 'centre' },
    ])
  })

  test('takes no receipts of another kiosk, and none that cannot be read', async () => {
    await expect(importReceipts(hand(), stick)).rejects.toThrow('packet_refused')
    const file = { kioskId: '01970000-0000-7000-8000-000000000000', receipts: [] }
    writeFileSync(join(stick, RECEIPTS_FILE), JSON.stringify(file))
    await expect(importReceipts(hand(), stick)).rejects.toMatchObject({
      details: { reason: 'the receipts are for another kiosk' },
    })
  })
})

test('who leaves the central service while proofs wait for it has to say so', async () => {
  await rig.seal(100)
  const ctx = { store: rig.store, clock: systemClock }
  expect(() => leaveCentralService(ctx, false)).toThrow('transition_refused')
  expect(rig.store.enrolments.find()?.membership).not.toBeNull()
  expect(leaveCentralService(ctx, true)).toBe(1)
  expect(rig.store.enrolments.find()).toBeNull()
  await expect(exportPackets(hand(), stick)).rejects.toThrow('enrolment_refused')
})

describe('after a backup was restored in a branch without a line', () => {
  const settle = (...argv: string[]) => {
    placeKeyInFile(rig.dataDir, rig.kek)
    return main(['sync', 'settle', ...argv, '--data', rig.dataDir])
  }

  test('nothing is sealed until the operator says which number the head office knows, and then behind it', async () => {
    collectOutput()
    expect(() => refuseToSeal(rig)).not.toThrow()
    expect(await settle('--last-sequence', '9')).toBe(1)
    rig.store.meta.setJson('restored', { at: Date.now(), madeAt: 0 })
    expect(() => refuseToSeal(rig)).toThrow('proofings_frozen')
    expect(await settle('--last-sequence', 'nine')).toBe(2)
    expect(await settle('--last-sequence', '9')).toBe(0)
    vi.restoreAllMocks()
    expect(() => refuseToSeal(rig)).not.toThrow()
    expect(rig.store.outbox.lastSequence()).toBe(9)
    expect(rig.store.events.after(rig.store.events.head().seq - 1, 1)).toMatchObject([
      { type: 'outbox.skipped', actor: 'operator', body: { after: 0, to: 9 } },
    ])
  })
})
