/**
 * Finds print in a picture without other detections: places with edges in both directions close together. Wood and cloth
 * have them in one direction or everywhere. Returns a place, reads nothing.
 */
import type { Quad } from '../protocol.ts'
import type { Pyramid } from './grey.ts'

/** Maximum longer side of the level on which print is searched: starting value. */
const SIDE_PX = 800
/** Size of the copy for a document that exceeds the picture. */
export const NEAR_SIDE_PX = 480
/** Cell size in pixels: about four millimetres of a card that is too far away. */
const CELL_PX = 10
/** Minimum difference over two pixels, above noise and grain. */
const MIN_STEP = 20
/** Minimum share of a cell's pixels per direction. */
const MIN_EDGES = 0.06
/** Minimum number of cells of a place, and maximum gap between them. */
const MIN_CELLS = 6
const REACH_CELLS = 2

/** Upright box around the largest place with print; null if there is none. */
export function printedPlace(pyramid: Pyramid, sidePx = SIDE_PX): Quad | null {
  const index = pyramid.findIndex(({ width, height }) => Math.max(width, height) <= sidePx)
  if (index < 0) return null
  const { data, width, height } = pyramid[index]
  const [columns, rows] = [width, height].map((length) => Math.max(0, Math.floor((length - 2) / CELL_PX)))
  const printed = new Uint8Array(columns * rows)
  for (let y = 0, o = 0; y < rows; y++)
    for (let x = 0; x < columns; x++, o++)
      printed[o] = isPrint(data, width, 1 + x * CELL_PX, 1 + y * CELL_PX) ? 1 : 0
  const cells = largestCluster(printed, columns, rows)
  if (cells.length < MIN_CELLS) return null
  const [left, right] = computeRange(cells.map((cell) => (cell % columns) * CELL_PX))
  const [top, bottom] = computeRange(cells.map((cell) => Math.floor(cell / columns) * CELL_PX))
  const scale = 2 ** index
  return [
    { x: left * scale, y: top * scale },
    { x: right * scale, y: top * scale },
    { x: right * scale, y: bottom * scale },
    { x: left * scale, y: bottom * scale },
  ]
}

function largestCluster(printed: Uint8Array, columns: number, rows: number): readonly number[] {
  const left = printed.slice()
  let largest: readonly number[] = []
  for (let start = 0; start < left.length; start++) {
    if (left[start] === 0) continue
    const cluster = [start]
    left[start] = 0
    for (let n = 0; n < cluster.length; n++) {
      const [x, y] = [cluster[n] % columns, Math.floor(cluster[n] / columns)]
      for (let j = Math.max(0, y - REACH_CELLS); j <= Math.min(rows - 1, y + REACH_CELLS); j++)
        for (let i = Math.max(0, x - REACH_CELLS); i <= Math.min(columns - 1, x + REACH_CELLS); i++)
          if (left[j * columns + i] === 1) {
            left[j * columns + i] = 0
            cluster.push(j * columns + i)
          }
    }
    if (cluster.length > largest.length) largest = cluster
  }
  return largest
}

function isPrint(data: Uint8Array, width: number, x0: number, y0: number): boolean {
  let [across, down] = [0, 0]
  for (let y = y0; y < y0 + CELL_PX; y++)
    for (let x = x0, i = y * width + x; x < x0 + CELL_PX; x++, i++) {
      if (Math.abs(data[i + 1] - data[i - 1]) >= MIN_STEP) across++
      if (Math.abs(data[i + width] - data[i - width]) >= MIN_STEP) down++
    }
  return Math.min(across, down) >= MIN_EDGES * CELL_PX * CELL_PX
}

/** Range of the cells, without the outermost fiftieth on either side. */
function computeRange(places: number[]): readonly [number, number] {
  places.sort((a, b) => a - b)
  const out = Math.floor(places.length / 50)
  return [places[out], places[places.length - 1 - out] + CELL_PX]
}
