/**
 * Places the camera: derives the map between table and picture from tilt, turn and size in the picture. Pure arithmetic.
 */
import {
  applyHomography,
  homographyBetween,
  type Homography,
  type PlanePoint,
} from '../passport/homography.ts'

export interface RectMm {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface View {
  readonly widthPx: number
  readonly heightPx: number
  /** Turn of the content, clockwise in the picture: 90 means that its top points right. */
  readonly angleDeg: number
  /** Angle between the camera's axis and the straight view. */
  readonly tiltDeg: number
  /** Direction in the picture about which the table is tilted. */
  readonly tiltAxisDeg: number
  /** Share of the picture's area that the framed part takes. */
  readonly share: number
  /** Position within the remaining space: −1 … 1 across and down. Beyond 1 it leaves the picture. */
  readonly offset: readonly [number, number]
  /** If false, the camera moves back until the whole document is in the picture. */
  readonly mayBeCut?: boolean
}

export interface Placement {
  /** Table millimetres (document upright, its top left corner at 0, 0) to picture pixels, and back. */
  readonly toPicture: Homography
  readonly toTable: Homography
  /** Pixels per millimetre in the middle of the document. */
  readonly scale: number
}

/** Relative focal length: a phone's main camera sees about 65°, a document camera less. */
export const FOCAL = 0.95
/** Share of the picture's sides that stays free around a document inside. */
const MARGIN = 0.012

export const listCorners = ({ x, y, width, height }: RectMm): PlanePoint[] => [
  [x, y],
  [x + width, y],
  [x + width, y + height],
  [x, y + height],
]

/** `framed` is the part that must be in the picture. */
export function placeCamera(framed: RectMm, view: View): Placement {
  const { widthPx, heightPx } = view
  const focal = FOCAL * Math.max(widthPx, heightPx)
  const wanted = Math.sqrt((framed.width * framed.height) / (view.share * widthPx * heightPx))
  let distance = focal * wanted
  const mustFit = !view.mayBeCut && Math.max(Math.abs(view.offset[0]), Math.abs(view.offset[1])) <= 1
  for (let attempt = 0; ; attempt++) {
    const placed = centred(framed, view, focal, distance)
    if (!mustFit || attempt > 60 || fits(placed, framed, view)) return finish(placed, framed)
    distance *= 1.03
  }
}

/** Moves the table under the camera until the document's box is at `offset`. */
function centred(framed: RectMm, view: View, focal: number, distance: number): Homography {
  let shift: PlanePoint = [0, 0]
  let map = project(framed, view, focal, distance, shift)
  for (let round = 0; round < 4; round++) {
    const box = bounds(listCorners(framed).map(([x, y]) => applyHomography(map, x, y)))
    const freeX = Math.max(0, view.widthPx * (1 - 2 * MARGIN) - box.width) / 2
    const freeY = Math.max(0, view.heightPx * (1 - 2 * MARGIN) - box.height) / 2
    const wantedX = view.widthPx / 2 + beyond(view.offset[0], freeX, box.width)
    const wantedY = view.heightPx / 2 + beyond(view.offset[1], freeY, box.height)
    const perMm = focal / distance
    shift = [
      shift[0] + (wantedX - box.x - box.width / 2) / perMm,
      shift[1] + (wantedY - box.y - box.height / 2) / perMm,
    ]
    map = project(framed, view, focal, distance, shift)
  }
  return map
}

/** Up to 1 within the free space; the excess in widths of the document. */
function beyond(offset: number, free: number, size: number): number {
  const inside = Math.max(-1, Math.min(1, offset))
  return inside * free + (offset - inside) * size
}

/**
 * Projects with a pinhole camera above the table. The table is turned about an axis through the point under the
 * camera.
 */
function project(
  framed: RectMm,
  { angleDeg, tiltDeg, tiltAxisDeg, widthPx, heightPx }: View,
  focal: number,
  distance: number,
  shift: PlanePoint,
): Homography {
  const turn = (angleDeg * Math.PI) / 180
  const tilt = (tiltDeg * Math.PI) / 180
  const axis = (tiltAxisDeg * Math.PI) / 180
  const middle = [framed.x + framed.width / 2, framed.y + framed.height / 2]
  const at = ([x, y]: PlanePoint): PlanePoint => {
    const dx = x - middle[0]
    const dy = y - middle[1]
    const px = dx * Math.cos(turn) - dy * Math.sin(turn)
    const py = dx * Math.sin(turn) + dy * Math.cos(turn)
    const along = px * Math.cos(axis) + py * Math.sin(axis)
    const across = -px * Math.sin(axis) + py * Math.cos(axis)
    const cameraX = along * Math.cos(axis) - across * Math.cos(tilt) * Math.sin(axis) + shift[0]
    const cameraY = along * Math.sin(axis) + across * Math.cos(tilt) * Math.cos(axis) + shift[1]
    const depth = distance + across * Math.sin(tilt)
    return [widthPx / 2 + (focal * cameraX) / depth, heightPx / 2 + (focal * cameraY) / depth]
  }
  const corners = listCorners(framed)
  return homographyBetween(corners, corners.map(at))
}

function fits(map: Homography, framed: RectMm, { widthPx, heightPx }: View): boolean {
  return listCorners(framed).every(([x, y]) => {
    const [u, v] = applyHomography(map, x, y)
    const edge = MARGIN * 0.8
    return u > widthPx * edge && u < widthPx * (1 - edge) && v > heightPx * edge && v < heightPx * (1 - edge)
  })
}

function finish(toPicture: Homography, framed: RectMm): Placement {
  const corners = listCorners(framed)
  const toTable = homographyBetween(
    corners.map(([x, y]) => applyHomography(toPicture, x, y)),
    corners,
  )
  const x = framed.x + framed.width / 2
  const y = framed.y + framed.height / 2
  const [u, v] = applyHomography(toPicture, x, y)
  const [u2, v2] = applyHomography(toPicture, x + 1, y + 1)
  return { toPicture, toTable, scale: Math.hypot(u2 - u, v2 - v) / Math.SQRT2 }
}

export function bounds(points: readonly PlanePoint[]): RectMm {
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  const x = Math.min(...xs)
  const y = Math.min(...ys)
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
}
