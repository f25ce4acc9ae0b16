/** The parts of a proofing with their spans: operations, jobs, steps of a pipeline, calls of the vision worker. */
import type { Verification } from '../verification/pipeline.ts'
import type { Vision } from '../vision/protocol.ts'
import { aroundVision } from './around-vision.ts'
import type { Tracer } from './tracer.ts'

export function traceVision(vision: Vision, tracer: Tracer): Vision {
  return aroundVision(vision, (call, work) => tracer.runWithin(`vision ${call}`, work))
}

/** The record of a step has its time and state. */
export function traceVerification(verification: Verification, tracer: Tracer): Verification {
  return {
    ...verification,
    run: async (subject) => {
      const outcome = await verification.run(subject)
      for (const record of outcome?.records ?? []) {
        const [service] = record.verificationServices
        if (!service) continue
        const state = record.participantState ?? 'NONE'
        tracer.note(
          `step ${service.serviceName}`,
          new Date(`${record.startDateTime}Z`),
          new Date(`${record.endDateTime}Z`),
          { state },
        )
      }
      return outcome
    },
  }
}

interface TracedHandler<Ctx> {
  run(ctx: Ctx, identityId: string, payload: unknown): Promise<string>
}

export function traceJobs<Ctx, Handler extends TracedHandler<Ctx>>(
  handlers: Readonly<Record<string, Handler>>,
  tracer: Tracer,
): Readonly<Record<string, Handler>> {
  const traced = Object.entries(handlers).map(([kind, handler]) => {
    const run: TracedHandler<Ctx>['run'] = (ctx, identityId, payload) =>
      tracer.run(`job ${kind}`, identityId, {}, () => handler.run(ctx, identityId, payload))
    return [kind, { ...handler, run }] as const
  })
  return Object.fromEntries(traced)
}

/** Screens ask for these every second. */
const ONLY_READS = /^(get|list|find|check|describe)/

export interface ProofingTimes {
  /** Null: there is no such identity, or it is sealed. */
  findStart(identityId: string): Date | null
  now(): Date
}

/** Workflows take the caller and the identity as their first arguments. The span of the whole proofing ends with the seal. */
export function traceWorkflows<Workflows extends object>(
  workflows: Workflows,
  tracer: Tracer,
  times: ProofingTimes,
): Workflows {
  const traced = Object.entries(workflows).map(([name, workflow]: [string, unknown]) => {
    const run = workflow as (...args: readonly unknown[]) => unknown
    if (ONLY_READS.test(name)) return [name, run] as const
    const runTraced = (...args: readonly unknown[]): unknown => {
      const [, identityId] = args
      if (typeof identityId !== 'string') return run(...args)
      const work = () => tracer.run(name, identityId, {}, () => run(...args))
      if (name !== 'sealProof') return work()
      const startedAt = times.findStart(identityId)
      return Promise.resolve(work()).then((answer) => {
        if (startedAt) tracer.noteProofing(identityId, startedAt, times.now())
        return answer
      })
    }
    return [name, runTraced] as const
  })
  return Object.fromEntries(traced) as Workflows
}
