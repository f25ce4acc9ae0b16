/**
 * Tests the vision worker for memory leaks: a real worker process measures liveness sessions one after the other, and its
 * resident size is read from time to time. Prints only bytes and counts.
 */
import sharp from 'sharp'
import { createRandom } from '../../specimen/head/noise.ts'
import { FRAME, type HeadPose } from '../../specimen/liveness/camera.ts'
import { createSway } from '../../specimen/liveness/sway.ts'
import { present } from '../../specimen/liveness/stage.ts'
import { startVision } from '../../../vision/client.ts'
import { readManifest, type Pack } from '../../../vision/manifest.ts'
import type { TrackedPicture, Vision } from '../../../vision/protocol.ts'
import { openSessions } from '../../../vision/sessions.ts'
import { loadPeople, seatPerson, type Person } from './people.ts'

interface MemoryOptions {
  readonly modelsDir: string
  readonly packs: readonly Pack[]
  readonly facesDir: string | null
  readonly seed: number
}

interface MemoryReading {
  readonly session: number
  readonly residentBytes: number
}

interface MemoryFigures {
  readonly sessions: number
  readonly calls: number
  readonly readings: readonly MemoryReading[]
  /** Growth from session 50 on, when every buffer has held its largest picture; null for a shorter run. */
  readonly growthBytes: number | null
  /** Replaced workers; if there are any, the growth is meaningless. */
  readonly replaced: number
}

/** Pictures of a session: about 3 s, each tracked. */
const FRAMES = 30
const FRAME_MS = 90
/** Indices of the straight view and of the ends of the movements, as poseAt plays them. */
const REFERENCE = 2
const TARGETS = [9, 14, 19, 24, 29]
const PORTRAITS = [1, 2, 3, 12]
/** Number of different sessions that are drawn and then replayed; one has a camera with four times the pixels. */
const DRAWN = 6
const LARGE_EVERY = 3
const WARM_FROM = 50
const READ_EVERY = 25
const STRAIGHT_CM = 50

/** One worker measures `sessions` sessions. */
export async function measureMemory(
  sessions: number,
  { modelsDir, packs, facesDir, seed }: MemoryOptions,
): Promise<MemoryFigures> {
  const drawn = await drawSessions(modelsDir, facesDir, seed)
  const vision = await startVision({ log: () => undefined, modelsDir, packs })
  const readings: MemoryReading[] = []
  try {
    let calls = 0
    for (let session = 1; session <= sessions; session++) {
      calls += await playSession(vision, drawn[session % drawn.length])
      if (session % READ_EVERY !== 0 && session !== sessions) continue
      const reading = { session, residentBytes: (await vision.health({})).residentBytes }
      readings.push(reading)
      sayReading(reading)
    }
    const { crashed, hung, grown } = vision.restarts()
    return {
      sessions,
      calls,
      readings,
      growthBytes: computeGrowth(readings),
      replaced: crashed + hung + grown,
    }
  } finally {
    await vision.close()
  }
}

function sayReading({ session, residentBytes }: MemoryReading): void {
  process.stderr.write(`session ${session}: ${(residentBytes / 1e6).toFixed(1)} MB resident\n`)
}

function computeGrowth(readings: readonly MemoryReading[]): number | null {
  const warm = readings.find(({ session }) => session >= WARM_FROM)
  const last = readings.at(-1)
  return warm && last && last !== warm ? last.residentBytes - warm.residentBytes : null
}

/** Draws all pictures of each session before the measurement. */
async function drawSessions(
  modelsDir: string,
  facesDir: string | null,
  seed: number,
): Promise<readonly (readonly Uint8Array[])[]> {
  const networks = await openSessions(readManifest(), modelsDir, ['core'])
  const people = await loadPeople(networks, facesDir, 'all')
  const drawn: Uint8Array[][] = []
  for (let i = 0; i < DRAWN; i++)
    drawn.push(await drawSession(people[i % people.length], seed + i, i % LARGE_EVERY === LARGE_EVERY - 1))
  return drawn
}

async function drawSession(person: Person, seed: number, isLarge: boolean): Promise<Uint8Array[]> {
  const random = createRandom(seed)
  const subjectHead = seatPerson(person, random)
  const background = {
    data: new Uint8Array(FRAME.width * FRAME.height * 3).fill(140),
    width: FRAME.width,
    height: FRAME.height,
  }
  const presentation = present(
    { species: 'live', subjectHead, wearer: subjectHead, background, noise: 'nominal' },
    random,
  )
  const sway = createSway(random)
  const pictures: Uint8Array[] = []
  for (let i = 0; i < FRAMES; i++) {
    const picture = await presentation.picture(poseAt(i, sway.at(i * FRAME_MS)))
    pictures.push(isLarge ? await enlarged(picture) : picture)
  }
  return pictures
}

/** Straight, left, right, up and nearer, five pictures each. */
function poseAt(i: number, sway: HeadPose): HeadPose {
  const share = (from: number) => Math.max(0, 1 - Math.abs(i - from) / 4)
  return {
    ...sway,
    distance: STRAIGHT_CM + sway.distance - 17 * share(29),
    yawDeg: sway.yawDeg + 25 * share(9) - 25 * share(14),
    pitchDeg: sway.pitchDeg + 16 * share(19) - 14 * share(24),
    jaw: Math.abs(sway.jaw),
  }
}

async function enlarged(picture: Uint8Array): Promise<Uint8Array> {
  return sharp(picture)
    .resize(FRAME.width * 2, FRAME.height * 2)
    .jpeg()
    .toBuffer()
}

/** Returns the number of calls. */
async function playSession(vision: Vision, pictures: readonly Uint8Array[]): Promise<number> {
  const tracked: (TrackedPicture | null)[] = []
  for (const image of pictures) {
    const last = tracked.at(-1)?.points ?? null
    const { face } = await vision.trackFace({ image, last })
    tracked.push(face && { image, points: face.points })
  }
  const chosen = (places: readonly number[]) => places.map((i) => tracked[i]).filter((one) => one !== null)
  const [reference] = chosen([REFERENCE])
  if (!reference) return pictures.length
  await vision.measureLiveness({ reference, targets: chosen(TARGETS), portraits: chosen(PORTRAITS) })
  return pictures.length + 1
}
