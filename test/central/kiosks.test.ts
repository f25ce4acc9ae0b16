/** Kiosks join with a one-time code, say how they are, hand over packets by hand; operators work while the central service runs. */
import { X509Certificate } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runAction } from '../../server/central/admin/actions.ts'
import { perform } from '../../server/central/admin/perform.ts'
import { loadCentralConfig } from '../../server/central/config.ts'
import { createCentralService } from '../../server/central/index.ts'
import { silentLog } from '../../server/log.ts'
import { caFingerprint, parseEnrolmentCode } from '../../server/protocol/enrolment-code.ts'
import { signRequest } from '../../server/protocol/request-signature.ts'
import { readStatement } from '../../server/protocol/statements.ts'
import { ReceiptsSchema, RevokedAnswerSchema } from '../../server/protocol/wire.ts'
import { makeKioskKey } from '../../server/sync/kiosk-key.ts'
import { checkCertificate, checkFirstTrust, checkNewTrust } from '../../server/sync/trust.ts'
import {
  codeFor,
  joinedKiosk,
  openAlarms,
  startCentralService,
  type TestCentralService,
} from '../support/central.ts'
import { enrolKiosk, enrolmentRequest, postEnrolment, type TestKiosk } from '../support/kiosk-client.ts'

let central: TestCentralService
let now = new Date()
beforeAll(async () => {
  central = await startCentralService({ clock: { now: () => now } })
})
afterAll(() => central.stop())

describe('a kiosk that joins', () => {
  test('gets a certificate and keys that its own code checks against the enrolment code', async () => {
    const code = await codeFor(central)
    const key = await makeKioskKey()
    const kiosk = await enrolKiosk(central.url, code, { key })
    const { fingerprint } = parseEnrolmentCode(code)
    await checkFirstTrust(kiosk.trust, fingerprint)
    checkCertificate(kiosk.answer, key.publicJwk)
    const ca = new X509Certificate(kiosk.trust.caCertificate)
    expect(caFingerprint(ca.raw)).toBe(fingerprint)
    expect(new X509Certificate(kiosk.certificate).subjectAltName).toBe(`URI:urn:uuid:${kiosk.kioskId}`)
    expect(kiosk.answer.tenantId).toBe('acme')
  })

  test('gets the same answer to the same request again, and its code serves no other request', async () => {
    const code = await codeFor(central)
    const key = await makeKioskKey()
    const kiosk = await enrolKiosk(central.url, code, { key })
    const again = await postEnrolment(central.url, kiosk.request)
    expect(again).toMatchObject({ status: 200, body: { certificate: kiosk.certificate } })
    expect((await postEnrolment(central.url, await enrolmentRequest(code))).status).toBe(403)
    const { kioskId } = kiosk
    expect((await postEnrolment(central.url, await enrolmentRequest(code, { kioskId }))).status).toBe(403)
  })

  test('is refused with a code that is unknown or too old, without telling which', async () => {
    const code = await codeFor(central)
    const { fingerprint } = parseEnrolmentCode(code)
    const unknown = await postEnrolment(central.url, await enrolmentRequest('0'.repeat(16) + fingerprint))
    now = new Date(now.getTime() + 25 * 3_600_000)
    const old = await postEnrolment(central.url, await enrolmentRequest(code))
    for (const { status, body } of [unknown, old]) {
      expect({ status, type: (body as { type: string }).type }).toEqual({
        status: 403,
        type: 'urn:counterproof:problem:enrolment_refused',
      })
    }
  })

  test('does not replace another kiosk: a known kiosk gets a new key only with its own code or after a revocation', async () => {
    const { kioskId } = await joinedKiosk(central)
    const attempt = async (code: string) =>
      (await postEnrolment(central.url, await enrolmentRequest(code, { kioskId }))).status
    expect(await attempt(await codeFor(central))).toBe(403)
    expect(await attempt(await codeFor(central, 'other'))).toBe(403)
    expect(await attempt(await codeFor(central, 'acme', kioskId))).toBe(200)
    await runAction(central.context, 'revokeKiosk', { kioskId, reason: 'stolen' })
    now = new Date(now.getTime() + 1000)
    expect(await attempt(await codeFor(central))).toBe(200)
  })

  test.each([
    ['its request is none', { certificateRequest: 'no PEM' }],
    ['it names no proof key', { proofKeys: { keys: [] } }],
    ['its id is none', { kioskId: 'x' }],
  ])('is refused where %s', async (_, changes) => {
    const request = { ...(await enrolmentRequest(await codeFor(central))), ...changes }
    expect((await postEnrolment(central.url, request)).status).toBe(400)
  })
})

