/**
 * The light of the whole screen. Dark around a document, because a glossy one reflects the screen: npm run bench:surround
 * (renderer/capture/README.md has the figures). In one soft colour while it lights a face; screens.css fades it in 150 ms.
 */

/** The theme around what a screen shows; paper unless the camera looks at a document. */
export function surround(theme: 'paper' | 'ink', root = document.documentElement): void {
  root.dataset.surround = theme
}

/** The whole screen in one colour; null: as it was. */
export function light(colour: string | null, root = document.documentElement): void {
  root.toggleAttribute('data-lit', colour !== null)
  if (colour === null) root.style.removeProperty('--lit')
  else root.style.setProperty('--lit', colour)
}
