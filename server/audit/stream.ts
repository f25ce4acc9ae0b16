/** Writes the events of the audit log as lines for a log collector, also those that are still to come. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Events, StoredEvent } from '../store/events.ts'
import type { ExportRange } from './export.ts'
import type { LogLine } from './log-lines.ts'

const EVENTS_AT_ONCE = 1000
const PAUSE_MS = 1000

export interface StreamOptions {
  readonly from?: ExportRange['from']
  /** Absent: ends at the newest event. Given: waits for further events until it is aborted. */
  readonly followUntil?: AbortSignal
}

/** Events in the order of the log, starting at a number or a time. */
export async function* streamEvents(
  events: Pick<Events, 'after'>,
  { from = 1, followUntil }: StreamOptions,
): AsyncGenerator<LogLine> {
  let seq = from instanceof Date ? 0 : from - 1
  for (;;) {
    const found = events.after(seq, EVENTS_AT_ONCE)
    for (const event of found) {
      seq = event.seq
      if (!(from instanceof Date) || event.at >= from) yield describeEvent(event)
    }
    if (found.length === EVENTS_AT_ONCE) continue
    if (followUntil === undefined || followUntil.aborted) return
    await wait(PAUSE_MS, undefined, { signal: followUntil }).catch(() => undefined)
  }
}

/** The body comes first, so that no member of it replaces the number or the actor. */
function describeEvent({ seq, id, type, identityId, actor, reason, body, at, hash }: StoredEvent): LogLine {
  return {
    at,
    program: 'counterproof',
    kind: type,
    facts: { ...body, seq, id, identityId, actor, reason, hash },
  }
}
