/** The figures of the proofs: counted by the upkeep, and read for a tenant or a kiosk. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectFigures } from '../../../server/proof/verify/figures.ts'
import { SYSTEM } from '../../../server/central/db/db.ts'
import { joinedKiosk } from '../../support/central.ts'
import { aProofInput } from '../../server/proof/fixture.ts'
import { addKey, startOffice, type TestOffice } from './support.ts'

const verification = (raisedIndicators: readonly string[], seconds: number) => ({
  startDateTime: '2026-11-20T10:00:00.000',
  endDateTime: `2026-11-20T10:00:0${seconds}.000`,
  sessionCreationTime: '2026-11-20T10:00:00.000',
  raisedIndicators,
})

describe('the figures of a central service', () => {
  let office: TestOffice
  let key: string

  beforeAll(async () => {
    office = await startOffice()
  })
  afterAll(() => office.stop())

  test('count each stored proof once, with level, failed checks and times, for the tenant and its kiosk', async () => {
    const kiosks = [await joinedKiosk(office), await joinedKiosk(office)]
    key = await addKey(office, 'acme', ['fleet:read'])
    const [consent, document, portrait] = aProofInput().verificationAndEvaluationDetails as readonly object[]
    const withChecks = {
      verificationAndEvaluationDetails: [
        consent,
        {
          ...document,
          verificationDetails: [verification(['EXPIRY_KO', 'MRZ_OK'], 2), verification(['EXPIRY_KO'], 1)],
        },
        portrait,
      ],
    } as never
    const proof = await kiosks[0]?.makeProof({ input: withChecks })
    if (!proof) throw new TypeError('no proof')
    for (let times = 0; times < 2; times++) expect((await kiosks[0]?.deliver(proof))?.state).toBe('STORED')
    const other = await kiosks[1]?.makeProof()
    if (other) await kiosks[1]?.deliver(other)

    await office.upkeep.run()
    const today = new Date().toISOString().slice(0, 10)
    const own = await office.call(key, 'GET', `/figures?days=1&kioskId=${kiosks[0]?.kioskId}`)
    expect(own.body).toEqual({
      from: today,
      to: today,
      proofs: 1,
      tests: 0,
      levels: [{ level: 'LOA2', test: false, proofs: 1 }],
      delays: { minute: 1, tenMinutes: 0, hour: 0, day: 0, later: 0 },
      averageDurationMs: 192_345,
      failures: [{ indicator: 'EXPIRY_KO', proofs: 1 }],
      steps: [{ step: 'ID_DOCUMENT_CAPTURE', proofs: 1, averageMs: 3000 }],
      days: [{ day: today, proofs: 1 }],
    })
    const all = await office.call(key, 'GET', '/figures?days=30')
    expect(all.body).toMatchObject({ proofs: 2, failures: [{ indicator: 'EXPIRY_KO', proofs: 1 }] })
    expect((await office.call(key, 'GET', '/figures.csv')).text).toContain(
      `"${today}","LOA2","no",2,2,0,0,0,0\r\n`,
    )
    await office.upkeep.run()
    expect((await office.call(key, 'GET', '/figures?days=30')).body).toMatchObject({ proofs: 2 })
  })

  test('are of the tenant of the caller', async () => {
    const foreign = await joinedKiosk(office, 'other')
    const proof = await foreign.makeProof()
    await foreign.deliver(proof)
    await office.upkeep.run()
    expect((await office.call(key, 'GET', `/figures?kioskId=${foreign.kioskId}`)).status).toBe(404)
    expect((await office.call(key, 'GET', '/figures')).body).toMatchObject({ proofs: 2 })
  })

  test('of old days are removed with the first proof of a day', async () => {
    const kiosk = await joinedKiosk(office, 'third')
    for (let times = 0; times < 2; times++) {
      await kiosk.deliver(await kiosk.makeProof())
      await office.upkeep.run()
      if (times === 0)
        await office.context.db.query(
          SYSTEM,
          `UPDATE proof_figures SET day = day - 91 WHERE tenant_id = 'third'`,
        )
    }
    const left = await office.context.db.query(
      SYSTEM,
      `SELECT proofs, day > current_date - 3 AS "isNew" FROM proof_figures WHERE tenant_id = 'third'`,
    )
    const row = { proofs: 1, isNew: true }
    expect(left).toEqual([row, row])
  })
})

test('a hostile archive adds no value, no unbounded list and no wrong time to the figures', () => {
  const entry = (
    raisedIndicators: unknown,
    name = 'ID_DOCUMENT_CAPTURE',
    endDateTime = '2026-11-20T10:00:01.000',
  ) => ({
    identityOperation: { name, type: 'ADD' as const },
    participantContextId: 'x',
    progress: 'DONE' as const,
    startDateTime: '2026-11-20T10:00:00.000',
    verificationDetails: [{ ...verification([], 1), raisedIndicators, endDateTime }],
  })
  const times = { startDateTime: '2026-11-20T10:00:00.000', endDateTime: '2026-11-20T09:00:00.000' }
  expect(collectFigures(times, [entry('EXPIRY_KO'), entry([7, 'Ada Example_KO', 'x'.repeat(1e6)])])).toEqual({
    durationMs: 0,
    failures: [],
    steps: { ID_DOCUMENT_CAPTURE: 2000 },
  })
  const many = Array.from({ length: 1000 }, (_, at) =>
    entry([`C${at}_KO`], `STEP_${at}`, '9999-11-20T10:00:01.000'),
  )
  const { failures, steps } = collectFigures(times, many)
  expect([failures.length, Object.keys(steps).length, Math.max(...Object.values(steps))]).toEqual([
    20, 20, 604_800_000,
  ])
})
