/** What a page may set and call on the capture elements. The elements in document/ and portrait/ fulfil it. */
import type { Translate } from '../locales/index.ts'
import type { CameraChoice, DocumentCaptureEvents, PortraitCaptureEvents } from './events.ts'

/**
 * Attributes, all of them properties too: `session` (id of the capture session) · `base` (origin of the appliance; empty:
 * the page's own) · `lang` · `controls="none"` (the page draws words and buttons; the element draws the picture and its
 * marks alone) · `upload` (a picture file may take the camera's place) · `speech` · `calm` (nothing moves that need not) ·
 * `allow` (cameras that may be used: `vendor:product` ids or parts of a label, divided by commas; empty: every one).
 */
export interface CaptureElement extends HTMLElement {
  session: string
  base: string
  upload: boolean
  speech: boolean
  calm: boolean
  /** Texts in place of the element's own; `lang` chooses among those otherwise. */
  texts: Translate<'capture'> | null
  /** Opens the camera and, once `session` is set, begins. Again after `stop()`, a camera problem or `session-over`. */
  start(): Promise<void>
  /** Closes the camera and forgets every picture. Called by itself when the element leaves the page. */
  stop(): void
  /** Tells the appliance that the person gave up, then stops. */
  abandon(): Promise<void>
  cameras(): Promise<readonly CameraChoice[]>
  /** Uses this camera from now on, here and at the next visit of the page. */
  chooseCamera(deviceId: string): Promise<void>
}

export interface DocumentCaptureElement extends CaptureElement {
  /** Automatic tries of this side that failed before (in another session): the ladder continues where it was. */
  triedBefore: number
  /** The manual shutter; possible from the first picture on. */
  takePhoto(): Promise<void>
  /** A picture file for the side that is wanted now. */
  sendFile(file: Blob): Promise<void>
  addEventListener<K extends keyof DocumentCaptureEvents>(
    type: K,
    listener: (event: DocumentCaptureEvents[K]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void
}

export interface PortraitCaptureElement extends CaptureElement {
  /** calm: six colours of equal luminance, no flash by any definition (default) · full: the pure colours. */
  colours: 'calm' | 'full'
  addEventListener<K extends keyof PortraitCaptureEvents>(
    type: K,
    listener: (event: PortraitCaptureEvents[K]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void
}
