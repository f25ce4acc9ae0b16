/**
 * Key pairs that an administrator has requested and a supervisor has to confirm: in memory only, so that a
 * restart drops open requests. Owns who may confirm and until when. Never: the creation of keys.
 */
import { AppError } from '../errors.ts'
import { HOUR_MS } from '../proofing/time.ts'
import type { KeyRefusal } from './contract/keys.ts'
import type { CounterDeps } from './deps.ts'
import { areIndependent, readRoles } from './staff/accounts.ts'
import { isAllowed } from './access.ts'

/** Long enough to find a supervisor in the building. Starting value. */
const GOOD_MS = HOUR_MS
/** More simultaneous requests are not made by people. Starting value. */
const MAX_REQUESTS = 20

export interface WantedKeys {
  readonly kind: 'NEW' | 'ROTATION'
  readonly application: string
  readonly days: number | null
  /** Null unless the request is a rotation. */
  readonly overlapHours: number | null
}

export interface KeyRequest extends WantedKeys {
  readonly requestId: string
  /** Staff ids. */
  readonly askedBy: string
  readonly confirmedBy: string | null
  readonly askedAt: Date
  readonly endsAt: Date
}

export class KeyRequests {
  readonly #deps: Pick<CounterDeps, 'clock' | 'newId' | 'store'>
  readonly #byId = new Map<string, KeyRequest>()

  constructor(deps: Pick<CounterDeps, 'clock' | 'newId' | 'store'>) {
    this.#deps = deps
  }

  /** Lists the open requests, the oldest first. */
  list(): readonly KeyRequest[] {
    const now = this.#deps.clock.now()
    for (const [id, { endsAt }] of this.#byId) if (now >= endsAt) this.#byId.delete(id)
    return [...this.#byId.values()]
  }

  ask(wanted: WantedKeys, askedBy: string): KeyRequest {
    if (this.list().length >= MAX_REQUESTS) {
      throw refused('TOO_MANY_REQUESTS', 'too many pairs of keys wait for a second person')
    }
    const { clock, newId } = this.#deps
    const askedAt = clock.now()
    const endsAt = new Date(askedAt.getTime() + GOOD_MS)
    const request = { ...wanted, requestId: newId(), askedBy, confirmedBy: null, askedAt, endsAt }
    this.#byId.set(request.requestId, request)
    return request
  }

  /**
   * Throws `transition_refused` for a closed request, for the requesting officer, and for an account that the
   * requesting officer could have set up.
   */
  confirm(requestId: string, confirmedBy: string): KeyRequest {
    const request = this.#ofAnother(requestId, confirmedBy)
    if (!this.#isSecondPerson(confirmedBy, request)) {
      throw refused('NOT_INDEPENDENT', 'the same person could have set up both accounts')
    }
    const confirmed = { ...request, confirmedBy }
    this.#byId.set(requestId, confirmed)
    return confirmed
  }

  /** Throws for a closed request, and for the requesting officer. */
  decline(requestId: string, by: string): KeyRequest {
    const request = this.#ofAnother(requestId, by)
    this.#byId.delete(requestId)
    return request
  }

  /** Withdraws the own request. Throws `transition_refused` for a closed one, or for another officer's. */
  takeBack(requestId: string, askedBy: string): void {
    this.#own(requestId, askedBy)
    this.#byId.delete(requestId)
  }

  /**
   * Takes the request to create its keys, once. Throws `transition_refused` unless a second officer, who may
   * still confirm now, has confirmed it.
   */
  take(requestId: string, askedBy: string): KeyRequest & { readonly confirmedBy: string } {
    const request = this.#own(requestId, askedBy)
    const { confirmedBy } = request
    if (
      confirmedBy === null ||
      !this.#mayConfirm(confirmedBy) ||
      !this.#isSecondPerson(confirmedBy, request)
    ) {
      throw refused('NOT_CONFIRMED', 'a supervisor has to confirm it first')
    }
    this.#byId.delete(requestId)
    return { ...request, confirmedBy }
  }

  #mayConfirm(staffId: string): boolean {
    const account = this.#deps.store.staff.find(staffId)
    return account?.enabled === true && isAllowed({ roles: readRoles(account) }, 'keys:confirm')
  }

  #isSecondPerson(staffId: string, { askedBy }: KeyRequest): boolean {
    const [one, other] = [askedBy, staffId].map((id) => this.#deps.store.staff.find(id))
    return !!one && !!other && areIndependent(one, other)
  }

  #ofAnother(requestId: string, staffId: string): KeyRequest {
    const request = this.#find(requestId)
    if (request.askedBy === staffId) {
      throw refused('OWN_REQUEST', 'another person than the one who asks has to confirm it')
    }
    return request
  }

  #own(requestId: string, staffId: string): KeyRequest {
    const request = this.#find(requestId)
    if (request.askedBy !== staffId) throw gone()
    return request
  }

  #find(requestId: string): KeyRequest {
    const request = this.list().find((one) => one.requestId === requestId)
    if (!request) throw gone()
    return request
  }
}

function gone(): AppError {
  return refused('REQUEST_GONE', 'it was taken back, declined or made, or its time is over: ask again')
}

function refused(code: KeyRefusal, message: string): AppError {
  return new AppError('transition_refused', {}, { problems: [{ code, message }] })
}
