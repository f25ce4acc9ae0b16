/**
 * The common part of <document-capture> and <portrait-capture>: attributes, camera, texts, built-in buttons.
 * Light DOM, so that a page styles it (capture.css). No data outlives `stop()`.
 */
import type { Translate } from '../locales/index.ts'
import { CaptureAttributes } from './attributes.ts'
import { CameraSource } from './camera/source.ts'
import { parseAllow, type CameraPurpose } from './camera/identity.ts'
import { builtInControls, type BuiltInControls, type Ending } from './controls.ts'
import type { CaptureElement } from './elements.ts'
import type {
  CameraChoice,
  CameraProblem,
  CameraReadyDetail,
  GuidanceDetail,
  ProgressDetail,
  SessionOverDetail,
} from './events.ts'
import { createEyes, type Eyes } from './eyes.ts'
import { CAPTURE_LIMITS } from './limits.ts'
import { captureClient, type CaptureClient } from './protocol.ts'
import { speaker } from './speech.ts'
import type { Stage } from './stage.ts'
import { getDirection } from '../locales/direction.ts'
import { fetchTexts, hasTexts, getTexts } from './texts.ts'
import { sendOverNetwork } from './transport.ts'

/** One capture, of a document or of a portrait. */
export interface CaptureRun {
  run(): Promise<void>
  stop(): void
}

export abstract class CaptureElementBase extends CaptureAttributes implements CaptureElement {
  static readonly observedAttributes = ['session', 'lang', 'controls', 'upload', 'allow', 'speech']
  protected abstract readonly purpose: CameraPurpose
  protected abstract makeStage(): Stage
  protected abstract createRun(client: CaptureClient): CaptureRun
  /** The actions of the built-in buttons that the element has: manual shutter and picture file. */
  protected takes(): { readonly take?: () => void; readonly file?: (file: Blob) => void } {
    return {}
  }

  readonly #speaker = speaker()
  #texts: Translate<'capture'> | null = null
  /** The language of the texts: the requested one, once it has been fetched. */
  #spoken = 'en'
  #stage: Stage | null = null
  #eyes: Eyes | null = null
  #source: CameraSource | null = null
  #controls: BuiltInControls | null = null
  #run: CaptureRun | null = null
  #calls = new AbortController()
  #isRunning = false
  /** The session of the present or last capture. */
  #runSession = ''

  connectedCallback(): void {
    this.#build()
    if (this.hasAttribute('autostart')) void this.start()
  }

