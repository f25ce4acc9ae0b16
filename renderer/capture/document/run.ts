/**
 * Captures a document up to the appliance's receipt: one side after the other, then all pictures in one call.
 * The pictures stay in memory until the appliance has them or the session is over, so that a network failure
 * loses none.
 */
import type { RecognisedSide } from '../../../server/api/contract/capture.ts'
import type {
  CapturedDetail,
  DocumentSide,
  OtherKindDetail,
  PhotoRefusedDetail,
  ProgressDetail,
  SessionOverDetail,
  SideCapturedDetail,
} from '../events.ts'
import { compareFlattened, type Grey } from '../grey.ts'
import { CAPTURE_LIMITS } from '../limits.ts'
import { CaptureCallError, type SidePictures } from '../protocol.ts'
import type { Advice } from './advice.ts'
import { SideCapture, type SideResult, type SideWish, type SideWorld } from './side.ts'
import type { SideTelling } from './side-teller.ts'

interface DocumentTelling extends SideTelling {
  sideWanted(side: DocumentSide): void
  sideCaptured(detail: Omit<SideCapturedDetail, 'stillUrl'>, still: Blob): void
  /** The document is of another kind than the requested one: asks whether to use it. */
  otherKind(detail: Omit<OtherKindDetail, 'decide'>): Promise<boolean>
  progress(detail: ProgressDetail): void
  captured(detail: CapturedDetail): void
  over(detail: SessionOverDetail): void
}
export interface DocumentWorld extends SideWorld {
  /** Facts about the device (`CaptureDetails`). */
  readonly details: () => object
  readonly triedBefore: number
  /** The document of the last session was refused, and may still be before the camera. */
  readonly refusedBefore: boolean
  readonly tell: DocumentTelling
}

/** Time to read the message about a photo. */
const REFUSED_STAYS_MS = 2 * CAPTURE_LIMITS.guidance.staysMs

export class DocumentRun {
  readonly #world: DocumentWorld
  readonly #stop = new AbortController()
  #side: SideCapture | null = null

  constructor(world: DocumentWorld) {
    this.#world = world
  }

  /** Runs the capture to its end; never rejects. */
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
    let wanted = sides
    let other: Float64Array | null = null
    let seenBefore: Grey | null = null
    let refused = 0
    let waitsForChange = this.#world.refusedBefore
    for (;;) {
      const side = wanted.find((one) => !taken.has(one)) ?? 'FRONT'
      const triedBefore = refused + (taken.size === 0 ? this.#world.triedBefore : 0)
      const isSecond = taken.size > 0
      const result = await this.#oneSide(side, { other, isSecond, seenBefore, triedBefore, waitsForChange })
      const sight = await this.#recognise(result.pictures.best)
      const again = await sideAgain(result, sight, taken, other)
      if (again ? await this.#refuse(again) : !(await this.#isFit(side, sight))) {
        refused += 1
        waitsForChange = true
        seenBefore = result.seen
        continue
      }
      refused = 0
      waitsForChange = false
      wanted = sight?.sidesToCapture ?? wanted
      const shown = sideShown(side, sight, wanted, taken)
      taken.set(shown, result.pictures)
      other = result.flat
      seenBefore = result.seen
      const next = wanted.find((one) => !taken.has(one)) ?? null
      const told = this.#celebrate(shown, result, { next, documentType: sight?.documentType ?? null })
      if (next === null)
        return this.#handInMeanwhile(told, new Map([...taken].filter(([one]) => wanted.includes(one))))
      await told
    }
  }

