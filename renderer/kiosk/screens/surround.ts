/** The light of the whole screen while soft colours fall on a face. screens.css fades it in 150 ms. */

/** The whole screen in one colour; null: as it was. */
export function light(colour: string | null, root = document.documentElement): void {
  root.toggleAttribute('data-lit', colour !== null)
  if (colour === null) root.style.removeProperty('--lit')
  else root.style.setProperty('--lit', colour)
}
