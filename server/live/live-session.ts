/**
 * One portrait session while it runs: its client's key, the next ticket, the challenge sequence and the few
 * pictures that may still be needed. In memory only; deleted with its session. It reads no picture and no
 * clock: the time is an argument of each call.
 */
import type { KeyObject } from 'node:crypto'
import { framesToKeep, type ChallengeSequence } from '../proofing/liveness/session.ts'
import type { SessionBreach, UsedModel } from '../proofing/liveness/types.ts'
import { isSameTicket, isSignedBy, createTicket, type FrameSignature } from './frame-signature.ts'

interface KeptFrame {
  readonly image: Uint8Array
  readonly points: Float32Array
}

/** The size of all pictures of a session, which come from one camera. */
interface FrameSize {
  readonly widthPx: number
  readonly heightPx: number
}

/** The facts of a sent picture before it is examined. */
interface SentFrame {
  readonly signature: FrameSignature
  /** SHA-256 of the picture, hexadecimal. */
  readonly digest: string
  readonly atMs: number
}

/**
 * Per session: 24 pictures of 1 MB. A camera's picture of 1280 × 720 as JPEG has 0.1 to 0.3 MB, so only a
 * client that sends far more than is examined reaches this limit.
 */
export const MAX_KEPT_BYTES = 24 * 1024 * 1024

export class LiveSession {
  readonly sessionId: string
  readonly identityId: string
  challenge: ChallengeSequence
  /** One picture at a time; also true while the session is being ended. */
  isBusy = false
  /** The face landmarks of the previous picture. */
  lastPoints: Float32Array | null = null
  frameSize: FrameSize | null = null
  /** Number of pictures that could not be read, or had another size. */
  faults = 0
  /** Number of failures of our own machine. */
  failures = 0
  readonly #key: KeyObject
  readonly #beganAtMs: number
  readonly #seen = new Set<string>()
  readonly #models = new Map<string, UsedModel>()
  readonly #kept = new Map<number, KeptFrame>()
  #sequence = 1
  #ticket = createTicket()
  #askedAtMs: number
  #receivedAtMs: number
  #ownMs = 0

  constructor(fields: {
    sessionId: string
    identityId: string
    key: KeyObject
    challenge: ChallengeSequence
    nowMs: number
  }) {
    this.sessionId = fields.sessionId
    this.identityId = fields.identityId
    this.challenge = fields.challenge
    this.#key = fields.key
    this.#beganAtMs = fields.nowMs
    this.#askedAtMs = fields.nowMs
    this.#receivedAtMs = fields.nowMs
  }

  /** The requirements for the next picture. */
  get due(): { readonly sequence: number; readonly ticket: string } {
    return { sequence: this.#sequence, ticket: this.#ticket }
  }

  get models(): readonly UsedModel[] {
    return [...this.#models.values()]
  }

  sinceBegin(nowMs: number): number {
    return nowMs - this.#beganAtMs
  }

  /** Time that the appliance spent on the answered pictures. */
  get ownMs(): number {
    return this.#ownMs
  }

  /** Returns the breach of a picture; null if it is valid. All checks run, whatever the first one finds. */
  findBreach({ signature, digest, atMs }: SentFrame, longestGapMs: number): SessionBreach | null {
    const isClient = isSignedBy(this.#key, this.sessionId, signature, digest)
    const isTicket = isSameTicket(signature.ticket, this.#ticket)
    const isDue = signature.sequence === this.#sequence
    const isNew = !this.#seen.has(digest)
    // Counted from our answer on: the appliance's own time must not count against the applicant.
    const isInTime = atMs - this.#askedAtMs <= longestGapMs
    if (!isClient) return 'OTHER_CLIENT'
    if (!isTicket || !isDue) return 'REPLAYED'
    if (!isNew) return 'DUPLICATE_FRAME'
    return isInTime ? null : 'LATE_FRAME'
  }

  /** Records the arrival of a picture. */
  receive(atMs: number): void {
    this.#receivedAtMs = atMs
  }

  /** Completes the turn of this picture, whatever it showed: the next ticket is due. */
  take(digest: string): void {
    this.#seen.add(digest)
    this.#sequence++
    this.#ticket = createTicket()
  }

  /** Requests the next picture now. */
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

  /** Keeps this picture while the challenge sequence may need it, and deletes all that it no longer needs. */
  keep(sequence: number, frame: KeptFrame): void {
    this.#kept.set(sequence, frame)
    const needed = framesToKeep(this.challenge)
    for (const kept of this.#kept.keys()) if (!needed.has(kept)) this.#kept.delete(kept)
  }

  /** Throws for a deleted picture: the challenge sequence names only kept ones. */
  frame(sequence: number): KeptFrame {
    const frame = this.#kept.get(sequence)
    if (!frame) throw new TypeError('a picture that the challenge asks for was not kept')
    return frame
  }

  /** Overwrites the pictures instead of only releasing them. */
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
