/**
 * Remembers the cameras chosen for documents and for faces: the browser's own device id for this page's
 * origin, which is random and has no meaning elsewhere. It stores no personal data.
 */
import type { CameraPurpose } from './identity.ts'

const buildStorageKey = (purpose: CameraPurpose): string => `counterproof.camera.${purpose}`

/** Null also if the browser allows no storage. */
export function getChosenCamera(purpose: CameraPurpose): string | null {
  try {
    return localStorage.getItem(buildStorageKey(purpose))
  } catch {
    return null
  }
}

export function rememberCamera(purpose: CameraPurpose, deviceId: string): void {
  try {
    localStorage.setItem(buildStorageKey(purpose), deviceId)
  } catch {
    // The choice then lasts as long as the page.
  }
}
