/** The series that a soak samples, with their plots and their limits of drift. */
import { judgeDrift, type Drift, type DriftLimit, type Point } from './drift.ts'

const WORKER_LIMITS = {
  /** A worker is replaced above 1.5 GB (server/vision/client.ts): this growth reaches it after some 4 000 proofings. */
  memory: { perProofing: 0.25, total: 60 },
  handles: { perProofing: 0.02, total: 5 },
  threads: { perProofing: 0.02, total: 5 },
} as const

export type PlotName = (typeof PLOTS)[number]['name']

export const PLOTS = [
  { name: 'memory', title: 'Memory in use (resident)', unit: 'MB' },
  { name: 'heap', title: 'JavaScript heap of the server', unit: 'MB' },
  { name: 'handles', title: 'Open files, sockets and pipes', unit: '' },
  { name: 'threads', title: 'Threads', unit: '' },
  { name: 'loop', title: 'Delay of the server’s event loop, longest 1 % between two samples', unit: 'ms' },
  { name: 'database', title: 'Database', unit: 'MB' },
  { name: 'folders', title: 'Bytes in the data folder', unit: 'MB' },
  { name: 'files', title: 'Files in the data folder', unit: '' },
  { name: 'queues', title: 'Waiting work', unit: '' },
  { name: 'restarts', title: 'Restarts of the workers since the start of the server', unit: '' },
] as const

interface Series {
  readonly plot: PlotName
  readonly label: string
  /** Its restart begins a new series; absent: a restart changes nothing. */
  readonly process?: 'server' | 'worker1' | 'worker2'
  /** Absent: the series is only shown. */
  readonly limit?: DriftLimit
}

export const SERIES = {
  serverMemory: {
    plot: 'memory',
    label: 'server',
    process: 'server',
    // A hundred proofings a day for a week make 175 MB; the unit allows 4 GB.
    limit: { perProofing: 0.25, total: 40 },
  },
  worker1Memory: { plot: 'memory', label: 'worker 1', process: 'worker1', limit: WORKER_LIMITS.memory },
  worker2Memory: { plot: 'memory', label: 'worker 2', process: 'worker2', limit: WORKER_LIMITS.memory },
  heap: { plot: 'heap', label: 'used', process: 'server', limit: { perProofing: 0.1, total: 20 } },
  serverHandles: {
    plot: 'handles',
    label: 'server',
    process: 'server',
    limit: { perProofing: 0.02, total: 5 },
  },
  worker1Handles: { plot: 'handles', label: 'worker 1', process: 'worker1', limit: WORKER_LIMITS.handles },
  worker2Handles: { plot: 'handles', label: 'worker 2', process: 'worker2', limit: WORKER_LIMITS.handles },
  serverThreads: {
    plot: 'threads',
    label: 'server',
    process: 'server',
    limit: { perProofing: 0.02, total: 5 },
  },
  worker1Threads: { plot: 'threads', label: 'worker 1', process: 'worker1', limit: WORKER_LIMITS.threads },
  worker2Threads: { plot: 'threads', label: 'worker 2', process: 'worker2', limit: WORKER_LIMITS.threads },
  loopDelay: { plot: 'loop', label: 'p99' },
  database: { plot: 'database', label: 'database', limit: { perProofing: 0.2, total: 5 } },
  // The write-ahead log is reused: it has a size, and no growth.
  wal: { plot: 'database', label: 'write-ahead log', limit: { perProofing: 0.02, total: 5 } },
  images: { plot: 'folders', label: 'pictures' },
  proofs: { plot: 'folders', label: 'proofs' },
  // Pictures and the archive that contains them again: twice the measured growth.
  data: { plot: 'folders', label: 'all', limit: { perProofing: 3.5, total: 20 } },
  imageFiles: { plot: 'files', label: 'pictures' },
  proofFiles: { plot: 'files', label: 'proofs' },
  otherFiles: { plot: 'files', label: 'others', limit: { perProofing: 0.02, total: 5 } },
  openJobs: { plot: 'queues', label: 'jobs', limit: { perProofing: 0.02, total: 5 } },
  parkedJobs: { plot: 'queues', label: 'parked jobs' },
  backlog: { plot: 'queues', label: 'proofs for the central service' },
  crashed: { plot: 'restarts', label: 'died or killed', process: 'server' },
  hung: { plot: 'restarts', label: 'call too long', process: 'server' },
  grown: { plot: 'restarts', label: 'too much memory', process: 'server' },
} as const satisfies Record<string, Series>

export type SeriesName = keyof typeof SERIES
export const SERIES_NAMES = Object.keys(SERIES) as readonly SeriesName[]
export const listSeries = (): readonly (readonly [SeriesName, Series])[] =>
  SERIES_NAMES.map((name) => [name, SERIES[name]])

export interface Sample {
  readonly seconds: number
  /** Finished so far. */
  readonly proofings: number
  /** Process ids; null: not running. */
  readonly pids: Readonly<Record<'server' | 'worker1' | 'worker2', number | null>>
  /** Absent: could not be measured. */
  readonly values: Readonly<Partial<Record<SeriesName, number>>>
}

export interface JudgedSeries extends Drift {
  readonly series: SeriesName
  readonly limit: DriftLimit
}

export function judgeSeries(samples: readonly Sample[]): readonly JudgedSeries[] {
  return listSeries().flatMap(([series, { limit, process }]) => {
    if (!limit) return []
    return [{ series, limit, ...judgeDrift(findLongestLife(samples, series, process), limit) }]
  })
}

/** Samples of the process that lived through the most proofings. */
function findLongestLife(
  samples: readonly Sample[],
  series: SeriesName,
  process: Series['process'],
): readonly Point[] {
  const lives = new Map<number | null, Point[]>()
  for (const { proofings, pids, values } of samples) {
    const value = values[series]
    const pid = process === undefined ? 0 : pids[process]
    if (value === undefined || pid === null) continue
    const life = lives.get(pid) ?? []
    lives.set(pid, life)
    life.push({ proofings, value })
  }
  const measure = (life: readonly Point[]): number =>
    (life.at(-1)?.proofings ?? 0) - (life.at(0)?.proofings ?? 0)
  return [...lives.values()].reduce<readonly Point[]>(
    (longest, life) => (measure(life) > measure(longest) ? life : longest),
    [],
  )
}
