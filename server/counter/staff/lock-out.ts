/**
 * Limits wrong answers at the sign-in. A browser on which this officer has signed in before has a budget of
 * its own (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). All others share budgets per
 * login name and network, per network, and per login name. So neither a known login name nor a shared address
 * lets a stranger lock staff out of the devices they use. Unknown names are counted too, so that a refusal
 * reveals nothing about accounts. The rules are pure; the counts are in the store.
 */
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Attempts } from '../../store/staff-attempts.ts'
import type { Store } from '../../store/open.ts'

export interface Limits {
  readonly attempts: number
  /** Pause after the second wrong answer. Each further pause is twice as long. 0: no pause. */
  readonly firstPauseMs: number
  readonly lockMs: number
  readonly maxLockMs: number
  /** Earlier wrong answers expire after this time without another one. */
  readonly forgottenAfterMs: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Starting value: too short to be noticed by a person who searches for the right password. */
const FIRST_PAUSE_MS = 1000
/** SP 800-63B-4, 3.2.2 names "30 seconds up to an hour" for the growing delay. */
const MAX_LOCK_MS = HOUR_MS
/**
 * Limits the tries of all strangers together for one name, as a multiple of the tries from one network. An attacker
 * with many addresses therefore gets no more tries. Twenty times five is the 100 of SP 800-63B-4, 3.2.2.
 */
const STRANGERS_FACTOR = 20
/** A counter computer is shared: many more tries, and a lock of only a minute. */
const NETWORK_FACTOR = 4
const NETWORK_LOCK_MS = MINUTE_MS
const NETWORK_FORGOTTEN_MS = 15 * MINUTE_MS
/** Failures of unknown names are deleted after this time. */
const KEPT_MS = 30 * 24 * HOUR_MS

const NONE: Attempts = {
  failures: 0,
  rounds: 0,
  total: 0,
  blockedUntil: new Date(0),
  lastAt: new Date(0),
}

/** Adds one wrong answer. A lock is twice as long as the one before it. */
export function addFailure(kept: Attempts, now: Date, limits: Limits): Attempts {
  const isForgotten = now.getTime() - kept.lastAt.getTime() >= limits.forgottenAfterMs
  const before = isForgotten ? NONE : kept
  const failures = before.failures + 1
  const total = before.total + 1
  if (failures >= limits.attempts) {
    const rounds = before.rounds + 1
    const lockMs = Math.min(limits.lockMs * 2 ** Math.min(before.rounds, 20), limits.maxLockMs)
    return { failures: 0, rounds, total, blockedUntil: new Date(now.getTime() + lockMs), lastAt: now }
  }
  const pauseMs = failures < 2 ? 0 : Math.min(limits.firstPauseMs * 2 ** (failures - 2), limits.lockMs)
  return { ...before, failures, total, blockedUntil: new Date(now.getTime() + pauseMs), lastAt: now }
}

/** The origin of a try. */
export interface Trier {
  /** Null: no account is named (a passkey names it later). */
  readonly login: string | null
  /** As returned by `clientNetwork`. */
  readonly network: string
  /** Token of a browser on which this login has signed in before. Null: any other browser. */
  readonly device: string | null
}

/**
 * A try in progress. It is counted as wrong before it is checked, so that parallel tries cannot exceed the
 * limit.
 */
export interface Try {
  /** The answer was right: removes the count. */
  right(): void
  /** Null: this wrong answer locked nothing. */
  readonly lockedUntil: Date | null
}

export type Begun = { readonly blockedUntil: Date } | { readonly blockedUntil: null; readonly attempt: Try }

/** One counter that a try increases. */
interface Budget {
  readonly what: string
  readonly login: string | null
  /** Null: counted only for the officer's information. */
  readonly limits: Limits | null
}

export class LockOut {
  readonly #store: Store
  readonly #clock: Clock
  readonly #limits: Readonly<Record<'own' | 'strangers' | 'network', Limits>>

