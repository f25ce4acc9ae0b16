/**
 * Keeps the time as far as it can be trusted. It counts from an anchor with the monotonic clock, so that setting the
 * machine's clock changes nothing while the appliance runs: the change is noticed, recorded, and widens the stated
 * uncertainty. Owns the anchor, the high-water mark and their events, but not the meaning of a date for a document.
 */
import type { Clock, TimeStatement, TrustedTime } from '../clock.ts'
import { describeError, type Log } from '../log.ts'
import type { Store } from '../store/open.ts'
import { DRIFT_RATE, KEEP_EVERY_MS, SLEW_MS, STEP_EVENT_PAUSE_MS } from './limits.ts'
import { isFollowed, judgeReading, judgeStart, type Anchor, type Kept } from './reading.ts'

const META = 'trusted-time'
/** Written by `acceptClock` after an operator has checked the clock. */
const ACCEPTED = 'trusted-time-accepted'

export function openTrustedTime(wall: Clock, store: Store, log?: Log): TrustedTime {
  const monotonicMs = wall.monotonicMs?.bind(wall)
  return monotonicMs ? countedTime(wall, monotonicMs, store, log) : believedTime(wall)
}

/** Makes the appliance trust the machine's clock again, from its next look or start. */
export function acceptClock(store: Store, wall: Date): void {
  store.meta.setJson(ACCEPTED, { wallMs: wall.getTime() })
}

/** Returns the time statement for a command that runs beside a server; records nothing. */
export function getTimeNow(
  wall: Clock,
  store: { readonly meta: Pick<Store['meta'], 'getJson'>; readonly events: Pick<Store['events'], 'lastAt'> },
): TimeStatement {
  const kept = store.meta.getJson(META) as Kept | null
  const [wallMs, monoMs] = [wall.now().getTime(), wall.monotonicMs?.() ?? 0]
  const latestEventMs = store.events.lastAt()?.getTime() ?? null
  const start = judgeStart(wallMs, monoMs, wall.bootId?.() ?? null, kept, latestEventMs)
  const sinceAnchorMs = monoMs - start.anchor.monoMs
  const nowMs = Math.round(Math.max(start.highWaterMs, start.anchor.nowMs + sinceAnchorMs))
  return judgeReading({ ...start, nowMs, wallMs, sinceAnchorMs })
}

