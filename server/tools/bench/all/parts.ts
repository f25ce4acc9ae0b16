/** The parts of `npm run bench`: each bench with small settings and the figures that it contributes, and what no other bench measures. */
import { spawn } from 'node:child_process'
import { RUN } from '../../demo/server-process.ts'
import { measureAppliance } from './appliance.ts'
import type { Figure, Goal } from './figure.ts'
import { compareReads } from './floors/reads.ts'
import { compareSealing } from './floors/sealing.ts'
import { compareVision } from './floors/vision.ts'

export type Part = BenchPart | OwnPart

interface BenchPart {
  /** `npm run bench:NAME`. */
  readonly name: string
  readonly argv: readonly string[]
  readonly figures: readonly JsonNumber[]
}

interface OwnPart {
  readonly name: string
  /** The figures it measures, in words. */
  readonly summary: string
  measure(settings: Settings): Promise<Figure[]>
}

interface Settings {
  /** Identities that the second appliance keeps. */
  readonly kept: number
  readonly say: (line: string) => void
  /** Ends a bench that runs. */
  readonly signal: AbortSignal
}

/** A number in the JSON of a bench. */
interface JsonNumber extends Pick<Figure, 'name' | 'unit'> {
  /** Keys and indices, with dots. */
  readonly path: string
  readonly goal?: Goal
  /** The number is a count of these: the figure is a share. */
  readonly of?: string
}

const NONE = { atMost: 0 }

export const PARTS: readonly Part[] = [
  {
    name: 'floor-api',
    summary: 'GET identity beside bare Express over better-sqlite3',
    measure: compareReads,
  },
  {
    name: 'floor-sealing',
    summary: 'a proof beside SHA-256, AES-256-GCM and fsync of as many bytes',
    measure: compareSealing,
  },
  {
    name: 'floor-vision',
    summary: 'MRZ beside tesseract.js, portrait beside its networks, PDF417 beside zxing-wasm',
    measure: compareVision,
  },
  {
    name: 'appliance',
    summary: 'start, memory, a whole proofing and GET identity; without and with kept identities',
    measure: async ({ kept, say }) => [
      ...(await measureAppliance(0, say)),
      ...(await measureAppliance(kept, say)),
    ],
  },
  {
    name: 'api',
    argv: ['--seconds', '10', '--identities', '20'],
    figures: [
      { name: 'GET identity at 300/s while verifying, p99', path: 'p99', unit: 'ms', goal: { atMost: 10 } },
      { name: 'documents verified in 10 s', path: 'documentsVerified', unit: '1' },
      { name: 'errors', path: 'errors', unit: '1', goal: NONE },
    ],
  },
  {
    name: 'mrz',
    argv: [],
    figures: [
      { name: 'exact', path: 'exact', of: 'images', unit: '1' },
      { name: 'accepted although wrong', path: 'autoAcceptedWrong', unit: '1', goal: NONE },
      { name: 'processor time, median', path: 'cpuMsMedian', unit: 'ms' },
    ],
  },
  {
    name: 'pdf417',
    argv: [],
    figures: [
      { name: 'exact', path: 'exact', of: 'images', unit: '1' },
      { name: 'wrong', path: 'wrong', unit: '1', goal: NONE },
      { name: 'wall, median', path: 'msMedian', unit: 'ms' },
    ],
  },
  { name: 'aamva', argv: [], figures: [{ name: 'plausible', path: 'plausible', of: 'files', unit: '1' }] },
  {
    name: 'documents',
    argv: [
      '--rendered',
      '--scenes',
      '11',
      '--forged',
      '11',
      '--genuine',
      '0',
      '--negatives',
      '2',
      '--big',
      '3',
    ],
    figures: [
      { name: 'rendered fields exact', path: 'fields.all.exact', unit: '1', goal: { atLeast: 0.97 } },
      { name: 'forged documents that pass', path: 'forged.passed', unit: '1', goal: NONE },
      {
        name: 'passport of 12 megapixels, processor',
        path: 'bigPictures.0.processorMs',
        unit: 'ms',
        goal: { atMost: 1200 },
      },
      {
        name: 'passport of 12 megapixels, wall',
        path: 'bigPictures.0.wallMs',
        unit: 'ms',
        goal: { atMost: 900 },
      },
      {
        name: 'card without an MRZ, processor',
        path: 'bigPictures.1.processorMs',
        unit: 'ms',
        goal: { atMost: 1500 },
      },
    ],
  },
  {
    name: 'quality',
    argv: ['--specimens', '2', '--only', 'dark,blur'],
    figures: [{ name: 'series outside their limits', path: 'violations', unit: '1', goal: NONE }],
  },
  {
    name: 'authenticity',
    argv: ['--pictures', '1', '--scenes', '2'],
    figures: [{ name: 'wall of a picture, median', path: 'msMedian', unit: 'ms' }],
  },
  {
    name: 'faces',
    argv: ['--packs', 'core'],
    figures: [
      {
        name: 'one picture, FNMR at the pinned point',
        path: 'idSim.fnmrAtOperatingPoint',
        unit: '1',
        goal: { atMost: 0.08 },
      },
      {
        name: 'one picture, FMR at the pinned point',
        path: 'idSim.fmrAtOperatingPoint',
        unit: '1',
        goal: { atMost: 0.001 },
      },
      { name: 'portrait enrolled, wall', path: 'msMedian', unit: 'ms' },
    ],
  },
  {
    name: 'face-index',
    argv: ['--entries', '1000', '--runs', '3'],
    figures: [{ name: 'search among 1 000 people', path: 'measured.0.searchMs', unit: 'ms' }],
  },
  {
    name: 'liveness',
    argv: ['--speed', '--types', 'LIVENESS_MLC', '--per', '3', '--packs', 'core'],
    figures: [
      {
        name: 'last picture to verdict, median',
        path: 'speed.0.verdictMs.median',
        unit: 'ms',
        goal: { atMost: 400 },
      },
      { name: 'live picture, processor', path: 'speed.0.processorMs.perPicture', unit: 'ms' },
    ],
  },
  { name: 'pad', argv: ['--simulate', '--per', '4'], figures: [] },
  {
    name: 'watchlist',
    argv: ['--persons', '4000', '--trials', '300'],
    figures: [
      { name: 'listed people missed', path: 'inForce.misses.rate', unit: '1' },
      { name: 'false alarms', path: 'inForce.falseAlarms.rate', unit: '1' },
    ],
  },
  {
    name: 'connectors',
    argv: ['--calls', '200'],
    figures: [
      { name: 'added to the time of a source, p50', path: 'addedMs.p50', unit: 'ms' },
      { name: 'unanswered', path: 'unanswered', unit: '1', goal: NONE },
    ],
  },
  {
    name: 'screens',
    argv: ['--loads', '3'],
    figures: [
      {
        name: 'kiosk, first paint, median',
        path: 'loads.kiosk.firstPaintMedian',
        unit: 'ms',
        goal: { atMost: 1000 },
      },
      { name: 'touch while verifying, p95', path: 'touches.p95', unit: 'ms', goal: { atMost: 100 } },
    ],
  },
  {
    name: 'crash',
    argv: ['--kills', '4'],
    figures: [
      { name: 'proofs lost', path: 'lost', unit: '1', goal: NONE },
      { name: 'proofs stored twice', path: 'duplicated', unit: '1', goal: NONE },
    ],
  },
  {
    name: 'chip',
    argv: [],
    figures: [
      { name: 'cases passed', path: 'passed', of: 'cases', unit: '1' },
      { name: 'cases failed', path: 'failed', unit: '1', goal: NONE },
    ],
  },
  {
    name: 'fuzz',
    argv: ['--images', '200', '--inputs', '200', '--server', '0'],
    figures: [
      { name: 'failures by pictures', path: 'pictures.failures', unit: '1', goal: NONE },
      { name: 'failures by bodies', path: 'bodies.failures', unit: '1', goal: NONE },
      { name: 'failures by files of a chip', path: 'chip.failures', unit: '1', goal: NONE },
      {
        name: 'longest block of the event loop',
        path: 'bodies.longestBlockMs',
        unit: 'ms',
        goal: { atMost: 50 },
      },
    ],
  },
  {
    name: 'central',
    argv: ['--only', 'costs', '--kiosks', '5', '--proofs', '60'],
    figures: [
      { name: 'instance for receiving a proof, processor', path: 'costs.0.receive.instanceMs', unit: 'ms' },
      { name: 'PostgreSQL for receiving a proof, processor', path: 'costs.0.receive.databaseMs', unit: 'ms' },
      { name: 'WAL for receiving a proof', path: 'costs.0.receive.walBytes', unit: 'bytes' },
      { name: 'proofs lost', path: 'lost', unit: '1', goal: NONE },
    ],
  },
]

