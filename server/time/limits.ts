/** Limits within which a clock's behaviour raises no doubt. */

/**
 * A difference up to this size is followed silently. ntpd and systemd-timesyncd step a clock only beyond 0.128 s and 0.4
 * s and slew smaller differences. Two seconds allow for a busy machine, and no document date depends on them.
 */
export const SLEW_MS = 2_000
/** Maximum slewing rate that is followed: 500 ppm, the maximum of ntpd and the kernel (adjtime). */
export const SLEW_RATE = 500e-6
/** Maximum drift of an uncorrected clock: twice that of a common crystal over its temperature range. */
export const DRIFT_RATE = 100e-6
/** A machine may start this far behind the latest time ever recorded without doubt. */
export const BACKWARD_GRACE_MS = 5_000
/**
 * An appliance may be off this long without doubt: the longest closure of a branch, one season. A clock with a flat
 * battery or a wrong setting is off by years.
 */
export const MAX_OFF_MS = 92 * 86_400_000
/** Records at most one event per clock change in this time; its count includes the others. */
export const STEP_EVENT_PAUSE_MS = 60_000
/** Saves the known time this often, so that a crash loses no more than this. */
export const KEEP_EVERY_MS = 60_000
