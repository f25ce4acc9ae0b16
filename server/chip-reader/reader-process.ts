/**
 * Process of the readers: watches them and inspects chips. It parses hostile data, so it has no access to database, files, keys of the
 * appliance or network: the server opens each connection to pcscd and passes its descriptor. Never writes data of a chip.
 */
import type { Socket } from 'node:net'
import { findCardKind } from './card-kind.ts'
import { inspectCard, ReaderFaultError, testCard, toReaderFault } from './inspect-card.ts'
import type { FromProcess, InspectionOutcome, ReaderFault, TestOutcome, ToProcess } from './messages.ts'
import { PcscConnection } from './pcsc-connection.ts'
import type { ReaderState } from './pcsc-messages.ts'

const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 10_000
/** A reader that changes without end is reported at most this often. */
const MIN_WATCH_MS = 50

interface Opening {
  readonly resolve: (socket: Socket) => void
  readonly reject: (error: ReaderFaultError) => void
}
interface Work {
  connection: PcscConnection | null
  /** Why it was stopped. */
  fault: ReaderFault | null
}

const openings = new Map<number, Opening>()
const works = new Map<number, Work>()
let lastOpening = 0

const send = (message: FromProcess): void => {
  if (process.connected) process.send?.(message)
}
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

function openSocket(): Promise<Socket> {
  const id = ++lastOpening
  return new Promise((resolve, reject) => {
    openings.set(id, { resolve, reject })
    send({ kind: 'open', id })
  })
}

async function openConnection(): Promise<PcscConnection> {
  return PcscConnection.open(await openSocket())
}

/** Reports the readers after each change, and tries again with growing pauses while pcscd is away. */
async function watch(): Promise<never> {
  let pauseMs = FIRST_PAUSE_MS
  for (;;) {
    let connection: PcscConnection | null = null
    try {
      connection = await openConnection()
      for (;;) {
        await connection.waitForChange((readers) => {
          pauseMs = FIRST_PAUSE_MS
          send({ kind: 'readers', readers: readers.map(toInfo) })
        })
        await wait(MIN_WATCH_MS)
      }
    } catch (error) {
      connection?.close()
      send({ kind: 'unavailable', fault: toReaderFault(error) })
    }
    await wait(pauseMs)
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
  }
}

function toInfo({ name, hasCard, isInUse, atr, events }: ReaderState) {
  return { name, card: hasCard ? { kind: findCardKind(atr), isInUse } : null, events }
}

/** Runs a task on a connection of its own, which ends with it. */
async function run<Outcome>(
  id: number,
  task: (connection: PcscConnection) => Promise<Outcome>,
): Promise<Outcome | { readonly kind: 'fault'; readonly fault: ReaderFault }> {
  const work: Work = { connection: null, fault: null }
  works.set(id, work)
  try {
    work.connection = await openConnection()
    if (work.fault !== null) throw new ReaderFaultError(work.fault)
    const outcome = await task(work.connection)
    return work.fault === null ? outcome : { kind: 'fault', fault: work.fault }
  } catch (error) {
    return { kind: 'fault', fault: work.fault ?? toReaderFault(error) }
  } finally {
    work.connection?.close()
    works.delete(id)
  }
}

async function inspect({ id, reader, request }: Extract<ToProcess, { kind: 'inspect' }>): Promise<void> {
  const outcome: InspectionOutcome = await run(id, (connection) =>
    inspectCard(connection, reader, request, ({ fileId, bytes, totalLength }) =>
      send({ kind: 'progress', id, fileId, bytes: bytes.length, total: totalLength }),
    ),
  )
  send({ kind: 'inspection', id, outcome, residentBytes: process.memoryUsage.rss() })
}

async function test({ id, reader }: Extract<ToProcess, { kind: 'test' }>): Promise<void> {
  const outcome: TestOutcome = await run(id, (connection) => testCard(connection, reader))
  send({ kind: 'test', id, outcome })
}

function stop({ id, fault }: Extract<ToProcess, { kind: 'stop' }>): void {
  const work = works.get(id)
  if (work === undefined) return
  work.fault = fault
  work.connection?.close()
}

function settleOpening(message: Extract<ToProcess, { kind: 'opened' | 'refused' }>, socket?: Socket): void {
  const opening = openings.get(message.id)
  openings.delete(message.id)
  if (message.kind === 'opened' && socket !== undefined) opening?.resolve(socket)
  else opening?.reject(new ReaderFaultError(message.kind === 'refused' ? message.fault : 'no_daemon'))
}

function receive(message: ToProcess, socket?: Socket): void {
  switch (message.kind) {
    case 'opened':
    case 'refused':
      return settleOpening(message, socket)
    case 'inspect':
      return void inspect(message)
    case 'test':
      return void test(message)
    case 'stop':
      return stop(message)
  }
}

// Ctrl-C or systemd's stop reaches the server as well, which closes the channel when it is done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit(0))
process.on('message', (message, socket) => receive(message as ToProcess, socket as Socket | undefined))
send({ kind: 'ready' })
void watch()