  constructor({ store, clock, config }: { store: Store; clock: Clock; config: Config }) {
    this.#store = store
    this.#clock = clock
    const { attempts, lockedMinutes } = config.counter
    const lockMs = lockedMinutes * MINUTE_MS
    const own = {
      attempts,
      firstPauseMs: FIRST_PAUSE_MS,
      lockMs,
      maxLockMs: Math.max(MAX_LOCK_MS, lockMs),
      forgottenAfterMs: KEPT_MS,
    }
    this.#limits = {
      own,
      strangers: { ...own, attempts: attempts * STRANGERS_FACTOR, firstPauseMs: 0 },
      network: {
        attempts: attempts * NETWORK_FACTOR,
        firstPauseMs: 0,
        lockMs: NETWORK_LOCK_MS,
        maxLockMs: NETWORK_LOCK_MS,
        forgottenAfterMs: NETWORK_FORGOTTEN_MS,
      },
    }
  }

  /** Counts the try as wrong before it is checked. */
  begin(trier: Trier): Begun {
    const now = this.#clock.now()
    const { staffAttempts } = this.#store
    const budgets = this.#budgetsOf(trier)
    return this.#store.transaction((): Begun => {
      const befores = budgets.map(({ what }) => staffAttempts.find(what) ?? NONE)
      const blocked = Math.max(...befores.map(({ blockedUntil }) => blockedUntil.getTime()))
      if (blocked > now.getTime()) return { blockedUntil: new Date(blocked) }
      const afters = budgets.map(({ what, login, limits }, index) => {
        const before = befores[index] ?? NONE
        const after = limits
          ? addFailure(before, now, limits)
          : { ...before, total: before.total + 1, lastAt: now }
        staffAttempts.put(what, login, after)
        return after
      })
      staffAttempts.dropBefore(new Date(now.getTime() - KEPT_MS))
      const locks = afters.filter(({ failures, rounds }, index) => {
        return failures === 0 && rounds > 0 && budgets[index]?.login !== null
      })
      const lockedUntil = Math.max(0, ...locks.map(({ blockedUntil }) => blockedUntil.getTime()))
      return {
        blockedUntil: null,
        attempt: {
          lockedUntil: lockedUntil > 0 ? new Date(lockedUntil) : null,
          right: () => {
            for (const [index, budget] of budgets.entries()) {
              this.#takeBack(budget, befores[index] ?? NONE, now)
            }
          },
        },
      }
    })
  }

  /** The sign-in is complete: deletes the earlier wrong answers of this trier. */
  forget(trier: Trier): void {
    for (const { what, login } of this.#budgetsOf(trier))
      if (login !== null) this.#store.staffAttempts.clear(what)
  }

  /** Wrong answers since the last sign-in, on any device. */
  failedSince(login: string): number {
    return this.#store.staffAttempts.find(buildTallyKey(login))?.total ?? 0
  }

  /** The longest present lock of a login name; null: none. */
  lockedUntil(login: string): Date | null {
    const now = this.#clock.now()
    const until = this.#store.staffAttempts
      .ofLogin(login)
      .filter(({ rounds, failures, blockedUntil }) => rounds > 0 && failures === 0 && blockedUntil > now)
      .map(({ blockedUntil }) => blockedUntil.getTime())
    return until.length > 0 ? new Date(Math.max(...until)) : null
  }

  #budgetsOf({ login, network, device }: Trier): readonly Budget[] {
    const { own, strangers, network: ofNetwork } = this.#limits
    const shared = { what: `network:${network}`, login: null, limits: ofNetwork }
    if (login === null) return [shared]
    const tally = { what: buildTallyKey(login), login, limits: null }
    if (device !== null) return [{ what: `device:${device} ${login}`, login, limits: own }, tally]
    return [
      shared,
      { what: `login-network:${network} ${login}`, login, limits: own },
      { what: `strangers:${login}`, login, limits: strangers },
      tally,
    ]
  }

  /** Restores the count from before the try, or subtracts one if other tries came meanwhile. */
  #takeBack({ what, login }: Budget, before: Attempts, begunAt: Date): void {
    this.#store.transaction(() => {
      const present = this.#store.staffAttempts.find(what)
      if (!present) return
      const alone = present.lastAt.getTime() === begunAt.getTime() && present.total === before.total + 1
      const failures = Math.max(0, present.failures - 1)
      const total = Math.max(0, present.total - 1)
      const after = alone ? { ...before, lastAt: begunAt } : { ...present, failures, total }
      this.#store.staffAttempts.put(what, login, after)
    })
  }
}

function buildTallyKey(login: string): string {
  return `tally:${login}`
}
