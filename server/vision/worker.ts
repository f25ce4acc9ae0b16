/**
 * Process of the vision worker: loads the networks once, then answers requests sequentially. Has no access to the
 * database, keys or the network, and never writes an image or a reading.
 */
import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import sharp from 'sharp'
import { AppError } from '../errors.ts'
import type { CallTable } from './calls.ts'
import { createCalls } from './calls.ts'
import { ModelRefusedError } from './capabilities.ts'
import { readManifest } from './manifest.ts'
import { ArrivedBytes } from './large-bytes.ts'
import { openEngines } from './engines/open-engines.ts'
import type { AskService, EngineReply } from './engines/http-protocol.ts'
import type { Reply, Request, ServiceAnswer, ToWorker, WorkerConfig } from './messages.ts'
import { buildCorePack } from './packs.ts'
import { ImageFaultError } from './protocol.ts'
import { openSessions } from './sessions.ts'

const send = (reply: Reply): void => void process.send?.(reply)

async function boot(config: WorkerConfig): Promise<CallTable> {
  const manifest = readManifest(config.manifestPath)
  const unbuilt: string[] = []
  const built = await buildCorePack(manifest, config.modelsDir, ({ id }) => void unbuilt.push(id))
  const sessions = await openSessions(manifest, config.modelsDir, config.packs, {
    unbuilt,
    calls: config.calls,
  })
  const packs = [...new Set(sessions.models.map(({ pack }) => pack))]
  const mounts = config.engines ?? {}
  const engines = await openEngines(sessions, mounts, askService)
  const mounted = [mounts.faceMatching?.manifest, mounts.attackDetection?.manifest]
  send({
    kind: 'ready',
    packs,
    models: sessions.models.length,
    built: built.length,
    refused: sessions.refused.map(({ id }) => id),
    mounted: mounted.flatMap((engine) => (engine ? [`${engine.id} ${engine.version}`] : [])),
  })
  return createCalls(sessions, engines, config.calls)
}

/** Calls of engines' services that the server makes for this process. */
const asked = new Map<number, (reply: EngineReply) => void>()
let lastAsk = 0
const askService: AskService = (engine, call) =>
  new Promise((resolve) => {
    asked.set(++lastAsk, resolve)
    send({ kind: 'ask', ask: lastAsk, engine, call })
  })

function settleAsk({ ask, reply }: ServiceAnswer): void {
  asked.get(ask)?.(reply)
  asked.delete(ask)
}

/** File and line of our own code, because an error message may quote personal data. */
function locateError(error: Error): string {
  const frames = error.stack?.split('\n').filter((line) => line.trimStart().startsWith('at ')) ?? []
  // The first frame with a location: a typed array's own frame has none.
  for (const frame of frames) {
    const place = frame.match(/([\w.-]+:\d+:\d+)\)?$/)
    if (place) return place[1]
  }
  return 'unknown'
}

async function answer(calls: CallTable, request: Request): Promise<Reply> {
  const { id, call } = request
  try {
    const run = calls[call] as (input: unknown) => Promise<unknown>
    const value = await run(request.input)
    return { kind: 'value', id, value, residentBytes: process.memoryUsage.rss() }
  } catch (error) {
    const residentBytes = process.memoryUsage.rss()
    if (error instanceof ImageFaultError) return { kind: 'fault', id, fault: error.fault, residentBytes }
    if (error instanceof ModelRefusedError)
      return { kind: 'refused', id, models: error.models, residentBytes }
    const known = error instanceof Error
    return {
      kind: 'error',
      id,
      errorName: known ? error.name : typeof error,
      at: known ? locateError(error) : 'unknown',
      residentBytes,
    }
  }
}

const NICEST = 19

/** Linux keeps niceness per thread; threads started later inherit it. */
function yieldToTheServer(nicerBy: number): void {
  const niceness = Math.min(getPriority() + nicerBy, NICEST)
  try {
    for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), niceness)
  } catch {
    setPriority(niceness)
  }
}

async function main(config: WorkerConfig): Promise<void> {
  yieldToTheServer(config.nicerBy)
  sharp.cache(false) // a picture must not be kept after its request
  sharp.concurrency(1)
  // The client ends the worker by closing the channel; Ctrl-C and systemd's stop signal also reach the client.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit(0))

  let calls: CallTable
  try {
    calls = await boot(config)
  } catch (error) {
    const failure = error instanceof AppError ? error : new AppError('internal', {}, { cause: error })
    if (!(error instanceof AppError)) reportBootFailure(error)
    process.send?.(
      { kind: 'boot_failed', code: failure.code, details: failure.details } satisfies Reply,
      () => process.exit(1),
    )
    return
  }
  let last: Promise<void> = Promise.resolve()
  const arrived = new ArrivedBytes()
  process.on('message', (message: ToWorker) => {
    if ('kind' in message && message.kind === 'answer') return settleAsk(message)
    const request = arrived.take(message)
    if (request) last = last.then(async () => send(await answer(calls, request)))
  })
}

/** No picture was processed yet, so the full error may go to stderr, which the client reads. */
function reportBootFailure(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}

await main(JSON.parse(process.argv[2]) as WorkerConfig)
