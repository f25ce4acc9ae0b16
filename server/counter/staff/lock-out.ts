/**
 * How often somebody may answer wrong. Counted by the name that was typed, whether there is such an account or not, and
 * by the address, so that a refusal says nothing about accounts. What is decided is pure; what is kept lies in the store.
 */
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Attempts } from '../../store/staff-attempts.ts'
import type { Store } from '../../store/open.ts'

export interface Limits {
  readonly attempts: number
  /** After the second wrong answer; each further pause is twice as long. 0: none. */
  readonly firstPauseMs: number
  readonly lockMs: number
  readonly mostLockMs: number
  /** Without a wrong answer for so long, the ones before count no more. */
  readonly forgottenAfterMs: number
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** Starting value: a person who looks for the right password does not notice it. */
const FIRST_PAUSE_MS = 1000
/** A counter computer is shared: many more tries, and only a minute's rest, so that nobody locks the whole branch out. */
const ADDRESS_FACTOR = 4
const ADDRESS_LOCK_MS = MINUTE_MS
const ADDRESS_FORGOTTEN_MS = 15 * MINUTE_MS
/** Failures of a name nobody has are forgotten after this time. */
const KEPT_MS = 30 * DAY_MS

const NONE: Attempts = {
  failures: 0,
  rounds: 0,
  total: 0,
  blockedUntil: new Date(0),
  lastAt: new Date(0),
}

/** One wrong answer more. A lock is twice as long as the one before it. */
export function afterFailure(kept: Attempts, now: Date, limits: Limits): Attempts {
  const isForgotten = now.getTime() - kept.lastAt.getTime() >= limits.forgottenAfterMs
  const before = isForgotten ? NONE : kept
  const failures = before.failures + 1
  const total = before.total + 1
  if (failures >= limits.attempts) {
    const rounds = before.rounds + 1
    const lockMs = Math.min(limits.lockMs * 2 ** Math.min(before.rounds, 20), limits.mostLockMs)
    return { failures: 0, rounds, total, blockedUntil: new Date(now.getTime() + lockMs), lastAt: now }
  }
  const pauseMs = failures < 2 ? 0 : Math.min(limits.firstPauseMs * 2 ** (failures - 2), limits.lockMs)
  return { ...before, failures, total, blockedUntil: new Date(now.getTime() + pauseMs), lastAt: now }
}

/** A try that is under way. It was counted as wrong before it was looked at: many at once do not slip by. */
export interface Try {
  /** It was right: counted no more. */
  right(): void
  /** Null: this wrong answer did not lock anything. */
  readonly lockedUntil: Date | null
}

export type Begun = { readonly blockedUntil: Date } | { readonly blockedUntil: null; readonly attempt: Try }

export class LockOut {
  readonly #store: Store
  readonly #clock: Clock
  readonly #ofLogin: Limits
  readonly #ofAddress: Limits

  constructor({ store, clock, config }: { store: Store; clock: Clock; config: Config }) {
    this.#store = store
    this.#clock = clock
    const { attempts, lockedMinutes } = config.counter
    const lockMs = lockedMinutes * MINUTE_MS
    this.#ofLogin = {
      attempts,
      firstPauseMs: FIRST_PAUSE_MS,
      lockMs,
      mostLockMs: Math.max(DAY_MS, lockMs),
      forgottenAfterMs: KEPT_MS,
    }
    this.#ofAddress = {
      attempts: attempts * ADDRESS_FACTOR,
      firstPauseMs: 0,
      lockMs: ADDRESS_LOCK_MS,
      mostLockMs: ADDRESS_LOCK_MS,
      forgottenAfterMs: ADDRESS_FORGOTTEN_MS,
    }
  }

  /** Before anything is looked at. `login` null: no account is named (a passkey names it later). */
  begin(login: string | null, address: string): Begun {
    const now = this.#clock.now()
    const kinds = [
      { what: `address:${address}`, limits: this.#ofAddress },
      ...(login === null ? [] : [{ what: `login:${login}`, limits: this.#ofLogin }]),
    ]
    return this.#store.transaction((): Begun => {
      const befores = kinds.map(({ what }) => this.#store.staffAttempts.find(what) ?? NONE)
      const blocked = Math.max(...befores.map(({ blockedUntil }) => blockedUntil.getTime()))
      if (blocked > now.getTime()) return { blockedUntil: new Date(blocked) }
      const afters = kinds.map(({ what, limits }, index) => {
        const after = afterFailure(befores[index] ?? NONE, now, limits)
        this.#store.staffAttempts.put(what, after)
        return after
      })
      this.#store.staffAttempts.dropBefore(new Date(now.getTime() - KEPT_MS))
      const ofLogin = login === null ? undefined : afters[1]
      const locked = ofLogin !== undefined && ofLogin.failures === 0
      return {
        blockedUntil: null,
        attempt: {
          lockedUntil: locked ? ofLogin.blockedUntil : null,
          right: () => {
            for (const [index, { what }] of kinds.entries()) {
              this.#takeBack(what, befores[index] ?? NONE, now)
            }
          },
        },
      }
    })
  }

  /** Somebody signed in, or was let in again by a colleague. */
  forget(login: string): void {
    this.#store.staffAttempts.clear(`login:${login}`)
  }

  /** Wrong answers since the last sign-in. */
  failedSince(login: string): number {
    return this.#store.staffAttempts.find(`login:${login}`)?.total ?? 0
  }

  lockedUntil(login: string): Date | null {
    const attempts = this.#store.staffAttempts.find(`login:${login}`)
    const isLock = attempts !== null && attempts.rounds > 0 && attempts.failures === 0
    return isLock && attempts.blockedUntil > this.#clock.now() ? attempts.blockedUntil : null
  }

  /** As before the try, unless others came meanwhile: then one less. */
  #takeBack(what: string, before: Attempts, begunAt: Date): void {
    this.#store.transaction(() => {
      const present = this.#store.staffAttempts.find(what)
      if (!present) return
      const alone = present.lastAt.getTime() === begunAt.getTime() && present.total === before.total + 1
      const failures = Math.max(0, present.failures - 1)
      const total = Math.max(0, present.total - 1)
      this.#store.staffAttempts.put(
        what,
        alone ? { ...before, lastAt: begunAt } : { ...present, failures, total },
      )
    })
  }
}
