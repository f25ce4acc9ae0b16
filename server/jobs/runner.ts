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
const LONGEST_PAUSE_MS = 30_000
const DEFER_MS = 250
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

  const fill = (): void => {
    clearTimeout(timer)
    if (!draining) passDeadlines(ctx)
    while (!draining && running.size < LANES) {
      const job = ctx.store.jobs.claim(ctx.clock.now())
      if (!job) break
      const run = runJob(ctx, handlers[job.kind], job).finally(() => {
        running.delete(run)
        fill()
      })
      running.add(run)
    }
    if (!draining) timer = setTimeout(fill, pauseUntilNext(ctx))
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

async function runJob(ctx: Context, handler: JobHandler | undefined, job: Job): Promise<void> {
  const fields = { jobId: job.id, kind: job.kind, identityId: job.identityId, attempt: job.attempts }
  try {
    if (!handler) throw new AppError('internal', { kind: job.kind })
    const result = await handler.run(ctx, job.identityId, job.payload)
    if (result === 'deferred') ctx.store.jobs.defer(job, new Date(ctx.clock.now().getTime() + DEFER_MS))
    else ctx.store.jobs.finish(job, result, ctx.clock.now())
    ctx.log.info({ ...fields, result }, 'job ended')
  } catch (error) {
    afterFailure(ctx, handler, job, error)
  }
}

function afterFailure(ctx: Context, handler: JobHandler | undefined, job: Job, error: unknown): void {
  const described = describeError(error)
  const code = error instanceof AppError ? error.code : 'internal'
  const fields = { jobId: job.id, kind: job.kind, identityId: job.identityId, attempt: job.attempts }
  const now = ctx.clock.now()
  if (job.attempts < MAX_ATTEMPTS && handler) {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 4 ** (job.attempts - 1))
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
    // A payload that cannot even be given up: the job is parked alone, and its evidence stays visible as PROCESSING.
    ctx.store.jobs.fail(job, now, code)
    ctx.log.error({ ...fields, ...describeError(second) }, 'the evidence of a parked job could not be closed')
  }
  ctx.log.error({ ...fields, ...described }, 'job failed for good and is parked')
}

function pauseUntilNext(ctx: Context): number {
  const moments = [ctx.store.jobs.nextDue(), ctx.store.deadlines.next()].filter((at) => at !== null)
  const due = moments.sort((a, b) => a.getTime() - b.getTime())[0]
  if (!due) return IDLE_MS
  return Math.min(IDLE_MS, Math.max(50, due.getTime() - ctx.clock.now().getTime()))
}
