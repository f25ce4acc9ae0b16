/**
 * Cameras that a test can plug, unplug and control, which Chromium's own simulated camera cannot: each is a
 * canvas of the page, filled with pictures from the test. Everything behind `getUserMedia` is the browser's
 * own.
 */
import type { Page } from 'playwright-core'

export interface PretendedCamera {
  readonly deviceId: string
  readonly label: string
}

export const DOCUMENT_CAMERA = { deviceId: 'document', label: 'Document camera (1871:0142)' } as const
export const FACE_CAMERA = { deviceId: 'face', label: 'Integrated webcam (046d:082d)' } as const
/** The cameras of a kiosk. */
export const BOTH_CAMERAS = [DOCUMENT_CAMERA, FACE_CAMERA] as const

/**
 * Call it before the page is opened. `nextPicture` returns a JPEG as base64; null: the camera repeats its
 * last picture.
 */
export async function installCameras(
  page: Page,
  cameras: readonly PretendedCamera[],
  nextPicture: (deviceId: string) => Promise<string | null>,
): Promise<void> {
  await page.exposeFunction('nextCameraPicture', nextPicture)
  await page.addInitScript(pretend, cameras)
}

export const plugIn = (page: Page, camera: PretendedCamera): Promise<void> =>
  page.evaluate((one) => (globalThis as unknown as Pretended).cameras.plugIn(one), camera)
export const unplug = (page: Page, deviceId: string): Promise<void> =>
  page.evaluate((id) => (globalThis as unknown as Pretended).cameras.unplug(id), deviceId)

interface Pretended {
  readonly cameras: { plugIn(camera: PretendedCamera): void; unplug(deviceId: string): void }
  nextCameraPicture(deviceId: string): Promise<string | null>
}

/** Runs in the page. */
function pretend(given: readonly PretendedCamera[]): void {
  const page = globalThis as unknown as Pretended & { cameras: Pretended['cameras'] }
  let present = [...given]
  const open = new Map<MediaStreamTrack, string>()
  const devices = navigator.mediaDevices

  const wanted = (value: ConstrainDOMString | undefined): { id: string; exact: boolean } | null => {
    if (value === undefined || typeof value === 'string' || Array.isArray(value)) return null
    const id = value.exact ?? value.ideal
    return typeof id === 'string' ? { id, exact: value.exact !== undefined } : null
  }
  devices.enumerateDevices = async () =>
    present.map(
      ({ deviceId, label }) => ({ deviceId, label, kind: 'videoinput', groupId: '' }) as MediaDeviceInfo,
    )
  devices.getUserMedia = async ({ video } = {}) => {
    const wish = typeof video === 'object' ? wanted(video.deviceId) : null
    const found = present.find(({ deviceId }) => deviceId === wish?.id)
    const camera = found ?? (wish?.exact ? undefined : present[0])
    if (!camera) throw new DOMException('', present.length === 0 ? 'NotFoundError' : 'OverconstrainedError')
    return streamOf(camera)
  }
  page.cameras = {
    plugIn: (camera) => {
      present = [...present, camera]
      devices.dispatchEvent(new Event('devicechange'))
    },
    unplug: (deviceId) => {
      present = present.filter((camera) => camera.deviceId !== deviceId)
      for (const [track, id] of open)
        if (id === deviceId) {
          track.stop()
          track.dispatchEvent(new Event('ended'))
        }
      devices.dispatchEvent(new Event('devicechange'))
    },
  }

  /** The newest picture of each camera. */
  const newest = new Map<string, ImageBitmap>()
  /** Ten pictures a second; decoding more would keep the page busy. */
  const PICTURE_MS = 100
  /** A camera without a new picture for longer would count as stopped. */
  const OLD_AFTER_MS = 500

  async function streamOf({ deviceId, label }: PretendedCamera): Promise<MediaStream> {
    const canvas = document.createElement('canvas')
    await look(deviceId)
    paint(canvas, deviceId)
    const stream = canvas.captureStream()
    const [track] = stream.getVideoTracks()
    Object.defineProperty(track, 'label', { value: label })
    track.getSettings = () => ({ deviceId, width: canvas.width, height: canvas.height })
    open.set(track, deviceId)
    void (async () => {
      let paintedAt = performance.now()
      while (track.readyState === 'live') {
        await new Promise((resolve) => setTimeout(resolve, PICTURE_MS))
        const isNew = await look(deviceId)
        if (!isNew && performance.now() - paintedAt < OLD_AFTER_MS) continue
        paint(canvas, deviceId)
        paintedAt = performance.now()
      }
      open.delete(track)
    })()
    return stream
  }

  async function look(deviceId: string): Promise<boolean> {
    const base64 = await page.nextCameraPicture(deviceId)
    if (base64 === null) return false
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }))
    newest.get(deviceId)?.close()
    newest.set(deviceId, picture)
    return true
  }

  function paint(canvas: HTMLCanvasElement, deviceId: string): void {
    const picture = newest.get(deviceId)
    if (!picture) return
    const { width, height } = picture
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
    canvas.getContext('2d')?.drawImage(picture, 0, 0)
  }
}
