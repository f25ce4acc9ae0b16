/**
 * Limits how much of the bodies in progress may be in memory at one time, for the whole server and for each
 * application, and how many bodies each capture session may send at one time. A body is in progress from its first
 * byte until its request is answered, because the workflows hold it that long. Knows requests and responses, but
 * never looks at a body.
 */
import type { Request, RequestHandler, Response } from 'express'
import { AppError } from '../errors.ts'

export interface UploadBudgetLimits {
  readonly serverBytes: number
  readonly applicationBytes: number
  /**
   * A body that holds a part of the budget must deliver at least `MIN_ARRIVAL_BYTES` in each period of this length.
   */
  readonly idleMs: number
}

/**
 * Shorter bodies do not count: a thousand connections hold 64 MiB of them, and a picture never causes the refusal of
 * a consent.
 */
const FREE_BYTES = 64 * 1024
/**
 * 6.4 kB/s at the default idle time. Any line that can deliver the whole body within the request's time is faster.
 */
const MIN_ARRIVAL_BYTES = 64 * 1024

/** A limit on concurrent bodies: `most` of one key. */
interface UploadPlace {
  readonly key: string
  readonly most: number
}

/** The memory of one body, as `readBody` counts it. */
export interface BodyAccount {
  /** Holds `bytes` in all for this request. Throws where there is no room; what was held before stays held. */
  claim(bytes: number): void
  /** Watches whether the body arrives. */
  watchArrival(): ArrivalWatch
  /** Frees what is held. Safe to call twice. */
  release(): void
}

interface UploadAccount extends BodyAccount {
  /** Takes a place until `release`. Throws `upload_budget_exceeded` when all places of the key are taken. */
  take(place: UploadPlace): void
}

interface ArrivalWatch {
  /** Aborted when the body must not be held any longer; the reason is the `AppError` to answer with. */
  readonly signal: AbortSignal
  /** Records how many bytes have arrived in total. */
  note(receivedBytes: number): void
  stop(): void
}

export class UploadBudget {
  readonly #limits: UploadBudgetLimits
  #serverBytes = 0
  readonly #applicationBytes = new Map<string, number>()
  readonly #places = new Map<string, number>()

  constructor(limits: UploadBudgetLimits) {
    this.#limits = limits
  }

  /** Bytes that all requests together hold now. */
  get heldBytes(): number {
    return this.#serverBytes
  }

  /** @param applicationId null: the body counts only for the server */
  open(applicationId: string | null): UploadAccount {
    let heldBytes = 0
    const places: string[] = []
    const hold = (bytes: number): void => {
      this.#serverBytes += bytes
      if (applicationId !== null) add(this.#applicationBytes, applicationId, bytes)
      heldBytes += bytes
    }
    return {
      claim: (bytes) => {
        const more = bytes > FREE_BYTES ? bytes - heldBytes : 0
        if (more <= 0) return
        if (!this.#hasRoom(applicationId, more)) throw new AppError('upload_budget_exceeded')
        hold(more)
      },
      take: ({ key, most }) => {
        if ((this.#places.get(key) ?? 0) >= most) throw new AppError('upload_budget_exceeded')
        add(this.#places, key, 1)
        places.push(key)
      },
      watchArrival: () => watchArrival(this.#limits.idleMs, () => heldBytes > 0),
      release: () => {
        hold(-heldBytes)
        for (const key of places.splice(0)) add(this.#places, key, -1)
      },
    }
  }

  #hasRoom(applicationId: string | null, bytes: number): boolean {
    const { serverBytes, applicationBytes } = this.#limits
    const ofApplication = applicationId === null ? 0 : (this.#applicationBytes.get(applicationId) ?? 0)
    return this.#serverBytes + bytes <= serverBytes && ofApplication + bytes <= applicationBytes
  }
}

function watchArrival(idleMs: number, isHolding: () => boolean): ArrivalWatch {
  const idle = new AbortController()
  let [received, receivedBefore] = [0, 0]
  const timer = setInterval(() => {
    if (isHolding() && received - receivedBefore < MIN_ARRIVAL_BYTES) {
      idle.abort(new AppError('request_timeout'))
    }
    receivedBefore = received
  }, idleMs)
  timer.unref()
  return {
    signal: idle.signal,
    note: (receivedBytes) => {
      received = receivedBytes
    },
    stop: () => clearInterval(timer),
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

const accounts = new WeakMap<Request, UploadAccount>()

/** Opens an account for each request. Mount it before anything that reads a body. */
export function accountUploads(
  budget: UploadBudget,
  identifyApplication: (req: Request, res: Response) => string | null,
): RequestHandler {
  return (req, res, next) => {
    openAccount(budget, identifyApplication(req, res), req, res)
    next()
  }
}

/** Opens the account of one request, until it is answered. */
export function openAccount(
  budget: UploadBudget,
  applicationId: string | null,
  req: Request,
  res: Response,
): void {
  const account = budget.open(applicationId)
  accounts.set(req, account)
  res.once('close', () => account.release())
}

/**
 * Throws a `TypeError` if the request has no account. That is our own mistake, because its body would not be counted.
 */
export function getUploadAccount(req: Request): UploadAccount {
  const account = accounts.get(req)
  if (!account) throw new TypeError('the request has no upload account: open one before its route')
  return account
}
