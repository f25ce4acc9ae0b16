/**
 * Claims jobs and runs them, two at a time beside those that wait for a service outside, and those of one identity one after
 * the other. An error means a fault of the
 * appliance: the job is retried with growing pauses, then parked, and the health report shows it.
 */
import type { Context } from '../context.ts'
import { observeWaits, type WaitObserver } from '../connectors/service/outside-wait.ts'
import { AppError } from '../errors.ts'
import { describeError } from '../log.ts'
import type { Job } from '../store/jobs.ts'
import { noteEngineCalls } from '../workflows/evidence/engine-calls.ts'
import { passDeadlines } from '../workflows/pass-deadlines.ts'
import { JOB_HANDLERS, type JobHandler } from './handlers.ts'

/** The vision worker measures on one core, so a second job prepares while the first one measures. */
const LANES = 2
/** Jobs at once, those included that wait for a service outside. A document's job keeps up to 10 MB of pictures. */
const MAX_RUNNING = 32
const MAX_ATTEMPTS = 5
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000
const DEFER_MS = 250
/** About the time of one write on a busy disk, so that the end of a fault is noticed soon. */
const RECORD_AGAIN_MS = 1_000
/** Interval of the checks without a wake-up. */
const IDLE_MS = 5_000

export interface JobRunner {
  /** Call it after adding a job. */
  wake(): void
  /** Takes no new job and resolves when the running ones have ended. */
  drain(): Promise<void>
}

export function startJobs(
  ctx: Context,
  handlers: Readonly<Record<string, JobHandler>> = JOB_HANDLERS,
): JobRunner {
  const recovered = ctx.store.jobs.recover()
  if (recovered > 0) ctx.log.warn({ jobs: recovered }, 'jobs that a crash interrupted run again')
  const running = new Set<Promise<void>>()
  let waiting = 0
  let draining = false
  let timer: NodeJS.Timeout | undefined

  /** A job that waits for several services at once leaves its lane once. */
  const countWaits = (): WaitObserver => {
    let own = 0
    return {
      begin: () => {
        own += 1
        if (own > 1) return
        waiting += 1
        setImmediate(fill)
      },
      end: () => {
        own -= 1
        if (own === 0) waiting -= 1
      },
    }
  }
  const claimJobs = (): void => {
    passDeadlines(ctx)
    while (running.size - waiting < LANES && running.size < MAX_RUNNING) {
      const job = ctx.store.jobs.claim(ctx.clock.now())
      if (!job) break
      const work = () => runJob(ctx, handlers[job.kind], job, () => draining)
      const run = observeWaits(countWaits(), work).finally(() => {
        running.delete(run)
        fill()
      })
      running.add(run)
    }
  }
  const fill = (): void => {
    clearTimeout(timer)
    if (draining) return
    let pauseMs = IDLE_MS
    try {
      claimJobs()
      pauseMs = pauseUntilNext(ctx)
    } catch (error) {
      // A full disk also refuses the claim. The runner tries again after the pause.
      ctx.log.error(describeError(error), 'jobs could not be claimed')
    }
    timer = setTimeout(fill, pauseMs)
  }
  fill()
  return {
    wake: fill,
    drain: async () => {
      draining = true
      clearTimeout(timer)
      await Promise.all(running)
    },
  }
}

async function runJob(
  ctx: Context,
  handler: JobHandler | undefined,
  job: Job,
  isDraining: () => boolean,
): Promise<void> {
  const recorded = await runHandler(ctx, handler, job)
  for (;;) {
    try {
      recorded()
      return
    } catch (error) {
      // The disk refuses the result. Until it accepts it, the job stays claimed, so that it does not run twice.
      ctx.log.error({ jobId: job.id, ...describeError(error) }, 'the end of a job could not be recorded')
    }
    // A job that is still claimed runs again after the next start.
    if (isDraining()) return
    await new Promise((resolve) => setTimeout(resolve, RECORD_AGAIN_MS))
  }
}

/** Runs the job; returns the function that records the result. */
async function runHandler(ctx: Context, handler: JobHandler | undefined, job: Job): Promise<() => void> {
  const fields = { jobId: job.id, kind: job.kind, identityId: job.identityId, attempt: job.attempts }
  try {
    if (!handler) throw new AppError('internal', { kind: job.kind })
    const result = await noteEngineCalls(ctx, job, () => handler.run(ctx, job.identityId, job.payload))
    return () => {
      if (result === 'deferred') ctx.store.jobs.defer(job, new Date(ctx.clock.now().getTime() + DEFER_MS))
      else ctx.store.jobs.finish(job, result, ctx.clock.now())
      ctx.log.info({ ...fields, result }, 'a job ended')
    }
  } catch (error) {
    return () => {
      afterFailure(ctx, handler, job, error)
    }
  }
}

function afterFailure(ctx: Context, handler: JobHandler | undefined, job: Job, error: unknown): void {
  const described = describeError(error)
  const code = error instanceof AppError ? error.code : 'internal'
  const fields = { jobId: job.id, kind: job.kind, identityId: job.identityId, attempt: job.attempts }
  const now = ctx.clock.now()
  if (job.attempts < MAX_ATTEMPTS && handler) {
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 4 ** (job.attempts - 1))
    ctx.store.jobs.retry(job, new Date(now.getTime() + pauseMs), code)
    ctx.log.warn({ ...fields, pauseMs, ...described }, 'a job failed and will be retried')
    return
  }
  try {
    ctx.store.transaction(() => {
      ctx.store.jobs.fail(job, now, code)
      handler?.giveUp(ctx, job.identityId, job.payload, code)
    })
  } catch (second) {
    if (isStorageFault(second)) throw second
    // `giveUp` failed, e.g. because of the payload: only the job is parked, and its evidence stays PROCESSING.
    ctx.store.jobs.fail(job, now, code)
    ctx.log.error({ ...fields, ...describeError(second) }, 'the evidence of a parked job could not be closed')
  }
  ctx.log.error({ ...fields, ...described }, 'a job failed and is parked')
}

/** True for a temporary fault of the disk or the database: the same write is repeated later. */
function isStorageFault(error: unknown): boolean {
  return error instanceof AppError && error.code === 'status_not_stored'
}

function pauseUntilNext(ctx: Context): number {
  const moments = [ctx.store.jobs.nextDue(), ctx.store.deadlines.next()].filter((at) => at !== null)
  const due = moments.sort((a, b) => a.getTime() - b.getTime())[0]
  if (!due) return IDLE_MS
  return Math.min(IDLE_MS, Math.max(50, due.getTime() - ctx.clock.now().getTime()))
}
