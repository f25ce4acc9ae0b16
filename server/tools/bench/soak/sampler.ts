/** Samples an appliance from outside: its processes, its data folder and its own metrics. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ManagedProcess } from '../crash/processes.ts'
import { readCommandLine, readDescendants, readProcessSize, readProgramName } from '../worker-process.ts'
import type { Sample, SeriesName } from './series.ts'
import { DATABASE } from '../../../files/database-files.ts'

export const METRICS_TOKEN_FILE = 'metrics.token'
const METRICS_TIMEOUT_MS = 4_000
const MB = 1_000_000

/** A worker that restarts keeps its slot, so that a plot has one line for each. */
const SLOTS = ['worker1', 'worker2'] as const
type Slot = (typeof SLOTS)[number]

export interface Sampler {
  take(seconds: number, proofings: number): Promise<Sample>
}

export function createSampler(kiosk: ManagedProcess, kioskDir: string, metricsToken: string): Sampler {
  const slots: Record<Slot, number | null> = { worker1: null, worker2: null }
  return {
    take: async (seconds, proofings) => {
      const server = kiosk.readPid()
      assignSlots(slots, server === null ? [] : findWorkers(server))
      const values: Partial<Record<SeriesName, number>> = {}
      noteProcess(values, 'server', server)
      for (const slot of SLOTS) noteProcess(values, slot, slots[slot])
      await noteFolder(values, kioskDir)
      await noteMetrics(values, kiosk, metricsToken)
      return { seconds, proofings, pids: { server, ...slots }, values }
    },
  }
}

/** Process ids of the vision workers of a server. With a sandbox, bubblewrap's own processes have the same command line. */
export function findWorkers(server: number): readonly number[] {
  return readDescendants(server).filter(
    (pid) => readCommandLine(pid).includes('vision/worker.ts') && readProgramName(pid) !== 'bwrap',
  )
}

function assignSlots(slots: Record<Slot, number | null>, workers: readonly number[]): void {
  const isPresent = (pid: number | null) => pid !== null && workers.includes(pid)
  for (const slot of SLOTS) if (!isPresent(slots[slot])) slots[slot] = null
  for (const pid of workers) {
    if (SLOTS.some((slot) => slots[slot] === pid)) continue
    const free = SLOTS.find((slot) => slots[slot] === null)
    if (free) slots[free] = pid
  }
}

function noteProcess(
  values: Partial<Record<SeriesName, number>>,
  name: 'server' | Slot,
  pid: number | null,
): void {
  const size = pid === null ? null : readProcessSize(pid)
  if (!size) return
  values[`${name}Memory`] = size.residentBytes / MB
  values[`${name}Handles`] = size.handles
  values[`${name}Threads`] = size.threads
}

async function noteFolder(values: Partial<Record<SeriesName, number>>, kioskDir: string): Promise<void> {
  const [images, proofs, all] = await Promise.all(
    [join(kioskDir, 'images'), join(kioskDir, 'proofs'), kioskDir].map(measureFolder),
  )
  const measureFile = (name: string): Promise<number> =>
    stat(join(kioskDir, name)).then(
      ({ size }) => size,
      () => 0,
    )
  values.images = images.bytes / MB
  values.proofs = proofs.bytes / MB
  values.data = all.bytes / MB
  values.imageFiles = images.files
  values.proofFiles = proofs.files
  values.otherFiles = all.files - images.files - proofs.files
  values.database = (await measureFile(DATABASE)) / MB
  values.wal = (await measureFile(`${DATABASE}-wal`)) / MB
}

/** All files below it; an absent folder has none. */
export async function measureFolder(
  folder: string,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = entries
    .filter((entry) => entry.isFile())
    // The appliance deletes files meanwhile.
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    )
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  return { files: sizes.length, bytes }
}

/** Each with its factor into the unit of the plot. */
const METRICS: readonly (readonly [SeriesName, string, number])[] = [
  ['heap', 'nodejs_heap_size_used_bytes', 1 / MB],
  ['loopDelay', 'nodejs_eventloop_lag_p99_seconds', 1000],
  ['openJobs', 'counterproof_jobs{state="open"}', 1],
  ['parkedJobs', 'counterproof_jobs{state="parked"}', 1],
  ['backlog', 'counterproof_sync_backlog', 1],
  ['crashed', 'counterproof_worker_restarts{cause="crashed"}', 1],
  ['hung', 'counterproof_worker_restarts{cause="hung"}', 1],
  ['grown', 'counterproof_worker_restarts{cause="grown"}', 1],
]

async function noteMetrics(
  values: Partial<Record<SeriesName, number>>,
  kiosk: ManagedProcess,
  token: string,
): Promise<void> {
  if (!kiosk.isUp()) return
  try {
    const answer = await fetch(`${kiosk.url}/metrics`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(METRICS_TIMEOUT_MS),
    })
    if (!answer.ok) return
    const lines = (await answer.text()).split('\n')
    for (const [series, metric, factor] of METRICS) {
      const line = lines.find((each) => each.startsWith(`${metric} `))
      if (line !== undefined) values[series] = Number(line.slice(metric.length + 1)) * factor
    }
  } catch {
    // A fault is in force, and this sample has no metrics.
  }
}
