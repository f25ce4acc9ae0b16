/** The delivery of one proof to a scripted central service: each possible answer, and the state of the row after it. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { exportJWK, generateKeyPair } from 'jose'
import { AppError } from '../../../server/errors.ts'
import { signStatement, type StatementKey } from '../../../server/protocol/statements.ts'
import type { Announcement, CentralTrust, Receipt, UploadState } from '../../../server/protocol/wire.ts'
import type { CentralClient } from '../../../server/sync/central-client.ts'
import type { Connection } from '../../../server/sync/connection.ts'
import { deliver, park, settleDelivery, type Delivery } from '../../../server/sync/deliver.ts'
import { CentralTroubleError, type Trouble } from '../../../server/sync/transport.ts'
import { sendDue } from '../../../server/sync/uploader.ts'
import { openRig, type Rig } from './rig.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const RECEIVING = (offset: number): UploadState => ({ state: 'RECEIVING', offset })

let key: StatementKey
let trust: CentralTrust
beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  key = { kid: 'statements', privateKey }
  trust = { statementKeys: { keys: [await exportJWK(publicKey)] } } as CentralTrust
})

let rig: Rig
let sequence: number
let proofId: string
let identityId: string
/** Method and number of each call. */
let calls: string[]
let announced: Announcement[]
let answers: { announce: UploadState; chunk: () => UploadState; complete: () => Promise<UploadState> }
let sizes: string[]
let removed: string[]
let acknowledged: string[]
beforeEach(async () => {
  rig = openRig()
  ;({ sequence, proofId, identityId } = await rig.seal(10))
  calls = []
  announced = []
  sizes = []
  removed = []
  acknowledged = []
  answers = {
    announce: RECEIVING(0),
    chunk: () => RECEIVING(PACKET.length),
    complete: async () => ({ state: 'STORED', offset: PACKET.length, receipt: await receipt() }),
  }
})
afterEach(() => rig.close())

const PACKET = Buffer.from('twenty bytes of pack')
const row = () => {
  const entry = rig.store.outbox.find(sequence)
  if (!entry) throw new Error('no row')
  return entry
}
const receipt = (over: Partial<Receipt> = {}): Promise<string> => {
  const { sha256 } = row()
  const kioskId = rig.store.applianceId
  const stated = { kioskId, proofId, sequence, sha256, state: 'STORED' as const, storedAt: 1, ...over }
  return signStatement('receipt', stated, key)
}
const client = {
  announce: async (announcement: Announcement) => {
    calls.push('announce')
    announced.push(announcement)
    return answers.announce
  },
  sendChunk: async (_: string, offset: number, bytes: Uint8Array) => {
    calls.push(`chunk ${offset} ${Buffer.from(bytes).toString('utf8')}`)
    return answers.chunk()
  },
  complete: async () => {
    calls.push('complete')
    return answers.complete()
  },
} as unknown as CentralClient
const packets = {
  ensure: async () => ({ sha256: 'a'.repeat(64), bytes: PACKET.length }),
  read: async (_: string, offset: number, length: number) => PACKET.subarray(offset, offset + length),
  remove: (id: string) => void removed.push(id),
  sweep: () => 0,
}
const chunkSize = {
  next: () => 8,
  went: (bytes: number) => void sizes.push(`went ${bytes}`),
  failed: () => void sizes.push('failed'),
}
const delivery = (): Delivery => ({
  store: rig.store,
  clock: { now: () => NOW },
  client,
  trust,
  packets,
  chunkSize,
  acknowledged: (id) => void acknowledged.push(id),
})
const send = () => deliver(delivery(), sequence)
const eventsOf = (type: string) =>
  rig.store.events
    .after(0, 100)
    .filter((event) => event.type === type)
    .map(({ body, actor, identityId: about }) => ({ body, actor, about }))
const trouble = (kind: Trouble) => () => {
  throw new CentralTroubleError(kind, 'a_word')
}

