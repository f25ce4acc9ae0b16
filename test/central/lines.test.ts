/** Two machines use the identity of one kiosk: the proofs of both are kept, and an operator decides which history continues. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { v7 as uuidv7 } from 'uuid'
import { runAction } from '../../server/central/admin/actions.ts'
import { SYSTEM } from '../../server/central/db/db.ts'
import { chooseLine } from '../../server/central/kiosks/lines.ts'
import { mustStop } from '../../server/central/kiosks/take-status.ts'
import { readStatement } from '../../server/protocol/statements.ts'
import { RevokedAnswerSchema } from '../../server/protocol/wire.ts'
import { makeKioskKey } from '../../server/sync/kiosk-key.ts'
import {
  codeFor,
  joinedKiosk,
  openAlarms,
  startCentralService,
  type TestCentralService,
} from '../support/central.ts'
import { fixtureSigner, type PreparedProof, type TestKiosk } from '../support/kiosk-client.ts'
import { postgresReason, startPostgres, type TestPostgres } from '../support/postgres.ts'

const link = (line: number, sequence: number, hash: string, previousHash: string) => ({
  line,
  sequence,
  hash,
  previousHash,
})
const ALONE = {
  isTaken: false,
  before: null,
  after: null,
  continuesBackup: false,
  isRestored: false,
  others: [],
}

describe('an entry', () => {
  const entry = { sequence: 5, hash: 'e5', previousHash: 'e4' }
  const [fits, differs] = [link(0, 4, 'e4', 'e3'), link(0, 4, 'x4', 'e3')]

  test.each<[string, Partial<Parameters<typeof chooseLine>[1]>, number | 'new']>([
    ['without neighbours is on line 0', {}, 0],
    ['that continues line 0 is on it', { before: fits }, 0],
    ['whose number is taken begins a line', { isTaken: true, before: fits }, 'new'],
    ['that does not continue the one before it begins a line', { before: differs }, 'new'],
    ['that continues a restored backup is on line 0', { before: differs, continuesBackup: true }, 0],
    ['that the next one does not continue begins a line', { after: link(0, 6, 'x6', 'x5') }, 'new'],
    [
      'from before a restore that comes late is on line 0',
      { after: link(0, 6, 'x6', 'e3'), isRestored: true },
      0,
    ],
    ['that continues another line is on it', { isTaken: true, others: [link(2, 4, 'e4', 'e3')] }, 2],
    [
      'that continues another line is on it, whether or not its number is free',
      { others: [link(2, 4, 'e4', 'e3')] },
      2,
    ],
    [
      'beside another one that continues the same entry of a line begins a line',
      { others: [link(2, 4, 'e4', 'e3'), link(2, 5, 'x5', 'e4')] },
      'new',
    ],
    ['that another line continues is on it', { isTaken: true, others: [link(3, 6, 'e6', 'e5')] }, 3],
    [
      'of line 0 is on it, although another line continues it',
      { before: fits, others: [link(3, 6, 'e6', 'e5')] },
      0,
    ],
  ])('%s', (_, surroundings, line) => {
    expect(chooseLine(entry, { ...ALONE, ...surroundings })).toBe(line)
  })
})

describe('a machine', () => {
  const head = { sequence: 5, hash: 'a'.repeat(64) }
  const decided = { frozenAt: null, lines: 1 }
  test.each([
    ['stops while no line is chosen, whichever it is on', { frozenAt: new Date(), lines: 1 }, 0, [], true],
    ['of a kiosk with one history continues', { frozenAt: null, lines: 0 }, null, [], false],
    ['on line 0 continues', decided, 0, ['kiosk_cloned'], false],
    ['on another line stops', decided, 1, [], true],
    ['that is stopped stays so until its newest proof is here', decided, null, ['kiosk_cloned'], true],
    ['that continues may have proofs that are not here yet', decided, null, [], false],
  ])('%s', (_, kiosk, line, frozen, expected) => {
    expect(mustStop(kiosk, line, { head, frozen })).toBe(expected)
  })

  test('without a proof continues after the decision', () => {
    expect(mustStop(decided, null, { head: null, frozen: ['kiosk_cloned'] })).toBe(false)
  })
})

describe('the proofs of two machines', () => {
  let postgres: TestPostgres | null = null
  let central: TestCentralService
  let key: string
  beforeAll(async () => {
    if (postgresReason === null) postgres = await startPostgres()
    const databaseUrl = postgres?.createDatabase()
    central = await startCentralService(databaseUrl === undefined ? {} : { databaseUrl })
    await codeFor(central)
    const order = { tenantId: 'acme', name: 'archive', scopes: ['proofs:read', 'fleet:read'] }
    key = ((await runAction(central.context, 'createConsumer', order)) as { key: string }).key
  })
  afterAll(async () => {
    await central?.stop()
    postgres?.close()
  })

  /** Two machines that were copied before the first proof. */
  const copies = async (): Promise<readonly [TestKiosk, TestKiosk]> => {
    const options = { kioskId: uuidv7(), key: await makeKioskKey() }
    return [await joinedKiosk(central, 'acme', options), await joinedKiosk(central, 'acme', options)]
  }
  const ask = async (path: string) => {
    const answer = await fetch(`${central.url}/head-office/v1${path}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  /** Entries of the feed about this kiosk as `proof mark`, from a cursor on, in pages of two. */
  const walk = async (kioskId: string, from: string | null = null) => {
    const entries: string[] = []
    let cursor = from
    for (;;) {
      const after = cursor === null ? '' : `&after=${cursor}`
      const { body } = await ask(`/proofs?limit=2${after}`)
      const page = body as unknown as {
        proofs: { proofId: string; kioskId: string; mark: string | null }[]
        next: string
        more: boolean
      }
      for (const { proofId, kioskId: of, mark } of page.proofs) {
        if (of === kioskId) entries.push(mark === null ? proofId : `${proofId} ${mark}`)
      }
      cursor = page.next
      if (!page.more) return { entries, cursor }
    }
  }
  const id = ({ announcement }: PreparedProof) => announcement.proofId
  const deliverAll = async (machine: TestKiosk, count: number) => {
    const proofs: PreparedProof[] = []
    for (let made = 0; made < count; made++) {
      const proof = await machine.makeProof()
      expect((await machine.deliver(proof)).state).toBe('STORED')
      proofs.push(proof)
    }
    return proofs
  }
  const decide = (
    act: 'chooseLine' | 'deliverLine',
    { kioskId }: TestKiosk,
    first: PreparedProof,
    by = 'Ada',
  ) =>
    runAction(central.context, act, { kioskId, firstProof: id(first), reason: 'the branch was visited' }, by)
  const reasonToStop = async (machine: TestKiosk, frozen: string[] = ['kiosk_cloned']) => {
    const { body } = await machine.sendStatus({ frozen })
    const answer = RevokedAnswerSchema.safeParse(body)
    if (!answer.success) return null
    const { revoked, trust } = answer.data
    return (await readStatement('kiosk-revoked', revoked, trust.statementKeys.keys)).reason ?? 'REVOKED'
  }
  const linesOf = async (kioskId: string) => (await ask(`/kiosks/${kioskId}/lines`)).body

  test('are all kept, both machines stop, and the line that is chosen continues', async () => {
    const [own, copy] = await copies()
    const { kioskId } = own
    const first = await deliverAll(own, 1)
    const others = await deliverAll(copy, 2)
    const late = await deliverAll(own, 1)
    expect(await openAlarms(central, kioskId)).toEqual(['CLONE'])
    expect(await reasonToStop(own, [])).toBe('CLONE')
    expect(await reasonToStop(copy, [])).toBe('CLONE')
    // The feed has only what came before the second history.
    expect((await walk(kioskId)).entries).toEqual(first.map(id))
    expect((await ask(`/proofs/${id(others[0])}`)).status).toBe(404)
    expect(await linesOf(kioskId)).toMatchObject({
      lines: [
        { line: 0, from: 1, to: 2, inFeed: 1, quarantined: 1, machine: { backlog: 0 } },
        { line: 1, from: 1, to: 2, inFeed: 0, quarantined: 2, firstProofId: id(others[0]) },
      ],
    })
    // A repeated delivery is answered with the same receipt.
    expect((await copy.deliver(others[0])).state).toBe('STORED')
    await expect(decide('deliverLine', own, others[0])).rejects.toMatchObject({ code: 'transition_refused' })

    expect(await decide('chooseLine', own, first[0])).toMatchObject({ moved: 1 })
    expect((await walk(kioskId)).entries).toEqual([...first, ...late].map(id))
    expect(await openAlarms(central, kioskId)).toEqual([])
    expect(await reasonToStop(own)).toBeNull()
    expect(await reasonToStop(copy)).toBe('CLONE')
    // The rest of the other machine goes to its line, and freezes nothing.
    const last = await deliverAll(copy, 1)
    const next = await deliverAll(own, 1)
    expect(await openAlarms(central, kioskId)).toEqual([])
    expect(await decide('deliverLine', own, others[0])).toMatchObject({ moved: 3 })
    expect((await walk(kioskId)).entries).toEqual([
      ...[...first, ...late, ...next].map(id),
      ...[...others, ...last].map((proof) => `${id(proof)} DELIVERED`),
    ])
    expect(await linesOf(kioskId)).toMatchObject({
      frozenAt: null,
      decisions: [
        {
          act: 'DELIVER',
          firstProofId: id(others[0]),
          line: null,
          decidedBy: 'Ada',
          reason: 'the branch was visited',
        },
        { act: 'CHOOSE', firstProofId: id(first[0]) },
      ],
    })
  })

  test('have their number and time in the list of lines from the announcement on', async () => {
    const [own, copy] = await copies()
    await deliverAll(own, 1)
    const begun = await copy.makeProof()
    await copy.announce(begun.announcement)
    const { lines } = (await linesOf(own.kioskId)) as unknown as { lines: object[] }
    const at = expect.any(String) as unknown
    const quarantined = { inFeed: 0, quarantined: 0, sealedFrom: at, sealedTo: at }
    expect(lines[1]).toMatchObject({ line: 1, from: 1, to: 1, firstProofId: id(begun), ...quarantined })
  })

  test('that the feed had before the other line was chosen stay there, and the feed says that they are in doubt', async () => {
    const [own, copy] = await copies()
    const { kioskId } = own
    const told = await deliverAll(copy, 2)
    const genuine = await deliverAll(own, 3)
    const before = await walk(kioskId)
    expect(before.entries).toEqual(told.map(id))
    expect(await decide('chooseLine', own, genuine[0])).toMatchObject({ moved: 3 })
    const after = await walk(kioskId, before.cursor)
    expect(after.entries).toEqual([...genuine.map(id), ...told.map((proof) => `${id(proof)} IN_DOUBT`)])
    expect((await ask(`/proofs/${id(told[0])}`)).body).toMatchObject({
      line: 2,
      mark: 'IN_DOUBT',
    })
    const [kiosk] = await central.db.query(
      SYSTEM,
      'SELECT last_sequence, contiguous_sequence, frozen_at FROM kiosks WHERE id = $1',
      [kioskId],
    )
    expect(kiosk).toEqual({ last_sequence: 3, contiguous_sequence: 3, frozen_at: null })
    expect(await reasonToStop(own)).toBeNull()
    expect(await reasonToStop(copy)).toBe('CLONE')
    await decide('deliverLine', own, told[0])
    expect((await walk(kioskId, after.cursor)).entries).toEqual(told.map((proof) => `${id(proof)} DELIVERED`))
    expect(await openAlarms(central, kioskId)).toEqual([])
  })

  test('are decided about once: of two operators the second learns who decided what and when, and nothing changes', async () => {
    const [own, copy] = await copies()
    const { kioskId } = own
    const mine = await deliverAll(own, 2)
    const theirs = await deliverAll(copy, 2)
    const made = await Promise.allSettled([
      decide('chooseLine', own, theirs[0], 'Ada'),
      decide('chooseLine', own, mine[0], 'Ben'),
    ])
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const isAda = made[0].status === 'fulfilled'
    const [chosen, other] = isAda ? [theirs, mine] : [mine, theirs]
    const by = isAda ? 'Ada' : 'Ben'
    const refusal = { kind: 'line', by, firstProof: id(chosen[0]), at: expect.any(String) as unknown }
    expect(made[isAda ? 1 : 0]).toMatchObject({ reason: { code: 'transition_refused', details: refusal } })
    // The literal command of the second person, later.
    const repeated = { code: 'transition_refused', details: refusal }
    await expect(decide('chooseLine', own, other[0], 'Ben')).rejects.toMatchObject(repeated)
    await expect(decide('deliverLine', own, chosen[0])).rejects.toMatchObject({ code: 'transition_refused' })
    const state = await linesOf(kioskId)
    expect(state).toMatchObject({
      lines: [{ line: 0, firstProofId: id(chosen[0]) }, { firstProofId: id(other[0]) }],
      decisions: [{ act: 'CHOOSE', firstProofId: id(chosen[0]), decidedBy: by }],
    })
    expect(state.lines).toHaveLength(2)
    const [alarm] = await central.db.query(
      SYSTEM,
      `SELECT resolved_by AS by, resolution AS reason FROM alarms WHERE kiosk_id = $1 AND kind = 'CLONE'`,
      [kioskId],
    )
    expect(alarm).toEqual({ by: `operator:${by}`, reason: 'the branch was visited' })
    expect((await ask(`/kiosks/${kioskId}`)).body).toMatchObject({ otherLines: 1 })
    await decide('deliverLine', own, other[0])
    await expect(decide('deliverLine', own, other[0])).rejects.toMatchObject({ code: 'transition_refused' })
  })

  test('of a copy of a copy continue with one decision, and the proof that names a line stays', async () => {
    const options = { kioskId: uuidv7(), key: await makeKioskKey() }
    const own = await joinedKiosk(central, 'acme', options)
    const copy = await joinedKiosk(central, 'acme', options)
    const mine = await deliverAll(own, 3)
    const begun = await deliverAll(copy, 1)
    const { sequence, hash } = begun[0].announcement
    const second = await joinedKiosk(central, 'acme', { ...options, last: { sequence, hash } })
    const continued = await deliverAll(copy, 2)
    const branched = await deliverAll(second, 2)
    const { kioskId } = own
    const named = async () =>
      ((await linesOf(kioskId)).lines as { firstProofId: string }[]).map(({ firstProofId }) => firstProofId)
    expect(await named()).toEqual([mine[0], begun[0], branched[0]].map(id))
    await decide('chooseLine', own, branched[0])
    const told = mine.map((proof) => `${id(proof)} IN_DOUBT`)
    expect((await walk(kioskId)).entries).toEqual([...told, ...[...begun, ...branched].map(id), ...told])
    // Its first proof is also of the line that was not chosen.
    expect(await named()).toEqual([branched[0], mine[0], continued[0]].map(id))
    await expect(decide('deliverLine', own, begun[0])).rejects.toMatchObject({ code: 'not_found' })
  })

  test('are verified in quarantine, too, and a number that was given up is kept on its line', async () => {
    const [own, copy] = await copies()
    await deliverAll(own, 1)
    const forged = await copy.makeProof({ tamper: (archive) => Buffer.concat([archive, Buffer.from('x')]) })
    expect((await copy.deliver(forged)).state).toBe('REFUSED')
    const erased = await copy.makeProof()
    expect(await copy.announce({ ...erased.announcement, packet: null })).toMatchObject({
      state: 'WITHDRAWN',
    })
    const [proof] = await deliverAll(copy, 1)
    const [kept] = await central.db.query(
      SYSTEM,
      `SELECT (SELECT line FROM withdrawn WHERE proof_id = $1) AS erased, (SELECT line FROM quarantined WHERE proof_id = $2) AS kept`,
      [id(erased), id(proof)],
    )
    expect(kept).toEqual({ erased: 1, kept: 1 })
    expect(await openAlarms(central, own.kioskId)).toEqual(['CLONE', `REFUSED ${id(forged)}`])
  })

  test('of the line that was chosen reach the feed although the command ended early', async () => {
    const [own, copy] = await copies()
    await deliverAll(own, 1)
    const [proof] = await deliverAll(copy, 1)
    const { context } = central
    let transactions = 0
    const dying = {
      ...context,
      db: {
        ...context.db,
        transaction: (async (scope, work) => {
          if (++transactions > 1) throw new RangeError('the process ends here')
          return context.db.transaction(scope, work)
        }) as typeof context.db.transaction,
      },
    }
    const decision = { kioskId: own.kioskId, firstProof: id(proof), reason: 'x' }
    await expect(runAction(dying, 'chooseLine', decision)).rejects.toThrow(RangeError)
    await central.upkeep.run()
    expect((await walk(own.kioskId)).entries).toContain(id(proof))
  })

  test('are limited: a kiosk that forges histories fills its own quarantine, and stops only itself', async () => {
    const [own, copy] = await copies()
    await deliverAll(own, 1)
    await deliverAll(copy, 1)
    await central.db.query(SYSTEM, 'UPDATE quarantined SET packet_bytes = 2147483648 WHERE kiosk_id = $1', [
      own.kioskId,
    ])
    await expect(copy.deliver(await copy.makeProof())).rejects.toThrow('too_many_uploads')
    const other = await joinedKiosk(central, 'acme', { signer: fixtureSigner })
    await deliverAll(other, 1)
    expect(await reasonToStop(other, [])).toBeNull()
  })
})