/** Throws if the part has no result. */
export async function runPart(part: Part, settings: Settings): Promise<Figure[]> {
  if ('measure' in part) return part.measure(settings)
  const result = await runBench(part, settings.signal)
  return part.figures.map(({ path, of, goal, ...figure }) => ({
    ...figure,
    value: computeShare(findNumber(result, path), of === undefined ? null : findNumber(result, of)),
    ...(goal ? { goal } : {}),
  }))
}

/** The count itself without a total; null if one of the two is not known. */
function computeShare(count: number | null, total: number | null): number | null {
  if (count === null || total === null) return count
  return total > 0 ? count / total : null
}

/** A list or a table counts its entries. Null if there is neither: the bench could not measure it on this machine. */
export function findNumber(result: unknown, path: string): number | null {
  let found = result
  for (const key of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return null
    found = (found as Record<string, unknown>)[key]
  }
  if (typeof found === 'object' && found !== null) return Object.keys(found).length
  return typeof found === 'number' && Number.isFinite(found) ? found : null
}

/** A bench that misses a goal ends with 1 and prints its figures all the same. */
async function runBench({ name, argv }: BenchPart, signal: AbortSignal): Promise<unknown> {
  const child = spawn(process.execPath, [RUN, `bench-${name}`, ...argv, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  let printed = ''
  let told = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
  })
  child.stderr.on('data', (chunk: Buffer) => {
    told = (told + chunk.toString('utf8')).slice(-KEPT_CHARACTERS)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const last = printed.trim().split('\n').at(-1) ?? ''
  if (!last.startsWith('{'))
    throw new Error(`bench-${name} ended with ${code}: ${told.trim().split('\n').at(-1) ?? ''}`)
  return JSON.parse(last)
}
const KEPT_CHARACTERS = 4000
