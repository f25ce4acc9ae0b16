/** Splits ink into connected pieces: letters, marks, strokes and specks. Does not classify them. */
import type { GreyRaster } from '../../raster.ts'
import { findRoot } from '../disjoint-sets.ts'

export interface Piece {
  x0: number
  x1: number
  y0: number
  y1: number
  area: number
  darkest: number
}

/** 8-connected components, computed by runs. */
export function findPieces({ data, width, height }: GreyRaster, pale: number): Piece[] {
  const from: number[] = []
  const to: number[] = []
  const rows: number[] = []
  const roots: number[] = []
  const darkest: number[] = []
  let above = 0
  for (let y = 0; y < height; y++) {
    const first = from.length
    const end = (y + 1) * width
    for (let i = y * width; i < end;) {
      if (data[i] > pale) {
        i++
        continue
      }
      const start = i
      let darkestHere = 255
      while (i < end && data[i] <= pale) {
        if (data[i] < darkestHere) darkestHere = data[i]
        i++
      }
      roots.push(from.length)
      darkest.push(darkestHere)
      from.push(start - y * width)
      to.push(i - y * width)
      rows.push(y)
    }
    let candidate = above
    for (let r = first; r < from.length; r++) {
      while (candidate < first && to[candidate] < from[r]) candidate++
      for (let c = candidate; c < first && from[c] <= to[r]; c++)
        roots[findRoot(roots, c)] = findRoot(roots, r)
    }
    above = first
  }
  const pieces = new Map<number, Piece>()
  for (let r = 0; r < from.length; r++) {
    const root = findRoot(roots, r)
    const piece = pieces.get(root)
    if (piece === undefined)
      pieces.set(root, {
        x0: from[r],
        x1: to[r],
        y0: rows[r],
        y1: rows[r] + 1,
        area: to[r] - from[r],
        darkest: darkest[r],
      })
    else {
      piece.x0 = Math.min(piece.x0, from[r])
      piece.x1 = Math.max(piece.x1, to[r])
      piece.y1 = rows[r] + 1
      piece.area += to[r] - from[r]
      piece.darkest = Math.min(piece.darkest, darkest[r])
    }
  }
  return [...pieces.values()]
}
