/** The kiosk accepts only the central service of its code; and the handling of refused proofs. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportJWK, generateKeyPair } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../server/clock.ts'
import { signStatement } from '../../../server/protocol/statements.ts'
import { EnrolmentAnswerSchema, type Announcement, type Receipt } from '../../../server/protocol/wire.ts'
import { beginEnrolment, completeEnrolment } from '../../../server/sync/enrol.ts'
import {
  startScriptedCentralService,
  type ScriptedCentralService,
} from '../../support/scripted-central-service.ts'
import { joinCentralService } from './kiosk.ts'
import { openRig, type Rig } from './rig.ts'

let central: ScriptedCentralService
let rig: Rig
beforeEach(async () => {
  central = await startScriptedCentralService()
  rig = openRig()
})
afterEach(async () => {
  rig.close()
  await central.close()
})

const enrolContext = () => ({ store: rig.store, clock: systemClock })
const begin = (code: string) =>
  beginEnrolment(enrolContext(), { code, centralUrl: central.url, name: 'Branch 7' })
const answered = async (code: string) =>
  EnrolmentAnswerSchema.parse(await central.enrolled(await begin(code)))

describe('an enrolment', () => {
  test('that was cut off continues with the same key, and the central service answers again', async () => {
    const code = central.newCode()
    await central.enrolled(await begin(code))
    const pending = rig.store.enrolments.find()
    expect(pending).toMatchObject({ membership: null, centralUrl: central.url })
    rig.reopen()
    await completeEnrolment(enrolContext(), await answered(code))
    expect(rig.store.enrolments.find()?.publicJwk).toEqual(pending?.publicJwk)
    expect(rig.store.enrolments.find()?.membership?.tenantId).toBe('head-office')
  })

  test('is refused while another one is in force', async () => {
    await rig.join(central)
    await expect(begin(central.newCode())).rejects.toMatchObject({
      details: { reason: 'this kiosk has joined a central service already; leave it first' },
    })
  })

  test('leaves nothing of the private key in clear on the disk', async () => {
    await begin(central.newCode())
    const d = rig.store.enrolments.privateJwk()?.d ?? ''
    expect(d.length).toBeGreaterThan(40)
    rig.reopen()
    for (const name of readdirSync(rig.dataDir).filter((file) => file.startsWith('appliance.sqlite'))) {
      expect(readFileSync(join(rig.dataDir, name)).includes(d)).toBe(false)
    }
  })

  test('a code that is not of this central service, or was used by another kiosk', async () => {
    const other = await startScriptedCentralService()
    await expect(
      joinCentralService(rig.store, { url: central.url, newCode: () => other.newCode() }),
    ).rejects.toThrow('enrolment_refused')
    await other.close()
    const code = central.newCode()
    const second = openRig()
    await joinCentralService(second.store, { url: central.url, newCode: () => code })
    second.close()
    await expect(joinCentralService(rig.store, { url: central.url, newCode: () => code })).rejects.toThrow(
      'enrolment_refused',
    )
    expect(rig.store.enrolments.find()?.membership).toBeNull()
  })

  test('a central service with another CA than that of the code is not believed', async () => {
    const impostor = await startScriptedCentralService()
    const code = central.newCode()
    const answer = await answered(code)
    const request = await begin(code)
    const forged = await impostor.enrolled({ ...request, code: impostor.newCode() })
    await expect(
      completeEnrolment(enrolContext(), EnrolmentAnswerSchema.parse(forged)),
    ).rejects.toMatchObject({ details: { reason: 'this is not the central service that the code is from' } })
    await impostor.close()
    const otherKeys = { ...answer.trust, statementKeys: impostor.trust.statementKeys }
    const cases = [
      [
        { ...answer, trust: otherKeys },
        'the keys of the central service are not those that its authority signed',
      ],
      [
        { ...answer, trust: { ...answer.trust, signature: impostor.trust.signature } },
        'the keys of the central service are not signed by its authority',
      ],
      [
        { ...answer, certificate: answer.trust.caCertificate },
        'the certificate is not for the key of this kiosk',
      ],
      [{ ...answer, kioskId: '01970000-0000-7000-8000-000000000000' }, 'the answer is for another kiosk'],
    ] as const
    for (const [wrong, reason] of cases) {
      await expect(completeEnrolment(enrolContext(), wrong)).rejects.toMatchObject({ details: { reason } })
    }
    expect(rig.store.enrolments.find()?.membership).toBeNull()
  })
})

describe('a receipt', () => {
  type Forge = (announcement: Announcement, kioskId: string) => Promise<string>
  const receipt = (announcement: Announcement, kioskId: string): Receipt => ({
    kioskId,
    proofId: announcement.proofId,
    sequence: announcement.sequence,
    sha256: announcement.sha256,
    state: 'STORED',
    storedAt: 1,
  })
  const FORGERIES: readonly (readonly [string, Forge])[] = [
    [
      'by another key',
      async (announcement, kioskId) => {
        const { privateKey } = await generateKeyPair('ES256')
        return signStatement('receipt', receipt(announcement, kioskId), { kid: 'statements', privateKey })
      },
    ],
    [
      'by a key of its own making, named in it',
      async (announcement, kioskId) => {
        const { privateKey, publicKey } = await generateKeyPair('ES256')
        const kid = JSON.stringify(await exportJWK(publicKey))
        return signStatement('receipt', receipt(announcement, kioskId), { kid, privateKey })
      },
    ],
    ['for another proof', (a) => central.receiptFor(a, { proofId: '01970000-0000-7000-8000-000000000000' })],
    ['for another number', (a) => central.receiptFor(a, { sequence: a.sequence + 1 })],
    ['for another archive', (a) => central.receiptFor(a, { sha256: '0'.repeat(64) })],
    ['for another kiosk', (a) => central.receiptFor(a, { kioskId: '01970000-0000-7000-8000-000000000000' })],
    ['of a withdrawal, called stored', (a) => central.receiptFor(a, { state: 'WITHDRAWN' })],
    [
      'that is another statement of the central service',
      (_, kioskId) => central.serverTime(kioskId, 'a nonce'),
    ],
    ['that is no JWS at all', async () => 'stored'],
  ]
  test.each(FORGERIES)('%s is not believed: the proof stays here and waits', async (_, forge) => {
    await rig.join(central)
    const { proofId } = await rig.seal(2_000)
    const announcement = () =>
      JSON.parse(String(central.requests.find(({ method }) => method === 'PUT')?.body)) as Announcement
    let forged = ''
    central.instead = ({ route }) =>
      route.endsWith('/completion')
        ? { status: 200, body: { state: 'STORED', offset: 0, receipt: forged } }
        : null
    await rig.pass().catch(() => undefined)
    forged = await forge(announcement(), rig.store.applianceId)
    rig.store.outbox.hurry(1)
    expect(await rig.pass()).toEqual({ settled: 0, parked: 0 })
    expect(rig.store.outbox.findByProof(proofId)).toMatchObject({
      receipt: null,
      lastError: 'statement_refused',
    })
    expect(rig.packetFiles()).toHaveLength(1)
    central.instead = null
    await rig.passUntilEmpty(3)
    expect(central.taken).toEqual([proofId])
  })
})

describe('a proof that the central service will not have', () => {
  test('is parked with the reason, holds up no other, and is taken when it is sent again', async () => {
    await rig.join(central)
    const first = await rig.seal(2_000)
    const second = await rig.seal(2_000)
    central.instead = ({ route }) =>
      route === `/proofs/${first.proofId}/completion`
        ? { status: 200, body: { state: 'REFUSED', offset: 0, problems: ['signature_unknown <b>Anna</b>'] } }
        : null
    expect(await rig.pass()).toEqual({ settled: 1, parked: 1 })
    expect(rig.logged).toEqual([
      'a proof is parked for an operator',
      'the central service acknowledged a proof',
    ])
    expect(rig.store.outbox.findByProof(first.proofId)).toMatchObject({
      state: 'REFUSED',
      lastError: 'signature_unknown b Anna /b',
      receipt: null,
    })
    expect(central.taken).toEqual([second.proofId])
    const refused = rig.store.events.after(0, 100).filter(({ type }) => type === 'outbox.refused')
    expect(refused.map(({ body }) => body)).toEqual([
      { proofId: first.proofId, sequence: 1, error: 'refused_by_centre' },
    ])
    central.instead = null
    expect(await rig.pass()).toEqual({ settled: 0, parked: 0 })
    rig.store.outbox.requeue(first.sequence, new Date())
    expect(await rig.pass()).toEqual({ settled: 1, parked: 0 })
    expect(central.taken).toEqual([second.proofId, first.proofId])
  })

  test('is parked when the archive here is not the one that was sealed', async () => {
    await rig.join(central)
    const { proofId } = await rig.seal(2_000)
    const file = join(rig.dataDir, 'proofs', `${proofId}.sealed`)
    const bytes = readFileSync(file)
    bytes[bytes.length - 1] ^= 1
    writeFileSync(file, bytes)
    expect(await rig.pass()).toEqual({ settled: 0, parked: 1 })
    expect(rig.store.outbox.findByProof(proofId)).toMatchObject({ lastError: 'storage_damaged' })
    expect(rig.packetFiles()).toEqual([])
  })
})

describe('a packet on the disk', () => {
  test.each([
    ['is gone', () => undefined],
    ['was cut', (bytes: Buffer) => bytes.subarray(0, 900)],
    [
      'was changed',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes.at(-1)! ^ 1])]),
    ],
  ])('that %s in the middle of its upload is rebuilt, announced again and arrives', async (_, spoil) => {
    await rig.join(central)
    const { proofId } = await rig.seal(40_000)
    let chunks = 0
    central.instead = ({ method }) => (method === 'PATCH' && ++chunks > 2 ? { status: 503, body: '' } : null)
    await expect(rig.pass()).rejects.toThrow('centre_busy')
    central.instead = null
    expect(central.uploads.get(proofId)?.state.offset).toBeGreaterThan(0)
    const path = join(rig.dataDir, 'outbox', `${proofId}.sealed`)
    const spoiled = spoil(readFileSync(path))
    if (spoiled) writeFileSync(path, spoiled)
    else rmSync(path)
    expect(await rig.pass()).toEqual({ settled: 1, parked: 0 })
    expect(central.taken).toEqual([proofId])
  })
})

describe('an identity that is erased before its proof was sent', () => {
  test('has its number accounted for, and no packet leaves', async () => {
    await rig.join(central)
    const { proofId, sequence } = await rig.seal(2_000)
    rig.store.outbox.withdraw(sequence)
    expect(await rig.pass()).toEqual({ settled: 1, parked: 0 })
    expect(rig.logged).toEqual(['a withdrawn or lost proof is not sent'])
    expect(central.uploads.get(proofId)?.announcement.packet).toBeNull()
    expect(rig.store.outbox.findByProof(proofId)).toMatchObject({ state: 'WITHDRAWN', packet: null })
    expect(rig.store.outbox.findByProof(proofId)?.receipt).not.toBeNull()
    expect(rig.store.outbox.summary().backlog).toBe(0)
  })

  test('in the middle of the upload: no further chunk leaves, and the packet is removed', async () => {
    await rig.join(central)
    const { proofId, sequence } = await rig.seal(60_000)
    let chunks = 0
    central.instead = ({ method }) => {
      if (method === 'PATCH' && ++chunks === 2) rig.store.outbox.withdraw(sequence)
      return null
    }
    expect(await rig.pass()).toEqual({ settled: 1, parked: 0 })
    expect(chunks).toBe(2)
    expect(central.uploads.get(proofId)?.state.state).toBe('WITHDRAWN')
    expect(central.taken).toEqual([])
    expect(rig.packetFiles()).toEqual([])
  })

  test('when it was stored there already without a receipt here: the receipt settles the number, as withdrawn here', async () => {
    await rig.join(central)
    const { proofId, sequence } = await rig.seal(2_000)
    central.instead = ({ route }) => {
      if (route.endsWith('/completion')) rig.store.outbox.withdraw(sequence)
      return null
    }
    await rig.pass()
    expect(central.taken).toEqual([proofId])
    expect(rig.store.outbox.findByProof(proofId)).toMatchObject({ state: 'WITHDRAWN' })
    expect(rig.store.outbox.findByProof(proofId)?.receipt).not.toBeNull()
    expect(rig.store.events.after(0, 100).map(({ type }) => type)).not.toContain('outbox.acknowledged')
  })
})

describe('answers that say no', () => {
  test.each([
    ['busy', 429, {}, 'centre_busy'],
    ['a gateway without a central service', 502, {}, 'centre_busy'],
    ['a portal that wants a login', 200, { 'content-type': 'text/html' }, 'not_the_centre'],
    ['a portal that forbids', 403, { 'content-type': 'text/html' }, 'not_the_centre'],
    ['a redirection', 302, { location: 'http://127.0.0.1:1/' }, 'not_the_centre'],
  ])('%s: everything waits, and no proof is parked for it', async (_, status, headers, error) => {
    await rig.join(central)
    await rig.seal(2_000)
    central.instead = () => ({ status, headers, body: '<html>' })
    await expect(rig.pass()).rejects.toMatchObject({ trouble: 'line', code: error })
    expect(rig.store.outbox.summary()).toMatchObject({ backlog: 1, parked: 0 })
    expect(central.requests.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  })

  test('a kiosk that was revoked parks nothing: everything waits for the head office', async () => {
    await rig.join(central)
    await rig.seal(2_000)
    const headers = { 'content-type': 'application/problem+json' }
    central.instead = () => ({
      status: 401,
      headers,
      body: { type: 'urn:counterproof:problem:unauthorized' },
    })
    await expect(rig.pass()).rejects.toMatchObject({ trouble: 'kiosk', code: 'unauthorized' })
    expect(rig.store.outbox.summary()).toMatchObject({ backlog: 1, parked: 0 })
  })

  test('a fault over one proof keeps that one waiting and sends the others', async () => {
    await rig.join(central)
    const bad = await rig.seal(2_000)
    const good = await rig.seal(2_000)
    const headers = { 'content-type': 'application/problem+json', 'retry-after': '120' }
    central.instead = ({ route }) =>
      route.startsWith(`/proofs/${bad.proofId}`)
        ? { status: 500, headers, body: { type: 'urn:counterproof:problem:internal' } }
        : null
    expect(await rig.pass()).toEqual({ settled: 1, parked: 0 })
    expect(central.taken).toEqual([good.proofId])
    const waiting = rig.store.outbox.findByProof(bad.proofId)
    expect(waiting).toMatchObject({ attempts: 1, lastError: 'internal' })
    expect((waiting?.nextTryAt.getTime() ?? 0) - Date.now()).toBeGreaterThan(115_000)
  })
})