describe('a status', () => {
  const aged = (): Partial<{ at: number }> => ({ at: now.getTime() })
  test('is answered with the signed time; an older one that comes late changes nothing', async () => {
    const kiosk = await joinedKiosk(central)
    const nonce = 'n'.repeat(20)
    const answer = await kiosk.status({ ...aged(), nonce, counter: 5, backlog: 3 })
    const time = await readStatement('server-time', answer.serverTime, kiosk.trust.statementKeys.keys)
    expect(time).toEqual({ kioskId: kiosk.kioskId, nonce, at: now.getTime() })
    await kiosk.status({ ...aged(), counter: 4, backlog: 9, audit: { seq: 0, hash: 'a'.repeat(64) } })
    const rows = await central.db.query(
      { tenant: 'acme' },
      `SELECT status -> 'backlog' AS b FROM kiosks WHERE id = $1`,
      [kiosk.kioskId],
    )
    expect(rows).toEqual([{ b: 3 }])
    expect(await openAlarms(central, kiosk.kioskId)).toEqual([])
  })

  test.each([
    ['an audit log that went back', { audit: { seq: 1, hash: 'b'.repeat(64) } }, 'AUDIT_ROLLBACK'],
    ['another audit log of the same length', { audit: { seq: 9, hash: 'b'.repeat(64) } }, 'AUDIT_ROLLBACK'],
    ['a clock that is off', { at: 0 }, 'CLOCK'],
  ])('raises an alarm for %s', async (_, changes, kind) => {
    const kiosk = await joinedKiosk(central)
    await kiosk.status({ ...aged(), audit: { seq: 9, hash: 'a'.repeat(64) } })
    await kiosk.status({ ...aged(), audit: { seq: 9, hash: 'a'.repeat(64) }, ...changes })
    expect(await openAlarms(central, kiosk.kioskId)).toEqual([kind])
  })

  test('of a kiosk whose backup was restored counts again, and tells it the numbers that it must not give twice', async () => {
    const kiosk = await joinedKiosk(central)
    await kiosk.status({ ...aged(), counter: 90, lastSequence: 7 })
    const restoredAt = now.getTime()
    const answer = await kiosk.status({ ...aged(), counter: 3, lastSequence: 2, restoredAt })
    expect(answer.lastSequence).toBe(7)
    expect(await openAlarms(central, kiosk.kioskId)).toEqual([`AUDIT_ROLLBACK ${restoredAt}`])
  })

  test('that does not come raises OFFLINE, and the next one resolves it', async () => {
    const kiosk = await joinedKiosk(central)
    now = new Date(now.getTime() + 25 * 3_600_000)
    await central.upkeep.run()
    expect(await openAlarms(central, kiosk.kioskId)).toEqual(['OFFLINE'])
    await kiosk.status(aged())
    expect(await openAlarms(central, kiosk.kioskId)).toEqual([])
  })
})

describe('packets on a stick', () => {
  async function stick(kiosk: TestKiosk, changes: { signedBy?: TestKiosk } = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'counterproof-stick-'))
    const [first, second, third] = [await kiosk.makeProof(), await kiosk.makeProof(), await kiosk.makeProof()]
    writeFileSync(join(folder, 'a.packet'), first.packet)
    const packets = [
      { file: 'a.packet', announcement: first.announcement },
      { file: null, announcement: { ...second.announcement, packet: null } },
      { file: '../a.packet', announcement: third.announcement },
    ]
    const body = Buffer.from(JSON.stringify({ kioskId: kiosk.kioskId, exportedAt: 0, packets }))
    const { centreId } = kiosk.trust
    const request = { method: 'EXPORT', path: 'counterproof-packets.json', body, centreId }
    writeFileSync(join(folder, 'counterproof-packets.json'), body)
    const signature = await signRequest(request, changes.signedBy ?? kiosk, new Date())
    writeFileSync(join(folder, 'counterproof-packets.sig'), `${signature}\n`)
    return { folder, first }
  }

  test('are taken as over the wire, again without harm, and their receipts are written beside them', async () => {
    const kiosk = await joinedKiosk(central)
    const { folder, first } = await stick(kiosk)
    for (let time = 0; time < 2; time++) {
      expect(await runAction(central.context, 'importPackets', { folder })).toEqual({
        kioskId: kiosk.kioskId,
        stored: 1,
        withdrawn: 1,
        lost: 0,
        refused: 0,
        incomplete: 1,
        problems: [{ file: expect.any(String) as string, reason: expect.any(String) as string }],
      })
    }
    const file = readFileSync(join(folder, 'counterproof-receipts.json'), 'utf8')
    const { receipts, trust } = ReceiptsSchema.parse(JSON.parse(file))
    const receipt = await readStatement(
      'receipt',
      receipts[0]?.answer.receipt ?? '',
      trust?.statementKeys.keys ?? [],
    )
    expect(receipt.proofId).toBe(first.announcement.proofId)
  })

  test('are refused if another kiosk signed the list or if the list was changed', async () => {
    const [kiosk, other] = [await joinedKiosk(central), await joinedKiosk(central)]
    const foreign = await stick(kiosk, { signedBy: other })
    const changed = await stick(kiosk)
    writeFileSync(join(changed.folder, 'counterproof-packets.json'), '{}')
    for (const { folder } of [foreign, changed]) {
      await expect(runAction(central.context, 'importPackets', { folder })).rejects.toMatchObject({
        code: 'packet_refused',
      })
    }
  })
})

