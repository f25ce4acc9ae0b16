/**
 * The light of the whole screen. It is dark around a document, because a glossy document reflects the screen:
 * npm run bench:surround (renderer/capture/README.md has the figures). It has one soft colour while it lights
 * a face; screens.css fades it in 150 ms.
 */

/** Sets the theme around a screen: paper, or ink while the camera captures a document. */
export function surround(theme: 'paper' | 'ink', root = document.documentElement): void {
  root.dataset.surround = theme
}

/** Fills the screen with one colour; null restores the theme. */
export function light(colour: string | null, root = document.documentElement): void {
  root.toggleAttribute('data-lit', colour !== null)
  if (colour === null) root.style.removeProperty('--lit')
  else root.style.setProperty('--lit', colour)
}
