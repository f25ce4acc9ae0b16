/**
 * Runs a portrait session from the first picture to the end of its challenge sequence: shows the prompt,
 * sends the newest picture with its signature, shows the next prompt. It keeps and judges no picture.
 */
import type { PortraitGuidance } from '../../../server/api/contract/capture.ts'
import type { CameraIdentity, CapturedEvidence, SessionOverDetail } from '../events.ts'
import type { Eyes } from '../eyes.ts'
import { CAPTURE_LIMITS } from '../limits.ts'
import { CaptureCallError, type CaptureClient } from '../protocol.ts'
import type { FrameSigner } from './frame-signer.ts'

type Capturing = Extract<PortraitGuidance, { state: 'CAPTURING' }>

export interface PortraitWorld {
  readonly eyes: Eyes
  readonly client: CaptureClient
  readonly createSigner: () => Promise<FrameSigner>
  readonly camera: () => CameraIdentity | null
  readonly isPretended: () => boolean
  /** The set of colours that is painted during the whole session. */
  readonly colours: 'calm' | 'full'
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly show: (answer: Capturing) => void
  readonly captured: (evidence: CapturedEvidence) => void
  readonly over: (detail: SessionOverDetail) => void
}

/** Starting value: the appliance is busy with another picture; the next one comes soon enough. */
const BUSY_MS = 40
const { portrait: PICTURE } = CAPTURE_LIMITS

export class PortraitRun {
  readonly #world: PortraitWorld
  readonly #stop = new AbortController()
  /** Digests of the pictures that the appliance has accepted. */
  readonly #taken = new Set<string>()

  constructor(world: PortraitWorld) {
    this.#world = world
  }

  /** Runs the session to its end; never rejects. */
  async run(): Promise<void> {
    let hasBegun = false
    try {
      const { client, createSigner, camera, isPretended, colours, captured } = this.#world
      const view = await client.session()
      if (view.kind !== 'PORTRAIT') throw new CaptureCallError('gone')
      const signer = await createSigner()
      // The time of the session starts with `begin`: make sure first that the camera works.
      await this.#newPicture()
      hasBegun = true
      let answer = await client.begin(signer.publicKey, {
        camera: camera(),
        isPretended: isPretended(),
        colours: colours === 'calm' ? 'CALM' : 'FULL',
      })
      while (answer.state === 'CAPTURING') {
        this.#world.show(answer)
        answer = await this.#next(answer, signer)
      }
      captured(answer.evidence)
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#world.over(overBy(error, hasBegun))
    }
  }

  stop(): void {
    this.#stop.abort()
  }

  /** After 400, 413 and 429 the picture was not accepted, and the next one gets its number. */
  async #next(due: Capturing, signer: FrameSigner): Promise<PortraitGuidance> {
    for (;;) {
      const { picture, digest } = await this.#untakenPicture(signer)
      const signature = await signer.sign(due, picture)
      try {
        const answer = await this.#world.client.sendFrame(picture, signature)
        this.#taken.add(digest)
        return answer
      } catch (error) {
        const isFree = error instanceof CaptureCallError && ['unfit', 'busy'].includes(error.fault)
        if (!isFree) throw error
        if (error.fault === 'busy') await this.#world.wait(BUSY_MS, this.#stop.signal)
      }
    }
  }

  /**
   * Skips a picture that was sent already: a repeated picture ends the session as a replay, but cameras do
   * deliver one twice in weak light, or when they pause. If the camera repeats it for longer, it is sent, and
   * the appliance judges it.
   */
  async #untakenPicture(signer: FrameSigner): Promise<{ readonly picture: Blob; readonly digest: string }> {
    const since = performance.now()
    for (;;) {
      const picture = await this.#newPicture()
      const digest = await signer.digest(picture)
      const isFrozen = performance.now() - since > PICTURE.sameAtMostMs
      if (isFrozen || !this.#taken.has(digest)) return { picture, digest }
    }
  }

  /** Waits for a new picture of the camera. */
  async #newPicture(): Promise<Blob> {
    for (;;) {
      await this.#world.eyes.nextPicture(this.#stop.signal)
      const picture = await this.#world.eyes.jpeg(PICTURE)
      this.#stop.signal.throwIfAborted()
      if (picture) return picture
    }
  }
}

/**
 * A lost answer ends a session, because the number of the next picture is unknown: another session is needed.
 */
function overBy(error: unknown, hasBegun: boolean): SessionOverDetail {
  if (!(error instanceof CaptureCallError)) return { reason: 'refused', mayRetry: false }
  if (error.fault === 'gone') return { reason: 'ended', mayRetry: true }
  return { reason: hasBegun || error.fault !== 'unfit' ? 'lost' : 'refused', mayRetry: true }
}