describe('a proof', () => {
  test('is announced with its place in the chain, sent in chunks and settled by the receipt', async () => {
    let offset = 0
    answers.chunk = () => RECEIVING((offset = Math.min(offset + 8, PACKET.length)))
    expect(await send()).toBe('settled')
    expect(calls).toEqual(['announce', 'chunk 0 twenty b', 'chunk 8 ytes of ', 'chunk 16 pack', 'complete'])
    const { previousHash, hash, sha256, sealedAt } = row()
    expect(announced).toEqual([
      {
        proofId,
        identityId,
        sequence: 1,
        previousHash,
        hash,
        sha256,
        sealedAt: sealedAt.getTime(),
        packet: { sha256: 'a'.repeat(64), bytes: 20 },
      },
    ])
    expect(sizes).toEqual(['went 8', 'went 8', 'went 4'])
    expect(row()).toMatchObject({ state: 'ACKNOWLEDGED' })
    expect(removed).toEqual([proofId])
    expect(acknowledged).toEqual([identityId])
    expect(eventsOf('outbox.acknowledged')).toEqual([
      { body: { proofId, sequence: 1 }, actor: 'centre', about: identityId },
    ])
  })

  test('continues where the central service has got to', async () => {
    answers.announce = RECEIVING(16)
    expect(await send()).toBe('settled')
    expect(calls).toEqual(['announce', 'chunk 16 pack', 'complete'])
  })

  test('that the central service has already is settled by the announcement alone', async () => {
    answers.announce = { state: 'STORED', offset: 20, receipt: await receipt() }
    expect(await send()).toBe('settled')
    expect(calls).toEqual(['announce'])
  })

  test('that is acknowledged or not there is not asked about', async () => {
    rig.store.outbox.acknowledge(sequence, await receipt(), NOW)
    expect(await send()).toBe('settled')
    expect(await deliver(delivery(), 7)).toBe('settled')
    expect(calls).toEqual([])
    expect(acknowledged).toEqual([])
  })

  test('that is withdrawn or lost is announced without a packet, and its packet removed before', async () => {
    rig.store.outbox.lose(sequence)
    answers.announce = { state: 'LOST', offset: 0, receipt: await receipt({ state: 'LOST' }) }
    expect(await send()).toBe('given up')
    expect(announced[0]).toMatchObject({ packet: null, lost: true })
    expect(removed).toContain(proofId)
    expect(row()).toMatchObject({ state: 'LOST', receipt: answers.announce.receipt })
    expect(acknowledged).toEqual([])
  })

  test('that is withdrawn does not count as lost', async () => {
    rig.store.outbox.withdraw(sequence)
    answers.announce = { state: 'WITHDRAWN', offset: 0, receipt: await receipt({ state: 'WITHDRAWN' }) }
    expect(await send()).toBe('given up')
    expect(announced[0]).not.toHaveProperty('lost')
  })

  test('whose identity is erased between two chunks is announced again, without its packet', async () => {
    const withdrawn = await receipt({ state: 'WITHDRAWN' })
    answers.chunk = () => {
      rig.store.outbox.withdraw(sequence)
      answers.announce = { state: 'WITHDRAWN', offset: 0, receipt: withdrawn }
      return RECEIVING(8)
    }
    expect(await send()).toBe('given up')
    expect(calls).toEqual(['announce', 'chunk 0 twenty b', 'announce'])
  })
})

describe('an upload that gets nowhere', () => {
  test('begins again five times, and then waits its turn', async () => {
    answers.complete = async () => RECEIVING(0)
    answers.announce = RECEIVING(20)
    await expect(send()).rejects.toMatchObject({ trouble: 'fault', code: 'no_progress' })
    expect(calls.filter((call) => call === 'announce')).toHaveLength(5)
    expect(row().receipt).toBeNull()
  })

  test('is announced again after six chunks that moved nothing', async () => {
    answers.chunk = () => RECEIVING(0)
    await expect(send()).rejects.toMatchObject({ code: 'no_progress' })
    expect(calls.slice(0, 8)).toEqual(['announce', ...Array<string>(6).fill('chunk 0 twenty b'), 'announce'])
  })

  test('tolerates chunks that pause now and then', async () => {
    const offsets = [0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 20]
    answers.chunk = () => RECEIVING(offsets.shift() ?? 20)
    expect(await send()).toBe('settled')
    expect(calls.filter((call) => call === 'announce')).toHaveLength(1)
  })

  test('is announced again where the central service has more than there is, or the file ends too early', async () => {
    answers.announce = RECEIVING(21)
    await expect(send()).rejects.toMatchObject({ code: 'no_progress' })
    expect(calls).toEqual(Array(5).fill('announce'))
    answers.announce = RECEIVING(0)
    const cut = { ...delivery(), packets: { ...packets, read: async () => Buffer.alloc(0) } }
    await expect(deliver(cut, sequence)).rejects.toMatchObject({ code: 'no_progress' })
    expect(calls).toEqual(Array(10).fill('announce'))
  })
})

