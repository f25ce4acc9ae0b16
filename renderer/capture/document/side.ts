/**
 * Captures one side of a document: watches the camera, asks the appliance about pictures, reports advice, and
 * returns the pictures of the side. It submits and draws nothing.
 */
import type { CaptureGuidance } from '../../../server/api/contract/capture.ts'
import type { DocumentSide, SideCapturedDetail } from '../events.ts'
import type { Eyes } from '../eyes.ts'
import { flattenDocument, compareFlattened, movementBetween, type Grey } from '../grey.ts'
import { CAPTURE_LIMITS } from '../limits.ts'
import { CaptureCallError, type CaptureClient, type SidePictures } from '../protocol.ts'
import { chooseAdvice, isGlareAlone, type Advice } from './advice.ts'
import { GlareSeries } from './glare-series.ts'
import {
  countAutomaticFailure,
  keepsBestTry,
  ladderDetail,
  manualBelowQuality,
  noteGoodPicture,
  startLadder,
} from './ladder.ts'
import { sortByQuality, assessPicture, takeSharpestPicture, type ManualTry } from './manual.ts'
import { takePicture, sharpestFirst, toSidePictures, type Picture } from './pictures.ts'
import { isTooBright, shinySpot } from './shiny-spot.ts'
import { OPEN_SHUTTER, stepShutter } from './shutter.ts'
import { SideTeller, type SideTelling } from './side-teller.ts'

export interface SideWorld {
  readonly eyes: Eyes
  readonly client: CaptureClient
  readonly now: () => number
  /** Rejects when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly facesPerson: () => boolean
  /** The file can be opened as a picture or a scan. */
  readonly canOpen: (file: Blob) => Promise<boolean>
  readonly tell: SideTelling
}
export interface SideWish {
  readonly side: DocumentSide
  /** The completed side, flattened; null: there is none, or its corners were not found. */
  readonly other: Float64Array | null
  readonly isSecond: boolean
  /**
   * The camera's picture when the previous side was captured. The applicant may turn the document over while
   * the appliance still examines that side.
   */
  readonly seenBefore: Grey | null
  readonly triedBefore: number
  /**
   * The last photo was refused: the automatic shutter waits until the document has moved or gone, because the
   * same view would be refused again.
   */
  readonly waitsForChange: boolean
}
export interface SideResult {
  readonly pictures: SidePictures
  readonly flat: Float64Array | null
  readonly seen: Grey | null
  readonly quality: SideCapturedDetail['quality']
  readonly by: SideCapturedDetail['by']
}

interface Sight {
  readonly guidance: CaptureGuidance
  readonly freshUntilMs: number
  readonly sameSide: boolean
  readonly tooBright: boolean
}

const { guidance: TIMES, frames: FRAMES, motion: MOTION, shiny: SHINY } = CAPTURE_LIMITS
/** After this many consecutive pictures without an answer the network counts as down. */
const OFFLINE_AFTER = 3

export class SideCapture {
  readonly #world: SideWorld
  readonly #wish: SideWish
  readonly #ended = Promise.withResolvers<SideResult>()
  #seen: Sight | null = null
  #shutter = OPEN_SHUTTER
  #ladder
  readonly #teller: SideTeller
  readonly #glare = new GlareSeries()
  #glance: Grey | null = null
  #moving = false
  #hasMoved = false
  #waitsForChange: boolean
  #goods: Picture[] = []
  #tries: ManualTry[] = []
  #unanswered = 0
  /** Consecutive requests that were refused or not answered: each one lengthens the pause. */
  #refused = 0
  /** The manual shutter is active: no other request or capture starts. */
  #isTaking = false
  #isDone = false

  constructor(world: SideWorld, wish: SideWish) {
    this.#world = world
    this.#wish = wish
    this.#teller = new SideTeller(world.tell)
    this.#glance = wish.seenBefore
    this.#waitsForChange = wish.waitsForChange
    this.#ladder = startLadder(wish.side, world.now(), wish.triedBefore)
  }