function countedTime(
  wall: Clock,
  monotonicMs: () => number,
  store: Store,
  log: Log | undefined,
): TrustedTime {
  const bootId = wall.bootId?.() ?? null
  const wallMs = (): number => wall.now().getTime()
  const kept = store.meta.getJson(META) as Kept | null
  const start = judgeStart(wallMs(), monotonicMs(), bootId, kept, store.events.lastAt()?.getTime() ?? null)
  let { anchor, wallOffsetMs, otherOffsetMs, highWaterMs, steps } = start
  /** The part of the wall clock's slewing that has been followed. */
  let followedMs = 0
  /** The counted time goes back only by order of the central service or of an operator. */
  let floorMs = highWaterMs
  let keptAtMs = -Infinity
  let announcedAtMs = -Infinity
  let unannouncedMs = start.steppedMs ?? 0

  const sinceAnchorMs = (): number => monotonicMs() - anchor.monoMs
  const countedMs = (): number => anchor.nowMs + sinceAnchorMs()
  const nowMs = (): number => {
    floorMs = Math.max(floorMs, Math.round(countedMs() + followedMs))
    return floorMs
  }
  const read = () =>
    judgeReading({
      anchor,
      nowMs: nowMs(),
      wallMs: wallMs(),
      sinceAnchorMs: sinceAnchorMs(),
      otherOffsetMs,
      steps,
    })

  const keep = (): void => {
    // If in doubt, the mark continues with the earlier reading.
    highWaterMs = Math.max(highWaterMs, nowMs() + Math.min(0, otherOffsetMs ?? 0))
    const state: Kept = { bootId, anchor, wallOffsetMs, otherOffsetMs, highWaterMs, steps }
    store.meta.setJson(META, state)
    keptAtMs = monotonicMs()
  }
  const announce = (): void => {
    if (unannouncedMs === 0 || monotonicMs() - announcedAtMs < STEP_EVENT_PAUSE_MS) return
    const body = { bySeconds: Math.round(unannouncedMs / 1000), steps }
    store.events.append('clock.stepped', null, body, new Date(nowMs()))
    log?.warn(body, 'the clock of the machine was set')
    announcedAtMs = monotonicMs()
    unannouncedMs = 0
    keep()
  }
  const noticeStep = (byMs: number): void => {
    steps++
    unannouncedMs += byMs
  }
  const look = (): void => {
    const offset = wallMs() - countedMs()
    const change = offset - wallOffsetMs
    const followed = isFollowed(offset, sinceAnchorMs())
    const creptAway = anchor.source === 'SYSTEM' && !followed && isFollowed(wallOffsetMs, sinceAnchorMs())
    if (Math.abs(change) > SLEW_MS || creptAway) noticeStep(change)
    wallOffsetMs = offset
    if (anchor.source === 'SYSTEM' && followed && otherOffsetMs === null) followedMs = offset
  }
  const anchorAt = (to: Omit<Anchor, 'monoMs'>): void => {
    anchor = { ...to, monoMs: monotonicMs() }
    wallOffsetMs = wallMs() - to.nowMs
    otherOffsetMs = null
    followedMs = 0
    // Waits out a few seconds back; more than that means that the mark itself was wrong.
    if (floorMs - to.nowMs > SLEW_MS) floorMs = to.nowMs
    highWaterMs = floorMs
  }
  const takeAcceptance = (): void => {
    const accepted = store.meta.getJson(ACCEPTED) as { readonly wallMs: number } | null
    if (accepted === null) return
    const bySeconds = Math.round((wallMs() - nowMs()) / 1000)
    anchorAt({ nowMs: wallMs(), source: 'SYSTEM', uncertaintyMs: null })
    store.transaction(() => {
      store.meta.setJson(ACCEPTED, null)
      const author = { actor: 'operator' }
      store.events.append(
        'clock.confirmed',
        null,
        { bySeconds, uncertaintyMs: null },
        new Date(nowMs()),
        author,
      )
      keep()
    })
  }
  const tick = (): void => {
    try {
      look()
      takeAcceptance()
      announce()
      if (monotonicMs() - keptAtMs >= KEEP_EVERY_MS) keep()
    } catch (error) {
      // The disk cannot be written: look at the clock all the same and record it later.
      log?.error(describeError(error), 'what is known of the time could not be noted')
    }
  }
  const confirm = (serverTime: Date, roundTripMs: number): void => {
    look()
    const before = read()
    const uncertaintyMs = Math.ceil(Math.max(0, roundTripMs) / 2)
    const trueMs = serverTime.getTime() + Math.round(roundTripMs / 2)
    const byMs = trueMs - nowMs()
    const fits =
      trueMs + uncertaintyMs >= before.earliest.getTime() && trueMs - uncertaintyMs <= before.latest.getTime()
    // A slow answer adds nothing to the known time.
    if (before.source === 'CENTRE' && fits && uncertaintyMs > (before.uncertaintyMs ?? 0)) return
    anchorAt({ nowMs: trueMs, source: 'CENTRE', uncertaintyMs })
    if (before.source !== 'CENTRE' || Math.abs(byMs) > uncertaintyMs + (before.uncertaintyMs ?? 0)) {
      const body = { bySeconds: Math.round(byMs / 1000), uncertaintyMs }
      store.events.append('clock.confirmed', null, body, new Date(nowMs()), { actor: 'centre' })
    }
    keep()
  }
  tick()
  return {
    now: () => new Date(nowMs()),
    monotonicMs,
    statement: read,
    confirm,
    tick,
    keep,
  }
}

/** A clock without a monotonic counterpart (in tests): it is trusted and may jump. */
function believedTime(wall: Clock): TrustedTime {
  let confirmed: { readonly atMs: number; readonly uncertaintyMs: number } | null = null
  return {
    now: () => wall.now(),
    statement: () => {
      const at = wall.now()
      if (confirmed === null) {
        return { source: 'SYSTEM', earliest: at, latest: at, uncertaintyMs: null, steps: 0 }
      }
      const age = Math.abs(at.getTime() - confirmed.atMs)
      const uncertaintyMs = Math.ceil(confirmed.uncertaintyMs + age * DRIFT_RATE)
      const [earliest, latest] = [-uncertaintyMs, uncertaintyMs].map((ms) => new Date(at.getTime() + ms))
      return { source: 'CENTRE', earliest, latest, uncertaintyMs, steps: 0 }
    },
    confirm: (_serverTime, roundTripMs) => {
      confirmed = { atMs: wall.now().getTime(), uncertaintyMs: Math.ceil(Math.max(0, roundTripMs) / 2) }
    },
    tick: () => undefined,
    keep: () => undefined,
  }
}