describe('a chunk that fails', () => {
  test('over the line makes the next one smaller, and ends the talk', async () => {
    answers.chunk = trouble('line')
    await expect(send()).rejects.toMatchObject({ trouble: 'line' })
    expect(sizes).toEqual(['failed'])
  })

  test.each<Trouble>(['kiosk', 'fault'])(
    'for %s ends the talk, and says nothing of its size',
    async (kind) => {
      answers.chunk = trouble(kind)
      await expect(send()).rejects.toMatchObject({ trouble: kind })
      expect(sizes).toEqual([])
    },
  )

  test('because the central service knows of no such upload is announced again', async () => {
    let refusals = 1
    answers.chunk = () => (refusals-- > 0 ? trouble('request')() : RECEIVING(20))
    expect(await send()).toBe('settled')
    expect(calls).toEqual(['announce', 'chunk 0 twenty b', 'announce', 'chunk 0 twenty b', 'complete'])
  })

  test('for a reason of this machine ends as what it is', async () => {
    answers.chunk = () => {
      throw new AppError('storage_damaged', {})
    }
    await expect(send()).rejects.toMatchObject({ code: 'storage_damaged' })
  })
})

describe('the last word of the central service', () => {
  test('without a receipt, or with one of another state, is not believed', async () => {
    await expect(settleDelivery(delivery(), row(), { state: 'STORED', offset: 20 })).rejects.toMatchObject({
      code: 'statement_refused',
      details: { kind: 'receipt' },
    })
    const state = { state: 'WITHDRAWN', offset: 0, receipt: await receipt() } as const
    await expect(settleDelivery(delivery(), row(), state)).rejects.toMatchObject({
      code: 'statement_refused',
      details: { kind: 'receipt' },
    })
    expect(row().receipt).toBeNull()
    expect(removed).toEqual([])
  })

  test('that a proof is withdrawn, without a withdrawal here, parks it: its packet stays', async () => {
    const state = { state: 'WITHDRAWN', offset: 0, receipt: await receipt({ state: 'WITHDRAWN' }) } as const
    expect(await settleDelivery(delivery(), row(), state)).toBe('parked')
    expect(row()).toMatchObject({ state: 'REFUSED', lastError: 'withdrawn_at_centre', receipt: null })
    expect(removed).toEqual([])
    expect(acknowledged).toEqual([])
  })

  test('that comes twice is noted once', async () => {
    const entry = row()
    const state = { state: 'STORED', offset: 20, receipt: await receipt() } as const
    expect(await settleDelivery(delivery(), entry, state)).toBe('settled')
    expect(await settleDelivery(delivery(), entry, state)).toBe('settled')
    expect(eventsOf('outbox.acknowledged')).toHaveLength(1)
  })

  test.each([
    [undefined, 'refused_by_centre'],
    [[], 'refused_by_centre'],
    [['', '<>'], 'refused_by_centre'],
    [['signature_unknown'], 'signature_unknown'],
    [['signature_unknown', '<>', 'b'], 'signature_unknown, b'],
    [['<b>Anna</b>;  x'], 'b Anna /b x'],
    [['a'.repeat(299) + 'bc'], 'a'.repeat(299) + 'b'],
  ])('with the problems %j parks the proof as %s', async (problems, words) => {
    const state: UploadState = { state: 'REFUSED', offset: 0, ...(problems ? { problems } : {}) }
    expect(await settleDelivery(delivery(), row(), state)).toBe('parked')
    expect(row().lastError).toBe(words)
  })
})

