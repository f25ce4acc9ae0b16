/** Selects the configured camera among those that are connected. Pure. */
import { cameraState, type CameraIdentity } from '../../proofing/antifraud/device-integrity.ts'
import type { DeviceName } from './device-name.ts'
import type { CameraDevice } from './devices.ts'

/** Why there is no picture; the screens own the texts. */
export const CAMERA_FAULTS = [
  'NOT_CONFIGURED',
  /** Not connected, or its node in /dev is missing. */
  'CAMERA_MISSING',
  /** A camera is connected but is not the pinned one. */
  'WRONG_CAMERA',
  /** Several match the pin, because it has no serial number. */
  'SEVERAL_CAMERAS',
  /** Another program uses it, or two pictures are already pending. */
  'CAMERA_BUSY',
  'NOT_ALLOWED',
  'TIMED_OUT',
  /** The output is no picture. */
  'NO_PICTURE',
  /** fswebcam is not installed. */
  'PROGRAM_MISSING',
] as const
export type CameraFault = (typeof CAMERA_FAULTS)[number]

export interface CameraWish {
  /** Null: any node of the pinned camera. */
  readonly device: DeviceName | null
  readonly pin: CameraIdentity | undefined
}

export type Choice =
  | { readonly kind: 'camera'; readonly device: string; readonly camera: CameraIdentity | null }
  | { readonly kind: 'fault'; readonly fault: CameraFault }

/** A pinned camera is found by its identity at any port; a node alone may be any camera. */
export function chooseCamera({ device, pin }: CameraWish, present: readonly CameraDevice[]): Choice {
  if (device && device.kind !== 'video')
    return pin ? fault('WRONG_CAMERA') : { kind: 'camera', device: device.text, camera: null }
  const usable = present.filter(({ captures, ready }) => captures && ready)
  const named = device ? usable.filter(({ path }) => path === device.text) : usable
  const fitting = pin ? named.filter((camera) => isPinned(pin, camera)) : named
  const [only, ...others] = fitting
  if (!only) return fault(named.length > 0 ? 'WRONG_CAMERA' : 'CAMERA_MISSING')
  if (others.length > 0) return fault('SEVERAL_CAMERAS')
  return { kind: 'camera', device: only.path, camera: identifyCamera(only) }
}

export function isPinned(pin: CameraIdentity, { usb }: CameraDevice): boolean {
  return cameraState(pin, usb ?? undefined) === 'SAME'
}

function identifyCamera({ usb }: CameraDevice): CameraIdentity | null {
  if (!usb) return null
  const { vendor, product, serial } = usb
  return { vendor, product, ...(serial === undefined ? {} : { serial }) }
}

const fault = (name: CameraFault): Choice => ({ kind: 'fault', fault: name })
