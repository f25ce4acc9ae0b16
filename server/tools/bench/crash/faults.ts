/**
 * Faults other than kills, on the connection between kiosk and central service and on the kiosk's disk. Drawn at random,
 * one at a time.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { ChaosProxy } from './chaos-proxy.ts'
import type { Disk } from './disk.ts'
import type { ManagedProcess } from './processes.ts'
import type { Random } from './random.ts'

export const FAULTS = [
  'line cut',
  'answers lost',
  'half-open',
  'slow (1 kB/s)',
  'requests played again, out of order',
  'disk full',
  'disk read-only',
] as const
export type Fault = (typeof FAULTS)[number]

/** Long enough for a request to reach its time limit. */
const MAX_MS = 4_000
const REPLAYS = 20
const SLOW_BYTES_PER_SECOND = 1_000

/** Resolves when the fault is over. */
export async function inflict(
  fault: Fault,
  { proxy, disk, kiosk }: { proxy: ChaosProxy; disk: Disk; kiosk: ManagedProcess },
  random: Random,
): Promise<void> {
  const pause = (): Promise<void> => wait(random.next() * MAX_MS)
  const { weather } = proxy
  switch (fault) {
    case 'line cut':
      weather.cutAfterBytes = random.below(200_000)
      await pause()
      weather.cutAfterBytes = null
      return
    case 'answers lost':
      weather.cutAnswers = true
      await pause()
      weather.cutAnswers = false
      return
    case 'half-open':
      weather.silent = true
      await pause()
      weather.silent = false
      // Connections that hung stay dead, as after a router's restart.
      return
    case 'slow (1 kB/s)':
      weather.bytesPerSecond = SLOW_BYTES_PER_SECOND
      await pause()
      weather.bytesPerSecond = null
      return
    case 'requests played again, out of order':
      for (let replay = 0; replay < REPLAYS && proxy.heard.length > 0; replay++) {
        // A killed central service accepts no replay, which is not an error here.
        await proxy.replay(random.pick(proxy.heard)).catch(() => 0)
      }
      return
    case 'disk full':
      disk.fill()
      await pause()
      disk.free()
      return
    case 'disk read-only':
      disk.makeReadOnly()
      await pause()
      await kiosk.kill()
      disk.repair()
      await kiosk.start()
  }
}
