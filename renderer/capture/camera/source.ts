/**
 * One camera for one element: opens it, finds it again after a loss, switches it. It reports events; it
 * draws, keeps and sends nothing.
 */
import type { CameraChoice, CameraIdentity, CameraProblem, CameraReadyDetail } from '../events.ts'
import { CAPTURE_LIMITS } from '../limits.ts'
import { getChosenCamera, rememberCamera } from './chosen.ts'
import { parseIdentity, isAllowed, isPretended, rankCameras, suits, type CameraPurpose } from './identity.ts'

interface CameraSourceOptions {
  readonly video: HTMLVideoElement
  readonly purpose: CameraPurpose
  readonly allow: () => readonly string[]
  readonly onReady: (detail: CameraReadyDetail) => void
  readonly onProblem: (problem: CameraProblem, retries: boolean) => void
}

/**
 * Small print needs the full resolution; a face needs 90 pixels between the eyes, and every picture of it is
 * sent.
 */
const WISHES: Readonly<Record<CameraPurpose, MediaTrackConstraints>> = {
  document: { width: { ideal: 3840 }, height: { ideal: 2160 } },
  face: { width: { ideal: 1280 }, height: { ideal: 720 } },
}
const FACING = { document: 'environment', face: 'user' } as const

const PROBLEM_OF: Readonly<Record<string, CameraProblem>> = {
  NotAllowedError: 'refused',
  SecurityError: 'refused',
  NotFoundError: 'absent',
  OverconstrainedError: 'absent',
  NotReadableError: 'busy',
  AbortError: 'busy',
}

class WrongCamera extends Error {}

export class CameraSource {
  readonly #options: CameraSourceOptions
  #stream: MediaStream | null = null
  /** Numbers the openings: a camera that arrives after a later request is closed immediately. */
  #opening = 0
  #again: ReturnType<typeof setTimeout> | undefined
  #watch: ReturnType<typeof setInterval> | undefined
  #isOn = false
  /** The last reported problem, while there is no picture. */
  #problem: CameraProblem | null = null

  constructor(options: CameraSourceOptions) {
    this.#options = options
  }

  get isOpen(): boolean {
    return this.#stream !== null
  }

  get deviceId(): string | null {
    return this.#track?.getSettings().deviceId ?? null
  }