describe('the keys of the central service', () => {
  test('are rotated with overlap: what was under way with the old one is opened, and kiosks take up the new one', async () => {
    const kiosk = await joinedKiosk(central)
    const proof = await kiosk.makeProof()
    await runAction(central.context, 'rotateKey', { purpose: 'PACKET' })
    await runAction(central.context, 'rotateKey', { purpose: 'STATEMENT' })
    const { trust } = await kiosk.status({ at: now.getTime() })
    expect(await checkNewTrust(kiosk.trust, trust)).toBe(true)
    const { receipt } = await kiosk.deliver(proof)
    await readStatement('receipt', receipt ?? '', trust.statementKeys.keys)
    expect((await kiosk.deliver(await kiosk.repack(await kiosk.makeProof(), trust))).state).toBe('STORED')
  })

  test('outlive a restart; another master key, or one that others may read, opens nothing', async () => {
    const own = await startCentralService()
    const kiosk = await joinedKiosk(own)
    const again = await own.restart()
    kiosk.url = again.url
    expect((await kiosk.deliver(await kiosk.makeProof())).state).toBe('STORED')
    await again.close()
    const file = join(own.dataDir, 'keys', 'centre.key')
    const key = readFileSync(file, 'utf8')
    const config = loadCentralConfig({ dataDir: own.dataDir, port: 0 }, {})
    const starting = () => createCentralService({ config, log: silentLog })
    writeFileSync(file, 'ab'.repeat(32))
    await expect(starting()).rejects.toMatchObject({ code: 'key_unavailable' })
    writeFileSync(file, key)
    chmodSync(file, 0o644)
    await expect(starting()).rejects.toMatchObject({ code: 'key_unavailable' })
  })
})

describe('two machines with the key of one kiosk', () => {
  test('both learn of its revocation', async () => {
    const options = { kioskId: uuidv7(), key: await makeKioskKey() }
    const machines = [
      await joinedKiosk(central, 'acme', options),
      await joinedKiosk(central, 'acme', options),
    ]
    await runAction(central.context, 'revokeKiosk', { kioskId: options.kioskId, reason: 'stolen' })
    for (const machine of machines) {
      const { status, body } = await machine.sendStatus()
      expect(status).toBe(200)
      const { revoked, trust } = RevokedAnswerSchema.parse(body)
      const statement = await readStatement('kiosk-revoked', revoked, trust.statementKeys.keys)
      expect(statement.kioskId).toBe(options.kioskId)
      // Every other request is refused, without a reason.
      expect((await machine.call('GET', '/bundle')).status).toBe(401)
    }
  })
})

describe('an operator', () => {
  test('can run commands while the central service holds the embedded database, which no second service can open', async () => {
    const config = loadCentralConfig({ dataDir: central.dataDir, port: 0 }, {})
    expect(await perform(config, silentLog, 'createTenant', { tenantId: 'by-socket' })).toEqual({
      tenantId: 'by-socket',
      created: true,
    })
    const unknown = perform(config, silentLog, 'revokeKiosk', { kioskId: uuidv7(), reason: 'stolen' })
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' })
    await expect(createCentralService({ config, log: silentLog })).rejects.toMatchObject({
      code: 'configuration_invalid',
    })
  })

  test('is told every problem of the configuration at once', () => {
    const env = { DATABASE_URL: 'mysql://user:secret@host', CENTRE_PORT: 'x' }
    const load = () => loadCentralConfig({ dataDir: tmpdir() }, env)
    expect(load).toThrow()
    try {
      load()
    } catch (error) {
      const { problems } = error as { problems: { field: string; message: string }[] }
      expect(problems.map(({ field }) => field).sort()).toEqual(['DATABASE_URL', 'port'])
      expect(JSON.stringify(problems)).not.toContain('secret')
    }
  })
})