  /** Submits the pictures while the applicant still sees the last photo. */
  async #handInMeanwhile(
    told: Promise<void>,
    taken: ReadonlyMap<DocumentSide, SidePictures>,
  ): Promise<CapturedDetail['evidence']> {
    let isIn = false
    const handedIn = this.#handIn(taken).finally(() => (isIn = true))
    const said = told.then(() => {
      if (!isIn) this.#world.tell.advice({ code: 'SENDING', direction: null })
    })
    const [evidence] = await Promise.all([handedIn, said])
    return evidence
  }

  /** Null: the appliance refuses this picture; it gives the reason when the picture is submitted. */
  async #recognise(picture: Blob): Promise<RecognisedSide | null> {
    const { client, tell } = this.#world
    tell.advice({ code: 'LOOKING', direction: null })
    try {
      return await this.#patiently(() => client.recognise(picture))
    } catch (error) {
      if (error instanceof CaptureCallError && error.fault === 'unfit') return null
      throw error
    }
  }

  /**
   * A side is done only if its picture shows a document, of the requested kind unless the applicant chose
   * another one.
   */
  async #isFit(side: DocumentSide, sight: RecognisedSide | null): Promise<boolean> {
    const { tell, wait } = this.#world
    if (sight === null) return true
    const isOther = sight.isAsked === false
    const fits = isOther ? await tell.otherKind({ side, documentType: sight.documentType }) : sight.isDocument
    if (fits) return true
    if (!isOther) return !(await this.#refuse('NOT_A_DOCUMENT'))
    tell.advice({ code: 'OTHER_KIND', direction: null })
    await wait(REFUSED_STAYS_MS, this.#stop.signal)
    return false
  }

  async #refuse(why: PhotoRefusedDetail['why'] & Advice['code']): Promise<true> {
    const { tell, wait } = this.#world
    tell.refused({ why })
    tell.advice({ code: why, direction: null })
    await wait(REFUSED_STAYS_MS, this.#stop.signal)
    return true
  }

  async #oneSide(side: DocumentSide, wish: Omit<SideWish, 'side'>): Promise<SideResult> {
    this.#side = new SideCapture(this.#world, { side, ...wish })
    this.#world.tell.sideWanted(side)
    try {
      return await this.#side.run(this.#stop.signal)
    } finally {
      this.#side = null
    }
  }

  async #celebrate(
    side: DocumentSide,
    result: SideResult,
    more: Pick<SideCapturedDetail, 'next' | 'documentType'>,
  ): Promise<void> {
    const { tell, wait } = this.#world
    const isHard = result.quality === 'hard-to-read'
    tell.advice({ code: isHard ? 'HARD_TO_READ' : 'TAKEN', direction: null })
    tell.sideCaptured({ side, quality: result.quality, by: result.by, ...more }, result.pictures.best)
    // Longer if there is a message to read.
    const { shutter, guidance } = CAPTURE_LIMITS
    await wait(shutter.stillShownMs + (isHard ? guidance.staysMs : 0), this.#stop.signal)
  }

  /** Null: the answer was lost, and the appliance has the pictures. */
  async #handIn(taken: ReadonlyMap<DocumentSide, SidePictures>): Promise<CapturedDetail['evidence']> {
    const { client, tell, details } = this.#world
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

  /** Repeats the call while the network is down or the appliance is busy; the pictures stay in memory. */
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

/** Null: this side was not captured before, or that is unknown. */
async function sideAgain(
  { pictures, flat }: SideResult,
  sight: RecognisedSide | null,
  taken: ReadonlyMap<DocumentSide, SidePictures>,
  other: Float64Array | null,
): Promise<'FRONT_AGAIN' | 'BACK_AGAIN' | null> {
  const [before] = taken
  if (!before) return null
  const [side, { best }] = before
  const looksAlike =
    other !== null && flat !== null && compareFlattened(other, flat) >= CAPTURE_LIMITS.sides.sameFrom
  const isAgain = sight?.shows === side || looksAlike || (await isSameFile(best, pictures.best))
  if (!isAgain) return null
  return side === 'FRONT' ? 'FRONT_AGAIN' : 'BACK_AGAIN'
}

async function isSameFile(one: Blob, other: Blob): Promise<boolean> {
  if (one.size !== other.size) return false
  const [bytes, others] = await Promise.all(
    [one, other].map(async (file) => new Uint8Array(await file.arrayBuffer())),
  )
  return bytes.every((byte, index) => byte === others[index])
}

/** Returns the recognised side: the applicant may have shown the back first. */
function sideShown(
  side: DocumentSide,
  sight: RecognisedSide | null,
  wanted: readonly DocumentSide[],
  taken: ReadonlyMap<DocumentSide, SidePictures>,
): DocumentSide {
  const shown = sight?.shows ?? side
  return wanted.includes(shown) && !taken.has(shown) ? shown : side
}
