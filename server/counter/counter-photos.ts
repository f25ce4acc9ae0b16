/**
 * Pictures of the fixed camera until the officer chooses the good ones: in memory, for minutes, deleted with
 * the visit.
 */
import { AppError } from '../errors.ts'
import type { CameraIdentity } from '../proofing/antifraud/device-integrity.ts'
import type { DocumentSide, Upload } from '../proofing/types.ts'

/** Long enough for the back and a second try. Starting value. */
const KEPT_MS = 10 * 60_000
/** Per visit: both sides, and one repeat of each. */
const MAX_OF_VISIT = 4

interface KeptPhoto {
  readonly visitId: string
  readonly side: DocumentSide
  readonly upload: Upload
  /** Null: the camera is not on USB. */
  readonly camera: CameraIdentity | null
  /** A file or a drawn picture simulated the camera. */
  readonly isPretended: boolean
}

export class CounterPhotos {
  readonly #photos = new Map<string, KeptPhoto & { readonly until: number }>()
  readonly #clock: { now(): Date }

  constructor(clock: { now(): Date }) {
    this.#clock = clock
  }

  keep(photo: KeptPhoto, id: string): string {
    const now = this.#clock.now().getTime()
    for (const [key, { until }] of this.#photos) if (until <= now) this.#photos.delete(key)
    const ofVisit = [...this.#photos].filter(([, { visitId }]) => visitId === photo.visitId)
    const tooMany = ofVisit.length - MAX_OF_VISIT + 1
    for (const [key] of ofVisit.slice(0, Math.max(0, tooMany))) this.#photos.delete(key)
    this.#photos.set(id, { ...photo, until: now + KEPT_MS })
    return id
  }

  /** Throws `not_found`, also for a picture of another visit. */
  find(visitId: string, id: string): KeptPhoto {
    const photo = this.#photos.get(id)
    if (photo?.visitId !== visitId || photo.until <= this.#clock.now().getTime()) {
      throw new AppError('not_found', { resource: 'photo' })
    }
    return photo
  }

  forget(visitId: string): void {
    for (const [key, photo] of this.#photos) if (photo.visitId === visitId) this.#photos.delete(key)
  }
}
