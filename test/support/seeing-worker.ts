/**
 * A vision worker for tests with a real browser: a file defines what a camera's pictures show. It is a
 * process like the real one, so that the real watchdog starts it, and restarts it when it is killed. It
 * judges nothing.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { ArrivedBytes } from '../../server/vision/large-bytes.ts'
import type { Reply, Request, ServiceAnswer, ToWorker } from '../../server/vision/messages.ts'
import {
  ImageFaultError,
  type FaceComparison,
  type PortraitMeasurement,
} from '../../server/vision/protocol.ts'
import { picture, scriptedVision, type Scene } from '../server/app/scripted-vision.ts'
import { liveActor } from './live-actor.ts'

type Prompt = Parameters<ReturnType<typeof liveActor>['picture']>[0]

/** The present scene of the cameras; the test writes it, every call reads it. */
export interface Sight {
  readonly document: Scene | null
  readonly face: string
  /** The camera sees a room without a person. */
  readonly isFaceAway?: boolean
  /** The film is good, and its portrait too dark. */
  readonly isPortraitDark?: boolean
  /** The page's prompt. */
  readonly prompt: Prompt | null
  /** Calls that get no answer while they are listed here. */
  readonly held: readonly string[]
  /**
   * File that gets a distinctive part of every picture in hexadecimal digits, so that a test can search for it elsewhere.
   */
  readonly piecesFile: string | null
}

const OF_PERSONS = [
  'trackFace',
  'measurePortrait',
  'cropPortrait',
  'measureLiveness',
  'compareFaces',
  'makeTemplate',
]
const PIECE_BYTES = 32
/** Fewer different bytes are a uniform area, whose code (often zeros) stands in many files by chance. */
const MIN_DIFFERENT_BYTES = 20
const sightFile = process.argv[2]
const vision = scriptedVision()
const sight = (): Sight => JSON.parse(readFileSync(sightFile, 'utf8')) as Sight

let actor: ReturnType<typeof liveActor> | null = null
let lastMs = 0
/** The subject follows the prompt as time passes. */
function personNow({ face, prompt }: Sight): Uint8Array {
  actor ??= liveActor({ face })
  const now = performance.now()
  const elapsedMs = Math.min(now - lastMs, 400)
  lastMs = now
  actor.become(face)
  return prompt ? actor.picture(prompt, elapsedMs) : picture({ shows: 'person', face })
}

function seenAs(call: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return isJpeg(value) ? replacement(call, value) : value
  if (Array.isArray(value)) return value.map((one: unknown) => seenAs(call, one))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, seenAs(call, one)]))
}

const isJpeg = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === 0xd8

/** Returns the first piece of the picture's coded half that only this picture contains, or null. */
function findDistinctivePiece(bytes: Uint8Array): Buffer | null {
  for (let at = bytes.byteLength >> 1; at + PIECE_BYTES <= bytes.byteLength; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES)
    if (new Set(piece).size >= MIN_DIFFERENT_BYTES) return Buffer.from(piece)
  }
  return null
}

function replacement(call: string, bytes: Uint8Array): Uint8Array {
  const now = sight()
  if (now.piecesFile) {
    const piece = findDistinctivePiece(bytes)
    if (piece) appendFileSync(now.piecesFile, `${call} ${piece.toString('hex')}\n`)
  }
  if (call === 'trackFace') return now.isFaceAway ? picture({ shows: 'person', face: null }) : personNow(now)
  return OF_PERSONS.includes(call)
    ? picture({ shows: 'person', face: now.face })
    : picture(now.document ?? { shows: 'person', face: null })
}

/** Darkens the faces of a portrait's measurement, and that of a comparison. */
function darken(value: unknown): void {
  const { faces, probe } = value as Partial<PortraitMeasurement & FaceComparison>
  for (const face of [...(faces ?? []), ...(probe?.faces ?? [])]) Object.assign(face, { luminanceMean: 8 })
}

async function answer({ id, call, input }: Request): Promise<Reply> {
  const residentBytes = process.memoryUsage.rss()
  while (sight().held.includes(call)) await new Promise((resolve) => setTimeout(resolve, 30))
  try {
    const run = (vision[call] as (given: unknown) => Promise<unknown>).bind(vision)
    const value = await run(seenAs(call, input))
    // The original picture is kept, not the one that was measured in its place.
    if ('image' in input && (call === 'inspectImage' || call === 'trackFace'))
      Object.assign(value as object, { byteLength: input.image.byteLength })
    // Seen by its lines, because the scripted vision finds no outline.
    if (call === 'assessFrame') Object.assign(value as object, { seenBy: sight().document ? 'zone' : null })
    if (sight().isPortraitDark) darken(value)
    return { kind: 'value', id, value, residentBytes }
  } catch (error) {
    if (error instanceof ImageFaultError) return { kind: 'fault', id, fault: error.fault, residentBytes }
    return { kind: 'error', id, errorName: (error as Error).name, at: 'seeing-worker', residentBytes }
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit(0))
let last: Promise<void> = Promise.resolve()
const arrived = new ArrivedBytes()
process.on('message', (message: Exclude<ToWorker, ServiceAnswer>) => {
  const request = arrived.take(message)
  if (request) last = last.then(async () => void process.send?.(await answer(request)))
})
process.send?.({
  kind: 'ready',
  packs: ['core'],
  models: 0,
  built: 0,
  refused: [],
  mounted: [],
} satisfies Reply)
