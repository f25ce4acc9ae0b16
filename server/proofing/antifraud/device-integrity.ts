/**
 * Check DEVICE_INTEGRITY: clock, camera, inspections and seals of the device. A part that was never set up is neither
 * good nor bad.
 */
import { createOkFinding, createWarningFinding, createUnverifiedFinding, type Finding } from './finding.ts'

/** USB identity of a camera: four hexadecimal digits each, and the serial number if reported. */
export interface CameraIdentity {
  readonly vendor: string
  readonly product: string
  readonly serial?: string | undefined
}

export type CameraState =
  /** The configuration names no camera. */
  | 'NOT_PINNED'
  /** The camera that took the pictures is unknown. */
  | 'NOT_TOLD'
  | 'OTHER'
  | 'SAME'
  /** A program of this machine acts as a camera and may have given the pictures, under any name. */
  | 'SOFTWARE'

/** A pinned serial number must be reported and equal; otherwise it does not matter. */
export function cameraState(
  pinned: CameraIdentity | undefined,
  told: CameraIdentity | undefined,
): CameraState {
  if (!pinned) return 'NOT_PINNED'
  if (!told) return 'NOT_TOLD'
  const isSame =
    same(pinned.vendor, told.vendor) &&
    same(pinned.product, told.product) &&
    (pinned.serial === undefined || pinned.serial === told.serial)
  return isSame ? 'SAME' : 'OTHER'
}

/** The part of the configuration that names cameras. */
interface PinnedCameras {
  readonly environment: { readonly camera?: CameraIdentity | undefined }
  readonly cameras: {
    readonly document?: { readonly pin?: CameraIdentity | undefined } | undefined
    readonly face?: { readonly pin: CameraIdentity } | undefined
  }
}

/**
 * `environment.camera` enables the comparison; if it is set, the other pinned cameras of this machine are accepted too.
 */
export function cameraStateHere(
  { environment, cameras }: PinnedCameras,
  told: CameraIdentity | undefined,
): CameraState {
  const first = cameraState(environment.camera, told)
  if (first !== 'OTHER') return first
  const others = [cameras.document?.pin, cameras.face?.pin]
  return others.some((pin) => cameraState(pin, told) === 'SAME') ? 'SAME' : first
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

export interface DeviceFacts {
  readonly clock: 'CENTRE' | 'SYSTEM' | 'UNSURE'
  /** One entry per evidence with pictures. */
  readonly cameras: readonly CameraState[]
  readonly inspection: 'NOT_DEMANDED' | 'IN_DATE' | 'OVERDUE'
  readonly tampered: boolean
}

/** The worst state decides; the check passes only if all four parts are known and good. */
export function judgeDeviceIntegrity({ clock, cameras, inspection, tampered }: DeviceFacts): Finding {
  const camera = worstCamera(cameras)
  const measured = { clock, camera, inspection, tampered: tampered ? 1 : 0 }
  if (tampered) return { status: 'INVALID', indicators: ['DEVICE_INTEGRITY_FAILED'], measured }
  if (camera === 'OTHER' || camera === 'SOFTWARE') return createWarningFinding('DEVICE_INTEGRITY', measured)
  const isSound = clock !== 'UNSURE' && camera === 'SAME' && inspection === 'IN_DATE'
  return isSound
    ? createOkFinding('DEVICE_INTEGRITY', measured)
    : createUnverifiedFinding('DEVICE_INTEGRITY', measured)
}

/** The camera is unknown if there is no picture. */
function worstCamera(cameras: readonly CameraState[]): CameraState {
  const worstFirst: readonly CameraState[] = ['SOFTWARE', 'OTHER', 'NOT_TOLD', 'NOT_PINNED', 'SAME']
  return worstFirst.find((state) => cameras.includes(state)) ?? 'NOT_TOLD'
}
