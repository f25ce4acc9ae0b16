/**
 * The fixed camera over the counter, read by this machine. Takes one picture at a time from the configured camera and
 * tracks its health. Does not interpret pictures: they are passed on as untrusted uploads.
 */
import type { Clock } from '../../clock.ts'
import type { CameraIdentity } from '../../proofing/antifraud/device-integrity.ts'
import { judgeCameraTest, type CameraLook, type CameraTest } from '../../proofing/camera-test.ts'
import type { CameraTestLimits } from '../../proofing/camera-test.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { Upload } from '../../proofing/types.ts'
import { chooseCamera, type CameraFault, type CameraWish } from './choose.ts'
import { type CameraHealth, cameraHealth } from './health.ts'
import { listCameras, SYSTEM_ROOTS, type CameraDevice, type SystemRoots } from './devices.ts'
import {
  findPrograms,
  removeLeftPictures,
  takeShot,
  type Shot,
  type ShotPrograms,
  type ShotSettings,
} from './shot.ts'

export type { CameraHealth } from './health.ts'

interface TakenPicture {
  readonly kind: 'taken'
  /** A JPEG from outside, to be checked like any upload. */
  readonly picture: Upload
  /** Identity of the camera for `captureDetails.camera`; null if it is not on USB or no camera. */
  readonly camera: CameraIdentity | null
  /** A file or synthetic picture replaced the camera. */
  readonly isPretended: boolean
  readonly takenAt: Date
}

type PictureOutcome = TakenPicture | { readonly kind: 'fault'; readonly fault: CameraFault }

type SelfTestOutcome =
  | { readonly kind: 'tested'; readonly test: CameraTest; readonly at: Date }
  | { readonly kind: 'fault'; readonly fault: CameraFault }

export interface DocumentCamera {
  /** True if the configuration names a camera. */
  readonly isConfigured: boolean
  /** Currently connected cameras, including the face camera. Never rejects. */
  list(): Promise<readonly CameraDevice[]>
  /** One full-size picture. A second call waits for the first; a third returns CAMERA_BUSY. Never rejects. */
  take(): Promise<PictureOutcome>
  /** One small preview picture, at most two per second in total. Never rejects. */
  preview(): Promise<PictureOutcome>
  /** Takes and measures two pictures. Never rejects because of the camera. */
  selfTest(): Promise<SelfTestOutcome>
  health(): Promise<CameraHealth>
  /** Waits for a pending picture; later calls are refused. */
  close(): Promise<void>
}

interface DocumentCameraSettings {
  readonly wish: CameraWish
  readonly shot: ShotSettings
  readonly preview: ShotSettings
}

export interface DocumentCameraOptions {
  /** Null if no document camera is configured. */
  readonly settings: DocumentCameraSettings | null
  /** The camera that the browser uses; only its presence is checked. */
  readonly facePin: CameraIdentity | undefined
  readonly limits: CameraTestLimits
  /** Measures one picture; rejects if it cannot be decoded. */
  readonly look: (image: Uint8Array) => Promise<CameraLook>
  readonly clock: Clock
  readonly roots?: SystemRoots
  readonly programs?: () => ShotPrograms | null
  readonly shoot?: typeof takeShot
}

/** A preview serves to position a document: a picture younger than this is reused. */
const PREVIEW_FRESH_MS = 500
/** One running, one waiting. */
const MAX_WAITING = 2

