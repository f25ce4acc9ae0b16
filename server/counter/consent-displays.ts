/**
 * The consent question on the applicant's display. Only the applicant can answer: a token for that display
 * opens the question and works once, and a request with an officer's session is refused.
 */
import { createHash, randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { StaffCaller } from '../workflows/adjudication/desk-review.ts'

/** Time to read everything twice, with an assistant. Starting value. */
const OPEN_MS = 20 * 60_000
const MAX_OPEN = 100

export interface OpenQuestion {
  readonly visitId: string
  readonly display: 'SECOND' | 'TURNED'
  readonly language: string
  /** The officer who was present. */
  readonly attendant: StaffCaller
  readonly until: Date
  /** Time at which the display first asked for the question. Null: it has not. */
  shownAt: Date | null
}

export class ConsentDisplays {
  readonly #byTokenHash = new Map<string, OpenQuestion>()
  readonly #clock: { now(): Date }

  constructor(clock: { now(): Date }) {
    this.#clock = clock
  }

  /** Opens a question. A second one for the same visit ends the first. */
  open(question: Omit<OpenQuestion, 'until' | 'shownAt'>): {
    readonly token: string
    readonly expiresAt: Date
  } {
    this.#forget(question.visitId)
    if (this.#byTokenHash.size >= MAX_OPEN) throw new AppError('rate_limited')
    const token = randomBytes(32).toString('base64url')
    const until = new Date(this.#clock.now().getTime() + OPEN_MS)
    this.#byTokenHash.set(hashToken(token), { ...question, until, shownAt: null })
    return { token, expiresAt: until }
  }

  /** Throws `unauthorized` for a token that was never issued, was used, or has expired. */
  find(token: string): OpenQuestion {
    const question = this.#byTokenHash.get(hashToken(token))
    if (!question || question.until <= this.#clock.now()) throw new AppError('unauthorized')
    return question
  }

  /** Like `find`, and records when the question was first shown. */
  show(token: string): OpenQuestion {
    const question = this.find(token)
    question.shownAt ??= this.#clock.now()
    return question
  }

  /**
   * Works once: the same token finds nothing afterwards, even while the first answer is still being stored.
   */
  take(token: string): OpenQuestion {
    const question = this.find(token)
    this.#byTokenHash.delete(hashToken(token))
    return question
  }

  of(visitId: string): OpenQuestion | null {
    const open = [...this.#byTokenHash.values()].find((question) => question.visitId === visitId)
    return open && open.until > this.#clock.now() ? open : null
  }

  #forget(visitId: string): void {
    const now = this.#clock.now()
    for (const [hash, question] of this.#byTokenHash) {
      if (question.visitId === visitId || question.until <= now) this.#byTokenHash.delete(hash)
    }
  }
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