describe('a proof that is parked', () => {
  test.each([
    ['storage_damaged', 'storage_damaged'],
    ['damaged', 'refused_by_centre'],
    ['signature_unknown, other', 'refused_by_centre'],
    ['Signature_unknown', 'refused_by_centre'],
    [`a_${'b'.repeat(50)}`, `a_${'b'.repeat(50)}`],
    [`a_${'b'.repeat(51)}`, 'refused_by_centre'],
  ])('for %s stands in the log as %s', (words, error) => {
    expect(park(delivery(), row(), words)).toBe('parked')
    expect(eventsOf('outbox.refused')).toEqual([
      { body: { proofId, sequence, error }, actor: 'appliance', about: identityId },
    ])
  })

  test('twice has one entry in the log, and keeps its first reason', () => {
    park(delivery(), row(), 'first_reason')
    expect(park(delivery(), row(), 'second_reason')).toBe('parked')
    expect(row().lastError).toBe('first_reason')
    expect(eventsOf('outbox.refused')).toHaveLength(1)
  })

  test('is none that was settled, given up or removed meanwhile', async () => {
    const before = row()
    rig.store.outbox.withdraw(sequence)
    expect(park(delivery(), before, 'late_word')).toBe('given up')
    rig.store.outbox.settleGivenUp(sequence, await receipt(), NOW)
    expect(park(delivery(), before, 'late_word')).toBe('settled')
    expect(park(delivery(), { ...before, sequence: 7 }, 'late_word')).toBe('settled')
    expect(eventsOf('outbox.refused')).toEqual([])
  })
})

describe('a pass over what is due', () => {
  const pass = (signal?: AbortSignal) => {
    const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const ctx = { store: rig.store, clock: { now: () => new Date() }, log }
    return sendDue(ctx, { client, trust } as Connection, { packets, chunkSize }, signal)
  }

  test('parks what the central service refuses for good, and counts it', async () => {
    answers.announce = RECEIVING(0)
    vi.spyOn(client, 'announce').mockRejectedValueOnce(
      new CentralTroubleError('request', 'announced_otherwise', { status: 409 }),
    )
    expect(await pass()).toEqual({ settled: 0, parked: 1 })
    expect(row()).toMatchObject({ state: 'REFUSED', lastError: 'announced_otherwise' })
  })

  test.each<[string, unknown, string]>([
    [
      'a fault of the central service',
      new CentralTroubleError('fault', 'internal', { status: 500 }),
      'internal',
    ],
    ['a disk that takes nothing', new AppError('status_not_stored', {}), 'status_not_stored'],
    ['a fault of ours', new TypeError('x'), 'internal'],
  ])('lets one proof wait for %s, a second at least', async (_, error, word) => {
    vi.spyOn(client, 'announce').mockRejectedValueOnce(error)
    const before = Date.now()
    expect(await pass()).toEqual({ settled: 0, parked: 0 })
    expect(row()).toMatchObject({ attempts: 1, lastError: word, receipt: null })
    const pauseMs = row().nextTryAt.getTime() - before
    expect(pauseMs).toBeGreaterThanOrEqual(1_000)
    expect(pauseMs).toBeLessThan(10_000)
  })

  test('parks a proof that is damaged here', async () => {
    vi.spyOn(client, 'announce').mockRejectedValueOnce(new AppError('storage_damaged', {}))
    expect(await pass()).toEqual({ settled: 0, parked: 1 })
    expect(row()).toMatchObject({ state: 'REFUSED', lastError: 'storage_damaged' })
  })

  test.each<Trouble>(['line', 'kiosk'])(
    'ends with trouble of the %s, and the row stays as it was',
    async (kind) => {
      vi.spyOn(client, 'announce').mockRejectedValueOnce(new CentralTroubleError(kind, 'a_word'))
      await expect(pass()).rejects.toMatchObject({ trouble: kind })
      expect(row()).toMatchObject({ attempts: 0, lastError: null })
    },
  )

  test('counts what is given up among what is settled, and ends when nothing is due', async () => {
    rig.store.outbox.withdraw(sequence)
    answers.announce = { state: 'WITHDRAWN', offset: 0, receipt: await receipt({ state: 'WITHDRAWN' }) }
    expect(await pass()).toEqual({ settled: 1, parked: 0 })
    expect(await pass()).toEqual({ settled: 0, parked: 0 })
  })

  test('ends with its signal before anything is asked, and no attempt counts', async () => {
    await expect(pass(AbortSignal.abort(new Error('closing')))).rejects.toThrow('closing')
    expect(calls).toEqual([])
    const ending = new AbortController()
    vi.spyOn(client, 'announce').mockImplementationOnce(async () => {
      ending.abort(new Error('closing'))
      throw new Error('cut off')
    })
    await expect(pass(ending.signal)).rejects.toThrow('cut off')
    expect(row()).toMatchObject({ attempts: 0, lastError: null })
  })
})
