/**
 * A document from the first look to the appliance's receipt: its sides one after the other, then all pictures in one call. They
 * stay in memory until they were taken or the session is over; a line that is down loses nothing.
 */
import type {
  CapturedDetail,
  DocumentSide,
  ProgressDetail,
  SessionOverDetail,
  SideCapturedDetail,
} from '../events.ts'
import { CAPTURE_LIMITS } from '../limits.ts'
import { CaptureCallError, type SidePictures } from '../protocol.ts'
import { SideCapture, type SideResult, type SideWorld } from './side.ts'
import type { SideTelling } from './side-teller.ts'

export interface DocumentTelling extends SideTelling {
  sideWanted(side: DocumentSide): void
  sideCaptured(detail: Omit<SideCapturedDetail, 'stillUrl'>, still: Blob): void
  progress(detail: ProgressDetail): void
  captured(detail: CapturedDetail): void
  over(detail: SessionOverDetail): void
}
export interface DocumentWorld extends SideWorld {
  /** What is said of the device (`CaptureDetails`). */
  readonly details: () => object
  readonly triedBefore: number
  readonly tell: DocumentTelling
}

export class DocumentCourse {
  readonly #world: DocumentWorld
  readonly #stop = new AbortController()
  #side: SideCapture | null = null

  constructor(world: DocumentWorld) {
    this.#world = world
  }

  /** Resolves when all is over; never rejects. */
  async run(): Promise<void> {
    const { tell } = this.#world
    try {
      const view = await this.#patiently(() => this.#world.client.session())
      if (view.kind !== 'DOCUMENT') throw new CaptureCallError('gone')
      tell.captured({ evidence: await this.#capture(view.sidesToCapture) })
    } catch (error) {
      if (this.#stop.signal.aborted) return
      const isUnfit = error instanceof CaptureCallError && error.fault === 'unfit'
      tell.over({ reason: isUnfit ? 'refused' : 'ended', mayRetry: true })
    } finally {
      this.#side = null
    }
  }

  stop(): void {
    this.#stop.abort()
  }

  async takePhoto(): Promise<void> {
    await this.#side?.takePhoto(this.#stop.signal)
  }

  async sendFile(file: Blob): Promise<void> {
    await this.#side?.sendFile(file)
  }

  async #capture(sides: readonly DocumentSide[]): Promise<CapturedDetail['evidence']> {
    const taken = new Map<DocumentSide, SidePictures>()
    let other: Float64Array | null = null
    for (const [i, side] of sides.entries()) {
      const result = await this.#oneSide(side, i, other)
      taken.set(side, result.pictures)
      other = result.flat
      await this.#celebrate(side, result, sides.at(i + 1) ?? null)
    }
    return this.#handIn(taken)
  }

  async #oneSide(side: DocumentSide, index: number, other: Float64Array | null): Promise<SideResult> {
    const triedBefore = index === 0 ? this.#world.triedBefore : 0
    this.#side = new SideCapture(this.#world, { side, other, isSecond: index > 0, triedBefore })
    this.#world.tell.sideWanted(side)
    try {
      return await this.#side.run(this.#stop.signal)
    } finally {
      this.#side = null
    }
  }

  async #celebrate(side: DocumentSide, result: SideResult, next: DocumentSide | null): Promise<void> {
    const { tell, wait } = this.#world
    const isHard = result.quality === 'hard-to-read'
    tell.advice({ code: isHard ? 'HARD_TO_READ' : 'TAKEN', direction: null })
    tell.sideCaptured({ side, quality: result.quality, by: result.by, next }, result.pictures.best)
    // Longer where there is something to read.
    const { shutter, guidance } = CAPTURE_LIMITS
    await wait(shutter.stillShownMs + (isHard ? guidance.staysMs : 0), this.#stop.signal)
  }

  /** Null: the answer was lost on its way, and the appliance has the pictures. */
  async #handIn(taken: ReadonlyMap<DocumentSide, SidePictures>): Promise<CapturedDetail['evidence']> {
    const { client, tell, details } = this.#world
    tell.advice({ code: 'SENDING', direction: null })
    let mayHaveArrived = false
    try {
      return await this.#patiently(() =>
        client.handIn(taken, details(), (share) => {
          mayHaveArrived ||= share >= 1
          tell.progress({ phase: 'sending', share, retryInMs: null })
        }),
      )
    } catch (error) {
      if (mayHaveArrived && error instanceof CaptureCallError && error.fault === 'gone') return null
      throw error
    }
  }

  /** Again and again while the line is down or the appliance has no time; what stands in memory is lost by neither. */
  async #patiently<T>(call: () => Promise<T>): Promise<T> {
    const { tell, wait } = this.#world
    const { pausesMs } = CAPTURE_LIMITS.retry
    for (let i = 0; ; i++) {
      try {
        return await call()
      } catch (error) {
        const isPassing = error instanceof CaptureCallError && ['offline', 'busy'].includes(error.fault)
        if (!isPassing || this.#stop.signal.aborted) throw error
      }
      const retryInMs = pausesMs[Math.min(i, pausesMs.length - 1)]
      tell.advice({ code: 'OFFLINE', direction: null })
      tell.progress({ phase: 'waiting', share: 0, retryInMs })
      await wait(retryInMs, this.#stop.signal)
    }
  }
}
