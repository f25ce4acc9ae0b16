/** Health of a service by its last answer. */
import type { Clock } from '../../clock.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'

/** A component of the health report. */
export interface ServiceHealth {
  readonly status: 'UP' | 'DEGRADED'
  readonly since?: string
  readonly detail: string
}

/** @param failed sentence before the trouble, such as 'the last call failed' */
export function createServiceHealth(clock: Clock, failed: string) {
  let trouble: { readonly since: Date; readonly last: string } | null = null
  return {
    /** `last`: the trouble of the last call, never a value of it; null: it succeeded. */
    note(last: string | null): void {
      // A service rests because of an earlier trouble, which tells the operator more.
      if (last === 'resting' && trouble) return
      trouble = last === null ? null : { since: trouble?.since ?? clock.now(), last }
    },
    read: (): ServiceHealth =>
      trouble
        ? {
            status: 'DEGRADED',
            since: formatSpecDateTime(trouble.since),
            detail: `${failed}: ${trouble.last}`,
          }
        : { status: 'UP', detail: 'configured' },
  }
}

/** A status beside the name of a trouble. */
export const withStatus = (trouble: string, httpStatus: number | undefined): string =>
  httpStatus === undefined ? trouble : `${trouble} (HTTP ${httpStatus})`
