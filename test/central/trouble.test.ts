/** A database that takes nothing, callers that trickle, instances that die: what the centre does with what was under way. */
import { request, type ClientRequest } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../server/central/db/db.ts'
import { KIOSK_API, OFFSET_HEADER } from '../../server/protocol/wire.ts'
import { signRequest } from '../../server/protocol/request-signature.ts'
import { countLargeObjects, joinedKiosk, startCentre, type TestCentre } from '../support/central.ts'
import { CENTRE_DATABASES } from '../support/centre-databases.ts'
import type { PreparedProof, TestKiosk } from '../support/kiosk-client.ts'
import type { TestPostgres } from '../support/postgres.ts'

describe.each(CENTRE_DATABASES)('on $name', ({ reason, start }) => {
  let centre: TestCentre
  let postgres: TestPostgres | null = null

  beforeAll(async () => {
    if (reason !== null) return
    postgres = await start()
    const databaseUrl = postgres?.createDatabase()
    centre = await startCentre(databaseUrl ? { databaseUrl } : {})
  })
  afterAll(async () => {
    await centre?.stop()
    postgres?.close()
  })

  describe.skipIf(reason !== null)(`the centre${reason === null ? '' : ` (${reason})`}`, () => {
    test.each([
      ['its disk is full', '53100'],
      ['it is out of memory', '53200'],
      ['its disk fails', '58030'],
      ['it takes no writes', '25006'],
    ])(
      'says that it is away while PostgreSQL says that %s, and takes the proof afterwards',
      async (_why, state) => {
        const kiosk = await joinedKiosk(centre)
        const proof = await kiosk.makeProof()
        const { proofId } = proof.announcement
        await kiosk.announce(proof.announcement)
        await kiosk.chunk(proofId, 0, proof.packet)
        await centre.db.asOwner((queries) =>
          queries.script(`
          CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${state}'; END $$;
          CREATE TRIGGER fails BEFORE INSERT ON proofs FOR EACH ROW EXECUTE FUNCTION fails()`),
        )
        const answer = await kiosk.call('POST', `/proofs/${proofId}/completion`)
        expect(answer).toMatchObject({ status: 503, body: { title: 'centre_unavailable' } })
        await centre.db.asOwner((queries) =>
          queries.script('DROP TRIGGER fails ON proofs; DROP FUNCTION fails()'),
        )
        expect((await kiosk.complete(proofId)).state).toBe('STORED')
      },
    )

    test('holds no connection of its pool for callers whose bytes trickle', async () => {
      const [slow, quick] = [await joinedKiosk(centre), await joinedKiosk(centre)]
      const trickling: ClientRequest[] = []
      for (let index = 0; index < 30; index++) trickling.push(await trickle(slow, await slow.makeProof()))
      await wait(200)
      expect(centre.db.connections()?.waiting ?? 0).toBe(0)
      const begun = performance.now()
      expect((await quick.deliver(await quick.makeProof())).state).toBe('STORED')
      expect(performance.now() - begun).toBeLessThan(5_000)
      for (const call of trickling) call.destroy()
    })

    test('keeps no packet without a row, and no row without a packet', async () => {
      const kiosk = await joinedKiosk(centre)
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
      await centre.upkeep.run()
      const [row] = await centre.db.query<{ n: number }>(
        SYSTEM,
        'SELECT (SELECT count(*) FROM proofs) + (SELECT count(*) FROM uploads) AS n',
      )
      expect(await countLargeObjects(centre)).toBe(row?.n)
    })
  })
})

/** A signed chunk whose headers are all there, and of whose bytes one came. */
async function trickle(kiosk: TestKiosk, { announcement, packet }: PreparedProof): Promise<ClientRequest> {
  await kiosk.announce(announcement)
  const path = `${KIOSK_API}/proofs/${announcement.proofId}`
  const signed = { method: 'PATCH', path, body: packet, centreId: kiosk.trust.centreId }
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
