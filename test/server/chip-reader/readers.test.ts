/** The reader process over a real pcscd with virtual readers, in the sandbox where this machine has one. */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { inspectChip } from '../../../server/chip/inspection/inspect.ts'
import { listMrzKeys } from '../../../server/chip/inspection/key-alternatives.ts'
import {
  openReaders,
  type ChipReaders,
  type ReadersOptions,
  type ReadersState,
} from '../../../server/chip-reader/readers.ts'
import type { ChipCard } from '../../../server/tools/simulator/chip/card.ts'
import {
  findMissingPackages,
  startVirtualPcscd,
  type VirtualPcscd,
} from '../../../server/tools/simulator/chip/pcscd.ts'
import { makeDocument } from '../../../server/tools/simulator/chip/profiles.ts'
import { insertCard, type InsertedCard } from '../../../server/tools/simulator/chip/vpcd.ts'

const missing = findMissingPackages()
const started =
  missing.length > 0
    ? `install ${missing.join(', ')}`
    : await startVirtualPcscd().catch(({ message }: Error) => message)
const title = `the readers of a real pcscd${typeof started === 'string' ? ` (${started})` : ''}`
const LYING = fileURLToPath(new URL('../../support/lying-reader-process.ts', import.meta.url))
const FIRST = 'Virtual PCD 00 00'
const SECOND = 'Virtual PCD 00 01'

describe.skipIf(typeof started === 'string')(title, () => {
  const pcscd = started as VirtualPcscd
  let readers: ChipReaders
  const inserted: InsertedCard[] = []
  const logged: string[] = []

  beforeAll(async () => {
    readers = await open()
  })
  afterEach(async () => {
    for (const card of inserted.splice(0)) await card.remove()
    await seen((state) => state.kind === 'ready' && state.readers.every(({ card }) => card === null))
  })
  afterAll(async () => {
    await readers.close()
    await pcscd.close()
  })

  function open(options: Partial<ReadersOptions> = {}): Promise<ChipReaders> {
    return openReaders({ log: (event) => logged.push(event), socketPath: pcscd.socketPath, ...options })
  }
  async function insert(card: ChipCard, slot: 0 | 1 = 0): Promise<InsertedCard> {
    const one = await insertCard(card, pcscd.ports[slot])
    inserted.push(one)
    const name = slot === 0 ? FIRST : SECOND
    await seen(
      (state) =>
        state.kind === 'ready' &&
        state.readers.some((reader) => reader.name === name && reader.card?.isInUse === false),
    )
    return one
  }
  /**
   * pcscd keeps a card for a closed connection until its command has ended. A card that is removed before that leaves the
   * reader busy until pcscd starts again (pcscd 1.9.9).
   */
  const seenFree = (): Promise<void> =>
    seen((state) => state.kind === 'ready' && state.readers[0]?.card?.isInUse === false)
  async function seen(isWanted: (state: ReadersState) => boolean): Promise<void> {
    if (isWanted(await readers.state())) return
    await new Promise<void>((resolve) => {
      const leave = readers.watch((state) => {
        if (!isWanted(state)) return
        leave()
        resolve()
      })
    })
  }

  test('are listed with their names, and a card that comes and goes is seen', async () => {
    const { card } = makeDocument('plain')
    const one = await insert(card)
    expect(await readers.state()).toEqual({
      kind: 'ready',
      readers: [
        { name: FIRST, isChosen: true, card: { kind: 'contactless', isInUse: false }, events: 1 },
        { name: SECOND, isChosen: true, card: null, events: 0 },
      ],
    })
    await one.remove()
    await seen((state) => state.kind === 'ready' && state.readers[0]?.card === null)
  })

  test('read a passport, tell the progress of each file, and leave no handle open', async () => {
    const { card, ...input } = makeDocument('eacpace')
    await insert(card)
    const countHandles = (): number => readdirSync(`/proc/${readers.pid() ?? 0}/fd`).length
    const before = countHandles()
    const progress: string[] = []
    const outcome = await readers.inspect({
      ...input,
      onProgress: ({ fileId, bytes, total }) => {
        if (bytes === total) progress.push(fileId.toString(16))
      },
    })
    expect(outcome).toMatchObject({
      kind: 'inspected',
      reader: FIRST,
      inspection: {
        verdict: 'successful',
        cloneProtection: { verdict: 'successful', protocol: 'chip_authentication' },
        data: { mrz: input.printedMrz },
      },
    })
    expect(progress).toEqual(['11c', '11e', '11d', '10e', '101', '102'])
    expect(countHandles()).toBe(before)
  })

  test('test a chip without a key', async () => {
    const { card } = makeDocument('eacpace')
    await insert(card)
    expect(await readers.test()).toEqual({
      kind: 'tested',
      test: {
        reader: FIRST,
        kind: 'contactless',
        atr: '3b80800101',
        protocols: ['PACE ECDH generic, TDES, parameters 13'],
        application: 'found',
        extendedLength: false,
      },
    })
  })

  test('continue with a card that was removed in the middle, without reading its files again', async () => {
    const { card, ...input } = makeDocument('bac', { card: { faults: { lostAt: 20 } } })
    await insert(card)
    const lost = await readers.inspect(input)
    expect(lost).toMatchObject({ kind: 'inspected', inspection: { verdict: 'aborted' } })
    await seen((state) => state.kind === 'ready' && state.readers[0]?.card === null)
    await insert(card)
    const sent = card.commands.length
    const progress = lost.kind === 'inspected' ? lost.inspection.progress : null
    const again = await readers.inspect({ ...input, progress })
    expect(again).toMatchObject({ kind: 'inspected', inspection: { verdict: 'successful' } })
    const whole = makeDocument('bac')
    await inspectChip(whole.card, whole)
    expect(card.commands.length - sent).toBeLessThan(whole.card.commands.length)
  })

  test('ask for a name if two of them have a card', async () => {
    const [one, other] = [makeDocument('plain'), makeDocument('plain')]
    await insert(one.card)
    await insert(other.card, 1)
    expect(await readers.inspect(one)).toEqual({ kind: 'fault', fault: 'several_cards' })
    expect(await readers.inspect({ ...other, reader: SECOND })).toMatchObject({ reader: SECOND })
    expect(await readers.inspect({ ...other, reader: 'Other' })).toEqual({
      kind: 'fault',
      fault: 'no_reader',
    })
  })

  test('give a fault without a card, and for one that another program has for itself', async () => {
    const { card, ...input } = makeDocument('plain')
    expect(await readers.inspect(input)).toEqual({ kind: 'fault', fault: 'no_card' })
    await insert(card)
    const slow = pause(card)
    const others = await open()
    try {
      const first = others.inspect(input)
      await slow.reached
      expect(await readers.inspect(input)).toEqual({ kind: 'fault', fault: 'reader_busy' })
      slow.goOn()
      expect(await first).toMatchObject({ kind: 'inspected' })
    } finally {
      await others.close()
    }
  })

  test('give up a chip that does not answer in time, and one whose reading the caller stops', async () => {
    const { card, ...input } = makeDocument('plain')
    await insert(card)
    const hasty = await open({ inspectionMs: 600 })
    try {
      await hasty.state()
      const silent = pause(card)
      expect(await hasty.inspect(input)).toEqual({ kind: 'fault', fault: 'too_slow' })
      silent.goOn()
    } finally {
      await hasty.close()
    }
    await seenFree()
    const slow = pause(card)
    const caller = new AbortController()
    const begin = () => readers.inspect({ ...input, signal: caller.signal })
    let stopped = begin()
    let tries = 0
    // pcscd may still be ending the closed connection.
    while ((await Promise.race([slow.reached, stopped])) !== undefined) {
      expect(await stopped).toEqual({ kind: 'fault', fault: 'reader_busy' })
      expect(++tries).toBeLessThan(200)
      await new Promise((resolve) => setTimeout(resolve, 50))
      stopped = begin()
    }
    caller.abort()
    expect(await stopped).toEqual({ kind: 'fault', fault: 'stopped' })
    slow.goOn()
  })

  test('work again after a crash of the process, whose inspection is no pass', async () => {
    const { card, ...input } = makeDocument('plain')
    await insert(card)
    const slow = pause(card)
    const crashed = readers.inspect(input)
    await slow.reached
    process.kill(readers.pid() ?? 0, 'SIGKILL')
    expect(await crashed).toEqual({ kind: 'fault', fault: 'process_ended' })
    slow.goOn()
    expect(logged).toContain('the reader process ended')
    await seenFree()
    expect(await readers.inspect(input)).toMatchObject({ inspection: { verdict: 'successful' } })
  })

  test('come back after a restart of pcscd', async () => {
    await pcscd.stop()
    await seen((state) => state.kind === 'unavailable')
    expect(await readers.inspect(makeDocument('plain'))).toEqual({ kind: 'fault', fault: 'no_daemon' })
    await pcscd.start()
    await seen((state) => state.kind === 'ready')
    const { card, ...input } = makeDocument('plain')
    await insert(card)
    expect(await readers.inspect(input)).toMatchObject({ inspection: { verdict: 'successful' } })
  })

  test('refuse wrong keys as the chip does', async () => {
    const { card, ...input } = makeDocument('bac')
    await insert(card)
    const field = (text: string, digit: string) => ({ text, digit })
    const mrz = listMrzKeys({
      documentNumber: field('X00000000', '4'),
      dateOfBirth: field('640812', '5'),
      dateOfExpiry: field('201031', '2'),
    }).slice(0, 1)
    const outcome = await readers.inspect({ ...input, keys: { mrz, can: null } })
    expect(outcome).toMatchObject({ kind: 'inspected', inspection: { verdict: 'failed' } })
  })
})

