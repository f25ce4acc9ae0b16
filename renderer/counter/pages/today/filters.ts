/** The filters of Today, as in the address and in the request to the server. Pure. */
import type { ProofingSort, ProofingsQuery } from '../../../../server/counter/contract/today.ts'
import { buildQuery } from '../../api/client.ts'
import type { Sort } from '../../ui/table.tsx'

export const FILTERS = ['from', 'to', 'state', 'outcome', 'channel', 'flag'] as const
export type Filter = (typeof FILTERS)[number]

const SORTS: readonly ProofingSort[] = ['startedAt', 'durationSeconds', 'tries']

export function parseSort(query: URLSearchParams): Sort {
  const key = SORTS.find((sort) => sort === query.get('sort')) ?? 'startedAt'
  return { key, descending: query.get('order') !== 'asc' }
}

/** Builds the query of GET proofings; ignores unknown names, so that an old link still opens. */
export function proofingsQuery(query: URLSearchParams, after?: string): string {
  const { key, descending } = parseSort(query)
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query.get(name)]))
  const asked: Readonly<Record<keyof ProofingsQuery, string | null | undefined>> = {
    from: filters.from,
    to: filters.to,
    state: filters.state,
    outcome: filters.outcome,
    channel: filters.channel,
    flag: filters.flag,
    sort: key,
    order: descending ? 'desc' : 'asc',
    after,
    limit: undefined,
  }
  return buildQuery(asked)
}
