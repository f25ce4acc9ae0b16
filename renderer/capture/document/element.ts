/**
 * <document-capture>: the live picture, not mirrored, the advice and the shutter. Its rules are in side.ts
 * and run.ts.
 */
import { isOpenedByAppliance } from '../../file-types.ts'
import { CaptureElementBase, type CaptureRun } from '../capture-element.ts'
import type { DocumentCaptureElement } from '../elements.ts'
import type { DocumentSide, OtherKindDetail, SideCapturedDetail } from '../events.ts'
import { documentMessage } from '../messages.ts'
import type { CaptureClient } from '../protocol.ts'
import { documentStage, type DocumentStage } from '../stage.ts'
import { hasText } from '../texts.ts'
import { COMPONENT_VERSION } from '../version.ts'
import { waitFor } from '../wait.ts'
import type { Advice } from './advice.ts'
import { DocumentRun } from './run.ts'

/** Starting value: an applicant who waited longer for the camera no longer expects the photo. */
const EARLY_TOUCH_MS = 5_000

export class DocumentCapture extends CaptureElementBase implements DocumentCaptureElement {
  protected readonly purpose = 'document'
  triedBefore = 0
  refusedBefore = false
  #stage: DocumentStage | null = null
  #stillUrl: string | null = null
  #advice: Advice | null = null
  /** Number of pictures of another kind than the requested one. */
  #others = 0
  /** The sides photographed in this capture. */
  #sides: readonly DocumentSide[] = []
  /** The run has asked for its first side, so the camera is open. */
  #isAsking = false
  /** The manual shutter was touched before that; the photo follows if the wait was short. */
  #touchedEarlyMs = -Infinity

  async takePhoto(): Promise<void> {
    if (!this.#isAsking) this.#touchedEarlyMs = performance.now()
    await this.#documentRun?.takePhoto().catch(ignoreAbort)
  }

  async sendFile(file: Blob): Promise<void> {
    await this.#documentRun?.sendFile(file)
  }

  get #documentRun(): DocumentRun | null {
    return this.run instanceof DocumentRun ? this.run : null
  }

  protected override takes() {
    return { take: () => void this.takePhoto(), file: (file: Blob) => void this.sendFile(file) }
  }

  protected makeStage(): DocumentStage {
    this.#stage = documentStage()
    return this.#stage
  }

  protected createRun(client: CaptureClient): CaptureRun {
    this.#isAsking = false
    return new DocumentRun({
      eyes: this.eyes,
      client,
      now: () => performance.now(),
      wait: waitFor,
      facesPerson: () => this.getAttribute('view') !== 'table' && (this.source?.facesPerson ?? true),
      canOpen,
      triedBefore: this.triedBefore,
      refusedBefore: this.refusedBefore,
      details: () => this.#details(),
      tell: {
        advice: (advice) => this.#tellAdvice(advice),
        outline: (detail) => {
          this.#stage?.setOutline(detail)
          this.tell('outline', detail)
        },
        shutter: (detail) => {
          this.#stage?.setShare(detail.share)
          this.tell('shutter', detail)
        },
        ladder: (detail) => {
          this.controls?.ladder(detail)
          this.tell('ladder', detail)
        },
        refused: (detail) => this.tell('photo-refused', detail),
        sideWanted: (side) => {
          this.#showStill(null)
          this.#askFor(side)
          this.tell('side-wanted', { side })
          this.#isAsking = true
          if (performance.now() - this.#touchedEarlyMs < EARLY_TOUCH_MS) void this.takePhoto()
          this.#touchedEarlyMs = -Infinity
        },
        sideCaptured: (detail, still) => {
          this.#sides = [...this.#sides, detail.side]
          this.controls?.wanting(false)
          if (detail.next) this.controls?.note(this.t(`side.${detail.side}.done`))
          this.#tellSide(detail, still)
        },
        otherKind: (detail) => this.#askAboutOther(detail),
        progress: (detail) => this.tellProgress(detail),
        captured: ({ evidence }) => this.tellCaptured(evidence),
        over: (detail) => {
          if (detail.reason === 'refused') this.refusedBefore = true
          this.over(detail)
        },
      },
    })
  }

  protected taken(): readonly string[] {
    const sides = this.#sides.map((side) => this.t(`result.${side}`))
    return sides.length > 0 ? sides : [this.t('result.document')]
  }

  protected override relabelled(): void {
    if (this.#advice) this.#tellAdvice(this.#advice)
  }

  protected override cleared(): void {
    this.#advice = null
    this.#others = 0
    this.#sides = []
    this.#isAsking = false
    this.#touchedEarlyMs = -Infinity
    this.#showStill(null)
  }

  #tellAdvice(advice: Advice): void {
    this.#advice = advice
    this.tellGuidance(documentMessage(advice, this.t, hasText))
  }

  #askFor(side: DocumentSide): void {
    this.controls?.wanting(true)
    if (side === 'BACK') this.controls?.note(this.t('side.turn'))
  }

  /** Asks the page. If the page does not handle the event, the second picture of another kind is accepted. */
  #askAboutOther(detail: Omit<OtherKindDetail, 'decide'>): Promise<boolean> {
    return new Promise((resolve) => {
      const event = new CustomEvent('side-other', {
        detail: { ...detail, decide: resolve } satisfies OtherKindDetail,
        bubbles: true,
        composed: true,
        cancelable: true,
      })
      if (this.dispatchEvent(event)) resolve(this.#others++ > 0)
    })
  }

  #tellSide(detail: Omit<SideCapturedDetail, 'stillUrl'>, still: Blob): void {
    const stillUrl = this.#showStill(still)
    if (stillUrl !== null) this.tell('side-captured', { ...detail, stillUrl })
  }

  /** Shows one still at a time and revokes the URL of the one before. */
  #showStill(still: Blob | null): string | null {
    if (this.#stillUrl !== null) URL.revokeObjectURL(this.#stillUrl)
    this.#stillUrl = still ? URL.createObjectURL(still) : null
    this.#stage?.showStill(this.#stillUrl, this.t('document.still'))
    return this.#stillUrl
  }

  #details(): object {
    const identity = this.source?.identity ?? null
    return {
      channel: 'webSDK',
      sdkInfo: { sdkVersion: `document-capture ${COMPONENT_VERSION}` },
      ...(identity ? { camera: identity } : {}),
      ...(this.source?.isPretended ? { pretendedCamera: true } : {}),
    }
  }
}

/** Detects files that are neither a picture nor a scan before they are sent. */
async function canOpen(file: Blob): Promise<boolean> {
  if (isOpenedByAppliance(file)) return true
  try {
    const picture = await createImageBitmap(file)
    picture.close()
    return true
  } catch {
    return false
  }
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof DOMException && error.name === 'AbortError')) throw error
}

export function defineDocumentCapture(): void {
  if (!customElements.get('document-capture')) customElements.define('document-capture', DocumentCapture)
}
