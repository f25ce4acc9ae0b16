/** <portrait-capture>: the mirrored picture and the appliance's prompts. The session is in run.ts. */
import { CaptureElementBase, type CaptureRun } from '../capture-element.ts'
import type { PortraitCaptureElement } from '../elements.ts'
import type { PortraitGuidanceCode, PromptDetail, SurroundDetail } from '../events.ts'
import { nextMessage, noMessage, showNow, type Timing } from '../guidance-timing.ts'
import { CAPTURE_LIMITS } from '../limits.ts'
import { portraitMessage } from '../messages.ts'
import type { CaptureClient } from '../protocol.ts'
import { portraitStage, type PortraitStage } from '../stage.ts'
import { hasText } from '../texts.ts'
import { waitFor } from '../wait.ts'
import { getColour, guidanceFor, promptKey, getScreenSide, wayToMiddle } from './prompts.ts'
import { PortraitRun, type PortraitWorld } from './run.ts'
import { createFrameSigner } from './frame-signer.ts'

type Capturing = Parameters<PortraitWorld['show']>[0]

export class PortraitCapture extends CaptureElementBase implements PortraitCaptureElement {
  protected readonly purpose = 'face'
  #stage: PortraitStage | null = null
  #timing: Timing<PortraitGuidanceCode> = noMessage()
  #asked = ''
  #side: PromptDetail['screenSide'] = null
  #toMiddle: PromptDetail['screenSide'] = null
  #surround: SurroundDetail = { name: null, colour: null }
  /**
   * The colours of the present session: the set that the appliance was told stays to the end, even if the
   * attribute changes.
   */
  #painted: 'calm' | 'full' = 'calm'

  get colours(): 'calm' | 'full' {
    return this.getAttribute('colours') === 'full' ? 'full' : 'calm'
  }
  set colours(set: 'calm' | 'full') {
    this.setAttribute('colours', set)
  }

  protected makeStage(): PortraitStage {
    this.#stage = portraitStage()
    return this.#stage
  }

  protected createRun(client: CaptureClient): CaptureRun {
    const { session } = this
    this.#painted = this.colours
    return new PortraitRun({
      eyes: this.eyes,
      client,
      createSigner: () => createFrameSigner(session),
      camera: () => this.source?.identity ?? null,
      isPretended: () => this.source?.isPretended ?? false,
      colours: this.#painted,
      wait: waitFor,
      show: (answer) => this.#show(answer),
      captured: (evidence) => {
        this.#leaveColours()
        this.tellCaptured(evidence)
      },
      over: (detail) => {
        this.#leaveColours()
        this.over(detail)
      },
    })
  }

  protected taken(): readonly string[] {
    return [this.t('result.face')]
  }

  protected override relabelled(): void {
    if (this.#timing.shown) this.#say(this.#timing.shown)
  }

  protected override cleared(): void {
    this.#timing = noMessage()
    this.#asked = ''
    this.#side = null
    this.#leaveColours()
  }

  #show(answer: Capturing): void {
    const nowMs = performance.now()
    const key = promptKey(answer)
    const isNew = key !== this.#asked
    if (isNew) {
      this.#asked = key
      this.#draw(answer)
    }
    this.#toMiddle = wayToMiddle(answer.face)
    const before = this.#timing.shown
    // A new prompt is due immediately, and precedes any advice on how to follow it.
    this.#timing = isNew
      ? showNow(guidanceFor({ ...answer, hint: 'FOLLOW_PROMPT' }), nowMs)
      : nextMessage(this.#timing, guidanceFor(answer), nowMs, CAPTURE_LIMITS.guidance)
    const { shown } = this.#timing
    if (shown && (shown !== before || isNew)) this.#say(shown)
    this.tellProgress({ phase: 'capturing', share: answer.progress, retryInMs: null })
  }

  #draw({ prompt }: Capturing): void {
    this.#side = getScreenSide(prompt.kind)
    this.#stage?.setDot(this.#side)
    this.#stage?.setOval(prompt.kind === 'COME_CLOSER' ? CAPTURE_LIMITS.portrait.ovalGrows : 1)
    this.#stage?.setHolding(prompt.isHolding)
    const code = guidanceFor({ prompt, hint: 'FOLLOW_PROMPT' })
    const { kind, index, of, colour, isHolding, attempt } = prompt
    const { text } = portraitMessage(code, this.#side, this.t, hasText)
    const detail: PromptDetail = { kind, text, screenSide: this.#side, colour, index, of, isHolding, attempt }
    this.tell('prompt', detail)
    this.#setSurround(
      colour ? { name: colour, colour: getColour(colour, this.#painted) } : { name: null, colour: null },
    )
  }

  #say(code: PortraitGuidanceCode): void {
    const side = code === 'OFF' ? this.#toMiddle : this.#side
    this.tellGuidance(portraitMessage(code, side, this.t, hasText))
  }

  #leaveColours(): void {
    this.#setSurround({ name: null, colour: null })
    this.#stage?.setDot(null)
  }

  /**
   * With built-in buttons the element also colours the page behind it (capture.css); otherwise the page does.
   */
  #setSurround(detail: SurroundDetail): void {
    if (detail.colour === this.#surround.colour) return
    this.#surround = detail
    if (!this.isHeadless) {
      this.classList.toggle('is-shining', detail.colour !== null)
      this.style.setProperty('--capture-surround', detail.colour ?? 'transparent')
    }
    this.tell('surround', detail)
  }
}

export function definePortraitCapture(): void {
  if (!customElements.get('portrait-capture')) customElements.define('portrait-capture', PortraitCapture)
}
