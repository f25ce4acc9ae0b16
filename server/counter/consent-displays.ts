/**
 * The question for consent on the applicant's display. The person answers, and nobody for him: a token is made for that
 * display, opens the question and works once; a request that carries a member of staff is refused with it.
 */
import { createHash, randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { StaffCaller } from '../workflows/adjudication/desk-review.ts'

/** To read it all, twice, with somebody who helps. Starting value. */
const OPEN_MS = 20 * 60_000
const MAX_OPEN = 100

export interface OpenQuestion {
  readonly visitId: string
  readonly display: 'SECOND' | 'TURNED'
  readonly language: string
  /** Who was there. */
  readonly attendant: StaffCaller
  readonly until: Date
  /** When the display asked for the question first. Null: it never did. */
  shownAt: Date | null
}

export class ConsentDisplays {
  readonly #byTokenHash = new Map<string, OpenQuestion>()
  readonly #clock: { now(): Date }

  constructor(clock: { now(): Date }) {
    this.#clock = clock
  }

  /** A second one for the same visit ends the first. */
  open(question: Omit<OpenQuestion, 'until' | 'shownAt'>): {
    readonly token: string
    readonly expiresAt: Date
  } {
    this.#forget(question.visitId)
    if (this.#byTokenHash.size >= MAX_OPEN) throw new AppError('rate_limited')
    const token = randomBytes(32).toString('base64url')
    const until = new Date(this.#clock.now().getTime() + OPEN_MS)
    this.#byTokenHash.set(hashOf(token), { ...question, until, shownAt: null })
    return { token, expiresAt: until }
  }

  /** Throws `unauthorized` for one that was never made, was used, or is too old. */
  find(token: string): OpenQuestion {
    const question = this.#byTokenHash.get(hashOf(token))
    if (!question || question.until <= this.#clock.now()) throw new AppError('unauthorized')
    return question
  }

  /** As `find`, and notes when the question was first shown. */
  show(token: string): OpenQuestion {
    const question = this.find(token)
    question.shownAt ??= this.#clock.now()
    return question
  }

  /** Once: the same token finds nothing afterwards, also while the first answer is still being kept. */
  take(token: string): OpenQuestion {
    const question = this.find(token)
    this.#byTokenHash.delete(hashOf(token))
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

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
