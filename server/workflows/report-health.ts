/** What works and what does not, for the operator: GET healthcheck. */
import { statfsSync } from 'node:fs'
import type { Context } from '../context.ts'
import { specDateTime } from '../proofing/time.ts'
import { PRODUCT_VERSION } from '../version.ts'

type HealthStatus = 'UP' | 'DEGRADED' | 'DOWN'
interface Component {
  readonly status: HealthStatus
  readonly since?: string
  readonly detail?: string
}

/** Below this the appliance must not take new proofings: about 200 proofs of 5 MB. */
const LOW_DISK_BYTES = 1_000_000_000

export async function reportHealth(ctx: Context) {
  const components: Record<string, Component> = {
    database: databaseHealth(ctx),
    disk: diskHealth(ctx.config.dataDir),
    vision: await visionHealth(ctx),
    jobs: jobsHealth(ctx),
    clock: {
      status: 'UP',
      detail: `${specDateTime(ctx.clock.now())} UTC, not compared with a trusted source`,
    },
  }
  const states = Object.values(components).map((component) => component.status)
  const status: HealthStatus = states.includes('DOWN')
    ? 'DOWN'
    : states.includes('DEGRADED')
      ? 'DEGRADED'
      : 'UP'
  return { status, version: PRODUCT_VERSION, components }
}

function databaseHealth(ctx: Context): Component {
  try {
    ctx.store.ping()
    return { status: 'UP' }
  } catch {
    return { status: 'DOWN', detail: 'the database does not answer' }
  }
}

function diskHealth(folder: string): Component {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const detail = `${Math.floor(free / 1_000_000)} MB free`
  return { status: free < LOW_DISK_BYTES ? 'DEGRADED' : 'UP', detail }
}

async function visionHealth(ctx: Context): Promise<Component> {
  try {
    const { packs, models } = await ctx.vision.health({})
    return { status: 'UP', detail: `packs ${packs.join(' and ')}, ${models.length} models` }
  } catch {
    return { status: 'DOWN', detail: 'the vision worker does not answer; it is being restarted' }
  }
}

function jobsHealth(ctx: Context): Component {
  const failed = ctx.store.jobs.failed()
  const detail = `${ctx.store.jobs.open()} open, ${failed} parked`
  return { status: failed > 0 ? 'DEGRADED' : 'UP', detail }
}
