/**
 * What <document-capture> and <portrait-capture> share: a live picture with marks around it.
 * Usable in any web page; light DOM, so that the page styles it (capture.css is a start).
 * Events: `camera-ready`, and `camera-problem` with the CameraProblem as detail.
 */
import { CameraError, closeCamera, openCamera, takePhoto } from './camera.ts'
import type { CameraProblem, CameraWish } from './camera.ts'

export abstract class CameraView extends HTMLElement {
  protected abstract readonly wish: CameraWish
  /** What lies over the picture's edge: marks that show where to hold things. */
  protected abstract marks(): SVGElement

  readonly #video = document.createElement('video')
  #stream: MediaStream | null = null
  /** Counts openings, so that a camera that arrives after we closed is closed at once. */
  #opening = 0

  connectedCallback(): void {
    this.#video.autoplay = true
    this.#video.muted = true
    this.#video.playsInline = true
    this.#video.disablePictureInPicture = true
    this.#video.tabIndex = -1
    const label = this.getAttribute('label')
    if (label) this.#video.setAttribute('aria-label', label)
    const stage = document.createElement('div')
    stage.className = 'capture-stage'
    stage.append(this.#video, this.marks())
    this.replaceChildren(stage)
    void this.open()
  }

  disconnectedCallback(): void {
    this.close()
  }

  /** Opens the camera (again). Tells the result by an event. */
  async open(): Promise<void> {
    this.close()
    this.#opening += 1
    const opening = this.#opening
    try {
      const stream = await openCamera(this.wish)
      if (opening !== this.#opening || !this.isConnected) return closeCamera(stream)
      this.#stream = stream
      stream.getVideoTracks()[0]?.addEventListener('ended', () => this.#tell('stopped'))
      this.#video.srcObject = stream
      await this.#firstFrame()
      if (opening !== this.#opening) return
      const { videoWidth, videoHeight } = this.#video
      this.classList.toggle('is-upright', videoHeight > videoWidth)
      this.classList.toggle('is-classic', videoHeight <= videoWidth && videoWidth / videoHeight < 1.5)
      this.classList.add('is-ready')
      this.dispatchEvent(new CustomEvent('camera-ready'))
    } catch (error) {
      if (opening === this.#opening) this.#tell(error instanceof CameraError ? error.problem : 'stopped')
    }
  }

  close(): void {
    this.#opening += 1
    this.classList.remove('is-ready')
    if (this.#stream) closeCamera(this.#stream)
    this.#stream = null
    this.#video.srcObject = null
  }

  /** The present frame as a JPEG. Throws `CameraError`. */
  takePhoto(): Promise<Blob> {
    return takePhoto(this.#video)
  }

  #firstFrame(): Promise<void> {
    if (this.#video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) return Promise.resolve()
    return new Promise((resolve) => {
      this.#video.addEventListener('loadeddata', () => resolve(), { once: true })
    })
  }

  #tell(problem: CameraProblem): void {
    this.close()
    this.dispatchEvent(new CustomEvent<CameraProblem>('camera-problem', { detail: problem }))
  }
}

/** An SVG that covers the stage; `viewBox` in the units of the paths. */
export function overlay(viewBox: string, paths: readonly string[]): SVGElement {
  const namespace = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(namespace, 'svg')
  svg.setAttribute('class', 'capture-marks')
  svg.setAttribute('viewBox', viewBox)
  svg.setAttribute('aria-hidden', 'true')
  for (const d of paths) {
    const path = document.createElementNS(namespace, 'path')
    path.setAttribute('d', d)
    svg.append(path)
  }
  return svg
}