  /**
   * Rejects with CaptureCallError when the session is gone, and with an AbortError when the signal aborts.
   */
  async run(signal: AbortSignal): Promise<SideResult> {
    const inner = new AbortController()
    const both = AbortSignal.any([signal, inner.signal])
    const loops = [this.#glances(both), this.#questions(both)]
    for (const loop of loops) loop.catch((error: unknown) => this.#ended.reject(error as Error))
    try {
      return await this.#ended.promise
    } finally {
      this.#isDone = true
      inner.abort()
      this.#goods = []
      this.#glare.forget()
      this.#tries = []
      this.#glance = null
    }
  }

  /** Runs the manual shutter. */
  async takePhoto(signal: AbortSignal): Promise<void> {
    if (this.#isTaking || this.#isDone) return
    this.#isTaking = true
    try {
      this.#say({ code: 'LOOKING', direction: null })
      const picture = await takeSharpestPicture(this.#world, signal)
      if (picture) this.#judgeManual(picture, await assessPicture(picture.frame, this.#world, signal))
    } finally {
      this.#isTaking = false
      this.#shutter = OPEN_SHUTTER
    }
  }

  async sendFile(file: Blob): Promise<void> {
    if (this.#isDone) return
    if (await this.#world.canOpen(file)) this.#finish([], 'file', 'unknown', { best: file, further: [] })
    else this.#say({ code: 'FILE_UNREADABLE', direction: null })
  }

  // The page's own measurements, ten times a second
  // --------------------------------------------------------------------

  async #glances(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#isDone) {
      this.#glanceOnce()
      await this.#world.wait(MOTION.everyMs, signal)
    }
  }

  #glanceOnce(): void {
    const { eyes, now } = this.#world
    const glance = eyes.grey(MOTION.widthPx, MOTION.heightPx)
    if (glance && this.#glance) {
      const movement = movementBetween(glance, this.#glance)
      this.#moving = movement > (this.#moving ? MOTION.stillBelow : MOTION.movingAbove)
      this.#hasMoved ||= this.#moving
      // A camera that has just opened still adjusts: its first pictures prove no movement.
      if (this.#moving && (this.#seen || this.#wish.seenBefore)) this.#waitsForChange = false
    }
    this.#glance = glance
    this.#tellLadder()
    if (this.#isTaking) return
    this.#tellAdvice(now())
    this.#stepShutter(now())
  }

  #tellAdvice(nowMs: number): void {
    const { shown, isNew } = this.#teller.advise(this.#advice(nowMs), nowMs)
    if (shown === 'GLARE' && this.#glare.shines(isNew, nowMs))
      this.#teller.say({ code: 'TILT_SLOWLY', direction: null }, nowMs)
  }

  /** Null: no advice is known now. */
  #advice(nowMs: number): Advice | null {
    if (this.#unanswered >= OFFLINE_AFTER) return { code: 'OFFLINE', direction: null }
    const seen = this.#seen
    if (!seen || nowMs > seen.freshUntilMs) return null
    return chooseAdvice({
      ...seen,
      moving: this.#moving,
      tiltSeries: this.#glare.isOn,
      waitsForChange: this.#waitsForChange,
      facesPerson: this.#world.facesPerson(),
    })
  }

  #stepShutter(nowMs: number): void {
    const seen = this.#seen
    const isFresh = seen !== null && nowMs <= seen.freshUntilMs
    const isReady = isFresh && seen.guidance.ready && !seen.sameSide && !this.#waitsForChange
    // A picture without glare is captured as usual.
    if (this.#glare.share > 0 && !isReady) return this.#stepTilted()
    const step = stepShutter(
      this.#shutter,
      {
        ready: isReady,
        moving: this.#moving,
        goodPictures: this.#goods.length,
      },
      nowMs,
      CAPTURE_LIMITS.shutter,
    )
    this.#shutter = step.shutter
    if (step.broke) this.#ladder = countAutomaticFailure(this.#ladder)
    this.#teller.shutter(step.share)
    if (step.releases) this.#finish(sharpestFirst(this.#goods), 'automatic', 'good')
  }

  #stepTilted(): void {
    const { share, pictures } = this.#glare
    this.#teller.shutter(share)
    if (share < 1) return
    this.#finish([...sharpestFirst(this.#goods), ...sharpestFirst(pictures)], 'automatic', 'good')
  }

  // The appliance's answers, up to four times a second
  // -----------------------------------------------------------------

  async #questions(signal: AbortSignal): Promise<void> {
    const { eyes, now, wait } = this.#world
    while (!signal.aborted && !this.#isDone) {
      const startedMs = now()
      await Promise.race([eyes.nextPicture(signal), wait(FRAMES.everyMs * 2, signal)])
      if (!this.#isTaking && !this.#isDone) await this.#askOnce()
      const dueMs = startedMs + FRAMES.everyMs - now()
      const pauseMs = Math.min(FRAMES.longestPauseMs, this.#refused * FRAMES.everyMs)
      await wait(Math.max(MOTION.everyMs / 2, dueMs, pauseMs), signal)
    }
  }

  async #askOnce(): Promise<void> {
    const { eyes, client, now } = this.#world
    const large = this.#glare.isOn || (this.#seen?.guidance.ready ?? false)
    const picture = await takePicture(eyes, large, now())
    if (!picture) return
    try {
      const guidance = await client.assess(picture.frame)
      this.#unanswered = 0
      this.#refused = 0
      if (!this.#isDone && !this.#isTaking) this.#take(guidance, picture)
    } catch (error) {
      this.#noAnswer(error)
    }
  }

  #noAnswer(error: unknown): void {
    if (!(error instanceof CaptureCallError)) throw error
    if (error.fault === 'gone') throw error
    this.#refused++
    if (error.fault === 'offline') this.#unanswered++
  }

  #take(guidance: CaptureGuidance, seen: Picture): void {
    const { small, atMs } = seen
    const corners = guidance.outline
    const picture = { ...seen, flat: corners && small ? flattenDocument(small, corners) : null }
    const sameSide = this.#isSameSide(picture.flat)
    const tooBright = small !== null && isTooBright(small, corners, SHINY)
    const shines = guidance.codes.includes('1532') && corners !== null && small !== null
    const nowMs = this.#world.now()
    // The answer of a slow appliance stays valid until the next one can arrive.
    const freshUntilMs = nowMs + Math.max(TIMES.staleAfterMs, 2 * (nowMs - atMs) + FRAMES.everyMs)
    this.#seen = { guidance, freshUntilMs, sameSide, tooBright }
    this.#teller.outline({ corners, shinySpot: shines ? shinySpot(small, corners, SHINY) : null })
    if (guidance.hint.startsWith('SHOW_DOCUMENT')) this.#waitsForChange = false
    if (sameSide || this.#waitsForChange) return
    if (guidance.ready && !this.#moving) {
      this.#ladder = noteGoodPicture(this.#ladder, atMs)
      this.#goods = [...this.#goods, picture].slice(-CAPTURE_LIMITS.shutter.bestOf)
    } else if (!guidance.ready) this.#goods = []
    if (isGlareAlone(guidance)) this.#glare.add(picture)
  }

  /**
   * Without corners the sides cannot be compared; then movement since the last capture counts, because
   * turning a document over always moves it.
   */
  #isSameSide(flat: Float64Array | null): boolean {
    const { other, isSecond } = this.#wish
    if (!isSecond) return false
    if (other && flat) return compareFlattened(other, flat) >= CAPTURE_LIMITS.sides.sameFrom
    return !this.#hasMoved
  }

  // The manual shutter ------------------------------------------------------------------------------------------------

  #judgeManual(picture: Picture, guidance: CaptureGuidance | null): void {
    if (guidance === null || guidance.ready)
      return this.#finish([picture], 'manual', guidance ? 'good' : 'unknown')
    this.#ladder = manualBelowQuality(this.#ladder)
    this.#tries.push({ picture, guidance })
    if (keepsBestTry(this.#ladder, CAPTURE_LIMITS.ladder))
      return this.#finish(sortByQuality(this.#tries), 'manual', 'hard-to-read')
    this.#teller.refused({ why: 'UNCLEAR' })
    const facesPerson = this.#world.facesPerson()
    const plain = {
      moving: false,
      sameSide: false,
      tooBright: false,
      tiltSeries: false,
      waitsForChange: false,
    }
    this.#say(chooseAdvice({ guidance, facesPerson, ...plain }))
  }

  #say(advice: Advice): void {
    this.#teller.say(advice, this.#world.now())
  }

  #tellLadder(): void {
    this.#teller.ladder(ladderDetail(this.#ladder, this.#world.now(), CAPTURE_LIMITS.ladder))
  }

  #finish(
    pictures: readonly Picture[],
    by: SideResult['by'],
    quality: SideResult['quality'],
    file?: SidePictures,
  ): void {
    if (this.#isDone) return
    this.#isDone = true
    this.#teller.taken()
    const flat = pictures.find((picture) => picture.flat)?.flat ?? null
    this.#ended.resolve({ pictures: file ?? toSidePictures(pictures), flat, seen: this.#glance, quality, by })
  }
}
