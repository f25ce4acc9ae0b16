/** Runs the idle clock: offers help, asks for more time, clears, or calls staff, as idle.ts decides. */
import type { JourneyView } from '../../server/kiosk/contract/index.ts'
import { createIdleTimer, warningLeft } from './idle.ts'
import type { ScreenState } from './screen-context.ts'

interface IdleParts {
  readonly state: () => ScreenState
  readonly slow: () => boolean
  /** The help dialog is open: an applicant who waits is not hurried. */
  readonly isWaiting: () => boolean
  /** Opens the warning; the answer comes through `active` or the page's own acts. */
  readonly warn: () => { show(share: number): void; close(): void }
  readonly offer: (isOffered: boolean) => void
  readonly clear: () => void
  readonly staff: () => void
  readonly now?: () => number
}

const TICK_MS = 500
const TOUCHES = ['pointerdown', 'keydown', 'wheel'] as const

export class IdleWatch {
  readonly #parts: IdleParts
  readonly #now: () => number
  #last: number
  #extensions = 0
  #warning: ReturnType<IdleParts['warn']> | null = null
  #isOffered = false
  #hasCleared = false

  constructor(parts: IdleParts) {
    this.#parts = parts
    this.#now = parts.now ?? (() => performance.now())
    this.#last = this.#now()
  }

  /**
   * Starts the clock. Any touch or key restarts it, except on the warning's buttons, which have their own
   * meaning.
   */
  start(): void {
    for (const name of TOUCHES) {
      document.addEventListener(
        name,
        (event) => {
          const onButton = event.target instanceof Element && event.target.closest('button') !== null
          if (!this.#warning || !onButton) this.active()
        },
        { capture: true, passive: true },
      )
    }
    setInterval(() => this.tick(), TICK_MS)
  }

  /** Records activity of the applicant. */
  active(): void {
    this.#last = this.#now()
    const warning = this.#warning
    this.#warning = null
    if (warning) this.#extensions += 1
    warning?.close()
    this.#offer(false)
  }

  tick(): void {
    const state = this.#parts.state()
    const times: JourneyView['idleSeconds'] | undefined = state.journey?.idleSeconds
    if (!times || this.#hasCleared) return
    const facts = {
      idleMs: this.#now() - this.#last,
      slow: this.#parts.slow(),
      waiting: this.#parts.isWaiting(),
      extensions: this.#extensions,
    }
    const now = createIdleTimer(state, times, facts)
    // The step continued while the warning was open: the machine works again.
    if (this.#warning && now === 'active') this.active()
    this.#offer(now === 'offer')
    if (now === 'warn') {
      this.#warning ??= this.#parts.warn()
      this.#warning.show(warningLeft(state, times, facts))
    } else if (now === 'clear') {
      this.#hasCleared = true
      this.#parts.clear()
    } else if (now === 'staff') {
      this.#last = this.#now()
      this.#extensions = 0
      this.#parts.staff()
    }
  }

  /** Restarts the time of a screen that stays after its time is over, because it holds no personal data. */
  again(): void {
    this.#hasCleared = false
    this.#last = this.#now()
  }

  #offer(isOffered: boolean): void {
    if (isOffered === this.#isOffered) return
    this.#isOffered = isOffered
    this.#parts.offer(isOffered)
  }
}
