/** Classifies cameras by the little that a browser tells: a name and a direction. Pure. */
import type { CameraIdentity } from '../events.ts'

export type CameraPurpose = 'document' | 'face'
interface KnownCamera {
  readonly deviceId: string
  readonly label: string
}

/** Chromium ends the name of a USB camera with `(vvvv:pppp)`: vendor and product, four hexadecimal digits each. */
const USB_IDS = /\(([0-9a-f]{4}):([0-9a-f]{4})\)\s*$/i

export function parseIdentity(label: string): CameraIdentity | null {
  const [, vendor, product] = USB_IDS.exec(label) ?? []
  return vendor && product ? { vendor: vendor.toLowerCase(), product: product.toLowerCase() } : null
}

/**
 * Words in the names of cameras on the market (starting value). A camera that matches neither suits both
 * purposes.
 */
const WORDS: Readonly<Record<CameraPurpose, RegExp>> = {
  document: /document|doc ?cam|scan|overhead|visuali[sz]er|\bback\b|rear|environment|ipevo|czur|elmo/i,
  face: /\bfront\b|face|user|integrated|built-?in|portrait/i,
}
/** Virtual cameras. They are used only if there is no other camera. */
const VIRTUAL = /virtual|\bobs\b|manycam|snap camera|xsplit|loopback|droidcam/i

export const isVirtual = (label: string): boolean => VIRTUAL.test(label)

/**
 * Chromium's simulated cameras: `--use-fake-device-for-media-stream` names its device `fake_device_0`, and
 * with `--use-file-for-fake-video-capture` the name is the path of the film (seen on Chromium 156). The
 * appliance marks such captures as tests. A page that hides the name is not detected.
 */
const PRETENDED = /^fake_device_\d+$|\.(y4m|mjpe?g)$/i

export const isPretended = (label: string): boolean => PRETENDED.test(label)

export function suits(label: string, purpose: CameraPurpose): boolean {
  return WORDS[purpose].test(label)
}

/** @param allow ids as `vvvv:pppp`, or parts of a name; empty: every camera may be used. */
export function isAllowed(label: string, allow: readonly string[]): boolean {
  if (allow.length === 0) return true
  const identity = parseIdentity(label)
  const id = identity ? `${identity.vendor}:${identity.product}` : ''
  return allow.some((entry) => {
    const wanted = entry.toLowerCase()
    return wanted === id || label.toLowerCase().includes(wanted)
  })
}

/** Sorts best first: the camera chosen before, then by name, then in the browser's order. */
export function rankCameras<C extends KnownCamera>(
  cameras: readonly C[],
  purpose: CameraPurpose,
  chosenBefore: string | null,
): C[] {
  const other = purpose === 'face' ? 'document' : 'face'
  const marks = ({ deviceId, label }: KnownCamera): number =>
    (deviceId === chosenBefore ? 8 : 0) +
    (isVirtual(label) ? -4 : 0) +
    (suits(label, purpose) ? 2 : 0) -
    (suits(label, other) ? 1 : 0)
  return [...cameras].sort((a, b) => marks(b) - marks(a))
}

/** Splits the attribute `allow` at its commas. */
export function parseAllow(value: string | null): readonly string[] {
  return (value ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}
