/** The health of several sources of one kind: the first that did not answer its last question, or their ids. */
import type { ServiceHealth } from './service-health.ts'

interface Source {
  readonly id: string
  health(): ServiceHealth
}

export function combineHealth(sources: readonly Source[]): ServiceHealth {
  if (sources.length === 0) return { status: 'UP', detail: 'not configured' }
  const troubled = sources.find((source) => source.health().status === 'DEGRADED')
  if (!troubled) return { status: 'UP', detail: sources.map(({ id }) => id).join(', ') }
  const { detail, ...health } = troubled.health()
  return { ...health, detail: `${troubled.id}: ${detail}` }
}
