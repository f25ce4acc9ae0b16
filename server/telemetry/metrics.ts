/**
 * The metrics of the kiosk for Prometheus. Times of the vision worker are counted since the start; everything else is read at each
 * scrape. Labels are steps, states, codes and names of parts: never an id and never a personal value.
 */
import { statfs } from 'node:fs/promises'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Context } from '../context.ts'
import { readLastResult } from '../updates/last-result.ts'
import { getUpdatePaths } from '../updates/paths.ts'
import { PRODUCT_VERSION } from '../version.ts'
import type { Vision } from '../vision/protocol.ts'
import { syncState } from '../workflows/health/sync-state.ts'
import { aroundVision } from './around-vision.ts'

const DAY_MS = 86_400_000
/** The steps of a journey file are few; a label must not grow with a mistake in it. */
const MAX_VISIT_SERIES = 500
const STATUSES = ['UP', 'DEGRADED', 'DOWN'] as const

interface HealthReport {
  readonly components: Readonly<Record<string, { readonly status: (typeof STATUSES)[number] }>>
}

/** The parts of the appliance that a scrape reads. */
export type MeteredParts = Pick<Context, 'store' | 'vision' | 'clock' | 'config'> & {
  readonly health: () => Promise<HealthReport>
}

export interface Metrics {
  /** Measures the time of each call. */
  watchVision(vision: Vision): Vision
  /** Text in Prometheus' format. */
  read(parts: MeteredParts): Promise<{ readonly contentType: string; readonly text: string }>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  // Memory, processor time, event loop and handles of the server, under the names that dashboards know.
  collectDefaultMetrics({ register: registry })
  const calls = new Histogram({
    name: 'counterproof_vision_call_seconds',
    help: 'Time of the calls of the vision worker, waiting included, by call and result',
    labelNames: ['call', 'result'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `counterproof_${name}`, help, labelNames, registers })
  const build = gauge('build_info', 'Always 1; the version of the appliance', ['version'])
  const gauges = {
    visits: gauge('visits', 'Visits that began in the last 24 hours, by last step and outcome', [
      'channel',
      'step',
      'outcome',
    ]),
    jobs: gauge('jobs', 'Jobs that wait or run (open), and that no retry could finish (parked)', ['state']),
    restarts: gauge('worker_restarts', 'Restarts of the vision workers since the start, by cause', ['cause']),
    diskFree: gauge('disk_free_bytes', 'Free bytes on the disk of the data folder'),
    diskSize: gauge('disk_size_bytes', 'Size of the disk of the data folder'),
    backlog: gauge('sync_backlog', 'Proofs without a receipt of the central service, parked ones included'),
    parked: gauge('sync_parked', 'Proofs that the central service refused'),
    oldest: gauge('sync_oldest_seconds', 'Age of the oldest proof without a receipt; 0: none'),
    contact: gauge('sync_contact_seconds', 'Since the last contact with the central service; absent: never'),
    update: gauge(
      'update_result',
      'How the last update of this machine ended: 1 for its state and reason; absent: there was none',
      ['state', 'reason'],
    ),
    component: gauge('component', 'Parts of the health report: 1 for the present state', [
      'component',
      'state',
    ]),
  }

  const collect = async ({ store, vision, clock, config, health }: MeteredParts): Promise<void> => {
    const { components } = await health()
    const disk = await statfs(config.dataDir)
    for (const each of Object.values(gauges)) each.reset()
    build.set({ version: PRODUCT_VERSION }, 1)
    const until = clock.now()
    const visits = countVisits(store.visits.list({ since: new Date(until.getTime() - DAY_MS), until }))
    for (const [key, count] of visits) {
      const [channel = '', step = '', outcome = ''] = key.split(' ')
      gauges.visits.set({ channel, step, outcome }, count)
    }
    gauges.jobs.set({ state: 'open' }, store.jobs.open())
    gauges.jobs.set({ state: 'parked' }, store.jobs.failed())
    for (const [cause, times] of Object.entries(vision.restarts()))
      gauges.restarts.set({ cause }, times as number)
    gauges.diskFree.set(disk.bavail * disk.bsize)
    gauges.diskSize.set(disk.blocks * disk.bsize)
    const { backlog, parked, oldestSealedAt } = store.outbox.summary()
    const { lastContactAt } = syncState({ store })
    gauges.backlog.set(backlog)
    gauges.parked.set(parked)
    gauges.oldest.set(oldestSealedAt ? Math.max(0, (until.getTime() - oldestSealedAt.getTime()) / 1000) : 0)
    // A reset gauge that has no labels is 0, which would mean "now".
    if (lastContactAt === null) gauges.contact.remove()
    else gauges.contact.set(Math.max(0, (until.getTime() - lastContactAt) / 1000))
    const update = readLastResult(getUpdatePaths(config.dataDir).result)
    if (update === 'UNREADABLE') gauges.update.set({ state: update, reason: 'NONE' }, 1)
    else if (update) gauges.update.set({ state: update.state, reason: update.reason ?? 'NONE' }, 1)
    for (const [component, { status }] of Object.entries(components))
      for (const state of STATUSES) gauges.component.set({ component, state }, state === status ? 1 : 0)
  }

  return {
    watchVision: (vision) =>
      aroundVision(vision, async (call, work) => {
        const end = calls.startTimer({ call })
        try {
          const answer = await work()
          end({ result: 'done' })
          return answer
        } catch (error) {
          end({ result: 'failed' })
          throw error
        }
      }),
    read: async (parts) => {
      await collect(parts)
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}

type CountedVisit = Pick<
  ReturnType<Context['store']['visits']['list']>[number],
  'channel' | 'step' | 'outcome'
>

/** Keys are `channel step outcome`; no code holds a blank. */
function countVisits(visits: readonly CountedVisit[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { channel, step, outcome } of visits) {
    const exact = `${channel} ${step} ${outcome ?? 'OPEN'}`
    const key = counts.has(exact) || counts.size < MAX_VISIT_SERIES ? exact : `${channel} other other`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}
