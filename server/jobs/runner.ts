/**
 * Claims jobs and runs them, a few at a time, each identity's one after the other. An error is our machine's: the job
 * is tried again with growing pauses, then parked where the operator sees it.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { describeError } from '../log.ts'
import type { Job } from '../store/jobs.ts'
import { passDeadlines } from '../workflows/pass-deadlines.ts'
import { JOB_HANDLERS, type JobHandler } from './handlers.ts'

/** The vision worker measures on one core; a second job prepares while the first one measures. */
const LANES = 2
const MAX_ATTEMPTS = 5
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000
const DEFER_MS = 250
/** As long as one attempt to write takes on a busy disk, so that a fault that is over is noticed soon. */
const RECORD_AGAIN_MS = 1_000
/** Looks again even if nobody woke it. */
const IDLE_MS = 5_000

export interface JobRunner {
  /** There may be something to do. */
  wake(): void
  /** Takes no new job and resolves when the running ones have ended. */
  drain(): Promise<void>
}

export function startJobs(
  ctx: Context,
  handlers: Readonly<Record<string, JobHandler>> = JOB_HANDLERS,
): JobRunner {
  const recovered = ctx.store.jobs.recover()
  if (recovered > 0) ctx.log.warn({ jobs: recovered }, 'jobs of a crash run again')
  const running = new Set<Promise<void>>()
  let draining = false
  let timer: NodeJS.Timeout | undefined

  const claimJobs = (): void => {
    passDeadlines(ctx)
    while (running.size < LANES) {
      const job = ctx.store.jobs.claim(ctx.clock.now())
      if (!job) break
      const run = runJob(ctx, handlers[job.kind], job, () => draining).finally(() => {
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
      // A full disk takes no claim either; the appliance continues, and looks again.
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
      // The disk does not take how the job ended: until it does, the job is neither lost nor run twice.
      ctx.log.error({ jobId: job.id, ...describeError(error) }, 'the end of a job could not be recorded')
    }
    // Left as running, it is run again after the next start.
    if (isDraining()) return
    await new Promise((resolve) => setTimeout(resolve, RECORD_AGAIN_MS))
  }
}

/** Runs the job; returns what records how it ended. */
async function runHandler(ctx: Context, handler: JobHandler | undefined, job: Job): Promise<() => void> {
  const fields = { jobId: job.id, kind: job.kind, identityId: job.identityId, attempt: job.attempts }
  try {
    if (!handler) throw new AppError('internal', { kind: job.kind })
    const result = await handler.run(ctx, job.identityId, job.payload)
    return () => {
      if (result === 'deferred') ctx.store.jobs.defer(job, new Date(ctx.clock.now().getTime() + DEFER_MS))
      else ctx.store.jobs.finish(job, result, ctx.clock.now())
      ctx.log.info({ ...fields, result }, 'job ended')
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
    ctx.log.warn({ ...fields, pauseMs, ...described }, 'job failed and will be tried again')
    return
  }
  try {
    ctx.store.transaction(() => {
      ctx.store.jobs.fail(job, now, code)
      handler?.giveUp(ctx, job.identityId, job.payload, code)
    })
  } catch (second) {
    if (isStorageFault(second)) throw second
    // A payload that cannot even be given up: the job is parked alone, and its evidence stays visible as PROCESSING.
    ctx.store.jobs.fail(job, now, code)
    ctx.log.error({ ...fields, ...describeError(second) }, 'the evidence of a parked job could not be closed')
  }
  ctx.log.error({ ...fields, ...described }, 'job failed for good and is parked')
}

/** Nobody's fault and soon over: what was to be written is written later. */
function isStorageFault(error: unknown): boolean {
  return error instanceof AppError && error.code === 'status_not_stored'
}

function pauseUntilNext(ctx: Context): number {
  const moments = [ctx.store.jobs.nextDue(), ctx.store.deadlines.next()].filter((at) => at !== null)
  const due = moments.sort((a, b) => a.getTime() - b.getTime())[0]
  if (!due) return IDLE_MS
  return Math.min(IDLE_MS, Math.max(50, due.getTime() - ctx.clock.now().getTime()))
}
