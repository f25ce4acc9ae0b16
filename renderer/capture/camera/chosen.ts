/**
 * Remembers which camera somebody chose for documents and for faces: the browser's own id of the device for this page's
 * origin, random and of no meaning elsewhere. Nothing about a person is ever kept here.
 */
import type { CameraPurpose } from './identity.ts'

const keyOf = (purpose: CameraPurpose): string => `counterproof.camera.${purpose}`

/** Null also where the browser allows no storage. */
export function chosenCamera(purpose: CameraPurpose): string | null {
  try {
    return localStorage.getItem(keyOf(purpose))
  } catch {
    return null
  }
}

export function rememberCamera(purpose: CameraPurpose, deviceId: string): void {
  try {
    localStorage.setItem(keyOf(purpose), deviceId)
  } catch {
    // The choice then lasts as long as the page.
  }
}
