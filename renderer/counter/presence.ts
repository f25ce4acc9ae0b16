/** Tells whether the page is visible. A hidden or locked page polls nothing, and polls again when it is visible. */
const changes = new EventTarget()
let locked = false

export function setLocked(now: boolean): void {
  if (locked === now) return
  locked = now
  changes.dispatchEvent(new Event('change'))
}

export const isLocked = (): boolean => locked

export const isSeen = (): boolean => !locked && !document.hidden

/** Called when the page is hidden, locked, shown or unlocked. Returns a function that stops it. */
export function onPresence(listener: () => void): () => void {
  changes.addEventListener('change', listener)
  document.addEventListener('visibilitychange', listener)
  return () => {
    changes.removeEventListener('change', listener)
    document.removeEventListener('visibilitychange', listener)
  }
}
