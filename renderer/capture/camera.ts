/** Opens and closes a camera and takes photos from it. It never stores a picture and never sends one. */

/** Why there is no picture, as far as a person can do something about it. */
export type CameraProblem = 'refused' | 'absent' | 'busy' | 'stopped'

export class CameraError extends Error {
  override readonly name = 'CameraError'
  readonly problem: CameraProblem
  constructor(problem: CameraProblem, options?: ErrorOptions) {
    super(problem, options)
    this.problem = problem
  }
}

export interface CameraWish {
  /** Towards the person (a face) or away (a document on a table): a wish on machines with several cameras. */
  readonly facing: 'user' | 'environment'
  readonly widthPx: number
  readonly heightPx: number
}

const PHOTO_TYPE = 'image/jpeg'
// High enough that small print stays readable after the camera's own compression.
const PHOTO_QUALITY = 0.95

const PROBLEM_OF: Readonly<Record<string, CameraProblem>> = {
  NotAllowedError: 'refused',
  SecurityError: 'refused',
  NotFoundError: 'absent',
  OverconstrainedError: 'absent',
  NotReadableError: 'busy',
  AbortError: 'busy',
}

/** Throws `CameraError`. */
export async function openCamera({ facing, widthPx, heightPx }: CameraWish): Promise<MediaStream> {
  // Absent on a page that is not served securely.
  const devices = navigator.mediaDevices as MediaDevices | undefined
  if (!devices) throw new CameraError('refused')
  try {
    return await devices.getUserMedia({
      audio: false,
      video: { facingMode: { ideal: facing }, width: { ideal: widthPx }, height: { ideal: heightPx } },
    })
  } catch (error) {
    const name = error instanceof DOMException ? error.name : ''
    throw new CameraError(PROBLEM_OF[name] ?? 'absent', { cause: error })
  }
}

export function closeCamera(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop()
}

/** The present frame at the camera's full size, upright and never mirrored. Throws `CameraError` without a frame. */
export async function takePhoto(video: HTMLVideoElement): Promise<Blob> {
  const { videoWidth, videoHeight } = video
  if (videoWidth === 0 || videoHeight === 0) throw new CameraError('stopped')
  const canvas = document.createElement('canvas')
  canvas.width = videoWidth
  canvas.height = videoHeight
  canvas.getContext('2d')?.drawImage(video, 0, 0)
  const photo = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, PHOTO_TYPE, PHOTO_QUALITY))
  canvas.width = 0 // gives the pixels back at once
  if (!photo) throw new CameraError('stopped')
  return photo
}
