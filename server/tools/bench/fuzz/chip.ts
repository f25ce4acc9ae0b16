/**
 * Sends damaged files, commands and replies of a chip through every parser in this process. Each must be read or refused with a
 * ChipFault, in bounded time and memory, and nothing that was changed may pass as genuine.
 */
import { ChipFault } from '../../../chip/outcome.ts'
import { createRandom } from '../../specimen/head/noise.ts'
import { noise, pickOne, whole, type Random } from './bytes.ts'
import { makeChipTargets, type ChipTarget } from './chip-targets.ts'

interface ChipFuzzOptions {
  /** Number of inputs for each parser. */
  readonly inputs: number
  readonly seed: number
  /** Only parsers with this text in their name; empty: all. */
  readonly parser?: string
  /** Receives a line when a parser has had its inputs. */
  readonly tell?: (line: string) => void
}

interface ParserFigures {
  readonly sent: number
  readonly read: number
  readonly refused: number
  /** The longest processor time of one input, in milliseconds: other work on the machine does not count. */
  readonly slowestMs: number
}

export interface ChipFuzz {
  readonly seed: number
  /** The sum over all parsers. */
  readonly inputs: number
  readonly parsers: Readonly<Record<string, ParserFigures>>
  /** Growth of the memory of the process while it ran, in MiB. */
  readonly grownMib: number
  /** Parser and fault → number of inputs. There must be none. */
  readonly failures: Readonly<Record<string, number>>
}

/** Processor time; the slowest parser takes a fiftieth of it. */
export const MAX_CHIP_INPUT_MS = 1000
const MAX_GROWN_MIB = 256
const MAX_CHANGES = 4
const BYTES_PER_MIB = 1024 * 1024
const MICROSECONDS_PER_MS = 1000
/** Bytes that begin, end or stretch an object. */
const TELLING_BYTES = [0x00, 0x01, 0x30, 0x7f, 0x80, 0x81, 0x82, 0x84, 0x85, 0xff] as const

/** @param all other parsers, for tests of the bench */
export function fuzzChip(options: ChipFuzzOptions, all = makeChipTargets()): ChipFuzz {
  const { inputs, seed, parser = '', tell = () => undefined } = options
  const seeds = all.flatMap((target) => target.seeds)
  const targets = all.filter(({ name }) => name.includes(parser))
  const failures: Record<string, number> = {}
  const fail = (name: string): void => void (failures[name] = (failures[name] ?? 0) + 1)
  const before = process.memoryUsage().rss
  const fuzzParser = (target: ChipTarget): ParserFigures => {
    const figures = { sent: 0, read: 0, refused: 0, slowestMs: 0 }
    // Each parser has its own row of changes, so that one alone gets what it gets among all.
    const random = createRandom(seed)
    for (; figures.sent < inputs; figures.sent += 1) {
      const original = pickOne(random, target.seeds)
      const input = change(original, random, seeds)
      const started = process.cpuUsage()
      const end = send(target, input, original)
      const { user, system } = process.cpuUsage(started)
      figures.slowestMs = Math.max(figures.slowestMs, (user + system) / MICROSECONDS_PER_MS)
      if (end === 'read' || end === 'refused') figures[end] += 1
      else fail(`${target.name}: ${end}`)
    }
    if (figures.slowestMs > MAX_CHIP_INPUT_MS) fail(`${target.name}: slow`)
    tell(`${target.name}: ${figures.read} read, ${figures.refused} refused of ${figures.sent}`)
    return figures
  }
  const parsers = Object.fromEntries(targets.map((target) => [target.name, fuzzParser(target)]))
  const grownMib = Math.max(0, Math.round((process.memoryUsage().rss - before) / BYTES_PER_MIB))
  if (grownMib > MAX_GROWN_MIB) fail('memory')
  return { seed, inputs: inputs * targets.length, parsers, grownMib, failures }
}

/** The end of one input; any other word than the first two is a failure. */
function send({ parse, isGenuine }: ChipTarget, input: Buffer, original: Uint8Array): string {
  try {
    parse(input)
  } catch (error) {
    if (error instanceof ChipFault) return 'refused'
    return error instanceof Error ? error.name : 'unknown exception'
  }
  const isForged = isGenuine !== undefined && !input.equals(original) && !isGenuine(input)
  return isForged ? 'forgery accepted' : 'read'
}

function change(original: Uint8Array, random: Random, seeds: readonly Uint8Array[]): Buffer {
  const changes = 1 + whole(random, MAX_CHANGES)
  let bytes: Buffer = Buffer.from(original)
  for (let i = 0; i < changes; i += 1) bytes = pickOne(random, CHANGES)(bytes, random, seeds)
  return bytes
}

type Change = (bytes: Buffer, random: Random, seeds: readonly Uint8Array[]) => Buffer

const CHANGES: readonly Change[] = [
  (bytes, random) => replaceByte(bytes, random, (byte) => byte ^ (1 << whole(random, 8))),
  (bytes, random) => replaceByte(bytes, random, () => pickOne(random, TELLING_BYTES)),
  (bytes, random) => replaceByte(bytes, random, (byte) => byte + pickOne(random, [-1, 1])),
  (bytes, random) => bytes.subarray(0, whole(random, bytes.length + 1)),
  (bytes, random) => bytes.subarray(whole(random, bytes.length + 1)),
  (bytes, random) => insert(bytes, random, noise(random, 1 + whole(random, 8))),
  (bytes, random) => insert(bytes, random, cut(bytes, random)),
  (bytes, random, seeds) => insert(bytes, random, cut(Buffer.from(pickOne(random, seeds)), random)),
  (bytes, random) => removePiece(bytes, random),
  (_, random) => noise(random, whole(random, 64)),
]

function replaceByte(bytes: Buffer, random: Random, replace: (byte: number) => number): Buffer {
  const changed = Buffer.from(bytes)
  const at = whole(random, bytes.length)
  if (at < changed.length) changed[at] = replace(changed[at] ?? 0) & 0xff
  return changed
}

function cut(bytes: Buffer, random: Random): Buffer {
  const start = whole(random, bytes.length)
  return bytes.subarray(start, start + 1 + whole(random, 64))
}

function insert(bytes: Buffer, random: Random, piece: Buffer): Buffer {
  const at = whole(random, bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)])
}

function removePiece(bytes: Buffer, random: Random): Buffer {
  const at = whole(random, bytes.length)
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + whole(random, 16))])
}
