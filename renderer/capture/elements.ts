/** The interface of the capture elements for a page. The elements in document/ and portrait/ implement it. */
import type { Translate } from '../locales/index.ts'
import type { CameraChoice, DocumentCaptureEvents, PortraitCaptureEvents } from './events.ts'

/**
 * Attributes, all of them properties too: `session` (id of the capture session) · `base` (origin of the
 * appliance; empty: the page's own) · `lang` · `controls="none"` (the page draws texts and buttons; the
 * element draws only the picture and its marks) · `upload` (a picture file may replace the camera) · `speech`
 * · `calm` (no unnecessary movement) · `allow` (permitted cameras: `vendor:product` ids or parts of a label,
 * divided by commas; empty: every one).
 */
export interface CaptureElement extends HTMLElement {
  session: string
  base: string
  upload: boolean
  speech: boolean
  calm: boolean
  /** Texts that replace the built-in ones of `lang`. */
  texts: Translate<'capture'> | null
  /**
   * Opens the camera and begins once `session` is set. Call it again after `stop()`, a camera problem or
   * `session-over`.
   */
  start(): Promise<void>
  /** Closes the camera and deletes every picture. Runs by itself when the element leaves the page. */
  stop(): void
  /** Tells the appliance that the applicant gave up, then stops. */
  abandon(): Promise<void>
  cameras(): Promise<readonly CameraChoice[]>
  /** Uses this camera from now on, also after the page is loaded again. */
  chooseCamera(deviceId: string): Promise<void>
}

export interface DocumentCaptureElement extends CaptureElement {
  /** Failed automatic tries of this side in an earlier session: the ladder continues there. */
  triedBefore: number
  /**
   * The last document was refused and may still be before the camera: the automatic shutter waits until it has
   * moved or gone. The element sets it by itself when its own session was refused.
   */
  refusedBefore: boolean
  /** Releases the manual shutter; possible from the first picture on. */
  takePhoto(): Promise<void>
  /** Submits a picture file as the side that is wanted now. */
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
  /**
   * calm: six colours of equal luminance, which are no flash by any definition (default) · full: the pure
   * colours.
   */
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