  get identity(): CameraIdentity | null {
    return parseIdentity(this.#track?.label ?? '')
  }

  get isPretended(): boolean {
    return isPretended(this.#track?.label ?? '')
  }

  /** False if the camera reports that it faces away from the applicant, towards a table. */
  get facesPerson(): boolean {
    return this.#track?.getSettings().facingMode !== 'environment'
  }

  get #track(): MediaStreamTrack | undefined {
    return this.#stream?.getVideoTracks()[0]
  }

  async open(): Promise<void> {
    this.#isOn = true
    this.#problem = null
    mediaDevices()?.addEventListener('devicechange', this.#devicesChanged)
    await this.#tryToOpen()
  }

  close(): void {
    this.#isOn = false
    mediaDevices()?.removeEventListener('devicechange', this.#devicesChanged)
    this.#release()
  }

  async list(): Promise<readonly CameraChoice[]> {
    const { purpose } = this.#options
    const inUse = this.deviceId
    const found = await this.#allowed()
    return found.map(({ deviceId, label }) => ({
      deviceId,
      label,
      identity: parseIdentity(label),
      suits: suits(label, purpose),
      inUse: deviceId === inUse,
    }))
  }

  async choose(deviceId: string): Promise<void> {
    rememberCamera(this.#options.purpose, deviceId)
    if (this.#isOn) await this.#tryToOpen()
  }

  readonly #devicesChanged = (): void => {
    if (this.#isOn && !this.#stream) void this.#tryToOpen()
  }

  async #tryToOpen(): Promise<void> {
    this.#release()
    const opening = ++this.#opening
    const isLate = () => opening !== this.#opening || !this.#isOn
    try {
      const stream = await this.#bestStream()
      if (isLate()) return end(stream)
      this.#stream = stream
      await this.#show(stream)
      if (!isLate()) this.#tellReady(stream)
    } catch (error) {
      if (!isLate()) this.#fail(classifyProblem(error))
    }
  }

  /**
   * Opens the best camera. Browsers reveal names only after permission, so the first camera may be the wrong
   * one.
   */
  async #bestStream(): Promise<MediaStream> {
    const { purpose, allow } = this.#options
    const chosen = getChosenCamera(purpose)
    const stream = await ask(purpose, chosen ? { deviceId: { ideal: chosen } } : {})
    try {
      const best = rankCameras(await this.#allowed(), purpose, chosen)[0] as MediaDeviceInfo | undefined
      const track = stream.getVideoTracks()[0]
      if (!best) {
        if (isAllowed(track.label, allow())) return stream
        throw new WrongCamera()
      }
      if (track.getSettings().deviceId === best.deviceId) return stream
      if (!chosen && isAllowed(track.label, allow()) && !suits(best.label, purpose)) return stream
      end(stream)
      return await ask(purpose, { deviceId: { exact: best.deviceId } })
    } catch (error) {
      end(stream)
      throw error
    }
  }

  async #allowed(): Promise<MediaDeviceInfo[]> {
    const devices = (await mediaDevices()?.enumerateDevices()) ?? []
    const allow = this.#options.allow()
    return devices.filter(({ kind, label }) => kind === 'videoinput' && isAllowed(label, allow))
  }

  async #show(stream: MediaStream): Promise<void> {
    const { video } = this.#options
    stream.getVideoTracks()[0].addEventListener('ended', () => {
      if (this.#stream === stream) this.#fail('stopped')
    })
    video.srcObject = stream
    if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA)
      await new Promise<void>((resolve) =>
        video.addEventListener('loadeddata', () => resolve(), { once: true }),
      )
    await video.play().catch(() => undefined)
    this.#watchFrames()
  }

  /** Detects a frozen camera, which reports nothing: its pictures just stop. */
  #watchFrames(): void {
    const { video } = this.#options
    let last = video.currentTime
    let changedAt = performance.now()
    this.#watch = setInterval(() => {
      const now = performance.now()
      if (video.currentTime !== last || document.hidden) [last, changedAt] = [video.currentTime, now]
      else if (now - changedAt > CAPTURE_LIMITS.camera.silentMs) this.#fail('stopped')
    }, 1_000)
  }

  #tellReady(stream: MediaStream): void {
    this.#problem = null
    const { video, onReady } = this.#options
    const { label } = stream.getVideoTracks()[0]
    onReady({
      deviceId: this.deviceId ?? '',
      label,
      identity: parseIdentity(label),
      widthPx: video.videoWidth,
      heightPx: video.videoHeight,
    })
  }

  /** Reports the problem. A refusal waits for an act of the applicant; every other problem is retried. */
  #fail(found: CameraProblem): void {
    this.#release()
    // A lost camera that is not back yet is still `stopped`, not `absent`.
    const problem = found === 'absent' && this.#problem === 'stopped' ? 'stopped' : found
    const retries = problem !== 'refused'
    if (retries && this.#isOn)
      this.#again = setTimeout(() => void this.#tryToOpen(), CAPTURE_LIMITS.camera.againMs)
    if (problem === this.#problem) return
    this.#problem = problem
    this.#options.onProblem(problem, retries)
  }

  #release(): void {
    this.#opening++
    clearTimeout(this.#again)
    clearInterval(this.#watch)
    const stream = this.#stream
    this.#stream = null
    if (stream) end(stream)
    this.#options.video.srcObject = null
  }
}

/** Undefined on a page without HTTPS. */
function mediaDevices(): MediaDevices | undefined {
  return navigator.mediaDevices
}

async function ask(purpose: CameraPurpose, wish: MediaTrackConstraints): Promise<MediaStream> {
  const devices = mediaDevices()
  if (!devices) throw new DOMException('', 'SecurityError')
  const facing = 'deviceId' in wish ? {} : { facingMode: { ideal: FACING[purpose] } }
  return devices.getUserMedia({ audio: false, video: { ...WISHES[purpose], ...facing, ...wish } })
}

function end(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop()
}

function classifyProblem(error: unknown): CameraProblem {
  if (error instanceof WrongCamera) return 'wrong'
  return PROBLEM_OF[error instanceof DOMException ? error.name : ''] ?? 'absent'
}
