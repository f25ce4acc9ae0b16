/**
 * One portrait session while it runs: its client's key, the ticket that is due, the course of the challenge and the few
 * pictures that may still be needed. In memory alone, and gone with its session. Looks at no picture and no clock: the
 * time comes in with each call.
 */
import type { KeyObject } from 'node:crypto'
import { framesToKeep, type Course } from '../proofing/liveness/session.ts'
import type { SessionBreach, UsedModel } from '../proofing/liveness/types.ts'
import { isSameTicket, isSealedBy, newTicket, type FrameSeal } from './frame-seal.ts'

export interface KeptFrame {
  readonly image: Uint8Array
  readonly points: Float32Array
}

/** Of the one camera that all pictures of a session come from. */
export interface FrameSize {
  readonly widthPx: number
  readonly heightPx: number
}

/** What was sent, before anybody looks at the picture. */
export interface SentFrame {
  readonly seal: FrameSeal
  /** SHA-256 of the picture, hexadecimal. */
  readonly digest: string
  readonly atMs: number
}

/**
 * Of one session: 24 pictures of 1 MB. A camera's picture of 1280 × 720 as JPEG has 0.1 to 0.3 MB, so only a client that
 * sends much more than is looked at meets this limit.
 */
export const MAX_KEPT_BYTES = 24 * 1024 * 1024

export class LiveSession {
  readonly sessionId: string
  readonly identityId: string
  course: Course
  /** One picture at a time; also while the session is being ended. */
  isBusy = false
  /** Of the picture before: where the face was. */
  lastPoints: Float32Array | null = null
  frameSize: FrameSize | null = null
  /** Pictures that could not be read, or had another size. */
  faults = 0
  /** How often our own machine failed. */
  failures = 0
  readonly #key: KeyObject
  readonly #beganAtMs: number
  readonly #seen = new Set<string>()
  readonly #models = new Map<string, UsedModel>()
  readonly #kept = new Map<number, KeptFrame>()
  #sequence = 1
  #ticket = newTicket()
  #askedAtMs: number
  #receivedAtMs: number
  #ownMs = 0

  constructor(fields: {
    sessionId: string
    identityId: string
    key: KeyObject
    course: Course
    nowMs: number
  }) {
    this.sessionId = fields.sessionId
    this.identityId = fields.identityId
    this.course = fields.course
    this.#key = fields.key
    this.#beganAtMs = fields.nowMs
    this.#askedAtMs = fields.nowMs
    this.#receivedAtMs = fields.nowMs
  }

  /** What the next picture has to carry. */
  get due(): { readonly sequence: number; readonly ticket: string } {
    return { sequence: this.#sequence, ticket: this.#ticket }
  }

  get models(): readonly UsedModel[] {
    return [...this.#models.values()]
  }

  sinceBegin(nowMs: number): number {
    return nowMs - this.#beganAtMs
  }

  /** How long the appliance was busy with the pictures that it has answered. */
  get ownMs(): number {
    return this.#ownMs
  }

  /** What speaks against a picture; null where it is the next one. All of it is looked at, whatever is found first. */
  breachOf({ seal, digest, atMs }: SentFrame, longestGapMs: number): SessionBreach | null {
    const isClient = isSealedBy(this.#key, this.sessionId, seal, digest)
    const isTicket = isSameTicket(seal.ticket, this.#ticket)
    const isDue = seal.sequence === this.#sequence
    const isNew = !this.#seen.has(digest)
    // Counted from our answer on: how long we took is not held against the person.
    const isInTime = atMs - this.#askedAtMs <= longestGapMs
    if (!isClient) return 'OTHER_CLIENT'
    if (!isTicket || !isDue) return 'REPLAYED'
    if (!isNew) return 'DUPLICATE_FRAME'
    return isInTime ? null : 'LATE_FRAME'
  }

  /** A picture has come, and is looked at from now on. */
  receive(atMs: number): void {
    this.#receivedAtMs = atMs
  }

  /** This picture has had its turn, whatever it showed: another ticket is due. */
  take(digest: string): void {
    this.#seen.add(digest)
    this.#sequence++
    this.#ticket = newTicket()
  }

  /** The next picture is asked for now. */
  ask(nowMs: number): void {
    this.#ownMs += nowMs - this.#receivedAtMs
    this.#receivedAtMs = nowMs
    this.#askedAtMs = nowMs
  }

  noteModels(models: readonly UsedModel[]): void {
    for (const { id, version, sha256 } of models) this.#models.set(id, { id, version, sha256 })
  }

  hasRoomFor(bytes: number): boolean {
    const kept = [...this.#kept.values()].reduce((sum, { image }) => sum + image.byteLength, 0)
    return kept + bytes <= MAX_KEPT_BYTES
  }

  /** Keeps this picture if the course may still need it, and forgets all that it needs no more. */
  keep(sequence: number, frame: KeptFrame): void {
    this.#kept.set(sequence, frame)
    const needed = framesToKeep(this.course)
    for (const kept of this.#kept.keys()) if (!needed.has(kept)) this.#kept.delete(kept)
  }

  /** Throws for one that was forgotten: the course names only what it had kept. */
  frame(sequence: number): KeptFrame {
    const frame = this.#kept.get(sequence)
    if (!frame) throw new TypeError('a picture that the course asks for was not kept')
    return frame
  }

  /** The pictures are overwritten, not merely let go. */
  wipe(): void {
    for (const { image, points } of this.#kept.values()) {
      image.fill(0)
      points.fill(0)
    }
    this.#kept.clear()
    this.#seen.clear()
    this.lastPoints?.fill(0)
    this.lastPoints = null
  }
}
