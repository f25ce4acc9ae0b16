/**
 * Shiny documents: laminate shines at every angle, and a white strip looks like a reflection. Who was told to tilt often enough
 * is not told for ever: several pictures are taken while it is tilted, each with the spot elsewhere. Pure but for what it keeps.
 */
import { CAPTURE_LIMITS } from '../limits.ts'
import type { Picture } from './pictures.ts'

const { glare: GLARE } = CAPTURE_LIMITS

export class GlareSeries {
  #told = 0
  #toldAtMs = Infinity
  #pictures: Picture[] = []

  /** The message came up, or still stands. True when the series begins with it. */
  shines(isNewMessage: boolean, nowMs: number): boolean {
    const isRepeat = nowMs - this.#toldAtMs >= GLARE.repeatAfterMs
    if (!isNewMessage && !isRepeat) return false
    this.#told++
    this.#toldAtMs = nowMs
    return this.#told === GLARE.repeats + 1
  }

  get isOn(): boolean {
    return this.#told > GLARE.repeats
  }

  /** Not two of one moment: the hand must have had time to tilt. */
  add(picture: Picture): void {
    const last = this.#pictures.at(-1)
    if (this.isOn && (!last || picture.atMs - last.atMs >= GLARE.tiltedEveryMs)) this.#pictures.push(picture)
  }

  get share(): number {
    return Math.min(1, this.#pictures.length / GLARE.tiltedPictures)
  }

  get pictures(): readonly Picture[] {
    return this.#pictures
  }

  forget(): void {
    this.#pictures = []
  }
}
