/**
 * Combines two workers, so that live pictures never wait for a document that takes seconds. Starts and stops no process
 * itself.
 */
import type { Vision, VisionCall } from './protocol.ts'

/** Calls that take a fraction of a second and occur many times per session. */
export const LIVE_CALLS = [
  'assessFrame',
  'trackFace',
  'measureLiveness',
  'cropPortrait',
  'cutLine',
] as const satisfies VisionCall[]

export function joinLanes(main: Vision, live: Vision): Vision {
  const liveCalls = Object.fromEntries(LIVE_CALLS.map((call) => [call, live[call]])) as Pick<
    Vision,
    (typeof LIVE_CALLS)[number]
  >
  return {
    ...main,
    ...liveCalls,
    async health(input) {
      const [one, other] = await Promise.all([main.health(input), live.health(input)])
      return { ...one, residentBytes: one.residentBytes + other.residentBytes }
    },
    restarts() {
      const [one, other] = [main.restarts(), live.restarts()]
      return {
        crashed: one.crashed + other.crashed,
        hung: one.hung + other.hung,
        grown: one.grown + other.grown,
      }
    },
    async close() {
      await Promise.all([main.close(), live.close()])
    },
  }
}
