/** Which of the cameras that are there is the one that was meant. Pure. */
import { cameraState, type CameraIdentity } from '../../proofing/antifraud/device-integrity.ts'
import type { DeviceName } from './device-name.ts'
import type { CameraDevice } from './devices.ts'

/** Why there is no picture; names for people stand with the screens. */
export const CAMERA_FAULTS = [
  'NOT_CONFIGURED',
  /** It is not plugged in, or its node in /dev is missing. */
  'CAMERA_MISSING',
  /** A camera is there, and it is not the one that was pinned. */
  'WRONG_CAMERA',
  /** Several fit the pin: it names no serial number. */
  'SEVERAL_CAMERAS',
  /** Somebody else has it open, or two pictures are waited for already. */
  'CAMERA_BUSY',
  'NOT_ALLOWED',
  'TIMED_OUT',
  /** What came is no picture. */
  'NO_PICTURE',
  /** fswebcam is not installed. */
  'PROGRAM_MISSING',
] as const
export type CameraFault = (typeof CAMERA_FAULTS)[number]

export interface CameraWish {
  /** Null: whichever node the pinned camera has. */
  readonly device: DeviceName | null
  readonly pin: CameraIdentity | undefined
}

export type Choice =
  | { readonly kind: 'camera'; readonly device: string; readonly camera: CameraIdentity | null }
  | { readonly kind: 'fault'; readonly fault: CameraFault }

/** A pinned camera is found by what it is, wherever it was plugged in; a node alone may be any camera. */
export function chooseCamera({ device, pin }: CameraWish, present: readonly CameraDevice[]): Choice {
  if (device && device.kind !== 'video')
    return pin ? fault('WRONG_CAMERA') : { kind: 'camera', device: device.text, camera: null }
  const usable = present.filter(({ captures, ready }) => captures && ready)
  const named = device ? usable.filter(({ path }) => path === device.text) : usable
  const fitting = pin ? named.filter((camera) => isPinned(pin, camera)) : named
  const [only, ...others] = fitting
  if (!only) return fault(named.length > 0 ? 'WRONG_CAMERA' : 'CAMERA_MISSING')
  if (others.length > 0) return fault('SEVERAL_CAMERAS')
  return { kind: 'camera', device: only.path, camera: identityOf(only) }
}

export function isPinned(pin: CameraIdentity, { usb }: CameraDevice): boolean {
  return cameraState(pin, usb ?? undefined) === 'SAME'
}

function identityOf({ usb }: CameraDevice): CameraIdentity | null {
  if (!usb) return null
  const { vendor, product, serial } = usb
  return { vendor, product, ...(serial === undefined ? {} : { serial }) }
}

const fault = (name: CameraFault): Choice => ({ kind: 'fault', fault: name })
