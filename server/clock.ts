/** Time as an argument: tests bring their own. */
export interface Clock {
  now(): Date
  /** Milliseconds of a clock that nobody sets and that goes on while the machine sleeps. Without it `now` is believed. */
  monotonicMs?(): number
}
export const systemClock: Clock = { now: () => new Date() }

/** How well the time is known. */
export interface TimeStatement {
  /** CENTRE: held against a signed time of the centre. SYSTEM: the machine's clock alone. UNSURE: it was set, or went back. */
  readonly source: 'CENTRE' | 'SYSTEM' | 'UNSURE'
  /** The true time lies between these; equal bounds where nothing is known to be wrong. */
  readonly earliest: Date
  readonly latest: Date
  /** Half of what is between them where the centre has confirmed it; null where nobody has. */
  readonly uncertaintyMs: number | null
  /** How often the machine's clock was set by more than a little since the first start. */
  readonly steps: number
}

export interface TrustedTime extends Clock {
  statement(): TimeStatement
  /** A signed time of the centre that took this long to ask for. */
  confirm(serverTime: Date, roundTripMs: number): void
  /** Looks for a clock that was set; called every few seconds. */
  tick(): void
}