/** Keeps the card from answering its third command until `goOn`. */
function pause(card: ChipCard): { readonly reached: Promise<void>; goOn(): void } {
  const transmit = card.transmit.bind(card)
  const [reached, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let count = 0
  card.transmit = async (command) => {
    count += 1
    if (count === 3) {
      reached.resolve()
      await going.promise
    }
    return transmit(command)
  }
  return { reached: reached.promise, goOn: () => going.resolve() }
}

test('without pcscd the fault names it, and the process does not try without pause', async () => {
  const readers = await openReaders({ log: () => undefined, socketPath: '/nowhere/pcscd.comm' })
  try {
    expect(await readers.state()).toEqual({ kind: 'unavailable', fault: 'no_daemon' })
    expect(await readers.inspect(makeDocument('plain'))).toEqual({ kind: 'fault', fault: 'no_daemon' })
  } finally {
    await readers.close()
  }
})

test('a process that gives an incomplete report is ended, and its report is no pass', async () => {
  const logged: string[] = []
  const readers = await openReaders({
    log: (event) => logged.push(event),
    socketPath: '/nowhere/pcscd.comm',
    program: LYING,
  })
  try {
    expect(await readers.inspect(makeDocument('plain'))).toEqual({ kind: 'fault', fault: 'process_ended' })
    expect(logged).toContain('the reader process ended')
  } finally {
    await readers.close()
  }
})
