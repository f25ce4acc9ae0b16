/**
 * Finds the eyes in a picture, so that faces can be drawn with equal distances between the eyes. It measures
 * when an adjudicator opens a case, and caches the result: a position in a picture is no personal data.
 */
import type { Context } from '../context.ts'
import { describeError } from '../log.ts'
import type { StoredImage } from '../store/images.ts'
import type { DeskImage } from './contract/desk.ts'

/** Two pictures per case; enough for a day at one desk. */
const MAX_KEPT = 500

export class EyeFinder {
  readonly #ctx: Context
  readonly #known = new Map<string, DeskImage['eyes']>()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Null if no face is found, or the worker is busy. */
  async of(image: StoredImage): Promise<DeskImage['eyes']> {
    const known = this.#known.get(image.id)
    if (known !== undefined) return known
    const { vision, store, log } = this.#ctx
    try {
      const { faces } = await vision.measurePortrait({ image: store.images.read(image) })
      const face = faces.at(0) ?? null
      const eyes = face && { left: face.landmarks.leftEye, right: face.landmarks.rightEye }
      this.#keep(image.id, eyes)
      return eyes
    } catch (error) {
      log.warn(describeError(error), 'the eyes of a picture could not be found')
      return null
    }
  }

  #keep(imageId: string, eyes: DeskImage['eyes']): void {
    if (this.#known.size >= MAX_KEPT) this.#known.delete(this.#known.keys().next().value ?? '')
    this.#known.set(imageId, eyes)
  }
}
