/** Visits as rows of a list: filtered, sorted, one page at a time. No row holds personal data. */
import { fieldProblem } from '../errors.ts'
import { readCursor, writeCursor, type PagePlace } from '../proofing/page-cursor.ts'
import { getLocalDay } from '../proofing/time.ts'
import type { ListedProofing } from '../workflows/staff/list-proofings.ts'
import type { ProofingPage, ProofingRow, ProofingSort, ProofingsQuery } from './contract/today.ts'
import type { z } from 'zod'

type Query = z.output<typeof ProofingsQuery>

/** @param kiosk the name of the machine for staff */
export function toRow(
  { visit, durationSeconds, tries, flags }: ListedProofing,
  kiosk: string,
  isThere: (identityId: string) => boolean,
): ProofingRow {
  const { id, identityId, reference, channel, language, startedAt, endedAt, step, outcome } = visit
  return {
    visitId: id,
    identityId: identityId !== null && isThere(identityId) ? identityId : null,
    reference,
    channel,
    kiosk: channel === 'KIOSK' ? kiosk : null,
    language,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    step,
    outcome,
    durationSeconds,
    tries,
    flags,
  }
}

export function isWanted(row: ProofingRow, { state, outcome, channel, flag }: Query): boolean {
  const isRunning = row.endedAt === null
  return (
    (state === undefined || (state === 'running') === isRunning) &&
    (outcome === undefined || row.outcome === outcome) &&
    (channel === undefined || row.channel === channel) &&
    (flag === undefined || row.flags.includes(flag))
  )
}

export function sortRows(rows: readonly ProofingRow[], { sort, order }: Query): readonly ProofingRow[] {
  const turn = order === 'asc' ? 1 : -1
  return rows.toSorted((a, b) => turn * compare(buildSortKey(a, sort), buildSortKey(b, sort)))
}

function buildSortKey(row: ProofingRow, sort: ProofingSort): PagePlace {
  return [sort === 'startedAt' ? Date.parse(row.startedAt) : row[sort], row.visitId]
}

function compare([value, id]: PagePlace, [otherValue, otherId]: PagePlace): number {
  return value - otherValue || (id < otherId ? -1 : id > otherId ? 1 : 0)
}

/** A running visit may have moved since the page before, so the cursor is a position, not a row. */
export function cutPage(rows: readonly ProofingRow[], query: Query): ProofingPage {
  const { sort, order, after, limit } = query
  const turn = order === 'asc' ? 1 : -1
  const place = after === undefined ? null : readCursor(after)
  const left = place ? rows.filter((row) => turn * compare(buildSortKey(row, sort), place) > 0) : rows
  const shown = left.slice(0, limit)
  const last = shown.at(-1)
  return {
    rows: shown,
    total: rows.length,
    next: left.length > shown.length && last ? writeCursor(buildSortKey(last, sort)) : null,
  }
}

/** Returns the days from `from` to `to` in local time; default: today. */
export function readDays({ from, to }: { from?: string | undefined; to?: string | undefined }, now: Date) {
  const today = getLocalDay(now)
  const first = from ?? to ?? today
  const last = to ?? (first > today ? first : today)
  const since = new Date(`${first}T00:00:00`)
  const until = new Date(`${last}T00:00:00`)
  until.setDate(until.getDate() + 1)
  if (since >= until) throw fieldProblem('wrong_order', 'to', 'must not be before from')
  if (until.getTime() - since.getTime() > MAX_DAYS * 86_400_000) {
    throw fieldProblem('too_long', 'from', `must be at most ${MAX_DAYS} days before to`)
  }
  return { since, until, from: first, to: last }
}

/** A year and a leap day, the longest useful comparison. Starting value. */
const MAX_DAYS = 367
