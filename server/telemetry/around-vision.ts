/** Runs a function around each call of the vision worker, for metrics and traces. Never sees a picture or a measurement. */
import type { Vision, VisionCall } from '../vision/protocol.ts'

/** Members that measure no picture. */
const NO_CALLS: readonly string[] = ['restarts', 'isolation', 'close', 'health']

export type AroundCall = <T>(call: VisionCall, work: () => Promise<T>) => Promise<T>

export function aroundVision(vision: Vision, around: AroundCall): Vision {
  const members = Object.entries(vision).map(([name, member]: [string, unknown]) => {
    if (NO_CALLS.includes(name)) return [name, member] as const
    const run = member as (input: unknown) => Promise<unknown>
    return [name, (input: unknown) => around(name as VisionCall, () => run.call(vision, input))] as const
  })
  return Object.fromEntries(members) as unknown as Vision
}
