/** Assigns windows to displays. Pure: displays in Electron's format in, places out. */
import type { Rectangle } from 'electron'

interface DisplayPlace {
  readonly bounds: Rectangle
}

export interface Placement {
  readonly kiosk: Rectangle | null
  /**
   * Null: no display was requested, or it is missing. Never the kiosk's own: applicants would see the
   * officers' work.
   */
  readonly counter: Rectangle | null
}

/** Numbers the displays from the top left, row by row, so that replugging a cable keeps the numbers. */
export function placeWindows(
  displays: readonly DisplayPlace[],
  wish: { readonly kiosk: number; readonly counter: number | null },
): Placement {
  const inOrder = displays.map(({ bounds }) => bounds).sort((a, b) => a.y - b.y || a.x - b.x)
  // A kiosk whose display was renumbered uses the first one.
  const kiosk = inOrder[wish.kiosk] ?? inOrder[0] ?? null
  const counter = wish.counter === null ? null : (inOrder[wish.counter] ?? null)
  return { kiosk, counter: counter === kiosk ? null : counter }
}
