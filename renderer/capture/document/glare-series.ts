/**
 * Captures shiny documents: laminate shines at every angle, and a white strip looks like a reflection. After
 * some repeats of the advice to tilt, several pictures are captured during the tilting, each with the glare
 * in another place. Pure except for its own state.
 */
import { CAPTURE_LIMITS } from '../limits.ts'
import type { Picture } from './pictures.ts'

const { glare: GLARE } = CAPTURE_LIMITS

export class GlareSeries {
  #told = 0
  #toldAtMs = Infinity
  #pictures: Picture[] = []

  /** Records that the advice appeared or is still shown. True if the series begins now. */
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

  /** Skips pictures that follow too closely: the hand needs time to tilt. */
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
