/** Talks with the central service: one pause for all of them after a failure, and a note of how the last one went. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Context } from '../../../server/context.ts'
import { AppError } from '../../../server/errors.ts'
import type { Connection, Connections } from '../../../server/sync/connection.ts'
import { createTalks, type CentralTalks } from '../../../server/sync/talks.ts'
import { CentralTroubleError } from '../../../server/sync/transport.ts'
import { noteSyncState, syncState } from '../../../server/workflows/health/sync-state.ts'

const CONNECTION = { tenantId: 'head-office' } as Connection

/** Keeps the record of the talks in memory. */
function remembering() {
  const kept = new Map<string, unknown>()
  const setJson = vi.fn((name: string, value: unknown) => void kept.set(name, value))
  const meta = { getJson: (name: string) => kept.get(name) ?? null, setJson }
  return { setJson, store: { meta } as unknown as Context['store'] }
}

let t: ReturnType<typeof remembering>
let at: Date
let logged: [string, Readonly<Record<string, unknown>>][]
let ending: AbortController
let connection: Connection | null
let talks: CentralTalks
beforeEach(() => {
  // Only the clock that a pause is measured by stands still.
  vi.useFakeTimers({ toFake: ['performance'] })
  t = remembering()
  at = new Date('2026-11-21T12:00:00Z')
  logged = []
  ending = new AbortController()
  connection = CONNECTION
  const log = {
    info: () => undefined,
    warn: (fields: object) => void logged.push(['warn', { ...fields }]),
    error: (fields: object) => void logged.push(['error', { ...fields }]),
  }
  const connections = { current: () => connection } as Connections
  talks = createTalks({ store: t.store, clock: { now: () => at }, log }, connections, ending.signal)
})
afterEach(() => {
  vi.useRealTimers()
})

const state = () => syncState({ store: t.store })
const refusing = (error: unknown) => async () => {
  throw error
}
const unreachable = () => new CentralTroubleError('line', 'not_reachable')

describe('a talk', () => {
  test('is had over the connection that there is, and says that it was had', async () => {
    const seen: Connection[] = []
    expect(await talks.withConnection(async (given) => void seen.push(given))).toBe(true)
    expect(seen).toEqual([CONNECTION])
    expect(logged).toEqual([])
  })

  test('is not had where no central service was joined', async () => {
    connection = null
    const work = vi.fn(async () => undefined)
    expect(await talks.withConnection(work)).toBe(false)
    expect(work).not.toHaveBeenCalled()
    expect(state().failingSince).toBeNull()
  })

  test('that fails is noted with its word and its moment, and none is had until the pause is over', async () => {
    expect(await talks.withConnection(refusing(unreachable()))).toBe(false)
    expect(state()).toMatchObject({ failingSince: at.getTime(), lastError: 'not_reachable' })
    const work = vi.fn(async () => undefined)
    expect(await talks.withConnection(work)).toBe(false)
    // The first pause is two seconds at most.
    vi.advanceTimersByTime(2_000)
    expect(await talks.withConnection(work)).toBe(true)
    expect(work).toHaveBeenCalledTimes(1)
    expect(state()).toMatchObject({ failingSince: null, lastError: null })
  })

  test('that fails for another reason than before is noted again, since the first failure', async () => {
    const first = at.getTime()
    await talks.withConnection(refusing(unreachable()))
    vi.advanceTimersByTime(2_000)
    at = new Date('2026-11-21T12:05:00Z')
    await talks.withConnection(refusing(new CentralTroubleError('kiosk', 'unauthorized', { status: 401 })))
    expect(state()).toMatchObject({ failingSince: first, lastError: 'unauthorized' })
  })

  test('that fails again for the same reason is written down once', async () => {
    await talks.withConnection(refusing(unreachable()))
    vi.advanceTimersByTime(2_000)
    t.setJson.mockClear()
    await talks.withConnection(refusing(unreachable()))
    expect(t.setJson).not.toHaveBeenCalled()
  })

  test('that goes well after one that went well writes nothing', async () => {
    t.setJson.mockClear()
    await talks.withConnection(async () => undefined)
    expect(t.setJson).not.toHaveBeenCalled()
  })

  test.each([
    [new AppError('statement_refused', { kind: 'receipt' }), 'statement_refused'],
    [new TypeError('a fault of ours'), 'internal'],
    ['no error at all', 'internal'],
  ])('that ends with %s lets everything wait, under the word %s', async (error, word) => {
    expect(await talks.withConnection(refusing(error))).toBe(false)
    expect(state().lastError).toBe(word)
    expect(await talks.withConnection(async () => undefined)).toBe(false)
  })

  test('that fails is logged with word, status and what caused it, never with the cause’s own text', async () => {
    const cause = Object.assign(new Error('Anna Example'), { code: 'ECONNRESET', syscall: 'read' })
    await talks.withConnection(
      refusing(new CentralTroubleError('line', 'centre_busy', { status: 503, cause })),
    )
    expect(logged).toHaveLength(1)
    expect(logged[0]).toMatchObject(['warn', { error: 'centre_busy', status: 503, errno: 'ECONNRESET' }])
    expect(JSON.stringify(logged)).not.toContain('Anna')
  })

  test('that fails on a disk that takes no note of it ends as any other', async () => {
    t.setJson.mockImplementation(() => {
      throw new Error('disk full')
    })
    expect(await talks.withConnection(refusing(unreachable()))).toBe(false)
    expect(logged.map(([level]) => level)).toEqual(['warn', 'error'])
  })

  test('that ends because the appliance does is no failure', async () => {
    ending.abort()
    expect(await talks.withConnection(refusing(unreachable()))).toBe(false)
    expect(state().failingSince).toBeNull()
    expect(logged).toEqual([])
  })
})

describe('an operator who does not want to wait', () => {
  test('ends the pause, once for each wish', async () => {
    await talks.withConnection(refusing(unreachable()))
    noteSyncState({ store: t.store }, { wantedAt: at.getTime() })
    talks.resumeIfRequested()
    expect(state().wantedAt).toBeNull()
    expect(await talks.withConnection(refusing(unreachable()))).toBe(false)
    talks.resumeIfRequested()
    const work = vi.fn(async () => undefined)
    expect(await talks.withConnection(work)).toBe(false)
    expect(work).not.toHaveBeenCalled()
  })

  test('has the talk at once', async () => {
    await talks.withConnection(refusing(unreachable()))
    noteSyncState({ store: t.store }, { wantedAt: at.getTime() })
    talks.resumeIfRequested()
    expect(await talks.withConnection(async () => undefined)).toBe(true)
  })
})