export function openDocumentCamera(options: DocumentCameraOptions): DocumentCamera {
  const { settings, clock, roots = SYSTEM_ROOTS, shoot = takeShot } = options
  const programs = options.programs ?? (() => findPrograms(process.env))
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let closed = false
  let lastFault: CameraFault | null = null
  let lastTest: SelfTestOutcome | null = null
  let preview: { readonly at: number; readonly outcome: Promise<PictureOutcome> } | null = null
  const leftovers = settings ? removeLeftPictures() : Promise.resolve()

  const takeNow = async (how: ShotSettings): Promise<PictureOutcome> => {
    await leftovers
    if (closed || !settings) return { kind: 'fault', fault: 'NOT_CONFIGURED' }
    const choice = chooseCamera(settings.wish, await listCameras(roots))
    if (choice.kind === 'fault') return choice
    const installed = programs()
    if (!installed) return { kind: 'fault', fault: 'PROGRAM_MISSING' }
    const device = parseDevice(choice.device)
    const shot: Shot = await shoot(installed, device, how)
    if (shot.kind === 'fault') return shot
    const picture = { bytes: shot.jpeg, declaredType: 'image/jpeg' }
    const isPretended = device.kind !== 'video'
    return { kind: 'taken', picture, camera: choice.camera, isPretended, takenAt: clock.now() }
  }
  /** Sequential, because two programs cannot read one camera. */
  const inTurn = async (how: ShotSettings): Promise<PictureOutcome> => {
    if (waiting >= MAX_WAITING) return { kind: 'fault', fault: 'CAMERA_BUSY' }
    waiting++
    const mine = turn.then(() => takeNow(how)).catch((): PictureOutcome => NO_PICTURE)
    turn = mine
    const outcome = await mine
    waiting--
    // A refused call while others wait says nothing about the camera.
    lastFault = outcome.kind === 'fault' ? outcome.fault : null
    return outcome
  }
  const take = (): Promise<PictureOutcome> => (settings ? inTurn(settings.shot) : notConfigured())

  return {
    isConfigured: settings !== null,
    list: () => listCameras(roots),
    take,
    preview() {
      if (!settings) return notConfigured()
      const now = performance.now()
      if (preview && now - preview.at < PREVIEW_FRESH_MS) return preview.outcome
      const mine = { at: now, outcome: inTurn(settings.preview) }
      preview = mine
      void mine.outcome.then(() => forgetLater(() => (preview = preview === mine ? null : preview)))
      return mine.outcome
    },
    async selfTest() {
      const outcome = await testCamera(options, take)
      lastTest = outcome
      return outcome
    },
    async health() {
      const present = await listCameras(roots)
      const wish = settings?.wish ?? null
      return cameraHealth({
        wish,
        facePin: options.facePin,
        present,
        lastFault,
        lastTest: toCameraTest(lastTest),
      })
    },
    async close() {
      closed = true
      preview = null
      await turn.catch(() => undefined)
    },
  }

  function parseDevice(text: string) {
    const device = settings?.wish.device
    if (device && device.text === text) return device
    // A node from sysfs is always /dev/video with a number.
    return { kind: 'video' as const, text, number: Number(text.slice('/dev/video'.length)) }
  }
}

const NO_PICTURE: PictureOutcome = { kind: 'fault', fault: 'NO_PICTURE' }

async function notConfigured(): Promise<PictureOutcome> {
  return { kind: 'fault', fault: 'NOT_CONFIGURED' }
}

/** A picture of an applicant's document must not remain for the next visit. */
function forgetLater(forget: () => void): void {
  setTimeout(forget, PREVIEW_FRESH_MS).unref()
}

async function testCamera(
  { look, limits, clock, settings }: DocumentCameraOptions,
  take: () => Promise<PictureOutcome>,
): Promise<SelfTestOutcome> {
  const first = await take()
  if (first.kind === 'fault') return first
  const second = await take()
  if (second.kind === 'fault') return second
  // A picture that cannot be decoded is not measured, which is a separate finding.
  const measured = await look(second.picture.bytes).catch(() => null)
  const isSame = sameBytes(first.picture.bytes, second.picture.bytes)
  const isCamera = (settings?.wish.device?.kind ?? 'video') === 'video'
  const test = judgeCameraTest({ look: measured, picturesAreIdentical: isSame, isCamera }, limits)
  return { kind: 'tested', test, at: clock.now() }
}

function toCameraTest(
  outcome: SelfTestOutcome | null,
): { readonly test: CameraTest; readonly at: string } | null {
  return outcome?.kind === 'tested' ? { test: outcome.test, at: formatSpecDateTime(outcome.at) } : null
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
