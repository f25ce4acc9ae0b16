/**
 * Measures the processing of a capture session's live picture: 1080p frames of specimens on a table, processed in this
 * process as in the vision worker. Reports clock and processor time, because other work on the machine slows only the
 * clock.
 */
import { createCalls } from '../../vision/calls.ts'
import { percentile } from '../../vision/documents/percentiles.ts'
import { readManifest } from '../../vision/manifest.ts'
import { buildCorePack, defaultModelsDir } from '../../vision/packs.ts'
import { openSessions } from '../../vision/sessions.ts'
import { FRAME, photograph } from './quality-scenes.ts'
import type { Specimen } from './quality-specimens.ts'

interface Times {
  readonly median: number
  readonly p95: number
}

export interface FrameTimes {
  readonly frames: number
  readonly wallMs: Times
  readonly cpuMs: Times
}

/** Frames of the stream in turn: good ones, and each kind of bad ones that takes another path through the code. */
const SEEN = [
  {},
  { dpi: 80 },
  { fill: 1.2 },
  { tiltDeg: 30 },
  { cutShare: 0.15 },
  { exposure: 0.03 },
] as const
/** The first pictures are slow because code is not yet compiled. */
const WARM_UP = 20

export async function timeFrames(
  specimens: readonly Specimen[],
  seed: number,
  frames: number,
): Promise<FrameTimes> {
  const manifest = readManifest()
  await buildCorePack(manifest, defaultModelsDir())
  const calls = createCalls(await openSessions(manifest, defaultModelsDir(), ['core']))
  const pictures: Uint8Array[] = []
  for (const [n, spoiling] of SEEN.entries())
    pictures.push((await photograph(specimens[n % specimens.length], spoiling, seed + n, FRAME)).jpeg)
  const [wall, cpu]: [number[], number[]] = [[], []]
  for (let n = -WARM_UP; n < frames; n++) {
    const [startedAt, before] = [performance.now(), process.cpuUsage()]
    await calls.assessFrame({ image: pictures[(n + WARM_UP) % pictures.length] })
    const { user, system } = process.cpuUsage(before)
    if (n < 0) continue
    wall.push(performance.now() - startedAt)
    cpu.push((user + system) / 1000)
  }
  return { frames, wallMs: summariseTimes(wall), cpuMs: summariseTimes(cpu) }
}

function summariseTimes(values: readonly number[]): Times {
  const told = (share: number) => Number(percentile(values, share).toFixed(1))
  return { median: told(0.5), p95: told(0.95) }
}
