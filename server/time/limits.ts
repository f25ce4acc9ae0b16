/** What a clock may do without being doubted. */

/**
 * A difference that is followed without a word. ntpd and systemd-timesyncd step a clock only beyond 0.128 s and 0.4 s,
 * and slew what is less; two seconds leave room for a busy machine, and no date of a document hangs on them.
 */
export const SLEW_MS = 2_000
/** How fast a clock may be slewed while it is followed: the fastest that ntpd and the kernel do (adjtime), 500 ppm. */
export const SLEW_RATE = 500e-6
/** How far a clock that nobody corrects may drift: twice what a common crystal does over its range of temperature. */
export const DRIFT_RATE = 100e-6
/** How far behind the latest time ever noted a machine may wake up without being doubted. */
export const BACKWARD_GRACE_MS = 5_000
/**
 * How long an appliance may have been switched off without being doubted: the longest closure of a branch, a season.
 * A clock whose battery is flat, or that somebody set, is off by years.
 */
export const MAX_OFF_MS = 92 * 86_400_000
/** At most one event of a clock that was set in this time; the count in it tells of the others. */
export const STEP_EVENT_PAUSE_MS = 60_000
/** What is known of the time is written down this often: a crash forgets no more. */
export const KEEP_EVERY_MS = 60_000
