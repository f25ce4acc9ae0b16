/** A proof on its way into the central service: in pieces, again, out of order, damaged, forged, or from two sides at once. */
import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../server/central/db/db.ts'
import { openKeys } from '../../server/central/keys.ts'
import { loadMasterKey } from '../../server/central/master-key.ts'
import { createKeySigner } from '../../server/proof/sign.ts'
import { readStatement } from '../../server/protocol/statements.ts'
import { OFFSET_HEADER } from '../../server/protocol/wire.ts'
import { CENTRAL_DATABASES } from '../support/central-databases.ts'
import {
  codeFor,
  countLargeObjects,
  joinedKiosk,
  openAlarms,
  startCentralService,
} from '../support/central.ts'
import type { TestCentralService } from '../support/central.ts'
import { enrolKiosk, sha256, type PreparedProof, type TestKiosk } from '../support/kiosk-client.ts'
import { measureMaxBlockMs } from '../../server/tools/bench/fuzz/event-loop.ts'
import type { TestPostgres } from '../support/postgres.ts'
import { flip } from '../server/proof/fixture.ts'

const stranger = createKeySigner(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
const json = (value: unknown) => Buffer.from(JSON.stringify(value))

describe.each(CENTRAL_DATABASES)('on $name', ({ name, reason, start }) => {
  let central: TestCentralService
  let postgres: TestPostgres | null = null
  let databaseUrl: string | undefined

  beforeAll(async () => {
    if (reason !== null) return
    postgres = await start()
    databaseUrl = postgres?.createDatabase()
    central = await startCentralService({ ...(databaseUrl ? { databaseUrl } : {}) })
  })
  afterAll(async () => {
    await central?.stop()
    postgres?.close()
  })
  const proofsOf = async (kiosk: TestKiosk) =>
    central.db.query<{ proof_id: string; sequence: number; feed_position: number; receipt: string }>(
      SYSTEM,
      'SELECT proof_id, sequence, feed_position, receipt FROM proofs WHERE kiosk_id = $1 ORDER BY sequence',
      [kiosk.kioskId],
    )
  const upload = async (kiosk: TestKiosk, { announcement, packet }: PreparedProof) => {
    await kiosk.announce(announcement)
    return kiosk.chunk(announcement.proofId, 0, packet)
  }

  describe.skipIf(reason !== null)(`a proof${reason === null ? '' : ` (${reason})`}`, () => {
    test('is acknowledged by a receipt that the kiosk can check, once it is stored and verified', async () => {
      const kiosk = await joinedKiosk(central)
      const proof = await kiosk.makeProof({ pictureBytes: 300_000 })
      const { proofId, sequence, sha256: archiveHash } = proof.announcement
      const state = await kiosk.deliver(proof, 100_000)
      const receipt = await readStatement('receipt', state.receipt ?? '', kiosk.trust.statementKeys.keys)
      expect(receipt).toMatchObject({
        kioskId: kiosk.kioskId,
        proofId,
        sequence,
        sha256: archiveHash,
        state: 'STORED',
      })
      expect(await openAlarms(central, kiosk.kioskId)).toEqual([])
    })

    test('arrives whole when chunks come twice, late, over one another and out of order', async () => {
      const kiosk = await joinedKiosk(central)
      const proof = await kiosk.makeProof({ pictureBytes: 20_000 })
      const { announcement, packet } = proof
      const { proofId } = announcement
      const piece = (from: number, to: number) => kiosk.chunk(proofId, from, packet.subarray(from, to))
      expect(await kiosk.announce(announcement)).toEqual({ state: 'RECEIVING', offset: 0 })
      expect(await piece(5_000, 9_000)).toEqual({ state: 'RECEIVING', offset: 0 })
      expect(await piece(0, 8_000)).toEqual({ state: 'RECEIVING', offset: 8_000 })
      expect(await piece(0, 8_000)).toEqual({ state: 'RECEIVING', offset: 8_000 })
      expect(await piece(6_000, 12_000)).toEqual({ state: 'RECEIVING', offset: 8_000 })
      expect(await kiosk.announce(announcement)).toEqual({ state: 'RECEIVING', offset: 8_000 })
      expect(await kiosk.complete(proofId)).toEqual({ state: 'RECEIVING', offset: 8_000 })
      const [first, second] = await Promise.all([piece(8_000, 16_000), piece(8_000, 16_000)])
      expect([first.offset, second.offset]).toEqual([16_000, 16_000])
      await piece(16_000, packet.length)
      expect((await kiosk.complete(proofId)).state).toBe('STORED')
    })

    test('is stored once, with one receipt, however often and from however many sides it is completed', async () => {
      const kiosk = await joinedKiosk(central)
      const other = databaseUrl ? await startCentralService({ databaseUrl, dataDir: central.dataDir }) : null
      const twin = Object.assign(Object.create(kiosk) as TestKiosk, kiosk)
      const proof = await kiosk.makeProof({ pictureBytes: 500_000 })
      await upload(kiosk, proof)
      const path = `/proofs/${proof.announcement.proofId}/completion`
      const answers = await Promise.all(
        [0, 1, 2, 3, 4, 5].map((index) => {
          kiosk.url = other && index % 2 === 1 ? other.url : central.url
          return kiosk.call('POST', path)
        }),
      )
      kiosk.url = central.url
      const again = await twin.deliver(proof)
      const receipts = [...answers.map(({ body }) => (body as { receipt: string }).receipt), again.receipt]
      expect(new Set(receipts).size).toBe(1)
      expect(await proofsOf(kiosk)).toHaveLength(1)
      await other?.close()
    })

    test('that changes after it was announced is a conflict and raises an alarm; the first one stays', async () => {
      const kiosk = await joinedKiosk(central)
      const proof = await kiosk.makeProof()
      const { announcement } = proof
      await kiosk.announce(announcement)
      const put = (changes: object) =>
        kiosk.call('PUT', `/proofs/${announcement.proofId}`, json({ ...announcement, ...changes }))
      for (const changes of [
        { sha256: 'f'.repeat(64) },
        { identityId: kiosk.kioskId },
        { sequence: 7 },
        { hash: '0'.repeat(64) },
        { sealedAt: announcement.sealedAt + 1 },
      ]) {
        expect((await put(changes)).status).toBe(409)
      }
      expect(await openAlarms(central, kiosk.kioskId)).toEqual([`CONFLICT ${announcement.proofId}`])
      expect((await kiosk.deliver(proof)).state).toBe('STORED')
      expect((await put({ sha256: 'f'.repeat(64) })).status).toBe(409)
    })

    test('of another kiosk cannot be announced, sent, completed or seen', async () => {
      const [kiosk, thief] = [await joinedKiosk(central), await joinedKiosk(central, 'other')]
      const proof = await kiosk.makeProof()
      const { proofId } = proof.announcement
      await kiosk.announce(proof.announcement)
      const body = json({ ...proof.announcement, sequence: 1 })
      expect((await thief.call('PUT', `/proofs/${proofId}`, body)).status).toBe(409)
      expect(
        (await thief.call('PATCH', `/proofs/${proofId}`, proof.packet, { [OFFSET_HEADER]: '0' })).status,
      ).toBe(404)
      expect((await thief.call('POST', `/proofs/${proofId}/completion`)).status).toBe(404)
      expect((await kiosk.deliver(proof)).state).toBe('STORED')
    })

    test('may be packed again until it is stored: another packet starts at offset 0', async () => {
      const kiosk = await joinedKiosk(central)
      const proof = await kiosk.makeProof()
      const before = await countLargeObjects(central)
      await upload(kiosk, proof)
      const anew = await kiosk.repack(proof)
      expect(await kiosk.announce(anew.announcement)).toEqual({ state: 'RECEIVING', offset: 0 })
      const { receipt } = await kiosk.deliver(anew)
      expect(await countLargeObjects(central)).toBe(before + 1)
      expect(await kiosk.announce((await kiosk.repack(proof)).announcement)).toMatchObject({
        state: 'STORED',
        receipt,
      })
    })

    test('that the kiosk has lost is an alarm and no withdrawal; its number is accounted for', async () => {
      const kiosk = await joinedKiosk(central)
      const { announcement } = await kiosk.makeProof()
      await kiosk.announce(announcement)
      const lost = { ...announcement, packet: null, lost: true as const }
      const answer = await kiosk.announce(lost)
      expect(answer).toMatchObject({ state: 'LOST', offset: 0 })
      // Again, and as a withdrawal: it stays lost, and is one alarm.
      expect(await kiosk.announce(lost)).toEqual(answer)
      expect(await kiosk.announce({ ...announcement, packet: null })).toEqual(answer)
      expect(await openAlarms(central, kiosk.kioskId)).toEqual([`LOST ${announcement.proofId}`])
      expect((await kiosk.deliver(await kiosk.makeProof())).state).toBe('STORED')
      expect(await openAlarms(central, kiosk.kioskId)).toEqual([`LOST ${announcement.proofId}`])
    })

    test('that is stored stays stored when the kiosk says that it lost its own; the alarm says so', async () => {
      const kiosk = await joinedKiosk(central)
      const proof = await kiosk.makeProof()
      const { announcement } = proof
      const { receipt } = await kiosk.deliver(proof)
      const answer = await kiosk.announce({ ...announcement, packet: null, lost: true })
      expect(answer).toMatchObject({ state: 'STORED', receipt })
      expect(await proofsOf(kiosk)).toHaveLength(1)
      const [alarm] = await central.db.query<{ kind: string; details: { stored: boolean } }>(
        SYSTEM,
        'SELECT kind, details FROM alarms WHERE kiosk_id = $1',
        [kiosk.kioskId],
      )
      expect(alarm).toMatchObject({ kind: 'LOST', details: { stored: true } })
    })

    // PGlite computes in this process: a packet of this size takes it minutes.
    test.skipIf(name === 'PGlite')('of any size is verified without holding up the event loop', async () => {
      const kiosk = await joinedKiosk(central)
      const proof = await kiosk.makeProof({ pictureBytes: 40_000_000 })
      const { proofId } = proof.announcement
      await kiosk.announce(proof.announcement)
      for (let at = 0; at < proof.packet.length; at += 4_000_000) {
        await kiosk.chunk(proofId, at, proof.packet.subarray(at, at + 4_000_000))
      }
      await kiosk.deliver(await kiosk.makeProof()) // a verification thread has started
      const block = await measureMaxBlockMs(async () => {
        expect((await kiosk.complete(proofId)).state).toBe('STORED')
      })
      expect(block).toBeLessThan(50)
    })

    test('whose packet is larger than announced, or than is taken here, is not received', async () => {
      const kiosk = await joinedKiosk(central)
      const { announcement, packet } = await kiosk.makeProof()
      const path = `/proofs/${announcement.proofId}`
      const tooLarge = { ...announcement, packet: { ...announcement.packet, bytes: 2 ** 40 } }
      expect((await kiosk.call('PUT', path, json(tooLarge))).status).toBe(400)
      await kiosk.announce(announcement)
      const longer = Buffer.concat([packet, Buffer.from('x')])
      expect((await kiosk.call('PATCH', path, longer, { [OFFSET_HEADER]: '0' })).status).toBe(400)
      const chunk = Buffer.alloc(4 * 1024 * 1024 + 1)
      expect((await kiosk.call('PATCH', path, chunk, { [OFFSET_HEADER]: '0' })).status).toBe(413)
      expect((await kiosk.call('PATCH', path, packet)).status).toBe(400)
    })
  })

  describe.skipIf(reason !== null)('a proof that does not verify is never acknowledged', () => {
    const cases: readonly (readonly [string, (kiosk: TestKiosk) => Promise<PreparedProof>, string])[] = [
      [
        "is signed by an attacker's own key",
        (kiosk) => kiosk.makeProof({ signer: stranger }),
        'signature_invalid',
      ],
      [
        'had a picture altered',
        (kiosk) =>
          kiosk.makeProof({
            tamper: (archive) => Buffer.from(flip(archive, archive.indexOf('passport bytes'))),
          }),
        'hash_mismatch',
      ],
      [
        'was cut',
        (kiosk) => kiosk.makeProof({ tamper: (archive) => archive.subarray(0, -100) }),
        'archive_unreadable',
      ],
      [
        'is no archive',
        (kiosk) => kiosk.makeProof({ tamper: () => Buffer.from('not a zip') }),
        'archive_unreadable',
      ],
      [
        'was packed for another kiosk',
        (kiosk) => kiosk.makeProof({ facts: { kioskId: '01990000-0000-7000-8000-0000000000ff' } }),
        'packet_of_another_proof',
      ],
      [
        'is another archive than announced',
        async (kiosk) => {
          const proof = await kiosk.makeProof()
          const other = await kiosk.makeProof()
          const packed = await kiosk.repack({ ...proof, archive: other.archive })
          return { ...packed, announcement: { ...packed.announcement, sequence: 1 } }
        },
        'archive_hash_mismatch',
      ],
      [
        'bears another proof id than announced',
        async (kiosk) => {
          const proof = await kiosk.makeProof({ input: { proofId: '01990000-0000-7000-8000-0000000000aa' } })
          const proofId = crypto.randomUUID()
          return kiosk.repack({ ...proof, announcement: { ...proof.announcement, proofId } })
        },
        'proof_id_mismatch',
      ],
      [
        'is about another identity than announced',
        async (kiosk) => {
          const proof = await kiosk.makeProof()
          return { ...proof, announcement: { ...proof.announcement, identityId: crypto.randomUUID() } }
        },
        'identity_id_mismatch',
      ],
      [
        'came in a packet that was altered on the way',
        async (kiosk) => {
          const proof = await kiosk.makeProof()
          return { ...proof, packet: Buffer.from(flip(proof.packet, proof.packet.length - 40)) }
        },
        'packet_damaged',
      ],
      [
        'came in a packet for another central service',
        async (kiosk) => {
          const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
          const keys = [{ ...publicKey.export({ format: 'jwk' }), kty: 'EC' }]
          return kiosk.repack(await kiosk.makeProof(), { ...kiosk.trust, packetKeys: { keys } })
        },
        'packet_unreadable',
      ],
      [
        'bears the name of another tenant of this central service',
        (kiosk) => kiosk.makeProof({ input: { tenantId: 'other' } }),
        'tenant_mismatch',
      ],
    ]
    test.each(cases)('when it %s', async (_, make, problem) => {
      await codeFor(central, 'other')
      const kiosk = await joinedKiosk(central)
      const proof = await make(kiosk)
      const { proofId, sequence } = proof.announcement
      const state = await kiosk.deliver(proof)
      expect(state).toMatchObject({ state: 'REFUSED' })
      expect(state.problems).toContain(problem)
      expect(state.receipt).toBeUndefined()
      expect(await kiosk.complete(proofId)).toEqual(state)
      expect(await proofsOf(kiosk)).toEqual([])
      expect(await openAlarms(central, kiosk.kioskId)).toEqual([`REFUSED ${proofId}`])
      expect(sequence).toBe(1)
    })

    test('when it names another tenant in a packet under a key that another instance has made since', async () => {
      await codeFor(central, 'other')
      const kiosk = await joinedKiosk(central)
      const masterKey = loadMasterKey(central.context.config.masterKeyFile)
      const elsewhere = await openKeys(central.db, masterKey)
      await elsewhere.rotate('PACKET', new Date(), async () => undefined)
      const proof = await kiosk.makeProof({ input: { tenantId: 'other' } })
      const repacked = await kiosk.repack(proof, elsewhere.current().trust)
      expect(await kiosk.deliver(repacked)).toMatchObject({ state: 'REFUSED', problems: ['tenant_mismatch'] })
      expect(await proofsOf(kiosk)).toEqual([])
    })

    test('and is judged again when the kiosk has told of the key that signed it', async () => {
      const kiosk = await joinedKiosk(central)
      const proof = await kiosk.makeProof({ signer: stranger })
      expect((await kiosk.deliver(proof)).state).toBe('REFUSED')
      expect((await kiosk.deliver(proof)).state).toBe('REFUSED')
      await kiosk.status({ proofKeys: { keys: [{ kty: 'RSA', ...(await stranger.publicJwk()) }] } })
      expect((await kiosk.deliver(proof)).state).toBe('STORED')
      expect(await openAlarms(central, kiosk.kioskId)).toEqual([])
    })
  })

  describe.skipIf(reason !== null)('the sequence of a kiosk', () => {
    test('shows a missing number once the grace is over, and is whole when it came or was withdrawn', async () => {
      const clock = { at: new Date(), now: () => clock.at }
      const url = postgres?.createDatabase()
      const own = await startCentralService({ clock, ...(url ? { databaseUrl: url } : {}) })
      const kiosk = await joinedKiosk(own)
      const proofs = [
        await kiosk.makeProof(),
        await kiosk.makeProof(),
        await kiosk.makeProof(),
        await kiosk.makeProof(),
      ]
      await kiosk.deliver(proofs[0])
      await kiosk.deliver(proofs[3])
      await own.upkeep.run()
      expect(await openAlarms(own, kiosk.kioskId)).toEqual([])
      clock.at = new Date(clock.at.getTime() + 601_000)
      await own.upkeep.run()
      expect(await openAlarms(own, kiosk.kioskId)).toEqual(['GAP'])
      const [alarm] = await own.db.query<{ details: unknown }>(
        SYSTEM,
        "SELECT details FROM alarms WHERE kind = 'GAP'",
      )
      expect(alarm?.details).toEqual({ ranges: ['2-3'], from: 2, to: 4 })
      await kiosk.deliver(proofs[2])
      expect(await openAlarms(own, kiosk.kioskId)).toEqual(['GAP'])
      const withdrawal = { ...proofs[1].announcement, packet: null }
      const state = await kiosk.announce(withdrawal)
      const receipt = await readStatement('receipt', state.receipt ?? '', kiosk.trust.statementKeys.keys)
      expect(receipt).toMatchObject({ state: 'WITHDRAWN', sequence: 2 })
      expect(await openAlarms(own, kiosk.kioskId)).toEqual([])
      expect(await kiosk.announce(withdrawal)).toEqual(state)
      expect(await kiosk.deliver(proofs[1])).toEqual(state)
      await own.stop()
    })

    test('names an entry that does not continue the one before it, also when that one comes later', async () => {
      const kiosk = await joinedKiosk(central)
      const [first, second, third] = [
        await kiosk.makeProof(),
        await kiosk.makeProof(),
        await kiosk.makeProof(),
      ]
      const broken = {
        ...second,
        announcement: { ...second.announcement, hash: sha256(Buffer.from('other')) },
      }
      await kiosk.deliver(third)
      await kiosk.deliver(first)
      await kiosk.deliver(broken)
      expect(await openAlarms(central, kiosk.kioskId)).toEqual(['CLONE'])
      const fresh = await joinedKiosk(central)
      const begun = await fresh.makeProof()
      const other = { ...begun, announcement: { ...begun.announcement, previousHash: 'a'.repeat(64) } }
      await fresh.deliver(other)
      expect(await openAlarms(central, fresh.kioskId)).toEqual(['CHAIN_BROKEN 1'])
    })

    test('is a cursor that no reader misses a proof by: positions become visible in their order', async () => {
      const kiosks = await Promise.all([1, 2, 3, 4].map(() => joinedKiosk(central)))
      const seen: number[] = []
      let cursor = 0
      let isDone = false
      const reading = (async () => {
        for (;;) {
          // A question that was asked before the last delivery says nothing about it.
          const wasDone = isDone
          const rows = await central.db.query<{ feed_position: number }>(
            SYSTEM,
            'SELECT feed_position FROM proofs WHERE feed_position > $1 AND feed_position < (SELECT feed_horizon()) AND kiosk_id = ANY($2::uuid[]) ORDER BY feed_position',
            [cursor, kiosks.map(({ kioskId }) => kioskId)],
          )
          for (const { feed_position: position } of rows) {
            seen.push(position)
            cursor = position
          }
          if (wasDone && rows.length === 0) return
          await sleep(1)
        }
      })()
      await Promise.all(
        kiosks.map(async (kiosk) => {
          for (let n = 0; n < 3; n++) await kiosk.deliver(await kiosk.makeProof())
        }),
      )
      isDone = true
      await reading
      expect(seen).toHaveLength(12)
    })
  })

  describe.skipIf(reason !== null)('a request', () => {
    test('without a signature, or with an invalid one, is refused', async () => {
      const [kiosk, other] = [await joinedKiosk(central), await joinedKiosk(central)]
      const { announcement } = await kiosk.makeProof()
      const path = `${central.url}/kiosk/v1/proofs/${announcement.proofId}`
      expect((await fetch(path, { method: 'PUT', body: json(announcement) })).status).toBe(401)
      const forged = await other.call('PUT', `/proofs/${announcement.proofId}`, json(announcement), {
        authorization: 'Counterproof eyJhbGciOiJub25lIn0.e30.',
      })
      expect(forged.status).toBe(401)
    })

    test('of a revoked kiosk is refused from that moment on', async () => {
      const kiosk = await enrolKiosk(central.url, await codeFor(central))
      const proof = await kiosk.makeProof()
      await upload(kiosk, proof)
      await central.db.query(SYSTEM, 'UPDATE kiosks SET revoked_at = now() WHERE id = $1', [kiosk.kioskId])
      expect((await kiosk.call('POST', `/proofs/${proof.announcement.proofId}/completion`)).status).toBe(401)
      expect(await proofsOf(kiosk)).toEqual([])
    })
  })
})