  disconnectedCallback(): void {
    this.stop()
    this.replaceChildren()
    this.#stage = null
    this.#eyes = null
    this.#source = null
    this.#controls = null
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now || !this.#stage) return
    if (name === 'session') this.#newSession()
    else if (name === 'controls' || name === 'upload') this.#buildControls()
    else if (name === 'lang') this.#relabel()
    else if (name === 'speech' && now === null) this.#speaker.stop()
    else if (name === 'allow' && this.#isRunning) void this.#source?.open()
  }

  get texts(): Translate<'capture'> | null {
    return this.#texts
  }
  set texts(translate: Translate<'capture'> | null) {
    this.#texts = translate
    this.#relabel()
  }

  async start(): Promise<void> {
    if (!this.#stage || !this.#source) throw new TypeError('put the element into the page first')
    // The capture ended and was requested again with the same session, which may still be open.
    if (!this.#run) this.#runSession = ''
    if (this.#isRunning && this.#source.isOpen) return this.#begin()
    this.#isRunning = true
    this.classList.remove('has-ended')
    this.#controls?.note(this.t('camera.starting'))
    await this.#source.open()
  }

  stop(): void {
    this.#isRunning = false
    this.#endRun()
    this.#runSession = ''
    this.#speaker.stop()
    this.#source?.close()
    this.#eyes?.close()
    this.#stage?.clear()
    this.#controls?.clear()
    this.cleared()
  }

  async abandon(): Promise<void> {
    // The signal of the capture aborts its own calls; this call must still go out.
    const client = this.session === '' ? null : this.#newClient(new AbortController().signal)
    this.stop()
    await client?.abandon().catch(() => undefined)
    this.over({ reason: 'left', mayRetry: true })
  }

  async cameras(): Promise<readonly CameraChoice[]> {
    return (await this.#source?.list()) ?? []
  }

  async chooseCamera(deviceId: string): Promise<void> {
    await this.#source?.choose(deviceId)
  }

  // For the subclasses
  // ------------------------------------------------------------------------------------------------

  protected get t(): Translate<'capture'> {
    return this.#texts ?? getTexts(this.#language)
  }
  protected get run(): CaptureRun | null {
    return this.#run
  }
  protected get eyes(): Eyes {
    if (!this.#eyes) throw new TypeError('the element is not in a page')
    return this.#eyes
  }
  protected get source(): CameraSource | null {
    return this.#source
  }
  protected get controls(): BuiltInControls | null {
    return this.#controls
  }
  protected get isHeadless(): boolean {
    return this.getAttribute('controls') === 'none'
  }

  protected tell(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }))
  }

  protected tellGuidance(detail: GuidanceDetail): void {
    this.#controls?.guidance(detail)
    if (this.speech) this.#speaker.say(detail.spoken, this.#language)
    this.tell('guidance', detail)
  }

  protected tellProgress(detail: ProgressDetail): void {
    this.#controls?.progress(detail)
    this.tell('progress', detail)
  }

  protected tellCaptured(evidence: object | null): void {
    const taken = this.taken()
    this.#finish({ text: this.t('captured'), taken, next: this.t('result.next') })
    this.tell('captured', { evidence })
  }

  protected over(detail: SessionOverDetail): void {
    this.#finish({ text: this.t(`over.${detail.reason}`), taken: [], next: null })
    this.tell('session-over', detail)
  }

  /**
   * Names the pictures that were submitted, for the end of the capture. Called before the element clears its
   * session.
   */
  protected abstract taken(): readonly string[]
  /** Redraws present texts after a change of language. */
  protected relabelled(): void {}
  /** Clears the subclass's own state. */
  protected cleared(): void {}

  /** Closes the camera. The still replaces the live picture, because a black one would look like a fault. */
  #finish(ending: Ending): void {
    this.stop()
    this.classList.toggle('has-ended', !this.isHeadless)
    this.#controls?.over(ending)
  }

  // Inside ------------------------------------------------------------------------------------------------------------

  /** The previous language stays until the next one has been fetched. */
  get #language(): string {
    const wanted = this.lang || document.documentElement.lang || 'en'
    if (hasTexts(wanted)) this.#spoken = wanted
    else
      void fetchTexts(wanted).then(
        () => this.#stage && this.#relabel(),
        () => undefined,
      )
    return this.#spoken
  }

  #build(): void {
    const stage = this.makeStage()
    this.#stage = stage
    this.#eyes = createEyes(stage.video)
    this.#source = new CameraSource({
      video: stage.video,
      purpose: this.purpose,
      allow: () => parseAllow(this.getAttribute('allow')),
      onReady: (detail) => this.#ready(detail),
      onProblem: (problem, retries) => this.#problem(problem, retries),
    })
    this.replaceChildren(stage.element)
    this.#buildControls()
    this.#relabel()
  }

  #buildControls(): void {
    this.#controls?.element.remove()
    this.#controls = null
    if (this.isHeadless) return
    const { take, file } = this.takes()
    this.#controls = builtInControls({
      t: () => this.t,
      hasTips: this.purpose === 'document',
      take,
      file: this.upload ? file : undefined,
      again: () => void this.start(),
      cameras: () => this.cameras(),
      choose: (deviceId) => void this.chooseCamera(deviceId),
    })
    this.append(this.#controls.element)
  }

  #relabel(): void {
    this.#stage?.setLabel(this.t(`${this.purpose === 'face' ? 'portrait' : 'document'}.picture`))
    this.#controls?.relabel()
    // The built-in texts keep their own direction on a page of another direction.
    if (this.lang && this.#controls) this.#controls.element.dir = getDirection(this.#language)
    this.relabelled()
  }

  #ready(detail: CameraReadyDetail): void {
    this.#stage?.setShape(detail.widthPx, detail.heightPx)
    this.#stage?.setReady(true)
    this.#controls?.ready()
    this.tell('camera-ready', detail)
    if (this.#run && this.purpose === 'face') this.#abandonRun()
    else this.#begin()
  }

  #problem(problem: CameraProblem, retries: boolean): void {
    this.#stage?.setReady(false)
    const text = this.t(`camera.${problem}`)
    this.#controls?.problem(text)
    if (this.speech) this.#speaker.say(text, this.#language)
    this.tell('camera-problem', { problem, text, retries })
  }

  /**
   * Ends the session: a face that was out of sight may be another one, so the challenge sequence starts again
   * in another session.
   */
  #abandonRun(): void {
    void this.#newClient(new AbortController().signal)
      .abandon()
      .catch(() => undefined)
    this.over({ reason: 'lost', mayRetry: true })
  }

  #newSession(): void {
    this.#endRun()
    this.#runSession = ''
    this.#begin()
  }

  /**
   * Begins once there is a camera and a session. A camera that was lost and came back continues the present
   * capture.
   */
  #begin(): void {
    if (!this.#isRunning || this.session === '' || this.#runSession === this.session) return
    if (!this.#source?.isOpen) return
    this.#endRun()
    this.#runSession = this.session
    this.#calls = new AbortController()
    const run = this.createRun(this.#newClient(this.#calls.signal))
    this.#run = run
    void run.run().finally(() => {
      if (this.#run === run) this.#run = null
    })
  }

  #newClient(signal: AbortSignal): CaptureClient {
    const { frames, retry } = CAPTURE_LIMITS
    return captureClient({
      base: this.base,
      sessionId: this.session,
      transport: sendOverNetwork,
      signal,
      answerWithinMs: frames.answerWithinMs,
      sendWithinMs: retry.sendWithinMs,
    })
  }

  #endRun(): void {
    this.#run?.stop()
    this.#run = null
    this.#calls.abort()
  }
}
