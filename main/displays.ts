/** On which display each window belongs. Pure: displays as Electron tells them go in, places come out. */
import type { Rectangle } from 'electron'

export interface DisplayPlace {
  readonly bounds: Rectangle
}

export interface Placement {
  readonly kiosk: Rectangle | null
  /** Null: no display was asked for, or it is not there. Never the kiosk's own: visitors would see staff's work. */
  readonly counter: Rectangle | null
}

/** Counted from the top left, by rows: the numbers stay when a cable is pulled and put back. */
export function placeWindows(
  displays: readonly DisplayPlace[],
  wish: { readonly kiosk: number; readonly counter: number | null },
): Placement {
  const inOrder = displays.map(({ bounds }) => bounds).sort((a, b) => a.y - b.y || a.x - b.x)
  // A kiosk whose display was renumbered still shows somewhere.
  const kiosk = inOrder[wish.kiosk] ?? inOrder[0] ?? null
  const counter = wish.counter === null ? null : (inOrder[wish.counter] ?? null)
  return { kiosk, counter: counter === kiosk ? null : counter }
}
