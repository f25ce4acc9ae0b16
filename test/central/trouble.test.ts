/** A database that takes nothing, callers that trickle, instances that die: what the central service does with what was under way. */
import { request, type ClientRequest } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../server/central/db/db.ts'
import { KIOSK_API, OFFSET_HEADER } from '../../server/protocol/wire.ts'
import { signRequest } from '../../server/protocol/request-signature.ts'
import {
  countLargeObjects,
  joinedKiosk,
  startCentralService,
  type TestCentralService,
} from '../support/central.ts'
import { CENTRAL_DATABASES } from '../support/central-databases.ts'
import type { PreparedProof, TestKiosk } from '../support/kiosk-client.ts'
import type { TestPostgres } from '../support/postgres.ts'

describe.each(CENTRAL_DATABASES)('on $name', ({ reason, start }) => {
  let central: TestCentralService
  let postgres: TestPostgres | null = null

  beforeAll(async () => {
    if (reason !== null) return
    postgres = await start()
    const databaseUrl = postgres?.createDatabase()
    const config = { unfinishedUploads: 50 }
    central = await startCentralService({ config, ...(databaseUrl ? { databaseUrl } : {}) })
  })
  afterAll(async () => {
    await central?.stop()
    postgres?.close()
  })

  describe.skipIf(reason !== null)(`the central service${reason === null ? '' : ` (${reason})`}`, () => {
    test.each([
      ['its disk is full', '53100'],
      ['it is out of memory', '53200'],
      ['its disk fails', '58030'],
      ['it takes no writes', '25006'],
    ])(
      'says that it is away while PostgreSQL says that %s, and takes the proof afterwards',
      async (_why, state) => {
        const kiosk = await joinedKiosk(central)
        const proof = await kiosk.makeProof()
        const { proofId } = proof.announcement
        await kiosk.announce(proof.announcement)
        await kiosk.chunk(proofId, 0, proof.packet)
        await central.db.asOwner((queries) =>
          queries.script(`
          CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${state}'; END $$;
          CREATE TRIGGER fails BEFORE INSERT ON proofs FOR EACH ROW EXECUTE FUNCTION fails()`),
        )
        const answer = await kiosk.call('POST', `/proofs/${proofId}/completion`)
        expect(answer).toMatchObject({
          status: 503,
          body: { type: 'urn:counterproof:problem:centre_unavailable' },
        })
        await central.db.asOwner((queries) =>
          queries.script('DROP TRIGGER fails ON proofs; DROP FUNCTION fails()'),
        )
        expect((await kiosk.complete(proofId)).state).toBe('STORED')
      },
    )

    test('holds no connection of its pool for callers whose bytes trickle', async () => {
      const [slow, quick] = [await joinedKiosk(central), await joinedKiosk(central)]
      const trickling: ClientRequest[] = []
      for (let index = 0; index < 30; index++) trickling.push(await trickle(slow, await slow.makeProof()))
      await wait(200)
      expect(central.db.connections()?.waiting ?? 0).toBe(0)
      const begun = performance.now()
      expect((await quick.deliver(await quick.makeProof())).state).toBe('STORED')
      expect(performance.now() - begun).toBeLessThan(60_000)
      for (const call of trickling) call.destroy()
    })

    test('spends nothing per proof on a number that is missing since long, and finds its place when it comes', async () => {
      const kiosk = await joinedKiosk(central)
      const first = await kiosk.makeProof()
      const [second, third] = [await kiosk.makeProof(), await kiosk.makeProof()]
      await kiosk.deliver(second)
      const old = new Date(Date.now() - 86_400_000)
      await central.db.query(SYSTEM, 'UPDATE kiosks SET gap_since = $2 WHERE id = $1', [kiosk.kioskId, old])
      await central.upkeep.run()
      const raised = () =>
        central.db.query(
          SYSTEM,
          'SELECT times, details FROM alarms WHERE kiosk_id = $1 AND resolved_at IS NULL',
          [kiosk.kioskId],
        )
      const before = await raised()
      expect(before).toMatchObject([{ details: { ranges: ['1'] } }])
      await kiosk.deliver(third)
      expect(await raised()).toEqual(before)
      await fillAfter(central, kiosk.kioskId, 3, 20_000)
      await kiosk.deliver(first)
      expect(await raised()).toEqual([])
      const [place] = await central.db.query(SYSTEM, 'SELECT contiguous_sequence FROM kiosks WHERE id = $1', [
        kiosk.kioskId,
      ])
      expect(place).toEqual({ contiguous_sequence: 20_003 })
    })

    test('keeps no packet without a row, and no row without a packet', async () => {
      const kiosk = await joinedKiosk(central)
      const [cut, replaced, withdrawn] = [
        await kiosk.makeProof(),
        await kiosk.makeProof(),
        await kiosk.makeProof(),
      ]
      for (const { announcement, packet } of [cut, replaced, withdrawn]) {
        await kiosk.announce(announcement)
        await kiosk.chunk(announcement.proofId, 0, packet.subarray(0, 500))
      }
      await kiosk.deliver(await kiosk.repack(replaced))
      await kiosk.announce({ ...withdrawn.announcement, packet: null })
      await central.upkeep.run()
      const [row] = await central.db.query<{ n: number }>(
        SYSTEM,
        'SELECT (SELECT count(*) FROM proofs) + (SELECT count(*) FROM uploads) AS n',
      )
      expect(await countLargeObjects(central)).toBe(row?.n)
    })
  })
})

/** Rows as of withdrawn proofs, which need no packet. */
async function fillAfter(
  central: TestCentralService,
  kioskId: string,
  after: number,
  count: number,
): Promise<void> {
  await central.db.query(
    SYSTEM,
    `INSERT INTO withdrawn (proof_id, tenant_id, kiosk_id, sequence, identity_id, sha256, previous_hash, hash, sealed_at,
       withdrawn_at, receipt)
     SELECT gen_random_uuid(), 'acme', $1, $2::bigint + n, gen_random_uuid(), repeat('0', 64), repeat('0', 64),
       repeat('0', 64), now(), now(), 'filler' FROM generate_series(1, $3::int) AS n`,
    [kioskId, after, count],
  )
  await central.db.query(SYSTEM, 'UPDATE kiosks SET last_sequence = $2 WHERE id = $1', [
    kioskId,
    after + count,
  ])
}

/** A signed chunk whose headers are all there, and of whose bytes one came. */
async function trickle(kiosk: TestKiosk, { announcement, packet }: PreparedProof): Promise<ClientRequest> {
  await kiosk.announce(announcement)
  const path = `${KIOSK_API}/proofs/${announcement.proofId}`
  const { centreId } = kiosk.trust
  const signed = { method: 'PATCH', path, body: packet, centreId, nonce: await kiosk.nonce() }
  const call = request(kiosk.url + path, {
    method: 'PATCH',
    headers: {
      authorization: await signRequest(signed, kiosk, new Date()),
      'content-length': packet.length,
      [OFFSET_HEADER]: '0',
    },
  })
  call.on('error', () => undefined)
  call.write(packet.subarray(0, 1))
  return call
}
